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

func openStore(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// bench is a driver over a store of its own, with what it showed.
type bench struct {
	*engine.Local
	db *sqlite.DB

	mu    sync.Mutex
	shown []plumb.Event
}

func newBench(t *testing.T, db *sqlite.DB, doer engine.Doer, change func(*engine.Options)) *bench {
	t.Helper()
	b := &bench{db: db}
	o := engine.Options{Poll: 5 * time.Millisecond, Flush: time.Millisecond, Rules: quickRules(),
		Show: func(e plumb.Event) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.shown = append(b.shown, e)
		}}
	if change != nil {
		change(&o)
	}
	b.Local = engine.NewLocal(db, doer, o)
	t.Cleanup(b.Close)
	return b
}

// quickRules are the default ones without waiting between attempts.
func quickRules() map[plumb.StepKind]engine.Rule {
	rules := map[plumb.StepKind]engine.Rule{}
	for k, r := range engine.DefaultRules {
		r.Backoff = time.Microsecond
		rules[k] = r
	}
	return rules
}

func (b *bench) kinds() []plumb.EventKind {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []plumb.EventKind
	for _, e := range b.shown {
		out = append(out, e.Kind)
	}
	return out
}

func newRun(id, preset string, change func(*plumb.Run)) *plumb.Run {
	l, err := plumb.Preset(preset)
	if err != nil {
		panic(err)
	}
	r := plumb.NewRun(id, plumb.Question{Text: "Why?", At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}, l)
	if change != nil {
		change(r)
	}
	return r
}

func startRun(t *testing.T, b *bench, run *plumb.Run) {
	t.Helper()
	if err := b.Start(context.Background(), run); err != nil {
		t.Fatal(err)
	}
}

func workUntil(t *testing.T, b *bench, id string, want plumb.State) *plumb.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	run, err := b.Work(ctx, id)
	if err != nil {
		t.Fatalf("work: %v", err)
	}
	if run.State() != want {
		t.Fatalf("state is %s, want %s (stage %s, fail %q)", run.State(), want, run.Stage, run.Fail)
	}
	return run
}

func TestARunIsWorkedToItsEnd(t *testing.T) {
	steps := &lab.Steps{Units: []string{"a", "b", "c:a"}, Complexity: 0.9, Findings: 4, Claims: 45}
	b := newBench(t, openStore(t, filepath.Join(t.TempDir(), "p.db")), steps, nil)
	startRun(t, b, newRun("r1", "standard", nil))
	workUntil(t, b, "r1", plumb.Finished)
	want := "check.0001 check.0002 check.0003 cite.1 claims.1 plan.1 publish.1 review.1 scope.1 supervise.1 unit.a unit.b unit.c write.1"
	if got := strings.Join(steps.Done(), " "); got != want {
		t.Errorf("done:\n%s\nwant:\n%s", got, want)
	}
	for _, k := range []plumb.EventKind{plumb.RunStarted, plumb.WaveStarted, plumb.UnitDone, plumb.WaveDone, plumb.GateDecided, plumb.StageStarted, plumb.RunDone} {
		if !slices.Contains(b.kinds(), k) {
			t.Errorf("no event %s", k)
		}
	}
	stored, err := b.db.Events(context.Background(), "r1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range stored {
		if e.Seq != int64(i+1) || e.Run != "r1" || e.At.IsZero() {
			t.Fatalf("event %d is %+v", i, e)
		}
	}
	if len(stored) != len(b.kinds()) {
		t.Errorf("%d events stored, %d shown", len(stored), len(b.kinds()))
	}
}

func TestAnInterruptedRunGoesOnWhereItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	steps := &lab.Steps{Units: []string{"a", "b", "c", "d"}, Complexity: 0.9, Findings: 4, Claims: 100}
	// Each engine is stopped at its third attempt at anything, like a process that is killed again and again.
	for n := 0; ; n++ {
		if n > 50 {
			t.Fatal("does not come to an end")
		}
		ctx, stop := context.WithCancel(context.Background())
		attempts := 0
		var mu sync.Mutex
		steps.Started = func(*engine.Task) {
			mu.Lock()
			defer mu.Unlock()
			if attempts++; attempts == 3 {
				stop()
			}
		}
		b := newBench(t, openStore(t, path), steps, nil)
		if n == 0 {
			startRun(t, b, newRun("r1", "standard", nil))
		}
		run, err := b.Work(ctx, "r1")
		stop()
		if err == nil && run.State() == plumb.Finished {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("round %d: %v", n, err)
		}
	}
	rec, err := openStore(t, path).LoadRun(context.Background(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, o := range rec.Journal {
		if o.Kind == plumb.Done {
			seen[o.Step]++
		}
	}
	for step, n := range seen {
		if n != 1 {
			t.Errorf("%s finished %d times in the journal", step, n)
		}
	}
	if len(seen) != 4+8+5 {
		t.Errorf("%d steps in the journal: %v", len(seen), seen)
	}
}

func TestOneOwnerAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	hang := &lab.Steps{Hang: map[string]bool{"scope.1": true}}
	begun := make(chan struct{})
	hang.Started = func(*engine.Task) { close(begun) }
	first := newBench(t, openStore(t, path), hang, nil)
	startRun(t, first, newRun("r1", "quick", nil))
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error)
	go func() { _, err := first.Work(ctx, "r1"); over <- err }()
	<-begun
	second := newBench(t, openStore(t, path), &lab.Steps{}, nil)
	if _, err := second.Work(context.Background(), "r1"); !errors.Is(err, engine.ErrNotOwner) {
		t.Errorf("the second owner got %v", err)
	}
	if _, err := first.Work(context.Background(), "r1"); !errors.Is(err, engine.ErrNotOwner) {
		t.Errorf("the first owner, asked twice, got %v", err)
	}
	stop()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("the first owner ended with %v", err)
	}
	workUntil(t, second, "r1", plumb.Finished)
}

func TestADeadOwnersRunIsTakenOverAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.db")
	dead, err := engine.NewProcess(dir)
	if err != nil {
		t.Fatal(err)
	}
	me, err := engine.NewProcess(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := me.Close(); err != nil {
			t.Error(err)
		}
	}()
	db := openStore(t, path)
	b := newBench(t, db, &lab.Steps{}, func(o *engine.Options) { o.Owner = me; o.Lease = time.Hour })
	lease := engine.Lease{Owner: dead.ID(), Until: time.Now().Add(time.Hour)}
	if err := db.CreateRun(context.Background(), newRun("r1", "quick", nil), lease); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Work(context.Background(), "r1"); !errors.Is(err, engine.ErrNotOwner) {
		t.Fatalf("while the owner lives: %v", err)
	}
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	workUntil(t, b, "r1", plumb.Finished)
}

func TestARunOfAClusterIsNotTakenOver(t *testing.T) {
	dir := t.TempDir()
	me, err := engine.NewProcess(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := me.Close(); err != nil {
			t.Error(err)
		}
	}()
	db := openStore(t, filepath.Join(dir, "p.db"))
	lease := engine.Lease{Owner: engine.Cluster, Until: time.Now().Add(time.Hour)}
	if err := db.CreateRun(context.Background(), newRun("r1", "quick", nil), lease); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, db, &lab.Steps{}, func(o *engine.Options) { o.Owner = me })
	if _, err := b.Work(context.Background(), "r1"); !errors.Is(err, engine.ErrNotOwner) {
		t.Errorf("answered %v", err)
	}
}

func TestSignalsFromAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	other := newBench(t, openStore(t, path), &lab.Steps{}, nil)
	send := func(id string, s plumb.Signal) {
		t.Helper()
		if err := other.Send(context.Background(), id, s); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("cancel stops work in flight", func(t *testing.T) {
		steps := &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Hang: map[string]bool{"unit.a": true, "unit.b": true}}
		b := newBench(t, openStore(t, path), steps, nil)
		startRun(t, b, newRun("c1", "quick", nil))
		steps.Started = func(task *engine.Task) {
			if task.Step.ID == "unit.b" {
				send("c1", plumb.Signal{Kind: plumb.SigCancel, Text: "enough"})
			}
		}
		run := workUntil(t, b, "c1", plumb.CancelledState)
		if run.Reason != "enough" {
			t.Errorf("reason is %q", run.Reason)
		}
	})
	t.Run("an answer may come before the run waits", func(t *testing.T) {
		b := newBench(t, openStore(t, path), &lab.Steps{Ask: true}, nil)
		startRun(t, b, newRun("a1", "quick", nil))
		send("a1", plumb.Signal{Kind: plumb.SigAnswer, Text: "yes"})
		workUntil(t, b, "a1", plumb.Finished)
	})
	t.Run("a run waits, is answered and goes on", func(t *testing.T) {
		b := newBench(t, openStore(t, path), &lab.Steps{Ask: true}, nil)
		startRun(t, b, newRun("a2", "quick", nil))
		workUntil(t, b, "a2", plumb.Waiting)
		send("a2", plumb.Signal{Kind: plumb.SigAnswer, Text: "yes"})
		workUntil(t, b, "a2", plumb.Finished)
	})
	t.Run("pause lets steps in flight finish", func(t *testing.T) {
		steps := &lab.Steps{Units: []string{"a", "b:a"}, Complexity: 0.9}
		b := newBench(t, openStore(t, path), steps, nil)
		startRun(t, b, newRun("p1", "quick", nil))
		steps.Started = func(task *engine.Task) {
			if task.Step.ID == "unit.a" {
				send("p1", plumb.Signal{Kind: plumb.SigPause})
				waitFor(t, func() bool { return slices.Contains(b.kinds(), plumb.RunPaused) })
			}
		}
		workUntil(t, b, "p1", plumb.PausedState)
		if done := steps.Done(); !slices.Contains(done, "unit.a") || slices.Contains(done, "unit.b") {
			t.Errorf("done: %v", done)
		}
		send("p1", plumb.Signal{Kind: plumb.SigResume})
		workUntil(t, b, "p1", plumb.Finished)
	})
	t.Run("finish hurries units", func(t *testing.T) {
		steps := &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Findings: 2, Hang: map[string]bool{"unit.a": true}}
		b := newBench(t, openStore(t, path), steps, nil)
		startRun(t, b, newRun("f1", "quick", nil))
		steps.Started = func(task *engine.Task) {
			if task.Step.ID == "unit.a" {
				send("f1", plumb.Signal{Kind: plumb.SigFinish})
			}
		}
		run := workUntil(t, b, "f1", plumb.Finished)
		if run.Stopped != plumb.StopFinish || run.Units[0].Fail != "research unit was cut short" {
			t.Errorf("stopped %q, unit %+v", run.Stopped, run.Units[0])
		}
	})
	t.Run("settle folds letters and does no step", func(t *testing.T) {
		steps := &lab.Steps{}
		b := newBench(t, openStore(t, path), steps, nil)
		startRun(t, b, newRun("s1", "quick", nil))
		send("s1", plumb.Signal{Kind: plumb.SigCancel})
		run, err := b.Settle(context.Background(), "s1")
		if err != nil || run.State() != plumb.CancelledState || len(steps.Done()) > 0 {
			t.Errorf("%v, state %s, done %v", err, run.State(), steps.Done())
		}
	})
	t.Run("to nobody", func(t *testing.T) {
		if err := other.Send(context.Background(), "nix", plumb.Signal{Kind: plumb.SigCancel}); !errors.Is(err, engine.ErrNoRun) {
			t.Errorf("answered %v", err)
		}
	})
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Error("waited in vain")
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestFailedAttempts(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	t.Run("are tried again, and what they showed is void", func(t *testing.T) {
		b := newBench(t, db, &lab.Steps{Talk: true, Fail: map[string]int{"scope.1": 2}}, nil)
		startRun(t, b, newRun("t1", "quick", nil))
		workUntil(t, b, "t1", plumb.Finished)
		events, err := db.Events(context.Background(), "t1", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, e := range events {
			if e.Step == "scope.1" && e.Kind == plumb.Warning {
				texts = append(texts, e.Text)
			}
		}
		if !slices.Equal(texts, []string{"attempt 3"}) {
			t.Errorf("shown of scope: %v", texts)
		}
	})
	t.Run("of a unit are an outcome without internals", func(t *testing.T) {
		var details []error
		b := newBench(t, db, &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Findings: 3, Fail: map[string]int{"unit.a": 9}},
			func(o *engine.Options) { o.Failed = func(_, _ string, err error) { details = append(details, err) } })
		startRun(t, b, newRun("t2", "quick", nil))
		run := workUntil(t, b, "t2", plumb.Finished)
		if u := run.Units[0]; u.State != plumb.Broke || u.Fail != "research unit execution failed" {
			t.Errorf("unit is %+v", u)
		}
		if len(details) != 2 || !errors.Is(details[0], lab.ErrScripted) {
			t.Errorf("operators were told %v", details)
		}
	})
	t.Run("of scope fail the run until it is retried", func(t *testing.T) {
		b := newBench(t, db, &lab.Steps{Fail: map[string]int{"scope.1": 3}}, nil)
		startRun(t, b, newRun("t3", "quick", nil))
		run := workUntil(t, b, "t3", plumb.FailedState)
		if run.Fail != "scope: scope step execution failed" {
			t.Errorf("fail is %q", run.Fail)
		}
		if err := b.Send(context.Background(), "t3", plumb.Signal{Kind: plumb.SigRetry}); err != nil {
			t.Fatal(err)
		}
		if run, err := b.Settle(context.Background(), "t3"); err != nil || run.State() != plumb.Running {
			t.Fatalf("%v, state %s", err, run.State())
		}
		workUntil(t, b, "t3", plumb.Finished)
	})
	t.Run("that panic don't take the process down", func(t *testing.T) {
		b := newBench(t, db, &lab.Steps{Panic: map[string]bool{"unit.u1": true}}, nil)
		startRun(t, b, newRun("t4", "quick", nil))
		if run := workUntil(t, b, "t4", plumb.Finished); run.Units[0].State != plumb.Broke {
			t.Errorf("unit is %+v", run.Units[0])
		}
	})
	t.Run("a unit that times out is not tried again", func(t *testing.T) {
		rules := quickRules()
		rules[plumb.StepUnit] = engine.Rule{Timeout: time.Millisecond, Tries: 5}
		tries := 0
		steps := &lab.Steps{Hang: map[string]bool{"unit.u1": true}}
		steps.Started = func(task *engine.Task) {
			if task.Step.ID == "unit.u1" {
				tries++
			}
		}
		b := newBench(t, db, steps, func(o *engine.Options) { o.Rules = rules })
		startRun(t, b, newRun("t5", "quick", nil))
		if run := workUntil(t, b, "t5", plumb.Finished); run.Units[0].Fail != "research unit timed out" || tries != 1 {
			t.Errorf("unit is %+v after %d tries", run.Units[0], tries)
		}
	})
}

func TestTheDeadlineHurriesAWave(t *testing.T) {
	steps := &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Hang: map[string]bool{"unit.a": true, "unit.b": true}}
	b := newBench(t, openStore(t, filepath.Join(t.TempDir(), "p.db")), steps, nil)
	startRun(t, b, newRun("r1", "standard", func(r *plumb.Run) { r.Limits.Caps.Time = 20 * time.Millisecond }))
	if run := workUntil(t, b, "r1", plumb.Finished); run.Stopped != plumb.StopTime || !run.TimeUp {
		t.Errorf("stopped %q", run.Stopped)
	}
}

// refusing is a store that refuses one commit.
type refusing struct {
	*sqlite.DB
	at int
}

var errFull = errors.New("no space left")

func (r *refusing) Commit(ctx context.Context, c *engine.Commit) error {
	if c.Seq == r.at {
		r.at = 0
		return errFull
	}
	return r.DB.Commit(ctx, c)
}

func TestAStoreThatRefusesACommitLosesNothing(t *testing.T) {
	for at := 1; at <= 8; at++ {
		t.Run(fmt.Sprint("commit ", at), func(t *testing.T) {
			db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
			steps := &lab.Steps{Units: []string{"a", "b", "c"}, Complexity: 0.9, Findings: 2, Claims: 5}
			bad := engine.NewLocal(&refusing{DB: db, at: at}, steps, engine.Options{})
			if err := bad.Start(context.Background(), newRun("r1", "quick", nil)); err != nil {
				t.Fatal(err)
			}
			if _, err := bad.Work(context.Background(), "r1"); !errors.Is(err, errFull) {
				t.Fatalf("work answered %v", err)
			}
			bad.Close()
			workUntil(t, newBench(t, db, steps, nil), "r1", plumb.Finished)
		})
	}
}

func TestRunsOfNewerRulesAreRefused(t *testing.T) {
	b := newBench(t, openStore(t, filepath.Join(t.TempDir(), "p.db")), &lab.Steps{}, nil)
	startRun(t, b, newRun("r1", "quick", func(r *plumb.Run) { r.Rules = 99 }))
	if _, err := b.Work(context.Background(), "r1"); err == nil || !strings.Contains(err.Error(), "version 99 of the rules") {
		t.Errorf("answered %v", err)
	}
}
