package gather

// Extraction: what a source has to say on a unit's question, each finding with a quote that stands in the source.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"

	"github.com/plumbresearch/plumb"
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
	kind    string // internal, web or paper
	snippet string // of the search result that led here
	note    string // of whoever read it
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
	c := quoteCheck{reading: r, source: text.NewFolded(r.text)}
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
	reading *reading
	source  *text.Folded
	good    []extracted
	refused int
	told    bool
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
	e = extracted{fact: line(f.Fact, maxQuestion), span: span, confidence: confidenceNamed(f.Confidence), date: f.Date}
	said := plain(span.Of(c.reading.text))
	if e.fact == "" {
		e.fact = said
	}
	if why = beyond(e.fact, said); why != "" && c.told {
		e.fact, why = said, ""
	}
	return e, why
}

// beyond says how a fact goes beyond its quote: a number that it lacks, or its opposite.
func beyond(fact, quote string) string {
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
	s := r.source
	quote := e.span.Of(r.text)
	f := plumb.Finding{
		Content: e.fact, SourceURL: s.URL, SourceTitle: title(s), Subtask: u.task.Number, Worker: "researcher-" + u.task.Unit.ID, At: u.task.At,
		Verified: true, SearchType: r.kind, Verification: "verified", Status: s.Status, Depth: r.depth, Quote: quote, Confidence: e.confidence,
		Chars: s.Chars, Source: s.Hash, QuoteStart: e.span.Start, QuoteEnd: e.span.End, Unit: u.task.Unit.ID, Area: u.area(), Key: s.Key,
		Date: dateOf(r, e.date),
	}
	if f.Chars == 0 {
		f.Chars = len([]rune(r.text))
	}
	if r.depth == plumb.PartialScrape {
		f.Verification = "partial"
	}
	if r.verdict == "contradicted" {
		f.Confidence = lower(f.Confidence)
	}
	f.Relevance = relevance(u.terms(), e.fact+" "+quote, f.Confidence)
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
