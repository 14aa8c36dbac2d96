// The cascade by rules and spans: a quotation found, a passage that says the
// same with the same numbers, a clash that can be shown, or nothing.

package verify

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// finding is what came of checking a claim against one page.
type finding struct {
	status   plumb.Status
	score    float64
	reason   string
	notes    string
	span     text.Span
	passages []string // nearest first
	open     bool     // neither a quotation nor a clash decided it
	vetoed   bool     // a number of the claim is missing
}

// Support at which a claim is supported or partly supported: half the recall of
// its words in the nearest window, half that in the whole page, since names and
// topic are often given elsewhere. On the public claim sets (TestMeasure) 0.52
// gives the best balanced accuracy but lets a third of the unsupported claims
// through; at 0.66 it is every sixth.
const (
	supportedAt = 0.66
	partialAt   = 0.42
	clashAt     = 0.5 // recall in a window below which a clash may be about something else
	maxPassages = 3
	minQuote    = 6 // words of a quotation that is looked up by itself
)

// judgePage checks a claim against a page.
func judgePage(claim string, p *page) finding {
	if span, ok := p.find(strings.TrimRight(claim, ".。!！ ")); ok {
		return finding{status: plumb.Supported, score: 1, span: span, reason: "the source says it in these words"}
	}
	q := p.query(claim)
	ws := p.windows(claim, q)
	if f, ok := p.byQuotation(claim, q); ok {
		f.passages = passagesOf(p, ws)
		return f
	}
	return p.byPassage(claim, q, ws)
}

var quotations = regexp.MustCompile(`"([^"]{20,})"|“([^”]{20,})”|«([^»]{20,})»|„([^“”]{20,})[“”]|「([^」]{8,})」|『([^』]{8,})』`)

// byQuotation decides about a claim that quotes at least minQuote words. It is
// supported when the quotation stands in the source and so do most of the words
// around it.
func (p *page) byQuotation(claim string, q query) (finding, bool) {
	for _, m := range quotations.FindAllStringSubmatchIndex(claim, -1) {
		quote := ""
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				quote = claim[m[g]:m[g+1]]
			}
		}
		if words, dense := count(quote); words < minQuote && dense < 2*minQuote {
			continue
		}
		span, ok := p.find(strings.TrimRight(quote, ".,;…。， "))
		if !ok {
			return finding{}, false
		}
		return p.aroundQuotation(claim[:m[0]]+" "+claim[m[1]:], span), true
	}
	return finding{}, false
}

// aroundQuotation judges the words around a quotation that was found.
func (p *page) aroundQuotation(rest string, span text.Span) finding {
	f := finding{status: plumb.Supported, score: 0.97, span: span, reason: "the quotation is in the source"}
	q := p.query(rest)
	missing := absent(text.Quantities(rest), p.quantities)
	if len(missing) > 0 || len(q.terms) > 8 && q.recall(p.all(q)) < partialAt {
		f.status, f.score, f.vetoed = plumb.Partial, 0.6, len(missing) > 0
		f.reason = "the quotation is in the source, the rest of the claim is not"
	}
	return f
}

// window is one sentence of a page, or two that follow each other.
type window struct {
	span    text.Span
	mask    uint64
	recall  float64
	missing []text.Quantity // quantities of the claim that it lacks
	score   float64
}

// windows returns the windows nearest to the claim, best first.
func (p *page) windows(claim string, q query) []window {
	masks := p.masks(q)
	var near []window
	for i, m := range masks {
		near = p.consider(near, q, m, p.sentences[i], 0)
		if i+1 < len(masks) && masks[i+1] != 0 && m != 0 && m|masks[i+1] != m && m|masks[i+1] != masks[i+1] {
			span := text.Span{Start: p.sentences[i].Start, End: p.sentences[i+1].End}
			near = p.consider(near, q, m|masks[i+1], span, 0.03)
		}
	}
	wanted := text.Quantities(claim)
	for i := range near {
		near[i].missing = p.missing(wanted, near[i].span)
		if len(wanted) > 0 {
			near[i].score += 0.3 * float64(len(wanted)-len(near[i].missing)) / float64(len(wanted))
		}
	}
	sortWindows(near)
	return near
}

// maxNear is how many windows are looked at closely.
const maxNear = 12

// consider keeps a window if it is among the best so far. A longer one must be
// better by the margin.
func (p *page) consider(near []window, q query, mask uint64, span text.Span, margin float64) []window {
	if mask == 0 {
		return near
	}
	r := q.recall(mask)
	w := window{span: span, mask: mask, recall: r, score: r - margin}
	if len(near) == maxNear {
		last := near[len(near)-1]
		if w.score <= last.score {
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
		return q.Kind == text.KindDate && slices.ContainsFunc(p.quantities, q.Equal)
	})
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

func passagesOf(p *page, ws []window) []string {
	var out []string
	for _, w := range ws[:min(len(ws), maxPassages)] {
		out = append(out, w.span.Of(p.text))
	}
	return out
}

// byPassage decides by the window that shares most with the claim.
func (p *page) byPassage(claim string, q query, ws []window) finding {
	f := finding{open: true, passages: passagesOf(p, ws)}
	if len(ws) == 0 {
		f.status, f.score, f.reason = plumb.NotFound, 0.9, p.nothing(claim)
		return f
	}
	best := ws[0]
	support := (best.recall + q.recall(p.all(q))) / 2
	f.span, f.vetoed = best.span, len(best.missing) > 0
	for _, w := range ws[:min(len(ws), maxPassages)] {
		if w.recall < clashAt || !f.vetoed && w.span != best.span {
			continue
		}
		if c := p.clash(claim, w); c != nil {
			return contradiction(claim, p, w, *c, f)
		}
	}
	if support < supportedAt || f.vetoed {
		return p.short(claim, q, best, support, f)
	}
	f.status, f.score = plumb.Supported, min(support, 0.95)
	f.reason = "a passage says the same"
	if len(text.Quantities(claim)) > 0 {
		f.reason += " with the same numbers"
	}
	return f
}

func (p *page) clash(claim string, w window) *text.Clash {
	return text.Compare(claim, w.span.Of(p.text), p.lang, p.weight).Clash
}

func contradiction(claim string, p *page, w window, c text.Clash, f finding) finding {
	f.status, f.score, f.span, f.open = plumb.Contradicted, 0.8, w.span, false
	f.reason = c.Reason
	passage := w.span.Of(p.text)
	if c.A.Len() > 0 && c.B.Len() > 0 && c.A.End <= len(claim) && c.B.End <= len(passage) {
		f.reason = fmt.Sprintf("source says %s, claim says %s", clip(c.B.Of(passage), 60), clip(c.A.Of(claim), 60))
	}
	return f
}

// short is the verdict about a claim whose best window does not bear all of it.
func (p *page) short(claim string, q query, best window, support float64, f finding) finding {
	switch {
	case support < partialAt:
		f.status, f.score, f.reason = plumb.NotFound, 1-support, p.nothing(claim)
		f.span = text.Span{}
	case f.vetoed:
		var names []string
		for _, n := range best.missing {
			names = append(names, n.Span.Of(claim))
		}
		f.status, f.score = plumb.Partial, 0.5
		f.reason = "the nearest passage does not have " + strings.Join(names, ", ")
	default:
		f.status, f.score = plumb.Partial, 0.5
		f.reason = "a passage says part of it; missing: " + p.lacking(claim, q, best)
	}
	return f
}

// lacking names the weightiest words of the claim that a window lacks, as the
// claim writes them.
func (p *page) lacking(claim string, q query, w window) string {
	var out []string
	for _, tok := range text.Tokens(claim) {
		terms := text.Terms(tok.Span.Of(claim), p.lang)
		if len(terms) != 1 {
			continue
		}
		i := slices.Index(q.terms, terms[0])
		if i < 0 || w.mask&(1<<i) != 0 || utf8.RuneCountInString(tok.Text) < 2 {
			continue
		}
		if word := tok.Span.Of(claim); !slices.Contains(out, word) {
			out = append(out, word)
		}
		if len(out) == 5 {
			break
		}
	}
	return strings.Join(out, ", ")
}

// nothing says why nothing was found.
func (p *page) nothing(claim string) string {
	if l := text.Language(claim); l != "" && p.lang != "" && l != p.lang {
		return fmt.Sprintf("no passage found; the source is in another language (%s) than the claim (%s)", p.lang, l)
	}
	return "no passage of the source says this"
}
