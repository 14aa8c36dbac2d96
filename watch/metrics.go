// Package watch is what operators see of a program at work: numbers for Prometheus, and traces for OpenTelemetry. It looks
// on at steps, model calls and events; whatever it sees goes on as it came.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

// Metrics count. Make them with NewMetrics.
type Metrics struct {
	registry *prometheus.Registry
	steps    *prometheus.HistogramVec // by kind and outcome
	retries  *prometheus.CounterVec   // by kind
	ended    *prometheus.CounterVec   // runs, by state
	fetches  *prometheus.CounterVec   // by outcome
	claims   *prometheus.CounterVec   // by verdict
	calls    *prometheus.HistogramVec // of models, by model and outcome
	tokens   *prometheus.CounterVec   // by model and direction
	cost     *prometheus.CounterVec   // by model
	requests *prometheus.HistogramVec // HTTP, by route and status
	streams  prometheus.Gauge

	mu   sync.Mutex
	runs func(ctx context.Context, s plumb.State) (int, error)
	load func() (queued, working int)
}

// seconds are the bounds of histograms, from a cached answer to the longest step.
var seconds = []float64{.005, .025, .1, .5, 1, 2.5, 5, 10, 30, 60, 180, 600}

// NewMetrics makes metrics that start at 0, with those of the process.
func NewMetrics() *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "plumb", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "plumb", Name: name, Help: help, Buckets: seconds}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		steps:    histogram("step_seconds", "Attempts at steps, by what came of them.", "kind", "outcome"),
		retries:  counter("step_retries_total", "Attempts that failed and were followed by another.", "kind"),
		ended:    counter("runs_ended_total", "Runs that ended in this process.", "state"),
		fetches:  counter("fetches_total", "Sources that units wanted to read.", "outcome"),
		claims:   counter("claims_checked_total", "Claims of reports, by verdict.", "verdict"),
		calls:    histogram("model_call_seconds", "Model calls that were billed.", "model", "outcome"),
		tokens:   counter("model_tokens_total", "Tokens as they were billed; cached ones are input too.", "model", "direction"),
		cost:     counter("model_cost_usd_total", "What model calls cost, where the model has a price.", "model"),
		requests: histogram("http_request_seconds", "HTTP requests. Streams last as long as their clients stay.", "route", "status"),
		streams:  prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "plumb", Name: "http_streams", Help: "Event streams that are open."}),
	}
	m.registry.MustRegister(m.steps, m.retries, m.ended, m.fetches, m.claims, m.calls, m.tokens, m.cost, m.requests, m.streams, gauges{m},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ServeHTTP shows the numbers.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Timeout: 10 * time.Second}).ServeHTTP(w, r)
}

// Read says what to ask when somebody looks: how many runs the store has in a state, and how many wait and are worked on
// here. Either may be nil.
func (m *Metrics) Read(runs func(ctx context.Context, s plumb.State) (int, error), load func() (queued, working int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs, m.load = runs, load
}

// Show counts what events tell. Those of attempts that are voided later are counted too.
func (m *Metrics) Show(e plumb.Event) {
	switch e.Kind {
	case plumb.RunDone, plumb.RunFailed, plumb.RunCancelled:
		m.ended.WithLabelValues(strings.TrimPrefix(string(e.Kind), "run.")).Inc()
	case plumb.StepRetried:
		m.retries.WithLabelValues(kindOf(e.Step)).Inc()
	case plumb.SourceRead:
		m.fetches.WithLabelValues("read").Inc()
	case plumb.LeadSkipped:
		m.fetches.WithLabelValues("skipped").Inc()
	case plumb.ClaimChecked:
		var v plumb.Verdict
		if err := json.Unmarshal(e.Data, &v); err == nil {
			m.claims.WithLabelValues(string(v.Status)).Inc()
		}
	}
}

// kindOf is the kind of a step, with which its id begins.
func kindOf(step string) string {
	kind, _, _ := strings.Cut(step, ".")
	return kind
}

// Doer times steps.
func (m *Metrics) Doer(next engine.Doer) engine.Doer { return timed{m, next} }

type timed struct {
	m    *Metrics
	next engine.Doer
}

func (d timed) Do(ctx context.Context, t *engine.Task) (*plumb.Outcome, error) {
	began := time.Now()
	outcome := "panicked"
	defer func() {
		d.m.steps.WithLabelValues(string(t.Step.Kind), outcome).Observe(time.Since(began).Seconds())
	}()
	o, err := d.next.Do(ctx, t)
	outcome = cameOf(ctx, err)
	return o, err
}

// cameOf says what came of an attempt.
func cameOf(ctx context.Context, err error) string {
	why := context.Cause(ctx)
	switch {
	case why != nil && !errors.Is(why, engine.ErrHurry) && !errors.Is(why, context.DeadlineExceeded):
		return "stopped"
	case err != nil:
		return "failed"
	}
	return "done"
}

// Ledger counts what is billed.
func (m *Metrics) Ledger(next llm.Ledger) llm.Ledger { return counted{next, m} }

type counted struct {
	llm.Ledger
	m *Metrics
}

func (c counted) Settle(ctx context.Context, reservation string, row *plumb.LedgerRow, rec *plumb.Recording) error {
	err := c.Ledger.Settle(ctx, reservation, row, rec)
	if row == nil {
		return err
	}
	outcome := "done"
	if row.Error != "" {
		outcome = "failed"
	}
	c.m.calls.WithLabelValues(row.Model, outcome).Observe(row.Duration.Seconds())
	c.m.tokens.WithLabelValues(row.Model, "input").Add(float64(row.Input))
	c.m.tokens.WithLabelValues(row.Model, "cached").Add(float64(row.Cached))
	c.m.tokens.WithLabelValues(row.Model, "output").Add(float64(row.Output))
	if row.Priced {
		c.m.cost.WithLabelValues(row.Model).Add(row.USD)
	}
	return err
}

// Request counts a request. The route is the pattern that answered, never the path: paths are without number.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Stream counts the open event streams up and down.
func (m *Metrics) Stream(change int) { m.streams.Add(float64(change)) }

// gauges are read when somebody looks.
type gauges struct{ m *Metrics }

var (
	runsDesc    = prometheus.NewDesc("plumb_runs", "Runs in the store, by state.", []string{"state"}, nil)
	queuedDesc  = prometheus.NewDesc("plumb_runs_queued", "Runs that wait for a place in this process.", nil, nil)
	workingDesc = prometheus.NewDesc("plumb_runs_working", "Runs that this process works on.", nil, nil)
)

func (gauges) Describe(ch chan<- *prometheus.Desc) {
	ch <- runsDesc
	ch <- queuedDesc
	ch <- workingDesc
}

// readTime is how long the store may take.
const readTime = 5 * time.Second

func (g gauges) Collect(ch chan<- prometheus.Metric) {
	g.m.mu.Lock()
	runs, load := g.m.runs, g.m.load
	g.m.mu.Unlock()
	if load != nil {
		queued, working := load()
		ch <- prometheus.MustNewConstMetric(queuedDesc, prometheus.GaugeValue, float64(queued))
		ch <- prometheus.MustNewConstMetric(workingDesc, prometheus.GaugeValue, float64(working))
	}
	if runs == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	for _, s := range []plumb.State{plumb.Queued, plumb.Running, plumb.Waiting, plumb.PausedState, plumb.Finished, plumb.FailedState, plumb.CancelledState} {
		n, err := runs(ctx, s)
		if err != nil {
			continue // a number that is missing says more than a wrong one, and the others are still wanted
		}
		ch <- prometheus.MustNewConstMetric(runsDesc, prometheus.GaugeValue, float64(n), string(s))
	}
}
