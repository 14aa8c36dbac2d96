package storetest

import (
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

var eventCases = []testCase{
	{"events come back whole and in order, from any number on", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		var want []plumb.Event
		for i := range 6 {
			e := filled[plumb.Event](i)
			e.Run, e.Seq = "a", int64(i+1)
			want = append(want, e)
		}
		must(t, s.AppendEvents(ctx, want[3:]))
		must(t, s.AppendEvents(ctx, want[:3]))
		must(t, s.AppendEvents(ctx, nil))
		equal(t, "all", got(s.Events(ctx, "a", 0, 0))(t), want)
		equal(t, "after 2", got(s.Events(ctx, "a", 2, 0))(t), want[2:])
		equal(t, "after 2, two of them", got(s.Events(ctx, "a", 2, 2))(t), want[2:4])
		equal(t, "after the last", got(s.Events(ctx, "a", 6, 0))(t), nil)
		equal(t, "of another run", got(s.Events(ctx, "b", 0, 0))(t), nil)
	}},
	{"events of several runs are taken together, or none is", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		must(t, s.AppendEvents(ctx, []plumb.Event{event("a", 1, "x", 1), event("b", 1, "x", 1), event("a", 2, "x", 1)}))
		equal(t, "a", seqs(t, s, "a"), []int64{1, 2})
		equal(t, "b", seqs(t, s, "b"), []int64{1})
		err := s.AppendEvents(ctx, []plumb.Event{event("b", 2, "x", 1), event("a", 2, "x", 1)})
		is(t, "a number that is taken", err, engine.ErrExists)
		equal(t, "b afterwards", seqs(t, s, "b"), []int64{1})
	}},
	{"an attempt that was given up is hidden, others are not", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		must(t, s.AppendEvents(ctx, []plumb.Event{
			event("a", 1, "x", 1), event("a", 2, "x", 2), event("a", 3, "y", 1), event("a", 4, "x", 3), event("a", 5, "", 0),
			event("b", 1, "x", 1),
		}))
		must(t, s.VoidEvents(ctx, "a", "x", 3))
		equal(t, "a", seqs(t, s, "a"), []int64{3, 4, 5})
		equal(t, "b", seqs(t, s, "b"), []int64{1})
		limited := got(s.Events(ctx, "a", 0, 2))(t)
		equal(t, "limited", []int64{limited[0].Seq, limited[1].Seq}, []int64{3, 4})
		must(t, s.VoidEvents(ctx, "a", "x", 3))
		equal(t, "a, voided again", seqs(t, s, "a"), []int64{3, 4, 5})
	}},
	{"numbers and attempts of hidden events are not given again", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.AppendEvents(ctx, []plumb.Event{event("a", 1, "x", 1), event("a", 2, "x", 2), event("a", 3, "", 0)}))
		must(t, s.VoidEvents(ctx, "a", "x", 9))
		rec := got(s.LoadRun(ctx, "a"))(t)
		equal(t, "last seq", rec.LastSeq, 3)
		equal(t, "attempts", rec.Attempts, map[string]int{"x": 2})
		is(t, "a hidden number", s.AppendEvents(ctx, []plumb.Event{event("a", 2, "x", 3)}), engine.ErrExists)
	}},
}
