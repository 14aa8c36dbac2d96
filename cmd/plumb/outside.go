package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os/exec"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/page"
	"github.com/plumbresearch/plumb/search"
)

// outsideConfig says how the web is searched and read. The keys and base URLs of the search services are in services.
type outsideConfig struct {
	Search          string `env:"SEARCH_PROVIDER"` // auto, none or a list
	Papers          string `env:"PAPER_PROVIDER"`
	SemanticScholar bool   `env:"USE_SEMANTIC_SCHOLAR"`
	Contact         string `env:"CONTACT_EMAIL"`
	AllowHosts      string `env:"ALLOW_HOSTS"`
	Archive         string `env:"ARCHIVE_BASE_URL"`
	Browser         string `env:"BROWSER_PATH"`
	HTTPProxy       string `env:"HTTP_PROXY"`
	HTTPSProxy      string `env:"HTTPS_PROXY"`
	NoProxy         string `env:"NO_PROXY"`

	services map[string]search.Service
}

// webArchive is the public web archive.
const webArchive = "https://archive.org"

// services reads the variables of every search service.
func services(vars map[string]string) map[string]search.Service {
	out := map[string]search.Service{}
	for _, p := range search.Providers() {
		out[p.Name] = search.Service{Key: vars[p.KeyVar], BaseURL: vars[p.BaseVar]}
	}
	return out
}

// proxy finds the proxy of a request; nil where none is set.
func (c outsideConfig) proxy() func(*http.Request) (*url.URL, error) {
	if c.HTTPProxy == "" && c.HTTPSProxy == "" {
		return nil
	}
	find := (&httpproxy.Config{HTTPProxy: c.HTTPProxy, HTTPSProxy: c.HTTPSProxy, NoProxy: c.NoProxy}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return find(r.URL) }
}

// engines are the search services as they are configured. They are put together once.
func (r *root) engines() (*search.Engines, error) {
	if r.searches != nil {
		return r.searches, nil
	}
	c := r.config.Outside
	further, err := r.further()
	if err != nil {
		return nil, err
	}
	o := search.Options{Services: c.services, UseSemanticScholar: c.SemanticScholar, Contact: c.Contact, Further: further}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		own := t.Clone()
		own.Proxy = c.proxy()
		o.Transport = own
	}
	e, err := search.New(o)
	if err != nil {
		return nil, usage("%v", err)
	}
	r.searches, r.late = e, further
	return e, nil
}

// where says what a question searches outside: flags over the environment; what nobody chose is auto, unless the question
// is about documents, which then stays at home. Papers of a quick question are searched only when asked for.
func (r *root) where(q asked, preset string, home bool, w *plumb.Where) error {
	e, err := r.engines()
	if err != nil {
		return err
	}
	def := "auto"
	if home {
		def = "none"
	}
	web := firstNonEmpty(q.search, r.config.Outside.Search, def)
	papers := firstNonEmpty(q.papers, r.config.Outside.Papers)
	switch {
	case papers != "":
	case preset == "quick" || web == "none":
		papers = "none"
	default:
		papers = "auto"
	}
	for _, c := range []struct {
		flag, names string
		kind        search.Kind
		to          *[]string
	}{{"--search", web, search.Web, &w.Search}, {"--papers", papers, search.Papers, &w.Papers}} {
		s, err := e.Choose(c.kind, c.names)
		if err != nil {
			return usage("%s %s: %v", c.flag, c.names, err)
		}
		if s != nil {
			*c.to = s.Names()
		}
	}
	return nil
}

// world is the outside: search services and the reader of pages.
type world struct {
	engines *search.Engines
	pages   *page.Reader
	late    []search.Further
}

// close ends the browser and the MCP servers that were started.
func (w *world) close() error {
	w.pages.Close()
	var errs []error
	for _, f := range w.late {
		if e, ok := f.(*lateEngine); ok {
			errs = append(errs, e.close())
		}
	}
	return errors.Join(errs...)
}

// outside puts the world together. Pages are kept in the store across runs.
func (r *root) outside(ex extract.Extractor, cache page.Cache) (*world, error) {
	e, err := r.engines()
	if err != nil {
		return nil, err
	}
	c := r.config.Outside
	archive := firstNonEmpty(c.Archive, webArchive)
	if archive == "none" {
		archive = ""
	}
	return &world{engines: e, late: r.late, pages: &page.Reader{Extract: ex, Allow: list(c.AllowHosts), Proxy: c.proxy(), Archive: archive, Chromium: c.browser(), Cache: cache}}, nil
}

// browser is the program that renders pages which need JavaScript; "" where there is none.
func (c outsideConfig) browser() string {
	if c.Browser == "none" {
		return ""
	}
	for _, name := range []string{c.Browser, "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && name != "" {
			return path
		}
	}
	return ""
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// Search gives what a question may search.
func (w *world) Search(where plumb.Where) (web, papers engine.Searcher, err error) {
	choose := func(kind search.Kind, names []string) (engine.Searcher, error) {
		s, err := w.engines.Choose(kind, strings.Join(names, ","))
		if err != nil || s == nil {
			return nil, err
		}
		return searcher{s, where}, nil
	}
	if web, err = choose(search.Web, where.Search); err != nil {
		return nil, nil, err
	}
	papers, err = choose(search.Papers, where.Papers)
	return web, papers, err
}

// Read reads a page.
func (w *world) Read(ctx context.Context, url string) (gather.Page, error) {
	p, err := w.pages.Read(ctx, url)
	return gather.Page{Source: p.Source, Text: p.Text, Depth: p.Depth, Note: p.Note}, err
}

// searcher is a choice of engines within a question's domains and dates.
type searcher struct {
	*search.Search
	where plumb.Where
}

func (s searcher) Leads(ctx context.Context, q gather.LeadQuery) (gather.Leads, error) {
	leads, news, err := s.Find(ctx, search.Query{Text: q.Text, Language: q.Language, Limit: q.Limit, Since: s.where.Since,
		Include: s.where.Include, Exclude: s.where.Exclude})
	return gather.Leads{Leads: leads, News: news}, err
}
