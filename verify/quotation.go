// Quotations inside a claim: they must stand in the source, word for word.

package verify

import (
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

const (
	minQuote = 6 // words of a quotation that is looked up by itself
	minRest  = 4 // terms around a quotation from which on they must be in the source
)

var (
	quotation = regexp.MustCompile(`"([^"]{20,})"|“([^”]{20,})”|«([^»]{20,})»|„([^“”]{20,})[“”]|「([^」]{8,})」|『([^』]{8,})』`)
	// "Depth: the basin is 14 metres deep" quotes what is behind the colon.
	labelled = regexp.MustCompile(`^[^:：]{1,80}[:：]\s*(.+)$`)
)

// byQuotation decides about a claim that quotes at least minQuote words, or that
// consists of a label and the source's own words. It is supported when these stand
// in the source and so do most of the words around them. quoted says that the
// claim has quotation marks around words; with no status they were not found.
func (p *page) byQuotation(s statement) (f finding, quoted bool) {
	for _, m := range quotation.FindAllStringSubmatchIndex(s.text, -1) {
		quote := group(s.text, m)
		if !long(quote) {
			continue
		}
		span, ok := p.find(quote)
		if !ok {
			return finding{}, true
		}
		if !quoted {
			f = p.aroundQuotation(s.text[:m[0]]+" "+s.text[m[1]:], span)
		}
		quoted = true
	}
	if quoted {
		return f, true
	}
	m := labelled.FindStringSubmatchIndex(s.text)
	if m == nil || !long(s.text[m[2]:m[3]]) {
		return finding{}, false
	}
	span, ok := p.find(strings.TrimRight(s.text[m[2]:m[3]], ".。!！ "))
	if !ok {
		return finding{}, false
	}
	return p.aroundQuotation(s.text[:m[2]], span), true
}

// group is the first group of a match that took part in it, without the
// punctuation at its end.
func group(s string, m []int) string {
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 {
			return strings.TrimRight(s[m[g]:m[g+1]], ".,;…。，!！ ")
		}
	}
	return ""
}

func long(quote string) bool {
	words, dense := count(quote)
	return words >= minQuote || dense >= 2*minQuote
}

// aroundQuotation judges the words around a quotation that was found.
func (p *page) aroundQuotation(rest string, span text.Span) finding {
	f := finding{span: span, passages: []string{span.Of(p.text)}}
	q := p.query(rest)
	if missing := p.absentFromPage(text.Quantities(rest)); len(missing) > 0 {
		return f.is(plumb.Partial, 0.6, "the quotation is in the source, but not "+missing[0].Span.Of(rest))
	}
	if len(q.terms) >= minRest && q.recall(p.all(q)) < partialAt {
		return f.is(plumb.Partial, 0.6, "the quotation is in the source, the words around it are not")
	}
	return f.is(plumb.Supported, 0.97, "the quotation is in the source")
}
