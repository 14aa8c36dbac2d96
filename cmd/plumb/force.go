package main

// Who works on the runs of a server: this process, or a cluster of workers.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/temporal"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/watch"
)

// force is whoever works on runs.
type force struct {
	runs  front.Runs
	work  func(context.Context) error  // until it is told to stop
	load  func() (queued, working int) // nil: others know
	close func()
}

// force puts together who works on the runs. show is called with every event.
func (r *root) force(ctx context.Context, a *app, w *watching, driver string, show func(plumb.Event)) (force, error) {
	if driver == "temporal" {
		c, err := r.dial(ctx, a, w.log)
		if err != nil {
			return force{}, err
		}
		return force{runs: c, work: func(ctx context.Context) error { return sweep(ctx, c, w.log) }, close: c.Close}, nil
	}
	o := r.options(a, show)
	o.Yield = true
	local := engine.NewLocal(a.db, w.doer(a.steps), o)
	crew := engine.NewCrew(local, engine.CrewOptions{AtOnce: r.config.Server.AtOnce,
		Failed: func(run string, err error) { w.log.Error("run can't be worked on", "run", run, "error", err) }})
	return force{runs: crew, work: crew.Run, load: crew.Load, close: local.Close}, nil
}

// sweepEvery is how often runs are looked for that the store has and the cluster has not.
const sweepEvery = time.Minute

// sweep brings runs to the cluster whose way there was cut short.
func sweep(ctx context.Context, c *temporal.Client, log *slog.Logger) error {
	for {
		if err := c.Sweep(ctx); err != nil && ctx.Err() == nil {
			log.Error("abandoned runs can't be looked for", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sweepEvery):
		}
	}
}

// dial reaches the cluster.
func (r *root) dial(ctx context.Context, a *app, log *slog.Logger) (*temporal.Client, error) {
	c := r.config.Server
	client, err := temporal.Dial(ctx, a.db, temporal.Options{Address: c.Temporal, Namespace: c.Namespace, Log: log})
	if err != nil {
		return nil, usage("%v", err)
	}
	return client, nil
}

func (r *root) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "worker",
		Short: "Work on the runs of a cluster, beside any number of other workers",
		Long: `Takes steps of runs from Temporal and does them, until it is told to stop; then it lets the steps under way finish for half a minute and gives
the others back. All workers and gateways share one PostgreSQL database (DATABASE_URL).`,
		Example: "  plumb worker",
		Args:    exactly(0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.worker(cmd.Context()) },
	}
}

// worker works until the command is interrupted.
func (r *root) worker(ctx context.Context) error {
	rates, err := r.config.Server.rates()
	if err != nil {
		return err
	}
	return r.with(ctx, nil, func(a *app) (err error) {
		w, err := r.watching(ctx, a)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.close()) }()
		c, err := r.dial(ctx, a, w.log)
		if err != nil {
			return err
		}
		defer c.Close()
		o := r.options(a, nil)
		worker := temporal.NewWorker(c, w.doer(a.steps), temporal.WorkerOptions{Providers: r.providersServed(rates), Rules: o.Rules, Show: w.show(func(plumb.Event) {}),
			Failed: func(run, step string, err error) { w.log.Error("step failed", "run", run, "step", step, "error", err) }})
		if _, err := fmt.Fprintf(r.io.err, "working for Temporal at %s; Ctrl-C lets the steps under way finish\n", r.config.Server.Temporal); err != nil {
			return err
		}
		return worker.Run(ctx)
	})
}

// providersServed are the model providers that this process has keys for, or an address, with their rates.
func (r *root) providersServed(rates map[string]float64) map[string]float64 {
	m := r.config.Models
	out := map[string]float64{"ollama": rates["ollama"]}
	for name, set := range map[string]string{"openai": m.OpenAIKey, "anthropic": m.AnthropicKey, "gemini": firstNonEmpty(m.GeminiKey, m.GoogleKey), "compatible": m.CompatibleURL} {
		if set != "" {
			out[name] = rates[name]
		}
	}
	return out
}

// rates reads how many steps of each provider may begin in a second: openai=5,anthropic=2.
func (c serverConfig) rates() (map[string]float64, error) {
	out := map[string]float64{}
	for _, part := range list(c.StepRates) {
		name, value, ok := strings.Cut(part, "=")
		rate, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !(rate > 0) {
			return nil, usage("STEPS_PER_SECOND %q: use provider=number, with commas, as openai=5,anthropic=2", part)
		}
		out[name] = rate
	}
	return out, nil
}

// watching is what operators see: a log, numbers, traces.
type watching struct {
	log     *slog.Logger
	metrics *watch.Metrics
	tracer  *watch.Tracer
}

// watching begins to look on at the steps and the bill of a program.
func (r *root) watching(ctx context.Context, a *app) (*watching, error) {
	w := &watching{log: slog.New(slog.NewTextHandler(r.io.err, nil)), metrics: watch.NewMetrics()}
	if endpoint := r.config.Server.Traces; endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, usage("OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector: use one as http://127.0.0.1:4318")
		}
		if w.tracer, err = watch.NewTracer(ctx, endpoint, versionLine(), w.log); err != nil {
			return nil, usage("OTEL_EXPORTER_OTLP_ENDPOINT at %s: %v", u.Host, cause(err))
		}
	}
	for _, f := range a.world.late {
		if e, ok := f.(*lateEngine); ok {
			e.config.Log = w.log
		}
	}
	desk := a.steps.Models.Desk
	desk.Ledger = w.metrics.Ledger(w.tracer.Ledger(desk.Ledger))
	return w, nil
}

// show looks on at events before they go on.
func (w *watching) show(next func(plumb.Event)) func(plumb.Event) {
	return func(e plumb.Event) {
		w.metrics.Show(e)
		w.tracer.Show(e)
		next(e)
	}
}

func (w *watching) doer(next engine.Doer) engine.Doer { return w.metrics.Doer(w.tracer.Doer(next)) }

// close sends the traces that wait.
func (w *watching) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return w.tracer.Close(ctx)
}
