package mcp

// The search tools of other MCP servers as search engines of a run. Servers are those that the operator configured, and
// what they answer is data from strangers: bounded in time and size, and never more than leads.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plumbresearch/plumb"
)

// Config names an MCP server and the tool of it that searches. It has either a Command or a URL.
type Config struct {
	Name string // the engine is called mcp:NAME

	Command string // a program that speaks MCP on its standard input and output
	Args    []string
	Env     []string // its whole environment, as NAME=value: nothing else of ours is passed on

	URL   string // of a server that speaks streamable HTTP
	Token string // sent to it as a bearer token; empty: none

	Tool string       // default: the only one, or the only one with "search" in its name
	Log  *slog.Logger // is told why a server could not be asked; default: nobody is
}

// Bounds of what a server may take.
const (
	connectTime = 20 * time.Second
	callTime    = 30 * time.Second
	closeTime   = time.Second
	maxAnswer   = 4 << 20 // bytes of an answer over HTTP; over pipes the SDK takes 16 MB
	maxTools    = 1000
	maxLeads    = 50
)

var engineName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

func (c Config) check() error {
	u, err := url.Parse(c.URL)
	switch {
	case !engineName.MatchString(c.Name):
		return fmt.Errorf("MCP server %.40q: a name has 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit", c.Name)
	case (c.Command == "") == (c.URL == ""):
		return fmt.Errorf("MCP server %s: name a command or a URL, one of both", c.Name)
	case c.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == ""):
		return fmt.Errorf("MCP server %s: its URL is not an http or https address", c.Name)
	}
	return nil
}

// Engine is a search engine that an MCP server makes. Its errors may be shown to anyone.
type Engine struct {
	c Config

	mu      sync.Mutex // held while a connection is made
	session *sdk.ClientSession
	tool    searchTool
}

// New makes an engine whose server is started or called when it is first asked. Close ends what it has started.
func New(c Config) (*Engine, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Engine{c: c}, nil
}

// Connect makes an engine and starts or calls its server at once, so that what is wrong with it is known.
func Connect(ctx context.Context, c Config) (*Engine, error) {
	e, err := New(c)
	if err != nil {
		return nil, err
	}
	_, _, err = e.connected(ctx)
	return e, err
}

// Name of the engine.
func (e *Engine) Name() string { return "mcp:" + e.c.Name }

// Host is whom queries are sent to, for a person.
func (e *Engine) Host() string {
	if u, err := url.Parse(e.c.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return "the program " + e.c.Name + " on this machine"
}

// Close ends the connection, and the program if it was started.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session == nil {
		return nil
	}
	s := e.session
	e.session = nil
	return s.Close()
}

// Search asks for leads, at most limit of them, in the server's order. One that has died is started again.
func (e *Engine) Search(ctx context.Context, query string, limit int) ([]plumb.Lead, error) {
	if limit < 1 || limit > maxLeads {
		limit = maxLeads
	}
	for again := true; ; again = false {
		session, tool, err := e.connected(ctx)
		if err != nil {
			return nil, err
		}
		res, err := e.call(ctx, session, tool, query, limit)
		if err != nil && again && errors.Is(err, sdk.ErrConnectionClosed) {
			e.forget(session)
			continue
		}
		return e.heard(ctx, res, err, limit)
	}
}

// call calls the tool.
func (e *Engine) call(ctx context.Context, s *sdk.ClientSession, tool searchTool, query string, limit int) (*sdk.CallToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return s.CallTool(ctx, &sdk.CallToolParams{Name: tool.name, Arguments: tool.arguments(query, limit)})
}

// heard makes leads of an answer.
func (e *Engine) heard(ctx context.Context, res *sdk.CallToolResult, err error, limit int) ([]plumb.Lead, error) {
	switch {
	case err != nil:
		return nil, e.fault(ctx, err, "did not answer as it should")
	case res.IsError:
		return nil, e.fault(ctx, errors.New(firstText(res)), "refused the search")
	}
	leads := leadsOf(res, limit)
	for i := range leads {
		leads[i].Engine = e.Name()
	}
	return leads, nil
}

// fault is an error that may be shown to anyone: what the server said is for the operator's log.
func (e *Engine) fault(ctx context.Context, cause error, what string) error {
	e.c.Log.WarnContext(ctx, "MCP server", "name", e.c.Name, "error", cause)
	switch {
	case errors.Is(cause, context.Canceled):
		what = "was not waited for"
	case errors.Is(cause, context.DeadlineExceeded):
		what = "did not answer in time"
	}
	return fmt.Errorf("%s %s", e.Name(), what)
}

// forget ends a connection that is broken, unless there is a new one already.
func (e *Engine) forget(s *sdk.ClientSession) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session != s {
		return
	}
	e.session = nil
	if err := s.Close(); err != nil {
		e.c.Log.Debug("MCP server", "name", e.c.Name, "error", err)
	}
}

// connected gives the connection, made anew if there is none.
func (e *Engine) connected(ctx context.Context) (*sdk.ClientSession, searchTool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session != nil {
		return e.session, e.tool, nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "plumb", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	s, err := client.Connect(ctx, e.c.transport(ctx), nil)
	if err != nil {
		return nil, searchTool{}, e.fault(ctx, err, "could not be reached")
	}
	tool, err := e.choose(ctx, s)
	if err != nil {
		if err := s.Close(); err != nil {
			e.c.Log.DebugContext(ctx, "MCP server", "name", e.c.Name, "error", err)
		}
		return nil, searchTool{}, err
	}
	e.session, e.tool = s, tool
	return s, tool, nil
}

// choose finds the tool that searches.
func (e *Engine) choose(ctx context.Context, s *sdk.ClientSession) (searchTool, error) {
	var tools []*sdk.Tool
	for t, err := range s.Tools(ctx, nil) {
		if err != nil {
			return searchTool{}, e.fault(ctx, err, "does not name its tools")
		}
		if tools = append(tools, t); len(tools) > maxTools {
			return searchTool{}, e.fault(ctx, errors.New("too many tools"), "has too many tools")
		}
	}
	t, err := pickTool(tools, e.c.Tool)
	if err != nil {
		return searchTool{}, fmt.Errorf("%s %w", e.Name(), err)
	}
	tool, err := newSearchTool(t)
	if err != nil {
		return searchTool{}, fmt.Errorf("%s %w", e.Name(), err)
	}
	return tool, nil
}

// transport is the way to the server. A program gets the environment that is configured for it and nothing besides.
func (c Config) transport(ctx context.Context) sdk.Transport {
	if c.Command != "" {
		cmd := exec.CommandContext(context.WithoutCancel(ctx), c.Command, c.Args...) // it outlives the call that starts it
		cmd.Env = append([]string{}, c.Env...)
		return &sdk.CommandTransport{Command: cmd, TerminateDuration: closeTime}
	}
	client := &http.Client{Transport: bounded{token: c.Token}, CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirects are not followed") }}
	return &sdk.StreamableClientTransport{Endpoint: c.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxAnswer}
}

// bounded carries requests with their token, and cuts answers off that are too long or take too long: the SDK lets them
// outlive the call that they belong to.
type bounded struct {
	token string
}

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), callTime)
	r = r.Clone(ctx)
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		cancel()
		return nil, err
	}
	res.Body = &body{Reader: io.LimitReader(res.Body, maxAnswer), inner: res.Body, cancel: cancel}
	return res, nil
}

// body is an answer that ends its request when it is closed.
type body struct {
	io.Reader
	inner  io.Closer
	cancel context.CancelFunc
}

// Close ends the request.
func (b *body) Close() error {
	b.cancel()
	return b.inner.Close()
}

// firstText is what a server says of an error, in one line.
func firstText(res *sdk.CallToolResult) string {
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			return strings.Join(strings.Fields(clip(t.Text, 300)), " ")
		}
	}
	return "no reason given"
}
