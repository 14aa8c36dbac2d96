package lab

// The formats of web search engines: requests as package search sends them, answers as the providers document them.

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func pages(d *doc) bool   { return d.paper == nil }
func onWiki(d *doc) bool  { return d.site.host == wikiHost }
func anything(*doc) bool  { return true }
func isPaper(d *doc) bool { return d.paper != nil }

// engines are all of them, in the order of package search.
var engines = []searchAPI{
	{name: "tavily", keyVar: "TAVILY_API_KEY", baseVar: "TAVILY_BASE_URL", key: bearer, path: "/search",
		knows: anything, coverage: 0.9, title: 0.5, recent: 0.02, noise: 0.6, read: readTavily, write: writeTavily},
	{name: "exa", keyVar: "EXA_API_KEY", baseVar: "EXA_BASE_URL", key: header("X-Api-Key"), path: "/search",
		knows: anything, coverage: 0.7, title: 0.1, noise: 1.5, read: readExa, write: writeExa},
	{name: "brave", keyVar: "BRAVE_API_KEY", baseVar: "BRAVE_BASE_URL", key: header("X-Subscription-Token"), path: "/res/v1/web/search",
		knows: pages, coverage: 0.8, title: 1, recent: 0.05, noise: 0.8, read: readBrave, write: writeBrave},
	{name: "serper", keyVar: "SERPER_API_KEY", baseVar: "SERPER_BASE_URL", key: header("X-Api-Key"), path: "/search",
		knows: pages, coverage: 0.9, title: 1.5, recent: 0.1, noise: 0.4, read: readSerper, write: writeSerper},
	{name: "searxng", baseVar: "SEARXNG_URL", path: "/search",
		knows: anything, coverage: 0.6, title: 1, noise: 2, read: readSearXNG, write: writeSearXNG},
	{name: "perplexity", keyVar: "PERPLEXITY_API_KEY", baseVar: "PERPLEXITY_BASE_URL", key: bearer, path: "/search",
		knows: pages, coverage: 0.7, title: 0.3, recent: 0.3, noise: 0.5, read: readPerplexity, write: writePerplexity},
	{name: "wikipedia", baseVar: "WIKIPEDIA_BASE_URL", path: "/w/api.php",
		knows: onWiki, coverage: 1, title: 2, read: readWikipedia, write: writeWikipedia},
	{name: "duckduckgo", baseVar: "DUCKDUCKGO_BASE_URL", path: "/html/",
		knows: pages, coverage: 0.75, title: 0.8, noise: 1, read: readDuckDuckGo, write: writeDuckDuckGo},
	{name: "arxiv", baseVar: "ARXIV_BASE_URL", path: "/api/query",
		knows: func(d *doc) bool { return isPaper(d) && d.paper.arxiv != "" }, coverage: 1, title: 0.5, noise: 0.5, read: readArXiv, write: writeArXiv},
	{name: "openalex", keyVar: "OPENALEX_API_KEY", baseVar: "OPENALEX_BASE_URL", path: "/works",
		knows: isPaper, coverage: 0.95, title: 1, recent: 0.05, noise: 0.3, read: readOpenAlex, write: writeOpenAlex},
	{name: "crossref", baseVar: "CROSSREF_BASE_URL", path: "/works",
		knows: isPaper, coverage: 0.9, title: 2, noise: 0.6, read: readCrossref, write: writeCrossref},
	{name: "pubmed", keyVar: "NCBI_API_KEY", baseVar: "PUBMED_BASE_URL", path: "/esearch.fcgi", then: "/esummary.fcgi",
		knows: func(d *doc) bool { return isPaper(d) && d.paper.pmid != "" }, coverage: 1, title: 1, read: readPubMed, write: writePubMed},
	{name: "semantic_scholar", keyVar: "SEMANTIC_SCHOLAR_API_KEY", baseVar: "SEMANTIC_SCHOLAR_BASE_URL", path: "/paper/search",
		knows: isPaper, coverage: 0.9, title: 0.7, recent: 0.1, noise: 0.8, read: readSemantic, write: writeSemantic},
}

func bearer(r *http.Request) string {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return key
}

func header(name string) func(*http.Request) string {
	return func(r *http.Request) string { return r.Header.Get(name) }
}

// limits of what engines give at most, and when nothing was said.
const (
	usualLimit = 10
	mostLimit  = 50
)

func limitOf(n int) int {
	if n <= 0 {
		n = usualLimit
	}
	return min(n, mostLimit)
}

// readJSON takes the body of a POST apart.
func readJSON[T any](r *http.Request) (T, error) {
	var v T
	if r.Method != http.MethodPost {
		return v, errors.New("not a POST")
	}
	err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20)).Decode(&v)
	return v, err
}

func sendJSON(rw http.ResponseWriter, v any) {
	answerWith(rw, http.StatusOK, "application/json; charset=utf-8", encode(v))
}

// dated reads a date in one of the layouts that providers use; what can't be read is none.
func dated(layout, s string) string {
	t, err := time.Parse(layout, s)
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

// clipped is a snippet as engines cut it.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.LastIndexByte(s[:n], ' ')
	return s[:max(cut, 0)] + " ..."
}

func readTavily(r *http.Request) (lookup, error) {
	v, err := readJSON[struct {
		Query   string   `json:"query"`
		Max     int      `json:"max_results"`
		Start   string   `json:"start_date"`
		Include []string `json:"include_domains"`
		Exclude []string `json:"exclude_domains"`
	}](r)
	return lookup{text: v.Query, limit: limitOf(v.Max), since: v.Start, include: v.Include, exclude: v.Exclude}, err
}

type tavilyResult struct {
	URL       string  `json:"url"`
	Title     string  `json:"title"`
	Content   string  `json:"content"`
	Score     float64 `json:"score"`
	Raw       *string `json:"raw_content"`
	Published string  `json:"published_date,omitempty"`
}

func writeTavily(rw http.ResponseWriter, _ *http.Request, q lookup, hits []hit) {
	results := []tavilyResult{}
	for i, h := range hits {
		one := tavilyResult{URL: h.url(), Title: h.title, Content: h.snippet, Score: 1 / float64(i+1)}
		if h.genre == "news" || h.genre == "early" {
			one.Published = h.date.Format(time.RFC1123)
		}
		results = append(results, one)
	}
	sendJSON(rw, struct {
		Query   string         `json:"query"`
		Answer  *string        `json:"answer"`
		Images  []string       `json:"images"`
		Results []tavilyResult `json:"results"`
		Time    float64        `json:"response_time"`
	}{q.text, nil, []string{}, results, 0.4})
}

func readExa(r *http.Request) (lookup, error) {
	v, err := readJSON[struct {
		Query   string   `json:"query"`
		Num     int      `json:"numResults"`
		Start   string   `json:"startPublishedDate"`
		Include []string `json:"includeDomains"`
		Exclude []string `json:"excludeDomains"`
	}](r)
	return lookup{text: v.Query, limit: limitOf(v.Num), since: dated(time.RFC3339, v.Start), include: v.Include, exclude: v.Exclude}, err
}

type exaResult struct {
	ID         string   `json:"id"`
	URL        string   `json:"url"`
	Title      string   `json:"title"`
	Author     string   `json:"author"`
	Published  string   `json:"publishedDate"`
	Highlights []string `json:"highlights"`
}

func writeExa(rw http.ResponseWriter, r *http.Request, _ lookup, hits []hit) {
	results := []exaResult{}
	for _, h := range hits {
		results = append(results, exaResult{h.url(), h.url(), h.title, h.author, h.date.Format("2006-01-02T15:04:05.000Z"), []string{h.snippet}})
	}
	sendJSON(rw, struct {
		ID      string      `json:"requestId"`
		Type    string      `json:"resolvedSearchType"`
		Results []exaResult `json:"results"`
	}{fmt.Sprintf("%016x", hashOf(r.URL.Path)), "neural", results})
}

func readBrave(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	q := lookup{limit: wantedLimit(v.Get("count"))}
	operators(v.Get("q"), &q)
	from, _, _ := strings.Cut(v.Get("freshness"), "to")
	q.since = dated(time.DateOnly, from)
	return q, needs(v.Get("q"))
}

// wantedLimit reads how many results are wanted.
func wantedLimit(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		n = 0
	}
	return limitOf(n)
}

func needs(query string) error {
	if strings.TrimSpace(query) == "" {
		return errors.New("no query")
	}
	return nil
}

type braveResult struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description"`
	PageAge     string `json:"page_age"`
	Age         string `json:"age"`
	Language    string `json:"language"`
}

func writeBrave(rw http.ResponseWriter, _ *http.Request, _ lookup, hits []hit) {
	type web struct {
		Type    string        `json:"type"`
		Results []braveResult `json:"results"`
	}
	results := []braveResult{}
	for _, h := range hits {
		results = append(results, braveResult{html.EscapeString(h.title), h.url(), html.EscapeString(clipped(h.snippet, 240)),
			h.date.Format("2006-01-02T15:04:05"), h.date.Format("January 2, 2006"), "en"})
	}
	sendJSON(rw, struct {
		Type string `json:"type"`
		Web  web    `json:"web"`
	}{"search", web{"search", results}})
}

func readSerper(r *http.Request) (lookup, error) {
	v, err := readJSON[struct {
		Query string `json:"q"`
		Num   int    `json:"num"`
		Range string `json:"tbs"`
	}](r)
	q := lookup{limit: limitOf(v.Num)}
	operators(v.Query, &q)
	if _, from, ok := strings.Cut(v.Range, "cd_min:"); ok {
		q.since = dated("1/2/2006", strings.Split(from, ",")[0])
	}
	return q, errors.Join(err, needs(v.Query))
}

type serperResult struct {
	Title    string `json:"title"`
	Link     string `json:"link"`
	Snippet  string `json:"snippet"`
	Date     string `json:"date,omitempty"`
	Position int    `json:"position"`
}

func writeSerper(rw http.ResponseWriter, _ *http.Request, _ lookup, hits []hit) {
	results := []serperResult{}
	for i, h := range hits {
		results = append(results, serperResult{h.title, h.url(), clipped(h.snippet, 160), h.date.Format("Jan 2, 2006"), i + 1})
	}
	sendJSON(rw, struct {
		Organic []serperResult `json:"organic"`
		Credits int            `json:"credits"`
	}{results, 1})
}

func readSearXNG(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	q := lookup{limit: 2 * usualLimit}
	operators(v.Get("q"), &q)
	if v.Get("format") != "json" {
		return q, errors.New("only JSON is served")
	}
	return q, needs(v.Get("q"))
}

type searxngResult struct {
	URL       string   `json:"url"`
	Title     string   `json:"title"`
	Content   string   `json:"content"`
	Engines   []string `json:"engines"`
	Score     float64  `json:"score"`
	Category  string   `json:"category"`
	Published *string  `json:"publishedDate"`
}

func writeSearXNG(rw http.ResponseWriter, _ *http.Request, q lookup, hits []hit) {
	results := []searxngResult{}
	for i, h := range hits {
		one := searxngResult{URL: h.url(), Title: h.title, Content: clipped(h.snippet, 200), Engines: []string{"lab"}, Score: 1 / float64(i+1), Category: "general"}
		if i%2 == 0 { // few of the engines behind it tell dates
			day := h.date.Format("2006-01-02T15:04:05")
			one.Published = &day
		}
		results = append(results, one)
	}
	sendJSON(rw, struct {
		Query       string          `json:"query"`
		Number      int             `json:"number_of_results"`
		Results     []searxngResult `json:"results"`
		Answers     []string        `json:"answers"`
		Suggestions []string        `json:"suggestions"`
	}{q.text, len(results), results, []string{}, []string{}})
}

func readPerplexity(r *http.Request) (lookup, error) {
	v, err := readJSON[struct {
		Query   string   `json:"query"`
		Max     int      `json:"max_results"`
		Domains []string `json:"search_domain_filter"`
		After   string   `json:"search_after_date_filter"`
	}](r)
	q := lookup{text: v.Query, limit: limitOf(v.Max), since: dated("01/02/2006", v.After)}
	for _, d := range v.Domains {
		if out, ok := strings.CutPrefix(d, "-"); ok {
			q.exclude = append(q.exclude, out)
		} else {
			q.include = append(q.include, d)
		}
	}
	return q, errors.Join(err, needs(v.Query))
}

type perplexityResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
	Date    string `json:"date"`
	Updated string `json:"last_updated"`
}

func writePerplexity(rw http.ResponseWriter, r *http.Request, _ lookup, hits []hit) {
	results := []perplexityResult{}
	for _, h := range hits {
		day := h.date.Format(time.DateOnly)
		results = append(results, perplexityResult{h.title, h.url(), h.snippet, day, day})
	}
	sendJSON(rw, struct {
		Results []perplexityResult `json:"results"`
		ID      string             `json:"id"`
	}{results, fmt.Sprintf("%016x", hashOf(r.URL.Path))})
}

func readWikipedia(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	if v.Get("action") != "query" || v.Get("list") != "search" {
		return lookup{}, errors.New("only list=search is served")
	}
	return lookup{text: v.Get("srsearch"), limit: wantedLimit(v.Get("srlimit"))}, needs(v.Get("srsearch"))
}

type wikipediaResult struct {
	NS        int    `json:"ns"`
	Title     string `json:"title"`
	PageID    uint64 `json:"pageid"`
	Snippet   string `json:"snippet"`
	Timestamp string `json:"timestamp"`
}

func writeWikipedia(rw http.ResponseWriter, _ *http.Request, _ lookup, hits []hit) {
	type query struct {
		Search []wikipediaResult `json:"search"`
	}
	results := []wikipediaResult{}
	for _, h := range hits {
		first, rest, _ := strings.Cut(clipped(h.snippet, 200), " ")
		snippet := `<span class="searchmatch">` + html.EscapeString(first) + "</span> " + html.EscapeString(rest)
		results = append(results, wikipediaResult{0, h.title, hashOf(h.title) % 1e7, snippet, h.date.Format(time.RFC3339)})
	}
	sendJSON(rw, struct {
		Complete bool  `json:"batchcomplete"`
		Query    query `json:"query"`
	}{true, query{results}})
}

func readDuckDuckGo(r *http.Request) (lookup, error) {
	if err := r.ParseForm(); err != nil {
		return lookup{}, err
	}
	q := lookup{limit: 2 * usualLimit}
	operators(r.Form.Get("q"), &q)
	from, _, _ := strings.Cut(r.Form.Get("df"), "..")
	q.since = dated(time.DateOnly, from)
	return q, needs(r.Form.Get("q"))
}

func writeDuckDuckGo(rw http.ResponseWriter, _ *http.Request, q lookup, hits []hit) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>%s at DuckDuckGo</title></head><body><div class=\"serp__results\"><div id=\"links\" class=\"results\">\n", html.EscapeString(q.text))
	if len(hits) == 0 {
		b.WriteString(`<div class="no-results">No results.</div>`)
	}
	for _, h := range hits {
		to := "//duckduckgo.com/l/?uddg=" + url.QueryEscape(h.url()) + "&amp;rut=" + fmt.Sprintf("%016x", hashOf(h.url()))
		fmt.Fprintf(&b, `<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="%s">%s</a></h2>
<div class="result__extras"><a class="result__url" href="%s">%s</a> <span>&nbsp; &nbsp; %s</span></div>
<a class="result__snippet" href="%s">%s</a></div></div>
`, to, html.EscapeString(h.title), to, html.EscapeString(h.site.host), h.date.Format("2006-01-02T15:04:05.0000000"), to, html.EscapeString(clipped(h.snippet, 180)))
	}
	b.WriteString("</div></div></body></html>\n")
	answerWith(rw, http.StatusOK, "text/html; charset=UTF-8", []byte(b.String()))
}
