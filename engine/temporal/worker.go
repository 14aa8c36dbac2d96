package temporal

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// WorkerOptions of a Worker. The zero value serves runs that name no model.
type WorkerOptions struct {
	// Providers are the model providers whose queues are served, each with how many steps may begin there in a second, by
	// all workers of the cluster together; 0: as many as come. A run whose provider nobody serves waits.
	Providers map[string]float64
	AtOnce    int                            // steps under way together, of each queue; default 100
	Grace     time.Duration                  // how long steps may go on when the worker stops; default 30 s
	Flush     time.Duration                  // how long events may wait to be stored; default 100 ms
	Rules     map[plumb.StepKind]engine.Rule // overrides of engine.DefaultRules, the same for all workers
	Show      func(plumb.Event)              // is called with every event that this worker has stored
	// Failed is told the whole error of a failed attempt, for operators: users see only a sanitised line.
	Failed func(run, step string, err error)
}

// Worker does the work of a cluster: as many as there are machines may run at the same time.
type Worker struct {
	c    *Client
	doer engine.Doer
	o    WorkerOptions
}

// NewWorker makes a worker. Run sets it to work.
func NewWorker(c *Client, doer engine.Doer, o WorkerOptions) *Worker {
	if o.AtOnce <= 0 {
		o.AtOnce = 100
	}
	if o.Grace <= 0 {
		o.Grace = 30 * time.Second
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
	return &Worker{c: c, doer: doer, o: o}
}

// Run works until ctx is done. Then it takes no more work, lets steps finish for the time of grace, gives those back that
// have not, so that another worker begins them again at once, and returns.
func (w *Worker) Run(ctx context.Context) error {
	fatal := make(chan error, 2+len(w.o.Providers))
	all := w.workers(func(err error) {
		select {
		case fatal <- err:
		default:
		}
	})
	for i, one := range all {
		if err := one.Start(); err != nil {
			stop(all[:i])
			return fmt.Errorf("Temporal at %s: %w", w.c.o.Address, err) //nolint:staticcheck // a name
		}
	}
	defer stop(all)
	select {
	case <-ctx.Done():
		return nil
	case err := <-fatal:
		return fmt.Errorf("Temporal at %s: %w", w.c.o.Address, err) //nolint:staticcheck // a name
	}
}

// stop stops workers together: each waits for its own steps.
func stop(all []worker.Worker) {
	done := make(chan struct{})
	for _, one := range all {
		go func() {
			one.Stop()
			done <- struct{}{}
		}()
	}
	for range all {
		<-done
	}
}

// workers makes one for each queue.
func (w *Worker) workers(fatal func(error)) []worker.Worker {
	b := &books{store: w.c.store, now: w.c.now, show: w.o.Show}
	acts := &activities{store: w.c.store, doer: w.doer, books: b, o: w.o, beat: func(ctx context.Context) error {
		return w.c.sdk.RecordActivityHeartbeat(ctx, activity.GetInfo(ctx).TaskToken)
	}}
	options := worker.Options{
		MaxConcurrentActivityExecutionSize: w.o.AtOnce,
		WorkerStopTimeout:                  w.o.Grace + heartbeat,
		DeadlockDetectionTimeout:           patience, // a machine may be busy; nothing in the workflow blocks
		DisableRegistrationAliasing:        true,
		OnFatalError:                       fatal,
	}
	steps := options
	steps.DisableWorkflowWorker = true
	limits := map[string]float64{StepsQueue: 0}
	for provider, limit := range w.o.Providers {
		limits[ProviderQueue(provider)] = limit
	}
	var out []worker.Worker
	for _, q := range slices.Sorted(maps.Keys(limits)) {
		steps.TaskQueueActivitiesPerSecond = limits[q]
		one := worker.New(w.c.sdk, q, steps)
		one.RegisterActivityWithOptions(acts.Step, activity.RegisterOptions{Name: stepName})
		out = append(out, one)
	}
	one := worker.New(w.c.sdk, Queue, options)
	one.RegisterWorkflowWithOptions((&program{rules: w.o.Rules}).Run, workflow.RegisterOptions{Name: workflowName})
	one.RegisterActivityWithOptions(acts.Keep, activity.RegisterOptions{Name: keepName})
	return append(out, one)
}
