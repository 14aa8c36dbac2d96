package front_test

import (
	"context"
	"errors"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

// follow collects the numbers of the events after a seq, until it has n; 0: until the run has ended.
func follow(x *front.Tenant, id string, after int64, n int) ([]int64, error) {
	var out []int64
	enough := errors.New("enough")
	err := x.Follow(ctx, id, after, func(e plumb.Event) error {
		if e.Kind != plumb.DraftDelta {
			out = append(out, e.Seq)
		}
		if n > 0 && len(out) == n {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		err = nil
	}
	return out, err
}

func TestFollowerThatComesBackMissesNothingAndSeesNothingTwice(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	run, err := x.Ask(ctx, front.Ask{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	var seen []int64
	for len(seen) < 10 { // leaves after every second event, while the run is under way
		after := int64(0)
		if len(seen) > 0 {
			after = seen[len(seen)-1]
		}
		more, err := follow(x, run.ID, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, more...)
	}
	rest, err := follow(x, run.ID, seen[len(seen)-1], 0)
	if err != nil {
		t.Fatal(err)
	}
	seen = append(seen, rest...)
	events, err := x.Events(ctx, run.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != len(seen) {
		t.Fatalf("%d events, %d seen: %v", len(events), len(seen), seen)
	}
	for i, e := range events {
		if seen[i] != e.Seq {
			t.Fatalf("event %d was seen as %d", e.Seq, seen[i])
		}
	}
	again, err := follow(x, run.ID, 0, 0) // once it has ended
	if err != nil || len(again) != len(events) {
		t.Errorf("%d events of an ended run, %v", len(again), err)
	}
	if none, err := follow(x, run.ID, events[len(events)-1].Seq, 0); err != nil || len(none) != 0 {
		t.Errorf("after the last: %v %v", none, err)
	}
}

func TestFollowerEndsWithItsContext(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	run := h.ask(x, front.Ask{Approve: true}, plumb.Waiting)
	follower, leave := context.WithCancel(ctx)
	err := x.Follow(follower, run.ID, 0, func(e plumb.Event) error {
		if e.Kind == plumb.RunWaiting {
			leave()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A follower that reads nothing holds nobody up: deltas beyond a bound are dropped, the completed text comes anyway.
func TestSlowFollowerMissesDeltasAndNobodyWaitsForIt(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	run := h.ask(x, front.Ask{Approve: true}, plumb.Waiting)
	entered, leave := make(chan struct{}), make(chan struct{})
	over := make(chan int, 1)
	enough := errors.New("enough")
	go func() {
		deltas, first := 0, true
		err := x.Follow(ctx, run.ID, 0, func(e plumb.Event) error {
			if first {
				first = false
				close(entered)
				<-leave
			}
			if e.Kind == plumb.DraftDelta {
				if deltas++; deltas == 1024 {
					return enough
				}
			}
			return nil
		})
		if !errors.Is(err, enough) {
			deltas = -1
		}
		over <- deltas
	}()
	<-entered
	for range 5000 {
		h.Feed.Show(plumb.Event{Run: run.ID, Kind: plumb.DraftDelta, Text: "x"})
		h.Feed.Show(plumb.Event{Run: "another", Kind: plumb.DraftDelta, Text: "x"})
	}
	close(leave)
	if n := <-over; n != 1024 {
		t.Errorf("%d deltas", n)
	}
}

// What another process has stored is seen when somebody rings, or at the next poll.
func TestNewsOfAnotherProcessIsSeen(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	run := h.ask(x, front.Ask{Approve: true}, plumb.Waiting)
	told := make(chan plumb.Event, 1)
	waiting := make(chan struct{})
	follower, leave := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		over <- x.Follow(follower, run.ID, 0, func(e plumb.Event) error {
			switch e.Kind {
			case plumb.RunWaiting:
				close(waiting)
			case plumb.Warning:
				told <- e
			}
			return nil
		})
	}()
	<-waiting
	events, err := x.Events(ctx, run.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	e := plumb.Event{Run: run.ID, Seq: events[len(events)-1].Seq + 1, Kind: plumb.Warning, Text: "from elsewhere"}
	if err := h.db.AppendEvents(ctx, []plumb.Event{e}); err != nil {
		t.Fatal(err)
	}
	h.Feed.Ring(run.ID)
	if got := <-told; got.Text != "from elsewhere" {
		t.Errorf("%+v", got)
	}
	leave()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := x.Events(ctx, "nobody", 0, 0); !errors.Is(err, engine.ErrNoRun) {
		t.Error(err)
	}
}

// late is a store that is asked for events before a run ends, and for the run after.
type late struct {
	front.Store
	hide int64 // events from here on are not there at the first look
	seen bool
}

func (s *late) Events(ctx context.Context, run string, after int64, limit int) ([]plumb.Event, error) {
	events, err := s.Store.Events(ctx, run, after, limit)
	if !s.seen {
		s.seen = true
		for i, e := range events {
			if e.Seq >= s.hide {
				return events[:i], err
			}
		}
	}
	return events, err
}

func TestRunThatEndsBetweenTwoLooksIsToldToItsEnd(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	run, err := x.Ask(ctx, front.Ask{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	all, err := follow(x, run.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	h.Store = &late{Store: h.Store, hide: all[len(all)/2]}
	if got, err := follow(x, run.ID, 0, 0); err != nil || len(got) != len(all) {
		t.Errorf("%d of %d events, %v", len(got), len(all), err)
	}
}
