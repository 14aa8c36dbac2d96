// Passage retrieval in one page: the sentences, and pairs of them, that share the
// most of a claim's weight.

package verify

import (
	"cmp"
	"slices"

	"github.com/plumbresearch/plumb/text"
)

// window is one sentence of a page, or two that follow each other.
type window struct {
	span    text.Span
	pair    bool
	mask    uint64 // terms of the claim that it has
	recall  float64
	missing []text.Quantity // quantities of the claim that it lacks
	score   float64         // by which windows are ordered
}

const (
	maxNear     = 12   // windows that are looked at closely
	maxPassages = 3    // windows that a judge is shown
	pairMargin  = 0.03 // how much better two sentences must be than one
	numberBonus = 0.3  // what having all numbers of the claim is worth
)

// windows returns the windows nearest to the claim, best first.
func (p *page) windows(s statement, q query) []window {
	masks := p.masks(q)
	var near []window
	for i, m := range masks {
		near = consider(near, q, window{mask: m, span: p.sentences[i]})
		if i+1 == len(masks) {
			break
		}
		if both := m | masks[i+1]; both != m && both != masks[i+1] {
			span := text.Span{Start: p.sentences[i].Start, End: p.sentences[i+1].End}
			near = consider(near, q, window{mask: both, span: span, pair: true})
		}
	}
	for i := range near {
		near[i].missing = p.missing(s.quantities, near[i].span)
		if n := len(s.quantities); n > 0 {
			near[i].score += numberBonus * float64(n-len(near[i].missing)) / float64(n)
		}
	}
	sortWindows(near)
	return near
}

// consider keeps a window if it is among the best so far.
func consider(near []window, q query, w window) []window {
	if w.mask == 0 {
		return near
	}
	w.recall = q.recall(w.mask)
	w.score = w.recall
	if w.pair {
		w.score -= pairMargin
	}
	if len(near) == maxNear {
		if w.score <= near[maxNear-1].score {
			return near
		}
		near = near[:maxNear-1]
	}
	near = append(near, w)
	sortWindows(near)
	return near
}

func sortWindows(ws []window) {
	slices.SortStableFunc(ws, func(a, b window) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.span.Start, b.span.Start))
	})
}

// missing are the quantities that a window lacks. A date may stand anywhere in
// the page: texts state it once and go on.
func (p *page) missing(want []text.Quantity, span text.Span) []text.Quantity {
	out := absent(want, p.quantitiesIn(span))
	return slices.DeleteFunc(out, func(q text.Quantity) bool {
		return q.Kind == text.KindDate && len(p.absentFromPage([]text.Quantity{q})) == 0
	})
}

// absentFromPage are the quantities that neither the text nor the title or date
// of the source has.
func (p *page) absentFromPage(want []text.Quantity) []text.Quantity {
	return absent(absent(want, p.quantities), p.about)
}

// absent are the quantities that have no equal among have.
func absent(want, have []text.Quantity) []text.Quantity {
	var out []text.Quantity
	for _, w := range want {
		if !slices.ContainsFunc(have, w.Equal) {
			out = append(out, w)
		}
	}
	return out
}
