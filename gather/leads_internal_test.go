package gather

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

var october = time.Date(2025, 10, 1, 9, 0, 0, 0, time.UTC)

func addresses(ts []target) []string {
	var out []string
	for _, t := range ts {
		out = append(out, t.lead.URL)
	}
	return out
}

func TestWeightsOfLeadsAddUpToOne(t *testing.T) {
	if sum := byRelevance + bySearch + byAgreement + byAuthority + byRecency + bySpecificity; math.Abs(sum-1) > 1e-9 {
		t.Errorf("sum %v", sum)
	}
}

func TestLeadsAreOrderedByEachGround(t *testing.T) {
	const question = "How many gates does the Linnhe Barrage have?"
	base := plumb.Lead{URL: "https://b.example/x", Title: "The Linnhe Barrage", Snippet: "About the barrage.", Date: "2021", Score: 0.5}
	for _, c := range []struct {
		ground string
		better func(l *plumb.Lead)
	}{
		{"relevance", func(l *plumb.Lead) { l.Snippet = "About the gates." }},
		{"the search's score", func(l *plumb.Lead) { l.Score = 0.9 }},
		{"authority", func(l *plumb.Lead) { l.URL = "https://z.gov/x" }},
		{"recency", func(l *plumb.Lead) { l.Date = "2025" }},
		{"specificity", func(l *plumb.Lead) { l.Snippet = "About the barrage, 240 m long, of 1961." }},
		{"agreement of engines", func(l *plumb.Lead) { l.Agree = 3 }},
	} {
		better := base
		better.URL = "https://z.example/x" // last by its address
		c.better(&better)
		got := lineUp([][]target{{{lead: base, kind: web}, {lead: better, kind: web}}}, question, october, false)
		if got[0].lead.URL != better.URL {
			t.Errorf("%s does not count: %v", c.ground, addresses(got))
		}
	}
	other := base
	other.URL = "https://z.example/x"
	got := lineUp([][]target{{{lead: base, kind: web}, {lead: other, kind: web}}, {{lead: other, kind: web}}}, question, october, false)
	if got[0].lead.URL != other.URL {
		t.Errorf("being found twice does not count: %v", addresses(got))
	}
}

func TestLeadsOfOneWorkAreOne(t *testing.T) {
	lists := [][]target{
		{{lead: plumb.Lead{URL: "http://www.a.example/p?utm_source=x", Title: "Page"}, kind: web}, {lead: plumb.Lead{URL: "https://publisher.example/article/7", Title: "Gates", DOI: "10.1234/gates"}, kind: web}},
		{{lead: plumb.Lead{URL: "https://doi.org/10.1234/GATES", Title: "Gates", Snippet: "An abstract.", Date: "2020", Authors: []string{"A. Smith"}, Score: 0.7}, kind: paper}, {lead: plumb.Lead{URL: "https://a.example/p", Title: "Page", Snippet: "On gates."}, kind: web}},
		nil,
	}
	got := lineUp(lists, "gates", october, false)
	if d := cmp.Diff([]string{"https://publisher.example/article/7", "http://www.a.example/p?utm_source=x"}, addresses(got)); d != "" {
		t.Fatal(d)
	}
	want := plumb.Lead{URL: "https://publisher.example/article/7", Title: "Gates", Snippet: "An abstract.", Date: "2020", DOI: "10.1234/gates", Authors: []string{"A. Smith"}, Score: 0.7}
	if d := cmp.Diff(want, got[0].lead); d != "" || got[0].kind != paper {
		t.Errorf("%s%s", d, got[0].kind)
	}
	if got := lineUp(nil, "gates", october, true); len(got) != 0 {
		t.Errorf("leads of nothing: %v", got)
	}
}

func TestNoSiteFillsTheFront(t *testing.T) {
	var list []target
	for _, u := range []string{"https://one.example/1", "https://one.example/2", "https://www.one.example/3", "https://two.example/", "https://three.example/"} {
		list = append(list, target{lead: plumb.Lead{URL: u, Title: "Gates", Score: 0.5}, kind: web})
	}
	list[0].lead.Score, list[1].lead.Score, list[2].lead.Score = 1, 1, 1
	got := lineUp([][]target{list}, "gates", october, false)
	if d := cmp.Diff([]string{"https://one.example/1", "https://one.example/2", "https://two.example/", "https://three.example/", "https://www.one.example/3"}, addresses(got)); d != "" {
		t.Error(d)
	}
}

func TestTitlesOfOnePage(t *testing.T) {
	for _, c := range []struct {
		lead, page string
		other      bool
	}{
		{"Spillway works at the Corran Dam - Dam News", "Spillway works at the Corran Dam", false},
		{"Spillway works at the Corran …", "Spillway works at the Corran Dam | Authority", false},
		{"Spillway works at the Corran Dam", "Page not found", true},
		{"Spillway works at the Corran Dam", "Buy cheap shoes online", true},
		{"Home", "Corran Dam Authority", false},
		{"", "Corran Dam Authority", false},
		{"https://dam.example/works", "Corran Dam Authority", false},
		{"Corran Dam works", "", false},
	} {
		if got := otherTitle(c.lead, c.page); got != c.other {
			t.Errorf("otherTitle(%q, %q) = %v", c.lead, c.page, got)
		}
	}
}

func FuzzLineUp(f *testing.F) {
	f.Add("https://a.example/x", "Gates", "15 gates", "https://doi.org/10.1234/a", "10.1234/a", 0.5)
	f.Add("", "", "", "::", "doi", math.NaN())
	f.Add("javascript:alert(1)", "\x00", "]]>", "http://[::1", "10.", math.Inf(1))
	f.Fuzz(func(t *testing.T, url, title, snippet, other, doi string, score float64) {
		list := []target{{lead: plumb.Lead{URL: url, Title: title, Snippet: snippet, Score: score}, kind: web}, {lead: plumb.Lead{URL: other, Title: title, DOI: doi, Date: snippet}, kind: paper}}
		got := lineUp([][]target{list, list}, title, october, true)
		if len(got) < 1 || len(got) > 2 || link.Identity(url) != link.Identity(other) && doi == "" && len(got) != 2 {
			t.Errorf("%d leads of %q and %q", len(got), url, other)
		}
	})
}
