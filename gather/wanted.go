package gather

// What kind of answer a question wants, and whether a sentence has it: a reason, an amount, a date, a figure, somebody.

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// wanted is the kind of answer a question asks for.
type wanted struct {
	reason, money, date, number, who bool
	now                              bool        // the state of things at present
	kinds                            []text.Kind // of the figure that is wanted; none: any
	counted                          []string    // stems of what "how many" counts
	years                            []int       // that the question is about
}

// Words by which a question says what it wants, folded, in several languages.
var (
	wantsReason = phrases("why; cause; causes; caused; reason; reasons; warum; weshalb; wieso; ursache; pourquoi; cause; raison; por que; causa; perche")
	wantsMoney  = phrases("cost; costs; price; prices; expensive; budget; spent; spend; pay; paid; kosten; kostet; kostete; preis; cout; coute; prix; cuesta; costo; precio")
	wantsDate   = phrases("when; what year; which year; date; deadline; how soon; wann; quand; cuando; quando")
	wantsNumber = phrases("how many; how much; how long; how far; how high; how fast; how large; how big; how often; how heavy; how old; rate; percentage; number of; length; wie viele; wie viel; wie lang; wie hoch; combien; cuantos; cuantas; cuanto; quanti")
	wantsWho    = phrases("who; whom; whose; wer; wen; qui; quien; chi")
	wantsNow    = phrases("now; today; currently; current; still; at present; latest; jetzt; heute; derzeit; aktuell; maintenant; actuellement; ahora; actualmente")
)

func wantedBy(question string) wanted {
	w := wanted{
		reason: marked(question, wantsReason), money: marked(question, wantsMoney), date: marked(question, wantsDate),
		who: marked(question, wantsWho), now: marked(question, wantsNow),
	}
	w.money = w.money && !w.who
	w.number = marked(question, wantsNumber) && !w.money
	for _, t := range text.Tokens(question) {
		if yearTerm.MatchString(t.Text) {
			if y, err := strconv.Atoi(t.Text); err == nil {
				w.years = append(w.years, y)
			}
		}
	}
	if w.number {
		w.kinds, w.counted = figure(question)
	}
	return w
}

// measures are the words that ask for a figure of a kind.
var measures = map[string][]text.Kind{
	"long": {text.KindLength, text.KindDuration}, "length": {text.KindLength}, "far": {text.KindLength}, "high": {text.KindLength},
	"tall": {text.KindLength}, "wide": {text.KindLength}, "deep": {text.KindLength}, "heavy": {text.KindMass}, "weigh": {text.KindMass},
	"fast": {text.KindSpeed, text.KindDuration}, "old": {text.KindDuration, text.KindDate}, "percentage": {text.KindPercent},
}

// figure reads which kind of figure a question wants, or what it wants counted.
func figure(question string) (kinds []text.Kind, counted []string) {
	ws := strings.Fields(words(question))
	for i, w := range ws {
		if w == "how" && i+2 < len(ws) && ws[i+1] == "many" {
			counted = append(counted, text.Stem(ws[i+2], "en"))
		}
		if i == 0 || ws[i-1] == "how" || w == "length" || w == "percentage" {
			kinds = append(kinds, measures[w]...)
		}
	}
	return kinds, counted
}

// states says whether a sentence has the figure that is wanted: of its kind, or right before what is counted.
func (w wanted) states(c *candidate) bool {
	for _, q := range c.quantities {
		if len(w.kinds) > 0 {
			if slices.Contains(w.kinds, q.Kind) {
				return true
			}
			continue
		}
		if q.Kind == text.KindDate {
			continue
		}
		if len(w.counted) == 0 || c.hit.Source.Format == "csv" {
			return true
		}
		behind := strings.Fields(c.quote[min(q.Span.End, len(c.quote)):])
		near := append([]string{c.quote[q.Span.Start:q.Span.End]}, behind[:min(len(behind), 3)]...)
		for _, t := range text.Terms(strings.Join(near, " "), "en") {
			if matched(t, w.counted) > 0 {
				return true
			}
		}
	}
	return false
}

// Words by which a sentence gives a cause, words that speak of causes, and words that often stand beside one.
var (
	becauseOf = regexp.MustCompile(`(?i)\b(?:because|due to|caused|causing|result(?:ed|s)? (?:of|in|from)|led to|owing to|in view of|on account of)\b|\b(?:weil|wegen|aufgrund|parce que|en raison|à cause|porque|debido|a causa)\b`)
	ofCauses  = regexp.MustCompile(`(?i)\b(?:causes?|reasons?|blam(?:e[sd]?|ing)|came (?:from|over|through)|let|ursache|raison|causa)\b`)
	discovery = regexp.MustCompile(`(?i)\b(?:found|discovered|detected|revealed|failed|broke|cracked|collapsed|damaged|therefore|entdeckt|festgestellt|découvert)\b`)
)

// met is a factor, at most 1, for how far the form of a sentence suits what is wanted.
func (w wanted) met(c *candidate) float64 {
	has := func(kinds ...text.Kind) bool {
		return slices.ContainsFunc(c.quantities, func(q text.Quantity) bool { return slices.Contains(kinds, q.Kind) })
	}
	f := 1.0
	switch {
	case !w.money || has(text.KindMoney):
	case c.hit.Source.Format == "csv" && len(c.quantities) > 0:
		f *= 0.9
	default:
		f *= 0.5
	}
	if w.date && !has(text.KindDate) {
		f *= 0.55
	}
	if w.number && !w.states(c) {
		f *= 0.55
	}
	switch {
	case !w.reason || becauseOf.MatchString(c.quote):
	case ofCauses.MatchString(c.quote) || discovery.MatchString(c.quote):
		f *= 0.75
	default:
		f *= 0.5
	}
	if w.who && !namesSomebody(c.quote) {
		f *= 0.75
	}
	if w.anotherYear(c) {
		f *= 0.6
	}
	return f
}

// anotherYear says whether a sentence dates what it says, and only in years that the question is not about.
func (w wanted) anotherYear(c *candidate) bool {
	dated := false
	for _, q := range c.quantities {
		if q.Kind != text.KindDate {
			continue
		}
		dated = true
		if from, to := int(q.Value)/10000, int(q.High)/10000; slices.ContainsFunc(w.years, func(y int) bool { return from <= y && y <= to }) {
			return false
		}
	}
	return dated && len(w.years) > 0
}

// namesSomebody: a capitalised word that does not begin the sentence.
func namesSomebody(s string) bool {
	ws := strings.Fields(s)
	return len(ws) > 1 && slices.ContainsFunc(ws[1:], capitalised)
}
