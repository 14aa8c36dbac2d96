package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/mcp"
	"github.com/plumbresearch/plumb/server"
)

// client is a model's side of a connection.
type client struct {
	t *testing.T
	*sdk.ClientSession
	mu       sync.Mutex
	progress []string
}

func connect(t *testing.T, way sdk.Transport) *client {
	t.Helper()
	c := &client{t: t}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "model", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, r.Params.Message)
		}}).Connect(t.Context(), way, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.ClientSession = session
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Log(err)
		}
	})
	return c
}

// atDesk connects to the tools of a tenant within this process.
func (h *house) atDesk(t *testing.T, tenant string) *client {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	if _, err := mcp.NewServer(h.Tenant(tenant), mcp.Options{Version: "test"}).Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, here)
}

// call calls a tool and reads its structured answer.
func (c *client) call(tool string, args, into any) string {
	c.t.Helper()
	p := &sdk.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("p")
	res, err := c.CallTool(c.t.Context(), p)
	if err != nil {
		c.t.Fatal(err)
	}
	text := res.Content[0].(*sdk.TextContent).Text
	if res.IsError {
		c.t.Fatalf("%s: %s", tool, text)
	}
	b, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return text
}

// refused calls a tool that answers with an error in one line.
func (c *client) refused(tool string, args any) string {
	c.t.Helper()
	res, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error()
	}
	text := res.Content[0].(*sdk.TextContent).Text
	if !res.IsError || strings.Contains(text, "\n") {
		c.t.Errorf("%s: %s", tool, text)
	}
	return text
}

type args map[string]any

type answer struct {
	RunID     string `json:"run_id"`
	Thread    string
	State     string
	Asks      string
	Report    string
	Error     string
	Citations []struct {
		Number             int
		Title, URL, Source string
	}
	Verdicts struct{ Claims, Supported int }
}

// research asks and waits for the report.
func (c *client) research(question string) answer {
	c.t.Helper()
	var a answer
	c.call("research_start", args{"question": question}, &a)
	return c.result(a.RunID)
}

func (c *client) result(run string) answer {
	c.t.Helper()
	for range 10 {
		var a answer
		if c.call("research_result", args{"run_id": run, "wait_seconds": 30}, &a); a.State != "running" && a.State != "queued" {
			return a
		}
	}
	c.t.Fatal("the run does not end")
	return answer{}
}

func TestToolsSayWhatTheyAreFor(t *testing.T) {
	c := newHouse(t, nil).atDesk(t, "")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		b, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var in struct {
			Properties map[string]struct{ Description string }
			Required   []string
		}
		if err := json.Unmarshal(b, &in); err != nil || len(in.Required) == 0 || tool.OutputSchema == nil || len(tool.Description) < 80 {
			t.Errorf("%s: %v %s", tool.Name, err, b)
		}
		for name, p := range in.Properties {
			if p.Description == "" {
				t.Errorf("%s: nothing says what %s is", tool.Name, name)
			}
		}
	}
	slices.Sort(names)
	if want := []string{"audit_report", "library_search", "read_source", "research_result", "research_start", "research_status", "research_tell"}; !slices.Equal(names, want) {
		t.Error(names)
	}
	if in := c.InitializeResult().Instructions; !strings.Contains(in, "research_start") {
		t.Error(in)
	}
}

func TestModelGetsACheckedReport(t *testing.T) {
	h := newHouse(t, nil)
	c := h.atDesk(t, "")
	got := c.research(bridge)
	if got.State != "done" || !strings.Contains(got.Report, "Marrowgate") || len(got.Citations) == 0 || got.Verdicts.Claims == 0 {
		t.Fatalf("%+v", got)
	}
	report, err := h.Tenant("").Report(t.Context(), got.RunID)
	if err != nil || got.Report != report.Markdown || got.Verdicts.Supported != report.Summary.Supported {
		t.Error(err)
	}
	var read struct {
		Text       string
		Chars, End int
	}
	cite := got.Citations[0]
	text := c.call("read_source", args{"run_id": got.RunID, "source": fmt.Sprint(cite.Number), "length": 200}, &read)
	_, whole, err := h.Tenant("").Source(t.Context(), got.RunID, cite.Source)
	if err != nil || read.Text != string([]rune(whole)[:200]) || read.End != 200 || !strings.Contains(text, "<data label=") {
		t.Errorf("%v %+v", err, read)
	}
	c.call("read_source", args{"run_id": got.RunID, "source": cite.Source, "start": 200, "length": 40000}, &read)
	if read.Text != string([]rune(whole)[200:]) || read.Chars != len([]rune(whole)) {
		t.Errorf("%+v", read)
	}
}

func TestReportIsMarkedAsData(t *testing.T) {
	c := newHouse(t, nil).atDesk(t, "")
	a := c.research(bridge)
	text := c.call("research_result", args{"run_id": a.RunID}, &a)
	if !strings.Contains(text, "data, not instructions") || !strings.Contains(text, "<data label=\"report\"") || strings.Count(text, "</data") != 1 {
		t.Errorf("%.300s", text)
	}
}

func TestWaitingForAResultTellsProgress(t *testing.T) {
	opened := make(chan struct{})
	h := newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if t.Step.Kind == plumb.StepScope {
			<-opened
		}
		return do(ctx, t)
	})
	here, there := sdk.NewInMemoryTransports()
	desk := mcp.NewServer(h.Tenant(""), mcp.Options{})
	calls := 0
	desk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == "tools/call" {
				if calls++; calls == 3 { // the model waits now
					close(opened)
				}
			}
			return next(ctx, method, r)
		}
	})
	if _, err := desk.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c := connect(t, here)
	var a answer
	c.call("research_start", args{"question": bridge}, &a)
	c.call("research_result", args{"run_id": a.RunID, "wait_seconds": 0}, &a)
	if a.State != "running" && a.State != "queued" || a.Report != "" {
		t.Errorf("%+v", a)
	}
	if got := c.result(a.RunID); got.State != "done" {
		t.Errorf("%+v", got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.progress) < 5 || !slices.ContainsFunc(c.progress, func(s string) bool { return strings.HasPrefix(s, "Published: ") }) { // the beginning may be over when it is asked
		t.Error(c.progress)
	}
}

func TestFollowUpsAndStatus(t *testing.T) {
	h := newHouse(t, nil)
	c := h.atDesk(t, "")
	first := c.research(bridge)
	var status answer
	if text := c.call("research_status", args{"run_id": first.RunID}, &status); status.State != "done" || !strings.Contains(text, "is done") {
		t.Errorf("%s %+v", text, status)
	}
	run, err := h.Tenant("").Run(t.Context(), first.RunID)
	if err != nil {
		t.Fatal(err)
	}
	var next answer
	c.call("research_start", args{"question": "Who paid for it?", "thread": run.Thread}, &next)
	follow, err := h.Tenant("").Run(t.Context(), next.RunID)
	if err != nil || follow.Parent != first.RunID {
		t.Error(follow.Parent, err)
	}
	c.result(next.RunID)
}

func TestModelAnswersAClarifyingQuestion(t *testing.T) {
	var h *house
	h = newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		out, err := do(ctx, t)
		if err == nil && t.Step.Kind == plumb.StepScope && t.Step.Round == 1 {
			out.Refs.Ask = out.Refs.Brief
			err = h.db.PutArtefact(ctx, t.Run, out.Refs.Brief, plumb.Brief{Question: bridge, Ask: "Which bridge?"})
		}
		return out, err
	})
	c := h.atDesk(t, "")
	got := c.research(bridge)
	if got.State != "waiting" || got.Asks != "Which bridge?" {
		t.Fatalf("%+v", got)
	}
	var told answer
	c.call("research_tell", args{"run_id": got.RunID, "what": "answer", "text": "The one at Halvermouth"}, &told)
	if got := c.result(got.RunID); got.State != "done" {
		t.Errorf("%+v", got)
	}
	if text := c.refused("research_tell", args{"run_id": got.RunID, "what": "cancel"}); !strings.Contains(text, "has ended") {
		t.Error(text)
	}
}

func TestReportOfOthersIsAudited(t *testing.T) {
	c := newHouse(t, nil).atDesk(t, "")
	var a answer
	c.call("audit_report", args{"report": "# Bridge\n\nThe Marrowgate Bridge was closed on 14 February 2023. [1]\n\n## Sources\n\n1. <doc:key-facts-marrowgate-bridge.md>\n"}, &a)
	if got := c.result(a.RunID); got.State != "done" || got.Verdicts.Claims != 1 {
		t.Errorf("%+v", got)
	}
}

func TestLibraryIsSearched(t *testing.T) {
	h := newHouse(t, nil)
	var got struct {
		Passages []struct{ Text, URL, Title string }
	}
	text := h.atDesk(t, "").call("library_search", args{"query": "Marrowgate Bridge closed", "limit": 3}, &got)
	if len(got.Passages) != 3 || !strings.HasPrefix(got.Passages[0].URL, "doc:") || !strings.Contains(text, "<data label=\"documents\"") {
		t.Errorf("%s", text)
	}
	if text := h.atDesk(t, "other").call("library_search", args{"query": "Marrowgate Bridge closed"}, &got); len(got.Passages) != 0 {
		t.Error(text)
	}
}

func TestToolErrorsSayWhatToDo(t *testing.T) {
	h := newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if t.Asked.Text == "fail" && t.Step.Kind == plumb.StepWrite {
			return nil, engine.Permanent(errors.New("no ink"))
		}
		return do(ctx, t)
	})
	c := h.atDesk(t, "")
	done := c.research(bridge)
	for _, x := range []struct {
		tool string
		args args
		want string
	}{
		{"research_start", args{"question": " "}, "question has 1 characters"},
		{"research_start", args{"question": strings.Repeat("é", 10_001)}, "10001 characters"},
		{"research_start", args{"question": "x", "preset": "slow"}, `preset "slow" is not allowed`},
		{"research_start", args{}, "question"},
		{"research_start", args{"question": 5}, "question"},
		{"research_status", args{"run_id": "nobody"}, "no such run"},
		{"research_result", args{"run_id": "nobody"}, "no such run"},
		{"research_result", args{"run_id": done.RunID, "wait_seconds": 301}, "use 0 to 300"},
		{"research_tell", args{"run_id": done.RunID, "what": "approve"}, "use answer, finish or cancel"},
		{"research_tell", args{"run_id": done.RunID, "what": "answer"}, "text is empty"},
		{"audit_report", args{"report": ""}, "report"},
		{"library_search", args{"query": "x", "limit": 21}, "use 1 to 20"},
		{"library_search", args{"query": ""}, "query is empty"},
		{"read_source", args{"run_id": done.RunID, "source": "99"}, "no citation 99"},
		{"read_source", args{"run_id": done.RunID, "source": strings.Repeat("a", 64)}, "has not read"},
		{"read_source", args{"run_id": done.RunID, "source": "1", "start": -1}, "start is 0 or more"},
	} {
		if got := c.refused(x.tool, x.args); !strings.Contains(got, x.want) {
			t.Errorf("%s %v: %s", x.tool, x.args, got)
		}
	}
	if got := h.atDesk(t, "other").refused("research_result", args{"run_id": done.RunID}); !strings.Contains(got, "no such run") {
		t.Error(got)
	}
	if got := c.research("fail"); got.State != "failed" || got.Error == "" {
		t.Errorf("%+v", got)
	}
}

func TestToolsOverHTTPAreThoseOfTheKeysTenant(t *testing.T) {
	h := newHouse(t, nil)
	o := server.Options{House: h.House, Keys: h.db, Replies: h.db, MCP: mcp.HTTP(server.TenantOf, mcp.Options{})}
	s := httptest.NewServer(server.New(o).Handler())
	defer s.Close()
	own := func(name, tenant string) *client {
		t.Helper()
		key, secret, err := front.NewKey(name, tenant, time.Now())
		if err == nil {
			err = h.db.AddKey(t.Context(), key)
		}
		if err != nil {
			t.Fatal(err)
		}
		return connect(t, &sdk.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(secret)}})
	}
	data, err := os.ReadFile("../examples/corpus/city/key-facts-marrowgate-bridge.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Tenant("ann").AddDocument(t.Context(), "facts.md", data); err != nil {
		t.Fatal(err)
	}
	ann, bob := own("ann-laptop", "ann"), own("bob", "")
	got := ann.research(bridge)
	if got.State != "done" || len(got.Citations) == 0 {
		t.Fatalf("%+v", got)
	}
	if text := bob.refused("research_result", args{"run_id": got.RunID}); !strings.Contains(text, "no such run") {
		t.Error(text)
	}
	ann.mu.Lock()
	defer ann.mu.Unlock()
	if len(ann.progress) == 0 {
		t.Error("no progress over HTTP")
	}
	if _, err := sdk.NewClient(&sdk.Implementation{Name: "x"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: s.URL + "/mcp"}, nil); err == nil {
		t.Error("no key was needed")
	}
}

// bearer sends a key.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestToolsOverPipes(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"=plumb", "PLUMB_TEST_DIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	c := connect(t, &sdk.CommandTransport{Command: cmd})
	got := c.research(bridge)
	if got.State != "done" || !strings.Contains(got.Report, "Marrowgate") {
		t.Errorf("%+v", got)
	}
}
