package search

// Each provider as its server sees us, and what becomes of what it answers: testdata/<name>.golden has both.

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
)

var update = flag.Bool("update", false, "write golden files")

// today is the clock of all tests.
func today() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

const secret = "sk-very-secret-7"

// loopback is a transport that reaches nothing but this machine.
type loopback struct {
	mu      sync.Mutex
	refused []string
}

func (l *loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() != "127.0.0.1" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.refused = append(l.refused, r.URL.Host)
		return nil, errors.New("tests reach loopback only")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// served is a handler with a server and the options that lead every provider there, all with keys.
func served(t *testing.T, h http.Handler) Options {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o := Options{Services: map[string]Service{}, Transport: &loopback{}, Now: today}
	for _, p := range Providers() {
		s := Service{BaseURL: server.URL, Every: -1}
		if p.KeyVar != "" {
			s.Key = secret
		}
		o.Services[p.Name] = s
	}
	return o
}

func choose(t *testing.T, o Options, kind Kind, names string) *Search {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Choose(kind, names)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fixtureOf names the answer to a request.
func fixtureOf(engine string, r *http.Request) string {
	switch engine {
	case "duckduckgo":
		return "duckduckgo.html"
	case "arxiv":
		return "arxiv.xml"
	case "pubmed":
		if strings.Contains(r.URL.Path, "esearch") {
			return "pubmed-search.json"
		}
		return "pubmed-summary.json"
	}
	return engine + ".json"
}

// seen is a request in a form to compare.
func seen(r *http.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.URL.Path)
	writeValues(&b, "?", r.URL.Query())
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if name != "Accept-Encoding" && name != "Content-Length" {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(r.Header[name], "; "))
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	if r.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return err.Error()
		}
		writeValues(&b, "&", form)
	} else if len(body) > 0 {
		fmt.Fprintf(&b, "%s\n", body)
	}
	return b.String()
}

func writeValues(b *strings.Builder, mark string, v url.Values) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		fmt.Fprintf(b, "%s %s=%s\n", mark, name, strings.Join(v[name], "; "))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, got)
	}
}

func TestRequestsAndLeadsOfEachProvider(t *testing.T) {
	plainQuery := Query{Text: "When did the Marrowgate Bridge reopen, after its live-load test?", Language: "en"}
	full := plainQuery
	full.Language, full.Limit, full.Since = "de", 5, "2022-06"
	full.Include, full.Exclude = nil, []string{"https://www.Spam.example/x", "ads.example"}
	for _, p := range Providers() {
		t.Run(p.Name, func(t *testing.T) {
			var out strings.Builder
			var requests []string
			o := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests = append(requests, seen(r))
				w.Write(fixture(t, fixtureOf(p.Name, r)))
			}))
			o.Contact = "me@home.example"
			s := choose(t, o, p.Kind, p.Name)
			for _, q := range []Query{plainQuery, full} {
				requests = nil
				leads, news, err := s.Find(context.Background(), q)
				if err != nil || len(news.Failed) > 0 || news.Calls != 0 {
					t.Fatalf("%v %+v", err, news)
				}
				out.WriteString(strings.Join(requests, "\n") + "\n")
				base := o.Services[p.Name].BaseURL
				for _, l := range leads {
					b, err := json.MarshalIndent(l, "", " ")
					if err != nil {
						t.Fatal(err)
					}
					out.WriteString(strings.ReplaceAll(string(b), base, "BASE") + "\n")
				}
				out.WriteString("\n")
			}
			golden(t, p.Name+".golden", out.String())
		})
	}
}

// TestKeysGoOnlyWhereTheyBelong looks for the key in every part of the request but the documented one.
func TestKeysGoOnlyWhereTheyBelong(t *testing.T) {
	places := map[string]string{"tavily": "Authorization", "exa": "X-Api-Key", "brave": "X-Subscription-Token", "serper": "X-Api-Key",
		"perplexity": "Authorization", "semantic_scholar": "X-Api-Key", "openalex": "?api_key", "pubmed": "?api_key"}
	for _, p := range Providers() {
		asked := 0
		o := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			place := places[p.Name]
			query := r.URL.Query()
			if name, ok := strings.CutPrefix(place, "?"); ok {
				if query.Get(name) != secret {
					t.Errorf("%s: no key in %s", p.Name, place)
				}
				query.Del(name)
				r.URL.RawQuery = query.Encode()
			} else if place != "" {
				if !strings.HasSuffix(r.Header.Get(place), secret) {
					t.Errorf("%s: no key in %s", p.Name, place)
				}
				r.Header.Del(place)
			}
			if strings.Contains(seen(r), secret) {
				t.Errorf("%s: the key is elsewhere, too", p.Name)
			}
			if r.UserAgent() != UserAgent {
				t.Errorf("%s: User-Agent %q", p.Name, r.UserAgent())
			}
			w.Write(fixture(t, fixtureOf(p.Name, r)))
		}))
		if _, _, err := choose(t, o, p.Kind, p.Name).Find(context.Background(), Query{Text: "bridge"}); err != nil || asked == 0 {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestDomainsAreAskedForWhereThatIsPossible(t *testing.T) {
	want := map[string][]string{
		"tavily":     {`"include_domains":["a.example","b.example"]`, `"exclude_domains":["c.example"]`},
		"exa":        {`"includeDomains":["a.example","b.example"]`, `"excludeDomains":["c.example"]`},
		"brave":      {"? q=bridge (site:a.example OR site:b.example) -site:c.example"},
		"serper":     {`"q":"bridge (site:a.example OR site:b.example) -site:c.example"`},
		"searxng":    {"? q=bridge (site:a.example OR site:b.example) -site:c.example"},
		"perplexity": {`"search_domain_filter":["a.example","b.example"]`},
		"duckduckgo": {"& q=bridge (site:a.example OR site:b.example) -site:c.example"},
	}
	for _, p := range Providers() {
		var request string
		o := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request = seen(r)
			w.Write(fixture(t, fixtureOf(p.Name, r)))
		}))
		q := Query{Text: "bridge", Include: []string{"b.example", "*.a.example"}, Exclude: []string{"c.example"}}
		leads, _, err := choose(t, o, p.Kind, p.Name).Find(context.Background(), q)
		if err != nil || len(leads) != 0 {
			t.Errorf("%s: %v, leads of other domains: %v", p.Name, err, leads)
		}
		for _, w := range want[p.Name] {
			if !strings.Contains(request, w) {
				t.Errorf("%s: no %s in\n%s", p.Name, w, request)
			}
		}
	}
}

func TestWikipediaIsAskedInTheLanguageOfTheQuery(t *testing.T) {
	for _, c := range []struct{ base, lang, host string }{
		{"", "de", "de.wikipedia.org"},
		{"", "nb", "no.wikipedia.org"},
		{"", "pt-BR", "pt.wikipedia.org"},
		{"", "evil.example/x?", "en.wikipedia.org"},
		{"", "", "en.wikipedia.org"},
		{"https://fr.wikipedia.org", "", "fr.wikipedia.org"},
		{"https://wiki.example", "de", "wiki.example"},
	} {
		outside := &loopback{}
		s := choose(t, Options{Transport: outside, Now: today, Services: map[string]Service{"wikipedia": {BaseURL: c.base}}}, Web, "wikipedia")
		_, _, err := s.Find(context.Background(), Query{Text: "Marrowgate", Language: c.lang})
		if err == nil || len(outside.refused) != 1 || outside.refused[0] != c.host {
			t.Errorf("%+v: %v, %v", c, outside.refused, err)
		}
	}
}

// TestOnlyTheDefaultHostsWouldBeContacted also shows that the hosts disclosed are the hosts that are asked.
func TestOnlyTheDefaultHostsWouldBeContacted(t *testing.T) {
	for _, kind := range []Kind{Web, Papers} {
		outside := &loopback{}
		o := Options{Transport: outside, Now: today, Services: map[string]Service{}}
		for _, p := range Providers() {
			if p.KeyVar != "" {
				o.Services[p.Name] = Service{Key: secret}
			}
		}
		s := choose(t, o, kind, "auto")
		_, news, err := s.Find(context.Background(), Query{Text: "bridge", Language: "en"})
		if err == nil || len(news.Failed) != len(s.Names()) {
			t.Errorf("%s: %v %v", kind, err, news)
		}
		var got []string
		for _, h := range outside.refused {
			got = append(got, strings.TrimPrefix(h, "en."))
		}
		want := s.Hosts()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("asked %v, disclosed %v", got, want)
		}
	}
}

func TestEmptySearchIsNoError(t *testing.T) {
	empty := map[string]string{
		"tavily": `{"results":[]}`, "exa": `{"results":[]}`, "brave": `{"type":"search"}`, "serper": `{"organic":[]}`, "searxng": `{"results":[]}`,
		"perplexity": `{"results":[]}`, "wikipedia": `{"batchcomplete":true,"query":{"search":[]}}`,
		"arxiv":    `<feed xmlns="http://www.w3.org/2005/Atom"></feed>`,
		"openalex": `{"results":[]}`, "crossref": `{"message":{"items":[]}}`, "pubmed": `{"esearchresult":{"idlist":[]}}`, "semantic_scholar": `{"total":0,"offset":0}`,
	}
	for _, p := range Providers() {
		body := empty[p.Name]
		if p.Name == "duckduckgo" {
			body = string(fixture(t, "duckduckgo-none.html"))
		}
		o := served(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }))
		leads, news, err := choose(t, o, p.Kind, p.Name).Find(context.Background(), Query{Text: "zzzz"})
		if err != nil || len(leads) != 0 || len(news.Failed) != 0 || news.Found != 0 {
			t.Errorf("%s: %v %v %v", p.Name, leads, news, err)
		}
	}
}

// leadsOf is a handler that speaks Tavily, with the leads given.
func leadsOf(leads ...plumb.Lead) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		type result struct {
			URL       string `json:"url"`
			Title     string `json:"title"`
			Content   string `json:"content"`
			Published string `json:"published_date,omitempty"`
		}
		results := []result{}
		for _, l := range leads {
			results = append(results, result{l.URL, l.Title, l.Snippet, l.Date})
		}
		json.NewEncoder(w).Encode(map[string][]result{"results": results})
	}
}
