package gather

// Extraction: what a source has to say on a unit's question, each finding with a quote that stands in the source.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

// perExtract bounds the findings that are taken from a source.
const perExtract = 4

// Bounds of a quote, in letters and digits and in characters.
const (
	leastQuote     = 12
	leastWideQuote = 6 // of scripts without spaces
	mostQuote      = 1500
)

// extractAnswer is what a model answers to the prompt extract.
type extractAnswer struct {
	Snippet  string           `json:"snippet"`
	Findings []extractFinding `json:"findings"`
}

type extractFinding struct {
	Fact       string `json:"fact"`
	Quote      string `json:"quote"`
	Confidence string `json:"confidence"`
	Date       string `json:"date"`
}

// extractData is what the prompt extract shows.
type extractData struct {
	Question, About, Text, Snippet, Language string
	Part                                     bool
}

// reading is a source that was opened, and what came of it.
type reading struct {
	source  plumb.Source
	text    string // whole
	depth   plumb.ContentDepth
	kind    string
	snippet string // of the search result that led here
	note    string // of whoever read it
	differs bool   // its title is quite another than the lead's
	err     error  // it could not be read

	shown        int    // characters that the model saw
	verdict      string // on the snippet
	findings     []extracted
	refused      int   // findings whose quote is not in the source, or that say more than it
	extractError error // no answer could be had
}

// extracted is a finding with the place of its quote.
type extracted struct {
	fact       string
	span       text.Span
	confidence plumb.Confidence
	date       string
}

// extract asks the worker for the findings of a source. It changes nothing but the reading, so that several may be
// extracted from at once.
func (u *inquiry) extract(ctx context.Context, r *reading) {
	err := u.extractFrom(ctx, r, u.characters())
	if tooLong(err) { // the estimate was off
		err = u.extractFrom(ctx, r, u.characters()/2)
	}
	r.extractError = err
}

func (u *inquiry) extractFrom(ctx context.Context, r *reading, characters int) error {
	data := extractData{Question: u.question(), About: aboutSource(r.source), Snippet: line(r.snippet, maxQuestion), Language: u.task.Brief.Language}
	if data.Language == "" {
		data.Language = language(data.Question)
	}
	left, err := room(u.model, "extract", data, extractOutput)
	if err != nil {
		return err
	}
	data.Text, data.Part = excerptWithin(r.text, u.terms(), characters, left, r.source.References)
	req, err := request(u.model, "extract", data, extractOutput)
	if err != nil {
		return err
	}
	r.shown = len([]rune(data.Text))
	c := quoteCheck{reading: r, source: text.NewFolded(r.text), question: data.Question}
	a, err := llm.Ask(ctx, u.model, req, "extract", c.check)
	if err == nil {
		r.verdict = a.Snippet
	}
	r.findings, r.refused = c.good, c.refused
	if err != nil && errors.Is(err, llm.ErrAnswer) && len(c.good) > 0 {
		return nil // a first answer had some
	}
	return err
}

// aboutSource is a source's title, address, authors and date as prompts show them.
func aboutSource(s plumb.Source) string {
	out := line(title(s), maxQuery) + " <" + line(s.URL, 2*maxQuery) + ">"
	if len(s.Authors) > 0 {
		out += "\nby " + line(strings.Join(s.Authors, ", "), maxQuery)
	}
	if s.Date != "" {
		out += "\nof " + line(s.Date, maxHeading)
	}
	return out
}

// quoteCheck looks the quotes of an answer up. The first answer with a quote that is not there is sent back, once; good
// findings of every answer are kept.
type quoteCheck struct {
	reading  *reading
	source   *text.Folded
	question string
	good     []extracted
	refused  int
	told     bool
}

func (c *quoteCheck) check(a *extractAnswer) error {
	var wrong []string
	c.refused = 0
	for i, f := range a.Findings {
		if len(c.good) >= perExtract {
			break
		}
		e, why := c.one(f)
		if why != "" {
			c.refused++
			wrong = append(wrong, fmt.Sprintf("finding %d: %s", i+1, why))
			continue
		}
		c.add(e)
	}
	if len(wrong) == 0 || c.told {
		return nil
	}
	c.told = true
	return errors.New(strings.Join(wrong, "; ") + ". Mend these or leave them out, and keep the others")
}

// add keeps a finding whose place has none yet.
func (c *quoteCheck) add(e extracted) {
	for _, o := range c.good {
		if o.span.Start < e.span.End && e.span.Start < o.span.End {
			return
		}
	}
	c.good = append(c.good, e)
}

// one checks a finding. The second time a fact says more than its quote, the quote itself is the fact.
func (c *quoteCheck) one(f extractFinding) (e extracted, why string) {
	quote := strings.TrimSpace(f.Quote)
	least := leastQuote
	if !spaced(quote) {
		least = leastWideQuote
	}
	switch n := letters(quote); {
	case quote == "":
		return e, "it has no quote"
	case n < least:
		return e, fmt.Sprintf("the quote %q is too short to prove anything: copy the whole sentence", line(quote, maxHeading))
	case len([]rune(quote)) > mostQuote:
		return e, "the quote is too long: copy one to three sentences"
	}
	span, ok := c.source.Find(quote)
	if !ok {
		span, ok = c.source.Find(strings.Trim(quote, "\"'“”„«»‘’…. "))
	}
	refs := c.reading.source.References
	if !ok || refs != nil && span.Start < refs.End && refs.Start < span.End {
		return e, fmt.Sprintf("the quote %q is not in the source: copy it letter for letter", line(quote, maxHeading))
	}
	span = trimMarks(c.reading.text, span)
	e = extracted{fact: line(plain(f.Fact), maxQuestion), span: span, confidence: confidenceNamed(f.Confidence), date: f.Date}
	said := plain(span.Of(c.reading.text))
	if commands(sentenceAround(c.reading.text, span), c.question) || commands(e.fact, c.question) {
		return e, "it repeats an order that the source gives its reader: that is no finding, leave it out"
	}
	if e.fact == "" {
		e.fact = said
	}
	if why = c.beyond(e.fact, said); why != "" && c.told {
		e.fact, why = said, ""
	}
	return e, why
}

// Facts of fewer terms than these are not held against the words of their quotes, and the others share this part of
// their terms with quote, title and question.
const (
	factTerms = 5
	factShare = 0.3
)

// beyond says how a fact goes beyond its quote: a number or an address that it lacks, its opposite, or something else
// altogether. A fact in another language than its quote shares few words with it.
func (c *quoteCheck) beyond(fact, quote string) string {
	for _, l := range link.Find(fact) {
		if !slices.ContainsFunc(link.Find(quote), func(o link.Found) bool { return link.Same(o.URL, l.URL) }) {
			return "the fact names an address that its quote does not: leave it out"
		}
	}
	lang := text.Language(fact)
	around := quote + "\n" + c.reading.source.Title + "\n" + c.question
	if lang == text.Language(quote) && len(text.Terms(fact, lang)) >= factTerms && text.Compare(fact, around, lang, nil).Recall < factShare {
		return fmt.Sprintf("the fact %q is not what its quote says", line(fact, maxHeading))
	}
	return gainsaid(fact, quote)
}

// gainsaid says which number of a fact its quote lacks, or that it says the opposite.
func gainsaid(fact, quote string) string {
	c := text.Compare(fact, quote, "", nil)
	switch {
	case len(c.NumbersMissing) > 0:
		return fmt.Sprintf("the fact says %q, which its quote does not: use only numbers and dates of the quote, or quote the sentence that has them", c.NumbersMissing[0].Span.Of(fact))
	case c.Clash != nil && c.Clash.Kind == "negation":
		return fmt.Sprintf("the fact %q says the opposite of its quote", line(fact, maxHeading))
	}
	return ""
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

func confidenceNamed(s string) plumb.Confidence {
	switch c := plumb.Confidence(strings.ToLower(strings.TrimSpace(s))); c {
	case plumb.High, plumb.Low:
		return c
	}
	return plumb.Medium
}

func lower(c plumb.Confidence) plumb.Confidence {
	if c == plumb.High {
		return plumb.Medium
	}
	return plumb.Low
}

var isoDate = regexp.MustCompile(`^(1[5-9]|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$`)

// dateOf is the date of a finding: the source's, else the one the model read, if its year stands in the source.
func dateOf(r *reading, said string) string {
	said = strings.TrimSpace(said)
	if r.source.Date != "" || !isoDate.MatchString(said) || !strings.Contains(r.text, said[:4]) {
		return r.source.Date
	}
	return said
}

// finding makes a finding of something extracted.
func (u *inquiry) finding(r *reading, e extracted) plumb.Finding {
	f := u.rowOf(r)
	f.Content, f.Quote, f.QuoteStart, f.QuoteEnd = e.fact, e.span.Of(r.text), e.span.Start, e.span.End
	f.Confidence, f.Date = e.confidence, dateOf(r, e.date)
	if f.Chars == 0 {
		f.Chars = len([]rune(r.text))
	}
	if r.verdict == "contradicted" {
		f.Confidence = lower(f.Confidence)
	}
	f.Relevance = relevance(u.terms(), e.fact+" "+f.Quote, f.Confidence)
	if r.differs {
		f.Relevance = math.Round(1000*differing*f.Relevance) / 1000
	}
	return f
}

// relevance of what a model took for an answer: half is given, the rest is how much of the question's words it has and
// how sure the source is.
func relevance(question, said string, c plumb.Confidence) float64 {
	r := 0.5 + 0.35*text.Compare(question, said, language(question), nil).Recall
	switch c {
	case plumb.High:
		r += 0.15
	case plumb.Medium:
		r += 0.08
	}
	return math.Round(min(r, 1)*1000) / 1000
}
