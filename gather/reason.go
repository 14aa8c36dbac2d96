package gather

// Reasons: a cause often stands in the sentence beside the one it explains, and has a cause of its own.

import (
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// mostPair is the most words of two sentences quoted together.
const mostPair = 60

// withCause pairs neighbouring sentences of a paragraph of which exactly one gives a cause.
func withCause(cs []candidate) []candidate {
	var out []candidate
	for i := 1; i < len(cs); i++ {
		a, b := &cs[i-1], &cs[i]
		if a.hit != b.hit || a.end > b.start || a.words+b.words > mostPair || a.fitness < 0.5 || b.fitness < 0.5 || gives(a.quote) == gives(b.quote) {
			continue
		}
		base := a.hit.Passage.Start
		if strings.Contains(a.hit.Text[a.end-base:b.start-base], "\n") {
			continue
		}
		pair := candidate{hit: a.hit, start: a.start, end: b.end, quote: a.hit.Text[a.start-base : b.end-base], words: a.words + b.words}
		pair.terms = slices.Concat(a.terms, b.terms)
		pair.quantities = text.Quantities(pair.quote)
		pair.fitness = 0.95 * min(a.fitness, b.fitness)
		out = append(out, pair)
	}
	return out
}

func gives(s string) bool { return becauseOf.MatchString(s) || discovery.MatchString(s) }

// sure is the score from which a reason is worth asking behind.
const sure = 0.7

// reason makes a topic of the cause that the best sentence names: behind "closed because a crack was found in hanger H7"
// stands why there was a crack in hanger H7.
func (f found) reason(tp topic, e plumb.Entity) (topic, bool) {
	for _, p := range f.picked {
		at := becauseOf.FindStringIndex(p.quote)
		if at == nil || p.score < sure {
			continue
		}
		clause, _, _ := strings.Cut(strings.TrimRight(p.quote[at[1]:], " .!"), ", ")
		var key []string
		for _, w := range contentWords(clause, f.lens.lang) {
			unknown := matched(text.Stem(w, f.lens.lang), f.lens.terms) == 0
			if unknown && strings.Trim(w, "0123456789.,") != "" && !discovery.MatchString(w) && !measured(clause, w) && len(key) < 3 {
				key = append(key, w)
			}
		}
		if len(key) < 2 {
			continue
		}
		words := strings.Join(key, " ")
		return topic{behind: true, area: tp.area, question: strings.TrimSpace(e.Name + " cause of " + words), queries: []string{words + " cause", strings.TrimSpace(e.Name + " " + words + " because")}}, true
	}
	return topic{}, false
}

// measured says whether a word is the unit of a quantity.
func measured(s, w string) bool {
	return slices.ContainsFunc(text.Quantities(s), func(q text.Quantity) bool { return strings.Contains(strings.ToLower(q.Span.Of(s)), w) })
}

// Sentences on the reason of a reason count for less, and are few.
const (
	behindShare = 0.8
	behindMost  = 6
	behindDeep  = 2 // how often it is asked on
)

// deepen adds the sentences of another look that name a cause.
func (f *found) deepen(more found, share float64) {
	n := 0
	for _, p := range more.picked {
		said := func(o pick) bool {
			return o.same(p) || sameStatement(o, p, f.lens.lang) || strings.Contains(words(o.quote), words(p.quote))
		}
		p.score *= share
		if i := slices.IndexFunc(f.picked, p.same); i >= 0 { // it answers this better than it answered the question itself
			f.picked[i].score = max(f.picked[i].score, p.score)
		}
		if n == behindMost || !gives(p.quote) && !ofCauses.MatchString(p.quote) || slices.ContainsFunc(f.picked, said) {
			continue
		}
		f.picked, n = append(f.picked, p), n+1
		if !slices.ContainsFunc(f.documents, func(s plumb.Source) bool { return s.Hash == p.hit.Source.Hash }) {
			f.documents = append(f.documents, p.hit.Source)
		}
	}
}
