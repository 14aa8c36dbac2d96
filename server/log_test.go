package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// lines are the log lines with a message, once there are so many: a line is written after its answer.
func (h *gatehouse) lines(msg string, n int) []map[string]any {
	h.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		var out []map[string]any
		for sc := bufio.NewScanner(strings.NewReader(h.log.String())); sc.Scan(); {
			var line map[string]any
			if err := json.Unmarshal(sc.Bytes(), &line); err == nil && line["msg"] == msg {
				out = append(out, line)
			}
		}
		if len(out) >= n {
			return out
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("log:\n%s", h.log.String())
		}
	}
}

func TestRequestIsLoggedWithWhatOperatorsLookFor(t *testing.T) {
	h := newGatehouse(t, nil, map[string]http.HandlerFunc{
		"GET /api/v1/tasks/{id}/probe": func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusAccepted)
		},
		"GET /api/v1/stream/probe": func(http.ResponseWriter, *http.Request) {},
	})
	secret := h.key("laptop", "acme")
	h.ask("GET", "/api/v1/tasks/run-7/probe?query=my+illness", "", "X-API-Key", secret, "X-Request-ID", "mine.1").is(t, "request", 202, "")
	line := h.lines("request", 1)[0]
	for k, want := range map[string]any{"route": "GET /api/v1/tasks/{id}/probe", "status": 202.0, "tenant": "acme", "key": "laptop", "run": "run-7",
		"request": "mine.1", "method": "GET", "level": "INFO", "remote": "127.0.0.1"} {
		if line[k] != want {
			t.Errorf("%s is %v, want %v", k, line[k], want)
		}
	}
	if _, ok := line["ms"].(float64); !ok {
		t.Errorf("ms is %v", line["ms"])
	}
	h.ask("GET", "/api/v1/stream/probe?workflow_id=run-8&api_key="+secret, "").is(t, "stream", 200, "")
	h.ask("GET", "/api/v1/stream/probe?api_key=guess-work", "", "Authorization", "Bearer guess-more").is(t, "guess", 401, "")
	h.ask("GET", "/somewhere/else", "", "X-API-Key", secret, "X-Request-ID", "not an id\"").is(t, "nowhere", 404, "")
	lines := h.lines("request", 4)
	if lines[1]["run"] != "run-8" || lines[3]["path"] != "/somewhere/else" || lines[3]["request"] == "not an id\"" {
		t.Errorf("%v", lines)
	}
	for _, never := range []string{secret, secret[10:20], "guess-work", "guess-more", "illness", "api_key"} {
		if strings.Contains(h.log.String(), never) {
			t.Errorf("%q is in the log:\n%s", never, h.log.String())
		}
	}
}

func TestPanicIsOneSentenceForClientsAndAStackForOperators(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, map[string]http.HandlerFunc{
		"GET /api/v1/panic": func(http.ResponseWriter, *http.Request) { panic("the secret place is /home/x") },
		"GET /v1/panic":     func(http.ResponseWriter, *http.Request) { panic(errors.New("oh")) },
		"GET /api/v1/half": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("half of it ", 1000))
			panic("in the middle")
		},
	})
	h.ask("GET", "/api/v1/panic", "").is(t, "panic", 500, `{"error":"Internal error"}`)
	if a := h.ask("GET", "/v1/panic", ""); a.status != 500 || !strings.Contains(a.body, `"message":"Internal error"`) {
		t.Errorf("under /v1/: %d %s", a.status, a.body)
	}
	res, err := http.Get(h.url + "/api/v1/half")
	if err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	if err == nil {
		t.Error("half an answer looks whole")
	}
	line := h.lines("request panicked", 3)[0]
	if stack, _ := line["stack"].(string); line["panic"] != "the secret place is /home/x" || !strings.Contains(stack, "log_test.go") || line["request"] == nil {
		t.Errorf("%v", line)
	}
	if l := h.lines("request", 3)[0]; l["status"] != 500.0 || l["level"] != "ERROR" {
		t.Errorf("%v", l)
	}
	h.ask("GET", "/api/v1/probe", "").is(t, "the next", 200, "")
}

// The framework sets a deadline for reading the body and leaves it behind: it would cancel whatever takes longer.
func TestDeadlineOfAFrameworkIsNotTheConnections(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open = true }, map[string]http.HandlerFunc{"GET /api/v1/wait": func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Error(err)
		}
		select {
		case <-r.Context().Done():
			t.Error("cancelled")
		case <-time.After(150 * time.Millisecond): // longer than the deadline
		}
	}})
	h.ask("GET", "/api/v1/wait", "").is(t, "wait", 200, "")
}
