// Names that were exchanged: a claim that says of one name what the source says of
// another. The words are then all in the source, only not together.

package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/text"
)

const (
	placeWindows = 6    // windows whose sentences are looked at
	placeReach   = 6    // tokens on each side of a name in which its place is recognised
	placeCarry   = 0.5  // share of the claim's other words that the sentence must have
	placeMargin  = 0.15 // by how much more it must have than the best sentence with the claim's own name
)

// named is a run of tokens that is a name: capitalised words, with what joins
// them and a number behind them (Pier 4).
type named struct {
	from, to int
	telling  []string // stems of those that tell it from other names
}

// worded is a sentence as misnamed sees it.
type worded struct {
	s      string
	tokens []text.Token
	stems  []string
	has    map[string]bool
	names  []named
}

// misnamed says which name of the claim stands where the source has another one,
// "" when nothing shows that. It looks at the sentences that carry the rest of the
// claim. In German every noun has a capital; in scripts without capitals nothing does.
func (p *page) misnamed(s statement, ws []window) string {
	if p.lang == "de" {
		return ""
	}
	claim := p.worded(s.text)
	if len(claim.names) == 0 {
		return ""
	}
	sentences := p.sentencesOf(ws[:min(len(ws), placeWindows)])
	for _, n := range claim.names {
		if len(n.telling) == 0 {
			continue
		}
		if other := p.inPlaceOf(claim, n, sentences); other != "" {
			return fmt.Sprintf("the passage has %s where the claim has %s", clip(other, 50), clip(claim.of(n), 50))
		}
	}
	return ""
}

// inPlaceOf is the name that a sentence has in the place of n: the words around it
// are those around n, the sentence has most of the claim, and none that has n has
// nearly as much of it.
func (p *page) inPlaceOf(claim worded, n named, sentences []worded) string {
	own, best := 0.0, 0.0
	other := ""
	for _, w := range sentences {
		carried := p.carried(claim, n, w)
		if slices.ContainsFunc(n.telling, func(t string) bool { return w.has[t] }) {
			own = max(own, carried)
			continue
		}
		if carried < placeCarry || carried <= best {
			continue
		}
		for _, m := range w.names {
			if claim.rival(n, w, m) && claim.samePlace(n, w, m) {
				other, best = w.of(m), carried
				break
			}
		}
	}
	if best < own+placeMargin {
		return ""
	}
	return other
}

// carried is the share of the claim's other content words, by weight, that a
// sentence has; those near the name count twice.
func (p *page) carried(claim worded, n named, w worded) float64 {
	all, found := 0.0, 0.0
	for i, stem := range claim.stems {
		if stem == "" || i >= n.from && i < n.to {
			continue
		}
		weight := prior(stem)
		if i >= n.from-placeReach && i < n.to+placeReach {
			weight *= 2
		}
		all += weight
		if w.has[stem] {
			found += weight
		}
	}
	if all == 0 {
		return 0
	}
	return found / all
}

// rival says whether m of a sentence is another name than n, and not one that the
// claim has elsewhere.
func (w worded) rival(n named, o worded, m named) bool {
	if len(m.telling) == 0 || slices.ContainsFunc(m.telling, func(t string) bool { return w.has[t] }) {
		return false
	}
	a, b := w.of(n), o.of(m)
	if short(a, b) || short(b, a) {
		return false
	}
	for _, x := range n.telling {
		if slices.ContainsFunc(m.telling, func(y string) bool { return likeness(x, y) > 0.6 }) {
			return false
		}
	}
	// A number is exchanged for a number: Pier 5 for Pier 4.
	return digit(n.telling[0]) == digit(m.telling[0])
}

func digit(s string) bool { return s[0] >= '0' && s[0] <= '9' }

// short says whether a is made of the initials of b.
func short(a, b string) bool {
	if strings.ContainsRune(a, ' ') || strings.ToUpper(a) != a {
		return false
	}
	initials := ""
	for _, w := range strings.FieldsFunc(b, func(r rune) bool { return r == ' ' || r == '-' }) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
			initials += string(r)
		}
	}
	return len(a) > 1 && (strings.Contains(initials, a) || strings.HasPrefix(a, initials) && len(initials) > 1)
}

// samePlace says whether the words around m are those around n: one content word at
// least, on both sides, or on one side while on the other neither has any.
func (w worded) samePlace(n named, o worded, m named) bool {
	left, leftOpen := near(w.stems[max(n.from-placeReach, 0):n.from], o.stems[max(m.from-placeReach, 0):m.from])
	right, rightOpen := near(w.stems[n.to:min(n.to+placeReach, len(w.stems))], o.stems[m.to:min(m.to+placeReach, len(o.stems))])
	return (left && right || left && rightOpen || right && leftOpen) && w.sameNeighbour(n, o, m)
}

// sameNeighbour says whether the token right before or right behind both is the same, or
// both begin or end their sentence.
func (w worded) sameNeighbour(n named, o worded, m named) bool {
	at := func(w worded, i int) string {
		if i < 0 || i >= len(w.tokens) {
			return ""
		}
		return w.tokens[i].Text
	}
	return at(w, n.from-1) == at(o, m.from-1) || at(w, n.to) == at(o, m.to)
}

// near says whether two stretches share a content word, and whether one has none.
func near(a, b []string) (shared, open bool) {
	has := func(s []string) bool { return slices.ContainsFunc(s, func(t string) bool { return t != "" }) }
	for _, t := range a {
		if t != "" && slices.Contains(b, t) {
			return true, false
		}
	}
	return false, !has(a) || !has(b)
}

func (w worded) of(n named) string { return w.s[w.tokens[n.from].Span.Start:w.tokens[n.to-1].Span.End] }

// sentencesOf are the single sentences of windows, each once.
func (p *page) sentencesOf(ws []window) []worded {
	var spans []text.Span
	for _, w := range ws {
		i, _ := slices.BinarySearchFunc(p.sentences, w.span.Start, func(a text.Span, b int) int { return a.Start - b })
		for ; i < len(p.sentences) && p.sentences[i].End <= w.span.End; i++ {
			if !slices.Contains(spans, p.sentences[i]) {
				spans = append(spans, p.sentences[i])
			}
		}
	}
	out := make([]worded, len(spans))
	for i, s := range spans {
		out[i] = p.worded(s.Of(p.text))
	}
	return out
}

func (p *page) worded(s string) worded {
	w := worded{s: s, tokens: text.Tokens(s), has: map[string]bool{}}
	w.stems = make([]string, len(w.tokens))
	for i, t := range w.tokens {
		if !text.Stopword(t.Text, p.lang) {
			w.stems[i] = text.Stem(t.Text, p.lang)
			w.has[w.stems[i]] = true
		}
	}
	for i := 0; i < len(w.tokens); {
		j := w.nameEnd(i)
		if j == i {
			i++
			continue
		}
		n := named{from: i, to: j}
		for k := i; k < j; k++ {
			if digit(w.word(k)) {
				n.telling = []string{w.stems[k]}
			} else if p.tells(w, k, j-i) {
				n.telling = append(n.telling, w.stems[k])
			}
		}
		w.names = append(w.names, n)
		i = j
	}
	return w
}

var nameJoins = wordSet(`of the for de du von van la le and`)

// nameEnd is the end of the name that begins with token i, i where none does.
func (w worded) nameEnd(i int) int {
	if !upper(w.word(i)) || w.stems[i] == "" || noOther.MatchString(w.word(i)) || weekdays[w.tokens[i].Text] {
		return i
	}
	end := i + 1
	for end < len(w.tokens) && w.gap(end) {
		next := w.word(end)
		if upper(next) && w.stems[end] != "" {
			end++
			continue
		}
		if digit(next) && len(next) < 4 && end == i+1 {
			return end + 1
		}
		k := end
		if i == 0 && end == 1 { // "Reopening the Aldra Line"
			break
		}
		for k < len(w.tokens) && k < end+2 && nameJoins[w.tokens[k].Text] && w.tokens[k].Text != "and" && w.gap(k) {
			k++
		}
		if k == end || k >= len(w.tokens) || !w.gap(k) || !upper(w.word(k)) || w.stems[k] == "" {
			break
		}
		end = k + 1
	}
	return end
}

var weekdays = wordSet(`monday tuesday wednesday thursday friday saturday sunday`)

// gap says whether only a space stands before token i.
func (w worded) gap(i int) bool {
	between := w.s[min(w.tokens[i-1].Span.End, w.tokens[i].Span.Start):w.tokens[i].Span.Start]
	return between == " " || between == "-" || between == " & " || between == ""
}

func (w worded) word(i int) string { return w.tokens[i].Span.Of(w.s) }

var titles = wordSet(`mr mrs ms dr prof professor sir dame lord lady mayor councillor president minister chancellor senator governor king queen
	prince princess captain general judge city saint st director chair chief head engineer inspector`)

// tells says whether token i tells a name of size tokens from others: it is no title and no
// word that the source also writes small, as the Dam of "Aldra Dam". What begins a sentence
// alone is a name if the source has it with a capital inside a sentence, or not at all and
// a verb follows it.
func (p *page) tells(w worded, i, size int) bool {
	word := w.word(i)
	switch {
	case w.stems[i] == "" || titles[w.tokens[i].Text]:
		return false
	case i == 0 && size == 1 && !inside(p.text, word):
		return !strings.Contains(p.text, word) && !strings.HasSuffix(word, "s") && opening.MatchString(w.s)
	}
	low := strings.ToLower(word)
	return capitalised.MatchString(word) && !strings.Contains(p.text, " "+low) && !strings.Contains(w.s, " "+low)
}

var opening = regexp.MustCompile(`^\S+\s+` + verb + `\s`)

// inside says whether a word stands in a text behind a small letter or a comma.
func inside(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], " "+word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(s[:from+i])
		if unicode.IsLower(before) || before == ',' {
			return true
		}
		from += i + 1
	}
}
