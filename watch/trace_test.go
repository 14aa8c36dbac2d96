package watch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/server"
	"github.com/plumbresearch/plumb/store/sqlite"
	"github.com/plumbresearch/plumb/watch"
)

// house is what a server needs.
type house struct{ server.Options }

func newHouse(t *testing.T) *house {
	t.Helper()
	db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "plumb.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &house{server.Options{House: &front.House{Store: db, Library: &library.Library{Index: db}, Feed: front.NewFeed()}, Keys: db, Replies: db}}
}

// collected is a collector of spans on loopback.
type collected struct {
	mu    sync.Mutex
	paths []string
	spans []*tracepb.Span
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = z
	}
	data, err := io.ReadAll(body)
	var req collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(data, &req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths = append(c.paths, r.URL.Path)
	for _, rs := range req.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			c.spans = append(c.spans, ss.Spans...)
		}
	}
}

// attributes of a span, as text.
func attributes(s *tracepb.Span) map[string]string {
	out := map[string]string{}
	for _, a := range s.Attributes {
		out[a.Key] = a.Value.String()
	}
	return out
}

func TestRunIsATraceOfStepsAndModelCalls(t *testing.T) {
	got := &collected{}
	s := httptest.NewServer(got)
	defer s.Close()
	ctx := context.Background()
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for process := range 2 { // the second goes on where the first was stopped
		tr, err := watch.NewTracer(ctx, s.URL+"/", "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		kept := &bill{}
		ledger := tr.Ledger(kept)
		step := doer(func(ctx context.Context) error {
			if process == 1 {
				return errors.New("broken")
			}
			return ledger.Settle(ctx, "", &plumb.LedgerRow{Run: "r1", Step: "scope.1", Role: "orchestrator", Model: "anthropic:claude-x", At: began, Duration: time.Second,
				Input: 120, Output: 30, USD: 0.5, Priced: true}, nil)
		})
		tr.Show(plumb.Event{Run: "r1", Kind: plumb.RunStarted, At: began, Text: "a secret question"})
		_, err = tr.Doer(step).Do(ctx, &engine.Task{Run: "r1", Step: plumb.Step{ID: "scope.1", Kind: plumb.StepScope}, Attempt: process + 1})
		if (err != nil) != (process == 1) {
			t.Errorf("the error did not come through: %v", err)
		}
		if process == 1 {
			tr.Show(plumb.Event{Run: "r1", Kind: plumb.RunFailed, At: began.Add(time.Minute), Text: "scope step execution failed"})
		}
		if err := tr.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]*tracepb.Span{}
	for _, sp := range got.spans {
		names[sp.Name] = sp
		if string(sp.TraceId) != string(got.spans[0].TraceId) {
			t.Errorf("%s is in another trace", sp.Name)
		}
		for k, v := range attributes(sp) {
			if v == `string_value:"a secret question"` {
				t.Errorf("%s holds the question in %s", sp.Name, k)
			}
		}
	}
	run, call := names["run"], names["chat claude-x"]
	if len(got.spans) != 4 || run == nil || call == nil || got.paths[0] != "/v1/traces" {
		t.Fatalf("spans %v at %v", names, got.paths)
	}
	if run.StartTimeUnixNano != uint64(began.UnixNano()) || run.EndTimeUnixNano-run.StartTimeUnixNano != uint64(time.Minute) || run.Status.Code != tracepb.Status_STATUS_CODE_ERROR || len(run.ParentSpanId) != 0 {
		t.Errorf("run: %v", run)
	}
	steps := 0
	for _, sp := range got.spans {
		if sp.Name == "step scope" {
			steps++
			if string(sp.ParentSpanId) != string(run.SpanId) {
				t.Errorf("a step is no child of its run: %v", sp)
			}
			if string(sp.SpanId) == string(call.ParentSpanId) {
				steps += 10
			}
		}
	}
	if steps != 12 {
		t.Errorf("two steps, one of them with a call: %d", steps)
	}
	for k, v := range map[string]string{"gen_ai.system": `string_value:"anthropic"`, "gen_ai.request.model": `string_value:"claude-x"`,
		"gen_ai.usage.input_tokens": "int_value:120", "gen_ai.usage.output_tokens": "int_value:30", "gen_ai.operation.name": `string_value:"chat"`, "plumb.cost_usd": "double_value:0.5"} {
		if attributes(call)[k] != v {
			t.Errorf("%s is %s, want %s", k, attributes(call)[k], v)
		}
	}
	if call.EndTimeUnixNano-call.StartTimeUnixNano != uint64(time.Second) || call.Kind != tracepb.Span_SPAN_KIND_CLIENT {
		t.Errorf("call: %v", call)
	}
}

func TestNoTracerChangesNothing(t *testing.T) {
	var tr *watch.Tracer
	kept, step := &bill{}, doer(func(context.Context) error { return nil })
	tr.Show(plumb.Event{Kind: plumb.RunDone})
	if tr.Ledger(kept) != kept {
		t.Error("the ledger was wrapped")
	}
	if _, err := tr.Doer(step).Do(context.Background(), task(plumb.StepScope)); err != nil {
		t.Error(err)
	}
	if err := tr.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// A collector that is away costs spans, and nothing else; operators are told.
func TestCollectorThatIsAwayHoldsNobodyUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var log bytes.Buffer
	tr, err := watch.NewTracer(ctx, "http://127.0.0.1:1", "test", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Doer(doer(func(context.Context) error { return nil })).Do(context.Background(), task(plumb.StepScope)); err != nil {
		t.Error(err)
	}
	err = tr.Close(ctx)
	if err == nil && !strings.Contains(log.String(), "traces can't be sent") {
		t.Errorf("nobody was there, and nobody was told: %s", log.String())
	}
}
