package llm

import (
	"math"
	"testing"

	"github.com/plumbresearch/plumb"
)

func TestAUnitOfThreeSourcesIsReckonedAt8600Tokens(t *testing.T) {
	l, err := plumb.Preset("standard")
	if err != nil {
		t.Fatal(err)
	}
	if u := work(l, 1, 1); u.input+u.output != 8600 {
		t.Errorf("%+v", u)
	}
}

func forecast(t *testing.T, preset string, m plumb.Models, units int, change func(*plumb.Limits)) plumb.Estimate {
	t.Helper()
	l, err := plumb.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&l)
	}
	e := Forecast(nil, m, units, l)
	if e.LowUSD > e.HighUSD || e.LowTokens > e.HighTokens || e.LowUSD < 0 || math.IsNaN(e.HighUSD) {
		t.Errorf("%s with %d units: %+v", preset, units, e)
	}
	return e
}

func TestForecast(t *testing.T) {
	sol := plumb.Models{Orchestrator: "openai:gpt-6-sol"}
	uncapped := func(l *plumb.Limits) { l.Caps = plumb.Caps{} }

	if e := forecast(t, "standard", plumb.Models{}, 5, nil); e.HighTokens != 0 || e.HighUSD != 0 || !e.Priced {
		t.Errorf("no model, but %+v", e)
	}
	quick, standard, deep := forecast(t, "quick", sol, 3, uncapped), forecast(t, "standard", sol, 5, uncapped), forecast(t, "deep", sol, 8, uncapped)
	if quick.HighTokens >= standard.LowTokens*10 || quick.LowTokens >= standard.LowTokens || standard.HighTokens >= deep.HighTokens {
		t.Errorf("quick %+v\nstandard %+v\ndeep %+v", quick, standard, deep)
	}
	if standard.LowTokens < 5*8600 || standard.LowUSD < 0.1 || standard.LowUSD > 1 {
		t.Errorf("standard %+v", standard)
	}
	if more := forecast(t, "standard", sol, 6, uncapped); more.LowTokens-standard.LowTokens != 8600 {
		t.Errorf("one unit more takes %d", more.LowTokens-standard.LowTokens)
	}
	once := forecast(t, "standard", sol, 5, func(l *plumb.Limits) { l.Caps, l.Waves = plumb.Caps{}, 1 })
	if once.LowTokens != standard.LowTokens || once.HighTokens > standard.HighTokens*2/3 {
		t.Errorf("two more waves of 5 units: %+v, %+v", once, standard)
	}
	few := forecast(t, "standard", sol, 5, func(l *plumb.Limits) { l.Caps, l.InAll = plumb.Caps{}, 7 })
	if few.HighTokens <= once.HighTokens || few.HighTokens >= standard.HighTokens {
		t.Errorf("seven units in all: %+v", few)
	}
	if e := forecast(t, "standard", sol, 5, nil); e.CapUSD != 1 || e.HighUSD > 1 {
		t.Errorf("capped %+v", e)
	}
	if e := forecast(t, "standard", sol, 5, func(l *plumb.Limits) { l.Caps.Tokens = 20_000 }); e.LowTokens != 20_000 || e.HighTokens != 20_000 || e.CapTokens != 20_000 {
		t.Errorf("capped %+v", e)
	}
	home := forecast(t, "standard", plumb.Models{Orchestrator: "ollama:qwen3:8b"}, 5, nil)
	if home.HighUSD != 0 || !home.Priced || home.HighTokens == 0 {
		t.Errorf("at home %+v", home)
	}
	cheaper := forecast(t, "standard", plumb.Models{Orchestrator: sol.Orchestrator, Worker: "openai:gpt-6-luna"}, 5, uncapped)
	if cheaper.LowUSD >= standard.LowUSD || cheaper.LowTokens != standard.LowTokens {
		t.Errorf("cheap workers %+v", cheaper)
	}
	if e := forecast(t, "standard", plumb.Models{Orchestrator: sol.Orchestrator, Judge: "compatible:x"}, 5, uncapped); e.Priced {
		t.Errorf("an unknown price is known: %+v", e)
	}
	if e := forecast(t, "standard", plumb.Models{Orchestrator: sol.Orchestrator, Embed: "openai:text-embedding-3-small"}, 5, uncapped); e.LowTokens <= standard.LowTokens || e.LowUSD <= standard.LowUSD {
		t.Errorf("embeddings cost nothing: %+v", e)
	}
	if e := forecast(t, "standard", sol, 5, func(l *plumb.Limits) { l.Caps, l.Check = plumb.Caps{}, false }); e.HighTokens >= standard.HighTokens {
		t.Errorf("without a check %+v", e)
	}
	if e := forecast(t, "standard", sol, 0, nil); e.LowTokens == 0 {
		t.Errorf("no unit planned: %+v", e)
	}
}
