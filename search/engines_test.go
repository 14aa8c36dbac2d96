package search

import (
	"slices"
	"strings"
	"testing"
)

func TestChoiceOfEngines(t *testing.T) {
	key := func(names ...string) map[string]Service {
		m := map[string]Service{}
		for _, n := range names {
			m[n] = Service{Key: secret}
		}
		return m
	}
	for _, c := range []struct {
		name     string
		kind     Kind
		choice   string
		services map[string]Service
		semantic bool
		want     string // names, or the error
	}{
		{"auto without anything", Web, "auto", nil, false, "wikipedia duckduckgo"},
		{"auto with keys", Web, "auto", key("serper", "tavily"), false, "tavily serper wikipedia duckduckgo"},
		{"auto with all keys", Web, "AUTO ", key("tavily", "exa", "brave", "serper", "perplexity"), false, "tavily exa brave serper perplexity wikipedia duckduckgo"},
		{"auto with a SearXNG", Web, "auto", map[string]Service{"searxng": {BaseURL: "http://searx.lan:8080/"}}, false, "searxng wikipedia duckduckgo"},
		{"none", Web, "none", key("tavily"), false, ""},
		{"nothing said", Web, "", key("tavily"), false, ""},
		{"a list keeps its order, each once", Web, "wikipedia, Tavily,wikipedia", key("tavily"), false, "wikipedia tavily"},
		{"a list without the key", Web, "wikipedia,tavily", nil, false, "tavily needs TAVILY_API_KEY: set it, or choose others"},
		{"a list without the address", Web, "searxng", nil, false, "searxng needs SEARXNG_URL: set it, or choose others"},
		{"unknown", Web, "bing", nil, false, `web search "bing" is unknown: use auto, none, or some of tavily, exa, brave, serper, searxng, perplexity, wikipedia, duckduckgo`},
		{"auto in a list", Web, "auto,tavily", nil, false, "auto stands alone, not in a list"},
		{"an index is no web engine", Web, "arxiv", nil, false, `web search "arxiv" is unknown: use auto, none, or some of tavily, exa, brave, serper, searxng, perplexity, wikipedia, duckduckgo`},
		{"an empty name", Papers, "arxiv,", nil, false, `papers search "" is unknown: use auto, none, or some of arxiv, openalex, crossref, pubmed, semantic_scholar`},
		{"papers", Papers, "auto", nil, false, "arxiv openalex crossref pubmed"},
		{"papers with a key", Papers, "auto", key("semantic_scholar"), false, "arxiv openalex crossref pubmed semantic_scholar"},
		{"papers when asked for", Papers, "auto", nil, true, "arxiv openalex crossref pubmed semantic_scholar"},
		{"by name without a key", Papers, "semantic-scholar", nil, false, "semantic_scholar"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Services: c.services, UseSemanticScholar: c.semantic, Transport: &loopback{}}
			if c.kind == Web {
				o.Web = c.choice
			} else {
				o.Papers = c.choice
			}
			e, err := New(o)
			if err != nil {
				if err.Error() != c.want {
					t.Errorf("error %q, want %q", err, c.want)
				}
				return
			}
			s, other := e.Web(), e.Papers()
			if c.kind == Papers {
				s, other = other, s
			}
			if other != nil {
				t.Error("the other kind was chosen, too")
			}
			var got []string
			if s != nil {
				got = s.Names()
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

func TestHostsAreDisclosedAsConfigured(t *testing.T) {
	e, err := New(Options{Web: "auto", Papers: "arxiv", Transport: &loopback{}, Services: map[string]Service{
		"searxng": {BaseURL: "http://me:hidden@searx.lan:8080/sub"}, "arxiv": {BaseURL: "http://127.0.0.1:9"}, "tavily": {Key: secret}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Web().Hosts(); !slices.Equal(got, []string{"api.tavily.com", "searx.lan:8080", "wikipedia.org", "html.duckduckgo.com"}) {
		t.Error(got)
	}
	if got := e.Papers().Hosts(); !slices.Equal(got, []string{"127.0.0.1:9"}) {
		t.Error(got)
	}
}

func TestWrongConfigurationIsNamed(t *testing.T) {
	for _, c := range []struct {
		services map[string]Service
		want     string
	}{
		{map[string]Service{"tavily": {BaseURL: "api.tavily.com"}}, "TAVILY_BASE_URL is not an http or https address"},
		{map[string]Service{"searxng": {BaseURL: "file:///etc/passwd"}}, "SEARXNG_URL is not an http or https address"},
		{map[string]Service{"arxiv": {BaseURL: "http://%zz"}}, "ARXIV_BASE_URL is not an http or https address"},
		{map[string]Service{"bing": {Key: secret}}, `search engine "bing" is unknown`},
	} {
		if _, err := New(Options{Services: c.services}); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v", c.services, err)
		}
	}
}

func TestNamesListsWhatExists(t *testing.T) {
	if got := strings.Join(Names(Web), " ") + " | " + strings.Join(Names(Papers), " "); got !=
		"tavily exa brave serper searxng perplexity wikipedia duckduckgo | arxiv openalex crossref pubmed semantic_scholar" {
		t.Error(got)
	}
	for _, p := range Providers() {
		if p.BaseVar == "" || p.NeedsKey && p.KeyVar == "" || p.BaseURL == "" && p.Name != "searxng" || p.every <= 0 {
			t.Errorf("%+v lacks something", p)
		}
	}
}
