package report

// Disagreements: what sources of different documents say against each other.

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// disagreement is two sides of one question of fact. The first side is the older one.
type disagreement struct {
	sides  [2][]*statement
	values [2]string // what they say, as they write it
	kind   string
	worth  float64
	read   [2]value // the values, to compare them with others
}

// value is what a side says, as it is compared.
type value struct {
	folded string
	amount *text.Quantity // nil: not one quantity
}

func valueOf(s string) value {
	v := value{folded: text.Fold(s)}
	if q := text.Quantities(s); len(q) == 1 {
		v.amount = &q[0]
	}
	return v
}

const (
	maxDisagreements = 8
	// Tables of figures clash row by row. Beyond that many nothing new is looked for: each is compared with each.
	maxClashes = 64
	maxOfSide  = 3 // statements quoted for one side
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
			if a.key == b.key || a.lang != b.lang {
				continue
			}
			x, y, kind := clashOf(a, b)
			if kind == "" {
				continue
			}
			d := disagreement{sides: [2][]*statement{{a}, {b}}, values: [2]string{x, y}, kind: kind, worth: a.worth + b.worth,
				read: [2]value{valueOf(x), valueOf(y)}}
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

// clashOf gives what two statements say against each other, as they write it; no kind: nothing that can be shown.
func clashOf(a, b *statement) (x, y, kind string) {
	if x, y, ok := causes(a, b); ok && a.area == b.area {
		return x, y, "cause"
	}
	if shared(a.terms, b.terms) < clashShare*float64(min(len(a.terms), len(b.terms))) {
		return "", "", ""
	}
	if c := text.Compare(a.text, b.text, a.lang, nil); c.Clash != nil {
		return c.Clash.A.Of(a.text), c.Clash.B.Of(b.text), c.Clash.Kind
	}
	if a.area != b.area || len(a.terms) > len(b.terms) && shared(a.terms, b.terms) < float64(len(b.terms)) ||
		len(a.terms) <= len(b.terms) && shared(a.terms, b.terms) < float64(len(a.terms)) {
		return "", "", ""
	}
	if q, o, ok := counts(a, b); ok && !q.Admits(o) {
		return q.Span.Of(a.text), o.Span.Of(b.text), "number"
	}
	return "", "", ""
}

// causedBy takes a sentence apart that names the cause of something.
var causedBy = regexp.MustCompile(`^(.+?) (?:was|were) caused by (.+?)[.!]?$`)

// causes gives the causes that two statements name for the same thing, when these have no word in common.
func causes(a, b *statement) (x, y string, ok bool) {
	if !strings.Contains(a.text, " caused by ") || !strings.Contains(b.text, " caused by ") {
		return "", "", false
	}
	for _, s := range text.Sentences(a.text, a.lang) {
		for _, o := range text.Sentences(b.text, b.lang) {
			m, n := causedBy.FindStringSubmatch(s.Of(a.text)), causedBy.FindStringSubmatch(o.Of(b.text))
			if m == nil || n == nil || text.Fold(m[1]) != text.Fold(n[1]) || rank.Jaccard(text.Terms(m[2], a.lang), text.Terms(n[2], b.lang)) > 0 {
				continue
			}
			return m[2], n[2], true
		}
	}
	return "", "", false
}

// otherFigure says whether two statements of different documents count the same thing and come to different figures.
func otherFigure(a, b *statement) bool {
	q, o, ok := counts(a, b)
	return ok && a.key != b.key && !q.Equal(o)
}

// counts finds the only count of each statement, when they are of the same thing: 43 operations and 60 operations.
func counts(a, b *statement) (q, o text.Quantity, ok bool) {
	q, x, okA := a.count()
	o, y, okB := b.count()
	return q, o, okA && okB && x == y && negations(a.text)+negations(b.text) == 0
}

// leastCount is the number from which on a count is no chance: a year, two causes, three of them.
const leastCount = 10

// count is the one plain number of a statement and the stem of the word behind it.
func (s *statement) count() (q text.Quantity, of string, ok bool) {
	for _, n := range s.numbers {
		if n.Kind != text.KindNumber || n.Value < leastCount {
			continue
		}
		if ok {
			return q, "", false
		}
		behind := text.Tokens(s.text[n.Span.End:])
		if len(behind) == 0 || text.Stopword(behind[0].Text, s.lang) {
			return q, "", false
		}
		q, of, ok = n, text.Stem(behind[0].Text, s.lang), true
	}
	return q, of, ok
}

// joinDisagreement adds d to the disagreement that is about the same two values, or as a new one.
func joinDisagreement(all []disagreement, d disagreement) []disagreement {
	for i := range all {
		o := &all[i]
		if o.kind != d.kind || !o.sameSubject(d) {
			continue
		}
		p := [2]int{0, 1}
		if !o.read[0].same(d.read[0]) || !o.read[1].same(d.read[1]) {
			p = [2]int{1, 0}
			if !o.read[0].same(d.read[1]) || !o.read[1].same(d.read[0]) {
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
	if len(all) >= maxClashes {
		return all
	}
	return append(all, d)
}

// sameSubject: the words of the two disagreements are those of one subject; equal values alone may be chance.
func (d disagreement) sameSubject(o disagreement) bool {
	a, b := d.sides[0][0].terms, o.sides[0][0].terms
	return shared(a, b) >= clashShare*float64(min(len(a), len(b)))
}

// same: the same words, or the same quantity however written.
func (v value) same(o value) bool {
	return v.folded == o.folded || v.amount != nil && o.amount != nil && v.amount.Equal(*o.amount)
}

// olderFirst puts the older side first; without two dates the order stays.
func (d *disagreement) olderFirst() {
	a, okA := parseDate(d.sides[0][0].date)
	b, okB := parseDate(d.sides[1][0].date)
	if okA && okB && b.Before(a) {
		d.sides[0], d.sides[1] = d.sides[1], d.sides[0]
		d.values[0], d.values[1] = d.values[1], d.values[0]
		d.read[0], d.read[1] = d.read[1], d.read[0]
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
