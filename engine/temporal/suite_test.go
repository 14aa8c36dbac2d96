package temporal

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/store/sqlite"
)

func openStore(t testing.TB) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{})
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

func utcNow() time.Time { return time.Now().UTC().Round(0) }

func newActivities(store engine.Store, doer engine.Doer, rules map[plumb.StepKind]engine.Rule) *activities {
	o := NewWorker(nil, doer, WorkerOptions{Rules: rules, Flush: time.Millisecond}).o
	return &activities{store: store, doer: doer, o: o, books: &books{store: store, now: utcNow, show: o.Show}, beat: func(ctx context.Context) error {
		activity.RecordHeartbeat(ctx)
		return nil
	}}
}

// suiteBench plays scenarios in the SDK's workflow environment, which simulates the cluster and its clock in memory.
type suiteBench struct {
	t    *testing.T
	s    enginetest.Scenario
	db   *sqlite.DB
	acts *activities

	mu        sync.Mutex
	env       *testsuite.TestWorkflowEnvironment
	histories int
	done      chan struct{}
}

func newSuiteBench(t *testing.T, s enginetest.Scenario) *suiteBench {
	db := openStore(t)
	return &suiteBench{t: t, s: s, db: db, acts: newActivities(db, s.Steps(), s.QuickRules()), done: make(chan struct{})}
}

func (b *suiteBench) Timed()                             {}
func (b *suiteBench) Store() engine.Store                { return b.db }
func (b *suiteBench) Do(t *testing.T, d enginetest.Deed) { t.Fatalf("no deed %s", d) }

func (b *suiteBench) Start(ctx context.Context, run *plumb.Run, _ func(context.Context) error) error {
	if err := b.db.CreateRun(ctx, run, engine.Lease{Owner: engine.Cluster, Until: forever}); err != nil {
		return err
	}
	var last int64
	if err := b.db.AppendEvents(ctx, []plumb.Event{engine.Number(engine.Started(run), run.ID, &last, utcNow())}); err != nil {
		return err
	}
	carry := Carry{Run: *run}
	if b.s.Small {
		carry.History = 100
	}
	begun := make(chan struct{})
	go func() {
		err := b.execute(carry, begun)
		if err != nil {
			b.t.Errorf("workflow: %v", err) // at once: what waits for the run waits in vain
		}
		close(b.done)
	}()
	<-begun
	return nil
}

// execute runs the workflow through as many histories as it takes.
func (b *suiteBench) execute(c Carry, begun chan struct{}) error {
	for {
		env := b.environment(begun)
		begun = nil
		b.mu.Lock()
		b.env = env
		b.histories++
		b.mu.Unlock()
		env.ExecuteWorkflow(workflowName, c)
		err := env.GetWorkflowError()
		var next *workflow.ContinueAsNewError
		if !errors.As(err, &next) {
			return err
		}
		if err := payloads.FromPayloads(next.Input, &c); err != nil {
			return err
		}
	}
}

func (b *suiteBench) environment(begun chan struct{}) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetDataConverter(payloads)
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: patience})
	env.SetWorkflowRunTimeout(0) // else an idle run jumps to its end
	env.RegisterWorkflowWithOptions((&program{rules: b.s.QuickRules()}).Run, workflow.RegisterOptions{Name: workflowName})
	env.RegisterActivityWithOptions(b.acts.Step, activity.RegisterOptions{Name: stepName})
	env.RegisterActivityWithOptions(b.acts.Keep, activity.RegisterOptions{Name: keepName})
	length := 0
	env.SetOnActivityCompletedListener(func(*activity.Info, converter.EncodedValue, error) {
		length += 6 // as many events as an activity and the workflow's turn after it make
		env.SetCurrentHistoryLength(length)
	})
	for _, a := range b.s.Acts {
		if a.After > 0 {
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(signalName, a.Send) }, a.After)
		}
	}
	if begun != nil {
		env.RegisterDelayedCallback(func() { close(begun) }, 0)
	}
	return env
}

func (b *suiteBench) Send(_ context.Context, _ string, s plumb.Signal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.env.SignalWorkflow(signalName, s)
	return nil
}

func TestScenarios(t *testing.T) {
	for _, s := range enginetest.Scenarios {
		if !s.Possible(enginetest.Hours) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			b := newSuiteBench(t, s)
			s.Play(t, b, "r1")
			<-b.done
			if s.Small != (b.histories > 3) {
				t.Errorf("%d histories", b.histories)
			}
		})
	}
}

func TestACancelledWorkflowIsACancelledRun(t *testing.T) {
	s := enginetest.Scenario{Name: "x", Steps: func() *lab.Steps { return &lab.Steps{Talk: true, Hang: map[string]bool{"unit.u1": true}} },
		Want: func(t *testing.T, v enginetest.View) {
			if v.Run.State() != plumb.CancelledState || v.Run.Reason != "cancelled on the cluster" {
				t.Error(v)
			}
		}}
	b := newSuiteBench(t, s)
	if err := b.Start(ctx, s.NewRun("r1", time.Now()), nil); err != nil {
		t.Fatal(err)
	}
	enginetest.Await(t, b.db, "r1", "the unit", func(v enginetest.View) bool { return v.Shows("unit.u1", "") })
	b.mu.Lock()
	b.env.CancelWorkflow()
	b.mu.Unlock()
	s.Judge(t, enginetest.Await(t, b.db, "r1", "the end", enginetest.Over))
	<-b.done
}
