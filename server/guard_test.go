package server

// The guard with routes of the tests' own behind it: who is let in, and what the others are told.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// gatehouse is a guarded server, its keys, its clock and its log.
type gatehouse struct {
	t   *testing.T
	url string
	db  *sqlite.DB
	s   *Server
	log *syncBuffer

	mu  sync.Mutex
	now time.Time
}

// syncBuffer is a buffer that a server writes to while the test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// newGatehouse needs keys, unless change says otherwise. /api/v1/probe says who asked and what came.
func newGatehouse(t *testing.T, change func(*Options), routes map[string]http.HandlerFunc) *gatehouse {
	t.Helper()
	db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "plumb.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &gatehouse{t: t, db: db, log: &syncBuffer{}, now: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)}
	o := Options{House: &front.House{Store: db, Library: &library.Library{Index: db}, Feed: front.NewFeed()}, Keys: db, Replies: db, Now: h.clock,
		Log: slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if change != nil {
		change(&o)
	}
	h.s = New(o)
	h.s.mux.HandleFunc("/api/v1/probe", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			h.s.refuse(w, r, err)
			return
		}
		if _, err := fmt.Fprintf(w, "%s/%s %d bytes", tenant(r.Context()).Name(), by(r.Context()), len(body)); err != nil {
			t.Error(err)
		}
	})
	for pattern, f := range routes {
		h.s.mux.HandleFunc(pattern, f)
	}
	server := httptest.NewServer(h.s.Handler())
	h.url = server.URL
	t.Cleanup(func() {
		server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *gatehouse) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// pass lets time pass.
func (h *gatehouse) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// key makes a key of a tenant and gives its secret.
func (h *gatehouse) key(name, tenant string) string {
	h.t.Helper()
	k, secret, err := front.NewKey(name, tenant, h.clock())
	if err == nil {
		err = h.db.AddKey(context.Background(), k)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return secret
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request whose headers come in pairs. "Host" sets the host.
func (h *gatehouse) ask(method, path, body string, headers ...string) answer {
	h.t.Helper()
	var b io.Reader
	if body != "" {
		b = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, h.url+path, b)
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	return h.do(req)
}

func (h *gatehouse) do(req *http.Request) answer {
	h.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		h.t.Fatal(err)
	}
	got, err := io.ReadAll(res.Body)
	if e := res.Body.Close(); err == nil {
		err = e
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, strings.TrimSpace(string(got))}
}

// is fails unless an answer has a status and, where given, a body.
func (a answer) is(t *testing.T, what string, status int, body string) {
	t.Helper()
	if a.status != status || (body != "" && a.body != body) {
		t.Errorf("%s: %d %s\nwant %d %s", what, a.status, a.body, status, body)
	}
}

const authenticate = `{"error":"Authentication required"}`

func TestWithoutAGoodKeyNobodyIsLetIn(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Rate = -1 }, map[string]http.HandlerFunc{
		"GET /api/v1/stream/probe": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, by(r.Context())) },
	})
	good := h.key("laptop", "acme")
	for _, c := range []struct {
		name, method, path string
		headers            []string
		status             int
		body               string
	}{
		{"X-API-Key", "GET", "/api/v1/probe", []string{"X-API-Key", good}, 200, "acme/laptop 0 bytes"},
		{"bearer", "GET", "/api/v1/probe", []string{"Authorization", "Bearer " + good}, 200, "acme/laptop 0 bytes"},
		{"bearer in another case", "GET", "/api/v1/probe", []string{"Authorization", "bearer " + good}, 200, ""},
		{"in the address of a stream", "GET", "/api/v1/stream/probe?api_key=" + good, nil, 200, "laptop"},
		{"none", "GET", "/api/v1/probe", nil, 401, authenticate},
		{"empty", "GET", "/api/v1/probe", []string{"X-API-Key", ""}, 401, authenticate},
		{"wrong", "GET", "/api/v1/probe", []string{"X-API-Key", "plumb_wrong"}, 401, authenticate},
		{"a good one and something more", "GET", "/api/v1/probe", []string{"X-API-Key", good + "x"}, 401, authenticate},
		{"the hash", "GET", "/api/v1/probe", []string{"X-API-Key", front.HashKey(good)}, 401, authenticate},
		{"the name", "GET", "/api/v1/probe", []string{"X-API-Key", "laptop"}, 401, authenticate},
		{"basic", "GET", "/api/v1/probe", []string{"Authorization", "Basic " + good}, 401, authenticate},
		{"bare", "GET", "/api/v1/probe", []string{"Authorization", good}, 401, authenticate},
		{"bearer of nothing", "GET", "/api/v1/probe", []string{"Authorization", "Bearer "}, 401, authenticate},
		{"a wrong one before a good one", "GET", "/api/v1/probe", []string{"X-API-Key", "x", "Authorization", "Bearer " + good}, 401, authenticate},
		{"in the address of something else", "GET", "/api/v1/probe?api_key=" + good, nil, 401, authenticate},
		{"in the address of a POST", "POST", "/api/v1/stream/probe?api_key=" + good, nil, 401, authenticate},
		{"a path that is not there", "GET", "/nowhere", nil, 401, authenticate},
		{"a path that leaves an open one", "GET", "/web/../api/v1/probe", nil, 401, ""},
		{"metrics", "GET", "/metrics", nil, 401, authenticate},
		{"mcp", "POST", "/mcp", nil, 401, authenticate},
	} {
		a := h.ask(c.method, c.path, "", c.headers...)
		if c.name == "a path that leaves an open one" && a.status/100 == 3 {
			continue // the mux sends it to the clean path, which is closed
		}
		a.is(t, c.name, c.status, c.body)
		if challenge := a.header.Get("WWW-Authenticate"); (challenge == "Bearer") != (c.status == 401) {
			t.Errorf("%s: WWW-Authenticate %q", c.name, challenge)
		}
		h.pass(time.Minute) // failures are limited too
	}
}

func TestOpenAIClientsAreToldInTheirWay(t *testing.T) {
	h := newGatehouse(t, nil, nil)
	a := h.ask("GET", "/v1/models", "")
	var body struct {
		Error struct{ Message, Type, Code string }
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != 401 || body.Error.Message != "Authentication required" || body.Error.Type == "" {
		t.Errorf("%d %s: %v", a.status, a.body, err)
	}
}

func TestWhatTellsNothingOfAnybodyIsOpen(t *testing.T) {
	h := newGatehouse(t, nil, nil)
	for _, path := range []string{"/health", "/readiness", "/openapi.json", "/", "/web/index.html"} {
		h.ask("GET", path, "").is(t, path, 200, "")
	}
	h.ask("GET", "/health", "", "X-API-Key", "wrong").is(t, "a wrong key is wrong everywhere", 401, authenticate)
}

func TestEveryRouteOfTheDocumentIsClosed(t *testing.T) {
	h := newGatehouse(t, nil, nil)
	n := 0
	for path, item := range h.s.api.OpenAPI().Paths {
		for method, op := range map[string]any{"GET": item.Get, "POST": item.Post, "PATCH": item.Patch, "PUT": item.Put, "DELETE": item.Delete} {
			if fmt.Sprint(op) == "<nil>" || isOpen(path) {
				continue
			}
			n++
			path := strings.NewReplacer("{id}", "x", "{hash}", "y").Replace(path)
			if a := h.ask(method, path, ""); a.status != 401 {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
			h.pass(time.Minute)
		}
	}
	t.Logf("%d routes", n)
}

func TestOpenServerKnowsThePersonAtTheMachineAndStillChecksKeys(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, nil)
	good := h.key("laptop", "acme")
	h.ask("GET", "/api/v1/probe", "").is(t, "without a key", 200, "/local 0 bytes")
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", good).is(t, "with a key", 200, "acme/laptop 0 bytes")
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", "wrong").is(t, "with a wrong key", 401, authenticate)
}

func TestDroppedKeyDiesWithinHalfAMinute(t *testing.T) {
	h := newGatehouse(t, nil, nil)
	secret := h.key("laptop", "acme")
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", secret).is(t, "before", 200, "")
	if err := h.db.DropKey(context.Background(), "laptop"); err != nil {
		t.Fatal(err)
	}
	h.pass(30 * time.Second)
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", secret).is(t, "after", 401, authenticate)
	again := h.key("laptop", "bolt")
	h.ask("GET", "/api/v1/probe", "", "X-API-Key", again).is(t, "a new key works at once", 200, "bolt/laptop 0 bytes")
}

func TestIDsThatAreNone(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, nil)
	long := strings.Repeat("a", 129)
	for _, path := range []string{
		"/api/v1/tasks/a%20b", "/api/v1/tasks/a%2Fb", "/api/v1/tasks/%00", "/api/v1/tasks/" + long, "/api/v1/tasks/ä/events", "/api/v1/sessions/a%3Bb",
		"/api/v1/tasks/%3Cscript%3E/report", "/api/v1/tasks?session_id=a%20b", "/api/v1/stream/sse?workflow_id=a%0Ab",
	} {
		a := h.ask("GET", path, "")
		if a.status != 400 || !strings.HasPrefix(a.body, `{"error":"`) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/api/v1/tasks/" + long[1:], "/api/v1/tasks/A:b_c.d-9", "/api/v1/stream/sse?workflow_id=nobody"} {
		h.ask("GET", path, "").is(t, path, 404, "")
	}
}

func TestWhatHasNoRouteIsSaidInOneSentence(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, nil)
	h.ask("GET", "/nowhere", "").is(t, "path", 404, `{"error":"Not found"}`)
	a := h.ask("PUT", "/health", "")
	a.is(t, "method", 405, `{"error":"Method not allowed here: use GET, HEAD"}`)
	if allow := a.header.Get("Allow"); allow != "GET, HEAD" {
		t.Errorf("Allow %q", allow)
	}
}
