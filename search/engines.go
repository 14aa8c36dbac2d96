package search

// Which providers are configured, and which of them a run asks.

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Options say what is configured. The zero value has the engines that need no key, and chooses none.
type Options struct {
	// Web and Papers choose engines: "auto" (all that have what they need), "none" or empty, or names with commas.
	Web    string
	Papers string
	// Services configures providers by name; those that are missing have no key and their usual place.
	Services map[string]Service
	// UseSemanticScholar lets auto choose it without a key, too.
	UseSemanticScholar bool
	// Contact is an e-mail address that the paper indexes are told, as they ask for; empty: none.
	Contact string
	// Transport carries the requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Further are web engines that are no providers of this package.
	Further []Further
	// Keep is how many leads a search gives; 0: 8.
	Keep int
	// Now dates what providers say is "2 days ago", and recency; nil: time.Now.
	Now func() time.Time
}

// Service configures one provider.
type Service struct {
	Key     string
	BaseURL string        // empty: the provider's own
	Every   time.Duration // one request in this time; 0: the provider's own limit, negative: none
}

// Engines are the providers with what is configured of them. They keep the rate limits: make them once.
type Engines struct {
	all         []engine
	semantic    bool
	keep        int
	now         func() time.Time
	web, papers *Search
}

// engine is a provider that could be asked, if it has what it needs.
type engine struct {
	Provider
	service *service
	further Further // in place of the service
}

// Further is an engine from elsewhere.
type Further interface {
	Engine
	Host() string // whom queries are sent to, for a person
}

// New makes the engines. An unknown name, a chosen engine without its key and a base URL that is none are errors that
// name the cure.
func New(o Options) (*Engines, error) {
	e := &Engines{semantic: o.UseSemanticScholar, keep: o.Keep, now: o.Now}
	if e.keep <= 0 {
		e.keep = defaultKeep
	}
	if e.now == nil {
		e.now = time.Now
	}
	client := &http.Client{Transport: o.Transport, CheckRedirect: sameHost}
	for _, p := range providers {
		s, err := newService(p, o.Services[p.Name])
		if err != nil {
			return nil, err
		}
		s.client, s.now, s.contact = client, e.now, o.Contact
		e.all = append(e.all, engine{Provider: p, service: s})
	}
	for _, f := range o.Further {
		e.all = append(e.all, engine{Provider: Provider{Name: f.Name(), Kind: Web}, further: f})
	}
	for name := range o.Services {
		if !slices.ContainsFunc(providers, func(p Provider) bool { return p.Name == name }) {
			return nil, fmt.Errorf("search engine %q is unknown", name)
		}
	}
	var err error
	if e.web, err = e.Choose(Web, o.Web); err != nil {
		return nil, err
	}
	e.papers, err = e.Choose(Papers, o.Papers)
	return e, err
}

func newService(p Provider, c Service) (*service, error) {
	base := c.BaseURL
	if base == "" {
		base = p.BaseURL
	}
	u, err := url.Parse(base)
	if base != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nil, fmt.Errorf("%s is not an http or https address", p.BaseVar)
	}
	every, burst := p.every, p.burst
	if c.Every != 0 {
		every, burst = c.Every, 1
	}
	limit := rate.Inf
	if every > 0 {
		limit = rate.Every(every)
	}
	return &service{name: p.Name, key: c.Key, keyVar: p.KeyVar, baseVar: p.BaseVar, base: u, pace: rate.NewLimiter(limit, burst)}, nil
}

// Web is the choice of web engines in the options, nil when there are none.
func (e *Engines) Web() *Search { return e.web }

// Papers is the choice of paper indexes in the options, nil when there are none.
func (e *Engines) Papers() *Search { return e.papers }

// Choose is a search over some engines of a kind: "auto", "none" or empty, or names with commas. It is nil when there
// are none. Searches of the same Engines share rate limits.
func (e *Engines) Choose(kind Kind, names string) (*Search, error) {
	var chosen []engine
	switch names = strings.TrimSpace(strings.ToLower(names)); names {
	case "", "none":
		return nil, nil
	case "auto":
		for _, p := range e.all {
			if p.Kind == kind && p.missing() == "" && (p.Name != "semantic_scholar" || e.semantic || p.service.key != "") {
				chosen = append(chosen, p)
			}
		}
	default:
		for _, name := range strings.Split(names, ",") {
			p, err := e.named(kind, strings.TrimSpace(name))
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(chosen, func(c engine) bool { return c.Name == p.Name }) {
				chosen = append(chosen, p)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	s := &Search{keep: e.keep, now: e.now}
	for _, c := range chosen {
		if c.further != nil {
			s.engines = append(s.engines, c.further)
			s.hosts = append(s.hosts, c.further.Host())
			continue
		}
		s.engines = append(s.engines, c.make(c.service))
		s.hosts = append(s.hosts, c.service.host())
	}
	return s, nil
}

func (e *Engines) named(kind Kind, name string) (engine, error) {
	for _, p := range e.all {
		if p.Kind != kind || p.Name != name && strings.ReplaceAll(p.Name, "_", "") != strings.NewReplacer("_", "", "-", "").Replace(name) {
			continue
		}
		if v := p.missing(); v != "" {
			return engine{}, fmt.Errorf("%s needs %s: set it, or choose others", p.Name, v)
		}
		return p, nil
	}
	if name == "auto" || name == "none" {
		return engine{}, fmt.Errorf("%s stands alone, not in a list", name)
	}
	return engine{}, fmt.Errorf("%s search %s is unknown: use auto, none, or some of %s", kind, quoted(name), strings.Join(e.names(kind), ", "))
}

// names are the providers of a kind, and those from elsewhere.
func (e *Engines) names(kind Kind) []string {
	out := Names(kind)
	for _, p := range e.all {
		if p.further != nil && p.Kind == kind {
			out = append(out, p.Name)
		}
	}
	return out
}

// missing names the variable without which an engine can't be asked, if there is one.
func (p engine) missing() string {
	switch {
	case p.further != nil:
		return ""
	case p.NeedsKey && p.service.key == "":
		return p.KeyVar
	case p.service.base == nil || p.service.base.Host == "":
		return p.BaseVar
	}
	return ""
}

// quoted is a name as a person wrote it, shortened.
func quoted(name string) string { return fmt.Sprintf("%q", shorten(name, 40)) }
