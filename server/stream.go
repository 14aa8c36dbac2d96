package server

// The event stream of a run: server-sent events that a client can leave at any moment and take up again where it was.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

// Times of a stream.
const (
	pingEvery = 10 * time.Second
	// writeWait is how long a client may leave a write standing before it is cut off. It takes the stream up again where it
	// was; nobody else waits for it.
	writeWait = 15 * time.Second
	// retryWait is when a client should come back after the server has stopped, in milliseconds.
	retryWait = 2000
)

func (s *Server) streamRoutes() {
	s.mux.HandleFunc("GET /api/v1/stream/sse", s.stream)
	text := func(name, in, what string, needed bool) *huma.Param {
		return &huma.Param{Name: name, In: in, Description: what, Required: needed, Schema: &huma.Schema{Type: "string"}}
	}
	s.api.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "stream-events", Method: http.MethodGet, Path: "/api/v1/stream/sse", Summary: "Follow a task", Tags: []string{"stream"},
		Description: "Server-sent events of a task, from the beginning or after an id. Ends with the event done once the task has ended.",
		Parameters: []*huma.Param{
			text("workflow_id", "query", "The task", true),
			text("types", "query", "Only these types of events, with commas between them", false),
			text("last_event_id", "query", "Only events after the one with this id", false),
			text("Last-Event-ID", "header", "The same, as browsers send it", false),
		},
		Responses: map[string]*huma.Response{
			"200": {Description: "The events", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}}},
			"404": {Description: "There is no such task"},
		},
	})
}

// validID is how ids of runs and threads are.
var validID = regexp.MustCompile(`^[A-Za-z0-9:_.\-]{1,128}$`)

// wanted is what a client wants to be told.
type wanted struct {
	run   string
	after int64
	types map[string]bool // nil: all
}

func wants(r *http.Request) (wanted, error) {
	q := r.URL.Query()
	w := wanted{run: q.Get("workflow_id")}
	if w.run == "" {
		return w, fail(http.StatusBadRequest, "workflow_id is required")
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = q.Get("last_event_id")
	}
	if last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 {
			return w, fail(http.StatusBadRequest, fmt.Sprintf("last_event_id %.40q is not allowed: use the id of an event of this task", last))
		}
		w.after = n
	}
	for name := range strings.SplitSeq(q.Get("types"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			if w.types == nil {
				w.types = map[string]bool{}
			}
			w.types[name] = true
		}
	}
	return w, nil
}

// wants tells whether an event passes the filter, by its type or by its name on the wire.
func (w wanted) wants(e wireEvent) bool {
	return w.types == nil || w.types[e.Type] || w.types[e.name()]
}

// stream tells a client all events of a run.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	want, err := wants(r)
	if err == nil {
		_, err = tenant(ctx).Run(ctx, want.run)
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	line := newLine(w)
	defer line.close()
	if line.send([]byte(": connected to workflow "+want.run+"\n\n")) != nil {
		return
	}
	var written string // the step whose text is told whole: deltas of it that come late say nothing
	err = s.follow(ctx, line, want.run, want.after, func(e plumb.Event) error {
		switch {
		case e.Kind == plumb.DraftWritten:
			written = e.Step
		case e.Kind == plumb.DraftDelta && e.Step == written:
			return nil
		}
		return s.show(ctx, line, want, e)
	})
	switch {
	case err == nil:
		err = line.send([]byte("event: done\ndata: [DONE]\n\n"))
	case errors.Is(err, errStopping):
		err = line.send(fmt.Appendf(nil, ": the server is stopping\nretry: %d\n\n", retryWait))
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
		s.o.Log.ErrorContext(ctx, "stream broke off", "run", want.run, "error", err)
	}
}

// show writes an event. Its seq is the id to resume after; deltas have none.
func (s *Server) show(ctx context.Context, line *line, want wanted, e plumb.Event) error {
	told, err := s.told(ctx, tenant(ctx), want.run, e)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, w := range told {
		if !want.wants(w) {
			continue
		}
		data, err := w.data()
		if err != nil {
			return err
		}
		if w.Seq > 0 {
			fmt.Fprintf(&b, "id: %d\n", w.Seq)
		}
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", w.name(), data)
	}
	if b.Len() == 0 {
		return nil
	}
	return line.send(b.Bytes())
}

// told is wire with the texts that events announce: drafts and the published report are kept beside the events.
func (s *Server) told(ctx context.Context, t *front.Tenant, run string, e plumb.Event) ([]wireEvent, error) {
	told := wire(run, e)
	for i := range told {
		if told[i].Metadata == nil {
			continue
		}
		var err error
		if told[i].Metadata.Final {
			told[i].Response, err = t.Markdown(ctx, run)
		} else {
			told[i].Response, err = t.Draft(ctx, run, e.Step)
		}
		if err != nil && !errors.Is(err, engine.ErrNotFound) { // an attempt that was not finished has left none
			return nil, err
		}
	}
	return told, nil
}

// errStopping ends streams when the server is about to stop: their clients come back to the next one.
var errStopping = errors.New("the server is stopping")

// Stop ends streams and waiting chats politely. Call it before http.Server.Shutdown, which would wait for them.
func (s *Server) Stop() { s.stop() }

// follow calls f with the events of a run after a seq until the run has ended, and keeps the line open meanwhile.
func (s *Server) follow(ctx context.Context, line *line, run string, after int64, f func(plumb.Event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	events, over := make(chan plumb.Event), make(chan error, 1)
	go func() {
		defer close(over)
		over <- tenant(ctx).Follow(ctx, run, after, func(e plumb.Event) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	defer func() {
		cancel()
		for range over { // it is closed when the follower is gone
		}
	}()
	return s.relay(line, events, over, f)
}

// relay takes events as they come and pings between them.
func (s *Server) relay(line *line, events <-chan plumb.Event, over <-chan error, f func(plumb.Event) error) error {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		select {
		case e := <-events:
			err = f(e)
		case <-ping.C:
			err = line.send([]byte(": ping\n\n"))
		case <-s.stopping:
			err = errStopping
		case err := <-over:
			return err
		}
		if err != nil {
			return err
		}
	}
}

// errGone: the client has left, or reads nothing.
var errGone = errors.New("the client is gone")

// line is an open answer that is written piece by piece.
type line struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// newLine begins an answer that no proxy should hold back.
func newLine(w http.ResponseWriter) *line {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	return &line{w: w, rc: http.NewResponseController(w)}
}

// close leaves the connection as it was, for the request that may come after on it.
func (l *line) close() {
	if err := l.rc.SetWriteDeadline(time.Time{}); err != nil {
		return // it is closed already, or can have no deadline
	}
}

// send writes a piece and waits for the client at most writeWait.
func (l *line) send(b []byte) error {
	if err := l.rc.SetWriteDeadline(time.Now().Add(writeWait)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if _, err := l.w.Write(b); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if err := l.rc.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
}
