package temporal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// pace is how often a step says that it lives, and hears that it shall stop.
const pace = time.Second

// job is a step as it waits at a queue. What never changes during the run is read from the store, so that a long question
// does not stand in the history once for every step.
type job struct {
	Run  string     `json:"run"`
	Step plumb.Step `json:"step"`
}

// activities is what a worker does for workflows.
type activities struct {
	store engine.Store
	doer  engine.Doer
	books *books
	o     WorkerOptions
	// beat tells the cluster that the activity of ctx lives, and answers what it says to that.
	beat func(ctx context.Context) error
}

func (a *activities) now() time.Time { return a.books.now() }

// errDraining is why a step is stopped whose worker goes away.
var errDraining = errors.New("its worker is stopping")

// Step does a step and answers with its outcome, a failed one too. Errors are for the cluster alone: it begins the step again.
func (a *activities) Step(ctx context.Context, j job) (*plumb.Outcome, error) {
	rec, err := a.store.LoadRun(ctx, j.Run)
	if errors.Is(err, engine.ErrNoRun) {
		return nil, goneError(err)
	}
	if err != nil {
		return nil, err
	}
	book := a.books.take(j.Run)
	defer a.books.giveBack(book)
	p := &page{books: a.books, book: book, every: a.o.Flush}
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	if j.Step.Hurry {
		cancel(engine.ErrHurry)
	}
	heard, tell := context.WithCancelCause(ctx)
	defer tell(nil)
	alive, die := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { a.pulse(alive, tell) })
	watching.Go(func() { a.watch(heard, j, cancel, alive.Done()) })
	defer func() { die(); watching.Wait() }()

	o, err := a.try(work, cancel, p, j, &rec)
	if err == nil {
		err = a.last(context.WithoutCancel(ctx), p, o)
	}
	switch why := context.Cause(work); {
	case err == nil:
		return engine.Fitting(o), nil
	case errors.Is(why, errDraining):
		return nil, temporal.NewApplicationErrorWithOptions(why.Error(), "draining", temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
	case errors.Is(err, engine.ErrStopped) && temporal.IsCanceledError(context.Cause(heard)):
		return nil, temporal.NewCanceledError()
	}
	return nil, err
}

// try makes the attempts of the step's rule. Their numbers go on where those of an interrupted activity ended, and what
// it had shown is void.
func (a *activities) try(ctx context.Context, cancel context.CancelCauseFunc, p *page, j job, rec *engine.Record) (*plumb.Outcome, error) {
	attempts := &engine.Attempts{Doer: a.doer, Rules: a.o.Rules, Now: a.now, Emit: p.emit, Void: p.void, Failed: a.o.Failed}
	begun := int(activity.GetInfo(ctx).Attempt) - 1
	t := &engine.Task{Run: j.Run, Kind: rec.Run.Kind, Asked: &rec.Run.Asked, Limits: &rec.Run.Limits, Step: j.Step,
		Attempt: max(rec.Attempts[j.Step.ID], begun)}
	if begun > 0 {
		if err := attempts.Retry(ctx, t, "interrupted"); err != nil {
			return nil, err
		}
		return attempts.Do(ctx, cancel, t)
	}
	if t.Attempt++; t.Attempt > 1 {
		if err := p.void(ctx, j.Step.ID, t.Attempt); err != nil {
			return nil, err
		}
	}
	return attempts.Do(ctx, cancel, t)
}

// last writes the events that wait. A failure counts only if the store can be reached: else that is why it failed.
func (a *activities) last(ctx context.Context, p *page, o *plumb.Outcome) error {
	if err := p.flush(ctx); err != nil {
		return fmt.Errorf("events: %w", err)
	}
	if o.Kind == plumb.Failed {
		if _, err := a.store.Letters(ctx, p.book.run, 0); err != nil {
			return err
		}
	}
	return nil
}

// errSilent is why a step is stopped that the cluster has given to somebody else by now.
var errSilent = errors.New("the cluster can't be reached")

// pulse beats until ctx is done, and tells what the cluster answers. Told to stop, it goes on beating: hurried work still
// has something to say. A beat that is late or lost is no reason to stop; the SDK's own heartbeats think it is, after one
// second, and a busy cluster then has steps begun again that were well.
func (a *activities) pulse(ctx context.Context, tell context.CancelCauseFunc) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		call, cancel := context.WithTimeout(ctx, heartbeat)
		err := a.beat(call)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			last = time.Now()
		case isWord(err):
			last = time.Now()
			tell(err)
		case time.Since(last) > heartbeat:
			tell(errSilent)
		}
	}
}

// isWord tells what the cluster says from what happens on the way to it.
func isWord(err error) bool {
	var namespace *serviceerror.NamespaceNotFound
	return temporal.IsCanceledError(err) || isNotFound(err) || errors.As(err, &namespace) ||
		errors.Is(err, activity.ErrActivityPaused) || errors.Is(err, activity.ErrActivityReset)
}

// watch cancels the step's work when the cluster, which ctx hears, or the worker's end says so, until done.
func (a *activities) watch(ctx context.Context, j job, cancel context.CancelCauseFunc, done <-chan struct{}) {
	told, stopping := ctx.Done(), activity.GetWorkerStopChannel(ctx)
	var grace <-chan time.Time
	for {
		select {
		case <-told:
			told = nil
			cancel(a.why(ctx, j))
		case <-stopping:
			stopping = nil
			timer := time.NewTimer(a.o.Grace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			cancel(errDraining)
		case <-done:
			return
		}
	}
}

// why tells what the cluster's word to stop means. The journal knows: what made the workflow say it was kept before.
func (a *activities) why(ctx context.Context, j job) error {
	if !temporal.IsCanceledError(context.Cause(ctx)) {
		return engine.ErrStopped // the cluster does not wait for this activity any more
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	run, err := engine.Look(ctx, a.store, j.Run)
	switch {
	case err != nil:
		return engine.ErrStopped
	case run.State() == plumb.CancelledState:
		return engine.ErrCancelled
	}
	for _, s := range run.Next() {
		if s.ID == j.Step.ID && s.Hurry {
			return engine.ErrHurry
		}
	}
	return engine.ErrStopped
}
