package report

// Reviewing without a model: a score from what can be counted in a draft, and what to mend.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/text"
)

// What each part of a review is worth; together 1.
const (
	coverageShare  = 0.35
	citationShare  = 0.25
	numberShare    = 0.2
	freshShare     = 0.1 // no repetitions
	disagreedShare = 0.1
)

const (
	minSection      = 600 // characters of an area's section, where the findings allow it
	minSectionDense = 200 // the same in Chinese, Japanese and Korean
	minCitations    = 2   // of an area with at least 2 findings
)

// Review counts how many areas the draft covers, whether each has its citations, whether all numbers resolve, whether
// sentences are repeated within its sections, and whether disagreements that can be shown are named.
func (Extractive) Review(ctx context.Context, m Material, draft string) (Review, error) {
	if err := ctx.Err(); err != nil {
		return Review{}, err
	}
	v := &review{m: m, d: markdown.Parse(draft)}
	v.entries, _, _ = markdown.SourceList(v.d)
	v.m.Citations = asNumbered(m.Citations, v.entries)
	v.all = statements(v.m)
	v.clashes = disagreements(v.all)
	v.markers = v.d.Markers(v.entries)
	coverage, citations := v.areas()
	r := Review{Score: coverageShare*coverage + citationShare*citations + numberShare*v.numbers(draft) + freshShare*v.fresh() + disagreedShare*v.disagreed()}
	r.Score = float64(int(r.Score*1000+0.5)) / 1000
	r.Feedback, r.Notes = strings.Join(v.mend, "\n"), v.mend
	return r, nil
}

// review is a draft under review.
type review struct {
	m       Material
	d       markdown.Doc
	all     []*statement
	clashes []disagreement
	entries []markdown.Entry
	markers []markdown.Marker
	mend    []string
}

func (v *review) say(f string, args ...any) { v.mend = append(v.mend, fmt.Sprintf(f, args...)) }

// areas gives the share of areas with evidence that the draft covers, and the share that have their citations.
func (v *review) areas() (coverage, citations float64) {
	want := 0
	for i, a := range v.m.Brief.Areas {
		of := ofArea(v.all, i)
		if len(of) == 0 {
			continue
		}
		want++
		cited := v.citedIn(a, of)
		if cited == 0 {
			v.say("Cover the area %q: %s speak to it.", a.Name, count(len(of), "statement"))
			continue
		}
		coverage++
		if need := min(minCitations, len(sourcesOf(of))); cited < need {
			v.say("The area %q cites %s; %d can be cited.", a.Name, count(cited, "source"), len(sourcesOf(of)))
			continue
		}
		if n, full := v.length(a), v.fullLength(a, of); n < full {
			v.say("The section on %q has %d characters; its findings fill %d.", a.Name, n, full)
			citations += 0.5
			continue
		}
		citations++
	}
	if want == 0 {
		return 1, 1
	}
	return coverage / float64(want), citations / float64(want)
}

func sourcesOf(of []*statement) []int {
	var out []int
	for _, s := range of {
		out = append(out, s.cites[0])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// citedIn counts the sources of an area that the draft cites: in the area's own section or, since the summary and key
// findings speak to every area, wherever a statement of the area stands.
func (v *review) citedIn(a plumb.Area, of []*statement) int {
	var found []int
	section, ok := v.section(a)
	for _, m := range v.markers {
		inside := ok && m.Start >= section.BodyStart && m.Start < section.End
		for _, n := range m.Numbers {
			if (inside || v.quoted(of, n)) && !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	return len(found)
}

// quoted says whether a statement of the list that cites n stands in the draft. Without a section for each area, as in
// a concise draft of a model, citing the source must do.
func (v *review) quoted(of []*statement, n int) bool {
	return slices.ContainsFunc(of, func(s *statement) bool {
		return slices.Contains(s.cites, n) && (v.m.style() == plumb.Concise || v.stands(s) >= 0)
	})
}

// stands is where the draft has a statement, by its first sentence, or -1.
func (v *review) stands(s *statement) int {
	spans := text.Sentences(s.text, s.lang)
	if len(spans) == 0 {
		return -1
	}
	return strings.Index(v.d.Source, inert(spans[0].Of(s.text)))
}

// section finds the section of an area, with the sections below it.
func (v *review) section(a plumb.Area) (markdown.Section, bool) {
	at := sectionOf(v.d, a, v.m.Brief.Language)
	if at < 0 {
		return markdown.Section{}, false
	}
	s := v.d.Sections[at]
	s.End = wholeSection(v.d, at)
	return s, true
}

// length is how much of the draft is about an area: its section, or in a concise draft all of it.
func (v *review) length(a plumb.Area) int {
	if s, ok := v.section(a); ok && v.m.style() != plumb.Concise {
		return utf8.RuneCountInString(strings.TrimSpace(v.d.Source[s.BodyStart:s.End]))
	}
	return utf8.RuneCountInString(v.d.Source)
}

// fullLength is what an area's section must have: the minimum, or less when its findings are shorter. What stands in
// the sections for all areas is not missing here.
func (v *review) fullLength(a plumb.Area, of []*statement) int {
	if len(of) < 2 {
		return 0
	}
	least := minSection
	if dense(v.m.Brief.Language) {
		least = minSectionDense
	}
	s, ok := v.section(a)
	all := 0
	for _, st := range of {
		at := v.stands(st)
		elsewhere := at >= 0 && (!ok || at < s.BodyStart || at >= s.End)
		if !elsewhere {
			all += utf8.RuneCountInString(st.text)
		}
	}
	return min(least, all)
}

// numbers gives 1 when every number resolves, else the share that do.
func (v *review) numbers(draft string) float64 {
	all, good := 0, 0
	for _, m := range v.markers {
		for _, n := range m.Numbers {
			all++
			if slices.ContainsFunc(v.m.Citations, func(c plumb.Citation) bool { return c.Number == n }) {
				good++
			}
		}
	}
	if err := Numbers(draft, v.m.Citations); err != nil {
		v.say("Remove what resolves to nothing: %v.", err)
	}
	if all == 0 {
		if len(v.all) > 0 {
			v.say("Cite sources: the draft has no citation.")
			return 0
		}
		return 1
	}
	return float64(good) / float64(all)
}

// fresh gives the share of sentences that are not said again in another section; a disagreement may quote what the
// summary said.
func (v *review) fresh() float64 {
	all, again := 0, 0
	seen := map[string]bool{}
	for i, b := range v.d.Blocks {
		if b.Kind != markdown.Paragraph && b.Kind != markdown.Item || isNote(v.d, i) || v.listed(b.Start) {
			continue
		}
		plain, _ := markdown.Plain(foreignMarker.ReplaceAllString(v.d.Text(b), ""))
		for _, s := range text.Sentences(plain, v.m.Brief.Language) {
			folded := text.Fold(s.Of(plain))
			all++
			if seen[folded] && !v.inDispute(folded) {
				again++
			}
			seen[folded] = true
		}
	}
	if again > 0 {
		v.say("Say things once: %s repeated.", count(again, "sentence"))
	}
	if all == 0 {
		return 1
	}
	return 1 - float64(again)/float64(all)
}

func (v *review) listed(at int) bool {
	return slices.ContainsFunc(v.entries, func(e markdown.Entry) bool { return at >= e.Start && at < e.End })
}

func (v *review) inDispute(folded string) bool {
	return slices.ContainsFunc(v.clashes, func(d disagreement) bool {
		for _, side := range d.sides {
			for _, s := range side {
				if strings.Contains(text.Fold(s.text), folded) {
					return true
				}
			}
		}
		return false
	})
}

// disagreed gives the share of disagreements of which the draft cites both sides.
func (v *review) disagreed() float64 {
	if len(v.clashes) == 0 {
		return 1
	}
	named := 0
	for _, d := range v.clashes {
		if v.names(d.values[0]) && v.names(d.values[1]) && v.cites(d.sides[0]) && v.cites(d.sides[1]) {
			named++
			continue
		}
		v.say("Name both sides of a disagreement: one source says %s, another %s.", d.values[0], d.values[1])
	}
	return float64(named) / float64(len(v.clashes))
}

func (v *review) names(value string) bool {
	return strings.Contains(text.Fold(v.d.Source), text.Fold(inert(value)))
}

func (v *review) cites(side []*statement) bool {
	return slices.ContainsFunc(v.markers, func(m markdown.Marker) bool {
		return slices.ContainsFunc(m.Numbers, func(n int) bool {
			return slices.ContainsFunc(side, func(s *statement) bool { return slices.Contains(s.cites, n) })
		})
	})
}
