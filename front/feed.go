package front

import (
	"context"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
)

// Feed tells followers in this process that a run has news. Events themselves are read from the store, so that none is
// lost or seen twice; only text deltas, which are not stored, travel through it, and those a slow follower misses.
type Feed struct {
	mu        sync.Mutex
	listeners map[string]map[*listener]bool
}

// listener is a follower of one run.
type listener struct {
	ring   chan struct{}
	mu     sync.Mutex
	deltas []plumb.Event
}

// maxDeltas is how many text deltas wait for a follower before further ones are dropped: the completed text comes anyway.
const maxDeltas = 1024

// NewFeed makes a feed without followers.
func NewFeed() *Feed { return &Feed{listeners: map[string]map[*listener]bool{}} }

// Show is given to the engine: it is called with every event once it is stored. It never waits for a follower.
func (f *Feed) Show(e plumb.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.listeners[e.Run] {
		if e.Kind == plumb.DraftDelta {
			l.delta(e)
		}
		l.nudge()
	}
}

// Ring says that a run has news which another process has stored.
func (f *Feed) Ring(run string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.listeners[run] {
		l.nudge()
	}
}

func (l *listener) nudge() {
	select {
	case l.ring <- struct{}{}:
	default:
	}
}

func (l *listener) delta(e plumb.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.deltas) < maxDeltas {
		l.deltas = append(l.deltas, e)
	}
}

func (l *listener) take() []plumb.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.deltas
	l.deltas = nil
	return out
}

func (f *Feed) listen(run string) (*listener, func()) {
	l := &listener{ring: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners[run] == nil {
		f.listeners[run] = map[*listener]bool{}
	}
	f.listeners[run][l] = true
	return l, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.listeners[run], l)
		if len(f.listeners[run]) == 0 {
			delete(f.listeners, run)
		}
	}
}

// Bounds of following a run.
const (
	followPage = 500         // events read at once
	followPoll = time.Second // how often the store is asked when nothing rang: another process may work on the run
)

// Events of a run after a seq. Limit 0: all.
func (t *Tenant) Events(ctx context.Context, id string, after int64, limit int) ([]plumb.Event, error) {
	if _, err := t.Run(ctx, id); err != nil {
		return nil, err
	}
	return t.h.Store.Events(ctx, id, after, limit)
}

// Follow calls f with every event of a run after a seq, stored ones in order and none twice, deltas (which have no seq) as
// they come, until the run has ended and all was told, f fails or ctx is done.
func (t *Tenant) Follow(ctx context.Context, id string, after int64, f func(plumb.Event) error) error {
	if _, err := t.Run(ctx, id); err != nil {
		return err
	}
	l, stop := t.h.Feed.listen(id)
	defer stop()
	poll := time.NewTicker(followPoll)
	defer poll.Stop()
	last := true // at first: perhaps nothing will come any more
	for {
		for _, e := range l.take() {
			if err := f(e); err != nil {
				return err
			}
		}
		over, err := t.tell(ctx, id, &after, f)
		if err != nil {
			return err
		}
		if last || over {
			run, err := t.Run(ctx, id)
			if err == nil && run.State().Ended() {
				_, err = t.tell(ctx, id, &after, f) // what came between the two looks
				return err
			}
			if err != nil {
				return err
			}
			last = false
		}
		select {
		case <-l.ring:
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tell reads on from a seq, and says whether an event came that may be the last.
func (t *Tenant) tell(ctx context.Context, id string, after *int64, f func(plumb.Event) error) (last bool, err error) {
	for {
		events, err := t.h.Store.Events(ctx, id, *after, followPage)
		if err != nil {
			return false, err
		}
		for _, e := range events {
			if err := f(e); err != nil {
				return false, err
			}
			*after, last = e.Seq, last || final(e.Kind)
		}
		if len(events) < followPage {
			return last, nil
		}
	}
}

func final(k plumb.EventKind) bool {
	return k == plumb.RunDone || k == plumb.RunFailed || k == plumb.RunCancelled
}
