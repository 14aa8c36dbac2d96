package report

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
)

// said makes a statement of its own words, so that none is like another.
func said(area int, quality float64, source, date string, words ...string) *statement {
	slices.Sort(words)
	return &statement{text: fmt.Sprint(words), area: area, quality: quality, worth: quality, source: source, key: source, date: date, cites: []int{1}, terms: words, order: words, lang: "en"}
}

func textsOf(ss []*statement) []string {
	out := []string{}
	for _, s := range ss {
		out = append(out, s.text)
	}
	return out
}

func TestGroupsOrder(t *testing.T) {
	of := []*statement{
		said(0, 1, "new", "2024-05-01", "n1"), said(0, 0.95, "old", "2019", "o1"), said(0, 0.7, "mid", "2021-03", "m1"),
		said(0, 0.9, "new", "2024-05-01", "n0"), said(0, 0.9, "none", "", "u1"), said(0, 0.3, "oldest", "2001", "x1"),
	}
	of[0].start, of[3].start = 50, 10
	names := func(gs []group) []string {
		var out []string
		for _, g := range gs {
			out = append(out, g.of[0].source)
		}
		return out
	}
	if d := cmp.Diff([]string{"old", "new", "none", "mid", "oldest"}, names(groups(plumb.Area{Name: "Cost of it"}, of))); d != "" {
		t.Error("the most relevant first, by date among equals: ", d)
	}
	inTime := groups(plumb.Area{Name: "Costs", Question: "How did the costs change since 2001?"}, of)
	if d := cmp.Diff([]string{"oldest", "old", "mid", "new", "none"}, names(inTime)); d != "" {
		t.Error("by date when the area is about time: ", d)
	}
	if got := textsOf(inTime[3].of); !slices.Equal(got, []string{"[n0]", "[n1]"}) {
		t.Errorf("within a source in its own order: %v", got)
	}
}

func TestKeepLeavesOutTheWeakWhenThereIsEnough(t *testing.T) {
	c := choice{cut: 0.6, enough: 2, perArea: 4}
	low := said(0, 0.9, "s", "", "low")
	low.low = true
	clash := said(0, 0.1, "s", "", "clash")
	area := []*statement{said(0, 1, "s", "", "a"), said(0, 0.8, "s", "", "b"), low, said(0, 0.7, "s", "", "c"), said(0, 0.5, "s", "", "weak"), clash, said(0, 0.65, "s", "", "full")}
	kept, left := c.keep(area, map[*statement]bool{clash: true}, 0)
	if d := cmp.Diff([]string{"[a]", "[b]", "[c]", "[clash]"}, textsOf(kept)); d != "" || left != 3 {
		t.Errorf("%d left out; %s", left, d)
	}
	kept, left = c.keep(area[2:3], nil, 0)
	if len(kept) != 1 || left != 0 {
		t.Error("what is weak stays when there is nothing else")
	}
}

func TestPlanPutsEachStatementInOnePlace(t *testing.T) {
	var all []*statement
	for i := range 30 {
		all = append(all, said(i%3, 1-0.01*float64(i), fmt.Sprint("s", i%7), "", fmt.Sprint("w", i), fmt.Sprint("v", i)))
	}
	for _, style := range []plumb.Style{plumb.Comprehensive, plumb.Concise} {
		m := testMaterial(nil)
		m.Question.Style = style
		l := plan(m, all)
		seen := map[*statement]int{}
		for _, s := range slices.Concat(append([][]*statement{l.summary, l.key}, l.areas...)...) {
			if seen[s]++; seen[s] > 1 {
				t.Errorf("%s: %s stands in two places", style, s.text)
			}
		}
		if len(seen)+l.leftOut != len(all) {
			t.Errorf("%s: %d placed, %d left out of %d", style, len(seen), l.leftOut, len(all))
		}
		if len(l.summary) != 3 || len(l.key) < minKey || len(l.key) > maxKey {
			t.Errorf("%s: %d in the summary, %d key findings", style, len(l.summary), len(l.key))
		}
		for i, s := range l.summary {
			if s.area != i {
				t.Errorf("%s: sentence %d of the summary is about area %d", style, i, s.area)
			}
		}
		if style == plumb.Comprehensive {
			for i, a := range l.areas {
				if len(a) < reserved {
					t.Errorf("area %d has %d statements left", i, len(a))
				}
			}
		}
	}
}

func TestSummaryIsShort(t *testing.T) {
	m := testMaterial(nil)
	m.Brief.Areas = make([]plumb.Area, 9)
	var all []*statement
	for i := range 9 {
		all = append(all, said(i, 1, "s", "", fmt.Sprint("w", i)))
	}
	if l := plan(m, all); len(l.summary) != maxSummary {
		t.Errorf("%d sentences for 9 areas, want %d", len(l.summary), maxSummary)
	}
	m.Brief.Areas = nil
	if l := plan(m, []*statement{said(0, 1, "s", "", "only")}); len(l.summary) != 1 || len(l.areas) != 1 {
		t.Errorf("without areas: %+v", l)
	}
}

func TestAreaOf(t *testing.T) {
	areas := testBrief.Areas
	for _, c := range []struct {
		area, content string
		want          int
	}{
		{"A roof for the Sandling pool", "x", 2},
		{"Roof plans", "The roof of the Sandling pool is planned.", 2},
		{"", "Who uses it?", 1},
		{"", "", 0},
	} {
		if got := areaOf(plumb.Finding{Area: c.area, Content: c.content}, areas, "en"); got != c.want {
			t.Errorf("%q %q: area %d, want %d", c.area, c.content, got, c.want)
		}
	}
}

func TestClashGroups(t *testing.T) {
	st := func(key, date, content string) *statement {
		return newStatement(plumb.Finding{Content: content, Relevance: 1, Source: key}, plumb.Citation{Number: 1, Key: key, Date: date}, "en")
	}
	wall12, wall17 := "The harbour wall is 12 metres long.", "The harbour wall is 17 metres long."
	cases := []struct {
		name string
		all  []*statement
		want []string // values of each disagreement
	}{
		{"the same clash of several documents is one", []*statement{st("a", "2020", wall12), st("b", "2021", wall17), st("c", "2022", wall17)}, []string{"12 metres/17 metres"}},
		{"equal values of another subject are another", []*statement{st("a", "2020", wall12), st("b", "2021", wall17),
			st("a", "2020", "The ferry ramp is 12 metres wide."), st("b", "2021", "The ferry ramp is 17 metres wide.")}, []string{"12 metres/17 metres", "12 metres/17 metres"}},
		{"the older side comes first", []*statement{st("a", "2023-01-02", wall12), st("b", "2021", wall17)}, []string{"17 metres/12 metres"}},
		{"agreement is none", []*statement{st("a", "2020", wall12), st("b", "2021", wall12)}, nil},
		{"another language is not compared", func() []*statement {
			a, b := st("a", "2020", wall12), st("b", "2021", wall17)
			b.lang = "de"
			return []*statement{a, b}
		}(), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range disagreements(c.all) {
				got = append(got, d.values[0]+"/"+d.values[1])
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
