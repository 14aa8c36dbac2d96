package rank

// BM25 over texts in memory, and the formula itself for indexes kept elsewhere.

import (
	"cmp"
	"math"
	"slices"
)

// The customary parameters: K1 says how soon a repeated word stops counting, B
// how much long texts are held back.
const (
	K1 = 1.2
	B  = 0.75
)

// IDF is the weight of a term that stands in df of n texts: 0 for none, and
// never negative, however common the term.
func IDF(df, n int) float64 {
	if df <= 0 || n <= 0 {
		return 0
	}
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// Saturate is the share of a term's IDF that a text of the given length earns
// with count occurrences; it approaches K1+1. Average is the mean length.
func Saturate(count, length, average float64) float64 {
	if count <= 0 {
		return 0
	}
	norm := 1.0
	if average > 0 {
		norm = 1 - B + B*length/average
	}
	return count * (K1 + 1) / (count + K1*norm)
}

// Scored is a text, by its index, with its score.
type Scored struct {
	Index int
	Score float64
}

// BM25 is an index over texts given as lists of terms.
type BM25 struct {
	lists   map[string][]occurrence
	lengths []float64
	average float64
}

type occurrence struct {
	doc   int
	count float64
}

// NewBM25 indexes docs; they are known by their position afterwards.
func NewBM25(docs [][]string) *BM25 {
	x := &BM25{lists: map[string][]occurrence{}, lengths: make([]float64, len(docs))}
	total := 0
	for i, terms := range docs {
		x.lengths[i] = float64(len(terms))
		total += len(terms)
		for _, t := range terms {
			l := x.lists[t]
			if n := len(l); n > 0 && l[n-1].doc == i {
				l[n-1].count++
				continue
			}
			x.lists[t] = append(l, occurrence{doc: i, count: 1})
		}
	}
	if len(docs) > 0 {
		x.average = float64(total) / float64(len(docs))
	}
	return x
}

// IDF is the weight of a term among the indexed texts.
func (x *BM25) IDF(term string) float64 { return IDF(len(x.lists[term]), len(x.lengths)) }

// Search returns the n best texts with at least one of the terms, best first,
// equal ones in the order of their indexes; all of them when n is 0. A term
// given twice counts once.
func (x *BM25) Search(terms []string, n int) []Scored {
	scores := make([]float64, len(x.lengths))
	for _, t := range distinct(terms) {
		idf := x.IDF(t)
		for _, o := range x.lists[t] {
			scores[o.doc] += idf * Saturate(o.count, x.lengths[o.doc], x.average)
		}
	}
	var out []Scored
	for i, s := range scores {
		if s > 0 {
			out = append(out, Scored{i, s})
		}
	}
	return best(out, n)
}

// Score is what Search gives text i for the terms.
func (x *BM25) Score(i int, terms []string) float64 {
	if i < 0 || i >= len(x.lengths) {
		return 0
	}
	score := 0.0
	for _, t := range distinct(terms) {
		l := x.lists[t]
		at, ok := slices.BinarySearchFunc(l, i, func(o occurrence, i int) int { return cmp.Compare(o.doc, i) })
		if ok {
			score += x.IDF(t) * Saturate(l[at].count, x.lengths[i], x.average)
		}
	}
	return score
}

// best sorts by score, then index, and keeps n; all when n is 0 or less.
func best(s []Scored, n int) []Scored {
	slices.SortFunc(s, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	if n > 0 && len(s) > n {
		s = s[:n]
	}
	return s
}

// distinct keeps the first of equal terms, in order.
func distinct(terms []string) []string {
	out := make([]string, 0, len(terms))
	for _, t := range terms {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
