package lab_test

// What stands on the pages of the simulated web, as page.Reader reads it.

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/page"
)

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
	one, again, other := bodies(t, &lab.Web{Seed: 7, Pages: 64}), bodies(t, &lab.Web{Seed: 7, Pages: 64}), bodies(t, &lab.Web{Seed: 8, Pages: 64})
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
	more := &lab.Web{Seed: 7, Pages: 130}
	if got := more.List()[:64]; !slices.Equal(got, (&lab.Web{Seed: 7, Pages: 64}).List()) {
		t.Error("more pages changed the first ones")
	}
	if n := len((&lab.Web{Pages: 2000}).List()); n != 2000 {
		t.Errorf("%d pages of 2000", n)
	}
}

func TestGoodPagesAreReadWhole(t *testing.T) {
	w := &lab.Web{Pages: 48}
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
	w := &lab.Web{Seed: 3, Pages: 64, Bad: 0.3}
	listen(t, w)
	r := byName(t, w)
	texts := map[string]string{}
	questions := w.Questions()
	if len(questions) < 8 {
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
	if len(texts) < 20 {
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
