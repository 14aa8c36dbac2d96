package llm

import (
	"context"
	"errors"
	"testing"

	"github.com/plumbresearch/plumb"
)

var (
	_ Model    = (*Script)(nil)
	_ Embedder = WordEmbedder{}
	_ Ledger   = (*MemoryLedger)(nil)
)

func TestAScriptAnswersLikeAModel(t *testing.T) {
	s := &Script{Answer: func(r *Request) (*Answer, error) {
		if r.Messages[0].Text == "call" {
			return &Answer{Calls: []Call{{Name: "think"}}}, nil
		}
		return &Answer{Text: "hello there"}, nil
	}}
	shown := ""
	r := say("hi")
	r.Delta = func(s string) { shown += s }
	a, err := s.Complete(t.Context(), r)
	if err != nil || a.Stop != End || a.Usage.Input == 0 || a.Usage.Output == 0 || shown != "hello there" {
		t.Errorf("%+v %v, shown %q", a, err, shown)
	}
	if a, err := s.Complete(t.Context(), say("call")); err != nil || a.Stop != ForTool {
		t.Errorf("%+v %v", a, err)
	}
	if s.Name() != "script:model" || s.Traits().Window == 0 || len(s.Asked()) != 2 {
		t.Errorf("%s %+v %d", s.Name(), s.Traits(), len(s.Asked()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Complete(ctx, say("hi")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTextsWithTheSameWordsAreNear(t *testing.T) {
	v, err := WordEmbedder{}.Embed(t.Context(), []string{"The cat sat.", "the CAT, sat", "quarterly revenue fell", ""})
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b int) (x float32) {
		for i := range v.Vectors[a] {
			x += v.Vectors[a][i] * v.Vectors[b][i]
		}
		return x
	}
	if near(0, 1) < 0.99 || near(0, 2) > 0.5 || near(3, 3) != 0 {
		t.Errorf("%g %g %g", near(0, 1), near(0, 2), near(3, 3))
	}
}

func TestTheMemoryLedgerKeepsRunsAndStepsApart(t *testing.T) {
	l := &MemoryLedger{}
	ctx := t.Context()
	hold := func(id, run, step string) error {
		return l.Reserve(ctx, Reservation{ID: id, Run: run, Step: step, Tokens: 60, RunCap: Cap{Tokens: 100}})
	}
	if err := hold("1", "a", "s"); err != nil {
		t.Fatal(err)
	}
	if err := hold("2", "a", "t"); !errors.Is(err, ErrBudget) {
		t.Errorf("the run's cap: %v", err)
	}
	if err := hold("2", "b", "s"); err != nil {
		t.Errorf("another run: %v", err)
	}
	if err := hold("2", "c", "s"); err == nil {
		t.Error("an id was taken twice")
	}
	if err := l.Forget(ctx, "a", "t"); err != nil || l.Held().Tokens != 120 {
		t.Errorf("forgot another step's: %+v", l.Held())
	}
	if err := l.Forget(ctx, "a", "s"); err != nil || l.Held().Tokens != 60 {
		t.Errorf("%+v", l.Held())
	}
	if err := l.Settle(ctx, "2", &plumb.LedgerRow{Run: "b", Input: 41}, nil); err != nil || l.Held() != (Cap{}) {
		t.Errorf("%v %+v", err, l.Held())
	}
	if err := hold("3", "b", "s"); !errors.Is(err, ErrBudget) {
		t.Errorf("what was spent counts: %v", err)
	}
}
