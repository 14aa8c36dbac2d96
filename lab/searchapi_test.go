package lab_test

// The search engines and paper indexes of the lab, asked by package search as the real ones are.

import (
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/search"
)

// enginesOf are the engines as they are in the environment that the lab prints, without waiting between requests.
func enginesOf(t testing.TB, w *lab.Web, base string) *search.Engines {
	t.Helper()
	env := map[string]string{}
	for _, pair := range w.Environ(base) {
		k, v, _ := strings.Cut(pair, "=")
		env[k] = v
	}
	proxy, err := url.Parse(env["HTTP_PROXY"])
	if err != nil {
		t.Fatal(err)
	}
	o := search.Options{Web: env["SEARCH_PROVIDER"], Papers: env["PAPER_PROVIDER"], UseSemanticScholar: env["USE_SEMANTIC_SCHOLAR"] == "true", Services: map[string]search.Service{},
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Transport: &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
			if r.URL.Hostname() == "127.0.0.1" { // as http.ProxyFromEnvironment does
				return nil, nil
			}
			return proxy, nil
		}}}
	for _, p := range search.Providers() {
		o.Services[p.Name] = search.Service{Key: env[p.KeyVar], BaseURL: env[p.BaseVar], Every: -1}
		if env[p.BaseVar] == "" {
			t.Errorf("the environment lacks %s", p.BaseVar)
		}
	}
	e, err := search.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func find(t testing.TB, e *search.Engines, kind search.Kind, names string, q search.Query) ([]plumb.Lead, plumb.LeadsNews) {
	t.Helper()
	s, err := e.Choose(kind, names)
	if err != nil {
		t.Fatal(err)
	}
	leads, news, err := s.Find(t.Context(), q)
	if err != nil {
		t.Errorf("%s: %q: %v", names, q.Text, err)
	}
	return leads, news
}

func TestEveryEngineAnswersInItsFormat(t *testing.T) {
	w := &lab.Web{}
	e := enginesOf(t, w, listen(t, w))
	known := map[string]lab.WebPage{}
	for _, p := range w.List() {
		known[link.Identity(p.URL)] = p
	}
	for _, p := range search.Providers() {
		name := "lynx project animals survival"
		for _, q := range w.Questions() {
			if p.Name == "wikipedia" || strings.Contains(q.Subject, "project") && strings.Contains(q.Text, "survive") {
				name = q.Text
				break
			}
		}
		leads, news := find(t, e, p.Kind, p.Name, search.Query{Text: name, Language: "en"})
		if len(leads) < 1 || len(news.Failed) > 0 {
			t.Errorf("%s: %d leads for %q, %v", p.Name, len(leads), name, news.Failed)
		}
		for _, l := range leads {
			page, isPage := known[link.Identity(l.URL)]
			switch {
			case p.Kind == search.Papers && (l.DOI == "" || len(l.Authors) != 3 || l.Title == ""):
				t.Errorf("%s: %+v", p.Name, l)
			case p.Kind == search.Web && (!isPage || l.Title != page.Title || l.Snippet == ""):
				t.Errorf("%s: %+v, want %+v", p.Name, l, page)
			}
			if isPage && l.Date != "" && l.Date != page.Date {
				t.Errorf("%s: %s is dated %s, not %s", p.Name, l.URL, l.Date, page.Date)
			}
		}
		again, _ := find(t, e, p.Kind, p.Name, search.Query{Text: name, Language: "en"})
		if !reflect.DeepEqual(leads, again) {
			t.Errorf("%s: another answer the second time", p.Name)
		}
		if n := w.Stats().Searches[p.Name]; n < 2 {
			t.Errorf("%s: %d searches counted", p.Name, n)
		}
	}
}

// TestEnginesDifferAndAgree: fusion has something to do, and does it.
func TestEnginesDifferAndAgree(t *testing.T) {
	w := &lab.Web{}
	e := enginesOf(t, w, listen(t, w))
	q := w.Questions()[4]
	var orders []string
	for _, name := range search.Names(search.Web) {
		leads, _ := find(t, e, search.Web, name, search.Query{Text: q.Text})
		var urls []string
		for _, l := range leads {
			urls = append(urls, l.URL)
		}
		orders = append(orders, strings.Join(urls, " "))
	}
	slices.Sort(orders)
	if n := len(slices.Compact(orders)); n < 7 {
		t.Errorf("only %d different answers", n)
	}
	leads, news := find(t, e, search.Web, "auto", search.Query{Text: q.Text})
	if len(leads) != 8 || leads[0].Agree < 3 || news.Found <= 20 {
		t.Errorf("%+v of %+v", leads, news)
	}
}

func TestSearchesFindThePagesThatAnswer(t *testing.T) {
	w := &lab.Web{Seed: 11, Pages: 160}
	e := enginesOf(t, w, listen(t, w))
	questions := w.Questions()
	found := 0
	for _, q := range questions {
		leads, _ := find(t, e, search.Web, "auto", search.Query{Text: q.Text, Language: "en"})
		if slices.ContainsFunc(leads[:min(3, len(leads))], func(l plumb.Lead) bool {
			return slices.ContainsFunc(q.Statements, func(s lab.Statement) bool { return slices.Contains(s.Pages, l.URL) })
		}) {
			found++
		}
	}
	if len(questions) < 25 || found*10 < len(questions)*9 {
		t.Errorf("the first three leads of %d of %d questions answer anything", found, len(questions))
	}
}

func TestDomainsAndDatesAreHeldTo(t *testing.T) {
	w := &lab.Web{}
	e := enginesOf(t, w, listen(t, w))
	text := w.Questions()[0].Text
	for _, p := range search.Providers() {
		if p.Name == "wikipedia" {
			continue // it has neither
		}
		if p.Kind == search.Web {
			leads, _ := find(t, e, p.Kind, p.Name, search.Query{Text: text, Include: []string{"velmark.test"}})
			if len(leads) == 0 {
				t.Errorf("%s: nothing on the domain", p.Name)
			}
			without, news := find(t, e, p.Kind, p.Name, search.Query{Text: text, Exclude: []string{"velmark.test"}})
			if len(without) == 0 || news.Found < len(without) {
				t.Errorf("%s: %+v", p.Name, news)
			}
			for _, l := range append(leads, without...) {
				if on := strings.Contains(l.URL, ".velmark.test/"); on != slices.Contains([]string{"stats", "data", "answers"}, strings.TrimPrefix(strings.Split(l.URL, ".")[0], "http://")) {
					t.Errorf("%s: %s", p.Name, l.URL)
				}
			}
		}
		all, before := find(t, e, p.Kind, p.Name, search.Query{Text: "project results measurements study animals", Limit: 50})
		late, after := find(t, e, p.Kind, p.Name, search.Query{Text: "project results measurements study animals", Limit: 50, Since: "2025-06"})
		if p.Name != "searxng" && after.Found >= before.Found || len(all) == 0 {
			t.Errorf("%s: %d found since 2025, %d of all times", p.Name, after.Found, before.Found)
		}
		for _, l := range late {
			if l.Date != "" && l.Date < "2025-06" {
				t.Errorf("%s: %+v", p.Name, l)
			}
		}
	}
}

func TestKeysAreAskedForWhereTheyAreNeeded(t *testing.T) {
	w := &lab.Web{Pages: 16}
	base := listen(t, w)
	for path, method := range map[string]string{"/tavily/search": "POST", "/exa/search": "POST", "/brave/res/v1/web/search?q=dam": "GET", "/serper/search": "POST", "/perplexity/search": "POST"} {
		if status, _ := ask(t, method, base+path, `{"query":"dam","q":"dam"}`); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, status)
		}
	}
	if n := w.Stats().Faults["key"]; n != 5 {
		t.Errorf("%d refusals counted", n)
	}
}

func TestRequestsThatMakeNoSenseAreRefused(t *testing.T) {
	w := &lab.Web{Pages: 16}
	base := listen(t, w)
	for path, want := range map[string]int{
		"/searxng/search?q=dam": 400, "/searxng/search?format=json": 400, "/arxiv/api/query?search_query=": 400, "/openalex/works": 400, "/crossref/works?rows=x": 400,
		"/pubmed/esearch.fcgi?term=dam": 400, "/pubmed/esummary.fcgi": 400, "/semantic_scholar/paper/search": 400, "/duckduckgo/html/": 400, "/wikipedia/w/api.php?action=parse": 400,
		"/bing/search": 404, "/tavily/other": 404,
	} {
		if status, body := ask(t, "GET", base+path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func ask(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestSearchFaultsOfEveryKind(t *testing.T) {
	t.Parallel() // some of the faults ask for a second's pause
	w := &lab.Web{Pages: 48, SearchFaults: 1, Slow: 20 * time.Millisecond}
	e := enginesOf(t, w, listen(t, w))
	for _, word := range []string{"cost", "patients", "riders", "jobs"} {
		for _, kind := range []search.Kind{search.Web, search.Papers} {
			s, err := e.Choose(kind, strings.Join(search.Names(kind), ","))
			if err != nil {
				t.Fatal(err)
			}
			if leads, _, err := s.Find(t.Context(), search.Query{Text: word + " of the project"}); err == nil && len(leads) > 0 {
				t.Errorf("%s: %d leads", kind, len(leads))
			}
		}
	}
	faults := w.Stats().Faults
	for _, kind := range []string{"rate-limit", "long-pause", "server-error", "broken", "hang", "empty"} {
		if faults[kind] == 0 {
			t.Errorf("no %s: %v", kind, faults)
		}
	}
}

func TestTheShareOfSearchFaultsFollowsFromTheSeed(t *testing.T) {
	run := func(seed uint64) lab.WebStats {
		w := &lab.Web{Seed: seed, Pages: 48, SearchFaults: 0.2, Slow: time.Millisecond}
		base := listen(t, w)
		for i := range 200 {
			res, err := http.Get(base + "/openalex/works?search=results+" + strings.Repeat("x", i%50))
			if err == nil {
				res.Body.Close()
			}
		}
		return w.Stats()
	}
	one, again, other := run(1), run(1), run(2)
	if !reflect.DeepEqual(one, again) || reflect.DeepEqual(one.Faults, other.Faults) {
		t.Errorf("%v, %v, %v", one.Faults, again.Faults, other.Faults)
	}
	sum := 0
	for _, n := range one.Faults {
		sum += n
	}
	if sum < 20 || sum > 60 {
		t.Errorf("%d faults of 200: %v", sum, one.Faults)
	}
}

func FuzzAPIsAreNotUpsetByRequests(f *testing.F) {
	w := &lab.Web{Pages: 16}
	h := w.Handler()
	for _, p := range []string{"/tavily/search", "/arxiv/api/query?search_query=all:%22x%22+AND+submittedDate:[202001010000+TO+202101012359]&max_results=-3", "/brave/res/v1/web/search?q=site:a+-site:b+(dam)&freshness=2020-01-01to",
		"/pubmed/esummary.fcgi?id=,990000000,", "/crossref/works?query=a&filter=from-pub-date:x", "/duckduckgo/html/?q=dam&df=..", "/wikipedia/w/api.php?action=query&list=search&srsearch=a&srlimit=999999999999999999999"} {
		f.Add(p, `{"query":"dam","numResults":-1,"max_results":1e3}`)
	}
	f.Fuzz(func(t *testing.T, path, body string) {
		u, err := url.ParseRequestURI("/" + strings.TrimLeft(path, "/"))
		if err != nil {
			return
		}
		for _, method := range []string{"GET", "POST"} {
			r := &http.Request{Method: method, URL: u, Host: "127.0.0.1:1", Body: io.NopCloser(strings.NewReader(body)),
				Header: http.Header{"Authorization": {"Bearer x"}, "X-Api-Key": {"x"}, "X-Subscription-Token": {"x"}, "Content-Type": {"application/x-www-form-urlencoded"}}}
			rec := &recorded{header: http.Header{}}
			h.ServeHTTP(rec, r)
			if rec.status != 200 && rec.status != 400 && rec.status != 404 {
				t.Errorf("%s %s: %d", method, u, rec.status)
			}
		}
	})
}

// recorded keeps the status of an answer.
type recorded struct {
	header http.Header
	status int
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) Write(b []byte) (int, error) { return len(b), nil }
func (r *recorded) WriteHeader(status int)      { r.status = status }
