package search

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// world answers for every provider at once: by path where paths differ, by header where they don't.
func world(t *testing.T, broken map[string]bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := map[string]string{"/res/v1/web/search": "brave", "/w/api.php": "wikipedia", "/html/": "duckduckgo", "/api/query": "arxiv",
			"/esearch.fcgi": "pubmed", "/esummary.fcgi": "pubmed", "/paper/search": "semantic_scholar"}[r.URL.Path]
		switch {
		case name != "":
		case r.URL.Path == "/works" && r.URL.Query().Has("search"):
			name = "openalex"
		case r.URL.Path == "/works":
			name = "crossref"
		case r.URL.Query().Has("format"):
			name = "searxng"
		default:
			name = strings.Fields(r.Header.Get("X-Engine") + " tavily")[0]
		}
		if broken[name] {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Write(fixture(t, fixtureOf(name, r)))
	})
}

func TestPaperIndexesAreFusedIntoOneList(t *testing.T) {
	s := choose(t, served(t, world(t, nil)), Papers, "auto")
	leads, news, err := s.Find(context.Background(), Query{Text: "fatigue of expansion joints"})
	if err != nil || len(news.Failed) > 0 {
		t.Fatal(err, news)
	}
	// Found: 2 arxiv, 3 openalex, 1 crossref (one has no title, one no DOI that can be addressed), 2 pubmed, 3 semantic scholar.
	want := plumb.LeadsNews{Query: "fatigue of expansion joints", Engines: []string{"arxiv", "openalex", "crossref", "pubmed", "semantic_scholar"}, Found: 11, Kept: 7}
	if !reflect.DeepEqual(news, want) {
		t.Errorf("news %+v", news)
	}
	l := leads[0]
	if l.URL != "https://arxiv.org/abs/2403.01234" || l.Agree != 4 || l.Engine != "arxiv, openalex, crossref, semantic_scholar" || l.DOI != "10.5555/joint.77" ||
		l.Date != "2024-03-02" || len(l.Authors) != 2 || !strings.Contains(l.Snippet, "212") {
		t.Errorf("the work that four name is %+v", l)
	}
	for _, l := range leads[1:] {
		if l.Title == "Bridges behind walls" && (l.Agree != 2 || l.Date != "2021-01-01" || len(l.Authors) != 1) {
			t.Errorf("%+v", l)
		}
	}
}

func TestFailedEnginesAreNamedBesideTheLeads(t *testing.T) {
	s := choose(t, served(t, world(t, map[string]bool{"wikipedia": true, "searxng": true})), Web, "brave,wikipedia,searxng,duckduckgo")
	leads, news, err := s.Find(context.Background(), Query{Text: "Marrowgate bridge"})
	if err != nil || len(leads) != 4 || news.Found != 4 || news.Kept != 4 {
		t.Fatal(leads, news, err)
	}
	if got := strings.Join(news.Failed, "; "); got != "wikipedia is out of order (HTTP 500); searxng is out of order (HTTP 500)" {
		t.Error(got)
	}
}

func TestSearchThatNobodyAnsweredIsAnError(t *testing.T) {
	s := choose(t, served(t, world(t, map[string]bool{"brave": true, "wikipedia": true})), Web, "brave,wikipedia")
	leads, news, err := s.Find(context.Background(), Query{Text: "Marrowgate bridge"})
	if err == nil || leads != nil || err.Error() != "no search engine answered: brave is out of order (HTTP 500); wikipedia is out of order (HTTP 500)" || len(news.Failed) != 2 {
		t.Error(leads, news, err)
	}
}

func TestEightLeadsAreKeptUnlessOtherwiseSaid(t *testing.T) {
	var many []plumb.Lead
	for i := range 12 {
		many = append(many, plumb.Lead{URL: fmt.Sprintf("https://site%02d.example/", i), Title: fmt.Sprintf("Bridge %d", i)})
	}
	for _, c := range []struct{ keep, want int }{{0, 8}, {3, 3}, {20, 12}} {
		o := served(t, leadsOf(many...))
		o.Keep = c.keep
		leads, news, err := choose(t, o, Web, "tavily").Find(context.Background(), Query{Text: "bridge"})
		if err != nil || len(leads) != c.want || news.Kept != c.want || news.Found != 12 {
			t.Errorf("keep %d: %d leads, %+v, %v", c.keep, len(leads), news, err)
		}
		for i := 1; i < len(leads); i++ {
			if leads[i].Score > leads[i-1].Score || leads[i].Score == leads[i-1].Score && leads[i].URL < leads[i-1].URL {
				t.Errorf("%d is out of order", i)
			}
		}
	}
}

func TestSameAnswersGiveTheSameList(t *testing.T) {
	s := choose(t, served(t, world(t, nil)), Papers, "auto")
	var first []plumb.Lead
	for range 5 {
		leads, _, err := s.Find(context.Background(), Query{Text: "fatigue of expansion joints"})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = leads
		}
		if !reflect.DeepEqual(first, leads) {
			t.Fatalf("%v\n%v", first, leads)
		}
	}
}

// TestDomainsAndDateHoldWhateverTheEngineAnswers: the engine here obeys no filter.
func TestDomainsAndDateHoldWhateverTheEngineAnswers(t *testing.T) {
	all := []plumb.Lead{
		{URL: "https://good.example/a", Title: "a", Date: "2024-05-03"},
		{URL: "https://www.good.example/b", Title: "b", Date: "2023-12-31"},
		{URL: "https://sub.good.example/c", Title: "c"},
		{URL: "https://notgood.example/d", Title: "d", Date: "2025"},
		{URL: "https://bad.example/e", Title: "e", Date: "2024"},
		{URL: "http://BAD.example:8080/f", Title: "f", Date: "3 days ago"},
		{URL: "https://good.example.evil.test/g", Title: "g"},
	}
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{}, "a b c d e f g"},
		{Query{Exclude: []string{"bad.example"}}, "a b c d g"},
		{Query{Exclude: []string{"https://WWW.Bad.Example/path", "evil.test"}}, "a b c d"},
		{Query{Include: []string{"good.example"}}, "a b c"},
		{Query{Include: []string{"*.good.example"}, Exclude: []string{"sub.good.example"}}, "a b"},
		{Query{Include: []string{"test", "bad.example"}}, "e f g"},
		{Query{Since: "2024"}, "a c d e f g"},
		{Query{Since: "2024-06"}, "c d e f g"},
		{Query{Since: "2024-05-03"}, "a c d e f g"},
		{Query{Since: "2024-05-04"}, "c d e f g"},
		{Query{Since: "2026-02-26"}, "c f g"},
		{Query{Since: "2024-06", Include: []string{"good.example"}}, "c"},
	} {
		c.q.Text = "bridge"
		leads, _, err := choose(t, served(t, leadsOf(all...)), Web, "tavily").Find(context.Background(), c.q)
		var got []string
		for _, want := range strings.Fields("a b c d e f g") {
			for _, l := range leads {
				if l.Title == want {
					got = append(got, want)
				}
			}
		}
		if err != nil || strings.Join(got, " ") != c.want || len(got) != len(leads) {
			t.Errorf("%+v: got %v, want %s, %v", c.q, got, c.want, err)
		}
	}
}

func TestQueriesThatCannotBeAskedAreErrors(t *testing.T) {
	s := choose(t, Options{Transport: &loopback{}}, Web, "wikipedia")
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{}, "search: the query is empty"},
		{Query{Text: " \n\x00 ?! "}, "search: the query is empty"},
		{Query{Text: "x", Since: "yesterday"}, `search: since "yesterday" is not a date: write it as 2024, 2024-05 or 2024-05-31`},
		{Query{Text: "x", Since: "2024-13"}, `search: since "2024-13" is not a date: write it as 2024, 2024-05 or 2024-05-31`},
	} {
		if _, _, err := s.Find(context.Background(), c.q); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v", c.q, err)
		}
	}
}
