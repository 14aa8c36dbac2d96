package temporal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// maxRaces is how often a number may be taken by another worker before an event is given up: each time somebody else's
// events were stored.
const maxRaces = 100

// books are the runs whose events this worker numbers, each with the last number that it knows to be taken.
type books struct {
	store engine.Store
	now   func() time.Time
	show  func(plumb.Event)

	mu   sync.Mutex
	open map[string]*book
}

// book numbers the events of one run. Other workers number them too: a number that is taken is refused by the store, and
// the next free one is looked up. So numbers stay without gaps, whoever writes.
type book struct {
	run   string
	users int // guarded by books.mu

	mu   sync.Mutex
	last int64
}

// take opens the book of a run. The caller gives it back.
func (b *books) take(run string) *book {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[string]*book{}
	}
	k := b.open[run]
	if k == nil {
		k = &book{run: run}
		b.open[run] = k
	}
	k.users++
	return k
}

func (b *books) giveBack(k *book) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(b.open, k.run)
	}
}

// write stores events and shows them.
func (b *books) write(ctx context.Context, k *book, events []plumb.Event) error {
	if len(events) == 0 {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for range maxRaces {
		last, numbered := k.number(events, b.now())
		var err error
		if stay := engine.Staying(numbered); len(stay) > 0 {
			err = b.store.AppendEvents(ctx, stay)
		}
		if err == nil {
			k.last = last
			b.tell(numbered)
			return nil
		}
		if !errors.Is(err, engine.ErrExists) {
			return err
		}
		rec, err := b.store.LoadRun(ctx, k.run)
		if err != nil {
			return err
		}
		k.last = rec.LastSeq
	}
	return fmt.Errorf("run %s: others number its events faster", k.run)
}

// number gives events the places after the last known one. The caller holds the lock.
func (k *book) number(events []plumb.Event, now time.Time) (last int64, numbered []plumb.Event) {
	last = k.last
	for _, e := range events {
		numbered = append(numbered, engine.Number(e, k.run, &last, now))
	}
	return last, numbered
}

func (b *books) tell(events []plumb.Event) {
	for _, e := range events {
		b.show(e)
	}
}

// page gathers the events of one step and writes them every so often.
type page struct {
	books *books
	book  *book
	every time.Duration

	mu      sync.Mutex
	pending []plumb.Event
	timer   *time.Timer

	writing sync.Mutex // keeps the order of flushes
}

func (p *page) emit(e plumb.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.At.IsZero() {
		e.At = p.books.now()
	}
	p.pending = append(p.pending, e)
	if p.timer == nil {
		p.timer = time.AfterFunc(p.every, func() {
			if p.flush(context.Background()) != nil {
				return // the events wait for the next flush, and the last one tells
			}
		})
	}
}

// flush writes what waits. What could not be written waits on.
func (p *page) flush(ctx context.Context) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	events := p.pending
	p.pending = nil
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	p.mu.Unlock()
	err := p.books.write(ctx, p.book, events)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.pending = append(events, p.pending...)
	}
	return err
}

// void hides what earlier attempts of a step had shown, stored or not.
func (p *page) void(ctx context.Context, step string, before int) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	kept := p.pending[:0]
	for _, e := range p.pending {
		if e.Step != step || e.Attempt >= before {
			kept = append(kept, e)
		}
	}
	p.pending = kept
	p.mu.Unlock()
	return p.books.store.VoidEvents(context.WithoutCancel(ctx), p.book.run, step, before)
}
