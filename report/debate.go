package report

// Debate: where findings contradict each other, both sides are argued and weighed before the report is written.
//
// It runs in comprehensive style only, and only for disagreements that can be shown without a model (disagree.go): the 3
// that matter most. One call argues both sides of a pair and weighs them; what comes of it is a remark to the writer beside
// the notes of both sides, never a finding, so that nothing can be cited for it. A weighing that brings in a figure of its
// own is refused. A model that can't do it costs the remark and nothing else.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

const (
	maxDebates    = 3
	maxVerdict    = 400 // characters; the prompt asks for 300
	maxWhy        = 240
	outputDebate  = 1200
	leastInvented = 10 // numbers below are words of the language: two sources, one of them
)

// debated is the answer to a debate.
type debated struct {
	Verdict string `json:"verdict"`
	Stands  string `json:"stands"`
	Reason  string `json:"reason"`
}

// debateData fills the prompt.
type debateData struct {
	Question, Language                   string
	First, Second, FirstDate, SecondDate string
}

// debate weighs the first disagreements. It gives what came of them by their index; errors are those after which no
// further call can succeed.
func debate(ctx context.Context, model llm.Model, m Material, clashes []disagreement) (map[int]string, error) {
	out := map[int]string{}
	for i, d := range clashes[:min(len(clashes), maxDebates)] {
		w, err := weigh(ctx, model, m, d)
		switch {
		case err == nil:
			out[i] = w
		case ctx.Err() != nil, errors.Is(err, llm.ErrBudget), errors.Is(err, llm.ErrNotRecorded), llm.Hopeless(err):
			return nil, fmt.Errorf("debate: %w", err)
		}
	}
	return out, nil
}

func weigh(ctx context.Context, model llm.Model, m Material, d disagreement) (string, error) {
	data := debateData{Question: askedFor(m), Language: languageName(m.Brief.Language), First: sideText(d.sides[0], d.values[0]), Second: sideText(d.sides[1], d.values[1]),
		FirstDate: cmp.Or(plainLine(day(d.sides[0][0].date), 20), "undated"), SecondDate: cmp.Or(plainLine(day(d.sides[1][0].date), 20), "undated")}
	messages, err := prompts.Messages("debate", data)
	if err != nil {
		return "", err
	}
	a, err := llm.Ask(ctx, model, &llm.Request{Messages: messages, Output: outputDebate}, "debate", func(a *debated) error { return a.check(data) })
	if err != nil {
		return "", err
	}
	return weighing(a, d), nil
}

// sideText is one side as the prompt has it.
func sideText(side []*statement, value string) string {
	lines := []string{"says: " + plainLine(value, 120)}
	for _, s := range side {
		line := fmt.Sprintf("%s: %s", plainLine(strings.ReplaceAll(s.title, `\`, ""), maxTitle), clip(s.text, maxFact))
		if s.quote != "" && text.Fold(s.quote) != text.Fold(s.text) {
			line += " — \"" + plainLine(s.quote, maxQuote) + "\""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// check refuses what is no weighing of these two sides.
func (a *debated) check(data debateData) error {
	a.Verdict, a.Reason, a.Stands = plainLine(a.Verdict, maxVerdict), plainLine(a.Reason, maxWhy), strings.ToLower(strings.TrimSpace(a.Stands))
	if utf8.RuneCountInString(a.Verdict) < 10 {
		return errors.New("verdict is empty: say in one or two sentences how the two sources stand to each other")
	}
	if !slices.Contains([]string{"first", "second", "both", "neither"}, a.Stands) {
		return fmt.Errorf("stands is %q: it must be first, second, both or neither", a.Stands)
	}
	given := text.Quantities(strings.Join([]string{data.First, data.Second, data.FirstDate, data.SecondDate, data.Question}, "\n"))
	for _, q := range text.Quantities(a.Verdict + "\n" + a.Reason) {
		if q.Value >= leastInvented && !slices.ContainsFunc(given, func(o text.Quantity) bool { return sameFigure(q, o) }) {
			return fmt.Errorf("%q stands in neither source: use only what they say", q.Span.Of(a.Verdict+"\n"+a.Reason))
		}
	}
	return nil
}

// weighing is what the writer is told, with the numbers of both sides.
func weighing(a debated, d disagreement) string {
	first, second := d.sides[0][0].cites[0], d.sides[1][0].cites[0]
	stands := map[string]string{"first": fmt.Sprintf("more speaks for [%d]", first), "second": fmt.Sprintf("more speaks for [%d]", second),
		"both": "both can be true", "neither": "it can't be told from here"}[a.Stands]
	return strings.TrimSpace(fmt.Sprintf("%s (%s; %s).", a.Verdict, stands, cmp.Or(strings.TrimRight(a.Reason, "."), "no reason given")))
}

// sameFigure: a year is that of a day.
func sameFigure(q, o text.Quantity) bool {
	return q.Equal(o) || q.Kind == text.KindDate && o.Kind == text.KindDate && q.Admits(o)
}
