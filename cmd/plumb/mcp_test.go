package main

// plumb mcp as hosts start it, and MCP servers as search engines of a run.

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// child makes another program of the test binary: the one that its value names.
const child = "PLUMB_TEST_CHILD"

func be(what string) int {
	switch what {
	case "plumb":
		return run(context.Background(), os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Environ())
	case "engine":
		if err := searchServer(os.Getenv("PAGES")).Run(context.Background(), &sdk.StdioTransport{}); err == nil {
			return 0
		}
	}
	return 1
}

// searchServer finds the pages of a site, whatever it is asked. A site of "" it refuses.
func searchServer(site string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "engine", Version: "1"}, nil)
	type in struct {
		Query string `json:"query"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "find_pages"}, func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, any, error) {
		if site == "" {
			return nil, nil, fmt.Errorf("the key s3cret is wrong")
		}
		var rows []map[string]string
		for _, name := range []string{"pump", "valve"} {
			rows = append(rows, map[string]string{"url": site + "/" + name, "title": "The Corvane " + name, "snippet": "About the Corvane " + name})
		}
		b, err := json.Marshal(map[string][]map[string]string{"results": rows})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(b)}}}, nil, err
	})
	return s
}

// host starts plumb mcp as a child and speaks to it.
func (s *shell) host() *sdk.ClientSession {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), os.Args[0], "mcp")
	cmd.Env = append(s.environ(), child+"=plumb")
	cmd.Stderr = os.Stderr
	c, err := sdk.NewClient(&sdk.Implementation{Name: "host", Version: "1"}, nil).Connect(s.t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// tool calls a tool and reads what it gives.
func tool[T any](t *testing.T, c *sdk.ClientSession, name string, args any) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(name, err)
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil || res.IsError {
		t.Fatalf("%s: %v %s", name, err, b)
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v in %s", name, err, b)
	}
	return v
}

type begun struct {
	RunID  string `json:"run_id"`
	State  string `json:"state"`
	Report string `json:"report"`
}

func TestAHostAsksOverPipes(t *testing.T) {
	s := newShell(t)
	s.env = append(s.env, "RESEARCH_STRATEGY=quick")
	x := s.serve()
	x.shelve(closure)
	x.stop()
	c := s.host()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range list.Tools {
		names = append(names, x.Name)
	}
	help := s.must(0, "mcp", "--help").out
	for _, want := range []string{"research_start", "research_status", "research_result", "audit_report", "library_search", "read_source"} {
		if !slices.Contains(names, want) || !strings.Contains(help, want) {
			t.Errorf("no %s in %v, or not in the help", want, names)
		}
	}
	run := tool[begun](t, c, "research_start", map[string]string{"question": "Why was the Marrowgate Bridge closed in 2023?"})
	got := tool[begun](t, c, "research_result", map[string]any{"run_id": run.RunID, "wait_seconds": 55})
	if got.State != "done" || !strings.Contains(got.Report, "[VERIFIED]") {
		t.Fatalf("%s:\n%s", got.State, got.Report)
	}
	if err := c.Close(); err != nil { // the host leaves: the program ends by itself, with 0
		t.Error(err)
	}
	if r := s.must(0, "show", run.RunID); strings.TrimSpace(r.out) != strings.TrimSpace(got.Report) {
		t.Errorf("plumb show prints\n%s", r.out)
	}
}

// site serves two pages, which are all there is to find.
func site(t *testing.T) string {
	t.Helper()
	pages := map[string]string{
		"/pump":  "The Corvane pump was opened in 1999 at a cost of 12 million dollars, paid by the county of Ellmark.",
		"/valve": "The Corvane pump failed in 2004 because a valve of the Corvane pump broke in the frost of January 2004.",
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<html><head><title>Corvane</title></head><body><article><h1>The Corvane pump</h1><p>%s</p></article></body></html>", text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnMCPServerIsASearchEngine(t *testing.T) {
	pages := site(t)
	far := searchServer(pages)
	var mu sync.Mutex
	var tokens []string
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		mu.Lock()
		defer mu.Unlock()
		tokens = append(tokens, r.Header.Get("Authorization"))
		return far
	}, &sdk.StreamableHTTPOptions{JSONResponse: true}))
	t.Cleanup(web.Close)
	s := newShell(t)
	file, err := json.Marshal(map[string]map[string]mcpServer{"mcpServers": {
		"near":   {Command: os.Args[0], Env: map[string]string{child: "engine", "PAGES": "${SITE}"}},
		"far":    {URL: web.URL, Token: "${FAR_TOKEN}", Tool: "find_pages"},
		"broken": {Command: os.Args[0], Env: map[string]string{child: "engine"}},
		"absent": {Command: filepath.Join(s.home, "no-such-program")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("servers.json", file, 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "MCP_SERVERS=servers.json", "SITE="+pages, "FAR_TOKEN=s3cret", "ALLOW_HOSTS=127.0.0.1", "BROWSER_PATH=none", "RESEARCH_STRATEGY=quick")
	const asked = "What did the Corvane pump cost and why did it fail?"
	for _, name := range []string{"mcp:near", "mcp:far", "mcp:near,mcp:absent,mcp:broken"} {
		r := s.must(0, "research", "--search", name, asked)
		for _, want := range []string{"12 million dollars", "valve", "[VERIFIED]", pages + "/pump"} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%s: the report lacks %q:\n%s", name, want, r.out)
			}
		}
		if strings.Contains(r.out+r.err, "s3cret") {
			t.Errorf("%s: a secret was told", name)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(tokens, "Bearer s3cret") || slices.Contains(tokens, "") {
		t.Errorf("the far server was shown %q", tokens)
	}
	if r := s.must(2, "research", "--search", "mcp:other", asked); !strings.Contains(r.err, "mcp:other") || !strings.Contains(r.err, "mcp:near") {
		t.Errorf("an unknown server: %s", r.err)
	}
	x := s.serve()
	began := get[task](x, "POST", "/api/v1/tasks", `{"query":"`+asked+`","context":{"search":"mcp:near"}}`)
	if done := x.await(began.ID, "COMPLETED"); !strings.Contains(done.Result, "12 million dollars") {
		t.Errorf("served:\n%s", done.Result)
	}
}
