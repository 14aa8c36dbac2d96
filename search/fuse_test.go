package search

import (
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

func lead(engine, url, title, snippet string) plumb.Lead {
	return plumb.Lead{Engine: engine, URL: url, Title: title, Snippet: snippet}
}

func fused(t *testing.T, text string, answers ...[]plumb.Lead) []plumb.Lead {
	t.Helper()
	q, err := Query{Text: text, Language: "en"}.checked()
	if err != nil {
		t.Fatal(err)
	}
	return fuse(answers, q, today())
}

func TestTheSamePageOrWorkIsOneLead(t *testing.T) {
	long := "The Marrowgate Bridge reopened on 3 May 2024 after fourteen months of repairs to its piers."
	paper := func(engine, url, doi, title string, authors ...string) plumb.Lead {
		return plumb.Lead{Engine: engine, URL: url, DOI: doi, Title: title, Authors: authors}
	}
	for _, c := range []struct {
		name string
		a, b plumb.Lead
		want int
	}{
		{"scheme, www, tracking and fragment", lead("x", "http://www.a.example/p/?utm_source=z#top", "A", ""), lead("y", "https://a.example/p", "B", ""), 1},
		{"another page", lead("x", "https://a.example/p?id=1", "A", ""), lead("y", "https://a.example/p?id=2", "A", ""), 2},
		{"DOI in several addresses", lead("x", "https://doi.org/10.5555/ABC", "A", ""), lead("y", "http://dx.doi.org/10.5555/abc", "A", ""), 1},
		{"DOI as a field", paper("x", "https://repo.example/1.pdf", "10.5555/abc", "A"), paper("y", "https://doi.org/10.5555/abc", "", "A"), 1},
		{"another DOI", paper("x", "https://doi.org/10.5555/abc", "", "A"), paper("y", "https://doi.org/10.5555/abd", "", "A"), 2},
		{"arXiv versions, PDF and own DOI", lead("x", "https://arxiv.org/pdf/2403.01234v2", "A", ""), lead("y", "https://doi.org/10.48550/arXiv.2403.01234", "A", ""), 1},
		{"the same words elsewhere", lead("x", "https://a.example/1", "Bridge reopens", long), lead("y", "https://mirror.example/2", "Bridge Reopens", strings.ToUpper(long)), 1},
		{"too few words to tell", lead("x", "https://a.example/", "Home", "Welcome"), lead("y", "https://b.example/", "Home", "Welcome"), 2},
		{"other words", lead("x", "https://a.example/1", "Bridge reopens", long), lead("y", "https://mirror.example/2", "Bridge reopens", long+" Really."), 2},
		{"a paper by title and author", paper("x", "https://pubmed.ncbi.nlm.nih.gov/1", "", "Silica dust at expansion joints of bridges", "Oda J"),
			paper("y", "https://doi.org/10.5555/dust", "", "Silica Dust at Expansion Joints of Bridges", "Jun Oda"), 1},
		{"the same title by others", paper("x", "https://pubmed.ncbi.nlm.nih.gov/1", "", "Introduction to the special issue on dust", "Oda J"),
			paper("y", "https://doi.org/10.5555/intro", "", "Introduction to the special issue on dust", "Ada Pell"), 2},
		{"a short title by the same", paper("x", "https://pubmed.ncbi.nlm.nih.gov/1", "", "Editorial", "Oda J"), paper("y", "https://doi.org/10.5555/e", "", "Editorial", "Jun Oda"), 2},
	} {
		got := fused(t, "bridge", []plumb.Lead{c.a}, []plumb.Lead{c.b})
		if len(got) != c.want {
			t.Errorf("%s: %d leads", c.name, len(got))
		}
		if c.want == 1 && (got[0].Agree != 2 || got[0].Engine != "x, y") {
			t.Errorf("%s: %+v", c.name, got[0])
		}
	}
}

// TestThirdLeadJoinsTwo: arXiv's record knows no DOI, Crossref's knows no arXiv id, OpenAlex's knows both.
func TestThirdLeadJoinsTwo(t *testing.T) {
	got := fused(t, "joints",
		[]plumb.Lead{{Engine: "arxiv", URL: "https://arxiv.org/abs/2403.01234", Title: "Joints", Date: "2024-03-02"}},
		[]plumb.Lead{{Engine: "crossref", URL: "https://doi.org/10.5555/j", DOI: "10.5555/j", Title: "Joints.", Date: "2024", Authors: []string{"Ada Pell"}}},
		[]plumb.Lead{{Engine: "openalex", URL: "https://arxiv.org/abs/2403.01234v3", DOI: "https://doi.org/10.5555/J", Title: "Joints", Snippet: "212 joints."}})
	if len(got) != 1 || got[0].Agree != 3 || got[0].URL != "https://arxiv.org/abs/2403.01234" || got[0].DOI != "10.5555/j" || got[0].Date != "2024-03-02" ||
		len(got[0].Authors) != 1 || got[0].Snippet != "212 joints." {
		t.Errorf("%+v", got)
	}
}

// TestBetterKnowledgeIsTakenOver: what a later engine knows better completes the first one's lead.
func TestBetterKnowledgeIsTakenOver(t *testing.T) {
	got := fused(t, "joints",
		[]plumb.Lead{{Engine: "crossref", URL: "https://doi.org/10.5555/j", Title: "Joints", Date: "2024", Authors: []string{"Pell A"}, Snippet: "Journal of Piers"}},
		[]plumb.Lead{{Engine: "openalex", URL: "https://repo.example/j.pdf", DOI: "10.5555/j", Title: "JOINTS", Date: "2024-09-01", Authors: []string{"Ada Pell", "Jun Oda"}, Snippet: "We measure 212 joints."}},
		[]plumb.Lead{{Engine: "semantic_scholar", URL: "https://arxiv.org/abs/2403.01234", DOI: "10.5555/j", Title: "Joints", Date: "2024-09"}})
	if len(got) != 1 || got[0].URL != "https://arxiv.org/abs/2403.01234" || got[0].Title != "Joints" || got[0].Date != "2024-09-01" || len(got[0].Authors) != 2 ||
		got[0].Snippet != "We measure 212 joints." {
		t.Errorf("%+v", got)
	}
}

func TestPageNamedTwiceByOneEngineCountsOnce(t *testing.T) {
	got := fused(t, "bridge", []plumb.Lead{lead("x", "https://a.example/p", "Bridge", ""), lead("x", "http://www.a.example/p/", "Bridge", ""), lead("x", "https://b.example/q", "Bridge", "")})
	if len(got) != 2 || got[0].Agree != 1 || got[0].Engine != "x" || got[0].URL != "https://a.example/p" {
		t.Errorf("%+v", got)
	}
}

// TestWhatRaisesALead compares pairs that differ in one respect; the first of them must come first although its URL sorts
// last.
func TestWhatRaisesALead(t *testing.T) {
	a, b := "https://zz.example/1", "https://aa.example/1"
	vagueText := "Click here to learn more about the bridge and find out everything you need to know."
	for _, c := range []struct {
		name    string
		answers [][]plumb.Lead
		want    string
	}{
		{"agreement", [][]plumb.Lead{{lead("x", b, "Bridge", ""), lead("x", a, "Bridge", "")}, {lead("y", a, "Bridge", "")}}, a},
		{"the engine's order", [][]plumb.Lead{{lead("x", a, "Bridge", ""), lead("x", b, "Bridge", "")}}, a},
		{"the words of the query", [][]plumb.Lead{{lead("x", b, "Ferry", "timetable of boats")}, {lead("y", a, "Marrowgate Bridge", "reopened")}}, a},
		{"words in the title over words in the snippet", [][]plumb.Lead{{lead("x", b, "News", "Marrowgate bridge reopened")}, {lead("y", a, "Marrowgate bridge reopened", "News")}}, a},
		{"authority", [][]plumb.Lead{{lead("x", "https://www.reddit.com/r/bridges", "Bridge", "")}, {lead("y", "https://zz.example.gov/1", "Bridge", "")}}, "https://zz.example.gov/1"},
		{"recency", [][]plumb.Lead{{{Engine: "x", URL: b, Title: "Bridge", Date: "2009"}}, {{Engine: "y", URL: a, Title: "Bridge", Date: "2026-01-05"}}}, a},
		{"facts in the snippet", [][]plumb.Lead{{lead("x", b, "Bridge", vagueText)}, {lead("y", a, "Bridge", "On 3 May 2024 Mayor Ilse Brandt opened the bridge after 41 million pounds.")}}, a},
		{"nothing: the URL decides", [][]plumb.Lead{{lead("x", a, "Bridge", "")}, {lead("y", b, "Bridge", "")}}, b},
	} {
		got := fused(t, "When was the Marrowgate bridge reopened?", c.answers...)
		if len(got) != 2 || got[0].URL != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
		for _, l := range got {
			if l.Score < 0 || l.Score > 1 {
				t.Errorf("%s: score %v", c.name, l.Score)
			}
		}
	}
}

func TestSpecificity(t *testing.T) {
	order := []string{ // each more specific than the one before
		"Read more about what many people think.",
		"The bridge was closed for a while. It is open.",
		"The bridge was closed for 14 months.",
		"The bridge was closed for 14 months and cost 41 million pounds, said Ilse Brandt.",
		"On 3 May 2024 it opened after 14 months and 41 million pounds, said Ilse Brandt of the Harbour Board.",
	}
	last := -1.0
	for i, s := range order {
		got := specificity(s)
		if i >= 2 && got <= last || got < 0 || got > 1 {
			t.Errorf("%q: %v after %v", s, got, last)
		}
		last = got
	}
	if a, b := specificity("Learn more: it was closed for 14 months in 2024."), specificity("It was closed for 14 months in 2024."); a >= b {
		t.Errorf("advertising does not lower %v to less than %v", a, b)
	}
	if specificity(order[0]) != 0 || specificity("") != 0 {
		t.Error("vague words count")
	}
}
