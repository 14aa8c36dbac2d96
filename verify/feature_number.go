// Features of numbers: which of the claim's are missing, and what the page has
// in their place.

package verify

import (
	"math"
	"slices"

	"github.com/plumbresearch/plumb/text"
)

func (g *sight) datesLost() float64 {
	n := 0
	for _, q := range g.p.absentFromPage(g.s.quantities) {
		if q.Kind == text.KindDate {
			n++
		}
	}
	return float64(min(n, 2))
}

// otherNumber: the window lacks a number of the claim and has another of its kind.
func (g *sight) otherNumber() float64 {
	for _, q := range g.best.missing {
		for _, o := range absent(g.p.quantitiesIn(g.best.span), g.s.quantities) {
			if o.Kind == q.Kind && o.Comparable(q) && !q.Admits(o) {
				return 1
			}
		}
	}
	return 0
}

// comparator: the window has a number of the claim with another comparator.
func (g *sight) comparator() float64 {
	for _, q := range g.s.quantities {
		found, same := false, false
		for _, o := range g.p.quantitiesIn(g.best.span) {
			if q.Equal(o) {
				found = true
				same = same || q.Comparator == o.Comparator
			}
		}
		if found && !same {
			return 1
		}
	}
	return 0
}

// digitsLost counts numerals of the claim that stand nowhere in the page as they
// are written.
func (g *sight) digitsLost() float64 {
	return float64(min(g.count(func(t *term) bool { return t.number && !t.page }), 3))
}

// unadmitted counts the claim's quantities that none of have could state otherwise.
func (g *sight) unadmitted(have []text.Quantity) int {
	n := 0
	for _, q := range g.s.quantities {
		if !slices.ContainsFunc(have, func(o text.Quantity) bool { return o.Kind == q.Kind && o.Comparable(q) && q.Admits(o) }) {
			n++
		}
	}
	return n
}

// nextNumber says how far the nearest comparable number of the page is from the
// one of the claim that the window lacks: 0 no number is missing, 1 there is none
// to compare, up to 3 for a small difference.
func (g *sight) nextNumber() float64 {
	out := 0.0
	for _, q := range g.best.missing {
		out = max(out, 1)
		for _, o := range g.p.quantitiesIn(g.best.span) {
			if o.Kind != q.Kind || !o.Comparable(q) || o.Value <= 0 || q.Value <= 0 {
				continue
			}
			out = max(out, 1+2/(1+4*math.Abs(math.Log(o.Value/q.Value))))
		}
	}
	return out
}

// plain counts numbers without a comparator.
func (g *sight) plain() float64 {
	n := 0
	for _, q := range g.s.quantities {
		if q.Comparator == "" {
			n++
		}
	}
	return float64(min(n, 4))
}

var numberWords = wordSet(`one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million billion
	first second third fourth fifth sixth once twice double triple half quarter dozen single pair decade century`)

// numbersLost counts number words of the claim that the window lacks.
func (g *sight) numbersLost() float64 { return g.cuesLost(numberWords) }

// counted looks at what numbers stand beside: how many numbers of the claim stand
// beside a word that has another number, or the same, in the window.
func (g *sight) counted() (other, same float64) {
	have := g.p.quantitiesIn(g.best.span)
	for _, q := range g.s.quantities {
		mine := g.p.beside(g.s.text, q.Span)
		for _, o := range have {
			if o.Kind != q.Kind || !o.Comparable(q) {
				continue
			}
			at := text.Span{Start: o.Span.Start - g.best.span.Start, End: o.Span.End - g.best.span.Start}
			theirs := g.p.beside(g.passage, at)
			if !slices.ContainsFunc(mine, func(t string) bool { return slices.Contains(theirs, t) }) {
				continue
			}
			if q.Admits(o) {
				same++
				break
			}
			if !slices.ContainsFunc(have, q.Equal) {
				other++
				break
			}
		}
	}
	return min(other, 2), min(same, 2)
}

// lateDatesLost counts dates that the page lacks, without one that only says
// which thing is meant: "The 1975 film".
func (g *sight) lateDatesLost() float64 {
	n := 0
	for _, q := range g.p.absentFromPage(g.s.quantities) {
		if q.Kind == text.KindDate && q.Span.Start > 12 {
			n++
		}
	}
	return float64(min(n, 2))
}
