package server

// What operators see of requests: a log line each, an id to find it by, and numbers.

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// apiPolicy is the content security policy of everything that is no page: nothing may run, be loaded or be framed.
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// watched is the outermost handler: it gives the request its id, the answer its headers, survives panics, and tells
// operators what came of it.
func (g *guard) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		p := &passage{id: requestID(r), raw: http.NewResponseController(w)}
		r = r.WithContext(context.WithValue(r.Context(), passageKey{}, p))
		out := &answered{ResponseWriter: w, raw: p.raw, metrics: g.s.o.Metrics}
		out.renew(0) // what the request before on this connection had
		h := w.Header()
		h.Set("X-Request-ID", p.id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", apiPolicy)
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		defer g.finish(out, r, p, began)
		next.ServeHTTP(out, r)
	})
}

// finish answers what panicked, and logs.
func (g *guard) finish(out *answered, r *http.Request, p *passage, began time.Time) {
	fell := recover()
	if fell != nil && !isAbort(fell) {
		g.s.o.Log.ErrorContext(r.Context(), "request panicked", "panic", fell, "stack", string(debug.Stack()))
		if out.status == 0 {
			g.s.refuse(out, r, fail(http.StatusInternalServerError, "Internal error"))
			fell = nil
		}
	}
	if out.streams {
		g.s.o.Metrics.Stream(-1)
	}
	took := time.Since(began)
	g.s.o.Metrics.Request(p.route, out.code(), took)
	g.log(out, r, p, took)
	if fell != nil {
		panic(http.ErrAbortHandler) // half an answer must not look whole
	}
}

func isAbort(fell any) bool {
	err, ok := fell.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// log tells of an answer. No query is logged: it may hold a key, and what people look for.
func (g *guard) log(out *answered, r *http.Request, p *passage, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case out.code() >= 500:
		level = slog.LevelError
	case isOpen(r.URL.Path) || r.URL.Path == "/metrics":
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("method", r.Method), slog.String("route", p.route), slog.Int("status", out.code()),
		slog.Int64("ms", took.Milliseconds()), slog.Int64("bytes", out.bytes), slog.String("remote", addressOf(r))}
	if p.route == "" {
		attrs = append(attrs, slog.String("path", r.URL.Path))
	}
	if run := runOf(out.Header(), r); run != "" {
		attrs = append(attrs, slog.String("run", run))
	}
	g.s.o.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// runOf is the run that a request speaks of, if it is written as ids are.
func runOf(answer http.Header, r *http.Request) string {
	id := answer.Get("X-Workflow-ID")
	if id == "" {
		id = r.URL.Query().Get("workflow_id")
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/api/v1/tasks/"); id == "" && ok {
		id, _, _ = strings.Cut(rest, "/")
	}
	if !validID.MatchString(id) || id == "stream" {
		return ""
	}
	return id
}

// requestID is the client's own, where it is written as ids are, or a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-ID"); validID.MatchString(id) {
		return id
	}
	return strings.ToLower(rand.Text()[:16])
}

// writeTime is how long a write of an ordinary answer may wait for the client. Streams set deadlines of their own.
const writeTime = time.Minute

// answered notes what became of an answer.
type answered struct {
	http.ResponseWriter
	raw     *http.ResponseController
	metrics Metrics
	status  int
	bytes   int64
	own     bool // the handler sets deadlines of its own
	streams bool // it is an event stream
}

func (a *answered) code() int {
	if a.status == 0 {
		return http.StatusOK
	}
	return a.status
}

func (a *answered) WriteHeader(status int) {
	if a.status != 0 {
		return // an answer begins once: what fails later can only end it
	}
	if status >= 200 {
		a.begin(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

// begin notes the status when the answer begins.
func (a *answered) begin(status int) {
	if a.status != 0 {
		return
	}
	a.status = status
	if strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream") {
		a.streams = true
		a.metrics.Stream(1)
	}
}

func (a *answered) Write(b []byte) (int, error) {
	a.begin(http.StatusOK)
	if !a.own {
		a.renew(writeTime)
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// renew sets the deadline for the next write; 0: none.
func (a *answered) renew(d time.Duration) {
	var at time.Time
	if d > 0 {
		at = time.Now().Add(d)
	}
	if err := a.raw.SetWriteDeadline(at); err != nil {
		return // a connection that is closed says so at the write
	}
}

// SetWriteDeadline is the handler's own.
func (a *answered) SetWriteDeadline(t time.Time) error {
	a.own = true
	return a.raw.SetWriteDeadline(t)
}

// SetReadDeadline does nothing: bodies are read against the guard's deadline. One that a framework sets and leaves
// behind would cancel the request while it is answered.
func (a *answered) SetReadDeadline(time.Time) error { return nil }

func (a *answered) Flush() {
	if err := a.FlushError(); err != nil {
		return // the client is gone
	}
}

// FlushError sends what was written.
func (a *answered) FlushError() error {
	a.begin(http.StatusOK)
	return a.raw.Flush()
}

// Hijack is for protocols that take the connection over.
func (a *answered) Hijack() (net.Conn, *bufio.ReadWriter, error) { return a.raw.Hijack() }

// Unwrap is for http.ResponseController.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// requestHandler adds to every log line whose request it belongs to.
type requestHandler struct{ slog.Handler }

func (h requestHandler) Handle(ctx context.Context, rec slog.Record) error {
	if p, ok := ctx.Value(passageKey{}).(*passage); ok {
		rec = rec.Clone()
		rec.AddAttrs(slog.String("request", p.id))
		if p.key != "" {
			rec.AddAttrs(slog.String("tenant", p.tenant), slog.String("key", p.key))
		}
	}
	return h.Handler.Handle(ctx, rec)
}

func (h requestHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return requestHandler{h.Handler.WithAttrs(a)}
}

func (h requestHandler) WithGroup(name string) slog.Handler {
	return requestHandler{h.Handler.WithGroup(name)}
}
