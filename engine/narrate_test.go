package engine_test

// What users are told of a run, and what they are not told of its failures.

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
)

// told gives the stored events of a run of some kinds, as "kind: text".
func told(t *testing.T, b *bench, id string, kinds ...plumb.EventKind) []string {
	t.Helper()
	events, err := b.db.Events(context.Background(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		if slices.Contains(kinds, e.Kind) {
			out = append(out, string(e.Kind)+": "+e.Text)
		}
	}
	return out
}

func wantTold(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWavesAreToldOnce(t *testing.T) {
	// The gate of the standard preset wants 5 findings from 3 sources: one wave of two units with 2 each is too little.
	more := 0
	steps := &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Findings: 2}
	steps.Think = func(task *engine.Task) []plumb.Proposed {
		if more++; more > 1 {
			return nil
		}
		return lab.Proposals(task.Step.ID, "c")
	}
	b := newBench(t, openStore(t, filepath.Join(t.TempDir(), "p.db")), steps, nil)
	startRun(t, b, newRun("r1", "standard", nil))
	workUntil(t, b, "r1", plumb.Finished)
	wantTold(t, told(t, b, "r1", plumb.WaveStarted, plumb.WaveDone, plumb.GateDecided),
		"wave.started: wave 1: 2 units, parallel",
		"wave.done: wave 1 done: 4 findings from 4 sources so far",
		"wave.started: wave 2: 1 unit, parallel",
		"wave.done: wave 2 done: 6 findings from 6 sources so far",
		"gate.decided: 6 findings from 6 distinct sources: enough")
	events, err := b.db.Events(context.Background(), "r1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		var n plumb.WaveNews
		if e.Kind != plumb.WaveDone {
			continue
		}
		if err := json.Unmarshal(e.Data, &n); err != nil {
			t.Fatal(err)
		}
		if n.Dispatched != len(n.Units) || !slices.IsSorted(n.Domains) || len(n.Domains) != n.Keys {
			t.Errorf("wave %d is told as %+v", n.Iteration, n)
		}
	}
}

func TestTurnsOfARunAreTold(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	kinds := []plumb.EventKind{plumb.RunStarted, plumb.RunWaiting, plumb.RunPaused, plumb.RunCancelled, plumb.RunFailed, plumb.RunDone, plumb.StepFailed}
	send := func(b *bench, id string, k plumb.SignalKind, text string) {
		t.Helper()
		if err := b.Send(context.Background(), id, plumb.Signal{Kind: k, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("approved in the second round", func(t *testing.T) {
		b := newBench(t, db, &lab.Steps{}, nil)
		startRun(t, b, newRun("a", "quick", func(r *plumb.Run) { r.Limits.Approve = true }))
		workUntil(t, b, "a", plumb.Waiting)
		send(b, "a", plumb.SigFeedback, "wider")
		run := workUntil(t, b, "a", plumb.Waiting)
		if err := b.Send(context.Background(), "a", plumb.Signal{Kind: plumb.SigApprove, Round: run.Wait.Round}); err != nil {
			t.Fatal(err)
		}
		workUntil(t, b, "a", plumb.Finished)
		wantTold(t, told(t, b, "a", kinds...), "run.started: Why?", "run.waiting: waiting for an approval", "run.waiting: waiting for an approval", "run.done: ")
	})
	t.Run("paused, then cancelled", func(t *testing.T) {
		b := newBench(t, db, &lab.Steps{Ask: true}, nil)
		startRun(t, b, newRun("b", "quick", nil))
		workUntil(t, b, "b", plumb.Waiting)
		send(b, "b", plumb.SigPause, "lunch")
		workUntil(t, b, "b", plumb.PausedState)
		send(b, "b", plumb.SigCancel, "no appetite")
		workUntil(t, b, "b", plumb.CancelledState)
		wantTold(t, told(t, b, "b", kinds...), "run.started: Why?", "run.waiting: waiting for an answer", "run.paused: lunch", "run.cancelled: no appetite")
	})
	t.Run("failed without internals", func(t *testing.T) {
		b := newBench(t, db, &lab.Steps{Fail: map[string]int{"scope.1": 99}}, nil)
		startRun(t, b, newRun("c", "quick", nil))
		workUntil(t, b, "c", plumb.FailedState)
		wantTold(t, told(t, b, "c", kinds...), "run.started: Why?", "step.failed: scope step execution failed", "run.failed: scope: scope step execution failed")
	})
}

func TestAResumedRunVoidsWhatWasLeftUnfinished(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "p.db"))
	ctx, stop := context.WithCancel(context.Background())
	steps := &lab.Steps{Talk: true, Hang: map[string]bool{"plan.1": true}}
	steps.Started = func(task *engine.Task) {
		if task.Step.ID == "plan.1" {
			stop()
		}
	}
	b := newBench(t, db, steps, nil)
	startRun(t, b, newRun("r1", "quick", nil))
	if _, err := b.Work(ctx, "r1"); err == nil {
		t.Fatal("the run was not stopped")
	}
	steps.Hang, steps.Started = nil, nil
	workUntil(t, b, "r1", plumb.Finished)
	events, err := db.Events(context.Background(), "r1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	attempts := map[string]int{}
	for _, e := range events {
		if e.Kind == plumb.Warning && e.Step != "" {
			if attempts[e.Step]++; attempts[e.Step] > 1 {
				t.Errorf("two attempts at %s are shown", e.Step)
			}
		}
	}
	if attempts["plan.1"] != 1 || attempts["scope.1"] != 1 {
		t.Errorf("shown: %v", attempts)
	}
	wantTold(t, told(t, b, "r1", plumb.RunStarted, plumb.RunResumed), "run.started: Why?", "run.resumed: resumed at stage plan after 1 finished step")
}
