package lab

// Remote are servers of scripted deep-research services: real HTTP in the formats of OpenAI, Gemini and Perplexity, jobs that
// take their time, and what goes wrong with real ones.

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Remote serves all three formats. The zero value asks for no key and has every report ready at the first look.
type Remote struct {
	Key   string        // that callers must show; "": none is asked for
	Web   *Web          // whose pages are cited; nil: addresses that nobody serves
	Looks int           // how often a job is found at work before it is done
	Takes time.Duration // how long it takes besides
	End   string        // one of RemoteEnds; "": with a report
	// Orders and Answers are what goes wrong with the first orders, and with the first looks at jobs, in turn: one of
	// RemoteFaults each, "" for nothing.
	Orders, Answers []string

	mu   sync.Mutex
	jobs []*RemoteJob
	hits struct{ orders, looks int }
}

// RemoteEnds are the ways in which a job can end without a good report.
var RemoteEnds = []string{"failed", "cancelled", "incomplete", "vanished", "never", "empty", "huge"}

// RemoteFaults are the ways in which a request can fail. cut: the order was taken, and the connection broke before the
// answer.
var RemoteFaults = []string{"400", "401", "402", "404", "429", "500", "502", "503", "302", "garbled", "nameless", "cut"}

// RemoteJob is an order as a service has it.
type RemoteJob struct {
	ID, Service, Model, Text, Key string
	Looks                         int
	Cancelled                     bool
	made                          time.Time
}

// SetEnd changes how jobs end.
func (m *Remote) SetEnd(end string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.End = end
}

// Jobs are all orders that were taken.
func (m *Remote) Jobs() []RemoteJob {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []RemoteJob
	for _, j := range m.jobs {
		out = append(out, *j)
	}
	return out
}

// Serve serves m on a free port of the loopback. It panics where there is no port, as test servers do.
func (m *Remote) Serve() (url string, stop func()) {
	mux := http.NewServeMux()
	m.mount(mux)
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return "http://" + l.Addr().String(), serveAll(mux, l)
}

// Environ is the environment by which the program reaches m at a URL, for all three services.
func (m *Remote) Environ(url string) []string {
	key := m.Key
	if key == "" {
		key = "lab"
	}
	return []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + url + "/v1", "GEMINI_API_KEY=" + key, "GEMINI_BASE_URL=" + url + "/v1beta/openai",
		"PERPLEXITY_API_KEY=" + key, "PERPLEXITY_BASE_URL=" + url}
}

// mount puts the three services on a mux, where their own servers have them.
func (m *Remote) mount(mux *http.ServeMux) {
	for _, w := range []remoteWire{openAIRemote{}, geminiRemote{}, perplexityRemote{}} {
		mux.HandleFunc("POST "+w.path(), func(rw http.ResponseWriter, r *http.Request) { m.order(w, rw, r) })
		mux.HandleFunc("GET "+w.path()+"/{id}", func(rw http.ResponseWriter, r *http.Request) { m.look(w, rw, r) })
		if w.name() != "perplexity" {
			mux.HandleFunc("POST "+w.path()+"/{id}/cancel", func(rw http.ResponseWriter, r *http.Request) { m.cancel(w, rw, r) })
		}
	}
}

// remoteWire is the format of one service.
type remoteWire interface {
	name() string
	path() string
	key(r *http.Request) string
	// read takes an order apart; false: it is none.
	read(r *http.Request, body []byte) (RemoteJob, bool)
	// status is how a service calls a state: queued, working, done, failed, cancelled, incomplete.
	status(state string) string
	// write is the answer about a job.
	write(j *RemoteJob, status string, w *written) any
	fail(status int) any
}

// order takes an order. One with a key that Perplexity knows is the same order.
func (m *Remote) order(w remoteWire, rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
	if err != nil || !m.admits(w, rw, r) {
		return
	}
	m.mu.Lock()
	fault := nth(m.Orders, m.hits.orders)
	m.hits.orders++
	m.mu.Unlock()
	if fault != "" && fault != "cut" && fault != "nameless" {
		suffer(w, fault, rw)
		return
	}
	job, ok := w.read(r, body)
	if !ok {
		sendStatus(rw, http.StatusBadRequest, w.fail(http.StatusBadRequest))
		return
	}
	j := m.take(w, job)
	switch fault {
	case "cut":
		panic(http.ErrAbortHandler)
	case "nameless":
		sendJSON(rw, struct{}{})
		return
	}
	sendJSON(rw, w.write(j, w.status("queued"), nil))
}

// take keeps an order.
func (m *Remote) take(w remoteWire, job RemoteJob) *RemoteJob {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.jobs, func(j *RemoteJob) bool { return j.Service == job.Service && j.Key == job.Key && job.Key != "" })
	if i >= 0 && w.name() == "perplexity" {
		return m.jobs[i]
	}
	job.ID, job.made = fmt.Sprintf("%s_job-%d", w.name(), len(m.jobs)+1), time.Now()
	m.jobs = append(m.jobs, &job)
	return &job
}

// look says how a job stands.
func (m *Remote) look(w remoteWire, rw http.ResponseWriter, r *http.Request) {
	if !m.admits(w, rw, r) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fault := nth(m.Answers, m.hits.looks)
	m.hits.looks++
	if fault != "" {
		suffer(w, fault, rw)
		return
	}
	j := m.job(w, r.PathValue("id"))
	if j == nil || m.End == "vanished" {
		sendStatus(rw, http.StatusNotFound, w.fail(http.StatusNotFound))
		return
	}
	j.Looks++
	switch {
	case j.Cancelled:
		sendJSON(rw, w.write(j, w.status("cancelled"), nil))
	case j.Looks <= m.Looks || time.Since(j.made) < m.Takes || m.End == "never":
		rw.Header().Set("Retry-After", "0")
		sendJSON(rw, w.write(j, w.status("working"), nil))
	case m.End == "failed" || m.End == "cancelled" || m.End == "incomplete" || m.End == "empty":
		sendJSON(rw, w.write(j, w.status(strings.Replace(m.End, "empty", "done", 1)), &written{}))
	case m.End == "huge":
		answerWith(rw, http.StatusOK, "application/json", []byte(`{"status":"`+strings.Repeat("x", 11<<20)+`"}`))
	default:
		report := m.report(j.Text)
		sendJSON(rw, w.write(j, w.status("done"), &report))
	}
}

func (m *Remote) cancel(w remoteWire, rw http.ResponseWriter, r *http.Request) {
	if !m.admits(w, rw, r) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.job(w, r.PathValue("id"))
	if j == nil {
		sendStatus(rw, http.StatusNotFound, w.fail(http.StatusNotFound))
		return
	}
	j.Cancelled = true
	sendJSON(rw, w.write(j, w.status("cancelled"), nil))
}

// job finds a job of a service; nil: there is none. The caller holds the lock.
func (m *Remote) job(w remoteWire, id string) *RemoteJob {
	i := slices.IndexFunc(m.jobs, func(j *RemoteJob) bool { return j.ID == id && j.Service == w.name() })
	if i < 0 {
		return nil
	}
	return m.jobs[i]
}

func (m *Remote) admits(w remoteWire, rw http.ResponseWriter, r *http.Request) bool {
	key := w.key(r)
	if key != "" && (m.Key == "" || subtle.ConstantTimeCompare([]byte(key), []byte(m.Key)) == 1) {
		return true
	}
	sendStatus(rw, http.StatusUnauthorized, w.fail(http.StatusUnauthorized))
	return false
}

func nth(faults []string, n int) string {
	if n < len(faults) {
		return faults[n]
	}
	return ""
}

// suffer fails a request.
func suffer(w remoteWire, fault string, rw http.ResponseWriter) {
	switch fault {
	case "garbled":
		answerWith(rw, http.StatusOK, "text/html", []byte("<h1>Gateway</h1>"))
		return
	case "cut":
		panic(http.ErrAbortHandler)
	case "302":
		rw.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
	case "429", "503":
		rw.Header().Set("Retry-After", "0")
	}
	var status int
	if _, err := fmt.Sscan(fault, &status); err != nil {
		panic("lab: unknown fault " + fault)
	}
	sendStatus(rw, status, w.fail(status))
}

func sendStatus(rw http.ResponseWriter, status int, v any) {
	answerWith(rw, status, "application/json; charset=utf-8", encode(v))
}

func decode(body []byte, v any) bool { return json.Unmarshal(body, v) == nil }
