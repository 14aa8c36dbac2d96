package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
)

// drive is one run under way: the only goroutine that folds its outcomes is the caller of work.
type drive struct {
	l       *Local
	id      string
	run     *plumb.Run
	seq     int // of the journal
	results chan result
	mail    chan struct{}
	flush   chan struct{}
	gone    chan struct{} // closed when the drive is over: late timers give up
	under   map[string]*flight

	attempt  Attempts
	attempts map[string]int
	released bool // the last thing in its journal was the end of a pause
	broken   bool // the journal refused a commit: the run in memory is worthless

	mu       sync.Mutex // guards what steps touch while they emit
	eventSeq int64
	buffer   []plumb.Event
}

// flight is a step under way.
type flight struct {
	cancel  context.CancelCauseFunc
	timer   *time.Timer // of a wait
	hurried bool
	waits   bool // for somebody else: it can be stopped at any time
}

// result is what a flight came to; err is set when there is no outcome to log.
type result struct {
	step    string
	attempt int
	outcome *plumb.Outcome // a pointer: tens of thousands of stacks hold one
	err     error
}

// load folds the journal into the run.
func (d *drive) load(ctx context.Context) error {
	rec, err := d.l.store.LoadRun(ctx, d.id)
	if err != nil {
		return fmt.Errorf("run %s: %w", d.id, err)
	}
	return d.begin(&rec.Run, rec.Journal, rec.LastSeq, rec.Attempts)
}

// begin folds a journal into the run it belongs to.
func (d *drive) begin(run *plumb.Run, journal []plumb.Outcome, lastSeq int64, attempts map[string]int) error {
	if err := CheckRules(run); err != nil {
		return err
	}
	for _, o := range journal {
		run.Apply(o)
	}
	d.run, d.seq, d.eventSeq, d.attempts = run, len(journal), lastSeq, attempts
	if d.attempts == nil {
		d.attempts = map[string]int{}
	}
	if len(journal) > 0 {
		d.released = journal[len(journal)-1].Signal.Kind == plumb.SigResume
	}
	d.under = map[string]*flight{}
	d.attempt = Attempts{Doer: d.l.doer, Rules: d.l.o.Rules, Now: d.l.now, Emit: d.emit, Void: d.void, Failed: d.l.o.Failed}
	return nil
}

// settle folds letters and nothing else.
func (d *drive) settle(ctx context.Context) error { return d.open(ctx) }

// work is the loop of DESIGN: do what Next lists, fold what comes back.
func (d *drive) work(ctx context.Context) error {
	if d.run.State().Ended() {
		return d.open(ctx)
	}
	if err := d.wake(ctx); err != nil {
		return err
	}
	err := d.open(ctx)
	for err == nil && d.schedule(ctx) {
		err = d.await(ctx)
	}
	if stopped := d.land(ctx); err == nil {
		err = stopped
	}
	return err
}

// wake tells the run that it is worked on again, and voids what unfinished attempts had shown.
func (d *drive) wake(ctx context.Context) error {
	if d.eventSeq == 0 { // letters may have been folded already
		d.emit(Started(d.run))
		return nil
	}
	for _, s := range d.run.Next() {
		if d.attempts[s.ID] > 0 {
			if err := d.void(ctx, s.ID, d.attempts[s.ID]+1); err != nil {
				return err
			}
		}
	}
	if !d.run.Paused && !d.released { // else the end of the pause tells
		d.emit(Resumed(d.run, d.seq))
	}
	return d.commit(ctx, &plumb.Outcome{Kind: plumb.Signaled, At: d.l.now(), Signal: plumb.Signal{Kind: plumb.SigWoken}}, 0)
}

// open folds every letter that waits.
func (d *drive) open(ctx context.Context) error {
	letters, err := d.l.store.Letters(ctx, d.id, 0)
	if err != nil {
		return fmt.Errorf("run %s: inbox: %w", d.id, err)
	}
	for _, m := range letters {
		if err := d.commit(ctx, &plumb.Outcome{Kind: plumb.Signaled, At: m.At, Signal: m.Signal}, m.ID); err != nil {
			return err
		}
	}
	return d.store(ctx)
}

// schedule starts what is next, hurries what must hurry, stops what an ended run no longer needs, and reports whether
// anything is under way.
func (d *drive) schedule(ctx context.Context) bool {
	switch state := d.run.State(); {
	case state == plumb.CancelledState:
		d.halt(ErrCancelled)
		return d.flying()
	case state.Ended():
		d.halt(ErrStopped)
		return d.flying()
	case state == plumb.PausedState: // others finish; this one may take an hour, and loses nothing
		for _, f := range d.under {
			if f.waits {
				f.stop(ErrStopped)
			}
		}
	}
	next := d.run.Next()
	listed := make(map[string]bool, len(next))
	for i := range next {
		s := &next[i]
		listed[s.ID] = true
		f := d.under[s.ID]
		switch {
		case f == nil && s.Kind == plumb.StepWait:
			d.set(s.ID, s.Until)
		case f == nil:
			d.launch(ctx, s)
		case s.Hurry && !f.hurried:
			f.hurried = true
			f.stop(ErrHurry)
		}
	}
	for id, f := range d.under { // timers of waits that are over
		if f.timer != nil && !listed[id] {
			f.timer.Stop()
			delete(d.under, id)
		}
	}
	return d.flying() || d.timed()
}

// halt stops everything that is under way.
func (d *drive) halt(cause error) {
	for _, f := range d.under {
		f.stop(cause)
	}
}

// flying reports whether a step is under way, timers aside.
func (d *drive) flying() bool {
	for _, f := range d.under {
		if f.timer == nil {
			return true
		}
	}
	return false
}

func (d *drive) timed() bool {
	if d.l.o.Yield && d.run.State() == plumb.Waiting && d.run.Wait.Until.After(d.l.now()) { // one that is due fires here
		return false
	}
	return len(d.under) > 0 && d.run.State() != plumb.PausedState
}

func (f *flight) stop(cause error) {
	if f.cancel != nil {
		f.cancel(cause)
	}
}

// set arms the timer of a wait.
func (d *drive) set(step string, until time.Time) {
	fire := func() {
		o := &plumb.Outcome{Step: step, Kind: plumb.Timer, At: d.l.now()}
		select {
		case d.results <- result{step: step, outcome: o}:
		case <-d.gone:
		}
	}
	d.under[step] = &flight{timer: time.AfterFunc(until.Sub(d.l.now()), fire)}
}

// await waits for one thing to happen and folds it.
func (d *drive) await(ctx context.Context) error {
	select {
	case r := <-d.results:
		return d.take(ctx, r)
	case <-d.mail:
		return d.open(ctx)
	case <-d.flush:
		return d.store(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// take folds a result, unless the step was stopped and has none.
func (d *drive) take(ctx context.Context, r result) error {
	delete(d.under, r.step)
	d.attempts[r.step] = r.attempt
	if d.broken {
		return nil
	}
	if r.err != nil {
		if errors.Is(r.err, ErrStopped) {
			return nil
		}
		return r.err
	}
	return d.commit(ctx, r.outcome, 0)
}

// land stops what is still under way and waits for it, so that no goroutine outlives the run. What finishes on the way
// down still counts, unless the store refuses it.
func (d *drive) land(ctx context.Context) error {
	for _, f := range d.under {
		f.stop(ErrStopped)
		if f.timer != nil {
			f.timer.Stop()
		}
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	for d.flying() {
		r := <-d.results
		if e := d.take(ctx, r); err == nil {
			err = e
		}
	}
	if e := d.store(ctx); err == nil {
		err = e
	}
	return err
}

// commit journals an outcome, with the events up to it, and folds it. After an error the run in memory is worthless:
// the drive ends, and the journal tells what counted.
func (d *drive) commit(ctx context.Context, o *plumb.Outcome, letter int64) error {
	var c *Commit
	var told []plumb.Event
	var err error
	aside(func() {
		c, told = d.fold(o, letter)
		_, _, err = c.JSON()
	})
	if err != nil {
		d.broken = true
		return fmt.Errorf("run %s: outcome of %s: %w", d.id, o.Step, err)
	}
	// An outcome that was reached counts even when the caller has just given up.
	if err := d.l.store.Commit(context.WithoutCancel(ctx), c); err != nil {
		d.broken = true
		return fmt.Errorf("run %s: journal: %w", d.id, err)
	}
	d.seq++
	for i := range told {
		d.l.o.Show(told[i])
	}
	return nil
}

// fold applies an outcome in memory and makes the commit that lets it count, and the events to show once it does.
func (d *drive) fold(o *plumb.Outcome, letter int64) (*Commit, []plumb.Event) {
	o, told := Fold(d.run, o)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range told {
		d.number(e)
	}
	events := d.buffer
	d.buffer = nil
	return &Commit{Run: d.id, Owner: d.l.o.Owner.ID(), Seq: d.seq + 1, Outcome: *o, State: d.run.State(), Spent: d.run.Spent, Events: Staying(events), Letter: letter}, events
}
