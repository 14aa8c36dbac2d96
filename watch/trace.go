package watch

// Traces: a span for a run, for each attempt at a step, and for each model call that was billed.

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

// Tracer sends spans to a collector. A nil one sends nothing. Spans hold ids, kinds, counts and costs, no question and no
// text.
type Tracer struct {
	provider *trace.TracerProvider
	tracer   api.Tracer

	mu    sync.Mutex
	began map[string]time.Time // runs seen here and not yet ended
}

// NewTracer sends to a collector of OTLP over HTTP, as http://localhost:4318. What it can't send is logged and dropped.
// Close it at the end.
func NewTracer(ctx context.Context, endpoint, version string, log *slog.Logger) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimRight(endpoint, "/")+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("traces to %s: %w", endpoint, err)
	}
	if log != nil {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces can't be sent", "error", err) }))
	}
	about := resource.NewSchemaless(attribute.String("service.name", "plumb"), attribute.String("service.version", version))
	p := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about), trace.WithIDGenerator(runIDs{newIDs()}))
	return &Tracer{provider: p, tracer: p.Tracer("github.com/plumbresearch/plumb"), began: map[string]time.Time{}}, nil
}

// Close sends what waits.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// place is a run's own place among traces. It follows from the run's id, so that every process that works on the run,
// also after a restart, adds to the same trace.
func place(run string) (id api.TraceID, root api.SpanID) {
	sum := sha256.Sum256([]byte("plumb run " + run))
	copy(id[:], sum[:16])
	copy(root[:], sum[16:24])
	return id, root
}

type rootKey struct{}

// runIDs gives the span of a run its own place, and others a random one.
type runIDs struct{ trace.IDGenerator }

func (g runIDs) NewIDs(ctx context.Context) (api.TraceID, api.SpanID) {
	if run, ok := ctx.Value(rootKey{}).(string); ok {
		return place(run)
	}
	return g.IDGenerator.NewIDs(ctx)
}

// inRun makes spans of ctx children of the run's.
func inRun(ctx context.Context, run string) context.Context {
	id, root := place(run)
	return api.ContextWithRemoteSpanContext(ctx, api.NewSpanContext(api.SpanContextConfig{TraceID: id, SpanID: root, TraceFlags: api.FlagsSampled, Remote: true}))
}

// Show makes the span of a run when it has ended. It begins when this process first heard of the run.
func (t *Tracer) Show(e plumb.Event) {
	if t == nil {
		return
	}
	t.mu.Lock()
	began, known := t.began[e.Run]
	ended := e.Kind == plumb.RunDone || e.Kind == plumb.RunFailed || e.Kind == plumb.RunCancelled
	switch {
	case ended:
		delete(t.began, e.Run)
	case !known:
		t.began[e.Run] = e.At
	}
	t.mu.Unlock()
	if !ended {
		return
	}
	if !known {
		began = e.At
	}
	state := strings.TrimPrefix(string(e.Kind), "run.")
	_, span := t.tracer.Start(context.WithValue(context.Background(), rootKey{}, e.Run), "run", api.WithNewRoot(), api.WithTimestamp(began),
		api.WithAttributes(attribute.String("plumb.run", e.Run), attribute.String("plumb.state", state)))
	if e.Kind == plumb.RunFailed {
		span.SetStatus(codes.Error, e.Text)
	}
	span.End(api.WithTimestamp(e.At))
}

// Doer makes a span of each attempt at a step.
func (t *Tracer) Doer(next engine.Doer) engine.Doer {
	if t == nil {
		return next
	}
	return traced{t, next}
}

type traced struct {
	t    *Tracer
	next engine.Doer
}

func (d traced) Do(ctx context.Context, task *engine.Task) (*plumb.Outcome, error) {
	ctx, span := d.t.tracer.Start(inRun(ctx, task.Run), "step "+string(task.Step.Kind), api.WithAttributes(
		attribute.String("plumb.run", task.Run), attribute.String("plumb.step", task.Step.ID),
		attribute.String("plumb.unit", task.Step.Unit), attribute.Int("plumb.attempt", task.Attempt)))
	defer span.End() // a panic ends it too
	o, err := d.next.Do(ctx, task)
	span.SetAttributes(attribute.String("plumb.outcome", cameOf(ctx, err)))
	if err != nil {
		span.SetStatus(codes.Error, fmt.Sprintf("%.400s", err.Error()))
	}
	return o, err
}

// Ledger makes a span of each model call that is billed, as the conventions for generative AI name it.
func (t *Tracer) Ledger(next llm.Ledger) llm.Ledger {
	if t == nil {
		return next
	}
	return billed{next, t}
}

type billed struct {
	llm.Ledger
	t *Tracer
}

func (b billed) Settle(ctx context.Context, reservation string, row *plumb.LedgerRow, rec *plumb.Recording) error {
	if row != nil {
		b.t.call(ctx, row)
	}
	return b.Ledger.Settle(ctx, reservation, row, rec)
}

// call makes the span of a row. The step's span is in ctx.
func (t *Tracer) call(ctx context.Context, row *plumb.LedgerRow) {
	system, model, ok := strings.Cut(row.Model, ":")
	if !ok {
		model = system
	}
	operation := "chat"
	if row.Role == string(llm.Embed) {
		operation = "embeddings"
	}
	if !api.SpanContextFromContext(ctx).IsValid() {
		ctx = inRun(ctx, row.Run)
	}
	_, span := t.tracer.Start(ctx, operation+" "+model, api.WithTimestamp(row.At), api.WithSpanKind(api.SpanKindClient), api.WithAttributes(
		attribute.String("gen_ai.operation.name", operation), attribute.String("gen_ai.system", system), attribute.String("gen_ai.provider.name", system),
		attribute.String("gen_ai.request.model", model),
		attribute.Int64("gen_ai.usage.input_tokens", row.Input), attribute.Int64("gen_ai.usage.output_tokens", row.Output),
		attribute.String("plumb.run", row.Run), attribute.String("plumb.step", row.Step), attribute.String("plumb.role", row.Role)))
	if row.Priced {
		span.SetAttributes(attribute.Float64("plumb.cost_usd", row.USD))
	}
	if row.Error != "" {
		span.SetStatus(codes.Error, row.Error)
	}
	span.End(api.WithTimestamp(row.At.Add(row.Duration)))
}
