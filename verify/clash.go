// Contradictions: said only where they can be shown in one passage.

package verify

import (
	"fmt"
	"slices"

	"github.com/plumbresearch/plumb/text"
)

const (
	clashAt     = 0.45 // recall below which a passage may be about something else
	besideWords = 3    // how far from a quantity the words are that it belongs to
)

// clash looks for a contradiction. Where the best window has all numbers of the
// claim only that window can contradict it.
func (p *page) clash(s statement, ws []window) (window, *text.Clash) {
	for i, w := range ws {
		if i > 0 && len(ws[0].missing) == 0 {
			break
		}
		if w.recall < clashAt {
			continue
		}
		if i < maxPassages {
			if c := text.Compare(s.text, w.span.Of(p.text), p.lang, nil).Clash; c != nil {
				return w, c
			}
		}
		if c := p.numberClash(s, w); c != nil {
			return w, c
		}
	}
	return window{}, nil
}

// numberClash finds the one quantity of the claim that a sentence has otherwise:
// the sentence has exactly one comparable quantity that the claim lacks, a content
// word next to both is the same, the two cannot both be true, and the claim's
// quantity stands nowhere in the page.
func (p *page) numberClash(s statement, w window) *text.Clash {
	if len(w.missing) != 1 || w.pair {
		return nil
	}
	q := w.missing[0]
	var other []text.Quantity
	for _, o := range absent(p.quantitiesIn(w.span), s.quantities) {
		if o.Kind == q.Kind && o.Comparable(q) {
			other = append(other, o)
		}
	}
	if len(other) != 1 || q.Admits(other[0]) || len(p.absentFromPage(w.missing)) == 0 {
		return nil
	}
	o := text.Span{Start: other[0].Span.Start - w.span.Start, End: other[0].Span.End - w.span.Start}
	theirs := p.beside(w.span.Of(p.text), o)
	if !slices.ContainsFunc(p.beside(s.text, q.Span), func(t string) bool { return slices.Contains(theirs, t) }) {
		return nil
	}
	return &text.Clash{Kind: "number", A: q.Span, B: o}
}

// beside are the terms among the words next to a span.
func (p *page) beside(s string, span text.Span) []string {
	var out []string
	tokens := text.Tokens(s)
	first := slices.IndexFunc(tokens, func(t text.Token) bool { return t.Span.End > span.Start })
	last := slices.IndexFunc(tokens, func(t text.Token) bool { return t.Span.Start >= span.End })
	if last < 0 {
		last = len(tokens)
	}
	for i := max(first-besideWords, 0); i < min(last+besideWords, len(tokens)); i++ {
		if i < first || i >= last {
			out = append(out, text.Terms(tokens[i].Span.Of(s), p.lang)...)
		}
	}
	return out
}

// clashReason says a clash from the reader's side: what the source has first.
func clashReason(claim, passage string, c text.Clash) string {
	if c.A.Len() == 0 || c.B.Len() == 0 || c.A.End > len(claim) || c.B.End > len(passage) {
		return c.Reason
	}
	form := "source says %s, claim says %s"
	if c.Kind == "negation" {
		form = "source says %q, claim says %q"
	}
	return fmt.Sprintf(form, clip(c.B.Of(passage), 60), clip(c.A.Of(claim), 60))
}
