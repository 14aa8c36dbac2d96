// The features of the embedded judge. A model over them sees nothing else.

package verify

import (
	"math"
	"strings"
)

// feature is a number read off a claim beside a page. sign says that support
// can only grow (+1) or fall (-1) with it.
type feature struct {
	name, group string
	sign        int
	of          func(*sight) float64
}

var features = []feature{
	{"window", "recall", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return truth(t.window) }) }},
	{"page", "recall", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return truth(t.page) }) }},
	{"near", "recall", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return t.near }) }},
	{"window, rare in page", "recall", +1, func(g *sight) float64 { return g.best.recall }},
	{"page, rare in page", "recall", +1, func(g *sight) float64 { return g.q.recall(g.p.all(g.q)) }},
	{"sentence", "recall", +1, (*sight).sentence},
	{"three windows", "recall", +1, (*sight).threeWindows},
	{"window, each 1", "recall", +1, func(g *sight) float64 { return float64(ones(g.best.mask)) / float64(max(len(g.terms), 1)) }},
	{"page, each 1", "recall", +1, func(g *sight) float64 { return float64(ones(g.p.all(g.q))) / float64(max(len(g.terms), 1)) }},
	{"lost", "recall", -1, func(g *sight) float64 { return g.lost(func(t *term) bool { return !t.window }) }},
	{"lost in page", "recall", -1, func(g *sight) float64 { return g.lost(func(t *term) bool { return !t.page }) }},
	{"rarest lost", "recall", -1, func(g *sight) float64 { return g.rarest(func(t *term) bool { return !t.window }) }},
	{"rarest lost in page", "recall", -1, func(g *sight) float64 { return g.rarest(func(t *term) bool { return !t.page }) }},
	{"second window", "recall", 0, (*sight).secondWindow},
	{"precision", "recall", 0, (*sight).precision},

	{"soft window", "soft", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return t.soft }) }},
	{"soft page", "soft", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return t.softer }) }},
	{"letters", "soft", +1, func(g *sight) float64 { return gramRecall(g.s.text, g.passage) }},

	{"pairs", "phrase", +1, (*sight).pairs},
	{"pairs in page", "phrase", +1, (*sight).pairsInPage},
	{"order", "phrase", +1, (*sight).inOrder},
	{"longest run", "phrase", +1, (*sight).longestRun},
	{"scatter", "phrase", -1, (*sight).scatter},

	{"worst clause", "clause", +1, func(g *sight) float64 { return g.worstClause(false) }},
	{"worst clause in page", "clause", +1, func(g *sight) float64 { return g.worstClause(true) }},
	{"first third", "clause", +1, func(g *sight) float64 { return g.third(0) }},
	{"middle third", "clause", +1, func(g *sight) float64 { return g.third(1) }},
	{"last third", "clause", +1, func(g *sight) float64 { return g.third(2) }},
	{"first term", "clause", +1, func(g *sight) float64 { return g.firstTerm() }},

	{"numbers", "number", 0, func(g *sight) float64 { return float64(min(len(g.s.quantities), 4)) }},
	{"numbers lost", "number", -1, func(g *sight) float64 { return share(len(g.best.missing), len(g.s.quantities)) }},
	{"number lost", "number", -1, func(g *sight) float64 { return float64(min(len(g.best.missing), 3)) }},
	{"numbers lost in windows", "number", -1, func(g *sight) float64 {
		return share(len(g.p.missingFromAll(g.s, g.ws[:min(len(g.ws), maxPassages)])), len(g.s.quantities))
	}},
	{"numbers lost in page", "number", -1, func(g *sight) float64 {
		return float64(min(len(g.p.absentFromPage(g.s.quantities)), 3))
	}},
	{"dates lost", "number", -1, (*sight).datesLost},
	{"other number", "number", -1, (*sight).otherNumber},
	{"comparator", "number", -1, (*sight).comparator},
	{"digits lost", "number", -1, (*sight).digitsLost},

	{"numbers not admitted", "number", -1, func(g *sight) float64 { return float64(min(g.unadmitted(g.p.quantitiesIn(g.best.span)), 3)) }},
	{"numbers not admitted in page", "number", -1, func(g *sight) float64 { return float64(min(g.unadmitted(g.p.quantities), 3)) }},
	{"next number", "number", 0, (*sight).nextNumber},
	{"plain numbers", "number", 0, func(g *sight) float64 { return g.plain() }},
	{"number words lost", "number", -1, func(g *sight) float64 { return g.numbersLost() }},

	{"same noun, other number", "number", -1, func(g *sight) float64 { other, _ := g.counted(); return other }},
	{"same noun, same number", "number", +1, func(g *sight) float64 { _, same := g.counted(); return same }},
	{"late dates lost", "number", -1, (*sight).lateDatesLost},

	{"names", "name", 0, func(g *sight) float64 { return float64(min(g.count(func(t *term) bool { return t.name }), 6)) }},
	{"names lost", "name", -1, func(g *sight) float64 {
		return share(g.count(func(t *term) bool { return t.name && !t.window && t.soft < 0.8 }), g.count(func(t *term) bool { return t.name }))
	}},
	{"names lost in page", "name", -1, func(g *sight) float64 {
		return float64(min(g.count(func(t *term) bool { return t.name && !t.page && t.softer < 0.8 }), 3))
	}},
	{"words lost", "name", -1, func(g *sight) float64 {
		return share(g.count(func(t *term) bool { return !t.name && !t.number && !t.window }), g.count(func(t *term) bool { return !t.name && !t.number }))
	}},
	{"words lost in page", "name", -1, func(g *sight) float64 {
		return share(g.count(func(t *term) bool { return !t.name && !t.number && !t.page }), g.count(func(t *term) bool { return !t.name && !t.number }))
	}},

	{"negations differ", "polarity", -1, func(g *sight) float64 { return truth(g.claim.turns(g.other)%2 != g.other.turns(g.claim)%2) }},
	{"claim negated", "polarity", 0, func(g *sight) float64 { return cues(g.claim, turning) }},
	{"window negated", "polarity", 0, func(g *sight) float64 { return cues(g.other, turning) }},
	{"opposite", "polarity", -1, func(g *sight) float64 { return truth(g.claim.opposed(g.other)) }},
	{"extremes lost", "polarity", -1, func(g *sight) float64 { return g.cuesLost(extremes) }},
	{"relations lost", "polarity", -1, func(g *sight) float64 { return g.cuesLost(relations) }},
	{"hedged", "polarity", 0, func(g *sight) float64 { return cues(g.other, hedges) - cues(g.claim, hedges) }},

	{"exchanged", "kind", -1, (*sight).exchanged},
	{"rare lost", "recall", -1, func(g *sight) float64 {
		return share(g.count(func(t *term) bool { return t.rarity > 0.7 && !t.page }), g.count(func(t *term) bool { return t.rarity > 0.7 }))
	}},
	{"weighty pairs", "phrase", +1, (*sight).weightyPairs},

	{"kin window", "kin", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return truth(t.kin) }) }},
	{"kin page", "kin", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return truth(t.kinPage) }) }},
	{"kin lost", "kin", -1, func(g *sight) float64 { return g.lost(func(t *term) bool { return !t.kin }) }},
	{"kin lost in page", "kin", -1, func(g *sight) float64 { return g.lost(func(t *term) bool { return !t.kinPage }) }},
	{"rarest kin lost", "kin", -1, func(g *sight) float64 { return g.rarest(func(t *term) bool { return !t.kin }) }},
	{"kin soft window", "kin", +1, func(g *sight) float64 { return g.share(func(t *term) float64 { return max(t.soft, 0.8*truth(t.kin)) }) }},

	{"misnamed", "name", -1, func(g *sight) float64 { return truth(g.doubts.misnamed != "") }},
	{"strange", "name", -1, func(g *sight) float64 { return truth(g.doubts.strange != "") }},

	{"turned", "polarity", -1, func(g *sight) float64 { return truth(g.doubts.turned != "") }},

	{"vague", "claim", 0, func(g *sight) float64 { return cues(g.claim, vague) }},
	{"a or an", "claim", 0, func(g *sight) float64 { return cues(g.claim, articles) }},
	{"extremes", "claim", 0, func(g *sight) float64 { return cues(g.claim, extremes) }},
	{"pronouns", "claim", 0, func(g *sight) float64 { return cues(g.claim, pronouns) }},
	{"window pronouns", "claim", 0, func(g *sight) float64 { return cues(g.other, pronouns) }},
	{"rarity", "claim", 0, func(g *sight) float64 { return g.total / float64(max(len(g.terms), 1)) }},
	{"function words", "claim", 0, func(g *sight) float64 { return share(len(g.claim.words)-len(g.order), len(g.claim.words)) }},

	{"terms", "size", 0, func(g *sight) float64 { return math.Log(float64(1 + min(len(g.terms), 16))) }},
	{"sentences", "size", 0, func(g *sight) float64 { return math.Log(float64(min(len(g.p.sentences), 10))) }},
	{"letters of page", "size", 0, func(g *sight) float64 { return math.Log(float64(min(max(len(g.p.text), 50), 2500))) }},
	{"clauses", "size", 0, func(g *sight) float64 { return float64(min(len(g.clauses), 5)) }},
	{"window size", "size", 0, func(g *sight) float64 { return math.Log(float64(1 + min(len(g.there), 40))) }},
}

// measure gives the features of a claim beside a page.
func (g *sight) measure() []float64 {
	out := make([]float64, len(features))
	for i, f := range features {
		out[i] = f.of(g)
	}
	return out
}

func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func (g *sight) count(f func(*term) bool) int {
	n := 0
	for i := range g.terms {
		if f(&g.terms[i]) {
			n++
		}
	}
	return n
}

// lost is the weight, not the share, of the terms that f picks: in a long claim
// one lost word is as bad as in a short one.
func (g *sight) lost(f func(*term) bool) float64 {
	sum := 0.0
	for i := range g.terms {
		if f(&g.terms[i]) {
			sum += g.terms[i].weight
		}
	}
	return min(sum, 6)
}

func (g *sight) rarest(f func(*term) bool) float64 {
	best := 0.0
	for i := range g.terms {
		if f(&g.terms[i]) {
			best = max(best, g.terms[i].weight)
		}
	}
	return best
}

// sentence is the recall of the best single sentence.
func (g *sight) sentence() float64 {
	best := 0.0
	for _, w := range g.ws {
		if !w.pair {
			best = max(best, g.among(^uint64(0), w.mask))
		}
	}
	return best
}

func (g *sight) threeWindows() float64 {
	var all uint64
	for _, w := range g.ws[:min(len(g.ws), maxPassages)] {
		all |= w.mask
	}
	return g.among(^uint64(0), all)
}

// secondWindow is the recall of the next window that does not overlap the best.
func (g *sight) secondWindow() float64 {
	for _, w := range g.ws[1:] {
		if w.span.Start >= g.best.span.End || w.span.End <= g.best.span.Start {
			return g.among(^uint64(0), w.mask)
		}
	}
	return 0
}

// precision is how many of the window's words the claim has.
func (g *sight) precision() float64 {
	n := 0
	for _, t := range g.q.terms {
		n += len(g.at[t])
	}
	return share(n, len(g.there))
}

const pairReach = 3 // terms between the two of a pair in the window

// pairs is the share of neighbouring terms of the claim that are near each other
// in the window too.
func (g *sight) pairs() float64 {
	n, found := 0, 0
	for i := 1; i < len(g.order); i++ {
		n++
		a, b := g.at[g.q.terms[g.order[i-1]]], g.at[g.q.terms[g.order[i]]]
		if together(a, b) {
			found++
		}
	}
	if n == 0 {
		return truth(g.best.mask != 0)
	}
	return share(found, n)
}

func together(a, b []int) bool {
	for _, x := range a {
		for _, y := range b {
			if d := y - x; d >= -pairReach && d <= pairReach {
				return true
			}
		}
	}
	return false
}

// pairsInPage is the share of neighbouring terms that some sentence has both of.
func (g *sight) pairsInPage() float64 {
	n, found := 0, 0
	for i := 1; i < len(g.order); i++ {
		pair := uint64(1)<<g.order[i-1] | 1<<g.order[i]
		n++
		for _, m := range g.masks {
			if m&pair == pair {
				found++
				break
			}
		}
	}
	if n == 0 {
		return 1
	}
	return share(found, n)
}

// inOrder is the longest common subsequence of claim and window in terms, as a
// share of the claim.
func (g *sight) inOrder() float64 {
	row := make([]int, len(g.there)+1)
	for _, i := range g.order {
		stem, diagonal := g.q.terms[i], 0
		for j, w := range g.there {
			above := row[j+1]
			if w == stem {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return share(row[len(g.there)], len(g.order))
}

// longestRun of terms of the claim that stand in the window one behind the other.
func (g *sight) longestRun() float64 {
	best := 0
	row := make([]int, len(g.there)+1)
	for _, i := range g.order {
		stem, diagonal := g.q.terms[i], 0
		for j, w := range g.there {
			above := row[j+1]
			row[j+1] = 0
			if w == stem {
				row[j+1] = diagonal + 1
				best = max(best, row[j+1])
			}
			diagonal = above
		}
	}
	return share(best, len(g.order))
}

// scatter is how far apart the window's terms of the claim lie.
func (g *sight) scatter() float64 {
	first, last, n := len(g.there), -1, 0
	for _, t := range g.q.terms {
		if at := g.at[t]; len(at) > 0 {
			first, last, n = min(first, at[0]), max(last, at[0]), n+1
		}
	}
	if n < 2 {
		return 3
	}
	return math.Log(float64(last-first+1) / float64(n))
}

// worstClause is the recall of the clause that is found least, each in the window
// that has most of it or in the whole page.
func (g *sight) worstClause(page bool) float64 {
	worst := 1.0
	all := g.p.all(g.q)
	for _, c := range g.clauses {
		best := 0.0
		if page {
			best = g.among(c, all)
		} else {
			for _, w := range g.ws[:min(len(g.ws), maxPassages)] {
				best = max(best, g.among(c, w.mask))
			}
		}
		worst = min(worst, best)
	}
	return worst
}

// third is the recall of a third of the claim in the window.
func (g *sight) third(k int) float64 {
	var mask uint64
	n := len(g.order)
	for _, i := range g.order[k*n/3 : (k+1)*n/3] {
		mask |= 1 << i
	}
	return g.among(mask, g.best.mask)
}

func (g *sight) firstTerm() float64 {
	if len(g.order) == 0 {
		return 0
	}
	return g.terms[g.order[0]].near
}

var (
	extremes = wordSet(`only first last all every never always most least best worst highest lowest largest smallest oldest youngest longest
		shortest entire entirely completely fully none no sole solely exclusively any both unique never mainly primarily majority`)
	relations = wordSet(`because due therefore cause causes caused led leads after before during until since despite although while instead than
		without against between through into under over`)
	vague    = wordSet(`many several multiple various some different numerous few lot lots over more about around nearly almost often sometimes generally usually other others`)
	articles = wordSet(`a an`)
	pronouns = wordSet(`he she it they his her its their him them this these`)
	hedges   = wordSet(`may might could possibly perhaps suggest suggests suggested likely probably appears seems reportedly allegedly estimated some`)
)

func cues(p poles, set map[string]bool) float64 {
	n := 0
	for _, w := range p.words {
		if set[w] {
			n++
		}
	}
	return float64(min(n, 3))
}

// cuesLost counts the claim's words of a set that the window lacks.
func (g *sight) cuesLost(set map[string]bool) float64 {
	n := 0
	for i, w := range g.claim.words {
		if set[w] && !g.other.has[g.claim.stems[i]] {
			n++
		}
	}
	return float64(min(n, 3))
}

// opposed: the other text has the opposite of a word that only this one has.
func (p poles) opposed(other poles) bool {
	for _, s := range p.stems {
		if other.has[s] {
			continue
		}
		for _, o := range opposites[s] {
			if other.has[o] && !p.has[o] {
				return true
			}
		}
	}
	return false
}

const gramSize = 4

// gramRecall is the share of the claim's runs of 4 letters that a passage has.
func gramRecall(claim, passage string) float64 {
	a, b := strings.ToLower(claim), strings.ToLower(passage)
	have := make(map[string]bool, len(b))
	for i := 0; i+gramSize <= len(b); i++ {
		have[b[i:i+gramSize]] = true
	}
	n, found := 0, 0
	for i := 0; i+gramSize <= len(a); i++ {
		n++
		if have[a[i:i+gramSize]] {
			found++
		}
	}
	return share(found, n)
}

func (g *sight) weightyPairs() float64 {
	all, found := 0.0, 0.0
	for i := 1; i < len(g.order); i++ {
		a, b := g.order[i-1], g.order[i]
		w := g.terms[a].weight * g.terms[b].weight
		all += w
		if together(g.at[g.q.terms[a]], g.at[g.q.terms[b]]) {
			found += w
		}
	}
	if all == 0 {
		return 1
	}
	return found / all
}
