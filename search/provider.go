package search

// The providers that exist: what they are called, where they are, and which variables configure them.

import "time"

// Provider describes an engine that exists, configured or not.
type Provider struct {
	Name     string
	Kind     Kind
	KeyVar   string // the environment variable of its key; empty: it takes none
	NeedsKey bool
	BaseVar  string // the environment variable of its base URL
	BaseURL  string // where it is otherwise; empty: the user must say

	every time.Duration // one request in this time, as the provider asks or as is modest
	burst int
	make  func(*service) Engine
}

// providers stand in the order in which they are listed, asked and, where nothing else decides, trusted.
var providers = []Provider{
	{Name: "tavily", Kind: Web, KeyVar: "TAVILY_API_KEY", NeedsKey: true, BaseVar: "TAVILY_BASE_URL", BaseURL: "https://api.tavily.com",
		every: 100 * time.Millisecond, burst: 5, make: func(s *service) Engine { return Tavily{s} }},
	{Name: "exa", Kind: Web, KeyVar: "EXA_API_KEY", NeedsKey: true, BaseVar: "EXA_BASE_URL", BaseURL: "https://api.exa.ai",
		every: 200 * time.Millisecond, burst: 2, make: func(s *service) Engine { return Exa{s} }}, // 5 a second
	{Name: "brave", Kind: Web, KeyVar: "BRAVE_API_KEY", NeedsKey: true, BaseVar: "BRAVE_BASE_URL", BaseURL: "https://api.search.brave.com",
		every: time.Second, burst: 1, make: func(s *service) Engine { return Brave{s} }}, // 1 a second in the free plan
	{Name: "serper", Kind: Web, KeyVar: "SERPER_API_KEY", NeedsKey: true, BaseVar: "SERPER_BASE_URL", BaseURL: "https://google.serper.dev",
		every: 200 * time.Millisecond, burst: 5, make: func(s *service) Engine { return Serper{s} }},
	{Name: "searxng", Kind: Web, BaseVar: "SEARXNG_URL",
		every: time.Second, burst: 2, make: func(s *service) Engine { return SearXNG{s} }},
	{Name: "perplexity", Kind: Web, KeyVar: "PERPLEXITY_API_KEY", NeedsKey: true, BaseVar: "PERPLEXITY_BASE_URL", BaseURL: "https://api.perplexity.ai",
		every: 350 * time.Millisecond, burst: 3, make: func(s *service) Engine { return Perplexity{s} }}, // 3 a second
	{Name: "wikipedia", Kind: Web, BaseVar: "WIKIPEDIA_BASE_URL", BaseURL: "https://en.wikipedia.org",
		every: 500 * time.Millisecond, burst: 2, make: func(s *service) Engine { return Wikipedia{s} }},
	{Name: "duckduckgo", Kind: Web, BaseVar: "DUCKDUCKGO_BASE_URL", BaseURL: "https://html.duckduckgo.com",
		every: 2 * time.Second, burst: 1, make: func(s *service) Engine { return DuckDuckGo{s} }},

	{Name: "arxiv", Kind: Papers, BaseVar: "ARXIV_BASE_URL", BaseURL: "https://export.arxiv.org",
		every: 3 * time.Second, burst: 1, make: func(s *service) Engine { return ArXiv{s} }}, // its terms of use
	{Name: "openalex", Kind: Papers, KeyVar: "OPENALEX_API_KEY", BaseVar: "OPENALEX_BASE_URL", BaseURL: "https://api.openalex.org",
		every: 200 * time.Millisecond, burst: 2, make: func(s *service) Engine { return OpenAlex{s} }},
	{Name: "crossref", Kind: Papers, BaseVar: "CROSSREF_BASE_URL", BaseURL: "https://api.crossref.org",
		every: time.Second, burst: 1, make: func(s *service) Engine { return Crossref{s} }}, // 1 a second in the public pool
	{Name: "pubmed", Kind: Papers, KeyVar: "NCBI_API_KEY", BaseVar: "PUBMED_BASE_URL", BaseURL: "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
		every: 340 * time.Millisecond, burst: 1, make: func(s *service) Engine { return PubMed{s} }}, // 3 a second
	{Name: "semantic_scholar", Kind: Papers, KeyVar: "SEMANTIC_SCHOLAR_API_KEY", BaseVar: "SEMANTIC_SCHOLAR_BASE_URL", BaseURL: "https://api.semanticscholar.org/graph/v1",
		every: time.Second, burst: 1, make: func(s *service) Engine { return SemanticScholar{s} }}, // 1 a second, with a key too
}

// Providers lists all that exist, so that their variables can be read and named.
func Providers() []Provider { return append([]Provider(nil), providers...) }

// Names lists the providers of a kind, for messages.
func Names(kind Kind) []string {
	var out []string
	for _, p := range providers {
		if p.Kind == kind {
			out = append(out, p.Name)
		}
	}
	return out
}
