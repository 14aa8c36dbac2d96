package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb"
)

// launch starts a step. Its goroutine ends by handing over one result, which work or land receives.
func (d *drive) launch(ctx context.Context, s *plumb.Step) {
	ctx, cancel := context.WithCancelCause(ctx)
	f := &flight{cancel: cancel, hurried: s.Hurry, waits: Waits(s.Kind)}
	d.under[s.ID] = f
	if s.Hurry {
		cancel(ErrHurry)
	}
	t := &Task{Run: d.id, Kind: d.run.Kind, Asked: &d.run.Asked, Limits: &d.run.Limits, Step: *s, Attempt: d.attempts[s.ID] + 1}
	go func() {
		defer cancel(nil)
		o, err := d.attempt.Do(ctx, cancel, t)
		d.results <- result{step: t.Step.ID, attempt: t.Attempt, outcome: o, err: err}
	}()
}

// emit numbers an event and keeps it for the next store. Steps call it from their goroutines.
func (d *drive) emit(e plumb.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.number(e); len(d.buffer) == 1 {
		time.AfterFunc(d.l.o.Flush, func() { nudge(d.flush) })
	}
}

// number gives an event its place among the run's events. The caller holds the lock.
func (d *drive) number(e plumb.Event) {
	d.buffer = append(d.buffer, Number(e, d.id, &d.eventSeq, d.l.now()))
}

// store writes the events that wait and shows them.
func (d *drive) store(ctx context.Context) error {
	d.mu.Lock()
	events := d.buffer
	d.buffer = nil
	d.mu.Unlock()
	if len(events) == 0 {
		return nil
	}
	if stay := Staying(events); len(stay) > 0 {
		if err := d.l.store.AppendEvents(context.WithoutCancel(ctx), stay); err != nil {
			return fmt.Errorf("run %s: events: %w", d.id, err)
		}
	}
	for _, e := range events {
		d.l.o.Show(e)
	}
	return nil
}

// void hides what earlier attempts of a step had shown, stored or not.
func (d *drive) void(ctx context.Context, step string, before int) error {
	d.mu.Lock()
	kept := d.buffer[:0]
	for _, e := range d.buffer {
		if e.Step != step || e.Attempt >= before {
			kept = append(kept, e)
		}
	}
	d.buffer = kept
	d.mu.Unlock()
	if err := d.l.store.VoidEvents(context.WithoutCancel(ctx), d.id, step, before); err != nil {
		return fmt.Errorf("run %s: events: %w", d.id, err)
	}
	return nil
}
