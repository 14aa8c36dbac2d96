package report

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
)

func urls(cs []plumb.Citation) []string {
	out := []string{}
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%d %s", c.Number, c.URL))
	}
	return out
}

// page makes a finding of a web page.
func page(id, url, hash string, relevance float64, content string) plumb.Finding {
	return plumb.Finding{ID: id, SourceURL: url, Source: hash, Verified: true, Depth: plumb.FullScrape, Relevance: relevance, Content: content}
}

func TestCiteJoins(t *testing.T) {
	cases := []struct {
		name string
		fs   []plumb.Finding
		ss   []plumb.Source
		want []string
	}{
		{"one address written in several ways", []plumb.Finding{
			page("a", "https://x.example/p?utm_source=q#top", "h1", 0.5, "one thing"), page("b", "http://www.x.example/p/", "h2", 0.9, "another thing")},
			nil, []string{"1 http://www.x.example/p"}},
		{"one text at two addresses", []plumb.Finding{page("a", "https://x.example/p", "h1", 0.9, "a"), page("b", "https://y.example/q", "h1", 0.5, "b")},
			nil, []string{"1 https://x.example/p"}},
		{"one DOI at two addresses", []plumb.Finding{page("a", "https://x.example/p", "h1", 0.9, "a"), page("b", "https://y.example/q", "h2", 0.5, "b")},
			[]plumb.Source{{Hash: "h1", DOI: "10.1000/ABC"}, {Hash: "h2", DOI: "https://doi.org/10.1000/abc"}}, []string{"1 https://x.example/p"}},
		{"a third finding shows that two are one", []plumb.Finding{page("a", "https://x.example/p", "h1", 0.9, "a"), page("b", "https://y.example/q", "h2", 0.5, "b"), page("c", "https://y.example/q", "h1", 0.4, "c")},
			nil, []string{"1 https://x.example/p"}},
		{"what was only seen in a search result is not cited", []plumb.Finding{
			{ID: "a", SourceURL: "https://x.example", Source: "h", Verified: true, Depth: plumb.Snippet}, {ID: "b", SourceURL: "https://y.example", Source: "h2", Depth: plumb.FullScrape}, {ID: "c", SourceURL: "https://z.example", Verified: true, Depth: plumb.FullScrape}},
			nil, []string{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cs, left := Cite(c.fs, c.ss, CiteOptions{At: asked})
			if d := cmp.Diff(c.want, urls(cs)); d != "" {
				t.Error(d)
			}
			if left != 0 {
				t.Errorf("%d left out", left)
			}
		})
	}
}

func TestCiteScores(t *testing.T) {
	fs := []plumb.Finding{page("a", "https://x.example/p", "h1", 0.4, "a"), page("b", "https://x.example/p", "h1", 0.8, "b")}
	cs, _ := Cite(fs, []plumb.Source{{Hash: "h1", URL: "https://x.example/p", Title: "X", Date: "2023-06-01", Key: "x.example"}}, CiteOptions{At: asked, Entity: plumb.Entity{Domains: []string{"x.example"}}})
	if len(cs) != 1 {
		t.Fatal(cs)
	}
	c := cs[0]
	if c.Relevance != 0.8 || math.Abs(c.Recency-0.5) > 0.01 || math.Abs(c.Score-(0.7*0.8+0.3*c.Recency)) > 1e-9 {
		t.Errorf("relevance %v, recency %v, score %v", c.Relevance, c.Recency, c.Score)
	}
	if c.Credibility != officialCredibility {
		t.Errorf("credibility of the entity's own site %v", c.Credibility)
	}
	if d := cmp.Diff([]string{"a", "b"}, c.Findings); d != "" {
		t.Error(d)
	}
}

func TestCiteBounds(t *testing.T) {
	var fs []plumb.Finding
	var ss []plumb.Source
	for i := range 6 {
		h := fmt.Sprintf("h%d", i)
		f := page(h, fmt.Sprintf("https://x.example/%d", i), h, 0.9-0.01*float64(i), fmt.Sprintf("number %d is something else entirely", i))
		f.Area = "A"
		fs = append(fs, f)
		ss = append(ss, plumb.Source{Hash: h, Key: "x.example"})
	}
	weak := page("w", "https://weak.example/", "hw", 0.1, "the only word on B")
	weak.Area = "B"
	fs = append(fs, weak)
	cs, left := Cite(fs, ss, CiteOptions{At: asked})
	if d := cmp.Diff([]string{"1 https://x.example/0", "2 https://weak.example/", "3 https://x.example/1", "4 https://x.example/2"}, urls(cs)); d != "" {
		t.Error("three of a key, and every area has its best: ", d)
	}
	if left != 3 {
		t.Errorf("%d left out, want 3", left)
	}
	cs, left = Cite(fs, ss, CiteOptions{At: asked, Max: 2, PerKey: 1})
	if d := cmp.Diff([]string{"1 https://x.example/0", "2 https://weak.example/"}, urls(cs)); d != "" || left != 5 {
		t.Errorf("%d left out; %s", left, d)
	}
}

func TestCiteLeavesOutOtherEntities(t *testing.T) {
	fs := []plumb.Finding{
		page("a", "doc:a.md", "h1", 0.5, "The Sandling pool is deep."),
		page("b", "doc:sandling-pool.csv", "h2", 0.5, "Depth; 3; metres."),
		page("c", "doc:other.md", "h3", 0.9, "The Wexley pool is deep."),
	}
	e := plumb.Entity{Name: "Sandling pool"}
	cs, left := Cite(fs, nil, CiteOptions{At: asked, Entity: e})
	if d := cmp.Diff([]string{"1 doc:a.md", "2 doc:sandling-pool.csv"}, urls(cs)); d != "" || left != 1 {
		t.Errorf("%d left out; %s", left, d)
	}
	cs, _ = Cite(fs[2:], nil, CiteOptions{At: asked, Entity: e})
	if len(cs) != 1 {
		t.Error("when nothing names the entity, its name is written in another way and nothing is dropped")
	}
}

func TestCiteReprintsFollow(t *testing.T) {
	said := "The new pool by the sea wall opens on Saturday with free swimming for all who live in town."
	fs := []plumb.Finding{page("a", "doc:a.md", "h1", 0.9, said), page("b", "doc:b.md", "h2", 0.8, said+" Herald."), page("c", "doc:c.md", "h3", 0.5, "Something else is said here in other words.")}
	cs, _ := Cite(fs, nil, CiteOptions{At: asked})
	if d := cmp.Diff([]string{"1 doc:a.md", "2 doc:c.md", "3 doc:b.md"}, urls(cs)); d != "" {
		t.Error(d)
	}
}

func TestCiteKeepsReasons(t *testing.T) {
	fs := []plumb.Finding{
		page("a", "doc:a.md", "h1", 0.9, "The Sandling pool is deep."),
		page("b", "https://pool.example/depth", "h2", 0.8, "It is 3 metres deep."), // the entity's own site need not repeat its name
		page("c", "https://x.example/1", "h3", 0.7, "The Sandling pool is cold."),
		page("d", "https://x.example/2", "h4", 0.6, "The Sandling pool is wide."),
		page("e", "doc:other.md", "h5", 1, "The Wexley pool is deep."),
		page("f", "doc:f.md", "h6", 0.1, "The Sandling pool is old."),
	}
	cs, omitted := CiteWhy(fs, nil, CiteOptions{At: asked, Max: 3, PerKey: 1, Entity: plumb.Entity{Name: "Sandling pool", Domains: []string{"pool.example"}}})
	if d := cmp.Diff([]string{"1 doc:a.md", "2 https://pool.example/depth", "3 https://x.example/1"}, urls(cs)); d != "" {
		t.Error(d)
	}
	want := []Omission{{URL: "doc:other.md", Why: "nothing in it names Sandling pool"}, {URL: "https://x.example/2", Why: "1 source of x.example cited already"}, {URL: "doc:f.md", Why: "3 more relevant sources are cited"}}
	for i := range omitted {
		omitted[i].Title = ""
	}
	if d := cmp.Diff(want, omitted); d != "" {
		t.Error(d)
	}
}
