package gather

// What kind of answer a question wants, and whether a sentence has it: a reason, an amount, a date, a figure, somebody.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// wanted is the kind of answer a question asks for.
type wanted struct {
	reason, money, date, number, who bool
	now                              bool // the state of things at present
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
	w.number = marked(question, wantsNumber) && !w.money
	return w
}

// Words by which a sentence gives a cause, and words that often stand beside one.
var (
	reasonCue = regexp.MustCompile(`(?i)\b(?:because|due to|caus(?:e[sd]?|ing)|reasons?|result(?:ed|s)? (?:of|in|from)|led to|owing to|in view of|blam(?:e[sd]?|ing))\b|\b(?:weil|wegen|aufgrund|ursache|parce que|en raison|à cause|porque|debido|a causa)\b`)
	nearCause = regexp.MustCompile(`(?i)\b(?:therefore|so that|after|since|when|had found|found|discovered|detected|damaged|failed|following|came (?:from|over|through)|in order to|by)\b|\b(?:nachdem|nach|après|tras)\b`)
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
	if w.number && !slices.ContainsFunc(c.quantities, func(q text.Quantity) bool { return q.Kind != text.KindDate }) {
		f *= 0.55
	}
	switch {
	case !w.reason || reasonCue.MatchString(c.quote):
	case nearCause.MatchString(c.quote):
		f *= 0.75
	default:
		f *= 0.5
	}
	if w.who && !namesSomebody(c.quote) {
		f *= 0.75
	}
	return f
}

// namesSomebody: a capitalised word that does not begin the sentence.
func namesSomebody(s string) bool {
	ws := strings.Fields(s)
	return len(ws) > 1 && slices.ContainsFunc(ws[1:], capitalised)
}
