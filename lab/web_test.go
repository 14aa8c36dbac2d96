package lab_test

// The simulated internet, asked over real HTTP as programs ask it: by name through a dialer, and through its proxy.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/page"
)

// The test binary is its own child process for PDFs.
const childKind = "LAB_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childKind) != "" {
		if err := extract.ServePDF(os.Stdin, os.Stdout, 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// listen serves a web until the test ends.
func listen(t testing.TB, w *lab.Web) string {
	t.Helper()
	base, stop, err := w.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return base
}

// newReader reads politely towards nobody: the lab does not mind.
func newReader(t testing.TB) *page.Reader {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &page.Reader{
		Extract: extract.Extractor{Child: []string{"/usr/bin/env", childKind + "=1", exe}},
		Limits:  page.Limits{Gap: -1, Pause: time.Millisecond, AtOnce: 8},
		Now:     func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
	}
	t.Cleanup(r.Close)
	return r
}

// byName reads through the resolver and dialer of the lab.
func byName(t testing.TB, w *lab.Web) *page.Reader {
	r := newReader(t)
	r.Outside = page.Outside{Resolve: w.Resolve, Dial: w.Dial, TLS: w.TLS()}
	return r
}

// byProxy reads as the program does in the environment that the lab prints.
func byProxy(t testing.TB, w *lab.Web, base string) *page.Reader {
	t.Helper()
	proxy, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	r.Proxy = http.ProxyURL(proxy)
	r.Outside = page.Outside{Dial: w.Dial, TLS: w.TLS()}
	r.Outside.Resolve = w.Resolve
	return r
}

func kindOf(err error) page.Kind {
	var e *page.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// flat is a text with single spaces.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// get asks for an address through a transport, as it is.
func get(t testing.TB, transport http.RoundTripper, address string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

func TestTheZeroValueHasHundredsOfPagesOverManySites(t *testing.T) {
	w := &lab.Web{}
	list := w.List()
	if len(list) != 300 {
		t.Errorf("%d pages", len(list))
	}
	hosts, urls, formats := map[string]int{}, map[string]bool{}, map[string]int{}
	for _, p := range list {
		u, err := url.Parse(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		hosts[u.Host]++
		urls[p.URL] = true
		formats[p.Format]++
		if p.Bad != "" || p.Title == "" || p.Date < "2012" || p.Date > "2026" {
			t.Errorf("%+v", p)
		}
	}
	if len(hosts) < 20 || len(urls) != 300 || formats["pdf"] < 10 || formats["csv"] < 10 {
		t.Errorf("%d hosts, %d addresses, %v", len(hosts), len(urls), formats)
	}
}

// bodies is every page as it is served.
func bodies(t *testing.T, w *lab.Web) map[string]string {
	t.Helper()
	listen(t, w)
	transport := w.Transport()
	out := map[string]string{}
	for _, p := range w.List() {
		status, header, body := get(t, transport, p.URL)
		out[p.URL] = fmt.Sprint(status, header.Get("Content-Type"), header.Get("ETag"), body)
	}
	return out
}

func TestPagesFollowFromTheSeed(t *testing.T) {
	one, again, other := bodies(t, &lab.Web{Seed: 7, Pages: 120}), bodies(t, &lab.Web{Seed: 7, Pages: 120}), bodies(t, &lab.Web{Seed: 8, Pages: 120})
	if !reflect.DeepEqual(one, again) {
		t.Error("the same seed gave other pages")
	}
	same := 0
	for u, body := range one {
		if other[u] == body {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d pages are the same under another seed", same)
	}
	more := &lab.Web{Seed: 7, Pages: 240}
	if got := more.List()[:120]; !slices.Equal(got, (&lab.Web{Seed: 7, Pages: 120}).List()) {
		t.Error("more pages changed the first ones")
	}
	if n := len((&lab.Web{Pages: 4000}).List()); n != 4000 {
		t.Errorf("%d pages of 4000", n)
	}
}

func TestGoodPagesAreReadWhole(t *testing.T) {
	w := &lab.Web{Pages: 96}
	listen(t, w)
	r := byName(t, w)
	for _, p := range w.List() {
		got, err := r.Read(t.Context(), p.URL)
		if err != nil {
			t.Errorf("%s: %v", p.URL, err)
			continue
		}
		if p.Format == "csv" {
			if !strings.Contains(got.Text, p.Subject) {
				t.Errorf("%s: %q", p.URL, got.Text)
			}
			continue
		}
		if got.Depth != plumb.FullScrape || got.Paywall || got.Source.Title != p.Title || !strings.Contains(flat(got.Text), p.Subject) {
			t.Errorf("%s: %s %q, want %q: %d characters", p.URL, got.Depth, got.Source.Title, p.Title, len(got.Text))
		}
		if p.Genre != "wiki" && got.Source.Date != p.Date {
			t.Errorf("%s: dated %q, want %q", p.URL, got.Source.Date, p.Date)
		}
		for _, frame := range []string{"cookies", "Most read", "newsletter", "All rights reserved", "woollen socks"} {
			if strings.Contains(got.Text, frame) {
				t.Errorf("%s: %q is no part of the article", p.URL, frame)
			}
		}
	}
}

func TestStatementsStandOnThePagesThatAreNamed(t *testing.T) {
	w := &lab.Web{Seed: 3, Pages: 96, Bad: 0.3}
	listen(t, w)
	r := byName(t, w)
	texts := map[string]string{}
	questions := w.Questions()
	if len(questions) < 12 {
		t.Errorf("%d questions", len(questions))
	}
	for _, q := range questions {
		if !strings.HasSuffix(q.Text, "?") || !strings.Contains(q.Text, q.Subject) || len(q.Statements) < 2 {
			t.Errorf("%+v", q)
		}
		for _, s := range q.Statements {
			for _, u := range s.Pages {
				if texts[u] == "" {
					p, err := r.Read(t.Context(), u)
					if err != nil {
						t.Fatalf("%s: %v", u, err)
					}
					texts[u] = flat(p.Text)
				}
				if !strings.Contains(texts[u], s.Text) {
					t.Errorf("%s lacks %q:\n%s", u, s.Text, texts[u])
				}
			}
		}
	}
	if len(texts) < 30 {
		t.Errorf("only %d pages hold statements", len(texts))
	}
}

func TestSomePagesDisagree(t *testing.T) {
	w := &lab.Web{}
	listen(t, w)
	r := byName(t, w)
	disputed := 0
	for _, q := range w.Questions()[:6] {
		for _, s := range q.Statements {
			if s.Against == "" {
				continue
			}
			disputed++
			for _, p := range w.List() {
				if p.Subject != q.Subject || p.Genre != "early" {
					continue
				}
				got, err := r.Read(t.Context(), p.URL)
				if err != nil || !strings.Contains(flat(got.Text), s.Against) || strings.Contains(flat(got.Text), s.Text) {
					t.Errorf("%s, %v: %s", p.URL, err, got.Text)
				}
			}
		}
	}
	if disputed < 3 {
		t.Errorf("%d disputed statements", disputed)
	}
}

// outcome is what a reader makes of a kind of bad page: the kind of its error, or the depth and note of what it read.
func outcome(p page.Page, err error) string {
	if err != nil {
		return "error " + string(kindOf(err))
	}
	if p.Paywall {
		return "paywall " + string(p.Depth)
	}
	return string(p.Depth)
}

func TestEachBadKindIsNamedByTheReader(t *testing.T) {
	want := map[string]string{
		"paywall": "paywall partial_scrape", "paywall-403": "error paywall", "forbidden": "error forbidden", "missing": "error gone", "gone": "error gone",
		"server-error": "error status", "unavailable": "error status", "throttled": "error throttled", "moved": "full_scrape", "chain": "error redirects",
		"loop": "error redirects", "private": "error address", "private-name": "error address", "huge": "error too_large", "bomb": "error too_large",
		"drip": "error timeout", "charset": "full_scrape", "charset-old": "full_scrape", "script": "snippet", "botwall": "error botwall", "injection": "full_scrape",
		"soft-404": "partial_scrape", "other-title": "full_scrape", "broken-pdf": "error unreadable", "image": "error unsupported", "cut": "error network",
		"robots": "error robots", "empty": "snippet", "login": "snippet",
	}
	kinds := lab.BadKinds()
	if len(kinds) != len(want) {
		t.Errorf("%d kinds, %d known here", len(kinds), len(want))
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := &lab.Web{Pages: 40}
			base := listen(t, w)
			for how, r := range map[string]*page.Reader{"by name": byName(t, w), "by proxy": byProxy(t, w, base)} {
				if kind == "drip" {
					r.Limits.Total = 300 * time.Millisecond
				}
				expect := want[kind]
				if kind == "private-name" && how == "by proxy" {
					expect = "error robots" // names are the proxy's to resolve, and it refuses: for robots.txt already
				}
				start := time.Now()
				p, err := r.Read(t.Context(), lab.TrapURL(kind))
				if got := outcome(p, err); got != expect {
					t.Errorf("%s: %s (%v), want %s: %q", how, got, err, expect, p.Text)
				}
				if d := time.Since(start); d > 5*time.Second {
					t.Errorf("%s took %v", how, d)
				}
			}
			for host := range w.Stats().Refused {
				if host != "intranet.lab.test" {
					t.Errorf("%s was asked for", host)
				}
			}
		})
	}
}

func TestBadPagesThatCanBeReadSayWhatTheySay(t *testing.T) {
	w := &lab.Web{Pages: 40}
	listen(t, w)
	r := byName(t, w)
	for kind, want := range map[string]string{
		"charset": "pays with a", "charset-old": "crème brûlée, süße Äpfel and smørrebrød", "moved": "one of the best documented undertakings", "injection": "PINEAPPLE-OVERRIDE", "soft-404": "could not be found",
	} {
		p, err := r.Read(t.Context(), lab.TrapURL(kind))
		if err != nil || !strings.Contains(flat(p.Text), want) {
			t.Errorf("%s: %v %s", kind, err, p.Text)
		}
	}
	own, err := r.Read(t.Context(), lab.TrapURL("moved"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := r.Read(t.Context(), lab.TrapURL("other-title"))
	if err != nil || other.Source.Title == own.Source.Title {
		t.Errorf("%v: the title is %q on both", err, other.Source.Title)
	}
}

func TestInjectionPagesAreFullOfAttempts(t *testing.T) {
	w := &lab.Web{Pages: 40}
	listen(t, w)
	_, _, body := get(t, w.Transport(), lab.TrapURL("injection"))
	for _, mark := range lab.InjectionMarks {
		if !strings.Contains(body, mark) {
			t.Errorf("no %q", mark)
		}
	}
	for _, p := range w.List() {
		if _, _, good := get(t, w.Transport(), p.URL); slices.ContainsFunc(lab.InjectionMarks, func(m string) bool { return strings.Contains(good, m) }) {
			t.Errorf("%s has a mark of injection pages", p.URL)
		}
	}
}

func TestTheShareOfBadPages(t *testing.T) {
	w := &lab.Web{Seed: 5, Pages: 1000, Bad: 0.3}
	kinds := map[string]int{}
	bad := 0
	for _, p := range w.List() {
		if p.Bad != "" {
			bad++
			kinds[p.Bad]++
		}
	}
	if bad < 260 || bad > 340 || len(kinds) < 24 {
		t.Errorf("%d bad pages of %d kinds: %v", bad, len(kinds), kinds)
	}
	if n := kinds["private-name"]; n > 0 {
		t.Errorf("%d documents lead to a name that only a resolver can tell", n)
	}
	if !slices.Equal(w.List(), (&lab.Web{Seed: 5, Pages: 1000, Bad: 0.3}).List()) {
		t.Error("the same seed gave other bad pages")
	}
}

func TestDeadLinksHaveCopiesInTheArchive(t *testing.T) {
	w := &lab.Web{Seed: 2, Pages: 400, Bad: 0.5}
	base := listen(t, w)
	for how, r := range map[string]*page.Reader{"by name": byName(t, w), "by proxy": byProxy(t, w, base)} {
		r.Archive = "http://archive.lab.test"
		copies := 0
		for _, p := range w.List() {
			if p.Bad != "missing" || !strings.Contains(p.URL, ".example.") || copies == 3 {
				continue
			}
			copies++
			got, err := r.Read(t.Context(), p.URL)
			if err != nil || !got.Archived || got.Source.Title != p.Title || !strings.HasPrefix(got.Source.FinalURL, "http://archive.lab.test/web/2") || got.Depth != plumb.FullScrape {
				t.Errorf("%s: %s: %v %+v", how, p.URL, err, got.Source)
			}
			if strings.Contains(got.Text, "archive of the lab") {
				t.Errorf("%s: the archive's banner was read", p.URL)
			}
			_, _, framed := get(t, w.Transport(), got.Source.FinalURL)
			if !strings.Contains(framed, "archive of the lab") {
				t.Errorf("%s has no banner", got.Source.FinalURL)
			}
		}
		if copies == 0 {
			t.Error("no dead links")
		}
	}
	for path, status := range map[string]int{"/web/20200101000000/http://bulletin.example.org/none": 404, "/web/x": 404, "/wayback/available?url=%25%25": 200} {
		if got, _, _ := get(t, w.Transport(), "http://archive.lab.test"+path); got != status {
			t.Errorf("%s: %d", path, got)
		}
	}
}

func TestPapersAreReadWhereTheirIdentifiersLead(t *testing.T) {
	w := &lab.Web{Pages: 300}
	base := listen(t, w)
	ids := papersOf(t, base)
	for how, r := range map[string]*page.Reader{"by name": byName(t, w), "by proxy": byProxy(t, w, base)} {
		for _, address := range ids[:6] {
			p, err := r.Read(t.Context(), address)
			if err != nil || p.Source.Title == "" || len(p.Source.Authors) == 0 || p.Depth == plumb.Snippet {
				t.Errorf("%s: %s: %v %+v", how, address, err, p.Source)
				continue
			}
			whole := !strings.Contains(address, "pubmed")
			if has := strings.Contains(flat(p.Text), "Missing values were not replaced"); has != whole {
				t.Errorf("%s: %s: full text %v: %s", how, address, has, p.Text)
			}
		}
	}
}

// papersOf are two addresses of each kind that identifiers of papers lead to.
func papersOf(t *testing.T, base string) []string {
	t.Helper()
	var out []string
	for path, pattern := range map[string]string{
		"/arxiv/api/query?max_results=5&search_query=all:project+OR+all:survival+OR+all:dam": `arxiv.org/abs/`,
		"/crossref/works?query=project+survival":                                             `"DOI":"`,
		"/pubmed/esearch.fcgi?db=pubmed&retmode=json&term=project+survival+winter":           `"`,
	} {
		_, _, body := get(t, http.DefaultTransport, base+path)
		if i := strings.Index(body, `"idlist":[`); i > 0 {
			body = body[i+10:]
		}
		for n, part := range strings.Split(body, pattern)[1:] {
			id, _, _ := strings.Cut(strings.NewReplacer("<", `"`, "v1", `"`).Replace(part), `"`)
			prefix := map[string]string{"/a": "https://arxiv.org/abs/", "/c": "https://doi.org/", "/p": "https://pubmed.ncbi.nlm.nih.gov/"}[path[:2]]
			if n%2 == 0 && len(out) < 6 && len(id) > 5 && !slices.Contains(out, prefix+id) {
				out = append(out, prefix+id)
			}
		}
	}
	if len(out) < 4 {
		t.Fatalf("papers at %v", out)
	}
	for len(out) < 6 {
		out = append(out, out[0])
	}
	return out
}

func TestRobotsAskReadersToLeavePagesAlone(t *testing.T) {
	w := &lab.Web{Seed: 1, Pages: 600, Bad: 0.4}
	listen(t, w)
	r := byName(t, w)
	seen := 0
	for _, p := range w.List() {
		if p.Bad != "robots" || seen == 4 {
			continue
		}
		seen++
		if _, err := r.Read(t.Context(), p.URL); kindOf(err) != page.Robots {
			t.Errorf("%s: %v", p.URL, err)
		}
		if status, _, _ := get(t, w.Transport(), p.URL); status != http.StatusOK {
			t.Errorf("%s: %d", p.URL, status)
		}
	}
	if seen == 0 {
		t.Error("no such pages")
	}
}

func TestStatsShowWhatWasFetchedTwice(t *testing.T) {
	w := &lab.Web{Pages: 40}
	base := listen(t, w)
	r := byName(t, w)
	first, second := w.List()[0].URL, w.List()[1].URL
	for _, u := range []string{first, second, first, "http://nowhere.test/", lab.TrapURL("moved")} {
		if _, err := r.Read(t.Context(), u); err != nil && u != "http://nowhere.test/" {
			t.Fatal(err)
		}
	}
	get(t, http.DefaultTransport, base+"/searxng/search?format=json&q=dam")
	s := w.Stats()
	for _, f := range []lab.Fetch{{URL: first, Status: 200, Times: 2}, {URL: second, Status: 200, Times: 1}, {URL: lab.TrapURL("moved"), Status: 302, Times: 1}, {URL: lab.TrapURL("moved") + "?hop=3", Status: 200, Times: 1}} {
		if !slices.Contains(s.Fetches, f) {
			t.Errorf("no %+v in %+v", f, s.Fetches)
		}
	}
	if s.Robots["traps.lab.test"] != 1 || s.Searches["searxng"] != 1 || len(s.Refused) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestCopiesThatStillHoldAreNotSentAgain(t *testing.T) {
	w := &lab.Web{Pages: 16}
	listen(t, w)
	u := w.List()[0].URL
	_, header, _ := get(t, w.Transport(), u)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", header.Get("ETag"))
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNotModified {
		t.Error(res.Status)
	}
}

// TestTheProxyLeadsNowhereElse asks it for what a mistaken or malicious client might.
func TestTheProxyLeadsNowhereElse(t *testing.T) {
	w := &lab.Web{Pages: 16}
	base := listen(t, w)
	proxy, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: w.TLS()}
	for _, u := range []string{"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:1/tavily/search", "http://localhost/", "http://intranet.lab.test/", "http://other.test/"} {
		if status, _, body := get(t, transport, u); status != http.StatusBadGateway || strings.Contains(body, "results") {
			t.Errorf("%s: %d %s", u, status, body)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.other.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := transport.RoundTrip(req); err == nil {
		res.Body.Close()
		t.Errorf("a tunnel to another host: %s", res.Status)
	}
	if s := w.Stats(); len(s.Refused) != 6 || len(s.Fetches) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestTheEnvironmentNamesEverything(t *testing.T) {
	w := &lab.Web{Pages: 40, CertFile: filepath.Join(t.TempDir(), "lab.pem")}
	base := listen(t, w)
	env := map[string]string{}
	for _, pair := range w.Environ(base) {
		k, v, _ := strings.Cut(pair, "=")
		env[k] = v
	}
	for _, name := range []string{"TAVILY_BASE_URL", "EXA_BASE_URL", "BRAVE_BASE_URL", "SERPER_BASE_URL", "SEARXNG_URL", "PERPLEXITY_BASE_URL", "WIKIPEDIA_BASE_URL",
		"DUCKDUCKGO_BASE_URL", "ARXIV_BASE_URL", "OPENALEX_BASE_URL", "CROSSREF_BASE_URL", "PUBMED_BASE_URL", "SEMANTIC_SCHOLAR_BASE_URL", "ARCHIVE_BASE_URL",
		"HTTP_PROXY", "HTTPS_PROXY"} {
		if u, err := url.Parse(env[name]); err != nil || u.Scheme != "http" || u.Host == "" {
			t.Errorf("%s=%s", name, env[name])
		}
	}
	pem, err := os.ReadFile(env["SSL_CERT_FILE"])
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate in the file")
	}
	proxy, err := url.Parse(env["HTTPS_PROXY"])
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: pool}}
	if status, _, _ := get(t, transport, "https://arxiv.org/abs/none"); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
	if _, _, body := get(t, http.DefaultTransport, base+"/"); !strings.Contains(body, "http://wiki.lab.test/") || !strings.Contains(body, "/tavily/search") {
		t.Errorf("%s", body)
	}
}

func TestALabThatDoesNotListenIsNotReached(t *testing.T) {
	w := &lab.Web{Pages: 16}
	if conn, err := w.Dial(context.Background(), "tcp", "93.184.1.1:80"); err == nil {
		conn.Close()
		t.Error("connected")
	}
	_, stop, err := w.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := w.Dial(context.Background(), "tcp", "10.0.0.1:80"); err == nil {
		conn.Close()
		t.Error("connected to a private address")
	}
	stop()
	if conn, err := w.Dial(context.Background(), "tcp", "wiki.lab.test:80"); err == nil {
		conn.Close()
		t.Error("connected after the end")
	}
}
