package main

// plumb mcp: Plumb as a tool of language models, and MCP servers as search engines of Plumb.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/mcp"
	"github.com/plumbresearch/plumb/search"
)

func (r *root) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP on standard input and output, for hosts such as desktop assistants and editors",
		Long: `Serves the Model Context Protocol: research_start, research_status, research_result, audit_report, library_search and read_source. Runs go on
while the host is there; what is unfinished goes on at the next start, or with plumb resume.

A host starts it itself. Its configuration names the program and the argument: {"mcpServers": {"plumb": {"command": "plumb", "args": ["mcp"]}}}`,
		Example: "  plumb mcp",
		Args:    exactly(0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.serveMCP(cmd.Context()) },
	}
}

// serveMCP serves one host until it leaves.
func (r *root) serveMCP(ctx context.Context) error {
	if err := r.config.Server.check(r.config.Server.Engine); err != nil {
		return err
	}
	return r.with(ctx, nil, func(a *app) (err error) {
		w, err := r.watching(ctx, a)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.close()) }()
		feed := front.NewFeed()
		f, err := r.force(ctx, a, w, r.config.Server.Engine, w.show(feed.Show))
		if err != nil {
			return err
		}
		defer f.close()
		house := r.house(a, f, feed)
		return together(ctx, f.work, func(ctx context.Context) error { return a.hear(ctx, feed) }, func(ctx context.Context) error {
			return mcp.Stdio(ctx, house.Tenant(""), io.NopCloser(r.io.in), nopCloser{r.io.out}, mcp.Options{Version: versionLine(), Log: w.log})
		})
	})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// mcpServer is an entry of the file that MCP_SERVERS names, in the form that MCP hosts use.
type mcpServer struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"` // ${NAME} stands for a variable of Plumb's own environment
	URL     string            `json:"url"`
	Token   string            `json:"token"`
	Tool    string            `json:"tool"`
}

// wrong says what an entry lacks; empty for one that can be tried.
func (s mcpServer) wrong(name string) string {
	u, err := url.Parse(s.URL)
	switch {
	case !serverName.MatchString(name):
		return "needs another name: 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit"
	case (s.Command == "") == (s.URL == ""):
		return "needs a command or a url, one of both"
	case s.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == ""):
		return "needs a url that begins with http:// or https://"
	}
	return ""
}

var serverName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// further are the MCP servers of the configuration as search engines. None is started before it is asked.
func (r *root) further() ([]search.Further, error) {
	path := r.config.Server.MCP
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("MCP_SERVERS %s can't be read (%v): name a JSON file, see docs/server.md", path, cause(err))
	}
	var file struct {
		Servers map[string]mcpServer `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, usage("MCP_SERVERS %s is not as it should be (%v): see docs/server.md", path, err)
	}
	if len(file.Servers) == 0 {
		return nil, usage("MCP_SERVERS %s lists no servers under mcpServers: see docs/server.md", path)
	}
	vars := environment(r.environ)
	var out []search.Further
	for name, s := range file.Servers {
		if cure := s.wrong(name); cure != "" {
			return nil, usage("MCP_SERVERS %s: server %.40q %s", path, name, cure)
		}
		c := mcp.Config{Name: name, Command: s.Command, Args: s.Args, URL: s.URL, Token: os.Expand(s.Token, vars), Tool: s.Tool}
		for k, v := range s.Env {
			c.Env = append(c.Env, k+"="+os.Expand(v, vars))
		}
		slices.Sort(c.Env)
		out = append(out, &lateEngine{config: c})
	}
	slices.SortFunc(out, func(a, b search.Further) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// environment looks variables up.
func environment(environ []string) func(string) string {
	return func(name string) string {
		for _, v := range environ {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// lateEngine is an MCP server that is started when it is first asked.
type lateEngine struct {
	config mcp.Config
	mu     sync.Mutex
	engine *mcp.Engine
}

func (e *lateEngine) Name() string { return "mcp:" + e.config.Name }

// Host is the server's, or the program that is asked here.
func (e *lateEngine) Host() string {
	if u, err := url.Parse(e.config.URL); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return "the program " + filepath.Base(e.config.Command)
}

func (e *lateEngine) Search(ctx context.Context, q search.Query) ([]plumb.Lead, error) {
	engine, err := e.started(ctx)
	if err != nil {
		return nil, err
	}
	return engine.Search(ctx, q.Text, q.Limit)
}

func (e *lateEngine) started(ctx context.Context) (*mcp.Engine, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.engine != nil {
		return e.engine, nil
	}
	engine, err := mcp.Connect(context.WithoutCancel(ctx), e.config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name(), err)
	}
	e.engine = engine
	return engine, nil
}

func (e *lateEngine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.engine == nil {
		return nil
	}
	old := e.engine
	e.engine = nil
	err := old.Close()
	if exit := new(exec.ExitError); errors.As(err, &exit) || errors.Is(err, os.ErrProcessDone) {
		return nil // it did not leave by itself and was made to: nothing is lost
	}
	return err
}
