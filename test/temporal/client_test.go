package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/engine/temporal"
	"github.com/plumbresearch/plumb/lab"
)

var ctx = context.Background()

// hire sets a worker to work in this process, and gives what stops it.
func (b *bench) hire(t *testing.T, doer engine.Doer, o temporal.WorkerOptions) (fire func()) {
	t.Helper()
	if o.Rules == nil {
		o.Rules = enginetest.Scenario{}.QuickRules()
	}
	ctx, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() { over <- temporal.NewWorker(b.client, doer, o).Run(ctx) }()
	var once bool
	fire = func() {
		stop()
		if once {
			return
		}
		once = true
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(fire)
	return fire
}

// start begins a quick run.
func (b *bench) start(t *testing.T, id string, change func(*plumb.Run)) {
	t.Helper()
	if err := b.Start(ctx, enginetest.Scenario{Name: id, Run: change}.NewRun(id, time.Now()), nil); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) send(t *testing.T, id string, k plumb.SignalKind) {
	t.Helper()
	if err := b.Send(ctx, id, plumb.Signal{Kind: k}); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) await(t *testing.T, id string, ok func(enginetest.View) bool) enginetest.View {
	t.Helper()
	return enginetest.Await(t, b.db, id, t.Name(), ok)
}

func hangs() *lab.Steps { return &lab.Steps{Talk: true, Hang: map[string]bool{"unit.u1": true}} }

func underWay(v enginetest.View) bool { return v.Shows("unit.u1", "") }

func TestAQueryTellsTheState(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	b.hire(t, hangs(), temporal.WorkerOptions{})
	b.start(t, "q1", nil)
	b.await(t, "q1", underWay)
	run, err := b.client.Run(ctx, "q1")
	if err != nil || run.State() != plumb.Running || run.Stage != plumb.AtGather {
		t.Errorf("%v, %+v", err, run)
	}
	b.send(t, "q1", plumb.SigCancel)
	b.await(t, "q1", enginetest.Over)
	if run, err = b.client.Run(ctx, "q1"); err != nil || run.State() != plumb.CancelledState {
		t.Errorf("%v, %+v", err, run)
	}
	if _, err := b.client.Run(ctx, "nix"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("of no run: %v", err)
	}
}

func TestAWorkflowThatIsCancelledOnTheClusterIsACancelledRun(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	b.hire(t, hangs(), temporal.WorkerOptions{})
	b.start(t, "c1", nil)
	b.await(t, "c1", underWay)
	if err := server(t).GetDefaultClient().CancelWorkflow(ctx, "plumb-c1", ""); err != nil {
		t.Fatal(err)
	}
	if v := b.await(t, "c1", enginetest.Over); v.Run.State() != plumb.CancelledState || v.Run.Reason != "cancelled on the cluster" {
		t.Error(v)
	}
}

func TestSignalsToWhatDoesNotWork(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	b.hire(t, &lab.Steps{}, temporal.WorkerOptions{})
	if err := b.Send(ctx, "nix", plumb.Signal{Kind: plumb.SigCancel}); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("to nobody: %v", err)
	}
	b.start(t, "s1", nil)
	v := b.await(t, "s1", enginetest.Over)
	b.send(t, "s1", plumb.SigPause)
	if now := b.await(t, "s1", enginetest.Over); len(now.Journal) != len(v.Journal) {
		t.Errorf("a run that is done heard a signal: %s", now)
	}
	if err := b.Start(ctx, v.Run, nil); !errors.Is(err, engine.ErrExists) {
		t.Errorf("started twice: %v", err)
	}
}

func TestADeletedRunLeavesNothing(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	b.hire(t, hangs(), temporal.WorkerOptions{Grace: time.Millisecond})
	b.start(t, "d1", nil)
	b.await(t, "d1", underWay)
	if err := b.client.Delete(ctx, "d1"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.db.LoadRun(ctx, "d1"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("the store says %v", err)
	}
	if err := b.Send(ctx, "d1", plumb.Signal{Kind: plumb.SigResume}); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("a signal to it: %v", err)
	}
}

func TestAStartThatFailsLeavesNothing(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	run := enginetest.Scenario{Name: "x"}.NewRun("f1", time.Now())
	failure := errors.New("no draft")
	if err := b.Start(ctx, run, func(context.Context) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("answered %v", err)
	}
	if _, err := b.db.LoadRun(ctx, "f1"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("the store says %v", err)
	}
}

func TestRunsThatTheClusterLostAreTakenUp(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	steps := &lab.Steps{}
	b.hire(t, steps, temporal.WorkerOptions{})
	lost := enginetest.Scenario{Name: "lost"}.NewRun("l1", time.Now().Add(-time.Hour)) // a client died between the store and the cluster
	if err := b.db.CreateRun(ctx, lost, engine.Lease{Owner: engine.Cluster, Until: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	fresh := enginetest.Scenario{Name: "fresh"}.NewRun("l3", time.Now()) // a client is about to bring it to the cluster
	if err := b.db.CreateRun(ctx, fresh, engine.Lease{Owner: engine.Cluster, Until: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	waits := enginetest.Scenario{Name: "left", Run: func(r *plumb.Run) { r.Limits.Approve = true }}.NewRun("l2", time.Now())
	local := engine.NewLocal(b.db, &lab.Steps{}, engine.Options{}) // of a local driver that is no more
	if err := local.Start(ctx, waits); err != nil {
		t.Fatal(err)
	}
	if run, err := local.Work(ctx, "l2"); err != nil || run.State() != plumb.Waiting {
		t.Fatal(run, err)
	}
	local.Close()
	for range 2 { // what is under way is left alone
		if err := b.client.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	b.await(t, "l1", enginetest.Over)
	b.send(t, "l2", plumb.SigApprove)
	v := b.await(t, "l2", enginetest.Over)
	if v.Run.State() != plumb.Finished || !slices.ContainsFunc(v.Events, func(e plumb.Event) bool { return e.Kind == plumb.RunResumed }) {
		t.Error(v)
	}
	if v, err := enginetest.Look(b.db, "l3"); err != nil || len(v.Journal)+len(v.Events) > 0 {
		t.Errorf("what is about to be started was taken up: %v %s", err, v)
	}
	if _, err := local.Work(ctx, "l1"); err != nil {
		t.Errorf("a run that has ended can't be looked at by a local driver: %v", err)
	}
}

func TestAProvidersQueueHasItsOwnWorkersAndPace(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	steps := &lab.Steps{Talk: true, Complexity: 0.9}
	for i := range 20 {
		steps.Units = append(steps.Units, fmt.Sprint("u", i))
	}
	b.hire(t, steps, temporal.WorkerOptions{})
	b.start(t, "p1", func(r *plumb.Run) {
		r.Asked.Models = plumb.Models{Orchestrator: "openai:big", Worker: "openai:small"}
		r.Limits.PerWave, r.Limits.AtOnce, r.Limits.InAll = 20, 20, 20
	})
	begun := time.Now()
	for time.Since(begun) < time.Second { // nobody serves the provider: nothing may happen
		if v, err := enginetest.Look(b.db, "p1"); err != nil || len(v.Journal) > 0 {
			t.Fatal(v, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.hire(t, steps, temporal.WorkerOptions{Providers: map[string]float64{"openai": 5}})
	v := b.await(t, "p1", enginetest.Over)
	var first, last time.Time
	for _, e := range v.Events {
		if e.Kind == plumb.Warning && strings.HasPrefix(e.Step, "unit.") {
			if first.IsZero() {
				first = e.At
			}
			last = e.At
		}
	}
	if spread := last.Sub(first); spread < 1500*time.Millisecond {
		t.Errorf("20 units at 5 a second were begun within %s", spread)
	}
}

func TestADrainingWorkerLetsItsStepsFinish(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	steps := &lab.Steps{Talk: true, Latency: 700 * time.Millisecond}
	fire := b.hire(t, steps, temporal.WorkerOptions{Grace: time.Minute})
	b.start(t, "g1", nil)
	b.await(t, "g1", underWay)
	begun := time.Now()
	fire()
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("draining took %s", took)
	}
	b.hire(t, steps, temporal.WorkerOptions{})
	for _, e := range b.await(t, "g1", enginetest.Over).Events {
		if e.Attempt > 1 || e.Kind == plumb.StepRetried {
			t.Errorf("was done again: %+v", e)
		}
	}
}

func TestAKilledWorkersStepGoesOnElsewhere(t *testing.T) {
	i := slices.IndexFunc(enginetest.Scenarios, func(s enginetest.Scenario) bool { return s.Name == "cancel stops work in flight" })
	b := newBench(t, enginetest.Scenarios[i])
	b.spawn(t)
	b.start(t, "k1", nil)
	b.await(t, "k1", func(v enginetest.View) bool { return v.Shows("unit.a", "") && v.Shows("unit.b", "") })
	first := b.child
	b.spawn(t)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if err := first.Wait(); err == nil {
		t.Fatal("was not killed")
	}
	v := b.await(t, "k1", func(v enginetest.View) bool {
		return v.Shows("unit.a", plumb.StepRetried) && v.Shows("unit.b", plumb.StepRetried)
	})
	var latest time.Time
	for _, e := range v.Events {
		if e.Kind == plumb.StepRetried {
			latest = e.At
		}
	}
	t.Logf("the steps of a killed worker went on elsewhere after %s", latest.Sub(killed).Round(100*time.Millisecond))
	if latest.Sub(killed) > 15*time.Second {
		t.Errorf("%s is too long", latest.Sub(killed))
	}
	b.send(t, "k1", plumb.SigCancel)
	b.await(t, "k1", enginetest.Over)
	b.stop(t)
}

func TestRunsAreFoundByTheirAttributes(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	sdk := server(t).GetDefaultClient()
	keyword := enumspb.INDEXED_VALUE_TYPE_KEYWORD
	_, err := sdk.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: b.job.Namespace,
		SearchAttributes: map[string]enumspb.IndexedValueType{"PlumbTenant": keyword, "PlumbState": keyword, "PlumbStrategy": keyword}})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		list, err := sdk.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: b.job.Namespace})
		if err == nil && list.GetCustomAttributes()["PlumbState"] == keyword {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the attributes don't come")
		}
	}
	if b.client, err = temporal.Dial(ctx, b.db, temporal.Options{Address: b.job.Address, Namespace: b.job.Namespace}); err != nil {
		t.Fatal(err)
	}
	defer b.client.Close()
	fire := b.hire(t, &lab.Steps{}, temporal.WorkerOptions{})
	defer fire()
	b.start(t, "i1", func(r *plumb.Run) { r.Tenant = "acme" })
	b.await(t, "i1", enginetest.Over)
	query := `PlumbTenant = "acme" AND PlumbState = "done" AND PlumbStrategy = "quick"`
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		list, err := sdk.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: b.job.Namespace, Query: query})
		if err == nil && len(list.GetExecutions()) == 1 && list.GetExecutions()[0].GetExecution().GetWorkflowId() == "plumb-i1" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("found %v, %v", list, err)
		}
	}
}

func TestANamespaceThatIsNotThereIsNamed(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	_, err := temporal.Dial(ctx, b.db, temporal.Options{Address: b.job.Address, Namespace: "nix"})
	if err == nil || !strings.Contains(err.Error(), `has no namespace "nix": make it with`) {
		t.Errorf("answered %v", err)
	}
}
