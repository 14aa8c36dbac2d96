package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plumbresearch/plumb/mcp"
)

// child makes a program of the test binary: what its value names.
const child = "PLUMB_MCP_CHILD"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(child) {
	case "":
		os.Exit(m.Run())
	case "plumb":
		err = beServer()
	case "engine":
		err = newEngine("plain").Run(context.Background(), &sdk.StdioTransport{})
	case "huge":
		err = newEngine("huge").Run(context.Background(), &sdk.StdioTransport{})
	case "dies":
		err = newEngine("dies").Run(context.Background(), &sdk.StdioTransport{})
	case "garbage":
		_, err = fmt.Println("Welcome!\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n\x00\xff")
	case "silent":
		_, err = io.Copy(io.Discard, os.Stdin)
	case "env":
		err = newEngine("env").Run(context.Background(), &sdk.StdioTransport{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// beServer is plumb mcp.
func beServer() error {
	h, err := openHouse(os.Getenv("PLUMB_TEST_DIR"), nil)
	if err != nil {
		return err
	}
	if err := mcp.Stdio(context.Background(), h.Tenant(""), os.Stdin, os.Stdout, mcp.Options{}); err != nil {
		return err
	}
	return h.close()
}

type searchIn struct {
	Query string `json:"query"`
	Count int    `json:"count,omitempty"`
}

// newEngine is a search server in one of several moods.
func newEngine(mood string, stop ...<-chan struct{}) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "engine", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "web_search"}, func(_ context.Context, _ *sdk.CallToolRequest, in searchIn) (*sdk.CallToolResult, any, error) {
		text := func(s string) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}, nil, nil
		}
		switch mood {
		case "huge":
			return text(strings.Repeat("x", 17<<20))
		case "large":
			return text(strings.Repeat("x", 5<<20))
		case "hangs":
			<-stop[0]
			return nil, nil, errors.New("at last")
		case "dies":
			os.Exit(3)
		case "refuses":
			return nil, nil, fmt.Errorf("the key sk-secret at 10.0.0.1 is wrong")
		case "env":
			return text(fmt.Sprintf(`{"url":"https://env.example/","title":%q}`, strings.Join(os.Environ(), " ")))
		case "silly":
			return text(`{"results":[{"url":5},{"url":"javascript:alert(1)"},{"url":null},{"url":"https://ok.example/","title":["a"],"snippet":{"x":1}},[],7,null,"x"]}`)
		}
		var rows []map[string]string
		for i := range 12 {
			rows = append(rows, map[string]string{"url": fmt.Sprintf("https://%d.example/", i), "title": in.Query + fmt.Sprint(" ", in.Count), "snippet": "s"})
		}
		b, err := json.Marshal(map[string]any{"results": rows})
		if err != nil {
			return nil, nil, err
		}
		return text(string(b))
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fetch"}, func(context.Context, *sdk.CallToolRequest, searchIn) (*sdk.CallToolResult, any, error) {
		return nil, nil, nil
	})
	return s
}

// pipe is a server that is a program.
func pipe(mood string) mcp.Config {
	return mcp.Config{Name: "near", Command: os.Args[0], Env: []string{child + "=" + mood}}
}

// web is a server on loopback.
func web(t *testing.T, mood string) mcp.Config {
	t.Helper()
	stop := make(chan struct{})
	e := newEngine(mood, stop)
	s := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return e }, nil))
	t.Cleanup(func() { close(stop); s.CloseClientConnections(); s.Close() })
	return mcp.Config{Name: "far", URL: s.URL}
}

func dial(t *testing.T, c mcp.Config) *mcp.Engine {
	t.Helper()
	e, err := mcp.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Log(err)
		}
	})
	return e
}

func TestToolOfAServerIsASearchEngine(t *testing.T) {
	for name, c := range map[string]mcp.Config{"pipes": pipe("engine"), "HTTP": web(t, "plain")} {
		t.Run(name, func(t *testing.T) {
			e := dial(t, c)
			leads, err := e.Search(t.Context(), "bridges", 5)
			if err != nil || len(leads) != 5 {
				t.Fatal(leads, err)
			}
			if l := leads[1]; l.URL != "https://1.example/" || l.Title != "bridges 5" || l.Snippet != "s" || l.Engine != "mcp:"+c.Name || e.Name() != l.Engine || e.Host() == "" {
				t.Errorf("%+v %s", l, e.Host())
			}
		})
	}
}

func TestHostileServersCostLittle(t *testing.T) {
	for _, c := range []struct {
		name   string
		config mcp.Config
		want   string // of the error
	}{
		{"huge answer over HTTP", web(t, "large"), "mcp:far did not answer as it should"},
		{"hanging", web(t, "hangs"), "mcp:far did not answer in time"},
		{"refusing", web(t, "refuses"), "mcp:far refused the search"},
		{"huge answer over pipes", pipe("huge"), "mcp:near"},
		{"dying", pipe("dies"), "mcp:near did not answer as it should"},
		{"silly", web(t, "silly"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := dial(t, c.config)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if strings.Contains(c.name, "hanging") {
				ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
			}
			defer cancel()
			leads, err := e.Search(ctx, "x", 10)
			switch {
			case c.want == "":
				if err != nil || len(leads) != 1 || leads[0].URL != "https://ok.example/" {
					t.Errorf("%v %v", leads, err)
				}
			case err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "secret"):
				t.Errorf("%v %v", leads, err)
			}
		})
	}
}

func TestServersThatAreNoneAreNamed(t *testing.T) {
	over := make(chan struct{})
	mute := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer mute.Close()
	defer close(over)
	wrong := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":7,"capabilities":[]}}`)
	}))
	defer wrong.Close()
	moved := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect))
	defer moved.Close()
	for name, c := range map[string]mcp.Config{
		"no such program": {Name: "x", Command: "/nowhere/mcp"},
		"talks nonsense":  pipe("garbage"),
		"says nothing":    pipe("silent"),
		"mute":            {Name: "x", URL: mute.URL},
		"wrong types":     {Name: "x", URL: wrong.URL},
		"redirects":       {Name: "x", URL: moved.URL},
		"nobody there":    {Name: "x", URL: "http://127.0.0.1:1/"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			e, err := mcp.Connect(ctx, c)
			if err == nil || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "nowhere") {
				t.Error(err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServerThatDiedIsStartedAgain(t *testing.T) {
	dir := t.TempDir()
	c := pipe("engine")
	c.Env = append(c.Env, "UNUSED="+dir)
	e := dial(t, c)
	if _, err := e.Search(t.Context(), "x", 1); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if leads, err := e.Search(t.Context(), "x", 1); err != nil || len(leads) != 1 {
		t.Error(leads, err)
	}
}

func TestProgramsGetNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	leads, err := dial(t, pipe("env")).Search(t.Context(), "x", 1)
	if err != nil || len(leads) != 1 || leads[0].Title != child+"=env" {
		t.Errorf("%+v %v", leads, err)
	}
}

func TestTokenIsSent(t *testing.T) {
	e := newEngine("plain")
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return e }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	defer s.Close()
	if _, err := mcp.Connect(t.Context(), mcp.Config{Name: "x", URL: s.URL}); err == nil {
		t.Error("it lets everybody in")
	}
	c := dial(t, mcp.Config{Name: "x", URL: s.URL, Token: "sesame"})
	if leads, err := c.Search(t.Context(), "x", 3); err != nil || len(leads) != 3 {
		t.Error(leads, err)
	}
}

func TestConfigsThatMeanNothing(t *testing.T) {
	for _, c := range []mcp.Config{{}, {Name: "x"}, {Name: "X Y", URL: "https://a.example"}, {Name: "x", URL: "ftp://a.example"}, {Name: "x", URL: "https://a.example", Command: "y"}} {
		if _, err := mcp.Connect(t.Context(), c); err == nil || !strings.HasPrefix(err.Error(), "MCP server ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestToolsAreFoundByTheirShape(t *testing.T) {
	for _, c := range []struct {
		name, schema, tool string
		tools              []string
		want               string // of the error
	}{
		{"the only one", `{"type":"object","properties":{"search_term":{"type":"string"}},"required":["search_term"]}`, "", []string{"look"}, ""},
		{"a list of queries", `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}}},"required":["queries"]}`, "", []string{"look"}, ""},
		{"an unusual name", `{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]}`, "", []string{"look"}, ""},
		{"by name", `{"type":"object","properties":{"q":{"type":["string","null"]}}}`, "b", []string{"a", "b"}, ""},
		{"the one that searches", `{"type":"object","properties":{"q":{"type":"string"}}}`, "", []string{"a", "paper_search"}, ""},
		{"several", `{"type":"object","properties":{"q":{"type":"string"}}}`, "", []string{"a", "b"}, "mcp:x has several tools: name the one that searches, of a, b"},
		{"not there", `{"type":"object","properties":{"q":{"type":"string"}}}`, "c", []string{"a"}, `mcp:x has no tool "c": use one of a`},
		{"no query", `{"type":"object","properties":{"n":{"type":"integer"}}}`, "", []string{"a"}, `mcp:x has a tool "a" that takes no query`},
		{"needs more", `{"type":"object","properties":{"q":{"type":"string"},"tenant":{"type":"string"}},"required":["q","tenant"]}`, "", []string{"a"}, `mcp:x has a tool "a" that needs "tenant", which Plumb can't fill in`},
		{"no tools", "", "", nil, "mcp:x has no tools"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sdk.NewServer(&sdk.Implementation{Name: "x"}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
			for _, name := range c.tools {
				var in jsonschema.Schema
				if err := json.Unmarshal([]byte(c.schema), &in); err != nil {
					t.Fatal(err)
				}
				s.AddTool(&sdk.Tool{Name: name, InputSchema: &in}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("%s %s https://a.example/", name, r.Params.Arguments)}}}, nil
				})
			}
			web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
			defer web.Close()
			e, err := mcp.Connect(t.Context(), mcp.Config{Name: "x", URL: web.URL, Tool: c.tool})
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			leads, err := e.Search(t.Context(), "bridges", 1)
			if err != nil || len(leads) != 1 || !strings.HasPrefix(leads[0].Title, c.tools[len(c.tools)-1]) || !strings.Contains(leads[0].Title, "bridges") {
				t.Errorf("%+v %v", leads, err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
