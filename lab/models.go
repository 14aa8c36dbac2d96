package lab

// Models are servers of scripted language models: real HTTP in the formats of OpenAI and Anthropic, a mind that answers
// the program's prompts from what stands in them, and knobs for everything that goes wrong with real ones.

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb/llm"
)

// Models serves scripted models under any name. The zero value is a faultless one that knows every model and asks for
// no key.
type Models struct {
	Knobs    Knobs
	Seed     uint64        // of the faults: the same seed and requests give the same faults
	Window   int           // tokens of a prompt, at most; 0: no bound
	Weak     bool          // refuses tools and schemas, and chats around its answers
	Key      string        // that callers must show; "": none is asked for
	Known    []string      // models; nil: every name is one
	Keep     bool          // every request body for Stats
	Latency  time.Duration // before the first byte of an answer
	StallFor time.Duration // how long a stalled call hangs; 0: until the client gives up
	Remote   *Remote       // deep-research services on the same server; nil: none
	// Mind answers instead of the scripted mind; a nil answer leaves it to that.
	Mind func(*llm.Request) *llm.Answer

	mu    sync.Mutex
	seen  map[uint64]int // how often each request came
	cache cache
	stats Stats
}

// maxBody bounds a request; the providers' own bound is 32 MB.
const maxBody = 32 << 20

// Handler serves both formats, with and without the prefixes that providers have.
func (m *Models) Handler() http.Handler {
	mux := http.NewServeMux()
	if m.Remote != nil {
		m.Remote.mount(mux)
	}
	for _, prefix := range []string{"", "/v1", "/v1beta/openai"} {
		mux.HandleFunc("POST "+prefix+"/chat/completions", m.talk(openAI{}))
		mux.HandleFunc("POST "+prefix+"/messages", m.talk(anthropic{}))
		mux.HandleFunc("POST "+prefix+"/embeddings", m.embeddings)
		mux.HandleFunc("GET "+prefix+"/models", m.models)
		mux.HandleFunc("GET "+prefix+"/models/{id...}", m.models)
	}
	return mux
}

// Serve serves m on a free port of the loopback. The URL has no path: OpenAI's clients are given URL + "/v1". It panics
// where there is no port, as test servers do.
func Serve(m *Models) (url string, stop func()) {
	url, stop, err := m.Listen(0)
	if err != nil {
		panic(err)
	}
	return url, stop
}

// Listen serves m on a port of the loopback; 0 is a free one. Stop ends calls that are under way too.
func (m *Models) Listen(port int) (url string, stop func(), err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return "", nil, fmt.Errorf("models: %w", err)
	}
	s := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // nothing but Close ends it
		}
	}()
	return "http://" + l.Addr().String(), func() {
		if err := s.Close(); err == nil {
			<-done
		}
	}, nil
}

// wire is one format of chats.
type wire interface {
	// key is what the caller shows; "" where none is.
	key(r *http.Request) string
	// read takes a request apart, or says what is wrong with it.
	read(r *http.Request, body []byte) (*call, *fault)
	// fail writes an error.
	fail(w http.ResponseWriter, f *fault)
	// whole writes an answer in one piece.
	whole(w io.Writer, c *call, a *llm.Answer)
	// events are the pieces of a streamed answer.
	events(c *call, a *llm.Answer) []event
	// broken is the event that says a stream can't go on.
	broken(f *fault) event
}

// call is a request of either wire.
type call struct {
	model  string
	id     string // of the answer
	stream bool
	usage  bool   // OpenAI: the stream ends with the usage
	forced string // tool that must be called: its arguments are the answer
	req    *llm.Request
	prompt prompt
	blocks []block // Anthropic: the prompt as its cache sees it
	wrote  int64   // Anthropic: tokens put into the cache
}

// talk answers a chat.
func (m *Models) talk(w wire) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
		if err != nil {
			w.fail(rw, &fault{kind: "body", status: http.StatusRequestEntityTooLarge, code: "request_too_large", text: "Request exceeds the maximum size"})
			return
		}
		if f := m.admit(w.key(r)); f != nil {
			m.record(r.URL.Path, nil, body, f.kind)
			w.fail(rw, f)
			return
		}
		c, f := w.read(r, body)
		if f == nil {
			f = m.refuse(c)
		}
		if f != nil {
			m.record(r.URL.Path, c, body, f.kind)
			w.fail(rw, f)
			return
		}
		m.reply(rw, r, w, c, body)
	}
}

// reply answers a call that is in order, or suffers one of the faults.
func (m *Models) reply(rw http.ResponseWriter, r *http.Request, w wire, c *call, body []byte) {
	d := m.dice(r.URL.Path, body)
	c.id = fmt.Sprintf("%016x", d.hash("id"))
	rw.Header().Set("X-Request-Id", "req_"+c.id)
	if !wait(r.Context(), m.Latency) {
		return
	}
	f := m.strike(d, w)
	if f != nil && f.kind != "stall" && !f.billed {
		m.record(r.URL.Path, c, body, f.kind)
		w.fail(rw, f)
		return
	}
	a, spoilt := m.think(c, d)
	m.meter(c, a)
	kinds := spoilt
	if f != nil {
		kinds = append(kinds, f.kind)
		f.usage = &a.Usage
	}
	m.record(r.URL.Path, c, body, kinds...)
	m.bill(a.Usage)
	switch {
	case c.stream:
		m.send(rw, r, w, c, a, f)
	case f == nil:
		rw.Header().Set("Content-Type", "application/json")
		w.whole(rw, c, a)
	case f.billed:
		w.fail(rw, f)
	default:
		m.hang(r.Context())
	}
}

// admit checks the key.
func (m *Models) admit(key string) *fault {
	switch {
	case m.Key == "" || subtle.ConstantTimeCompare([]byte(key), []byte(m.Key)) == 1:
		return nil
	case key == "":
		return &fault{kind: "key", status: http.StatusUnauthorized, text: "You didn't provide an API key."}
	}
	return &fault{kind: "key", status: http.StatusUnauthorized, code: "invalid_api_key", text: "Incorrect API key provided: " + masked(key) + "."}
}

// masked shows of a key what providers show.
func masked(key string) string {
	if len(key) < 8 {
		return strings.Repeat("*", len(key))
	}
	return key[:3] + strings.Repeat("*", len(key)-7) + key[len(key)-4:]
}

// refuse finds what this model can't do.
func (m *Models) refuse(c *call) *fault {
	switch tokens := c.req.Tokens(); {
	case m.Known != nil && !slices.Contains(m.Known, c.model):
		return &fault{kind: "model", status: http.StatusNotFound, code: "model_not_found", text: c.model}
	case m.Weak && len(c.req.Tools)+len(c.forced) > 0:
		return &fault{kind: "weak", status: http.StatusBadRequest, text: c.model + " does not support tools"}
	case m.Weak && c.req.Schema != nil:
		return &fault{kind: "weak", status: http.StatusBadRequest, param: "response_format", text: "'response_format' of type 'json_schema' is not supported with this model"}
	case m.Knobs.Quota:
		return &fault{kind: "quota", status: http.StatusTooManyRequests, code: "insufficient_quota"}
	case m.Window > 0 && tokens > m.Window:
		return &fault{kind: "window", status: http.StatusBadRequest, code: "context_length_exceeded", param: "messages", have: tokens, may: m.Window}
	}
	return nil
}

// think gets the answer of the mind and spoils it as the dice say.
func (m *Models) think(c *call, d dice) (*llm.Answer, []string) {
	var a *llm.Answer
	if m.Mind != nil {
		a = m.Mind(c.req)
	}
	if a == nil {
		a = answer(c.req, c.prompt)
	}
	out := *a // the mind may give the same answer twice
	out.Calls = slices.Clone(a.Calls)
	for i := range out.Calls {
		if out.Calls[i].ID == "" {
			out.Calls[i].ID = fmt.Sprintf("call_%016x", d.hash(fmt.Sprintf("call %d", i)))
		}
	}
	out.Stop = llm.End
	if a.Stop == llm.Refusal {
		out.Stop = llm.Refusal
	}
	if len(out.Calls) > 0 {
		out.Stop = llm.ForTool
	}
	spoilt := m.Knobs.spoil(&out, c, d)
	if m.Weak {
		out.Text = chatter(out.Text)
	}
	limit(&out, c.req.Output)
	return &out, spoilt
}

// send streams an answer; with a fault it stops in the middle.
func (m *Models) send(rw http.ResponseWriter, r *http.Request, w wire, c *call, a *llm.Answer, f *fault) {
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.Header().Set("Cache-Control", "no-cache")
	events := w.events(c, a)
	if f != nil && !f.billed {
		events = events[:len(events)/2]
	}
	if f != nil && f.billed {
		events = append(withoutEnd(events), w.broken(f))
	}
	flusher := http.NewResponseController(rw)
	for _, e := range events {
		if _, err := rw.Write(e.bytes()); err != nil {
			return // the client is gone
		}
		if err := flusher.Flush(); err != nil {
			return
		}
	}
	if f != nil && !f.billed {
		m.hang(r.Context())
	}
}

// hang is a connection on which nothing more comes.
func (m *Models) hang(ctx context.Context) {
	if m.StallFor == 0 {
		<-ctx.Done()
	} else {
		wait(ctx, m.StallFor)
	}
	panic(http.ErrAbortHandler)
}

// wait reports whether the time passed before the client gave up.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// event is one of server-sent events.
type event struct {
	name string // "": none
	data any    // JSON, or a string as it is
	last bool   // what says that the answer is complete
}

func (e event) bytes() []byte {
	var b []byte
	if e.name != "" {
		b = fmt.Appendf(b, "event: %s\n", e.name)
	}
	data, plain := e.data.(string)
	if !plain {
		data = string(encode(e.data))
	}
	return fmt.Appendf(b, "data: %s\n\n", data)
}

// withoutEnd are the events before the first that says that the answer is complete.
func withoutEnd(events []event) []event {
	if i := slices.IndexFunc(events, func(e event) bool { return e.last }); i >= 0 {
		return events[:i]
	}
	return events
}

// encode is JSON of what can always be encoded, with < and > as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// pieces cuts a text as streams do, at runes, about n bytes each.
func pieces(s string, n int) []string {
	var out []string
	for len(s) > n {
		cut := n
		for cut < len(s) && s[cut]&0xC0 == 0x80 {
			cut++
		}
		out, s = append(out, s[:cut]), s[cut:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}
