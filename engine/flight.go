package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/plumbresearch/plumb"
)

// launch starts a step. Its goroutine ends by handing over one result, which work or land receives.
func (d *drive) launch(ctx context.Context, s *plumb.Step) {
	ctx, cancel := context.WithCancelCause(ctx)
	f := &flight{cancel: cancel, hurried: s.Hurry}
	d.under[s.ID] = f
	if s.Hurry {
		cancel(errHurry)
	}
	t := &Task{Run: d.id, Kind: d.run.Kind, Asked: &d.run.Asked, Limits: &d.run.Limits, Step: *s, Attempt: d.attempts[s.ID] + 1}
	go func() {
		defer cancel(nil)
		rule := d.l.rule(t.Step.Kind)
		if rule.Timeout > 0 {
			t.End = time.Now().Add(rule.Timeout)
			defer time.AfterFunc(rule.Timeout, func() { cancel(errTimeout) }).Stop()
		}
		o, err := d.attempt(ctx, t, rule)
		d.results <- result{step: t.Step.ID, attempt: t.Attempt, outcome: o, err: err}
	}()
}

// attempt tries a step as often as its rule says. A step that keeps failing has a failed outcome; only a step that was
// stopped has none.
func (d *drive) attempt(ctx context.Context, t *Task, rule Rule) (*plumb.Outcome, error) {
	wait := rule.Backoff
	for try := 1; ; try++ {
		o, err := d.once(ctx, t)
		why := context.Cause(ctx)
		last := errors.Is(why, errHurry) || errors.Is(why, errTimeout)
		switch {
		case why != nil && !last:
			return nil, errStopped // even without an error: what it found may be half of it, and it is done again
		case err == nil:
			return o, nil // also when it was hurried or late: what is done counts
		case last:
			err = why
		}
		d.l.o.Failed(d.id, t.Step.ID, err)
		if try >= rule.Tries || lasting(ctx, err) {
			return &plumb.Outcome{Step: t.Step.ID, Kind: plumb.Failed, At: d.l.now(), Fail: sanitise(t.Step.Kind, err)}, nil
		}
		if err := d.again(ctx, t, err, wait); err != nil {
			return o, err
		}
		wait *= 2
	}
}

// again voids what the failed attempt had shown, says why, and waits before the next.
func (d *drive) again(ctx context.Context, t *Task, why error, wait time.Duration) error {
	t.Attempt++
	if err := d.void(ctx, t.Step.ID, t.Attempt); err != nil {
		return err
	}
	d.emit(plumb.Event{Kind: plumb.StepRetried, Step: t.Step.ID, Attempt: t.Attempt, Unit: t.Step.Unit,
		Text: fmt.Sprintf("%s: %s, trying again", t.Step.ID, sanitise(t.Step.Kind, why))})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// once does one attempt. A panic is a failure like any other: one unit must not take the process down.
func (d *drive) once(ctx context.Context, t *Task) (o *plumb.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Permanent(fmt.Errorf("step %s panicked: %v\n%s", t.Step.ID, p, debug.Stack()))
		}
	}()
	t.Emit = func(e plumb.Event) {
		e.Step, e.Attempt = t.Step.ID, t.Attempt
		if e.Unit == "" {
			e.Unit = t.Step.Unit
		}
		d.emit(e)
	}
	o, err = d.l.doer.Do(ctx, t)
	if err == nil {
		o.Step, o.At = t.Step.ID, d.l.now()
		if o.Kind == "" {
			o.Kind = plumb.Done
		}
	}
	return o, err
}

func (l *Local) rule(k plumb.StepKind) Rule {
	if r, ok := l.o.Rules[k]; ok {
		return r
	}
	return DefaultRules[k]
}

// emit numbers an event and keeps it for the next store. Steps call it from their goroutines.
func (d *drive) emit(e plumb.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.number(e); len(d.buffer) == 1 {
		time.AfterFunc(d.l.o.Flush, func() { nudge(d.flush) })
	}
}

// number gives an event its place among the run's events; one that is not stored has none. The caller holds the lock.
func (d *drive) number(e plumb.Event) {
	e.Run = d.id
	if !passing(e) {
		d.eventSeq++
		e.Seq = d.eventSeq
	}
	if e.At.IsZero() {
		e.At = d.l.now()
	}
	d.buffer = append(d.buffer, e)
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
	if stay := staying(events); len(stay) > 0 {
		if err := d.l.store.AppendEvents(context.WithoutCancel(ctx), stay); err != nil {
			return fmt.Errorf("run %s: events: %w", d.id, err)
		}
	}
	for _, e := range events {
		d.l.o.Show(e)
	}
	return nil
}

// passing events are shown and never stored: the completed text is.
func passing(e plumb.Event) bool { return e.Kind == plumb.DraftDelta }

// staying are the events that are stored.
func staying(events []plumb.Event) []plumb.Event {
	if !slices.ContainsFunc(events, passing) {
		return events
	}
	return slices.DeleteFunc(slices.Clone(events), passing)
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
