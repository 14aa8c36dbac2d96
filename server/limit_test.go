package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestBodiesThatAreTooLarge(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, nil)
	const large = `{"error":"The body is too large: at most 1 MB, a document at most 50 MB"}`
	for _, c := range []struct {
		name   string
		bytes  int
		piece  bool // its length is not known beforehand
		status int
		body   string
	}{
		{"1 MB", maxBody, false, 200, fmt.Sprintf("/local %d bytes", maxBody)},
		{"1 MB in pieces", maxBody, true, 200, fmt.Sprintf("/local %d bytes", maxBody)},
		{"a byte more", maxBody + 1, false, 413, large},
		{"a byte more in pieces", maxBody + 1, true, 413, large},
	} {
		var body io.Reader = strings.NewReader(strings.Repeat("x", c.bytes))
		if c.piece {
			body = io.MultiReader(body)
		}
		req, err := http.NewRequest(http.MethodPost, h.url+"/api/v1/probe", body)
		if err != nil {
			t.Fatal(err)
		}
		h.do(req).is(t, c.name, c.status, c.body)
	}
}

func TestDocumentsMayBeLarger(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, nil)
	body := strings.Repeat("x", 2*maxBody)
	if a := h.ask("POST", "/api/v1/library/documents", body, "Content-Type", "application/octet-stream"); a.status == 413 {
		t.Errorf("%d %s", a.status, a.body)
	}
	req, err := http.NewRequest(http.MethodPost, h.url+"/api/v1/library/documents", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = maxUpload + 1
	if res, err := http.DefaultTransport.RoundTrip(req); err == nil { // the transport minds that the body is shorter
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s", res.Status)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A deadline that stood after the body was read would cancel the request while it is answered.
func TestBodyThatNeverEndsIsGivenUpAndADeadlineIsLeftBehindByNone(t *testing.T) {
	const patience = 150 * time.Millisecond
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &timedBody{ReadCloser: r.Body, raw: http.NewResponseController(w), until: time.Now().Add(patience)}
		if _, err := io.ReadAll(body); err != nil {
			var f *failure
			if !errors.As(unread(err), &f) {
				t.Error(err)
				return
			}
			http.Error(w, f.Sentence, f.status)
			return
		}
		select {
		case <-r.Context().Done():
			t.Error("cancelled while it was answered")
		case <-time.After(2 * patience): // longer than the deadline that was
		}
	}))
	defer s.Close()
	endless, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	for _, c := range []struct {
		body   io.Reader
		status int
	}{{strings.NewReader("all of it"), 200}, {endless, 408}} {
		res, err := http.Post(s.URL, "text/plain", c.body)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil || res.StatusCode != c.status {
			t.Errorf("%s %v, want %d", res.Status, err, c.status)
		}
	}
}

func TestKeyHasItsShareOfRequests(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Rate = 3 }, nil)
	mine, other := h.key("laptop", "acme"), h.key("desk", "acme")
	for i := range 3 {
		h.ask("GET", "/api/v1/probe", "", "X-API-Key", mine).is(t, fmt.Sprint("request ", i), 200, "")
	}
	a := h.ask("GET", "/api/v1/probe", "", "X-API-Key", mine)
	a.is(t, "one too many", 429, `{"error":"Rate limit exceeded","message":"Too many requests with this key: wait, and try again","window":"1m"}`)
	if wait := a.header.Get("Retry-After"); wait != "20" {
		t.Errorf("Retry-After %q", wait)
	}
	var body struct{ Error struct{ Message string } }
	a = h.ask("GET", "/v1/models", "", "X-API-Key", mine)
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != 429 || body.Error.Message == "" || a.header.Get("Retry-After") == "" {
		t.Errorf("under /v1/: %d %s %v", a.status, a.body, err)
	}
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", other).is(t, "another key", 200, "")
	h.pass(20 * time.Second)
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", mine).is(t, "after the wait", 200, "")
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", mine).is(t, "and one more", 429, "")
}

func TestNoLimitWhereNoneIsWanted(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"-1": func(o *Options) { o.Rate = -1 }, "the person at this machine": func(o *Options) { o.Rate, o.Open = 1, true },
	} {
		h := newGatehouse(t, change, nil)
		key := h.key("laptop", "acme")
		if name != "-1" {
			key = ""
		}
		for range 30 {
			h.ask("GET", "/api/v1/probe", "", "X-API-Key", key).is(t, name, 200, "")
		}
	}
}

func TestWhoeverKeepsGuessingWaits(t *testing.T) {
	h := newGatehouse(t, nil, nil)
	good, later := h.key("laptop", "acme"), h.key("desk", "acme")
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", good).is(t, "known", 200, "")
	for i := range failureBurst {
		h.ask("GET", "/api/v1/probe", "", "X-API-Key", fmt.Sprint("guess ", i)).is(t, "a guess", 401, "")
	}
	a := h.ask("GET", "/api/v1/probe", "")
	a.is(t, "one too many", 429, `{"error":"Rate limit exceeded","message":"Too many requests without a valid key: wait, and try again","window":"1m"}`)
	if wait := a.header.Get("Retry-After"); wait != "3" {
		t.Errorf("Retry-After %q", wait)
	}
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", later).is(t, "a key that was not seen yet from there", 429, "")
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", good).is(t, "a key that is known to be good", 200, "")
	h.ask("GET", "/health", "").is(t, "what is open", 200, "")
	h.pass(3 * time.Second)
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", later).is(t, "after the wait", 200, "")
}

func TestLimiterForgetsWhoWaitsNoMore(t *testing.T) {
	l := newLimiter(60, 1)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range maxBuckets {
		l.take(fmt.Sprint(i), now)
	}
	now = now.Add(time.Second) // all are full again, but the next one
	l.take("0", now)
	l.take("new", now)
	if n := len(l.buckets); n != 2 {
		t.Errorf("%d buckets", n)
	}
	if l.take("0", now) == 0 {
		t.Error("who must wait was forgotten")
	}
	for i := range 2 * maxBuckets { // nobody is full: the memory is bounded all the same
		l.take(fmt.Sprint(i), now)
	}
	if n := len(l.buckets); n > maxBuckets {
		t.Errorf("%d buckets", n)
	}
}

func TestAddressIsWhatOneCustomerHas(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:4242":           "192.0.2.7",
		"[::ffff:192.0.2.7]:1":     "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::/64",
		"[2001:db8:1:2::ffff]:2":   "2001:db8:1:2::/64",
		"[fe80::1%eth0]:3":         "fe80::/64",
		"@":                        "@",
	} {
		if got := addressOf(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}
