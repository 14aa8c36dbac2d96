package report

// The digest: what a model is shown of a material. One line for each statement that may be cited, ranked within its area
// and taken from the areas in turn, so that a small window starves none.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/text"
)

const (
	maxFact     = 400 // characters
	maxQuote    = 300
	maxAreaName = 120
	// Statements of an area from which on low confidence is left out, and the most that an area is shown with.
	enoughNotes = 6
	mostNotes   = 40
)

// jot is a statement as a model reads it.
type jot struct {
	*statement
	line   string
	source string // the line of its source, with the first jot that cites it
}

// digest is all that could be shown, best first.
type digest struct {
	jots    []jot
	clashes []disagreement
	leftOut int // statements of low confidence, where there was enough without
}

func newDigest(m Material) digest {
	all := statements(m)
	g := digest{clashes: disagreements(all)}
	disputed := map[*statement]bool{}
	for _, d := range g.clashes {
		for _, s := range append(slices.Clone(d.sides[0]), d.sides[1]...) {
			disputed[s] = true
		}
	}
	areas := make([][]*statement, max(len(m.Brief.Areas), 1))
	for i := range areas {
		of := ofArea(all, i)
		slices.SortStableFunc(of, func(a, b *statement) int { return cmp.Compare(a.tier(), b.tier()) })
		areas[i], g.leftOut = choice{enough: enoughNotes, perArea: mostNotes}.keep(of, disputed, g.leftOut)
	}
	seen := map[int]bool{}
	for round := range mostNotes + len(disputed) {
		for _, of := range areas {
			if round < len(of) {
				g.jots = append(g.jots, newJot(m, of[round], seen))
			}
		}
	}
	return g
}

// tier ranks by how sure a statement is; within a tier the most worthy come first.
func (s *statement) tier() int {
	t := map[plumb.Confidence]int{plumb.High: 0, plumb.Medium: 2}
	at, ok := t[s.sure]
	if !ok || s.low {
		at = 4
	}
	if s.partial {
		at++
	}
	return at
}

func newJot(m Material, s *statement, seen map[int]bool) jot {
	also := ""
	for _, n := range s.cites[1:] {
		also += fmt.Sprintf("[%d]", n)
	}
	sure := string(s.sure)
	if also != "" {
		sure += ", also " + also
	}
	j := jot{statement: s, line: fmt.Sprintf("- [%d] (%s; %s; %s) %s", s.cites[0], areaName(m.Brief.Areas, s.area), sure,
		cmp.Or(plainLine(day(s.date), 20), "undated"), clip(s.text, maxFact))}
	if q := stated(s.quote); text.Fold(q) != s.folded && q != "" { // else the fact is the quotation
		j.line += " — \"" + strings.ReplaceAll(plainLine(s.quote, maxQuote), `"`, "'") + "\""
	}
	var lines []string
	for _, n := range s.cites {
		if !seen[n] {
			seen[n] = true
			lines = append(lines, sourceLine(m.Citations, n))
		}
	}
	j.source = strings.Join(lines, "\n")
	return j
}

// plainLine is text from outside on one line, without markers that would read like ours.
func plainLine(s string, most int) string {
	return clip(markdown.OneLine(foreignMarker.ReplaceAllString(s, "")), most)
}

// areaName is how notes and headings name an area: one line without the sign that separates the parts of a note.
func areaName(areas []plumb.Area, i int) string {
	if i >= len(areas) {
		return "general"
	}
	return strings.ReplaceAll(plainLine(areas[i].Name, maxAreaName), ";", ",")
}

func sourceLine(cs []plumb.Citation, number int) string {
	for _, c := range cs {
		if c.Number == number {
			return fmt.Sprintf("[%d] %s — %s", number, cmp.Or(plainLine(c.Title, maxTitle), "untitled"), cmp.Or(plainLine(day(c.Date), 20), "undated"))
		}
	}
	return ""
}

// fit says how many jots have room, with the lines of their sources.
func (g digest) fit(room int) int {
	lines := make([]string, len(g.jots))
	for i, j := range g.jots {
		lines[i] = strings.TrimRight(j.line+"\n"+j.source, "\n")
	}
	return llm.Fit(lines, room)
}

// shown are the first n jots in the order of reading: by area, best first.
func (g digest) shown(n int) []jot {
	out := slices.Clone(g.jots[:min(n, len(g.jots))])
	slices.SortStableFunc(out, func(a, b jot) int { return cmp.Compare(a.area, b.area) })
	return out
}

func noteLines(jots []jot) string {
	lines := make([]string, len(jots))
	for i, j := range jots {
		lines[i] = j.line
	}
	return strings.Join(lines, "\n")
}

// numbersOf are the citations that jots have, sorted.
func numbersOf(jots []jot) []int {
	var out []int
	for _, j := range jots {
		out = append(out, j.cites...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func sourceLines(cs []plumb.Citation, numbers []int) string {
	lines := make([]string, len(numbers))
	for i, n := range numbers {
		lines[i] = sourceLine(cs, n)
	}
	return strings.Join(lines, "\n")
}

// clashLines names the disagreements of which both sides are shown, with what a debate made of them.
func clashLines(clashes []disagreement, jots []jot, weighed map[int]string) string {
	has := func(side []*statement) *statement {
		for _, s := range side {
			if slices.ContainsFunc(jots, func(j jot) bool { return j.statement == s }) {
				return s
			}
		}
		return nil
	}
	var lines []string
	for i, d := range clashes {
		a, b := has(d.sides[0]), has(d.sides[1])
		if a == nil || b == nil {
			continue
		}
		line := fmt.Sprintf("- The sources disagree: [%d] (%s) says %q, [%d] (%s) says %q.", a.cites[0], cmp.Or(day(a.date), "undated"), plainLine(d.values[0], 80),
			b.cites[0], cmp.Or(day(b.date), "undated"), plainLine(d.values[1], 80))
		if d.superseded() {
			line += " The second is newer by more than a year."
		}
		if w := weighed[i]; w != "" {
			line += " Weighing: " + w
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
