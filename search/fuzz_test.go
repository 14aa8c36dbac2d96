package search

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

func testService(name string) *service {
	u, err := url.Parse("https://" + name + ".example/base")
	if err != nil {
		panic(err)
	}
	return &service{name: name, base: u, now: today, client: http.DefaultClient}
}

// parsers are the readers of outside text, with the answers they know.
var parsers = map[string]struct {
	seeds []string
	parse func([]byte) ([]plumb.Lead, error)
}{
	"tavily":     {[]string{"tavily.json"}, Tavily{testService("tavily")}.parse},
	"exa":        {[]string{"exa.json"}, Exa{testService("exa")}.parse},
	"brave":      {[]string{"brave.json"}, Brave{testService("brave")}.parse},
	"serper":     {[]string{"serper.json"}, Serper{testService("serper")}.parse},
	"searxng":    {[]string{"searxng.json"}, SearXNG{testService("searxng")}.parse},
	"perplexity": {[]string{"perplexity.json"}, Perplexity{testService("perplexity")}.parse},
	"wikipedia": {[]string{"wikipedia.json"}, func(b []byte) ([]plumb.Lead, error) {
		w := Wikipedia{testService("wikipedia")}
		return w.parse(b, w.base)
	}},
	"duckduckgo":       {[]string{"duckduckgo.html", "duckduckgo-none.html", "duckduckgo-wall.html"}, DuckDuckGo{testService("duckduckgo")}.parse},
	"arxiv":            {[]string{"arxiv.xml", "arxiv-error.xml"}, ArXiv{testService("arxiv")}.parse},
	"openalex":         {[]string{"openalex.json"}, OpenAlex{testService("openalex")}.parse},
	"crossref":         {[]string{"crossref.json"}, Crossref{testService("crossref")}.parse},
	"semantic_scholar": {[]string{"semantic_scholar.json"}, SemanticScholar{testService("semantic_scholar")}.parse},
	"pubmed": {[]string{"pubmed-search.json", "pubmed-summary.json"}, func(b []byte) ([]plumb.Lead, error) {
		p := PubMed{testService("pubmed")}
		ids, err := p.parseIDs(b)
		if err == nil {
			return nil, nil
		}
		ids = append(ids, "38000001", "38000002")
		return p.parse(b, ids)
	}},
}

// fuzzParser holds an answer against what must be true of any: leads or a fault, and clean leads after fusion.
func fuzzParser(f *testing.F, name string) {
	p := parsers[name]
	for _, s := range p.seeds {
		f.Add(fixture(f, s))
	}
	f.Add([]byte(`{"results":[{"url":"https://a.example/%zz","title":{"a":1},"content":7}]}`))
	f.Add([]byte(`{"results":[null,{"url":"javascript:x"},{"url":"https://a.example","highlights":[null]}],"message":{"items":[{"DOI":"10.5555/x","title":["t"],"issued":{"date-parts":[[null]]}}]}}`))
	f.Add([]byte(`<div class="result"><div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=%68ttps://a.example">x</a></div></div>`))
	f.Add([]byte("<feed><entry><id>http://arxiv.org/abs/2403.01234</id></entry></feed>"))
	f.Add([]byte("null"))
	q, err := Query{Text: "bridge fatigue", Exclude: []string{"bad.example"}, Since: "2020"}.checked()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		leads, err := p.parse(body)
		var fault *Fault
		if err != nil && (!errors.As(err, &fault) || len(leads) > 0 || fault.Engine != name) {
			t.Fatalf("%v with %d leads", err, len(leads))
		}
		for _, l := range fuse([][]plumb.Lead{leads, leads}, q, today()) {
			checkLead(t, l, q)
		}
	})
}

func checkLead(t *testing.T, l plumb.Lead, q Query) {
	t.Helper()
	u, err := url.Parse(l.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(l.URL) > maxURL {
		t.Errorf("address %q", l.URL)
	}
	if under(link.Host(l.URL), q.Exclude) || older(l.Date, q.Since) {
		t.Errorf("%q of %q came through", l.URL, l.Date)
	}
	for _, s := range append([]string{l.Title, l.Snippet, l.Date, l.DOI}, l.Authors...) {
		if !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxSnippet || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("text %q", s)
		}
	}
	if l.Title == "" || l.Agree != 1 || l.Score < 0 || l.Score > 1 {
		t.Errorf("%+v", l)
	}
	if l.Date != "" && !isoForm.MatchString(l.Date) {
		t.Errorf("date %q", l.Date)
	}
}

func FuzzTavily(f *testing.F)          { fuzzParser(f, "tavily") }
func FuzzExa(f *testing.F)             { fuzzParser(f, "exa") }
func FuzzBrave(f *testing.F)           { fuzzParser(f, "brave") }
func FuzzSerper(f *testing.F)          { fuzzParser(f, "serper") }
func FuzzSearXNG(f *testing.F)         { fuzzParser(f, "searxng") }
func FuzzPerplexity(f *testing.F)      { fuzzParser(f, "perplexity") }
func FuzzWikipedia(f *testing.F)       { fuzzParser(f, "wikipedia") }
func FuzzDuckDuckGo(f *testing.F)      { fuzzParser(f, "duckduckgo") }
func FuzzArXiv(f *testing.F)           { fuzzParser(f, "arxiv") }
func FuzzOpenAlex(f *testing.F)        { fuzzParser(f, "openalex") }
func FuzzCrossref(f *testing.F)        { fuzzParser(f, "crossref") }
func FuzzPubMed(f *testing.F)          { fuzzParser(f, "pubmed") }
func FuzzSemanticScholar(f *testing.F) { fuzzParser(f, "semantic_scholar") }

func FuzzPlain(f *testing.F) {
	f.Add("The <b>bridge</b> &amp;lt;i&amp;gt;x&amp;lt;/i&amp;gt; p<0.05 <!-- x --> <script>y")
	f.Fuzz(func(t *testing.T, s string) {
		got := plain(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) || got != strings.TrimSpace(got) || strings.Contains(strings.ToLower(got), "<script>") {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func FuzzDate(f *testing.F) {
	f.Add("2 days ago")
	f.Add("2019 Dec 30-2020 Jan 5")
	f.Fuzz(func(t *testing.T, s string) {
		if got := isoDate(s, today()); got != "" && !isoForm.MatchString(got) {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("What is the cost of the bridge?", "en", "2024-05", "a.example")
	f.Fuzz(func(t *testing.T, s, lang, since, domain string) {
		q, err := Query{Text: s, Language: lang, Since: since, Include: []string{domain}, Exclude: []string{domain}}.checked()
		if err != nil {
			return
		}
		if utf8.RuneCountInString(q.Text) > maxQueryChars || len(q.words()) == 0 || q.Language != "" && !languageForm.MatchString(q.Language) ||
			q.Since != "" && firstDay(q.Since).IsZero() {
			t.Errorf("%+v", q)
		}
		u := Wikipedia{&service{base: &url.URL{Scheme: "https", Host: "en.wikipedia.org"}}}.in(q.Language)
		if !strings.HasSuffix(u.Host, ".wikipedia.org") || strings.Count(u.Host, ".") != 2 {
			t.Errorf("host %q", u.Host)
		}
	})
}
