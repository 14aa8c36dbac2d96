package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// listen listens on a free port.
func listen(t *testing.T, host string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestServerThatOthersReachNeedsKeys(t *testing.T) {
	for _, c := range []struct {
		name, host string
		open, key  bool
		why        string // empty: it serves
	}{
		{"loopback, open", "127.0.0.1", true, false, ""},
		{"loopback, closed, no key yet", "127.0.0.1", false, false, ""},
		{"everywhere, closed, with a key", "0.0.0.0", false, true, ""},
		{"everywhere, closed, no key", "0.0.0.0", false, false, "plumb serve keys add"},
		{"everywhere, open", "0.0.0.0", true, true, "127.0.0.1"},
	} {
		h := newGatehouse(t, func(o *Options) { o.Open = c.open }, nil)
		if c.key {
			h.key("laptop", "acme")
		}
		ctx, stop := context.WithCancel(context.Background())
		l := listen(t, c.host)
		over := make(chan error, 1)
		go func() { over <- h.s.Serve(ctx, l) }()
		if c.why == "" {
			_, port, err := net.SplitHostPort(l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.Get("http://127.0.0.1:" + port + "/health")
			if err != nil {
				t.Fatal(c.name, err)
			}
			if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("%s: %s %v", c.name, res.Status, err)
			}
			stop()
		}
		err := <-over
		if (err == nil) != (c.why == "") || (err != nil && !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
			t.Errorf("%s: still listening", c.name)
		}
		stop()
	}
}

func TestShutdownLetsRequestsFinishAndEndsStreams(t *testing.T) {
	entered, leave := make(chan string, 2), make(chan struct{})
	var h *gatehouse
	h = newGatehouse(t, func(o *Options) { o.Open = true }, map[string]http.HandlerFunc{
		"GET /api/v1/slow": func(w http.ResponseWriter, _ *http.Request) {
			entered <- "slow"
			<-leave
			_, _ = io.WriteString(w, "all of it")
		},
		"GET /api/v1/stream/probe": func(w http.ResponseWriter, r *http.Request) {
			l := newLine(w)
			defer l.close()
			if err := l.send([]byte(": hello\n\n")); err != nil {
				t.Error(err)
			}
			entered <- "stream"
			select {
			case <-h.s.stopping:
			case <-r.Context().Done():
				t.Error("the stream was cut off")
			}
		},
	})
	ctx, stop := context.WithCancel(context.Background())
	l := listen(t, "127.0.0.1")
	over := make(chan error, 1)
	go func() { over <- h.s.Serve(ctx, l) }()
	got := make(chan string, 2)
	for _, path := range []string{"/api/v1/slow", "/api/v1/stream/probe"} {
		go func() {
			res, err := http.Get("http://" + l.Addr().String() + path)
			if err != nil {
				got <- path + ": " + err.Error()
				return
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil {
				body = []byte(err.Error())
			}
			got <- path + ": " + string(body)
		}()
		<-entered
	}
	stop()
	if first := <-got; first != "/api/v1/stream/probe: : hello\n\n" {
		t.Errorf("%q", first)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) { // nobody new is let in
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
		if time.Now().After(deadline) {
			t.Fatal("still listening")
		}
	}
	select {
	case err := <-over:
		t.Fatalf("over before the request was: %v", err)
	default:
	}
	close(leave)
	if second := <-got; second != "/api/v1/slow: all of it" {
		t.Errorf("%q", second)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
}

func TestReadinessSaysWhyNotAndNothingMore(t *testing.T) {
	for _, c := range []struct {
		name   string
		ready  func(context.Context) error
		status int
		body   string
	}{
		{"ready", func(context.Context) error { return nil }, 200, ""},
		{"not asked", nil, 200, ""},
		{"broken", func(context.Context) error { return &net.OpError{Op: "dial", Net: "tcp", Err: io.EOF} }, 503, `{"error":"The store can't be used"}`},
		{"slow", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 503, `{"error":"The store did not answer within 2s"}`},
	} {
		h := newGatehouse(t, func(o *Options) { o.Ready, o.Load = c.ready, func() (int, int) { return 3, 2 } }, nil)
		a := h.ask("GET", "/readiness", "")
		a.is(t, c.name, c.status, c.body)
		if c.status == 200 && (!strings.Contains(a.body, `"status":"ready"`) || !strings.Contains(a.body, `"queued":3`)) {
			t.Error(a.body)
		}
		h.ask("GET", "/health", "").is(t, "health while "+c.name, 200, "")
	}
	h := newGatehouse(t, nil, nil)
	if a := h.ask("GET", "/health", ""); !strings.Contains(a.body, `"status":"healthy"`) {
		t.Error(a.body)
	}
	h.s.Stop()
	h.ask("GET", "/readiness", "").is(t, "stopping", 503, `{"error":"The server is stopping"}`)
}
