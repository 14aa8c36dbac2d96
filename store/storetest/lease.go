package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

var leaseCases = []testCase{
	{"a run has one owner at a time", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		equal(t, "holder", got(s.Acquire(ctx, "a", "you", later(1), later(60)))(t), "me")
		equal(t, "owner", summary(t, s, "a").Owner, "me")
		must(t, s.Commit(ctx, commit("a", "me", 1)))
		is(t, "commit", s.Commit(ctx, commit("a", "you", 2)), engine.ErrNotOwner)
	}},
	{"a run that was released is free", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		must(t, s.Release(ctx, "a", "me"))
		equal(t, "owner", summary(t, s, "a").Owner, "")
		equal(t, "holder", got(s.Acquire(ctx, "a", "you", later(1), later(60)))(t), "you")
	}},
	{"whoever does not have a run can't release it", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		must(t, s.Release(ctx, "a", "you"))
		equal(t, "owner", summary(t, s, "a").Owner, "me")
	}},
	{"a lease that is over can be had by others", func(t *testing.T, s Store) {
		create(t, s, "a")
		equal(t, "first", got(s.Acquire(ctx, "a", "me", later(0), later(10)))(t), "me")
		equal(t, "before its end", got(s.Acquire(ctx, "a", "you", later(9), later(99)))(t), "me")
		equal(t, "at its end", got(s.Acquire(ctx, "a", "you", later(10), later(99)))(t), "you")
		equal(t, "the other comes back", got(s.Acquire(ctx, "a", "me", later(11), later(99)))(t), "you")
		is(t, "commit", s.Commit(ctx, commit("a", "me", 1)), engine.ErrNotOwner)
	}},
	{"an owner prolongs its lease by acquiring it again", func(t *testing.T, s Store) {
		create(t, s, "a")
		got(s.Acquire(ctx, "a", "me", later(0), later(10)))(t)
		equal(t, "holder", got(s.Acquire(ctx, "a", "me", later(5), later(30)))(t), "me")
		equal(t, "after the first end", got(s.Acquire(ctx, "a", "you", later(29), later(60)))(t), "me")
	}},
	{"an owner keeps a lease that is over until somebody takes it", func(t *testing.T, s Store) {
		create(t, s, "a")
		got(s.Acquire(ctx, "a", "me", later(0), later(10)))(t)
		must(t, s.Commit(ctx, commit("a", "me", 1)))
		equal(t, "holder", got(s.Acquire(ctx, "a", "me", later(20), later(30)))(t), "me")
		equal(t, "prolonged", got(s.Acquire(ctx, "a", "you", later(29), later(60)))(t), "me")
	}},
	{"renewing prolongs all leases of an owner and of nobody else", func(t *testing.T, s Store) {
		create(t, s, "a", "b", "c", "free")
		for _, id := range []string{"a", "b"} {
			got(s.Acquire(ctx, id, "me", later(0), later(10)))(t)
		}
		got(s.Acquire(ctx, "c", "you", later(0), later(10)))(t)
		must(t, s.Renew(ctx, "me", later(100)))
		must(t, s.Renew(ctx, "", later(100)))
		for id, want := range map[string]string{"a": "me", "b": "me", "c": "third", "free": "third"} {
			equal(t, "holder of "+id, got(s.Acquire(ctx, id, "third", later(50), later(60)))(t), want)
		}
		equal(t, "after the prolonged end", got(s.Acquire(ctx, "a", "third", later(100), later(200)))(t), "third")
	}},
	{"a dead owner's run is taken over once", func(t *testing.T, s Store) {
		own(t, s, "dead", "a")
		equal(t, "first", got(s.TakeOver(ctx, "a", "dead", "me", later(60)))(t), true)
		equal(t, "second", got(s.TakeOver(ctx, "a", "dead", "you", later(60)))(t), false)
		equal(t, "owner", summary(t, s, "a").Owner, "me")
		equal(t, "lease", got(s.Acquire(ctx, "a", "you", later(59), later(99)))(t), "me")
	}},
	{"an owner has a name", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		create(t, s, "b")
		if _, err := s.Acquire(ctx, "b", "", start, later(60)); err == nil {
			t.Error("nobody acquired a run")
		}
		if _, err := s.TakeOver(ctx, "a", "me", "", later(60)); err == nil {
			t.Error("nobody took over a run")
		}
		equal(t, "owner", summary(t, s, "a").Owner, "me")
	}},
	{"of many that want a run at once one gets it", func(t *testing.T, s Store) {
		create(t, s, "a")
		var mine atomic.Int64
		must(t, atOnce(20, func(i int) error {
			me := fmt.Sprintf("owner %d", i)
			holder, err := s.Acquire(ctx, "a", me, start, later(60))
			if holder == me {
				mine.Add(1)
			}
			return err
		}))
		equal(t, "owners", mine.Load(), 1)
	}},
}

var inboxCases = []testCase{
	{"letters come in the order sent, whole", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		var want []engine.Letter
		for i := range 5 {
			l := engine.Letter{Run: "a", At: later(-i), Signal: filled[plumb.Signal](i)}
			l.ID = got(s.Send(ctx, "a", l.Signal, l.At))(t)
			want = append(want, l)
			got(s.Send(ctx, "b", plumb.Signal{Kind: plumb.SigPause}, start))(t)
		}
		equal(t, "letters", got(s.Letters(ctx, "a", 0))(t), want)
		equal(t, "after one", got(s.Letters(ctx, "a", want[1].ID))(t), want[2:])
		equal(t, "after the last", got(s.Letters(ctx, "a", want[4].ID+1))(t), nil)
		all := got(s.Letters(ctx, "", 0))(t)
		equal(t, "letters of all runs", len(all), 10)
		for i := 1; i < len(all); i++ {
			if all[i].ID <= all[i-1].ID {
				t.Errorf("letter %d comes after %d", all[i].ID, all[i-1].ID)
			}
		}
	}},
	{"a letter stays until it is in the journal", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		first := got(s.Send(ctx, "a", plumb.Signal{Kind: plumb.SigPause}, start))(t)
		second := got(s.Send(ctx, "a", plumb.Signal{Kind: plumb.SigResume}, start))(t)
		for range 2 {
			equal(t, "letters", len(got(s.Letters(ctx, "a", 0))(t)), 2)
		}
		c := commit("a", "me", 1)
		c.Letter = first
		must(t, s.Commit(ctx, c))
		left := got(s.Letters(ctx, "a", 0))(t)
		if len(left) != 1 || left[0].ID != second {
			t.Errorf("letters after one was taken: %v", left)
		}
		c.Seq = 2
		is(t, "the same letter again", s.Commit(ctx, c), engine.ErrNotFound)
		equal(t, "journal", len(journal(t, s, "a")), 1)
	}},
	{"ids of letters that were taken are not given again", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		var last int64
		for seq := 1; seq <= 3; seq++ {
			c := commit("a", "me", seq)
			c.Letter = got(s.Send(ctx, "a", plumb.Signal{Kind: plumb.SigPause}, start))(t)
			if c.Letter <= last {
				t.Fatalf("letter %d after %d", c.Letter, last)
			}
			last = c.Letter
			must(t, s.Commit(ctx, c))
		}
	}},
}
