package gather

// Scoring: how much of a question a sentence answers.

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// Shares of a question term's weight that count when the sentence itself does not have the term.
const (
	inHeading = 0.6 // of its section
	inTitle   = 0.5 // of its document
)

// lens is a question as sentences are looked at through it.
type lens struct {
	terms  []string // distinct stems
	weight map[string]float64
	named  map[string]bool // terms of the entity's name
	total  float64
	want   wanted
	lang   string
	cache  map[string][]float64 // heading or title → how far it has each term
}

// wanted is the kind of answer a question asks for.
type wanted struct {
	reason, money, date, number, who bool
}

var superlative = regexp.MustCompile(`^\w+(?:est|iest)$`)

// newLens weighs the question's terms by how rare they are among the passages.
func newLens(question, lang string, e plumb.Entity, hits []plumb.Hit) *lens {
	l := &lens{weight: map[string]float64{}, named: map[string]bool{}, lang: lang, want: wantedBy(question), cache: map[string][]float64{}}
	for _, q := range e.Queries {
		if strings.Contains(question, q) {
			for _, t := range text.Terms(q, lang) {
				l.named[t] = true
			}
		}
	}
	for _, tok := range text.Tokens(question) {
		if superlative.MatchString(tok.Text) || text.Stopword(tok.Text, lang) {
			continue
		}
		t := text.Stem(tok.Text, lang)
		if !generic[t] && !slices.Contains(l.terms, t) {
			l.terms = append(l.terms, t)
		}
	}
	df := map[string]int{}
	for _, h := range hits {
		have := map[string]bool{}
		for _, t := range text.Terms(h.Source.Title+"\n"+h.Heading+"\n"+h.Text, lang) {
			have[t] = true
		}
		for _, t := range l.terms {
			if have[t] {
				df[t]++
			}
		}
	}
	for _, t := range l.terms {
		// Half a passage more on both sides keeps words that all passages have from counting nothing.
		w := rank.IDF(max(df[t], 1), len(hits)+1) + 0.25
		l.weight[t] = w
		l.total += w
	}
	return l
}

// wantedBy reads what kind of answer a question wants from its words.
func wantedBy(question string) wanted {
	padded := " " + words(question) + " "
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(p string) bool { return strings.Contains(padded, " "+p+" ") })
	}
	w := wanted{
		reason: has("why", "cause", "causes", "caused", "reason", "reasons", "warum", "weshalb", "pourquoi", "por que"),
		money:  has("cost", "costs", "price", "prices", "how expensive", "budget", "spent", "spend", "pay", "paid", "kosten", "kostet", "kostete", "cout", "coute", "cuesta", "costo"),
		date:   has("when", "what year", "which year", "date", "deadline", "how soon", "since when", "wann", "quand", "cuando"),
		who:    has("who", "whom", "whose", "wer", "qui", "quien"),
	}
	w.number = has("how many", "how long", "how far", "how high", "how fast", "how large", "how big", "how often", "how heavy", "rate", "percentage", "number", "length", "wie viele", "wie lang", "combien", "cuantos", "cuantas") || has("how much") && !w.money
	if has("how much") {
		w.number = true
	}
	return w
}

// coverage is the share of the question's weight that a sentence has, itself or by its heading and title, 0..1.
func (l *lens) coverage(c *candidate) float64 {
	if l.total == 0 {
		return 0
	}
	heading, title := l.have(c.hit.Heading), l.have(c.hit.Source.Title)
	sum := 0.0
	for i, t := range l.terms {
		sum += l.weight[t] * max(l.matched(t, c.terms), inHeading*heading[i], inTitle*title[i])
	}
	return sum / l.total
}

// own is the share of the weight of terms other than the name that the sentence itself has.
func (l *lens) own(c *candidate) (share float64, n int) {
	sum, total := 0.0, 0.0
	for _, t := range l.terms {
		if l.named[t] {
			continue
		}
		total += l.weight[t]
		if m := l.matched(t, c.terms); m > 0 {
			sum += m * l.weight[t]
			n++
		}
	}
	if total == 0 {
		return 1, 1 // nothing is asked but the name
	}
	return sum / total, n
}

// matched is how far terms have t.
func (l *lens) matched(t string, terms []string) float64 {
	best := 0.0
	for _, o := range terms {
		if best = max(best, related(t, o)); best == 1 {
			break
		}
	}
	return best
}

// have is matched for a heading or a title, remembered.
func (l *lens) have(s string) []float64 {
	if m, ok := l.cache[s]; ok {
		return m
	}
	terms := text.Terms(s, l.lang)
	m := make([]float64, len(l.terms))
	for i, t := range l.terms {
		m[i] = l.matched(t, terms)
	}
	l.cache[s] = m
	return m
}

var reasonCue = regexp.MustCompile(`(?i)\b(?:because|due to|caused?|causes|reason|result of|resulted|led to|owing to|since|therefore|so that|in order to|found|failed|started|reached|damage[ds]?)\b|\b(?:weil|wegen|aufgrund|parce que|en raison|porque|debido)\b`)

// answers is a factor for how well the form of a sentence suits what is wanted: below 1 when a figure is asked for and
// there is none.
func (l *lens) answers(c *candidate) float64 {
	f := 1.0
	has := func(kinds ...text.Kind) bool {
		return slices.ContainsFunc(c.quantities, func(q text.Quantity) bool { return slices.Contains(kinds, q.Kind) })
	}
	switch {
	case l.want.money && has(text.KindMoney):
		f *= 1.3
	case l.want.money && c.hit.Source.Format == "csv" && len(c.quantities) > 0:
		f *= 1.15
	case l.want.money:
		f *= 0.7
	}
	if l.want.date {
		f *= choose(has(text.KindDate), 1.25, 0.75)
	}
	if l.want.number && !l.want.money {
		figure := slices.ContainsFunc(c.quantities, func(q text.Quantity) bool { return q.Kind != text.KindDate })
		f *= choose(figure, 1.25, 0.7)
	}
	if l.want.reason {
		f *= choose(reasonCue.MatchString(c.quote), 1.2, 0.9)
	}
	if l.want.who {
		f *= choose(namesSomebody(c.quote), 1.1, 0.8)
	}
	return f
}

func choose(yes bool, a, b float64) float64 {
	if yes {
		return a
	}
	return b
}

// namesSomebody: a capitalised word that does not begin the sentence.
func namesSomebody(s string) bool {
	ws := strings.Fields(s)
	return len(ws) > 1 && slices.ContainsFunc(ws[1:], capitalised)
}

// score is how well a sentence answers, about 0..1.
func (l *lens) score(c *candidate, at plumb.Question) float64 {
	cover := l.coverage(c)
	own, _ := l.own(c)
	s := (0.55*cover + 0.45*own) * l.answers(c) * c.fitness
	s *= 0.95 + 0.05*rank.Authority(c.hit.Source.URL)
	s *= 0.95 + 0.05*rank.Recency(c.hit.Source.Date, at.At)
	if c.first {
		s *= 1.02
	}
	return math.Min(s, 1.5)
}
