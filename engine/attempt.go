package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/plumbresearch/plumb"
)

// Attempts try steps as often as their rules say. Every driver does its steps through them.
type Attempts struct {
	Doer   Doer
	Rules  map[plumb.StepKind]Rule // overrides of DefaultRules
	Now    func() time.Time
	Emit   plumb.Emit
	Void   func(ctx context.Context, step string, before int) error // hides what attempts before the given one had shown
	Failed func(run, step string, err error)                        // is told the whole error of a failed attempt
}

// Do does a step, beginning with the attempt that the task names. A step that keeps failing has a failed outcome; only a
// step that was stopped has none, and ErrStopped. cancel is that of ctx.
func (a *Attempts) Do(ctx context.Context, cancel context.CancelCauseFunc, t *Task) (*plumb.Outcome, error) {
	rule := RuleOf(t.Step.Kind, a.Rules)
	if rule.Timeout > 0 {
		t.End = time.Now().Add(rule.Timeout)
		defer time.AfterFunc(rule.Timeout, func() { cancel(errTimeout) }).Stop()
	}
	wait := rule.Backoff
	for try := 1; ; try++ {
		o, err := a.once(ctx, t)
		why := context.Cause(ctx)
		last := errors.Is(why, ErrHurry) || errors.Is(why, errTimeout)
		switch {
		case why != nil && !last:
			return nil, ErrStopped // even without an error: what it found may be half of it, and it is done again
		case err == nil:
			return o, nil // also when it was hurried or late: what is done counts
		case last:
			err = why
		}
		a.Failed(t.Run, t.Step.ID, err)
		if try >= rule.Tries || lasting(ctx, err) {
			return &plumb.Outcome{Step: t.Step.ID, Kind: plumb.Failed, At: a.Now(), Fail: sanitise(t.Step.Kind, err)}, nil
		}
		if err := a.again(ctx, t, err, wait); err != nil {
			return o, err
		}
		wait *= 2
	}
}

// again voids what the failed attempt had shown, says why, and waits before the next.
func (a *Attempts) again(ctx context.Context, t *Task, why error, wait time.Duration) error {
	if err := a.Retry(ctx, t, sanitise(t.Step.Kind, why)); err != nil {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// Retry goes on to the next attempt of a task: what the one before had shown is void, and users are told why.
func (a *Attempts) Retry(ctx context.Context, t *Task, why string) error {
	t.Attempt++
	if err := a.Void(ctx, t.Step.ID, t.Attempt); err != nil {
		return err
	}
	a.Emit(plumb.Event{Kind: plumb.StepRetried, Step: t.Step.ID, Attempt: t.Attempt, Unit: t.Step.Unit,
		Text: fmt.Sprintf("%s: %s, trying again", t.Step.ID, why)})
	return nil
}

// once does one attempt. A panic is a failure like any other: one unit must not take the process down.
func (a *Attempts) once(ctx context.Context, t *Task) (o *plumb.Outcome, err error) {
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
		a.Emit(e)
	}
	o, err = a.Doer.Do(ctx, t)
	if err == nil {
		o.Step, o.At = t.Step.ID, a.Now()
		if o.Kind == "" {
			o.Kind = plumb.Done
		}
	}
	return o, err
}
