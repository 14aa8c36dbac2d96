package report

// Which statement stands where: each in one section, but for what the summary needs of a disagreement.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// layout is a draft before it is put into words.
type layout struct {
	summary  []*statement
	disputed bool // the summary quotes two sides of a disagreement
	outdated bool // the summary quotes the newer side of one alone
	key      []*statement
	areas    [][]*statement // of the detailed analysis, by area
	clashes  []disagreement
	known    [][]*statement // every statement of an area that was not left out
	leftOut  int
	names    []string // folded, that the question is about
}

// choice holds how strict the selection is. A re-write is less strict, so that thin areas get more.
type choice struct {
	cut     float64 // share of the area's best quality below which a statement is left out
	enough  int     // statements of an area below which none is left out for its quality
	perArea int
	keys    int // bullets, at most
}

const (
	maxSummary = 5
	minKey     = 4
	maxKey     = 10
	// How much likeness to what was chosen takes from a worth of up to 1.4: of two that say the same, one is enough.
	sameness = 0.8
	// What an area keeps for its own section before the key findings may take from it.
	reserved = 2
)

func choiceOf(m Material) choice {
	c := choice{cut: 0.6, enough: 6, perArea: 14, keys: 6}
	if m.style() == plumb.Concise {
		c.keys = maxKey
	}
	if m.Round > 1 || m.Feedback != "" {
		c.cut, c.enough, c.perArea = 0.4, 10, 24
	}
	return c
}

// plan lays the statements out.
func plan(m Material, all []*statement) layout {
	c := choiceOf(m)
	l := layout{clashes: disagreements(all), names: foldedNames(m.Brief.Entity)}
	taken := map[*statement]bool{}
	for _, d := range l.clashes {
		for _, side := range d.sides {
			for _, s := range side {
				taken[s] = true
			}
		}
	}
	n := max(len(m.Brief.Areas), 1)
	l.known = make([][]*statement, n)
	for i := range n {
		l.known[i], l.leftOut = c.keep(ofArea(all, i), taken, l.leftOut)
	}
	l.summarise(taken)
	l.pickKey(m, c, taken)
	l.areas = make([][]*statement, n)
	for i := range n {
		for _, s := range l.known[i] {
			if !taken[s] && m.style() != plumb.Concise {
				l.areas[i] = append(l.areas[i], s)
			}
		}
	}
	if m.style() == plumb.Concise {
		l.leftOut += l.untaken(taken)
	}
	return l
}

func (l *layout) untaken(taken map[*statement]bool) int {
	n := 0
	for _, area := range l.known {
		for _, s := range area {
			if !taken[s] {
				n++
			}
		}
	}
	return n
}

func ofArea(all []*statement, area int) []*statement {
	return slices.DeleteFunc(slices.Clone(all), func(s *statement) bool { return s.area != area })
}

// keep leaves out what is of low confidence or far less relevant than the area's best, when there is enough else.
// Statements of a disagreement always stay.
func (c choice) keep(area []*statement, taken map[*statement]bool, leftOut int) ([]*statement, int) {
	best := 0.0
	for _, s := range area {
		best = max(best, s.quality)
	}
	var out []*statement
	for _, s := range area {
		weak := s.low || s.quality < c.cut*best
		if !taken[s] && (weak && len(out) >= c.enough || len(out) >= c.perArea) {
			leftOut++
			continue
		}
		out = append(out, s)
	}
	return out, leftOut
}

// summarise picks the best statement of each area, in the order of the areas, and where there are few areas the next
// best that says something else. Of a disagreement it takes both sides, or only the newer when that supersedes.
func (l *layout) summarise(taken map[*statement]bool) {
	for _, area := range l.known {
		if len(area) == 0 || len(l.summary) >= maxSummary {
			continue
		}
		l.answer(area[0])
	}
	if len(l.known) == 1 {
		l.compare(l.known[0])
	}
	areas := 0
	for _, area := range l.known {
		if len(area) > 0 {
			areas++
		}
	}
	want := map[int]int{1: 3, 2: 3}[areas]
	for _, area := range l.known {
		for len(l.summary) < want {
			s := l.next(area)
			if s == nil {
				break
			}
			l.answer(s)
		}
	}
	for _, s := range l.summary {
		taken[s] = true
	}
}

func foldedNames(e plumb.Entity) []string {
	var out []string
	for _, q := range e.Queries {
		out = append(out, text.Fold(q))
	}
	return out
}

// compare sees to it that the summary speaks of each thing that the question names, where a statement does.
func (l *layout) compare(area []*statement) {
	for _, name := range l.names {
		if len(l.names) < 2 || slices.ContainsFunc(l.summary, func(s *statement) bool { return strings.Contains(s.folded, name) }) {
			continue
		}
		if i := slices.IndexFunc(area, func(s *statement) bool { return !s.low && strings.Contains(s.folded, name) }); i >= 0 {
			l.answer(area[i])
		}
	}
}

// next is the best statement of an area that is at least nearly as relevant as its first and not like the summary.
func (l *layout) next(area []*statement) *statement {
	for _, s := range area {
		another := len(l.summary) > 0 && otherFigure(l.summary[0], s)
		if s.quality < 0.8*area[0].quality && !another || s.low && !another || slices.Contains(l.summary, s) {
			continue
		}
		if another || !slices.ContainsFunc(l.summary, func(o *statement) bool {
			return rank.Jaccard(s.terms, o.terms) > 0.5 || adds(o, s) == 0 || adds(s, o) == 0
		}) {
			return s
		}
	}
	return nil
}

// adds counts what b has beyond a: words and numbers. Names of who says it add nothing.
func adds(a, b *statement) int {
	n := 0
	for _, q := range b.numbers {
		if !slices.ContainsFunc(a.numbers, q.Equal) {
			n++
		}
	}
	if shared(a.terms, b.terms) < float64(min(len(a.terms), len(b.terms))) {
		n++
	}
	return n
}

// answer adds a statement to the summary with the other side of its disagreement.
func (l *layout) answer(s *statement) {
	for _, d := range l.clashes {
		mine := slices.IndexFunc(d.sides[:], func(side []*statement) bool { return slices.Contains(side, s) })
		if mine < 0 {
			continue
		}
		if d.superseded() {
			l.outdated = true
			s = d.sides[1][0]
			break
		}
		l.disputed = true
		for i, side := range d.sides {
			said := side[0]
			if i == mine {
				said = s
			}
			if !slices.Contains(l.summary, said) {
				l.summary = append(l.summary, said)
			}
		}
		return
	}
	if !slices.Contains(l.summary, s) {
		l.summary = append(l.summary, s)
	}
}

// pickKey takes the most relevant of what is left, each time the one that is best and least like those before, and
// leaves every area something for its own section.
func (l *layout) pickKey(m Material, c choice, taken map[*statement]bool) {
	left := make([]int, len(l.known))
	var free []*statement
	for i, area := range l.known {
		for _, s := range area {
			if !taken[s] {
				free = append(free, s)
				left[i]++
			}
		}
	}
	keep, share := reserved, 3
	if m.style() == plumb.Concise {
		keep, share = 0, 2
	}
	want := min(max(len(free)/share, minKey), c.keys)
	chosen := slices.Clone(l.summary)
	for len(l.key) < want {
		s := mostNew(free, chosen, func(s *statement) bool { return left[s.area] > keep })
		if s == nil {
			break
		}
		left[s.area]--
		free = slices.DeleteFunc(free, func(o *statement) bool { return o == s })
		chosen, l.key = append(chosen, s), append(l.key, s)
		taken[s] = true
	}
	if len(l.key) == 0 { // little is left: half of it, so that the areas have the other
		l.key = append(l.key, free[:(len(free)+1)/2]...)
		for _, s := range l.key {
			taken[s] = true
		}
	}
	slices.SortStableFunc(l.key, func(a, b *statement) int { return cmp.Compare(a.area, b.area) })
}

// toldLikeness is how alike a statement is, at least, to others that have all its figures: it says them once more.
const toldLikeness = 0.6

// told says whether each figure of a statement stands in one of the others.
func told(s *statement, others []*statement) bool {
	return len(s.numbers) > 0 && !slices.ContainsFunc(s.numbers, func(q text.Quantity) bool {
		return !slices.ContainsFunc(others, func(o *statement) bool { return slices.ContainsFunc(o.numbers, q.Equal) })
	})
}

// mostNew balances quality against likeness to what was chosen.
func mostNew(from, chosen []*statement, may func(*statement) bool) *statement {
	var best *statement
	most := 0.0
	for _, s := range from {
		if !may(s) {
			continue
		}
		like := 0.0
		for _, o := range chosen {
			like = max(like, rank.Jaccard(s.terms, o.terms))
		}
		if told(s, chosen) {
			like = max(like, toldLikeness)
		}
		if v := s.worth - sameness*like; best == nil || v > most {
			best, most = s, v
		}
	}
	return best
}

// Words of an area that asks how something went on in time.
var timeWords = map[string]bool{
	"when": true, "since": true, "history": true, "timeline": true, "chronology": true, "evolution": true, "evolve": true, "evolved": true,
	"develop": true, "developed": true, "development": true, "change": true, "changed": true, "changes": true, "trend": true, "trends": true,
	"wann": true, "seit": true, "geschichte": true, "entwicklung": true, "verlauf": true, "anderung": true, "quand": true, "depuis": true,
	"histoire": true, "changement": true, "cuando": true, "desde": true, "historia": true, "evolucion": true, "cambio": true,
}

// group is what an area quotes of one source, in the order of the source.
type group struct {
	of   []*statement
	tier int
}

// groups orders an area's statements for reading: those of one source together; by date when the area is about time,
// else the most relevant tier first and by date within it.
func groups(area plumb.Area, of []*statement) []group {
	var out []group
	best := 0.0
	for _, s := range of {
		best = max(best, s.quality)
	}
	for _, s := range of {
		i := slices.IndexFunc(out, func(g group) bool { return g.of[0].source == s.source })
		if i < 0 {
			out = append(out, group{tier: tier(s.quality, best)})
			i = len(out) - 1
		}
		out[i].of = append(out[i].of, s)
		out[i].tier = min(out[i].tier, tier(s.quality, best))
	}
	for _, g := range out {
		slices.SortStableFunc(g.of, func(a, b *statement) int { return cmp.Compare(a.start, b.start) })
	}
	inTime := slices.ContainsFunc(text.Tokens(area.Name+" "+area.Question), func(t text.Token) bool { return timeWords[strings.ToLower(t.Text)] })
	slices.SortStableFunc(out, func(a, b group) int {
		byDate := cmp.Or(compareDates(a.of[0].date, b.of[0].date), cmp.Compare(a.of[0].cites[0], b.of[0].cites[0]))
		if inTime {
			return byDate
		}
		return cmp.Or(cmp.Compare(a.tier, b.tier), byDate)
	})
	return out
}

// tier grades a quality against the best: 0, 1 or 2.
func tier(quality, best float64) int {
	switch {
	case quality >= 0.85*best:
		return 0
	case quality >= 0.65*best:
		return 1
	}
	return 2
}

// compareDates puts older before newer and what has no date last.
func compareDates(a, b string) int {
	x, okA := parseDate(a)
	y, okB := parseDate(b)
	switch {
	case okA && okB:
		return x.Compare(y)
	case okA:
		return -1
	case okB:
		return 1
	}
	return 0
}
