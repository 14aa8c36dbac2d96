package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
)

// Doer does steps. Steps is the one that the program ships; tests have others. Task and Outcome are pointers because
// tens of thousands of steps may be under way: their stacks stay at 2 KB.
type Doer interface {
	Do(ctx context.Context, t *Task) (*plumb.Outcome, error)
}

// Task is a step with what never changes during its run.
type Task struct {
	Run     string
	Kind    plumb.Kind
	Asked   *plumb.Question // shared by all steps of the run, like Limits: not to be changed
	Limits  *plumb.Limits
	Step    plumb.Step
	Attempt int
	End     time.Time // when the step is out of time; zero: never
	Emit    plumb.Emit

	sitting *sitting // set by Steps.Do
}

// Local drives runs in this process over one store: every outcome is in the journal before it counts.
type Local struct {
	store Store
	doer  Doer
	o     Options

	mu     sync.Mutex
	drives map[string]*drive
	mine   map[string]fresh // started here and not yet worked on
	post   chan struct{}    // a letter was sent from this process
	stop   chan struct{}    // of the keeper; nil while it does not run
	done   sync.WaitGroup
}

// Options of a Local. The zero value works alone on its store.
type Options struct {
	Owner Owner                   // who holds the leases; default: a name of its own that nobody can ask after
	Lease time.Duration           // default 30 s; renewed at a third of it
	Poll  time.Duration           // how often letters from other processes are looked for; default 200 ms
	Flush time.Duration           // how long events may wait to be stored and shown; default 100 ms
	Show  func(e plumb.Event)     // is called with every event once it is stored, one at a time for each run
	Rules map[plumb.StepKind]Rule // overrides of DefaultRules
	// Yield lets Work return when nothing is under way but the timer of a person's wait: whoever called comes back then.
	Yield bool
	Now   func() time.Time // default time.Now
	// Failed is told the whole error of a failed attempt, for operators: users see only a sanitised line.
	Failed func(run, step string, err error)
}

// NewLocal makes a driver. Close it when its runs have returned.
func NewLocal(store Store, doer Doer, o Options) *Local {
	if o.Owner == nil {
		o.Owner = anonymous()
	}
	if o.Lease <= 0 {
		o.Lease = 30 * time.Second
	}
	if o.Poll <= 0 {
		o.Poll = 200 * time.Millisecond
	}
	if o.Flush <= 0 {
		o.Flush = 100 * time.Millisecond
	}
	if o.Show == nil {
		o.Show = func(plumb.Event) {}
	}
	if o.Failed == nil {
		o.Failed = func(string, string, error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Local{store: store, doer: doer, o: o, drives: map[string]*drive{}, mine: map[string]fresh{}, post: make(chan struct{}, 1)}
}

// now is in UTC and without the monotonic clock, as it comes back from a journal.
func (l *Local) now() time.Time { return l.o.Now().UTC().Round(0) }

// fresh is a run that this driver has created and owns: nobody else can have touched it until its lease is over.
type fresh struct {
	run   *plumb.Run
	until time.Time
}

// Start puts a run into the store, owned by this driver. Work does it.
func (l *Local) Start(ctx context.Context, run *plumb.Run) error {
	until := l.now().Add(l.o.Lease)
	if err := l.store.CreateRun(ctx, run, Lease{Owner: l.o.Owner.ID(), Until: until}); err != nil {
		return err
	}
	own := *run
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mine[run.ID] = fresh{run: &own, until: until}
	return nil
}

// started gives back a run that was started here, if it is still this driver's, else nil.
func (l *Local) started(id string) *plumb.Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.mine[id]
	delete(l.mine, id)
	if !l.now().Before(f.until) {
		return nil
	}
	return f.run
}

// Send puts a signal into a run's inbox, whoever works on it.
func (l *Local) Send(ctx context.Context, run string, s plumb.Signal) error {
	if _, err := l.store.Send(ctx, run, s, l.now()); err != nil {
		return err
	}
	select {
	case l.post <- struct{}{}:
	default:
	}
	return nil
}

// Work drives a run until it ends, waits for a person or is paused, and returns it as it then is. When ctx is done the
// steps in flight are stopped and ctx's error is returned; the run stays resumable. ErrNotOwner says that another
// process works on it.
func (l *Local) Work(ctx context.Context, id string) (*plumb.Run, error) {
	return l.with(ctx, id, (*drive).work)
}

// Settle folds the letters of a run that nobody works on into its journal, without doing any step.
func (l *Local) Settle(ctx context.Context, id string) (*plumb.Run, error) {
	return l.with(ctx, id, (*drive).settle)
}

// with takes the run, calls f on its drive, and gives the run back.
func (l *Local) with(ctx context.Context, id string, f func(*drive, context.Context) error) (run *plumb.Run, err error) {
	d := &drive{l: l, id: id, results: make(chan result), mail: make(chan struct{}, 1), flush: make(chan struct{}, 1), gone: make(chan struct{})}
	if err := l.enter(d); err != nil {
		return nil, err
	}
	defer l.leave(d)
	mine := l.started(id)
	if mine == nil {
		if err := l.take(ctx, id); err != nil {
			return nil, err
		}
	}
	defer func() {
		// The run is given back even when ctx is done: otherwise others would wait for the lease to run out.
		if e := l.store.Release(context.WithoutCancel(ctx), id, l.o.Owner.ID()); err == nil && e != nil && !errors.Is(e, ErrNoRun) {
			err = fmt.Errorf("run %s: %w", id, e)
		}
	}()
	if mine != nil {
		err = d.begin(mine, nil, 0, nil)
	} else {
		err = d.load(ctx)
	}
	if err == nil {
		err = f(d, ctx)
	}
	if d.run == nil {
		return nil, err
	}
	return d.run, err
}

// enter registers a drive, so that letters reach it, and starts the keeper with the first.
func (l *Local) enter(d *drive) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drives[d.id] != nil {
		return fmt.Errorf("run %s: %w", d.id, ErrNotOwner)
	}
	l.drives[d.id] = d
	if l.stop == nil {
		l.stop = make(chan struct{})
		l.done.Add(1)
		go l.keep(l.stop)
	}
	return nil
}

// leave forgets a drive, and stops the keeper with the last.
func (l *Local) leave(d *drive) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.drives, d.id)
	close(d.gone)
	if len(l.drives) == 0 {
		close(l.stop)
		l.stop = nil
	}
}

// Close waits for the keeper. No run may be under way.
func (l *Local) Close() { l.done.Wait() }

// take acquires the run's lease, from a dead owner if need be.
func (l *Local) take(ctx context.Context, id string) error {
	me, now := l.o.Owner.ID(), l.now()
	holder, err := l.store.Acquire(ctx, id, me, now, now.Add(l.o.Lease))
	if err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	if holder == me {
		return nil
	}
	if !l.o.Owner.Alive(holder) {
		if ok, err := l.store.TakeOver(ctx, id, holder, me, now.Add(l.o.Lease)); err != nil || ok {
			return err
		}
	}
	return fmt.Errorf("run %s: %w", id, ErrNotOwner)
}

// keep renews leases and carries letters to the drives, until the last drive has left.
func (l *Local) keep(stop chan struct{}) {
	defer l.done.Done()
	renew := time.NewTicker(l.o.Lease / 3)
	defer renew.Stop()
	poll := time.NewTicker(l.o.Poll)
	defer poll.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var seen int64
	for {
		select {
		case <-stop:
			return
		case <-renew.C:
			// A lease that could not be renewed shows at the next commit, as ErrNotOwner.
			if err := l.store.Renew(ctx, l.o.Owner.ID(), l.now().Add(l.o.Lease)); err != nil {
				continue
			}
		case <-poll.C:
			seen = l.carry(ctx, seen)
		case <-l.post:
			seen = l.carry(ctx, seen)
		}
	}
}

// carry tells drives that they have mail. A store that can't be read now is asked again at the next poll.
func (l *Local) carry(ctx context.Context, seen int64) int64 {
	letters, err := l.store.Letters(ctx, "", seen)
	if err != nil {
		return seen
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, letter := range letters {
		seen = max(seen, letter.ID)
		if d := l.drives[letter.Run]; d != nil {
			nudge(d.mail)
		}
	}
	return seen
}

// nudge sends without waiting: one pending nudge is enough.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
