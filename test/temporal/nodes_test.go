package temporal_test

// Gateways and workers as they ship: processes of the program, each with a home of its own, that share one PostgreSQL
// and one Temporal.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/lab"
)

// ships is the program as it ships.
func ships(t testing.TB) string {
	t.Helper()
	out := filepath.Join(programs(t), "plumb")
	cluster.ships.Do(func() {
		cmd := exec.Command("go", "build", "-o", out, "./cmd/plumb")
		cmd.Dir = filepath.Join("..", "..")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
	return out
}

// site is what the nodes of a cluster have in common.
type site struct {
	t   testing.TB
	env []string
}

// newSite has no settings but the ones named, whatever the environment of the tests holds. A database "" is a file of
// each node.
func newSite(t testing.TB, database string, env ...string) *site {
	t.Helper()
	s := &site{t: t, env: append([]string{"PATH=" + os.Getenv("PATH"), "SEARCH_PROVIDER=none", "RATE_LIMIT=-1"}, env...)}
	if database != "" {
		s.env = append(s.env, "DATABASE_URL="+database)
	}
	return s
}

// onCluster are the settings of nodes that work with the tests' Temporal.
func onCluster(t testing.TB) []string {
	t.Helper()
	return []string{"TEMPORAL_ADDRESS=" + server(t).GetFrontendHostPort(), "TEMPORAL_NAMESPACE=" + server(t).GetDefaultNamespace()}
}

// node is one process.
type node struct {
	t    testing.TB
	cmd  *exec.Cmd
	url  string // of a gateway
	said *sayings
	dead bool
}

// sayings are what a process wrote.
type sayings struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *sayings) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sayings) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// command is the program with a home of its own.
func (s *site) command(args ...string) *exec.Cmd {
	s.t.Helper()
	home := s.t.TempDir()
	cmd := exec.Command(ships(s.t), args...)
	cmd.Dir, cmd.Env = home, slices.Concat(s.env, []string{"HOME=" + home, "PLUMB_HOME=" + home})
	return cmd
}

// start starts a node and waits until it says what the pattern looks for.
func (s *site) start(ready *regexp.Regexp, env []string, args ...string) *node {
	s.t.Helper()
	n := &node{t: s.t, said: &sayings{}, cmd: s.command(args...)}
	n.cmd.Stderr, n.cmd.Env = n.said, append(n.cmd.Env, env...)
	if err := n.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(n.stop)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if m := ready.FindStringSubmatch(n.said.String()); m != nil {
			n.url = m[1]
			return n
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%v does not come up: %s", args, n.said)
		}
	}
}

var (
	serving = regexp.MustCompile(`serving on (http://[0-9.:]+)`)
	working = regexp.MustCompile(`working for (Temporal)`)
)

func (s *site) gateway(args ...string) *node {
	s.t.Helper()
	return s.start(serving, nil, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
}

func (s *site) worker(env ...string) *node {
	s.t.Helper()
	return s.start(working, env, "worker")
}

// kill is kill -9.
func (n *node) kill() {
	n.t.Helper()
	n.dead = true
	if err := n.cmd.Process.Kill(); err != nil {
		n.t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := n.cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		n.t.Fatalf("it had ended by itself: %v: %s", err, n.said)
	}
}

// stop asks the process to end, which it does without a fault.
func (n *node) stop() {
	if n.dead {
		return
	}
	n.dead = true
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		n.t.Errorf("it had ended by itself: %v: %s", err, n.said)
	}
	late := time.AfterFunc(40*time.Second, func() {
		if err := n.cmd.Process.Kill(); err != nil {
			n.t.Error(err)
		}
	})
	err := n.cmd.Wait()
	late.Stop()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		n.t.Errorf("%v does not stop: %v: %s", n.cmd.Args, err, n.said)
	}
	if n.t.Failed() {
		for line := range strings.Lines(n.said.String()) {
			if !strings.Contains(line, "msg=request") {
				n.t.Logf("%v said: %s", n.cmd.Args[1:], line)
			}
		}
	}
}

// call makes a request of the gateway with a key, if one is given, reads JSON into to, unless that is nil, and gives the
// status and the body.
func (n *node) call(method, path, key string, body, to any) (int, string) {
	n.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		n.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, method, n.url+path, bytes.NewReader(text))
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("X-API-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	data, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		n.t.Fatal(err)
	}
	if to != nil && res.StatusCode < 300 {
		if err := json.Unmarshal(data, to); err != nil {
			n.t.Fatalf("%s %s: %v in %.300s", method, path, err, data)
		}
	}
	return res.StatusCode, string(data)
}

// must is a call that succeeds.
func (n *node) must(method, path, key string, body, to any) string {
	n.t.Helper()
	status, text := n.call(method, path, key, body, to)
	if status >= 300 {
		n.t.Fatalf("%s %s: %d: %.500s", method, path, status, text)
	}
	return text
}

// shelve puts the example dossier on a tenant's shelf.
func (n *node) shelve(key string) {
	n.t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "examples", "corpus", "*", "*.md"))
	if err != nil || len(names) == 0 {
		n.t.Fatal("no documents", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			n.t.Fatal(err)
		}
		n.must("POST", "/api/v1/library/documents", key, map[string]string{"name": filepath.Base(name), "text": string(data)}, nil)
	}
}

// task as the gateway tells of it.
type task struct {
	ID     string `json:"task_id"`
	Status string `json:"status"`
}

// ask posts a task and gives its id.
func (n *node) ask(question, strategy, key string) string {
	n.t.Helper()
	var made task
	n.must("POST", "/api/v1/tasks", key, map[string]string{"query": question, "research_strategy": strategy}, &made)
	return made.ID
}

// completed waits for the end of a task, which must be a good one.
func (n *node) completed(id, key string, within time.Duration) {
	n.t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		var now task
		n.must("GET", "/api/v1/tasks/"+id, key, nil, &now)
		switch {
		case now.Status == "TASK_STATUS_COMPLETED":
			return
		case now.Status == "TASK_STATUS_FAILED" || now.Status == "TASK_STATUS_CANCELLED" || time.Now().After(deadline):
			n.t.Fatalf("task %s is %s", id, now.Status)
		}
	}
}

// oracle serves scripted models and knows which node asks by the key that it shows.
type oracle struct {
	models *lab.Models
	url    string

	mu    sync.Mutex
	under map[string]map[int]string // by node: the calls under way, with their prompts
	given map[string][]time.Time    // by node: when it was answered
	next  int
}

func newOracle(t testing.TB, latency time.Duration) *oracle {
	t.Helper()
	o := &oracle{models: &lab.Models{Latency: latency}, under: map[string]map[int]string{}, given: map[string][]time.Time{}}
	s := httptest.NewServer(o.count(o.models.Handler()))
	t.Cleanup(s.Close)
	o.url = s.URL
	return o
}

// settings of a node that asks it.
func (o *oracle) settings(name string) []string {
	return []string{"OPENAI_API_KEY=" + name, "OPENAI_BASE_URL=" + o.url + "/v1", "ORCHESTRATOR_MODEL=openai:gpt-5.4-mini", "MODEL_CALLS_AT_ONCE=64"}
}

var promptName = regexp.MustCompile(`"# ([a-z]+)\\n`)

func (o *oracle) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		prompt := ""
		if m := promptName.FindSubmatch(body); m != nil {
			prompt = string(m[1])
		}
		o.mu.Lock()
		if o.under[name] == nil {
			o.under[name] = map[int]string{}
		}
		o.next++
		id := o.next
		o.under[name][id] = prompt
		o.mu.Unlock()
		next.ServeHTTP(w, r)
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.under[name], id)
		if r.Context().Err() == nil {
			o.given[name] = append(o.given[name], time.Now())
		}
	})
}

// asking are the prompts of a node's calls that are under way.
func (o *oracle) asking(name string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Values(o.under[name]))
}

// since is how many answers a node was given after a time.
func (o *oracle) since(name string, at time.Time) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, g := range o.given[name] {
		if g.After(at) {
			n++
		}
	}
	return n
}

func (o *oracle) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(o.given)) {
		fmt.Fprintf(&b, "%s %d ", name, len(o.given[name]))
	}
	return strings.TrimSpace(b.String())
}

// within polls until ok or a minute has passed.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !ok() {
		if ctx.Err() != nil {
			t.Fatal(what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
