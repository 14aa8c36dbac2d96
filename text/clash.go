package text

// Clashes: contradictions between two sentences, claimed only where they can be
// shown. The sentences must speak of the same thing: the same names, the same
// time, the same qualifications, and content words of which at most one side
// has some that the other lacks. Everything doubtful is left to judges that
// understand what they read.

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

func findClash(a, b view, lang string) *Clash {
	if isQuestion(a.s) || isQuestion(b.s) {
		return nil
	}
	m := match(a, b)
	if lang != "en" && (len(m.extraA)+len(m.extraB) > 0 || !sameWords(a, b)) {
		return nil // the lists of qualifying words are English
	}
	for _, find := range []func(view, view, matched) *Clash{numberClash, dateClash, negationClash, opposites, nameClash} {
		if c := find(a, b, m); c != nil {
			return c
		}
	}
	if lang != "en" {
		return nil
	}
	x, y := a.mainClause(), b.mainClause()
	return negationClash(x, y, match(x, y))
}

func isQuestion(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), "?") }

func sameFrame(a, b view) bool {
	if len(a.frame) != len(b.frame) {
		return false
	}
	for w := range a.frame {
		if !b.frame[w] {
			return false
		}
	}
	return true
}

// sameWords: the same tokens apart from those that quantities cover.
func sameWords(a, b view) bool {
	rest := func(v view) string {
		var out []string
		for _, t := range v.tokens {
			if !covered(t.Span, v.others) && !covered(t.Span, v.dates) && !negations[t.Text] {
				out = append(out, t.Text)
			}
		}
		return strings.Join(out, " ")
	}
	return rest(a) == rest(b)
}

// matched says how the content words of two sentences relate.
type matched struct {
	shared         int
	anchors        int   // shared names and identifiers
	extraA, extraB []int // tokens whose stem the other side lacks
	sameNames      bool
	sameOrder      bool // the shared stems stand in the same order, and nothing is extra
}

func match(a, b view) matched {
	inA, inB := stemSet(a), stemSet(b)
	m := matched{sameNames: true, extraA: extras(a, inB), extraB: extras(b, inA)}
	for stem, anchor := range inA {
		if other, ok := inB[stem]; ok {
			m.shared++
			if anchor || other {
				m.anchors++
			}
		}
	}
	for _, i := range m.extraA {
		m.sameNames = m.sameNames && !a.name[i]
	}
	for _, i := range m.extraB {
		m.sameNames = m.sameNames && !b.name[i]
	}
	m.sameOrder = len(m.extraA)+len(m.extraB) == 0 && strings.Join(contentOf(a), " ") == strings.Join(contentOf(b), " ")
	return m
}

// sameThing: both speak of the same thing. Words that only one side has may stand
// in the way of that, so they must be few and the subject the same.
func (m matched) sameThing(a, b view) bool {
	if !m.sameNames || len(m.extraA) > 0 && len(m.extraB) > 0 || len(a.neg) != len(b.neg) || !sameFrame(a, b) {
		return false
	}
	extra := len(m.extraA) + len(m.extraB)
	if extra == 0 {
		return m.shared >= 2
	}
	return m.shared >= 3 && extra*2 <= m.shared && contentOf(a)[0] == contentOf(b)[0]
}

// within: nearly all that one sentence says of a named thing stands in the other
// too.
func (m matched) within(a, b view) bool {
	if len(a.neg)+len(b.neg) > 0 || m.shared < 4 || m.anchors == 0 {
		return false
	}
	return a.fits(m.extraA, m.shared) || b.fits(m.extraB, m.shared)
}

// fits: few words are missing elsewhere, and no name.
func (v view) fits(extra []int, shared int) bool {
	for _, i := range extra {
		if v.name[i] && !v.partOfName(i, extra) {
			return false
		}
	}
	return len(extra)*4 <= shared
}

// partOfName says whether the name token i stands beside another capitalised word
// that both sides have: "Marrowgate Bridge" may be "the bridge" elsewhere.
func (v view) partOfName(i int, extra []int) bool {
	return i+1 < len(v.tokens) && v.name[i+1] && !slices.Contains(extra, i+1)
}

// numberClash: exactly one quantity of each differs and the words around agree,
// or, in sentences that differ more, one with the same word on either side.
func numberClash(a, b view, m matched) *Clash {
	if !sameTime(a, b) {
		return nil
	}
	restA, restB := missingQuantities(a.others, b.others), missingQuantities(b.others, a.others)
	var q, o Quantity
	switch {
	case m.sameThing(a, b) && len(restA) == 1 && len(restB) == 1:
		q, o = restA[0], restB[0]
		if !a.sameContext(q, b, o) || a.nearAny(q, m.extraA, 5) || b.nearAny(o, m.extraB, 5) {
			return nil
		}
	case m.within(a, b):
		var ok bool
		if q, o, ok = onlyPair(a, b, restA, restB); !ok || a.nearAny(q, m.extraA, 2) || b.nearAny(o, m.extraB, 2) {
			return nil
		}
	default:
		return nil
	}
	if q.Kind != o.Kind || !q.Comparable(o) || q.Admits(o) || a.preposition(q) != b.preposition(o) {
		return nil
	}
	return &Clash{Kind: "number", A: q.Span, B: o.Span, Reason: says(a.phrase(q), b.phrase(o))}
}

// onlyPair finds the one pair of quantities that have the same content words
// before and behind them and the same qualifications near by.
func onlyPair(a, b view, restA, restB []Quantity) (q, o Quantity, ok bool) {
	pairs := 0
	for _, x := range restA {
		for _, y := range restB {
			if !x.Comparable(y) {
				continue
			}
			if x.Admits(y) {
				return q, o, false
			}
			xb, xa := a.context(x)
			yb, ya := b.context(y)
			if xb != "" && xa != "" && xb == yb && xa == ya && sameFrameNear(a, x, b, y) {
				q, o = x, y
				pairs++
			}
		}
	}
	return q, o, pairs == 1
}

// sameFrameNear compares the qualifications within 6 tokens of two quantities.
func sameFrameNear(a view, q Quantity, b view, o Quantity) bool {
	near := func(v view, q Quantity) map[string]bool {
		first, last := v.tokensOf(q)
		set := map[string]bool{}
		for i := max(0, first-6); i < min(len(v.tokens), last+6); i++ {
			if w := v.tokens[i].Text; v.frame[w] {
				set[w] = true
			}
		}
		return set
	}
	return sameFrame(view{frame: near(a, q)}, view{frame: near(b, o)})
}

func says(a, b string) string { return fmt.Sprintf("one says %s, the other %s", a, b) }

// sameTime: every date of one is matched by one of the other. A date in an
// insertion ("the dam, finished in 1936, is") is no frame.
func sameTime(a, b view) bool {
	for _, q := range missingQuantities(a.dates, b.dates) {
		if len(b.dates) > 0 || !a.inserted(q.Span) {
			return false
		}
	}
	for _, q := range missingQuantities(b.dates, a.dates) {
		if len(a.dates) > 0 || !b.inserted(q.Span) {
			return false
		}
	}
	return true
}

// sameContext: what is counted must be the same word; for amounts with a unit one
// neighbour is enough.
func (v view) sameContext(q Quantity, w view, o Quantity) bool {
	vb, va := v.context(q)
	wb, wa := w.context(o)
	if q.Kind == KindNumber {
		if va != "" || wa != "" {
			return va == wa
		}
		return vb == wb && vb != ""
	}
	if va == "time" { // a share of an unnamed stretch of time
		return false
	}
	return vb != "" && vb == wb || va != "" && va == wa
}

// dateClash: one date of each differs, it is that of a thing that happens once,
// and all else agrees.
func dateClash(a, b view, m matched) *Clash {
	if !m.sameThing(a, b) || len(missingQuantities(a.others, b.others))+len(missingQuantities(b.others, a.others)) > 0 {
		return nil
	}
	restA, restB := missingQuantities(a.dates, b.dates), missingQuantities(b.dates, a.dates)
	if len(restA) != 1 || len(restB) != 1 || len(a.dates) != len(b.dates) {
		return nil
	}
	q, o := restA[0], restB[0]
	if q.Admits(o) || q.isPeriod() || o.isPeriod() || a.nearAny(q, m.extraA, 5) || b.nearAny(o, m.extraB, 5) {
		return nil
	}
	event := a.event(q)
	if event == "" || event != b.event(o) {
		return nil
	}
	return &Clash{Kind: "date", A: q.Span, B: o.Span, Reason: says(a.phrase(q), b.phrase(o))}
}

// event is the stem of the one-time event that a date belongs to: the last such
// word within 8 tokens before it, or behind it when the date opens the sentence.
func (v view) event(q Quantity) string {
	first, last := v.tokensOf(q)
	for i := first - 1; i >= 0 && i >= first-8; i-- {
		if eventStems[v.stems[i]] {
			return v.stems[i]
		}
	}
	if first > 2 {
		return ""
	}
	for i := last; i < len(v.tokens); i++ {
		if eventStems[v.stems[i]] {
			return v.stems[i]
		}
	}
	return ""
}

// agree: all quantities of both sides match.
func agree(a, b view) bool {
	return len(missingQuantities(a.others, b.others))+len(missingQuantities(b.others, a.others))+
		len(missingQuantities(a.dates, b.dates))+len(missingQuantities(b.dates, a.dates)) == 0
}

// negationClash: the same words in the same order, one of them negated once.
func negationClash(a, b view, m matched) *Clash {
	if len(a.neg)+len(b.neg) != 1 || !m.sameOrder || m.shared < 3 || !sameFrame(a, b) || !agree(a, b) {
		return nil
	}
	denying, other := a, b
	if len(b.neg) == 1 {
		denying, other = b, a
	}
	if !denying.plainNegation() {
		return nil
	}
	i := denying.neg[0] + 1
	for i < len(denying.stems) && denying.stems[i] == "" {
		i++
	}
	if i == len(denying.stems) {
		return nil
	}
	j := 0
	for j < len(other.stems) && other.stems[j] != denying.stems[i] {
		j++
	}
	no := Span{denying.tokens[denying.neg[0]].Span.Start, denying.tokens[i].Span.End}
	yes := other.tokens[j].Span
	c := &Clash{Kind: "negation", A: no, B: yes, Reason: says(fmt.Sprintf("%q", no.Of(denying.s)), fmt.Sprintf("%q", yes.Of(other.s)))}
	if len(b.neg) == 1 {
		c.A, c.B = yes, no
		c.Reason = says(fmt.Sprintf("%q", yes.Of(other.s)), fmt.Sprintf("%q", no.Of(denying.s)))
	}
	return c
}

// plainNegation excludes what negates only partly: "not only", "no longer",
// "not X but Y", "may not".
func (v view) plainNegation() bool {
	i := v.neg[0]
	if i+1 < len(v.tokens) && softNegation[v.tokens[i+1].Text] || i > 0 && softBefore[v.tokens[i-1].Text] {
		return false
	}
	for _, t := range v.tokens {
		if modalWords[t.Text] || t.Text == "but" || t.Text == "whether" || t.Text == "if" || t.Text == "unless" {
			return false
		}
	}
	return true
}

// opposites: the same sentence with one word against its opposite.
func opposites(a, b view, m matched) *Clash {
	if len(m.extraA) != 1 || len(m.extraB) != 1 || len(a.neg)+len(b.neg) > 0 || m.shared < 2 || !agree(a, b) || !sameFrame(a, b) {
		return nil
	}
	i, j := m.extraA[0], m.extraB[0]
	if !opposite[[2]string{a.stems[i], b.stems[j]}] || !sameBut(a, b, i, j) {
		return nil
	}
	x, y := a.tokens[i].Span, b.tokens[j].Span
	return &Clash{Kind: "negation", A: x, B: y, Reason: says(fmt.Sprintf("%q", x.Of(a.s)), fmt.Sprintf("%q", y.Of(b.s)))}
}

// sameBut: the same content words in the same order apart from tokens i and j.
func sameBut(a, b view, i, j int) bool {
	a.stems, b.stems = append([]string(nil), a.stems...), append([]string(nil), b.stems...)
	a.stems[i], b.stems[j] = "*", "*"
	return strings.Join(contentOf(a), " ") == strings.Join(contentOf(b), " ")
}

// nameClash: the same sentence with one name for another where only one can be
// right.
func nameClash(a, b view, m matched) *Clash {
	if m.shared < 2 || len(a.neg)+len(b.neg) > 0 || !agree(a, b) || !sameFrame(a, b) || !onlyOne(a) || !onlyOne(b) {
		return nil
	}
	x, okA := a.nameRun(m.extraA)
	y, okB := b.nameRun(m.extraB)
	if !okA || !okB || strings.Join(without(a, m.extraA), " ") != strings.Join(without(b, m.extraB), " ") {
		return nil
	}
	if strings.Contains(initials(x.Of(a.s)), initials(y.Of(b.s))) || strings.EqualFold(initials(x.Of(a.s)), y.Of(b.s)) || strings.EqualFold(x.Of(a.s), initials(y.Of(b.s))) {
		return nil // may be one name written in two ways
	}
	return &Clash{Kind: "name", A: x, B: y, Reason: says(x.Of(a.s), y.Of(b.s))}
}

// onlyOne: sentences about something of which there is one: the capital of a
// country, the eponym of a thing.
func onlyOne(v view) bool {
	for i, s := range v.stems {
		if s == "capit" && i+1 < len(v.tokens) && v.tokens[i+1].Text == "of" {
			return true
		}
		if v.tokens[i].Text == "named" && i+1 < len(v.tokens) && v.tokens[i+1].Text == "after" {
			return true
		}
	}
	return false
}

// nameRun gives the span of neighbouring capitalised tokens.
func (v view) nameRun(tokens []int) (Span, bool) {
	if len(tokens) == 0 || len(tokens) > 4 || tokens[len(tokens)-1]-tokens[0] != len(tokens)-1 {
		return Span{}, false
	}
	for _, i := range tokens {
		if !unicode.IsUpper(firstRune(v.tokens[i].Span.Of(v.s))) {
			return Span{}, false
		}
	}
	return Span{v.tokens[tokens[0]].Span.Start, v.tokens[tokens[len(tokens)-1]].Span.End}, true
}

// without returns the content words with * for the given tokens.
func without(v view, tokens []int) []string {
	skip := map[int]bool{}
	for _, i := range tokens {
		skip[i] = true
	}
	var out []string
	for i, s := range v.stems {
		switch {
		case !skip[i] && s != "":
			out = append(out, s)
		case skip[i] && i == tokens[0]:
			out = append(out, "*")
		}
	}
	return out
}

func initials(name string) string {
	var b strings.Builder
	for _, w := range strings.Fields(name) {
		b.WriteRune(firstRune(w))
	}
	return b.String()
}
