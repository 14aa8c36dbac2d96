package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/front"
)

// counter answers each time with another number, as its body orders.
func counter(t *testing.T) (routes map[string]http.HandlerFunc, times *atomic.Int32) {
	times = &atomic.Int32{}
	return map[string]http.HandlerFunc{"/api/v1/order": func(w http.ResponseWriter, r *http.Request) {
		n := times.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Workflow-ID", fmt.Sprint("run-", n))
		status := http.StatusCreated
		switch string(body) {
		case "fail":
			status = http.StatusInternalServerError
		case "refuse":
			status = http.StatusBadRequest
		case "panic":
			panic("on order")
		case "stream":
			w.Header().Set("Content-Type", "text/event-stream")
		case "flush":
			w.WriteHeader(http.StatusOK)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		case "large":
			if _, err := w.Write(make([]byte, maxKept)); err != nil {
				t.Error(err)
			}
		case "nothing":
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.WriteHeader(status)
		if _, err := fmt.Fprint(w, "answer ", n); err != nil {
			t.Error(err)
		}
	}}, times
}

func TestSameRequestUnderTheSameKeyIsDoneOnce(t *testing.T) {
	routes, times := counter(t)
	h := newGatehouse(t, nil, routes)
	key := h.key("laptop", "acme")
	send := func(body string) answer {
		t.Helper()
		return h.ask("POST", "/api/v1/order", body, "X-API-Key", key, "Idempotency-Key", "k")
	}
	first := send("same")
	first.is(t, "first", 201, "answer 1")
	if first.header.Get("X-Idempotency-Cached") != "" {
		t.Error("the first says that it is a copy")
	}
	h.pass(24*time.Hour - time.Second)
	again := send("same")
	again.is(t, "again", 201, "answer 1")
	if again.header.Get("X-Idempotency-Cached") != "true" || again.header.Get("X-Workflow-ID") != "run-1" {
		t.Errorf("headers %v", again.header)
	}
	if again.header.Get("X-Request-ID") == first.header.Get("X-Request-ID") {
		t.Error("the copy has the request id of the first")
	}
	if n := times.Load(); n != 1 {
		t.Errorf("done %d times", n)
	}
	h.pass(2 * time.Second)
	send("same").is(t, "after a day", 201, "answer 2")
}

func TestIdempotencyKeyBelongsToOneRequestOfOneTenant(t *testing.T) {
	routes, _ := counter(t)
	h := newGatehouse(t, func(o *Options) { o.Open = true }, routes)
	acme, bolt := h.key("laptop", "acme"), h.key("desk", "bolt")
	send := func(method, path, body string, headers ...string) answer {
		t.Helper()
		return h.ask(method, path, body, append(headers, "Idempotency-Key", "k")...)
	}
	const other = `{"error":"This Idempotency-Key was used for another request"}`
	send("POST", "/api/v1/order", "same", "X-API-Key", acme).is(t, "first", 201, "answer 1")
	send("POST", "/api/v1/order", "other", "X-API-Key", acme).is(t, "another body", 409, other)
	send("POST", "/api/v1/order?x=1", "same", "X-API-Key", acme).is(t, "another query", 409, other)
	send("POST", "/api/v1/probe", "same", "X-API-Key", acme).is(t, "another path", 409, other)
	send("POST", "/api/v1/order", "same", "X-API-Key", bolt).is(t, "another tenant", 201, "answer 2")
	send("POST", "/api/v1/order", "same").is(t, "the person at the machine", 201, "answer 3")
	send("PATCH", "/api/v1/order", "same", "X-API-Key", acme).is(t, "another method is no matter of the key", 201, "answer 4")
	send("GET", "/api/v1/order", "", "X-API-Key", acme).is(t, "neither is reading", 201, "answer 5")
	send("POST", "/api/v1/order", "same", "X-API-Key", "wrong").is(t, "a stranger", 401, authenticate)
}

func TestFailureGivesTheIdempotencyKeyBack(t *testing.T) {
	for _, c := range []struct {
		order  string
		status int
	}{{"fail", 500}, {"refuse", 400}, {"panic", 500}} {
		routes, times := counter(t)
		h := newGatehouse(t, func(o *Options) { o.Open = true }, routes)
		for range 2 {
			h.ask("POST", "/api/v1/order", c.order, "Idempotency-Key", "k").is(t, c.order, c.status, "")
		}
		h.ask("POST", "/api/v1/order", "better", "Idempotency-Key", "k").is(t, "after "+c.order, 201, "answer 3")
		if n := times.Load(); n != 3 {
			t.Errorf("%s: done %d times", c.order, n)
		}
	}
}

func TestAnswersThatAreNotHeldBack(t *testing.T) {
	for _, order := range []string{"stream", "flush", "large"} {
		routes, times := counter(t)
		h := newGatehouse(t, func(o *Options) { o.Open = true }, routes)
		for i := range 2 {
			a := h.ask("POST", "/api/v1/order", order, "Idempotency-Key", "k")
			if a.status/100 != 2 || !strings.HasSuffix(a.body, fmt.Sprint("answer ", i+1)) || a.header.Get("X-Workflow-ID") == "" {
				t.Errorf("%s: %d %.40q %v", order, a.status, a.body, a.header)
			}
		}
		if n := times.Load(); n != 2 {
			t.Errorf("%s: done %d times", order, n)
		}
	}
}

func TestAnswerWithoutABodyIsKept(t *testing.T) {
	routes, times := counter(t)
	h := newGatehouse(t, func(o *Options) { o.Open = true }, routes)
	for range 2 {
		h.ask("POST", "/api/v1/order", "nothing", "Idempotency-Key", "k").is(t, "nothing", 204, "")
	}
	if n := times.Load(); n != 1 {
		t.Errorf("done %d times", n)
	}
}

func TestIdempotencyKeysThatAreNone(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, nil)
	for _, key := range []string{"a b", "ä", strings.Repeat("k", 256)} {
		if a := h.ask("POST", "/api/v1/probe", "x", "Idempotency-Key", key); a.status != 400 || !strings.Contains(a.body, "Idempotency-Key") {
			t.Errorf("%q: %d %s", key, a.status, a.body)
		}
	}
	h.ask("POST", "/api/v1/probe", strings.Repeat("x", maxBody+1), "Idempotency-Key", "k").is(t, "too large", 413, "")
}

func TestTwinOfARequestUnderWayIsToldSo(t *testing.T) {
	entered, leave := make(chan struct{}, 1), make(chan struct{})
	h := newGatehouse(t, func(o *Options) { o.Open = true }, map[string]http.HandlerFunc{"POST /api/v1/slow": func(w http.ResponseWriter, _ *http.Request) {
		entered <- struct{}{}
		<-leave
		w.WriteHeader(http.StatusAccepted)
	}})
	send := func() answer { return h.ask("POST", "/api/v1/slow", "same", "Idempotency-Key", "k") }
	first := make(chan answer)
	go func() { first <- send() }()
	<-entered
	send().is(t, "twin", 409, `{"error":"A request with this Idempotency-Key is in progress"}`)
	close(leave)
	(<-first).is(t, "first", 202, "")
	send().is(t, "after", 202, "")
}

// A client that goes away before its answer is there comes back and finds it.
func TestAnswerIsKeptForAClientThatWentAway(t *testing.T) {
	entered, done := make(chan struct{}), make(chan struct{})
	var times atomic.Int32
	h := newGatehouse(t, func(o *Options) { o.Open = true }, map[string]http.HandlerFunc{"POST /api/v1/slow": func(w http.ResponseWriter, r *http.Request) {
		times.Add(1)
		close(entered)
		<-r.Context().Done()
		w.WriteHeader(http.StatusAccepted)
		close(done)
	}})
	ctx, leave := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/api/v1/slow", strings.NewReader("same"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", "k")
	go func() { <-entered; leave() }()
	if res, err := http.DefaultTransport.RoundTrip(req); err == nil {
		_ = res.Body.Close()
		t.Error(res.Status)
	}
	<-done
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		a := h.ask("POST", "/api/v1/slow", "same", "Idempotency-Key", "k")
		if a.status == 202 && a.header.Get("X-Idempotency-Cached") == "true" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if n := times.Load(); n != 1 {
		t.Errorf("done %d times", n)
	}
}

// brokenReplies is a store whose disk is full.
type brokenReplies struct{ front.Replies }

func (brokenReplies) KeepReply(context.Context, front.Reply) error {
	return errors.New("disk full at /var/lib/plumb")
}

func TestAnswerThatCanNotBeKeptIsGivenAllTheSame(t *testing.T) {
	routes, _ := counter(t)
	h := newGatehouse(t, func(o *Options) { o.Open, o.Replies = true, brokenReplies{o.Replies} }, routes)
	h.ask("POST", "/api/v1/order", "same", "Idempotency-Key", "k").is(t, "first", 201, "answer 1")
	h.ask("POST", "/api/v1/order", "same", "Idempotency-Key", "k").is(t, "second", 201, "answer 2")
	if !strings.Contains(h.log.String(), "disk full") {
		t.Error("operators are not told")
	}
}
