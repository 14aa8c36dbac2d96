package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
)

// deskWith has one model for every name, and the prices of testPrices.
func deskWith(t *testing.T, l Ledger, answer func(*Request) (*Answer, error)) *Desk {
	t.Helper()
	return &Desk{
		Ledger: l, Prices: testPrices(t),
		Open:         func(name string) (Model, error) { return &Script{ID: name, Answer: answer}, nil },
		OpenEmbedder: func(name string) (Embedder, error) { return WordEmbedder{name}, nil },
	}
}

func modelAt(t *testing.T, s *Seat, name string, role Role) Model {
	t.Helper()
	m, err := s.Model(name, role)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func say(text string) *Request { return &Request{Messages: []Message{{From: User, Text: text}}} }

func sum(rows []plumb.LedgerRow) Cap {
	var c Cap
	for _, r := range rows {
		c.USD += r.USD
		c.Tokens += r.Input + r.Output
	}
	return c
}

func TestParallelCallsCannotOvershootTogether(t *testing.T) {
	for _, c := range []struct {
		name string
		caps plumb.Caps
	}{
		{"money", plumb.Caps{USD: 0.05}},
		{"tokens", plumb.Caps{Tokens: 5000}},
		{"both", plumb.Caps{USD: 0.05, Tokens: 5000}},
		{"the unit's tokens", plumb.Caps{UnitToks: 3000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &MemoryLedger{}
				var live atomic.Int64
				d := deskWith(t, l, func(r *Request) (*Answer, error) {
					live.Add(1)
					time.Sleep(time.Second)
					return &Answer{Text: "x", Usage: Usage{Input: int64(r.Tokens()), Output: int64(r.Output)}}, nil // all that was allowed
				})
				seat := d.At(Place{Run: "r", Step: "unit.a", Caps: c.caps})
				var refused atomic.Int64
				var wg sync.WaitGroup
				for i := range 50 {
					wg.Go(func() {
						m, err := seat.Model("openai:m", Worker)
						if err != nil {
							t.Error(err)
							return
						}
						r := say(fmt.Sprint("question ", i))
						r.Output = 300
						if _, err := m.Complete(t.Context(), r); errors.Is(err, ErrBudget) {
							refused.Add(1)
						} else if err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				spent := sum(l.Rows())
				if c.caps.USD > 0 && spent.USD > c.caps.USD || c.caps.Tokens > 0 && spent.Tokens > c.caps.Tokens ||
					c.caps.UnitToks > 0 && spent.Tokens > c.caps.UnitToks {
					t.Errorf("spent %+v of %+v", spent, c.caps)
				}
				if live.Load()+refused.Load() != 50 || live.Load() < 5 || refused.Load() == 0 || int(live.Load()) != len(l.Rows()) {
					t.Errorf("%d calls, %d refused, %d rows", live.Load(), refused.Load(), len(l.Rows()))
				}
				if l.Held() != (Cap{}) {
					t.Errorf("%+v still held", l.Held())
				}
			})
		})
	}
}

func TestTheBillIsTheSumOfItsRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &MemoryLedger{}
		var n atomic.Int64
		d := deskWith(t, l, func(r *Request) (*Answer, error) {
			switch n.Add(1) % 4 {
			case 0:
				return nil, &Error{Trouble: Garbled, Model: "openai:m", Usage: Usage{Input: 100, Output: 20}} // billed all the same
			case 1:
				return nil, &Error{Trouble: Overloaded, Model: "openai:m"}
			}
			return &Answer{Text: "fine", Usage: Usage{Input: 200, Cached: 100, Output: 50}}, nil
		})
		var wg sync.WaitGroup
		var answered atomic.Int64
		for i := range 40 {
			wg.Go(func() {
				m, err := d.At(Place{Run: "r", Step: fmt.Sprint("unit.", i)}).Model("openai:m", Worker)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := m.Complete(t.Context(), say("hi")); err == nil {
					answered.Add(1)
				}
			})
		}
		wg.Wait()
		want, failed, good := 0.0, 0, 0
		for _, r := range l.Rows() {
			if r.Error != "" {
				failed++
				want += (100 + 200) * 1e-6
			} else {
				good++
				want += (100 + 50 + 500) * 1e-6
			}
		}
		if got := sum(l.Rows()).USD; math.Abs(got-want) > 1e-12 || failed == 0 || int64(good) != answered.Load() {
			t.Errorf("$%g for %d answers and %d failures, want $%g; %d answered", got, good, failed, want, answered.Load())
		}
		if want := int(n.Load()/4)*1 + good; len(l.Rows()) != want {
			t.Errorf("%d rows, want %d", len(l.Rows()), want)
		}
	})
}

func TestAStepDoneAgainPaysNothing(t *testing.T) {
	l := &MemoryLedger{}
	n := 0
	d := deskWith(t, l, func(*Request) (*Answer, error) {
		n++
		return &Answer{Text: fmt.Sprint("answer ", n), Calls: []Call{{ID: "c", Name: "t", Arguments: "{broken"}}, Usage: Usage{Input: 9, Output: 9}}, nil
	})
	attempt := func(p Place) (out []Answer, shown []string) {
		seat := d.At(p)
		for _, ask := range []struct {
			role Role
			text string
		}{{Orchestrator, "a"}, {Worker, "a"}, {Worker, "b"}, {Worker, "a"}} {
			r := say(ask.text)
			r.Delta = func(s string) { shown = append(shown, s) }
			a, err := modelAt(t, seat, "openai:m", ask.role).Complete(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, *a)
		}
		v, err := seat.Embedder("openai:e")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Embed(t.Context(), []string{"x"}); err != nil {
			t.Fatal(err)
		}
		return out, shown
	}
	first, live := attempt(Place{Run: "r", Step: "s"})
	rows := len(l.Rows())
	if rows != 5 || first[0].Text != "answer 1" || first[1].Text != "answer 2" || first[3].Text != "answer 4" {
		t.Fatalf("%d rows, %+v", rows, first)
	}
	for name, p := range map[string]Place{
		"again":                     {Run: "r", Step: "s"},
		"from a tape":               {Run: "r2", Step: "s", Tapes: []string{"r"}},
		"offline, without a budget": {Run: "r3", Step: "s", Tapes: []string{"r"}, Offline: true, Caps: plumb.Caps{Tokens: 1}},
	} {
		got, shown := attempt(p)
		if !reflect.DeepEqual(got, first) || !slices.Equal(shown, live) {
			t.Errorf("%s: %+v, shown %q", name, got, shown)
		}
		if len(l.Rows()) != rows || n != 4 {
			t.Errorf("%s: %d rows, %d calls", name, len(l.Rows()), n)
		}
	}
}

func TestOfflineNeedsNoKeyAndAsksNobody(t *testing.T) {
	d := &Desk{
		Ledger:       &MemoryLedger{},
		Open:         func(string) (Model, error) { return nil, errors.New("no key") },
		OpenEmbedder: func(string) (Embedder, error) { return nil, errors.New("no key") },
	}
	s := d.At(Place{Run: "r", Step: "s", Offline: true})
	m := modelAt(t, s, "openai:gpt-6-sol", Worker)
	if m.Traits().Window != 1050000 || m.Name() != "openai:gpt-6-sol" {
		t.Errorf("%s %+v", m.Name(), m.Traits())
	}
	if _, err := m.Complete(t.Context(), say("hi")); !errors.Is(err, ErrNotRecorded) {
		t.Error(err)
	}
	e, err := s.Embedder("openai:e")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"x"}); !errors.Is(err, ErrNotRecorded) {
		t.Error(err)
	}
	online := d.At(Place{Run: "r", Step: "s"})
	if _, err := online.Model("openai:gpt-6-sol", Worker); err == nil || !strings.Contains(err.Error(), "openai:gpt-6-sol: no key") {
		t.Error(err)
	}
	if _, err := online.Embedder("openai:e"); err == nil {
		t.Error("an embedder without a key")
	}
	if _, err := (&Desk{}).At(Place{}).Model("openai:m", Worker); err == nil {
		t.Error("a desk that can open nothing gave a model")
	}
}

func TestFailuresDoNotAnswerWhoeverGoesOn(t *testing.T) {
	l := &MemoryLedger{}
	broken := true
	d := deskWith(t, l, func(*Request) (*Answer, error) {
		if broken {
			return nil, &Error{Trouble: BadKey, Model: "openai:m"}
		}
		return &Answer{Text: "mended"}, nil
	})
	if _, err := modelAt(t, d.At(Place{Run: "r", Step: "s"}), "openai:m", Worker).Complete(t.Context(), say("hi")); !Hopeless(err) {
		t.Error(err)
	}
	broken = false
	a, err := modelAt(t, d.At(Place{Run: "r", Step: "s"}), "openai:m", Worker).Complete(t.Context(), say("hi"))
	if err != nil || a.Text != "mended" {
		t.Errorf("%v %v", a, err)
	}
}

func TestEachTryIsBudgetedByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &MemoryLedger{}
		d := deskWith(t, l, func(r *Request) (*Answer, error) {
			return nil, &Error{Trouble: Garbled, Model: "openai:m", Usage: Usage{Input: 10, Output: int64(r.Output)}}
		})
		r := say("hi")
		r.Output = 400
		_, err := modelAt(t, d.At(Place{Run: "r", Step: "s", Caps: plumb.Caps{Tokens: 1000}}), "openai:m", Worker).Complete(t.Context(), r)
		if !errors.Is(err, ErrBudget) || len(l.Rows()) != 2 || l.Held() != (Cap{}) {
			t.Errorf("%v after %d billed tries, %+v held", err, len(l.Rows()), l.Held())
		}
	})
}

func TestACancelledContextReleasesTheReservation(t *testing.T) {
	for _, where := range []string{"in the call", "waiting for a place", "between two tries"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &MemoryLedger{}
				ctx, cancel := context.WithCancel(t.Context())
				d := &Desk{Ledger: l, Rate: Rate{AtOnce: 1}, Open: func(string) (Model, error) {
					return blocking{where == "between two tries"}, nil
				}}
				var wg sync.WaitGroup
				calls := 1
				if where == "waiting for a place" {
					calls = 3
				}
				for range calls {
					wg.Go(func() {
						m, err := d.At(Place{Run: "r", Step: "s"}).Model("openai:m", Worker)
						if err != nil {
							t.Error(err)
							return
						}
						if _, err := m.Complete(ctx, say("hi")); !errors.Is(err, context.Canceled) {
							t.Error(err)
						}
					})
				}
				synctest.Wait()
				if held := l.Held().Tokens > 0; held != (where != "between two tries") {
					t.Errorf("held while %s: %v", where, held)
				}
				cancel()
				wg.Wait()
				if l.Held() != (Cap{}) || len(l.Rows()) != 0 {
					t.Errorf("%+v held, %d rows", l.Held(), len(l.Rows()))
				}
			})
		})
	}
}

// blocking is a model that answers only when the caller gives up, or is always overloaded.
type blocking struct{ overloaded bool }

func (blocking) Name() string   { return "openai:m" }
func (blocking) Traits() Traits { return Traits{} }
func (b blocking) Complete(ctx context.Context, _ *Request) (*Answer, error) {
	if b.overloaded {
		return nil, &Error{Trouble: Overloaded, Model: "openai:m"}
	}
	<-ctx.Done()
	return nil, &Error{Trouble: Stalled, Model: "openai:m", Err: ctx.Err()}
}

func TestTheTextBeginsAgainWithAnotherTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		d := deskWith(t, nil, func(r *Request) (*Answer, error) {
			if n++; n == 1 {
				r.Delta("half an ans")
				return nil, &Error{Trouble: Stalled, Model: "openai:m"}
			}
			return &Answer{Text: "whole"}, nil
		})
		d.Ledger = nil
		var shown []string
		r := say("hi")
		r.Delta = func(s string) { shown = append(shown, s) }
		if _, err := modelAt(t, d.At(Place{}), "openai:m", Worker).Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if want := []string{"half an ans", "", "whole"}; !slices.Equal(shown, want) {
			t.Errorf("%q", shown)
		}
	})
}

func TestAModelIsOpenedOnceAndTheTableKnowsBestWhatItCan(t *testing.T) {
	opened := 0
	d := &Desk{Open: func(name string) (Model, error) {
		opened++
		return &Script{ID: name, Can: Traits{Window: 7}, Answer: func(*Request) (*Answer, error) { return nil, nil }}, nil
	}}
	for range 3 {
		if got := modelAt(t, d.At(Place{}), "compatible:x", Worker).Traits(); got.Window != 7 {
			t.Errorf("%+v", got)
		}
		if got := modelAt(t, d.At(Place{}), "openai:gpt-4o", Worker).Traits(); got.Window != 128000 {
			t.Errorf("%+v", got)
		}
	}
	if opened != 2 {
		t.Errorf("opened %d times", opened)
	}
}
