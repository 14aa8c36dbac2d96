package search

// What title and snippet of a lead say for it: the words of the query, and facts rather than advertising.

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/text"
)

// inSnippet is what a word of the query counts in the snippet, against 1 in the title.
const inSnippet = 0.7

// terms are the stems of the query's content words, each once.
func terms(s, lang string) []string {
	out := text.Terms(s, lang)
	slices.Sort(out)
	return slices.Compact(out)
}

// relevance is the share of the query's terms in title and snippet, 0..1; 0.5 for a query without any.
func relevance(title, snippet string, terms []string, lang string) float64 {
	if len(terms) == 0 {
		return 0.5
	}
	inTitle, inText := set(text.Terms(title, lang)), set(text.Terms(snippet, lang))
	sum := 0.0
	for _, t := range terms {
		switch {
		case inTitle[t]:
			sum++
		case inText[t]:
			sum += inSnippet
		}
	}
	return sum / float64(len(terms))
}

func set(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[s] = true
	}
	return out
}

// vague are phrases that stand where facts could: each takes one away.
var vague = []string{"click here", "read more", "learn more", "find out", "everything you need to know", "ultimate guide", "best practices",
	"sign up", "subscribe", "cookies", "log in", "you won't believe", "top 10", "some experts say", "many people", "various factors"}

// halfSpecific is how many facts make a snippet half as specific as one can be.
const halfSpecific = 3

// specificity grades a snippet by its numbers, dates and names, 0..1.
func specificity(snippet string) float64 {
	facts := len(text.Quantities(snippet)) + names(snippet)
	folded := text.Fold(snippet)
	for _, v := range vague {
		if strings.Contains(folded, v) {
			facts--
		}
	}
	if facts <= 0 {
		return 0
	}
	return float64(facts) / float64(facts+halfSpecific)
}

// names counts words with a capital inside a sentence, runs of them once.
func names(s string) int {
	n := 0
	inside, before := false, false
	for _, w := range strings.Fields(s) {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, `"'(“‘[`))
		capital := unicode.IsUpper(first)
		if capital && inside && !before {
			n++
		}
		before = capital && inside
		inside = !strings.ContainsAny(w[len(w)-1:], ".!?:…")
	}
	return n
}
