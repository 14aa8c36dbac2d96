package report

// Disagreements: what sources of different documents say against each other.

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/plumbresearch/plumb/text"
)

// disagreement is two sides of one question of fact. The first side is the older one.
type disagreement struct {
	sides  [2][]*statement
	values [2]string // what they say, as they write it
	kind   string
	worth  float64
}

const (
	maxDisagreements = 8
	maxOfSide        = 3 // statements quoted for one side
	// The best statements, each of which is compared with each: some 30,000 pairs.
	maxCompared = 250
	// Below this share of the shorter sentence's words no clash can be shown; see text.Compare.
	clashShare = 0.35
	// A source that much younger supersedes the other rather than contradicting it.
	superseding = 365 * 24 * time.Hour
)

// disagreements finds the clashes between statements of different documents, the most relevant first. Pairs with the
// same two values are one disagreement.
func disagreements(all []*statement) []disagreement {
	var out []disagreement
	all = all[:min(len(all), maxCompared)]
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.key == b.key || a.lang != b.lang || shared(a.terms, b.terms) < clashShare*float64(min(len(a.terms), len(b.terms))) {
				continue
			}
			c := text.Compare(a.text, b.text, a.lang, nil)
			if c.Clash == nil {
				continue
			}
			x, y := c.Clash.A.Of(a.text), c.Clash.B.Of(b.text)
			d := disagreement{sides: [2][]*statement{{a}, {b}}, values: [2]string{x, y}, kind: c.Clash.Kind, worth: a.worth + b.worth}
			out = joinDisagreement(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b disagreement) int { return cmp.Compare(b.worth, a.worth) })
	out = out[:min(len(out), maxDisagreements)]
	for i := range out {
		out[i].olderFirst()
	}
	return out
}

// joinDisagreement adds d to the disagreement that is about the same two values, or as a new one.
func joinDisagreement(all []disagreement, d disagreement) []disagreement {
	for i := range all {
		o := &all[i]
		if o.kind != d.kind || !o.sameSubject(d) {
			continue
		}
		p := [2]int{0, 1}
		if !sameValue(o.values[0], d.values[0]) || !sameValue(o.values[1], d.values[1]) {
			p = [2]int{1, 0}
			if !sameValue(o.values[0], d.values[1]) || !sameValue(o.values[1], d.values[0]) {
				continue
			}
		}
		for side := range o.sides {
			s := d.sides[p[side]][0]
			if len(o.sides[side]) < maxOfSide && !slices.Contains(o.sides[side], s) {
				o.sides[side] = append(o.sides[side], s)
			}
		}
		o.worth = math.Max(o.worth, d.worth)
		return all
	}
	return append(all, d)
}

// sameSubject: the words of the two disagreements are those of one subject; equal values alone may be chance.
func (d disagreement) sameSubject(o disagreement) bool {
	a, b := d.sides[0][0].terms, o.sides[0][0].terms
	return shared(a, b) >= clashShare*float64(min(len(a), len(b)))
}

// sameValue: the same words, or the same quantity however written.
func sameValue(a, b string) bool {
	if text.Fold(a) == text.Fold(b) {
		return true
	}
	x, y := text.Quantities(a), text.Quantities(b)
	return len(x) == 1 && len(y) == 1 && x[0].Equal(y[0])
}

// olderFirst puts the older side first; without two dates the order stays.
func (d *disagreement) olderFirst() {
	a, okA := parseDate(d.sides[0][0].date)
	b, okB := parseDate(d.sides[1][0].date)
	if okA && okB && b.Before(a) {
		d.sides[0], d.sides[1] = d.sides[1], d.sides[0]
		d.values[0], d.values[1] = d.values[1], d.values[0]
	}
}

// superseded says whether the second side is newer by more than a year.
func (d disagreement) superseded() bool {
	a, okA := parseDate(d.sides[0][0].date)
	b, okB := parseDate(d.sides[1][0].date)
	return okA && okB && b.Sub(a) > superseding
}

// parseDate reads a date as exact as it is; the day or month it lacks is the first.
func parseDate(iso string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, day(iso)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
