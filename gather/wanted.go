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
	now                              bool            // the state of things at present
	kinds                            []text.Kind     // of the figure that is wanted; none: any
	counted                          []string        // stems of what "how many" counts
	times                            []text.Quantity // dates and periods that the question is about
	change                           bool            // what became different
	lasting                          bool            // how long something went on
	past                             bool            // what happened, not what was to happen
	words                            map[string]bool // of the question
}

// Words by which a question says what it wants, folded, in several languages.
var (
	wantsReason   = phrases("why; cause; causes; caused; reason; reasons; warum; weshalb; wieso; ursache; pourquoi; cause; raison; por que; causa; perche")
	wantsMoney    = phrases("cost; costs; price; prices; expensive; budget; spent; spend; pay; paid; kosten; kostet; kostete; preis; cout; coute; prix; cuesta; costo; precio")
	wantsDate     = phrases("when; what year; which year; date; deadline; how soon; wann; quand; cuando; quando")
	wantsNumber   = phrases("how many; how much; how long; how far; how high; how fast; how large; how big; how often; how heavy; how old; rate; percentage; number of; length; wie viele; wie viel; wie lang; wie hoch; combien; cuantos; cuantas; cuanto; quanti")
	wantsWho      = phrases("who; whom; whose; wer; wen; qui; quien; chi")
	wantsChange   = phrases("changed; change; changes; different; what is new; what's new; geändert; verändert; änderung; changé; cambiado")
	wantsDuration = regexp.MustCompile(`(?i)\bhow long\b.*\b(?:last|lasted|take|took|continue|continued|go on|unavailable|closed|out)\b|\bwie lange\b`)
	wantsNow      = phrases("now; today; currently; current; still; at present; latest; jetzt; heute; derzeit; aktuell; maintenant; actuellement; ahora; actualmente")
)

func wantedBy(question string) wanted {
	w := wanted{
		reason: marked(question, wantsReason), money: marked(question, wantsMoney), date: marked(question, wantsDate),
		who: marked(question, wantsWho), now: marked(question, wantsNow),
	}
	w.money = w.money && !w.who
	w.number = marked(question, wantsNumber) && !w.money
	for _, q := range text.Quantities(question) {
		if q.Kind == text.KindDate {
			w.times = append(w.times, q)
		}
	}
	w.words = map[string]bool{}
	for _, f := range strings.Fields(question) {
		w.words[strings.TrimSuffix(bare(f), "'s")] = true
	}
	w.past = (w.date || w.money || w.number) && marked(question, asksPast)
	w.change = marked(question, wantsChange)
	if w.number {
		w.kinds, w.counted = figure(question)
	}
	if w.lasting = wantsDuration.MatchString(question); w.lasting {
		w.kinds = []text.Kind{text.KindDuration}
	}
	return w
}

var sizes = []text.Kind{text.KindLength, text.KindArea, text.KindVolume, text.KindMass, text.KindEnergy, text.KindPower, text.KindData}

// measures are the words that ask for a figure of a kind.
var measures = map[string][]text.Kind{
	"long": {text.KindLength, text.KindDuration}, "length": {text.KindLength}, "large": sizes, "big": sizes, "far": {text.KindLength}, "high": {text.KindLength},
	"tall": {text.KindLength}, "wide": {text.KindLength}, "deep": {text.KindLength}, "heavy": {text.KindMass}, "weigh": {text.KindMass},
	"electricity": {text.KindPower, text.KindEnergy}, "energy": {text.KindPower, text.KindEnergy}, "land": {text.KindArea},
	"fast": {text.KindSpeed, text.KindDuration}, "old": {text.KindDuration, text.KindDate}, "percentage": {text.KindPercent},
}

// figure reads which kind of figure a question wants, or what it wants counted.
func figure(question string) (kinds []text.Kind, counted []string) {
	ws := strings.Fields(words(question))
	for i, w := range ws {
		if w == "how" && i+2 < len(ws) && ws[i+1] == "many" {
			counted = append(counted, text.Stem(ws[i+2], "en"))
		}
		much := i > 1 && ws[i-2] == "how" && ws[i-1] == "much"
		if i == 0 || ws[i-1] == "how" || much || w == "length" || w == "percentage" {
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

// Words by which a sentence says that something became different, and words that ask for it.
var (
	changed     = regexp.MustCompile(`(?i)\b(?:now|no longer|new|newly|since|replac(?:e[sd]?|ing)|introduc(?:ed|tion)|add(?:ed|s)|lift(?:ed|s)|fitted|install(?:ed|ation)|raised|reduced|rose|fell|fallen|risen|instead of|chang(?:ed?|es|ing)|will be|has been|have been|was built|were built|in place|nunmehr|jetzt|neu|seither|désormais|ahora)\b`)
	asksPast    = phrases("did; was; were; had; has; wurde; wurden; war; hat")
	planned     = regexp.MustCompile(`(?i)\b(?:planned|expected|estimated|forecast|projected|cannot|is to|are to|will|would|geplant|voraussichtlich|prévu|previsto)\b`)
	changeWords = regexp.MustCompile(`(?i)\b(?:chang(?:e[sd]?|ing)|different|new)\b`)
	lastWord    = regexp.MustCompile(`(?i)^(?:last(?:ed)?|takes?|took|continued?|dauer(?:n|t|te))$`)
	changeWord  = regexp.MustCompile(`(?i)^(?:chang(?:e[sd]?|ing)|different|new)$`)
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
	if w.who && !w.namesSomebody(c.quote) {
		f *= 0.75
	}
	if w.change && (!changed.MatchString(c.quote) || w.before(c.hit.Source.Date)) {
		f *= 0.4
	}
	if w.past && planned.MatchString(c.quote) {
		f *= 0.88
	}
	return f * w.inTime(c)
}

// before says whether a document is older than the time since when changes are asked for.
func (w wanted) before(date string) bool {
	for _, q := range text.Quantities(date) {
		if q.Kind == text.KindDate && slices.ContainsFunc(w.times, func(t text.Quantity) bool { return q.Value < t.Value || q.Admits(t) }) {
			return true
		}
	}
	return false
}

// implies says whether a word of the question only says what kind of answer is wanted.
func (w wanted) implies(word string) bool {
	return w.change && changeWord.MatchString(word) || w.lasting && lastWord.MatchString(word)
}

// formed says whether a sentence has the form of an answer: a figure where one is asked for. Words alone don't say how many.
func (w wanted) formed(c *candidate) bool {
	return !w.number || w.states(c)
}

// typed says whether a sentence has a figure, a sum or a date of the very kind that is asked for.
func (w wanted) typed(c *candidate) bool {
	has := func(kind text.Kind) bool {
		return slices.ContainsFunc(c.quantities, func(q text.Quantity) bool { return q.Kind == kind })
	}
	switch {
	case w.number:
		return len(w.kinds)+len(w.counted) > 0 && w.states(c)
	case w.money:
		return has(text.KindMoney)
	}
	return w.date && has(text.KindDate)
}

// Factors for a sentence that dates what it says otherwise than the question: in another year, or in the same year only.
const (
	anotherYear  = 0.6
	anotherMonth = 0.8
)

// inTime is a factor for how far the dates of a sentence are those of the question. A sentence without dates fits any.
func (w wanted) inTime(c *candidate) float64 {
	best, month := 0.0, anotherMonth
	if c.hit.Source.Format == "csv" {
		month = anotherYear // the date of a row is what tells it from the others
	}
	if w.change {
		return 1 // the date is that of the state before
	}
	for _, q := range c.quantities {
		if q.Kind != text.KindDate || q.Value < 10000 { // a day of some year tells nothing
			continue
		}
		best = max(best, anotherYear)
		for _, t := range w.times {
			switch {
			case q.Admits(t):
				return 1
			case int(q.Value)/10000 <= int(t.High)/10000 && int(t.Value)/10000 <= int(q.High)/10000:
				best = max(best, month)
			}
		}
	}
	if best == 0 || len(w.times) == 0 {
		return 1
	}
	return best
}

// namesSomebody: a capitalised word that does not begin the sentence, is no month and not the question's own.
func (w wanted) namesSomebody(s string) bool {
	ws := strings.Fields(s)
	return len(ws) > 1 && slices.ContainsFunc(ws[1:], func(word string) bool {
		b := strings.TrimSuffix(bare(word), "'s")
		return capitalised(word) && !months[b] && b != "may" && !w.words[b]
	})
}
