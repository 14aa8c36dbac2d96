package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/plumbresearch/plumb/llm"
)

const (
	testKey = "sk-test-0123456789abcdef"
	oddKey  = "plainlookingkey42" // a key that no pattern knows
)

// asked is a request as a server saw it.
type asked struct {
	method, path string
	header       http.Header
	body         []byte
}

// server answers as a provider does and keeps what it was asked.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []asked
}

func serve(t *testing.T, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		s.asked = append(s.asked, asked{r.Method, r.URL.Path, r.Header.Clone(), body})
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// seen gives the requests so far.
func (s *server) seen() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]asked(nil), s.asked...)
}

// only gives the one request that there was.
func (s *server) only(t *testing.T) asked {
	t.Helper()
	all := s.seen()
	if len(all) != 1 {
		t.Fatalf("%d requests, want 1", len(all))
	}
	return all[0]
}

// says answers every request with the same JSON.
func says(t *testing.T, status int, body string, header ...string) *server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		kind := "application/json"
		if strings.HasPrefix(body, "<") {
			kind = "text/html; charset=utf-8"
		}
		w.Header().Set("Content-Type", kind)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
}

// streams answers every request with events; each is sent on its own.
func streams(t *testing.T, events ...string) *server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) { sendEvents(w, events...) })
}

func sendEvents(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprint(w, e, "\n\n")
		w.(http.Flusher).Flush()
	}
}

// chunks are events of a chat stream: every argument the JSON of one.
func chunks(data ...string) []string {
	var out []string
	for _, d := range data {
		out = append(out, "data: "+d)
	}
	return append(out, "data: [DONE]")
}

// events are those of a message stream, whose type is in their data too.
func events(t *testing.T, data ...string) []string {
	t.Helper()
	var out []string
	for _, d := range data {
		var e struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(d), &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, "event: "+e.Type+"\ndata: "+d)
	}
	return out
}

// at gives Providers that find every provider at the server.
func at(s *server, more ...func(*Options)) *Providers {
	o := Options{
		OpenAIKey: testKey, OpenAIURL: s.URL + "/v1", AnthropicKey: testKey, AnthropicURL: s.URL, GeminiKey: testKey, GeminiURL: s.URL + "/v1beta/openai",
		OllamaHost: s.URL, CompatibleKey: oddKey, CompatibleURL: s.URL + "/api/v1",
	}
	for _, f := range more {
		f(&o)
	}
	return New(o)
}

func open(t *testing.T, p *Providers, name string) llm.Model {
	t.Helper()
	m, err := p.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ask completes a request and fails the test when that fails.
func ask(t *testing.T, m llm.Model, r *llm.Request) *llm.Answer {
	t.Helper()
	a, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func say(text string) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{From: llm.User, Text: text}}}
}

// sameJSON compares two JSON texts but for spaces and the order of fields.
func sameJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

const weatherSchema = `{"type":"object","properties":{"zone":{"type":"string"},"at":{"type":"string"}},"required":["zone","at"],"additionalProperties":false}`

// research is a request with everything in it: two turns, two calls at once, one of them broken, tools and a schema.
func research() *llm.Request {
	return &llm.Request{
		Messages: []llm.Message{
			{From: llm.System, Text: "You look things up."},
			{From: llm.User, Text: "Weather in A and B?"},
			{From: llm.Assistant, Text: "Looking.", Calls: []llm.Call{
				{ID: "c1", Name: "weather", Arguments: `{"zone":"A","at":"noon"}`},
				{ID: "c2", Name: "weather", Arguments: `{"zone":`},
			}},
			{From: llm.ToolReply, Reply: "c1", Text: "rain"},
			{From: llm.ToolReply, Reply: "c2", Text: "sun"},
		},
		Tools:  []llm.Tool{{Name: "weather", About: "Says the weather.", Parameters: json.RawMessage(weatherSchema)}},
		Schema: &llm.Schema{Name: "verdict", JSON: json.RawMessage(weatherSchema)},
		Output: 700,
	}
}
