package watch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/server"
	"github.com/plumbresearch/plumb/watch"
)

var _ server.Metrics = (*watch.Metrics)(nil)

// scrape gives the lines that Prometheus would read.
func scrape(t *testing.T, m *watch.Metrics) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	out := map[string]string{}
	for line := range strings.Lines(w.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "} "); ok {
			out[name+"}"] = value
		} else if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			out[name] = value
		}
	}
	return out
}

func want(t *testing.T, got map[string]string, lines map[string]string) {
	t.Helper()
	for name, value := range lines {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
}

// doer does a step as a function says.
type doer func(ctx context.Context) error

func (d doer) Do(ctx context.Context, _ *engine.Task) (*plumb.Outcome, error) {
	return &plumb.Outcome{}, d(ctx)
}

func task(kind plumb.StepKind) *engine.Task {
	return &engine.Task{Run: "r1", Step: plumb.Step{ID: string(kind) + ".1", Kind: kind}, Attempt: 1}
}

func TestStepsAreTimedByWhatCameOfThem(t *testing.T) {
	m := watch.NewMetrics()
	broken := errors.New("broken")
	do := func(kind plumb.StepKind, cause error, f doer) (err error) {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		if cause != nil {
			cancel(cause)
		}
		_, err = m.Doer(f).Do(ctx, task(kind))
		return err
	}
	for range 2 {
		if err := do(plumb.StepScope, nil, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	if err := do(plumb.StepScope, nil, func(context.Context) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the error did not come through: %v", err)
	}
	if err := do(plumb.StepUnit, engine.ErrStopped, func(ctx context.Context) error { return ctx.Err() }); err == nil {
		t.Error("the error did not come through")
	}
	if err := do(plumb.StepUnit, engine.ErrHurry, func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = do(plumb.StepCite, nil, func(context.Context) error { panic("oh") })
	}()
	want(t, scrape(t, m), map[string]string{
		`plumb_step_seconds_count{kind="scope",outcome="done"}`:    "2",
		`plumb_step_seconds_count{kind="scope",outcome="failed"}`:  "1",
		`plumb_step_seconds_count{kind="unit",outcome="stopped"}`:  "1",
		`plumb_step_seconds_count{kind="unit",outcome="done"}`:     "1",
		`plumb_step_seconds_count{kind="cite",outcome="panicked"}`: "1",
	})
}

// bill is a ledger that keeps what it is given.
type bill struct {
	llm.Ledger
	rows []plumb.LedgerRow
	err  error
}

func (b *bill) Settle(_ context.Context, _ string, row *plumb.LedgerRow, _ *plumb.Recording) error {
	if row != nil {
		b.rows = append(b.rows, *row)
	}
	return b.err
}

func TestModelCallsAreCountedAsTheyAreBilled(t *testing.T) {
	m, kept := watch.NewMetrics(), &bill{}
	l := m.Ledger(kept)
	for _, row := range []*plumb.LedgerRow{
		{Model: "openai:a", Input: 100, Cached: 40, Output: 10, USD: 0.25, Priced: true, Duration: time.Second},
		{Model: "openai:a", Input: 50, Output: 5, USD: 0.5, Priced: true, Error: "cut off", Duration: time.Second},
		{Model: "ollama:b", Input: 7, Output: 3},
		nil,
	} {
		if err := l.Settle(context.Background(), "", row, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept.rows) != 3 {
		t.Errorf("%d rows came through", len(kept.rows))
	}
	got := scrape(t, m)
	want(t, got, map[string]string{
		`plumb_model_tokens_total{direction="input",model="openai:a"}`:      "150",
		`plumb_model_tokens_total{direction="cached",model="openai:a"}`:     "40",
		`plumb_model_tokens_total{direction="output",model="openai:a"}`:     "15",
		`plumb_model_tokens_total{direction="input",model="ollama:b"}`:      "7",
		`plumb_model_cost_usd_total{model="openai:a"}`:                      "0.75",
		`plumb_model_call_seconds_count{model="openai:a",outcome="done"}`:   "1",
		`plumb_model_call_seconds_count{model="openai:a",outcome="failed"}`: "1",
		`plumb_model_call_seconds_sum{model="openai:a",outcome="done"}`:     "1",
	})
	if cost, ok := got[`plumb_model_cost_usd_total{model="ollama:b"}`]; ok {
		t.Errorf("a model without a price cost %s", cost)
	}
	kept.err = errors.New("disk full")
	if err := l.Settle(context.Background(), "", nil, nil); !errors.Is(err, kept.err) {
		t.Errorf("the error did not come through: %v", err)
	}
}

func TestEventsAreCounted(t *testing.T) {
	m := watch.NewMetrics()
	for _, e := range []plumb.Event{
		{Kind: plumb.RunDone}, {Kind: plumb.RunDone}, {Kind: plumb.RunFailed}, {Kind: plumb.RunCancelled},
		{Kind: plumb.SourceRead}, {Kind: plumb.LeadSkipped}, {Kind: plumb.LeadSkipped}, {Kind: plumb.StepRetried, Step: "unit.a"},
		plumb.News(plumb.ClaimChecked, "", plumb.Verdict{Status: plumb.Supported}),
		{Kind: plumb.ClaimChecked, Data: []byte("{broken")}, {Kind: plumb.Warning},
	} {
		m.Show(e)
	}
	want(t, scrape(t, m), map[string]string{
		`plumb_runs_ended_total{state="done"}`: "2", `plumb_runs_ended_total{state="failed"}`: "1", `plumb_runs_ended_total{state="cancelled"}`: "1",
		`plumb_fetches_total{outcome="read"}`: "1", `plumb_fetches_total{outcome="skipped"}`: "2",
		`plumb_step_retries_total{kind="unit"}`: "1", `plumb_claims_checked_total{verdict="supported"}`: "1",
	})
}

func TestStoreIsReadWhenSomebodyLooks(t *testing.T) {
	m := watch.NewMetrics()
	if _, ok := scrape(t, m)["plumb_runs_queued"]; ok {
		t.Error("a number without a source")
	}
	m.Read(func(_ context.Context, s plumb.State) (int, error) {
		if s == plumb.PausedState {
			return 0, errors.New("store away")
		}
		return len(s), nil
	}, func() (int, int) { return 3, 2 })
	got := scrape(t, m)
	want(t, got, map[string]string{`plumb_runs{state="running"}`: "7", `plumb_runs{state="done"}`: "4", "plumb_runs_queued": "3", "plumb_runs_working": "2"})
	if n, ok := got[`plumb_runs{state="paused"}`]; ok {
		t.Errorf("%s runs are paused, although nobody could say", n)
	}
}

// The numbers of a server, over HTTP: by pattern, never by path.
func TestRequestsAndStreamsOfAServerAreCounted(t *testing.T) {
	m, h := watch.NewMetrics(), newHouse(t)
	h.Metrics, h.Open = m, true
	hold, entered := make(chan struct{}), make(chan struct{})
	h.MCP = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		close(entered)
		<-hold
	})
	s := httptest.NewServer(server.New(h.Options).Handler())
	defer s.Close()
	get := func(path string) string {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Error(err)
			return ""
		}
		body, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Error(err)
		}
		return string(body)
	}
	for _, id := range []string{"a", "b", "c"} {
		get("/api/v1/tasks/" + id)
	}
	get("/nowhere")
	over := make(chan struct{})
	go func() { defer close(over); get("/mcp") }()
	<-entered
	if body := get("/metrics"); !strings.Contains(body, "plumb_http_streams 1\n") || !strings.Contains(body, `plumb_runs{state="done"} 0`) {
		t.Errorf("%s", body)
	}
	close(hold)
	<-over
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) { // counted after it was answered
		got := scrape(t, m)
		if got["plumb_http_streams"] == "0" {
			want(t, got, map[string]string{
				`plumb_http_request_seconds_count{route="GET /api/v1/tasks/{id}",status="404"}`: "3",
				`plumb_http_request_seconds_count{route="none",status="404"}`:                   "1",
				`plumb_http_request_seconds_count{route="/mcp",status="200"}`:                   "1",
				`plumb_http_request_seconds_count{route="GET /metrics",status="200"}`:           "1",
			})
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(got)
		}
	}
}
