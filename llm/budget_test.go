package llm

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
)

// testPrices has openai:m at 1 and 10 dollars a million.
func testPrices(t *testing.T) *Prices {
	t.Helper()
	p, err := LoadPrices(strings.NewReader(`{"models": {"openai:m": {"price": {"input": 1, "cached": 0.5, "output": 10}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asksFor is what is set aside while an errand is done.
func asksFor(t *testing.T, s *Seat, e *errand) (held Cap, err error) {
	t.Helper()
	l := s.desk.Ledger.(*MemoryLedger)
	err = s.budget(func(context.Context, *errand) error {
		held = l.Held()
		return nil
	})(t.Context(), e)
	if l.Held() != (Cap{}) {
		t.Errorf("%+v stays set aside", l.Held())
	}
	return held, err
}

func TestTheEstimateIsSetAside(t *testing.T) {
	s := (&Desk{Ledger: &MemoryLedger{}, Prices: testPrices(t)}).At(Place{Run: "r", Step: "s"})
	held, err := asksFor(t, s, trip(nil)) // 100 in, 50 out
	if err != nil || held.Tokens != 170 || math.Abs(held.USD-(120+500)*1e-6) > 1e-12 {
		t.Errorf("%+v %v", held, err)
	}
	unpriced := trip(nil)
	unpriced.name = "compatible:m"
	if held, err := asksFor(t, s, unpriced); err != nil || held != (Cap{Tokens: 170}) {
		t.Errorf("%+v %v, want tokens alone", held, err)
	}
}

func TestCaps(t *testing.T) {
	// One call is set aside as 170 tokens and 620 millionths of a dollar.
	for _, c := range []struct {
		name  string
		place Place
		spent Cap // in the same step
		fits  bool
	}{
		{"no caps", Place{Step: "unit.a"}, Cap{USD: 99, Tokens: 1e9}, true},
		{"money for it", Place{Caps: plumb.Caps{USD: 0.00162}}, Cap{USD: 0.001}, true},
		{"no money for it", Place{Caps: plumb.Caps{USD: 0.00161}}, Cap{USD: 0.001}, false},
		{"tokens for it", Place{Caps: plumb.Caps{Tokens: 1170}}, Cap{Tokens: 1000}, true},
		{"no tokens for it", Place{Caps: plumb.Caps{Tokens: 1169}}, Cap{Tokens: 1000}, false},
		{"a share of the tokens", Place{Caps: plumb.Caps{Tokens: 2340}, Share: 0.5}, Cap{Tokens: 1000}, true},
		{"no share left of the tokens", Place{Caps: plumb.Caps{Tokens: 2339}, Share: 0.5}, Cap{Tokens: 1000}, false},
		{"no share left of the money", Place{Caps: plumb.Caps{USD: 0.002}, Share: 0.8}, Cap{USD: 0.001}, false},
		{"a tiny share is no free pass", Place{Caps: plumb.Caps{Tokens: 1}, Share: 0.1}, Cap{}, false},
		{"a share above one is all", Place{Caps: plumb.Caps{Tokens: 200}, Share: 7}, Cap{Tokens: 31}, false},
		{"the unit's tokens", Place{Step: "unit.a", Caps: plumb.Caps{UnitToks: 1169, Tokens: 9999}}, Cap{Tokens: 1000}, false},
		{"the unit's money", Place{Step: "unit.a", Caps: plumb.Caps{UnitUSD: 0.00161}}, Cap{USD: 0.001}, false},
		{"what is no unit has no such cap", Place{Step: "write.1", Caps: plumb.Caps{UnitToks: 10, UnitUSD: 1e-6}}, Cap{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &MemoryLedger{}
			c.place.Run = "r"
			if err := l.Settle(t.Context(), "", &plumb.LedgerRow{Run: "r", Step: c.place.Step, USD: c.spent.USD, Input: c.spent.Tokens}, nil); err != nil {
				t.Fatal(err)
			}
			_, err := asksFor(t, (&Desk{Ledger: l, Prices: testPrices(t)}).At(c.place), trip(nil))
			if c.fits && err != nil || !c.fits && !errors.Is(err, ErrBudget) {
				t.Errorf("%v, fits: %v", err, c.fits)
			}
		})
	}
}

func TestAnotherUnitsSpendingIsNotThisUnits(t *testing.T) {
	l := &MemoryLedger{}
	if err := l.Settle(t.Context(), "", &plumb.LedgerRow{Run: "r", Step: "unit.b", Input: 1000}, nil); err != nil {
		t.Fatal(err)
	}
	s := (&Desk{Ledger: l}).At(Place{Run: "r", Step: "unit.a", Caps: plumb.Caps{UnitToks: 500, Tokens: 2000}})
	if _, err := asksFor(t, s, trip(nil)); err != nil {
		t.Error(err)
	}
}

func TestEveryAnswerIsBounded(t *testing.T) {
	for _, c := range []struct {
		set    int
		traits Traits
		input  int
		want   int
	}{
		{0, Traits{}, 100, 2048}, // a window that nobody states is taken for a small one
		{0, Traits{Window: 1e6, Output: 128000}, 100, 4096},
		{0, Traits{Window: 8000, Output: 8000}, 100, 2000},
		{0, Traits{Window: 1e6, Output: 1000}, 100, 1000},
		{9000, Traits{}, 100, 9000},
		{9000, Traits{Window: 1e6, Output: 8000}, 100, 8000},
		{200, Traits{Window: 1e6, Output: 8000}, 100, 200},
		{9000, Traits{Window: 10_000}, 4000, 6000},
		{9000, Traits{Window: 10_000}, 20_000, 9000}, // too long already: the provider will say so
		{0, Traits{Window: 2}, 1, 1},
	} {
		if got := outputBound(&Request{Output: c.set}, c.traits, c.input); got != c.want {
			t.Errorf("%d with %+v and %d: %d, want %d", c.set, c.traits, c.input, got, c.want)
		}
	}
	script := Says("fine")
	m, err := (&Desk{Open: func(string) (Model, error) { return script, nil }}).At(Place{}).Model("compatible:x", Worker)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Messages: []Message{{From: User, Text: "hi"}}}
	if _, err := m.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := script.Asked()[0].Output; got != 4096 || r.Output != 0 {
		t.Errorf("the model was asked for %d tokens, the caller's request says %d", got, r.Output)
	}
}

func TestEstimatesLearnFromWhatProvidersReport(t *testing.T) {
	for _, c := range []struct {
		name     string
		reported [][2]int // estimated, reported
		want     float64
	}{
		{"nothing yet", nil, 1.2},
		{"a short prompt teaches nothing", [][2]int{{50, 500}}, 1.2},
		{"nothing reported", [][2]int{{1000, 0}}, 1.2},
		{"fewer than estimated", [][2]int{{1000, 800}}, 0.88},
		{"the highest counts", [][2]int{{1000, 800}, {1000, 1300}, {1000, 900}}, 1.43},
	} {
		d := &Desk{}
		for _, r := range c.reported {
			d.learn("openai:m", r[0], int64(r[1]))
		}
		if got := d.factor("openai:m"); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
		if got := d.factor("openai:other"); got != 1.2 {
			t.Errorf("%s: another model's is %g", c.name, got)
		}
	}
}

func TestACallTeachesTheNextOnesEstimate(t *testing.T) {
	l := &MemoryLedger{}
	var held []int64
	d := deskWith(t, l, func(r *Request) (*Answer, error) {
		held = append(held, l.Held().Tokens-int64(r.Output))
		return &Answer{Text: "x", Usage: Usage{Input: int64(2 * r.Tokens()), Output: 1}}, nil
	})
	m := modelAt(t, d.At(Place{Run: "r", Step: "s"}), "openai:m", Worker)
	r := say(strings.Repeat("many words ", 200))
	for range 2 {
		if _, err := m.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	n := float64(r.Tokens())
	if held[0] != int64(math.Ceil(n*1.2)) || held[1] != int64(math.Ceil(n*2*1.1)) {
		t.Errorf("%d set aside for a prompt of %g tokens that were twice as many", held, n)
	}
}

func TestACallThatNeverHappenedIsLetGoOf(t *testing.T) {
	l := &MemoryLedger{}
	s := (&Desk{Ledger: l}).At(Place{Run: "r", Step: "s"})
	ctx, cancel := context.WithCancel(t.Context())
	err := s.budget(func(ctx context.Context, _ *errand) error {
		if l.Held().Tokens == 0 {
			t.Error("nothing set aside")
		}
		cancel()
		return ctx.Err()
	})(ctx, trip(nil))
	if !errors.Is(err, context.Canceled) || l.Held() != (Cap{}) {
		t.Errorf("%v, held %+v", err, l.Held())
	}
}

func TestThinkingIsAllowedOnTopOfTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name string
		t    Traits
		want int
	}{
		{"a model that does not think", Traits{Window: 100_000, Output: 8000}, 500},
		{"one that does", Traits{Window: 100_000, Output: 8000, Thinking: 4000}, 4500},
		{"no more than it may say", Traits{Window: 100_000, Output: 3000, Thinking: 4000}, 3000},
		{"no more than the prompt leaves", Traits{Window: 2000, Output: 8000, Thinking: 4000}, 1000},
	} {
		if got := outputBound(&Request{Output: 500}, c.t, 1000); got != c.want {
			t.Errorf("%s: %d tokens, want %d", c.name, got, c.want)
		}
	}
}

func TestACallWaitsForWhatOthersWillSetFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &MemoryLedger{}
		s := (&Desk{Ledger: l, Prices: testPrices(t)}).At(Place{Run: "r", Step: "s", Caps: plumb.Caps{Tokens: 200}})
		if err := l.Reserve(t.Context(), Reservation{ID: "other", Run: "r", Tokens: 150}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Second, func() {
			if err := l.Settle(context.Background(), "other", &plumb.LedgerRow{Run: "r", Input: 20}, nil); err != nil {
				t.Error(err)
			}
		})
		began := time.Now()
		if _, err := asksFor(t, s, trip(nil)); err != nil || time.Since(began) < 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := l.Reserve(t.Context(), Reservation{ID: "more", Run: "r", Tokens: 100, RunCap: Cap{Tokens: 90}}); !errors.Is(err, ErrBudget) {
			t.Errorf("what never fits: %v", err)
		}
	})
}
