package storetest

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

// estimate is a reservation of a run's step without caps.
func estimate(id, run, step string, usd float64, tokens int64) llm.Reservation {
	return llm.Reservation{ID: id, Run: run, Step: step, USD: usd, Tokens: tokens}
}

// left is how many reservations of a dollar and of 100 tokens fit into a run that may use 10 dollars, or 1,000 tokens.
// They are let go of again.
func left(t *testing.T, s Store, run string) (dollars, tokens int) {
	t.Helper()
	count := func(r llm.Reservation) (n int) {
		for ; ; n++ {
			r.ID = fmt.Sprintf("left %d", n)
			err := s.Reserve(ctx, r)
			if errors.Is(err, llm.ErrBudget) {
				break
			}
			must(t, err)
		}
		for i := range n {
			must(t, s.Settle(ctx, fmt.Sprintf("left %d", i), nil, nil))
		}
		return n
	}
	dollars = count(llm.Reservation{Run: run, Step: "left", USD: 1, RunCap: llm.Cap{USD: 10}})
	tokens = count(llm.Reservation{Run: run, Step: "left", Tokens: 100, RunCap: llm.Cap{Tokens: 1000}})
	return dollars, tokens
}

// isLeft compares what left says.
func isLeft(t *testing.T, s Store, when, run string, dollars, tokens int) {
	t.Helper()
	d, n := left(t, s, run)
	equal(t, when+": dollars and hundreds of tokens that are left", [2]int{d, n}, [2]int{dollars, tokens})
}

var reserveCases = []testCase{
	{"a reservation that does not fit is refused and sets nothing aside", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", Step: "unit.u1", At: start, USD: 2, Input: 150, Output: 50}))
		must(t, s.Reserve(ctx, estimate("r1", "a", "unit.u2", 3, 300)))
		isLeft(t, s, "billed and set aside", "a", 5, 5)
		for _, c := range []struct {
			name        string
			usd         float64
			tokens      int64
			run, step   llm.Cap
			refused     bool
			stepChecked string
		}{
			{"no caps", 1e6, 1e9, llm.Cap{}, llm.Cap{}, false, "unit.u1"},
			{"dollars of the run just fit", 5, 0, llm.Cap{USD: 10}, llm.Cap{}, false, "unit.u3"},
			{"dollars of the run don't", 5.000001, 0, llm.Cap{USD: 10}, llm.Cap{}, true, "unit.u3"},
			{"tokens of the run just fit", 0, 500, llm.Cap{Tokens: 1000}, llm.Cap{}, false, "unit.u3"},
			{"tokens of the run don't", 0, 501, llm.Cap{Tokens: 1000}, llm.Cap{}, true, "unit.u3"},
			{"more tokens than can be counted", 0, math.MaxInt64, llm.Cap{Tokens: 1000}, llm.Cap{}, true, "unit.u3"},
			{"dollars fit and tokens don't", 1, 501, llm.Cap{USD: 10, Tokens: 1000}, llm.Cap{}, true, "unit.u3"},
			{"tokens fit and dollars don't", 6, 1, llm.Cap{USD: 10, Tokens: 1000}, llm.Cap{}, true, "unit.u3"},
			{"dollars billed to the step just fit", 1, 0, llm.Cap{}, llm.Cap{USD: 3}, false, "unit.u1"},
			{"dollars billed to the step don't", 1.01, 0, llm.Cap{}, llm.Cap{USD: 3}, true, "unit.u1"},
			{"tokens set aside for the step just fit", 0, 100, llm.Cap{}, llm.Cap{Tokens: 400}, false, "unit.u2"},
			{"tokens set aside for the step don't", 0, 101, llm.Cap{}, llm.Cap{Tokens: 400}, true, "unit.u2"},
			{"another step's use does not count", 3, 400, llm.Cap{}, llm.Cap{USD: 3, Tokens: 400}, false, "unit.u3"},
			{"the step fits and the run doesn't", 6, 0, llm.Cap{USD: 10}, llm.Cap{USD: 6}, true, "unit.u3"},
			{"nothing more after the cap was passed", 0, 0, llm.Cap{USD: 4.5}, llm.Cap{}, true, "unit.u3"},
			{"a cap below zero leaves nothing", 0, 1, llm.Cap{Tokens: -1}, llm.Cap{}, true, "unit.u3"},
		} {
			r := estimate("case", "a", c.stepChecked, c.usd, c.tokens)
			r.RunCap, r.StepCap = c.run, c.step
			err := s.Reserve(ctx, r)
			if c.refused {
				is(t, c.name, err, llm.ErrBudget)
			} else if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			must(t, s.Settle(ctx, "case", nil, nil))
		}
		isLeft(t, s, "after all cases", "a", 5, 5)
		isLeft(t, s, "another run", "b", 10, 10)
	}},
	{"dollars are compared without the errors of adding floats", func(t *testing.T, s Store) {
		for _, c := range []struct {
			usd   float64
			times int
			cap   float64
		}{{0.1, 10, 1}, {0.1, 13, 1.3}, {0.12, 10, 1.2}, {0.43, 7, 3.01}} { // 6 of 0.43 and one more make 3.0100000000000002
			run := fmt.Sprint(c)
			create(t, s, run)
			r := estimate("", run, "x", c.usd, 0)
			r.RunCap, r.StepCap = llm.Cap{USD: c.cap}, llm.Cap{USD: c.cap}
			for i := range c.times {
				if r.ID = fmt.Sprint(run, i); i%2 == 0 {
					must(t, s.Reserve(ctx, r))
					continue
				}
				must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: run, Step: "x", At: start, USD: c.usd}))
			}
			r.ID, r.USD = run+"smallest", 1e-15
			is(t, run, s.Reserve(ctx, r), llm.ErrBudget)
			r.ID, r.USD = run+"nothing", 0
			must(t, s.Reserve(ctx, r))
		}
	}},
	{"an estimate that is none is refused", func(t *testing.T, s Store) {
		create(t, s, "a")
		for _, r := range []llm.Reservation{
			estimate("", "a", "x", 1, 1), estimate("r", "a", "x", -1, 1), estimate("r", "a", "x", 1, -1),
			estimate("r", "a", "x", math.NaN(), 1), estimate("r", "a", "x", math.Inf(1), 1),
		} {
			if err := s.Reserve(ctx, r); err == nil || errors.Is(err, llm.ErrBudget) {
				t.Errorf("%+v: error %v", r, err)
			}
		}
		is(t, "no such run", s.Reserve(ctx, estimate("r", "nobody", "x", 1, 1)), engine.ErrNoRun)
		must(t, s.Reserve(ctx, estimate("r", "a", "x", 1, 100)))
		is(t, "an id that is in use", s.Reserve(ctx, estimate("r", "a", "x", 1, 100)), engine.ErrExists)
		isLeft(t, s, "with one", "a", 9, 9)
	}},
	{"settling puts the row in the place of the reservation", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.Reserve(ctx, estimate("r1", "a", "x", 5, 500)))
		must(t, s.Reserve(ctx, estimate("r2", "a", "x", 1, 100)))
		row := filled[plumb.LedgerRow](1)
		row.Run, row.USD, row.Input, row.Output = "a", 2, 200, 100
		must(t, s.Settle(ctx, "r1", &row, nil))
		equal(t, "rows", got(s.LedgerRows(ctx, "a"))(t), []plumb.LedgerRow{row})
		isLeft(t, s, "one settled", "a", 7, 6)
		must(t, s.Settle(ctx, "r2", nil, nil))
		isLeft(t, s, "the other let go of", "a", 8, 7)
		must(t, s.Settle(ctx, "", nil, nil))
		must(t, s.Settle(ctx, "never made", nil, nil))
		equal(t, "spent", got(s.Spent(ctx, "a"))(t), plumb.Spent{USD: 2, Tokens: 300})
	}},
	{"a reservation that is settled twice is billed once", func(t *testing.T, s Store) {
		create(t, s, "a")
		row, rec := plumb.LedgerRow{Run: "a", Step: "x", At: start, USD: 1, Input: 100}, recording("a", "x", "k", 0)
		must(t, s.Reserve(ctx, estimate("r1", "a", "x", 1, 100)))
		must(t, atOnce(20, func(i int) error { return s.Settle(ctx, "r1", &row, &rec) }))
		equal(t, "spent", got(s.Spent(ctx, "a"))(t), plumb.Spent{USD: 1, Tokens: 100})
		equal(t, "recordings", tapes(t, s, "a"), []plumb.Recording{rec})
		must(t, s.Forget(ctx, "a", "x"))
		must(t, s.Settle(ctx, "forgotten before", &row, nil))
		equal(t, "spent with what was forgotten", got(s.Spent(ctx, "a"))(t), plumb.Spent{USD: 2, Tokens: 200})
	}},
	{"settling is one write", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.Reserve(ctx, estimate("r1", "a", "x", 1, 100)))
		row, rec := plumb.LedgerRow{Run: "a", At: start, USD: 2, Input: 200}, recording("nobody", "x", "k", 0)
		is(t, "recording of no run", s.Settle(ctx, "r1", &row, &rec), engine.ErrNoRun)
		row.USD = math.NaN()
		if err := s.Settle(ctx, "r1", &row, nil); err == nil {
			t.Error("a cost that is no number was taken")
		}
		equal(t, "rows", got(s.LedgerRows(ctx, "a"))(t), nil)
		isLeft(t, s, "still set aside", "a", 9, 9)
	}},
	{"what a dead attempt had set aside is forgotten, and nothing else", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		for i, where := range [][2]string{{"a", "x"}, {"a", "x"}, {"a", "y"}, {"b", "x"}} {
			must(t, s.Reserve(ctx, estimate(fmt.Sprint(i), where[0], where[1], 1, 100)))
		}
		must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", Step: "x", At: start, USD: 1, Input: 100}))
		isLeft(t, s, "before", "a", 6, 6)
		for range 2 {
			must(t, s.Forget(ctx, "a", "x"))
			isLeft(t, s, "after", "a", 8, 8)
			isLeft(t, s, "another run", "b", 9, 9)
		}
		is(t, "no such run", s.Forget(ctx, "nobody", "x"), engine.ErrNoRun)
	}},
	{"reservations go with their run", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		must(t, s.Reserve(ctx, estimate("r1", "a", "x", 1, 100)))
		must(t, s.Reserve(ctx, estimate("r2", "b", "x", 1, 100)))
		must(t, s.DeleteRun(ctx, "a"))
		must(t, s.Settle(ctx, "r1", nil, nil))
		is(t, "a bill for it", s.Settle(ctx, "r1", &plumb.LedgerRow{Run: "a", At: start}, nil), engine.ErrNoRun)
		create(t, s, "a")
		isLeft(t, s, "created again", "a", 10, 10)
		isLeft(t, s, "another run", "b", 9, 9)
		must(t, s.Reserve(ctx, estimate("r1", "a", "x", 1, 100)))
	}},
	{"reservations at once never overshoot the dollars of a run", func(t *testing.T, s Store) {
		overshoot(t, s, estimate("", "a", "", 0.1, 7), llm.Cap{USD: 10}, llm.Cap{}, 100)
	}},
	{"reservations at once never overshoot the tokens of a run", func(t *testing.T, s Store) {
		overshoot(t, s, estimate("", "a", "", 0.1, 7), llm.Cap{Tokens: 703}, llm.Cap{}, 100)
	}},
	{"reservations at once never overshoot a step", func(t *testing.T, s Store) {
		overshoot(t, s, estimate("", "a", "", 0.1, 7), llm.Cap{USD: 1000}, llm.Cap{USD: 0.5, Tokens: 700}, 5*steps)
	}},
	{"calls at once that cost what was estimated use a budget up, and no more", func(t *testing.T, s Store) {
		create(t, s, "a")
		const callers, calls = 100, 20
		var refused atomic.Int64
		must(t, atOnce(callers, func(i int) error {
			for j := range calls {
				r := estimate(fmt.Sprintf("%d/%d", i, j), "a", "x", 0.01, 10)
				r.RunCap = llm.Cap{USD: 5, Tokens: 5000}
				err := s.Reserve(ctx, r)
				if errors.Is(err, llm.ErrBudget) {
					refused.Add(1)
					continue
				}
				if err == nil {
					err = s.Settle(ctx, r.ID, &plumb.LedgerRow{Run: "a", Step: "x", At: later(j), USD: r.USD, Output: r.Tokens}, nil)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}))
		equal(t, "spent", got(s.Spent(ctx, "a"))(t), plumb.Spent{USD: 5, Tokens: 5000})
		equal(t, "refused", refused.Load(), callers*calls-500)
	}},
}

// steps are those that overshoot shares its reservations out to.
const steps = 4

// overshoot makes 2,000 reservations like r from 100 goroutines, all but fit of which must be refused.
func overshoot(t *testing.T, s Store, r llm.Reservation, run, step llm.Cap, fit int64) {
	t.Helper()
	create(t, s, "a")
	r.RunCap, r.StepCap = run, step
	var made atomic.Int64
	must(t, atOnce(100, func(i int) error {
		r := r
		r.Step = fmt.Sprintf("unit.u%d", i%steps)
		for j := range 20 {
			r.ID = fmt.Sprintf("%d/%d", i, j)
			err := s.Reserve(ctx, r)
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, llm.ErrBudget) {
				return err
			}
		}
		return nil
	}))
	equal(t, "reservations", made.Load(), fit)
}
