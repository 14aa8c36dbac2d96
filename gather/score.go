package gather

// Scoring: how much of a question a sentence answers.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// Shares of a question term's weight that count when the sentence itself does not have the term.
const (
	inHeading = 0.6  // of its section
	inTitle   = 0.5  // of its document
	inPassage = 0.35 // the sentences around it
)

// The same for whether a sentence answers at all: a row of a table relies on its heading, a sentence of a report on the
// report's title.
const (
	askedHeading = 1
	askedTitle   = 0.8
	askedPassage = 0.5
	ownHeading   = 0.4
	ownTitle     = 0.3
	topicHeading = 0.8 // for a question that is no more than a topic: "compensation"
	topicTitle   = 0.7
	// of the weight of a name that is not asked of a sentence that has another of the names
	otherName = 0.6
)

// lens is a question as sentences are looked at through it.
type lens struct {
	terms   []string // distinct stems
	weight  []float64
	named   []bool // terms of names
	times   []bool // terms of dates
	total   float64
	phrases []string // folded names that the question has; sentences about other things say none of them
	want    wanted
	// the question holds several names against each other
	compares bool
	topic    bool // the question only names a topic
	lang     string
	cache    map[string][]float64 // heading or title → how far it has each term
}

// superlative words ("busiest", "largest") are seldom the documents' own.
var (
	superlative = regexp.MustCompile(`^\pL{3,}est$`)
	yearTerm    = regexp.MustCompile(`^(?:1[5-9]|20|21)\d\d$`)
	months      = wordSet("january february march april june july august september october november december januar februar märz maerz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero abril junio julio septiembre noviembre diciembre")
)

// sinceWhen is the event or time from which on changes are asked for: what changed does not mention it.
var sinceWhen = regexp.MustCompile(`(?i)\b(?:since|after|seit|nach|depuis|desde)\b.*`)

// ofTime says whether a word of a question dates what it asks about: such words narrow down and are no answer.
func ofTime(w string) bool { return yearTerm.MatchString(w) || months[w] }

// newLens weighs the question's terms by how rare they are among the passages.
func newLens(question, lang string, e plumb.Entity, hits []plumb.Hit) *lens {
	known := vocabulary(hits)
	question = known.corrected(question, lang)
	l := &lens{lang: lang, want: wantedBy(question), cache: map[string][]float64{}}
	named := map[string]bool{}
	for _, q := range e.Queries {
		if !strings.Contains(strings.ToLower(question), strings.ToLower(q)) {
			continue
		}
		l.phrases = append(l.phrases, strings.TrimSpace(strings.ReplaceAll(words(q)+" ", "'s ", " ")))
		if slices.ContainsFunc(strings.Fields(q), coded) {
			continue // which of several things: that is part of what is asked
		}
		for _, t := range text.Terms(q, lang) {
			named[t] = true
		}
	}
	toks := text.Tokens(question)
	if before := sinceWhen.ReplaceAllString(question, ""); l.want.change && len(contentWords(changeWords.ReplaceAllString(before, ""), lang)) > 0 {
		toks = text.Tokens(before)
	}
	for i, tok := range toks {
		if superlative.MatchString(tok.Text) || text.Stopword(tok.Text, lang) || degree(toks, i) {
			continue
		}
		t := text.Stem(tok.Text, lang)
		if !generic[t] && !slices.Contains(l.terms, t) && (!l.want.reason || !ofCauses.MatchString(tok.Text)) && !l.want.implies(tok.Text) {
			l.terms, l.named, l.times = append(l.terms, t), append(l.named, named[t]), append(l.times, ofTime(tok.Text))
		}
	}
	l.compares = len(l.phrases) > 1 && slices.ContainsFunc(toks, func(t text.Token) bool { return comparing[t.Text] || t.Text == "differ" || t.Text == "both" })
	l.topic = len(l.terms) <= 2 && !begins(strings.Fields(question), lang)
	l.weigh(hits)
	return l
}

// degree says whether token i is the measure that "how" asks for: "how large", "how loud". The documents state it in units.
func degree(toks []text.Token, i int) bool {
	return i > 0 && toks[i-1].Text == "how" && i+2 < len(toks) && (auxiliaries["en"][toks[i+1].Text] || measures[toks[i].Text] != nil)
}

// weigh gives each term its weight. A term that no passage has weighs most: it is what the documents lack. The year of
// something that was asked about narrows it down but is no answer, so that it weighs half where the documents have it.
func (l *lens) weigh(hits []plumb.Hit) {
	df := make([]int, len(l.terms))
	for _, h := range hits {
		have := map[string]bool{}
		for _, t := range text.Terms(h.Source.Title+"\n"+h.Heading+"\n"+h.Text, l.lang) {
			have[t] = true
		}
		for i, t := range l.terms {
			if have[t] {
				df[i]++
			}
		}
	}
	for i := range l.terms {
		w := rank.IDF(max(df[i], 1), len(hits)+1) + 0.25 // a word of every passage still counts a little
		if l.times[i] && df[i] > 0 {
			w /= 2
		}
		l.weight = append(l.weight, w)
	}
	l.evenNames()
	for _, w := range l.weight {
		l.total += w
	}
}

// evenNames gives the names of a comparison the same weight: the rarer is not the more important one.
func (l *lens) evenNames() {
	sum, n := 0.0, 0
	for i, named := range l.named {
		if named {
			sum, n = sum+l.weight[i], n+1
		}
	}
	for i, named := range l.named {
		if named && len(l.phrases) > 1 {
			l.weight[i] = sum / float64(n)
		}
	}
}

// coverage is the share of the question's weight that a sentence has, itself or by its heading and title, 0..1.
func (l *lens) coverage(c *candidate) float64 {
	if l.total == 0 {
		return 0
	}
	heading, title, around := l.have(c.hit.Heading), l.have(c.hit.Source.Title), l.have(c.hit.Text)
	above, over := inHeading, inTitle
	if l.topic {
		above, over = topicHeading, topicTitle
	}
	sum, total, one := 0.0, l.total, false
	for i, t := range l.terms {
		m := max(matched(t, c.terms), above*heading[i], over*title[i], inPassage*around[i])
		one = one || m > 0 && l.named[i]
		sum += l.weight[i] * m
	}
	for i, t := range l.terms { // of several names, one is enough for a sentence
		if one && len(l.phrases) > 1 && l.named[i] && max(matched(t, c.terms), heading[i], title[i], around[i]) == 0 {
			total -= otherName * l.weight[i]
		}
	}
	return sum / total
}

// own is the share of the weight of what is asked, names left aside, that the sentence has: itself, or in part by the
// title and heading it stands under. Dates don't count.
func (l *lens) own(c *candidate) float64 {
	if l.topic {
		return l.share(c, topicHeading, topicTitle, 0)
	}
	return l.share(c, ownHeading, ownTitle, 0)
}

// asked is own with what stands around the sentence.
func (l *lens) asked(c *candidate) float64 {
	return l.share(c, askedHeading, askedTitle, askedPassage)
}

func (l *lens) share(c *candidate, heading, title, passage float64) float64 {
	sum, total := 0.0, 0.0
	above, over, around := l.have(c.hit.Heading), l.have(c.hit.Source.Title), l.have(c.hit.Text)
	for i, t := range l.terms {
		if l.named[i] || l.times[i] {
			continue
		}
		total += l.weight[i]
		sum += max(matched(t, c.terms), heading*above[i], title*over[i], passage*around[i]) * l.weight[i]
	}
	if total == 0 {
		return 1 // nothing is asked but the name
	}
	return sum / total
}

// matched is how far terms have t.
func matched(t string, terms []string) float64 {
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
		m[i] = matched(t, terms)
	}
	l.cache[s] = m
	return m
}

// Factors for where the name that a question is about stands, seen from a sentence.
const (
	nameInTitle    = 0.97 // of its document or section, and the sentence says "the bridge" for it,
	nameAbove      = 0.87 // or does not speak of it at all
	nameInPassage  = 0.85
	nameInDocument = 0.65
	namedBeside    = 0.6  // once, in the passage: a document about something else that mentions it
	namedOnce      = 0.45 // once, elsewhere in the document
	nameApart      = 0.8  // of what else: a passage that has not all the names that are compared
	nameNowhere    = 0.3  // the sentence is about something else that happened to be closed, too
)

// about is how surely a sentence speaks of what the question names. inDocument says how often its document has a name.
func (l *lens) about(c *candidate, inDocument func(phrase string) int) (f float64) {
	if len(l.phrases) == 0 {
		return 1
	}
	best := nameNowhere
	if l.compares && slices.ContainsFunc(l.phrases, func(p string) bool { return !says(c.hit.Text+"\n"+c.hit.Source.Title, p) }) {
		defer func() { f *= nameApart }()
	}
	for _, p := range l.phrases {
		if says(c.quote, p) {
			return 1
		}
		best = max(best, l.near(c, p, inDocument))
	}
	return best
}

// near is about for a name that the sentence itself does not say.
func (l *lens) near(c *candidate, phrase string, inDocument func(phrase string) int) float64 {
	if says(c.hit.Source.Title, phrase) || says(c.hit.Heading, phrase) {
		if head := phrase[strings.LastIndexByte(phrase, ' ')+1:]; says(c.quote, head) {
			return nameInTitle
		}
		return nameAbove
	}
	beside := says(c.hit.Text, phrase)
	if head := phrase[strings.LastIndexByte(phrase, ' ')+1:]; beside && head != phrase && says(c.quote, head) {
		return nameInPassage
	}
	switch n := inDocument(phrase); {
	case n > 1 && beside:
		return nameInPassage
	case n > 1:
		return nameInDocument
	case beside:
		return namedBeside
	case n == 1:
		return namedOnce
	}
	return nameNowhere
}

func says(s, phrase string) bool { return timesSaid(s, phrase) > 0 }

// timesSaid counts a folded phrase as whole words, a plural or possessive s allowed.
func timesSaid(s, phrase string) int {
	if !spaced(phrase) {
		return strings.Count(text.Fold(s), phrase)
	}
	padded := " " + strings.ReplaceAll(words(s)+" ", "'s ", " ")
	return strings.Count(padded, " "+phrase+" ") + strings.Count(padded, " "+phrase+"s ")
}

// score is how well a sentence answers, 0..1.
func (l *lens) score(c *candidate, q plumb.Question, inDocument func(string) int) float64 {
	s := (0.4*l.coverage(c) + 0.4*l.own(c) + 0.2*l.asked(c)) * l.want.met(c) * c.fitness
	if s == 0 {
		return 0
	}
	s *= l.about(c, inDocument)
	s *= 0.95 + 0.05*rank.Authority(c.hit.Source.URL)
	weight := 0.05
	if l.want.now {
		weight = 0.25
	}
	return s * (1 - weight + weight*rank.Recency(c.hit.Source.Date, q.At))
}
