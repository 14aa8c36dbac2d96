// A claim laid beside a page: which of its words, phrases, clauses, numbers and
// names are where. The features of the embedded judge are read off it.

package verify

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/text"
)

// term is one of the claim's content terms.
type term struct {
	stem    string
	rarity  float64 // in texts at large
	weight  float64 // rarity and its worth in the page
	window  bool    // the nearest window has it
	near    float64 // 1 in the nearest window, less the further away the next sentence is that has it, 0 nowhere
	page    bool
	soft    float64 // likeness of the likest word of the nearest window
	softer  float64 // and of the page
	kin     bool    // the nearest window has it or a synonym
	kinPage bool
	name    bool
	number  bool
	first   int // position of its first occurrence among the claim's terms
}

// sight is what features see.
type sight struct {
	p       *page
	s       statement
	q       query
	ws      []window
	best    window
	terms   []term
	order   []int    // the claim's terms in the order of the text, as indexes
	clauses []uint64 // terms of each clause
	there   []string // stems of the nearest window in order
	at      map[string][]int
	passage string
	masks   []uint64
	doubts  doubts
	middle  int // sentence that the nearest window begins with
	total   float64
	claim   poles
	other   poles
}

// look lays a claim beside a page. ws must not be empty.
func (p *page) look(s statement, q query, ws []window, d doubts, lex lexicon) *sight {
	g := &sight{p: p, s: s, q: q, ws: ws, doubts: d, best: ws[0], masks: p.masks(q), at: map[string][]int{}}
	g.passage = g.best.span.Of(p.text)
	g.middle, _ = slices.BinarySearchFunc(p.sentences, g.best.span.Start, func(a text.Span, b int) int { return a.Start - b })
	g.there = p.terms(g.passage)
	for i, t := range g.there {
		g.at[t] = append(g.at[t], i)
	}
	g.claim, g.other = polesOf(s.text), polesOf(g.passage)
	g.readClaim(lex)
	for i := range g.terms {
		t := &g.terms[i]
		g.total += t.weight
		t.window = g.best.mask&(1<<i) != 0
		t.page = p.has(t.stem)
		t.near = g.nearness(i)
		t.soft, t.softer = 1, 1
		t.kin, t.kinPage = t.window, t.page
		if !t.window {
			for _, k := range kin[t.stem] {
				t.kin = t.kin || len(g.at[k]) > 0
				t.kinPage = t.kinPage || p.has(k)
			}
			t.soft = g.likest(t.stem)
			t.softer = max(t.soft, t.near)
			if !t.page {
				t.softer = max(t.soft, p.likest(t.stem))
			}
		}
	}
	return g
}

var clauseWords = wordSet(`and or but which who whose whom where when while that because since although though after before until if as with by for`)

// readClaim fills in terms, order and clauses.
func (g *sight) readClaim(lex lexicon) {
	g.terms = make([]term, len(g.q.terms))
	for i, stem := range g.q.terms {
		r := lex.rarity(stem)
		g.terms[i] = term{stem: stem, rarity: r, weight: r * prior(stem), first: -1, number: stem[0] >= '0' && stem[0] <= '9'}
	}
	var clause uint64
	tokens := text.Tokens(g.s.text)
	for i, t := range tokens {
		word := t.Span.Of(g.s.text)
		cut := clauseWords[t.Text]
		if i > 0 && tokens[i-1].Span.End <= t.Span.Start { // pairs of characters overlap
			cut = cut || strings.ContainsAny(g.s.text[tokens[i-1].Span.End:t.Span.Start], ",;:.()—–，；。、")
		}
		if cut && ones(clause) >= 2 {
			g.clauses = append(g.clauses, clause)
			clause = 0
		}
		if text.Stopword(t.Text, g.p.lang) {
			continue
		}
		at := slices.Index(g.q.terms, g.p.stem(t.Text))
		if at < 0 {
			continue
		}
		if g.terms[at].first < 0 {
			g.terms[at].first = len(g.order)
		}
		if upper(word) && (i > 0 || len(tokens) > 1 && upper(tokens[1].Span.Of(g.s.text))) {
			g.terms[at].name = true
		}
		g.order = append(g.order, at)
		clause |= 1 << at
	}
	if clause != 0 {
		if n := len(g.clauses); ones(clause) < 2 && n > 0 {
			g.clauses[n-1] |= clause
		} else {
			g.clauses = append(g.clauses, clause)
		}
	}
}

func upper(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

func ones(mask uint64) int {
	n := 0
	for ; mask != 0; mask &= mask - 1 {
		n++
	}
	return n
}

// nearness of term i: 1 in the nearest window, halved with each further sentence.
func (g *sight) nearness(i int) float64 {
	if g.terms[i].window {
		return 1
	}
	best := 0.0
	if g.p.title[g.terms[i].stem] {
		best = 0.5
	}
	for _, s := range g.p.postings[g.terms[i].stem] {
		d := int(s) - g.middle
		if d < 0 {
			d = -d
		}
		best = max(best, 1/float64(1+d))
	}
	return max(best, 0)
}

// likest is the likeness of the window's word that is most like a stem.
func (g *sight) likest(stem string) float64 {
	best := 0.0
	for w := range g.at {
		best = max(best, likeness(stem, w))
	}
	return best
}

// likest is the same for the page.
func (p *page) likest(stem string) float64 {
	best := 0.0
	for w := range p.postings {
		if len(w) > 2 && len(stem) > 2 && w[0] == stem[0] {
			best = max(best, likeness(stem, w))
		}
	}
	return best
}

// likeness of two words by their letters: the share of both that they begin
// with alike, from 0 to 1. Words that share fewer than 4 letters are not alike.
func likeness(a, b string) float64 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < 4 {
		return 0
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}

// share is the part of the claim's weight that f gives.
func (g *sight) share(f func(t *term) float64) float64 {
	if g.total == 0 {
		return 0
	}
	sum := 0.0
	for i := range g.terms {
		sum += g.terms[i].weight * f(&g.terms[i])
	}
	return sum / g.total
}

// among is the same for the terms in mask, 1 where that is empty.
func (g *sight) among(mask, has uint64) float64 {
	all, found := 0.0, 0.0
	for i := range g.terms {
		if mask&(1<<i) == 0 {
			continue
		}
		all += g.terms[i].weight
		if has&(1<<i) != 0 {
			found += g.terms[i].weight
		}
	}
	if all == 0 {
		return 1
	}
	return found / all
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
