package storetest

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

var ledgerCases = []testCase{
	{"ledger rows come back whole, in the order of their times", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		var want []plumb.LedgerRow
		for i := range 6 {
			r := filled[plumb.LedgerRow](i)
			r.Run, r.At = "a", later(i)
			want = append(want, r)
		}
		for _, i := range []int{3, 0, 5, 1, 4, 2} {
			must(t, s.AddLedgerRow(ctx, want[i]))
		}
		equal(t, "rows", got(s.LedgerRows(ctx, "a"))(t), want)
		equal(t, "rows of another run", got(s.LedgerRows(ctx, "b"))(t), nil)
	}},
	{"rows of one time are in the order in which they were added", func(t *testing.T, s Store) {
		create(t, s, "a")
		for i := range 5 {
			must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", At: start, Model: fmt.Sprint(9 - i)}))
		}
		var models string
		for _, r := range got(s.LedgerRows(ctx, "a"))(t) {
			models += r.Model
		}
		equal(t, "models", models, "98765")
	}},
	{"the same call twice is on the bill twice", func(t *testing.T, s Store) {
		create(t, s, "a")
		row := plumb.LedgerRow{Run: "a", At: start, Model: "m", Input: 3, Output: 4, USD: 0.5}
		must(t, s.AddLedgerRow(ctx, row))
		must(t, s.AddLedgerRow(ctx, row))
		equal(t, "spent", got(s.Spent(ctx, "a"))(t), plumb.Spent{USD: 1, Tokens: 14})
	}},
	{"spent is the sum of the rows, rounded once", func(t *testing.T, s Store) {
		create(t, s, "tenths", "mixed", "none")
		for i := range 10 { // added one after the other, ten floats of 0.1 make 0.9999999999999999
			must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "tenths", At: later(i), USD: 0.1, Input: 7, Output: 5, Cached: 6}))
		}
		equal(t, "tenths", got(s.Spent(ctx, "tenths"))(t), plumb.Spent{USD: 1, Tokens: 120})
		for i, usd := range []float64{1e9, 1e-9, 2.5, -1e9, 1e-9} { // a refund, so that small amounts show
			must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "mixed", At: later(i), USD: usd}))
		}
		equal(t, "mixed", got(s.Spent(ctx, "mixed"))(t), plumb.Spent{USD: 2.500000002})
		equal(t, "none", got(s.Spent(ctx, "none"))(t), plumb.Spent{})
	}},
	{"tokens are input and output; cached ones are part of the input", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", At: start, Input: 1 << 40, Output: 5, Cached: 1 << 39}))
		equal(t, "spent", got(s.Spent(ctx, "a"))(t), plumb.Spent{Tokens: 1<<40 + 5})
	}},
	{"a cost that is no number is refused", func(t *testing.T, s Store) {
		create(t, s, "a")
		for _, usd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if err := s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", At: start, USD: usd}); err == nil {
				t.Errorf("a cost of %v was taken", usd)
			}
		}
		equal(t, "rows", got(s.LedgerRows(ctx, "a"))(t), nil)
	}},
}

var concurrencyCases = []testCase{
	{"many runs commit at once and each keeps its own journal", func(t *testing.T, s Store) {
		const runs, steps = 50, 10
		id := func(i int) string { return fmt.Sprintf("run-%02d", i) }
		must(t, atOnce(runs, func(i int) error {
			if err := s.CreateRun(ctx, newRun(id(i), later(i)), engine.Lease{}); err != nil {
				return err
			}
			if _, err := s.Acquire(ctx, id(i), "me", start, later(60)); err != nil {
				return err
			}
			for seq := 1; seq <= steps; seq++ {
				c := commit(id(i), "me", seq)
				c.Outcome.Reason = fmt.Sprintf("%s, %d", id(i), seq)
				c.Events = []plumb.Event{event(id(i), int64(seq), "plan.1", seq)}
				if err := s.Commit(ctx, c); err != nil {
					return err
				}
			}
			return nil
		}))
		for i := range runs {
			rec := got(s.LoadRun(ctx, id(i)))(t)
			equal(t, "number of outcomes", len(rec.Journal), steps)
			equal(t, "last seq", rec.LastSeq, steps)
			for j, o := range rec.Journal {
				equal(t, "outcome", o.Reason, fmt.Sprintf("%s, %d", id(i), j+1))
			}
		}
	}},
	{"of two owners' commits with one number one counts", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		var counted atomic.Int64
		must(t, atOnce(20, func(i int) error {
			c := commit("a", "me", 1)
			c.Outcome.Reason = fmt.Sprint(i)
			c.Events = []plumb.Event{event("a", int64(i+1), "plan.1", 1)}
			err := s.Commit(ctx, c)
			if err == nil {
				counted.Add(1)
				return nil
			}
			is(t, "commit", err, engine.ErrNotOwner)
			return nil
		}))
		equal(t, "that counted", counted.Load(), 1)
		equal(t, "outcomes", len(journal(t, s, "a")), 1)
		equal(t, "events", len(seqs(t, s, "a")), 1)
	}},
	{"refused writes don't disturb those beside them", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		must(t, atOnce(60, func(i int) error {
			switch i % 3 {
			case 0:
				is(t, "commit", s.Commit(ctx, commit("a", "you", 1)), engine.ErrNotOwner)
			case 1:
				is(t, "create", s.CreateRun(ctx, newRun("a", start), engine.Lease{}), engine.ErrExists)
			case 2:
				return s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", At: later(i), Input: 1, USD: 0.25})
			}
			return nil
		}))
		equal(t, "spent", got(s.Spent(ctx, "a"))(t), plumb.Spent{USD: 5, Tokens: 20})
	}},
	{"whoever reads while others write sees whole commits", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		const steps = 100
		must(t, atOnce(2, func(i int) error {
			for seq := 1; i == 0 && seq <= steps; seq++ {
				c := commit("a", "me", seq)
				c.Events = []plumb.Event{event("a", int64(2*seq-1), "x", 1), event("a", int64(2*seq), "x", 1)}
				if err := s.Commit(ctx, c); err != nil {
					return err
				}
			}
			for seen := 0; i == 1 && seen < steps; {
				rec, err := s.LoadRun(ctx, "a")
				if err != nil {
					return err
				}
				if seen = len(rec.Journal); rec.LastSeq != int64(2*seen) {
					return fmt.Errorf("%d outcomes with %d events", seen, rec.LastSeq)
				}
			}
			return nil
		}))
	}},
	{"a write whose context is over does not count", func(t *testing.T, s Store) {
		create(t, s, "a")
		over, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.AddLedgerRow(over, plumb.LedgerRow{Run: "a", At: start, USD: 1}); err == nil {
			t.Error("a write with a context that is over gave no error")
		}
		equal(t, "rows", got(s.LedgerRows(ctx, "a"))(t), nil)
	}},
}
