package text

// Views: the content words, names, qualifications and quantities of a sentence,
// for finding clashes.

import (
	"slices"
	"strings"
	"unicode"
)

// view is what of a sentence a comparison looks at.
type view struct {
	s      string
	tokens []Token
	stems  []string // of content words, "" for other tokens
	name   []bool   // capitalised within the sentence
	frame  map[string]bool
	neg    []int      // tokens that negate
	dates  []Quantity // in order
	others []Quantity // quantities that are no dates, in order
}

func see(s, lang string, qs []Quantity) view {
	v := view{s: s, tokens: Tokens(s), frame: map[string]bool{}}
	v.stems, v.name = make([]string, len(v.tokens)), make([]bool, len(v.tokens))
	for _, q := range qs {
		if q.Kind == KindDate {
			v.dates = append(v.dates, q)
		} else {
			v.others = append(v.others, q)
		}
	}
	next := 0 // quantity that may cover the token
	for i, t := range v.tokens {
		for next < len(qs) && qs[next].Span.End <= t.Span.Start {
			next++
		}
		switch {
		case next < len(qs) && qs[next].Span.Start < t.Span.End:
		case negations[t.Text]:
			v.neg = append(v.neg, i)
		case frameWords[t.Text]:
			v.frame[t.Text] = true
		case Stopword(t.Text, lang), neutralWords[t.Text]:
		default:
			stem := Stem(t.Text, lang)
			if c := sameMeaning[stem]; c != "" {
				stem = c
			}
			v.stems[i] = stem
			v.name[i] = i > 0 && unicode.IsUpper(firstRune(t.Span.Of(s)))
		}
	}
	return v
}

// mainClause cuts a sentence before the conjunction of its second clause. What is
// left keeps its offsets.
func (v view) mainClause() view {
	for i := 3; i < len(v.tokens); i++ {
		if !clauseWords[v.tokens[i].Text] || v.tokens[i].Text == "and" && !strings.Contains(v.s[v.tokens[i-1].Span.End:v.tokens[i].Span.Start], ",") {
			continue
		}
		cut := v.tokens[i].Span.Start
		if covered(v.tokens[i].Span, v.dates) || covered(v.tokens[i].Span, v.others) {
			continue
		}
		before := func(q Quantity) bool { return q.Span.End > cut }
		w := view{s: v.s, tokens: v.tokens[:i], stems: v.stems[:i], name: v.name[:i], frame: map[string]bool{}}
		w.dates = slices.DeleteFunc(slices.Clone(v.dates), before)
		w.others = slices.DeleteFunc(slices.Clone(v.others), before)
		for k, t := range w.tokens {
			if v.frame[t.Text] {
				w.frame[t.Text] = true
			}
			if slices.Contains(v.neg, k) {
				w.neg = append(w.neg, k)
			}
		}
		return w
	}
	return v
}

func covered(s Span, qs []Quantity) bool {
	for _, q := range qs {
		if q.Span.Start < s.End && s.Start < q.Span.End {
			return true
		}
	}
	return false
}

func contentOf(v view) []string {
	var out []string
	for _, s := range v.stems {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// stemSet maps the stems of v to whether they name something: capitalised, or
// with a digit.
func stemSet(v view) map[string]bool {
	set := map[string]bool{}
	for i, s := range v.stems {
		if s != "" {
			set[s] = set[s] || v.name[i] || strings.ContainsAny(s, "0123456789")
		}
	}
	return set
}

func extras(v view, other map[string]bool) []int {
	var out []int
	for i, s := range v.stems {
		if _, ok := other[s]; s != "" && !ok {
			out = append(out, i)
		}
	}
	return out
}

// inserted says whether a span stands between commas or brackets that do not
// begin the sentence, with no other quantity in between.
func (v view) inserted(s Span) bool {
	before := strings.LastIndexAny(v.s[:s.Start], ",(")
	after := strings.IndexAny(v.s[s.End:], ",)")
	if before <= 0 || after < 0 {
		return false
	}
	return !covered(Span{before, s.End + after}, v.others)
}

// context returns the content words to which a quantity belongs: the nearest one
// before it, or the first of the sentence when is, was, are or were comes between,
// and the nearest behind it, both within 5 tokens.
func (v view) context(q Quantity) (before, after string) {
	first, last := v.tokensOf(q)
	for i := first - 1; i >= 0 && i >= first-5 && before == ""; i-- {
		before = v.stems[i]
		switch v.tokens[i].Text {
		case "is", "was", "are", "were":
			before = contentOf(v)[0]
		}
	}
	for i := last; i < len(v.tokens) && i < last+5 && after == ""; i++ {
		after = v.stems[i]
	}
	return before, after
}

// tokensOf gives the range of tokens that a quantity covers.
func (v view) tokensOf(q Quantity) (first, last int) {
	for first < len(v.tokens) && v.tokens[first].Span.End <= q.Span.Start {
		first++
	}
	last = first
	for last < len(v.tokens) && v.tokens[last].Span.Start < q.Span.End {
		last++
	}
	return first, last
}

// nearAny says whether one of the tokens stands within a distance of the quantity
// and not in an insertion of its own.
func (v view) nearAny(q Quantity, tokens []int, distance int) bool {
	first, last := v.tokensOf(q)
	for _, i := range tokens {
		if i >= first-distance && i < last+distance && !v.inserted(v.tokens[i].Span) {
			return true
		}
	}
	return false
}

// phrase is a quantity as people read it, comparator included.
func (v view) phrase(q Quantity) string {
	s := strings.Join(strings.Fields(q.Span.Of(v.s)), " ")
	if q.Comparator != "" {
		return q.Comparator + " " + s
	}
	return s
}

// preposition is by, to or from before a quantity: a rise by 5 % is not one to 5 %.
func (v view) preposition(q Quantity) string {
	first, _ := v.tokensOf(q)
	if first > 0 {
		switch w := v.tokens[first-1].Text; w {
		case "by", "to", "from":
			return w
		}
	}
	return ""
}
