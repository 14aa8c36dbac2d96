package gather

// Spelling: a word of a question that no passage has, but for one letter, is taken for the word they have.

import (
	"slices"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// leastSpelled is the fewest letters of a word that is corrected: shorter ones are too often another word.
const leastSpelled = 5

// lexis are the words of passages, with how many passages have them.
type lexis map[string]int

func vocabulary(hits []plumb.Hit) lexis {
	v := lexis{}
	for _, h := range hits {
		seen := map[string]bool{}
		for _, t := range text.Tokens(h.Source.Title + "\n" + h.Heading + "\n" + h.Text) {
			if !seen[t.Text] {
				seen[t.Text] = true
				v[t.Text]++
			}
		}
	}
	return v
}

// spelled is w, or the commonest word one slip of the pen away when no passage has w or a form of it.
func (v lexis) spelled(w string) string {
	if v[w] > 0 || len([]rune(w)) < leastSpelled || coded(w) {
		return w
	}
	best := w
	for o, n := range v {
		if o[0] == w[0] && related(text.Stem(w, "en"), text.Stem(o, "en")) > 0 {
			return w
		}
		if (best == w || n > v[best] || n == v[best] && o < best) && o[0] == w[0] && slip([]rune(w), []rune(o)) {
			best = o
		}
	}
	return best
}

// corrected is a question with such words put right.
func (v lexis) corrected(question, lang string) string {
	toks := text.Tokens(question)
	for i := len(toks) - 1; i >= 0; i-- {
		t := toks[i]
		if text.Stopword(t.Text, lang) || capitalised(t.Span.Of(question)) && i > 0 {
			continue
		}
		if w := v.spelled(t.Text); w != t.Text {
			question = question[:t.Span.Start] + w + question[t.Span.End:]
		}
	}
	return question
}

// slip says whether two words differ by one letter that is wrong, missing, too many, or in its neighbour's place, but not
// by their last letter, which inflects.
func slip(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	switch len(b) - len(a) {
	case 0:
		if n >= len(a)-1 {
			return false
		}
		return slices.Equal(a[n+1:], b[n+1:]) || a[n] == b[n+1] && a[n+1] == b[n] && slices.Equal(a[n+2:], b[n+2:])
	case 1:
		return n < len(a) && slices.Equal(a[n:], b[n+1:])
	}
	return false
}
