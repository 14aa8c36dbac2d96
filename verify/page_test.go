package verify

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

func TestReferencesAreFoundByTheirTitle(t *testing.T) {
	body := strings.Repeat("The basin was dredged and the quay rebuilt. ", 10)
	for in, want := range map[string]string{
		body + "\nReferences\nMiller 1990":                   "References\nMiller 1990",
		body + "\n## References\nMiller":                     "## References\nMiller",
		body + "\n7. Bibliography\nMiller":                   "7. Bibliography\nMiller",
		body + "\n**Works cited**\nMiller":                   "**Works cited**\nMiller",
		body + "\n参考文献\n[1] Miller":                          "参考文献\n[1] Miller",
		"References\n" + body:                                "", // in the first half: a menu
		body + "\nReferences to Miller abound in this text.": "",
		body: "",
	} {
		if got := references(plumb.Source{}, in).Of(in); strings.TrimSpace(got) != want {
			t.Errorf("%q…: %q, want %q", in[len(in)-30:], got, want)
		}
	}
	s := "abcdef"
	for _, p := range []plumb.Passage{{Start: -1, End: 3}, {Start: 4, End: 2}, {Start: 2, End: 9}} {
		if got := references(plumb.Source{References: &p}, s); got != (text.Span{Start: 6, End: 6}) {
			t.Errorf("%+v: %+v", p, got)
		}
	}
}

func TestPageSpansAreThoseOfTheText(t *testing.T) {
	s := "First the quay was built. It cost 5 million euros.\nList\nMiller 1990.\nRest\nThe crane weighs 90 tonnes."
	at, end := strings.Index(s, "List"), strings.Index(s, "Rest")
	p := newPage(plumb.Source{References: &plumb.Passage{Start: at, End: end}}, s)
	var got []string
	for _, span := range p.sentences {
		got = append(got, span.Of(s))
	}
	want := []string{"First the quay was built.", "It cost 5 million euros.", "Rest", "The crane weighs 90 tonnes."}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = nil
	for _, q := range p.quantities {
		got = append(got, q.Span.Of(s))
	}
	if d := cmp.Diff([]string{"First", "5 million euros", "90 tonnes"}, got); d != "" && !cmp.Equal([]string{"5 million euros", "90 tonnes"}, got) {
		t.Error(d)
	}
	if span, ok := p.find("the crane WEIGHS 90 tonnes"); !ok || span.Of(s) != "The crane weighs 90 tonnes" {
		t.Errorf("%v %v", span, ok)
	}
	if _, ok := p.find("Miller 1990"); ok {
		t.Error("found in the list of references")
	}
}

func TestRareWordsWeighMore(t *testing.T) {
	p := newPage(plumb.Source{}, strings.Repeat("The harbour was quiet. ", 20)+"A cyclone came. The report was late.")
	if p.weight(text.Stem("cyclone", "en")) <= p.weight(text.Stem("harbour", "en")) {
		t.Error("a word of one sentence weighs no more than one of twenty")
	}
	if p.weight(text.Stem("cyclone", "en")) <= p.weight(text.Stem("report", "en")) {
		t.Error("a word that all reports have weighs as much as a cyclone")
	}
	if p.weight("1987") >= p.weight("zeppelin") {
		t.Error("a number weighs as much as a word")
	}
}

func TestQueryIsBounded(t *testing.T) {
	var long strings.Builder
	for i := range 500 {
		long.WriteString(strings.Repeat(string(rune('a'+i%26)), 3+i/26) + " ")
	}
	p := newPage(plumb.Source{}, long.String())
	q := p.query(long.String())
	if len(q.terms) != maxTerms || q.recall(p.all(q)) < 0.999 {
		t.Errorf("%d terms, recall %f", len(q.terms), q.recall(p.all(q)))
	}
	if (query{}).recall(0) != 0 {
		t.Error("recall of nothing")
	}
}

func TestTitleAndDateCountForThePage(t *testing.T) {
	source := plumb.Source{Title: "Annual report of the Ostmark port authority", Date: "2021-05-03"}
	s := "Freight rose by 12 percent over the year before. Nothing else changed at the quay."
	claim := "The Ostmark port authority says that in 2021 freight rose by 12 percent over the year before."
	with, without := judgePage(claim, newPage(source, s)), judgePage(claim, newPage(plumb.Source{}, s))
	if with.status != plumb.Supported || without.status == plumb.Supported {
		t.Errorf("with title and date %s (%s), without %s", with.status, with.reason, without.status)
	}
}

func TestWindows(t *testing.T) {
	s := "The tower stands in Ostmark. It is 90 metres high. Bread is cheap. The tower of Nordheim is 70 metres high."
	p := newPage(plumb.Source{}, s)
	claim := "The tower in Ostmark is 90 metres high."
	ws := p.windows(statement{claim, text.Quantities(claim)}, p.query(claim))
	if len(ws) == 0 || ws[0].span.Of(s) != "The tower stands in Ostmark. It is 90 metres high." || !ws[0].pair || len(ws[0].missing) != 0 {
		t.Fatalf("%+v", ws)
	}
	for i, w := range ws {
		if i > 0 && w.score > ws[i-1].score {
			t.Errorf("window %d is better than the one before it", i)
		}
		if w.span.Of(s) == "The tower of Nordheim is 70 metres high." && len(w.missing) != 1 {
			t.Errorf("missing: %+v", w.missing)
		}
	}
	if got := p.windows(statement{text: "Penguins breed"}, p.query("Penguins breed")); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestNoMoreWindowsThanLookedAt(t *testing.T) {
	s := strings.Repeat("The tower of Ostmark is high. ", 200)
	p := newPage(plumb.Source{}, s)
	ws := p.windows(statement{text: "The tower of Ostmark"}, p.query("The tower of Ostmark"))
	if len(ws) != maxNear || ws[0].span.Start != 0 {
		t.Errorf("%d windows, first at %d", len(ws), ws[0].span.Start)
	}
}
