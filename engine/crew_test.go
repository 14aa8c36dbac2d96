package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// clock is a clock that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// crew is a crew at work, as a process of its own.
type crew struct {
	*bench
	*engine.Crew
	t      *testing.T
	stop   func() // ends it as a shutdown does
	failed chan error
}

// owner is one that a test can kill.
type owner struct {
	id   string
	dead *sync.Map
}

func (o owner) ID() string           { return o.id }
func (o owner) Alive(id string) bool { _, dead := o.dead.Load(id); return !dead }

// newCrew sets a crew to work. o may change its options.
func newCrew(t *testing.T, db *sqlite.DB, name string, dead *sync.Map, doer engine.Doer, change func(*engine.Options, *engine.CrewOptions)) *crew {
	t.Helper()
	c := &crew{t: t, failed: make(chan error, 100)}
	co := engine.CrewOptions{AtOnce: 4, Sweep: 5 * time.Millisecond, Failed: func(_ string, err error) {
		select {
		case c.failed <- err:
		default:
		}
	}}
	c.bench = newBench(t, db, doer, func(o *engine.Options) {
		o.Yield, o.Owner = true, owner{name, dead}
		if change != nil {
			change(o, &co)
		}
	})
	c.Crew = engine.NewCrew(c.Local, co)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- c.Run(ctx) }()
	c.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(c.stop)
	return c
}

// begin starts runs in order.
func (c *crew) begin(runs ...*plumb.Run) {
	c.t.Helper()
	for _, r := range runs {
		if err := c.Start(context.Background(), r, nil); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *crew) send(id string, s plumb.Signal) {
	c.t.Helper()
	if err := c.Send(context.Background(), id, s); err != nil {
		c.t.Fatal(err)
	}
}

// await waits until a run is in a state.
func (c *crew) await(id string, want plumb.State) *plumb.Run {
	c.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		run, err := engine.Look(context.Background(), c.db, id)
		if err != nil {
			c.t.Fatal(err)
		}
		if run.State() == want {
			return run
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("run %s is %s at %s (%s), want %s", id, run.State(), run.Stage, run.Fail, want)
		}
	}
}

// gate holds steps until the test lets them go on.
type gate struct {
	lab.Steps
	hold    func(t *engine.Task) bool // nil: every step
	entered chan string               // run and step
	leave   chan struct{}
}

func newGate(hold func(t *engine.Task) bool) *gate {
	return &gate{hold: hold, entered: make(chan string, 1000), leave: make(chan struct{})}
}

func (g *gate) Do(ctx context.Context, t *engine.Task) (*plumb.Outcome, error) {
	if g.hold == nil || g.hold(t) {
		g.entered <- t.Run + " " + t.Step.ID
		select {
		case <-g.leave:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return g.Steps.Do(ctx, t)
}

func TestCrewWorksInTheOrderAskedAndOnSoManyAtOnce(t *testing.T) {
	g := newGate(func(t *engine.Task) bool { return t.Step.Kind == plumb.StepScope })
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	c := newCrew(t, db, "one", &sync.Map{}, g, func(_ *engine.Options, o *engine.CrewOptions) { o.AtOnce = 3 })
	var want []string
	for i := range 9 {
		id := fmt.Sprintf("r%d", i)
		c.begin(newRun(id, "quick", nil))
		want = append(want, id+" scope.1")
	}
	var got []string
	for range 3 {
		got = append(got, <-g.entered)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if queued, working := c.Load(); queued == 6 && working == 3 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("%d queued, %d at work", queued, working)
		}
	}
	select {
	case s := <-g.entered:
		t.Fatalf("%s is a fourth at once", s)
	default:
	}
	for range 6 { // one goes, the next comes
		g.leave <- struct{}{}
		got = append(got, <-g.entered)
	}
	close(g.leave)
	slices.Sort(got[:3]) // the first three come together
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for i := range 9 {
		c.await(fmt.Sprintf("r%d", i), plumb.Finished)
	}
}

func TestCrewStoppedInTheMiddleLeavesItsRunsToTheNextWhichRedoesNothing(t *testing.T) {
	dead := &sync.Map{}
	path := filepath.Join(t.TempDir(), "p.db")
	db := openStore(t, path)
	first := newGate(func(t *engine.Task) bool { return t.Step.Kind == plumb.StepWrite })
	first.Units, first.Complexity, first.Findings, first.Claims = []string{"a", "b"}, 0.9, 4, 25
	c := newCrew(t, db, "one", dead, first, nil)
	c.begin(newRun("r1", "standard", nil), newRun("r2", "standard", nil))
	<-first.entered
	<-first.entered
	c.stop()
	done := first.Done()
	second := &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Findings: 4, Claims: 25}
	next := newCrew(t, db, "two", dead, second, nil)
	for _, id := range []string{"r1", "r2"} {
		next.await(id, plumb.Finished)
	}
	for _, s := range second.Done() {
		if slices.Contains(done, s) {
			t.Errorf("%s was done again", s)
		}
	}
	if n := len(done) + len(second.Done()); n != 2*12 {
		t.Errorf("%d steps: %v, then %v", n, done, second.Done())
	}
}

func TestCrewTakesOverWhatADeadProcessLeft(t *testing.T) {
	dead := &sync.Map{}
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	g := newGate(nil)
	one := newCrew(t, db, "one", dead, g, nil)
	one.begin(newRun("r1", "quick", nil))
	<-g.entered
	steps := &lab.Steps{}
	two := newCrew(t, db, "two", dead, steps, nil)
	two.begin(newRun("r2", "quick", nil))
	two.await("r2", plumb.Finished)
	if run, err := engine.Look(context.Background(), db, "r1"); err != nil || run.Folded != 0 {
		t.Fatalf("a run whose owner lives was taken: %v %v", run, err)
	}
	dead.Store("one", true)
	two.await("r1", plumb.Finished)
	one.stop() // the dead one finds that the run is another's
	if run := two.await("r1", plumb.Finished); run.Fail != "" {
		t.Error(run.Fail)
	}
}

func TestWaitWithADeadlineEndsAlsoAfterARestart(t *testing.T) {
	for _, restart := range []bool{false, true} {
		dead := &sync.Map{}
		db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
		at := &clock{at: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
		change := func(o *engine.Options, _ *engine.CrewOptions) { o.Now = at.now }
		c := newCrew(t, db, "one", dead, &lab.Steps{}, change)
		ask := func(r *plumb.Run) { r.Limits.Approve, r.Limits.Caps.Approval = true, 500*time.Millisecond }
		forever := func(r *plumb.Run) { r.Limits.Approve = true }
		if restart {
			ask = func(r *plumb.Run) { r.Limits.Approve, r.Limits.Caps.Approval = true, time.Hour }
		}
		c.begin(newRun("due", "quick", ask), newRun("patient", "quick", forever))
		c.await("due", plumb.Waiting)
		c.await("patient", plumb.Waiting)
		if restart {
			c.stop()
			at.pass(2 * time.Hour)
			c = newCrew(t, db, "two", dead, &lab.Steps{}, change)
		} else {
			at.pass(time.Second) // by the clock of the rules; the alarm rings by the real one
		}
		if run := c.await("due", plumb.FailedState); run.Fail != "nobody answered in time" {
			t.Errorf("restart %v: %q", restart, run.Fail)
		}
		c.await("patient", plumb.Waiting)
	}
}

func TestSignalsReachRunsInEveryState(t *testing.T) {
	dead := &sync.Map{}
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	g := newGate(func(t *engine.Task) bool { return strings.HasPrefix(t.Run, "held") && t.Step.Kind == plumb.StepScope })
	g.Fail = map[string]int{}
	c := newCrew(t, db, "one", dead, g, func(_ *engine.Options, o *engine.CrewOptions) { o.AtOnce = 1 })

	c.begin(newRun("held", "quick", nil))
	<-g.entered
	c.begin(newRun("q-cancel", "quick", nil), newRun("q-pause", "quick", nil))
	c.send("q-cancel", plumb.Signal{Kind: plumb.SigCancel, Text: "no more"})
	if run := c.await("q-cancel", plumb.CancelledState); run.Reason != "no more" { // at once, though no place is free
		t.Errorf("reason %q", run.Reason)
	}
	c.send("q-pause", plumb.Signal{Kind: plumb.SigPause})
	c.await("q-pause", plumb.PausedState)
	c.send("held", plumb.Signal{Kind: plumb.SigPause}) // one that is under way
	c.await("held", plumb.PausedState)
	c.send("held", plumb.Signal{Kind: plumb.SigResume}) // while its step still is
	c.await("held", plumb.Running)
	c.send("held", plumb.Signal{Kind: plumb.SigPause})
	c.await("held", plumb.PausedState)
	g.leave <- struct{}{}
	c.await("q-pause", plumb.PausedState) // the place is free again
	c.send("held", plumb.Signal{Kind: plumb.SigResume})
	c.await("held", plumb.Finished)
	if got := turnsOf(t, db, "held"); !slices.Equal(got, []plumb.EventKind{plumb.RunStarted, plumb.RunPaused, plumb.RunResumed, plumb.RunPaused, plumb.RunResumed, plumb.RunDone}) {
		t.Errorf("told %v", got)
	}
	c.send("q-pause", plumb.Signal{Kind: plumb.SigResume})
	c.await("q-pause", plumb.Finished)

	c.begin(newRun("approve", "quick", func(r *plumb.Run) { r.Limits.Approve = true }))
	c.await("approve", plumb.Waiting)
	c.send("approve", plumb.Signal{Kind: plumb.SigApprove, Round: 1})
	c.await("approve", plumb.Finished)

	if err := c.Send(context.Background(), "nobody", plumb.Signal{Kind: plumb.SigPause}); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("a run that is not there: %v", err)
	}
}

// turnsOf are the kinds of a run's events that speak of it as a whole.
func turnsOf(t *testing.T, db engine.Store, run string) []plumb.EventKind {
	t.Helper()
	events, err := db.Events(t.Context(), run, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []plumb.EventKind
	for _, e := range events {
		if strings.HasPrefix(string(e.Kind), "run.") {
			out = append(out, e.Kind)
		}
	}
	return out
}

func TestFailedRunIsTriedAgainWhenTold(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	steps := &lab.Steps{Fail: map[string]int{"publish.1": engine.DefaultRules[plumb.StepPublish].Tries}}
	c := newCrew(t, db, "one", &sync.Map{}, steps, nil)
	c.begin(newRun("r1", "quick", nil))
	c.await("r1", plumb.FailedState)
	c.send("r1", plumb.Signal{Kind: plumb.SigRetry})
	c.await("r1", plumb.Finished)
}

func TestRunThatCouldNotBeMadeWholeLeavesNothing(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	g := newGate(nil)
	c := newCrew(t, db, "one", &sync.Map{}, g, nil)
	broken := errors.New("the draft can't be stored")
	inside, leave := make(chan struct{}), make(chan struct{})
	over := make(chan error)
	go func() {
		over <- c.Start(context.Background(), newRun("r1", "quick", nil), func(context.Context) error {
			close(inside)
			<-leave
			return broken
		})
	}()
	<-inside
	c.begin(newRun("r2", "quick", nil)) // sweeps pass by while the first is not whole
	if s := <-g.entered; !strings.HasPrefix(s, "r2 ") {
		t.Errorf("%s was begun before it was whole", s)
	}
	close(g.leave)
	c.await("r2", plumb.Finished)
	close(leave)
	if err := <-over; !errors.Is(err, broken) {
		t.Errorf("start: %v", err)
	}
	if runs, err := db.Runs(context.Background(), engine.Filter{}); err != nil || len(runs) != 1 {
		t.Errorf("runs %v, %v", runs, err)
	}
	for len(g.entered) > 0 {
		if s := <-g.entered; strings.HasPrefix(s, "r1 ") {
			t.Errorf("%s was done", s)
		}
	}
}

// A letter whose sender died before it counted is found by a sweep.
func TestUnreadLettersAreFound(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	c := newCrew(t, db, "one", &sync.Map{}, &lab.Steps{}, nil)
	c.begin(newRun("r1", "quick", func(r *plumb.Run) { r.Limits.Approve = true }))
	c.await("r1", plumb.Waiting)
	if _, err := db.Send(context.Background(), "r1", plumb.Signal{Kind: plumb.SigApprove, Round: 1}, time.Now().UTC()); err != nil {
		t.Fatal(err)
	}
	c.await("r1", plumb.Finished)
}

func TestRunIsResumedOnceHoweverOftenItIsSwept(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	g := newGate(func(t *engine.Task) bool { return t.Step.Kind == plumb.StepPlan })
	c := newCrew(t, db, "one", &sync.Map{}, g, func(_ *engine.Options, o *engine.CrewOptions) { o.AtOnce = 1; o.Sweep = time.Millisecond })
	c.begin(newRun("r1", "quick", nil), newRun("r2", "quick", func(r *plumb.Run) { r.Limits.Approve = true }))
	<-g.entered
	c.send("r2", plumb.Signal{Kind: plumb.SigResume}) // a letter to one in the queue: it stands there free, for every sweep to see
	close(g.leave)
	c.await("r2", plumb.Waiting)
	c.begin(newRun("r3", "quick", nil)) // time for many sweeps
	c.await("r3", plumb.Finished)
	c.stop()
	for _, id := range []string{"r1", "r2"} {
		n := 0
		events, err := db.Events(context.Background(), id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Kind == plumb.RunResumed {
				n++
			}
		}
		if n > 1 {
			t.Errorf("%s was resumed %d times", id, n)
		}
	}
}

// stuck is a store that can't give runs back for a while.
type stuck struct {
	*sqlite.DB
	mu   sync.Mutex
	down bool
}

func (s *stuck) Release(ctx context.Context, run, owner string) error {
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	if down {
		return errors.New("connection refused")
	}
	return s.DB.Release(ctx, run, owner)
}

func TestRunThatCouldNotBeGivenBackIsTakenUpAgain(t *testing.T) {
	db := &stuck{DB: openStore(t, filepath.Join(t.TempDir(), "p.db")), down: true}
	steps := &lab.Steps{}
	local := engine.NewLocal(db, steps, engine.Options{Yield: true, Owner: owner{"one", &sync.Map{}}, Poll: 5 * time.Millisecond, Flush: time.Millisecond})
	defer local.Close()
	crew := engine.NewCrew(local, engine.CrewOptions{Sweep: 5 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- crew.Run(ctx) }()
	run := newRun("r1", "quick", func(r *plumb.Run) { r.Limits.Approve = true })
	if err := crew.Start(ctx, run, nil); err != nil {
		t.Fatal(err)
	}
	c := &crewOf{t, db.DB}
	c.await("r1", plumb.Waiting)
	if err := crew.Send(ctx, "r1", plumb.Signal{Kind: plumb.SigApprove, Round: 1}); err != nil {
		t.Logf("send: %v", err) // the letter is in the store all the same
	}
	db.mu.Lock()
	db.down = false
	db.mu.Unlock()
	c.await("r1", plumb.Finished)
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

type crewOf struct {
	t  *testing.T
	db *sqlite.DB
}

func (c *crewOf) await(id string, want plumb.State) {
	c.t.Helper()
	(&crew{t: c.t, bench: &bench{db: c.db}}).await(id, want)
}

func TestRunOfOtherRulesIsTriedEverMoreRarely(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	at := &clock{at: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	c := newCrew(t, db, "one", &sync.Map{}, &lab.Steps{}, func(o *engine.Options, co *engine.CrewOptions) { o.Now, co.Sweep = at.now, time.Millisecond })
	c.begin(newRun("old", "quick", func(r *plumb.Run) { r.Rules = 99 }))
	if err := <-c.failed; !strings.Contains(err.Error(), "version 99") {
		t.Error(err)
	}
	c.begin(newRun("good", "quick", nil)) // many sweeps
	c.await("good", plumb.Finished)
	select {
	case err := <-c.failed:
		t.Errorf("tried again at once: %v", err)
	default:
	}
	at.pass(time.Second)
	<-c.failed
}
