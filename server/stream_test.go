package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

const bridge = "Why was the Marrowgate Bridge closed in 2023, and what did the repair cost?"

// frame is what stands between two empty lines of a stream.
type frame struct {
	id, event, data, comment, retry string
}

// told is an event's data.
type told struct {
	WorkflowID string `json:"workflow_id"`
	Type       string
	AgentID    string `json:"agent_id"`
	Message    string
	Payload    struct {
		Kind       plumb.EventKind
		ApprovalID string `json:"approval_id"`
		Data       json.RawMessage
	}
	Timestamp time.Time
	Seq       int64
	StreamID  string `json:"stream_id"`
	Response  string
	Metadata  struct{ Final bool }
	Delta     *string
	Reset     bool
}

// sse is an open stream.
type sse struct {
	t    *testing.T
	body io.ReadCloser
	r    *bufio.Reader
	stop context.CancelFunc
}

// listen opens a stream. query is added to that of the run, last is the id to go on after ("": from the beginning).
func listen(t *testing.T, c *http.Client, base, run, query, last string) *sse {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v1/stream/sse?workflow_id="+run+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := c.Do(req) //nolint:bodyclose // sse.close does
	if err != nil {
		t.Fatal(err)
	}
	if ct := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(ct, "text/event-stream") {
		t.Fatal(res.Status, ct)
	}
	s := &sse{t: t, body: res.Body, r: bufio.NewReader(res.Body), stop: cancel}
	if f, err := s.next(); err != nil || f.comment != "connected to workflow "+run {
		t.Fatalf("%+v %v", f, err)
	}
	return s
}

// next reads a frame.
func (s *sse) next() (frame, error) {
	var f frame
	for {
		line, err := s.r.ReadString('\n')
		if err != nil {
			return f, err
		}
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			return f, nil
		case key == "":
			f.comment = value
		case key == "id":
			f.id = value
		case key == "event":
			f.event = value
		case key == "data":
			f.data = value
		case key == "retry":
			f.retry = value
		default:
			s.t.Errorf("line %q", line)
		}
	}
}

// close cuts the connection off, as a browser that is closed does.
func (s *sse) close() {
	s.stop()
	if err := s.body.Close(); err != nil {
		s.t.Log(err)
	}
}

// rest reads to the end of the stream, and says whether done came.
func (s *sse) rest() (frames []frame, done bool) {
	s.t.Helper()
	defer s.close()
	for {
		f, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return frames, done
		case err != nil:
			s.t.Error(err)
			return frames, done
		case done:
			s.t.Errorf("after done: %+v", f)
		case f.event == "done":
			if done = true; f.data != "[DONE]" || f.id != "" {
				s.t.Errorf("%+v", f)
			}
		case f.event != "":
			frames = append(frames, f)
		}
	}
}

func ids(frames []frame) []string {
	var out []string
	for _, f := range frames {
		if f.id != "" {
			out = append(out, f.id)
		}
	}
	return out
}

func open(t *testing.T, f frame) told {
	t.Helper()
	var e told
	if err := json.Unmarshal([]byte(f.data), &e); err != nil {
		t.Fatalf("%v: %s", err, f.data)
	}
	return e
}

// kept are the ids of all events that a run has in the store.
func (h *house) kept(run string) []string {
	h.t.Helper()
	events, err := h.db.Events(context.Background(), run, 0, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		out = append(out, strconv.FormatInt(e.Seq, 10))
	}
	return out
}

// ask starts a run about the example documents.
func (h *house) ask(change func(*front.Ask)) string {
	h.t.Helper()
	if docs, err := h.Tenant("").Documents(context.Background()); err != nil || len(docs) == 0 {
		h.shelve("", 6)
	}
	a := front.Ask{Text: bridge}
	if change != nil {
		change(&a)
	}
	run, err := h.Tenant("").Ask(context.Background(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	return run.ID
}

// finished starts a run and waits for its end.
func (h *house) finished(change func(*front.Ask)) string {
	h.t.Helper()
	id := h.ask(change)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.Tenant("").Follow(ctx, id, 0, func(plumb.Event) error { return nil }); err != nil {
		h.t.Fatal(err)
	}
	return id
}

// gate holds steps of some kinds back until it is opened.
type gate struct {
	kinds []plumb.StepKind
	at    chan struct{} // a step has come to it
	open  chan struct{}
}

func newGate(kinds ...plumb.StepKind) *gate {
	return &gate{kinds: kinds, at: make(chan struct{}, 16), open: make(chan struct{})}
}

func (g *gate) hold(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
	if slices.Contains(g.kinds, t.Step.Kind) {
		g.at <- struct{}{}
		select {
		case <-g.open:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return do(ctx, t)
}

func TestStreamTellsEveryEventAsClientsKnowIt(t *testing.T) {
	h := newHouse(t, nil)
	id := h.finished(nil)
	s := h.serve(nil)
	frames, done := listen(t, s.Client(), s.URL, id, "", "").rest()
	if want := h.kept(id); !done || !slices.Equal(ids(frames), want) {
		t.Fatalf("done %v, ids %v, want %v", done, ids(frames), want)
	}
	events := map[string]int{}
	for _, f := range frames {
		events[f.event]++
		e := open(t, f)
		if e.WorkflowID != id || strconv.FormatInt(e.Seq, 10) != f.id || e.StreamID != f.id || e.AgentID == "" || e.Timestamp.IsZero() || e.Payload.Kind == "" {
			t.Errorf("%+v", e)
		}
		if f.event == "thread.message.completed" && (e.Type != "LLM_OUTPUT" || !strings.Contains(e.Response, "Marrowgate")) {
			t.Errorf("no text in %s", f.data)
		}
	}
	if first, last := open(t, frames[0]), open(t, frames[len(frames)-1]); first.Type != "WORKFLOW_STARTED" || first.Message != bridge || last.Type != "WORKFLOW_COMPLETED" {
		t.Errorf("%+v … %+v", first, last)
	}
	for _, name := range []string{"WORKFLOW_STARTED", "RESEARCH_PLAN_READY", "AGENT_STARTED", "AGENT_COMPLETED", "PROGRESS", "DATA_PROCESSING", "thread.message.completed", "WORKFLOW_COMPLETED"} {
		if events[name] == 0 {
			t.Errorf("no %s among %v", name, events)
		}
	}
}

func TestPublishedTextIsTheReport(t *testing.T) {
	h := newHouse(t, nil)
	id := h.finished(nil)
	s := h.serve(nil)
	frames, _ := listen(t, s.Client(), s.URL, id, "&types=LLM_OUTPUT", "").rest()
	report, err := h.Tenant("").Report(context.Background(), id)
	if err != nil || len(frames) < 2 {
		t.Fatal(err, len(frames))
	}
	draft, final := open(t, frames[len(frames)-2]), open(t, frames[len(frames)-1])
	if final.Response != report.Markdown || !final.Metadata.Final {
		t.Errorf("%.200s", final.Response)
	}
	if draft.Response != report.Draft || draft.Metadata.Final {
		t.Errorf("%.200s", draft.Response)
	}
}

func TestStreamThatIsCutOffAtAnyEventLosesNothing(t *testing.T) {
	h := newHouse(t, nil)
	id := h.finished(nil)
	s := h.serve(nil)
	want := h.kept(id)
	for k := range want {
		first := listen(t, s.Client(), s.URL, id, "", "")
		var got []string
		for range k + 1 {
			f, err := first.next()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, f.id)
		}
		first.close()
		frames, done := listen(t, s.Client(), s.URL, id, "", got[k]).rest()
		if got = append(got, ids(frames)...); !done || !slices.Equal(got, want) {
			t.Fatalf("cut off after %d: done %v, %v", k, done, got)
		}
	}
}

func TestStreamGoesOnAfterAnIDInTheQuery(t *testing.T) {
	h := newHouse(t, nil)
	id := h.finished(nil)
	s := h.serve(nil)
	frames, done := listen(t, s.Client(), s.URL, id, "&last_event_id=3", "").rest()
	if want := h.kept(id)[3:]; !done || !slices.Equal(ids(frames), want) {
		t.Fatal(done, ids(frames))
	}
}

func TestStreamOfARunUnderWayIsCutOffAtEveryEvent(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 6)
	s := h.serve(nil)
	id := h.ask(nil)
	var got []string
	for over, last := false, ""; !over; {
		c := listen(t, s.Client(), s.URL, id, "", last)
		for {
			f, err := c.next()
			if err != nil {
				t.Fatal(err)
			}
			if over = f.event == "done"; over {
				break
			}
			if f.id != "" {
				got, last = append(got, f.id), f.id
				break
			}
		}
		c.close()
	}
	if want := h.kept(id); !slices.Equal(got, want) {
		t.Fatalf("%v\nwant %v", got, want)
	}
}

func TestStreamGoesOnAfterTheServerWasStopped(t *testing.T) {
	g := newGate(plumb.StepWrite)
	h := newHouse(t, g.hold)
	s := h.serve(nil)
	id := h.ask(nil)
	c := listen(t, s.Client(), s.URL, id, "", "")
	<-g.at // the run is in the middle
	var got []string
	for len(got) < 5 {
		f, err := c.next()
		if err != nil {
			t.Fatal(err)
		}
		if f.id != "" {
			got = append(got, f.id)
		}
	}
	c.close()
	h.stop()
	s.Close()

	h = openHouse(t, h.path, nil)
	s = h.serve(nil)
	frames, done := listen(t, s.Client(), s.URL, id, "", got[len(got)-1]).rest()
	got = append(got, ids(frames)...)
	if want := h.kept(id); !done || !slices.Equal(got, want) {
		t.Fatalf("done %v, %v\nwant %v", done, got, want)
	}
	if !slices.ContainsFunc(frames, func(f frame) bool { return f.event == "workflow.resumed" }) {
		t.Error("nothing says that the run was resumed")
	}
}

func TestStreamsEndPolitelyWhenTheServerStops(t *testing.T) {
	g := newGate(plumb.StepWrite)
	h := newHouse(t, g.hold)
	srv := server.New(server.Options{House: h.House, Keys: h.db, Replies: h.db, Open: true})
	s := httptest.NewServer(srv.Handler())
	defer s.Close()
	id := h.ask(nil)
	c := listen(t, s.Client(), s.URL, id, "", "")
	<-g.at
	srv.Stop()
	srv.Stop() // a second signal changes nothing
	var retry bool
	for {
		f, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.event == "done" {
			t.Error("the run has not ended")
		}
		retry = retry || f.retry != ""
	}
	if !retry {
		t.Error("the client is not told to come back")
	}
	close(g.open)
}

func TestTextIsStreamedAsItIsWritten(t *testing.T) {
	listening, heard := make(chan struct{}), make(chan struct{})
	h := newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if t.Step.Kind == plumb.StepWrite {
			<-listening
			for _, piece := range []string{"The", "", "The bridge"} {
				t.Emit(plumb.Event{Kind: plumb.DraftDelta, Text: piece})
			}
			<-heard
		}
		return do(ctx, t)
	})
	s := h.serve(nil)
	id := h.ask(nil)
	c := listen(t, s.Client(), s.URL, id, "&types=thread.message.delta,LLM_OUTPUT,WORKFLOW_STARTED", "")
	if f, err := c.next(); err != nil || f.event != "WORKFLOW_STARTED" { // what comes from now on is heard
		t.Fatalf("%+v %v", f, err)
	}
	close(listening)
	var text []string
	for range 3 {
		f, err := c.next()
		if err != nil {
			t.Fatal(err)
		}
		e := open(t, f)
		if f.event != "thread.message.delta" || f.id != "" || e.Delta == nil || e.WorkflowID != id || e.Reset != (*e.Delta == "") {
			t.Fatalf("%+v", f)
		}
		text = append(text, *e.Delta)
	}
	close(heard)
	if frames, done := c.rest(); !done || len(frames) < 2 || !slices.Equal(text, []string{"The", "", "The bridge"}) {
		t.Error(text, done, frames)
	}
}

func TestStreamFiltersByType(t *testing.T) {
	h := newHouse(t, nil)
	id := h.finished(nil)
	s := h.serve(nil)
	frames, done := listen(t, s.Client(), s.URL, id, "&types=WORKFLOW_COMPLETED,%20AGENT_STARTED,TEAM_RECRUITED", "").rest()
	if !done || len(frames) < 2 {
		t.Fatal(done, frames)
	}
	for _, f := range frames {
		if f.event != "WORKFLOW_COMPLETED" && f.event != "AGENT_STARTED" {
			t.Errorf("%+v", f)
		}
	}
}

func TestWaitingPlanIsAnApprovalWithAnID(t *testing.T) {
	h := newHouse(t, nil)
	s := h.serve(nil)
	id := h.ask(func(a *front.Ask) { a.Approve = true })
	c := listen(t, s.Client(), s.URL, id, "&types=APPROVAL_REQUESTED,RESEARCH_PLAN_UPDATED", "")
	defer c.close()
	asked := func(round int, kinds ...string) {
		t.Helper()
		for _, kind := range kinds {
			f, err := c.next()
			if err != nil || f.event != kind {
				t.Fatalf("%+v %v", f, err)
			}
			if e := open(t, f); kind == "APPROVAL_REQUESTED" && e.Payload.ApprovalID != fmt.Sprintf("%s:plan:%d", id, round) {
				t.Errorf("%+v", e)
			}
		}
	}
	asked(1, "APPROVAL_REQUESTED")
	if err := h.Tenant("").Tell(context.Background(), id, plumb.Signal{Kind: plumb.SigFeedback, Text: "more about money", Round: 1}); err != nil {
		t.Fatal(err)
	}
	asked(2, "RESEARCH_PLAN_UPDATED", "APPROVAL_REQUESTED")
}

func TestPausedAndCancelledRunsAreCalledThat(t *testing.T) {
	g := newGate(plumb.StepWrite, plumb.StepClaims)
	h := newHouse(t, g.hold)
	s := h.serve(nil)
	id := h.ask(nil)
	c := listen(t, s.Client(), s.URL, id, "&types=WORKFLOW_PAUSED,WORKFLOW_RESUMED,WORKFLOW_CANCELLED", "")
	<-g.at
	tell := func(kind plumb.SignalKind, event string) {
		t.Helper()
		if err := h.Tenant("").Tell(context.Background(), id, plumb.Signal{Kind: kind, Text: "lunch"}); err != nil {
			t.Fatal(err)
		}
		f, err := c.next()
		if err != nil || f.event != event {
			t.Fatalf("%+v %v, want %s", f, err, event)
		}
	}
	tell(plumb.SigPause, "workflow.paused")
	g.open <- struct{}{} // the step under way is finished, then nobody works on the run
	for {
		if _, working := h.crew.Load(); working == 0 {
			break
		}
		runtime.Gosched()
	}
	tell(plumb.SigResume, "workflow.resumed")
	<-g.at
	tell(plumb.SigCancel, "workflow.cancelled")
	if frames, done := c.rest(); !done {
		t.Error(frames)
	}
}

func TestStreamRefusesWhatItCannotTell(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("other", 2)
	others, err := h.Tenant("other").Ask(context.Background(), front.Ask{Text: bridge})
	if err != nil {
		t.Fatal(err)
	}
	mine := h.finished(nil)
	s := h.serve(nil)
	for query, want := range map[string]string{
		"":                         `400 {"error":"workflow_id is required"}`,
		"workflow_id=nobody":       `404 {"error":"Task not found"}`,
		"workflow_id=a%2Fb":        `400 {"error":"workflow_id \"a/b\" is not allowed: use 1 to 128 letters, digits and : _ . -"}`,
		"workflow_id=" + others.ID: `404 {"error":"Task not found"}`,
		"workflow_id=" + mine + "&last_event_id=x": `400 {"error":"last_event_id \"x\" is not allowed: use the id of an event of this task"}`,
	} {
		res, err := http.Get(s.URL + "/api/v1/stream/sse?" + query)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(res.StatusCode, " ", strings.TrimSpace(string(body))); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestTwoHundredClientsFollowARun(t *testing.T) {
	g := newGate(plumb.StepWrite)
	h := newHouse(t, g.hold)
	s := h.serve(nil)
	id := h.ask(nil)
	<-g.at
	const n = 200
	got := make([][]string, n)
	var all, ready sync.WaitGroup
	ready.Add(n)
	for i := range n {
		c := listen(t, s.Client(), s.URL, id, "", "")
		all.Go(func() {
			ready.Done()
			frames, done := c.rest()
			if !done {
				t.Errorf("client %d saw no end", i)
			}
			got[i] = ids(frames)
		})
	}
	ready.Wait()
	close(g.open)
	all.Wait()
	want := h.kept(id)
	for i, seen := range got {
		if !slices.Equal(seen, want) {
			t.Fatalf("client %d: %v\nwant %v", i, seen, want)
		}
	}
}

// pipes is a listener whose connections hold back every write until the other end reads.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p <- there
	return here, nil
}

func TestPingsComeAndAClientThatReadsNothingIsCutOff(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(plumb.StepWrite)
		h := openHouse(t, dir+"/plumb.db", g.hold)
		id := h.ask(nil)
		p := make(pipes)
		srv := &http.Server{Handler: server.New(server.Options{House: h.House, Keys: h.db, Replies: h.db, Open: true}).Handler()}
		served := make(chan error, 1)
		go func() { served <- srv.Serve(p) }()
		client := &http.Client{Transport: &http.Transport{DialContext: p.dial}}
		defer client.CloseIdleConnections()

		deaf, err := p.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(deaf, "GET /api/v1/stream/sse?workflow_id=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", id); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		c := listen(t, client, "http://localhost", id, "", "")
		var pings []time.Duration
		for len(pings) < 3 {
			f, err := c.next()
			if err != nil {
				t.Fatal(err)
			}
			if f.comment == "ping" {
				pings = append(pings, time.Since(begun))
			}
		}
		if want := []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second}; !slices.Equal(pings, want) {
			t.Errorf("pings after %v", pings)
		}
		// By now the deaf client has been cut off: what it reads is the little that was under way.
		if rest, err := io.ReadAll(deaf); strings.Contains(string(rest), "WORKFLOW_STARTED") {
			t.Errorf("%q %v", rest, err)
		}
		close(g.open)
		if frames, done := c.rest(); !done {
			t.Error(frames)
		}
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		<-served
		h.stop()
	})
}
