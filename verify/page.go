// A source prepared for many claims: sentences, terms with their weights,
// quantities, and the folded text that quotations are looked up in.

package verify

import (
	"cmp"
	"math"
	"math/bits"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

type page struct {
	source     plumb.Source
	text       string
	lang       string
	pieces     []piece
	sentences  []text.Span
	quantities []text.Quantity    // of the text, in order
	postings   map[string][]int32 // term → sentences
	title      map[string]bool    // terms of the title
	about      []text.Quantity    // of title and date
	known      bool               // the language is
}

// piece is a part of the text that may support claims, folded.
type piece struct {
	offset int
	folded *text.Folded
}

func newPage(source plumb.Source, s string) *page {
	p := &page{source: source, text: s, postings: map[string][]int32{}, title: map[string]bool{}}
	p.lang = cmp.Or(languageOf(s), source.Language)
	p.known = p.lang != ""
	p.lang = cmp.Or(p.lang, "en") // English stems do no harm to a text too short to tell
	for _, t := range p.terms(source.Title) {
		p.title[t] = true
	}
	p.about = text.Quantities(source.Title + "\n" + source.Date)
	refs := references(source, s)
	for _, part := range []text.Span{{Start: 0, End: refs.Start}, {Start: refs.End, End: len(s)}} {
		if strings.TrimSpace(part.Of(s)) != "" {
			p.add(part)
		}
	}
	return p
}

// languageSample is how much of a long text is looked at to tell its language. The
// beginning of a page may be menus; all of it took a third of the time of a check.
const languageSample = 1000

// languageOf tells the language of a text by its middle, or by all of it where that
// does not say.
func languageOf(s string) string {
	if len(s) > 3*languageSample {
		from := (len(s) - languageSample) / 2
		to := from + languageSample
		for from < to && !utf8.RuneStart(s[from]) {
			from++
		}
		for to > from && !utf8.RuneStart(s[to]) {
			to--
		}
		if l := text.Language(s[from:to]); l != "" {
			return l
		}
	}
	return text.Language(s)
}

// add indexes a part of the text.
func (p *page) add(part text.Span) {
	s := part.Of(p.text)
	p.pieces = append(p.pieces, piece{part.Start, text.NewFolded(s)})
	for _, span := range text.Sentences(s, p.lang) {
		n := int32(len(p.sentences))
		for _, t := range p.terms(span.Of(s)) {
			at := p.postings[t]
			if len(at) == 0 || at[len(at)-1] != n {
				p.postings[t] = append(at, n)
			}
		}
		p.sentences = append(p.sentences, text.Span{Start: part.Start + span.Start, End: part.Start + span.End})
	}
	for _, q := range text.Quantities(s) {
		q.Span.Start += part.Start
		q.Span.End += part.Start
		p.quantities = append(p.quantities, q)
	}
}

var referencesTitle = regexp.MustCompile(`(?i)^[ \t]*(?:#{1,6}[ \t]*)?(?:\*\*)?(?:[0-9]{1,2}\.?[ \t]+)?(?:references|bibliography|works cited|literature cited|参考文献|literaturverzeichnis|références|bibliographie|referencias)(?:\*\*)?[ \t]*:?[ \t]*$`)

// references is the span of the source's list of references, empty at the end
// of the text when it has none. Where the source does not say, the last line in
// the second half of the text that is only such a title begins it.
func references(source plumb.Source, s string) text.Span {
	if r := source.References; r != nil && 0 <= r.Start && r.Start < r.End && r.End <= len(s) {
		return text.Span{Start: r.Start, End: r.End}
	}
	for end := len(s); end > len(s)/2; {
		from := strings.LastIndexByte(s[:end], '\n') + 1
		if end-from <= maxTitle && from >= len(s)/2 && referencesTitle.MatchString(s[from:end]) {
			return text.Span{Start: from, End: len(s)}
		}
		end = from - 1
	}
	return text.Span{Start: len(s), End: len(s)}
}

const maxTitle = 80 // bytes of a line that is the title of a list of references

// find looks a quotation up in what may support claims.
func (p *page) find(quote string) (text.Span, bool) {
	for _, part := range p.pieces {
		if span, ok := part.folded.Find(quote); ok {
			return text.Span{Start: span.Start + part.offset, End: span.End + part.offset}, true
		}
	}
	return text.Span{}, false
}

// quantitiesIn are those that lie within a span.
func (p *page) quantitiesIn(span text.Span) []text.Quantity {
	i := sort.Search(len(p.quantities), func(i int) bool { return p.quantities[i].Span.Start >= span.Start })
	j := i
	for j < len(p.quantities) && p.quantities[j].Span.End <= span.End {
		j++
	}
	return p.quantities[i:j]
}

// weight is the worth of a term: the fewer sentences of the source have it, the
// more. One that the source lacks weighs like one that a single sentence has.
func (p *page) weight(term string) float64 {
	n := float64(len(p.sentences))
	df := math.Max(float64(len(p.postings[term])), 1)
	return prior(term) * (0.5 + math.Log(1+n/df)/math.Log(2+n))
}

// query is a claim's terms, at most 64, each with its weight in a page.
type query struct {
	terms  []string
	weight []float64
	total  float64
}

const maxTerms = 64

func (p *page) query(claim string) query {
	var q query
	seen := map[string]bool{}
	for _, t := range p.terms(claim) {
		if seen[t] || len(q.terms) == maxTerms {
			continue
		}
		seen[t] = true
		w := p.weight(t)
		q.terms = append(q.terms, t)
		q.weight = append(q.weight, w)
		q.total += w
	}
	return q
}

// recall is the share of the query's weight that the terms in mask have.
func (q query) recall(mask uint64) float64 {
	if q.total == 0 {
		return 0
	}
	sum := 0.0
	for ; mask != 0; mask &= mask - 1 {
		sum += q.weight[bits.TrailingZeros64(mask)]
	}
	return sum / q.total
}

// masks says for each sentence which terms of the query it has.
func (p *page) masks(q query) []uint64 {
	out := make([]uint64, len(p.sentences))
	for i, t := range q.terms {
		for _, s := range p.postings[t] {
			out[s] |= 1 << i
		}
	}
	return out
}

// all says which terms of the query the page has.
func (p *page) all(q query) uint64 {
	var mask uint64
	for i, t := range q.terms {
		if p.has(t) {
			mask |= 1 << i
		}
	}
	return mask
}

// terms are the terms of a text as the page has them: of irregular forms the one
// that stands for all.
func (p *page) terms(s string) []string {
	out := text.Terms(s, p.lang)
	if p.lang == "en" {
		for i, t := range out {
			out[i] = canon(t)
		}
	}
	return out
}

// stem is the same of a word.
func (p *page) stem(word string) string {
	s := text.Stem(word, p.lang)
	if p.lang == "en" {
		return canon(s)
	}
	return s
}

// has says whether the text or the title has a term.
func (p *page) has(term string) bool { return p.title[term] || len(p.postings[term]) > 0 }
