package report

// Reviewing with a language model: its reading of the draft, held against what can be counted.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
)

const (
	outputReview   = 1500
	maxReviewNotes = 5
	maxRemark      = 300 // characters
	// How far a model's score may stand above the counted one. Counting can't see that a draft says in other words what
	// it looks for, so it is not the last word; but a draft that leaves an area out is no good draft however well it reads,
	// and leaving one of three out costs some 0.2.
	flattery = 0.15
)

// reviewedDraft is the answer to a review.
type reviewedDraft struct {
	Score    float64  `json:"score"`
	Feedback string   `json:"feedback"`
	Notes    []string `json:"notes"`
}

// reviewData fills the prompt.
type reviewData struct {
	Question, Language string
	Concise            bool
	Areas              []writeArea
	Notes, Draft       string
}

// Review lets the model read the draft beside the notes it was written from. The score is the lower of the model's and
// the counted one with some slack; the feedback is that of both.
func (w LLM) Review(ctx context.Context, m Material, draft string) (Review, error) {
	counted, err := Extractive{}.Review(ctx, m, draft)
	if err != nil {
		return Review{}, err
	}
	r, err := w.reviewRequest(m, draft)
	if err != nil {
		return Review{}, err
	}
	a, err := llm.Ask(ctx, w.Model, r, "review", checkReview)
	if err != nil {
		return Review{}, fmt.Errorf("review: %w", err)
	}
	return combineReviews(a, counted), nil
}

// checkReview sees to a score between 0 and 1. One of 2 to 100 is a percentage or a mark of ten.
func checkReview(a *reviewedDraft) error {
	switch {
	case math.IsNaN(a.Score) || a.Score < 0 || a.Score > 100:
		return fmt.Errorf("score is %v: give a number from 0 to 1", a.Score)
	case a.Score > 10:
		a.Score /= 100
	case a.Score > 1:
		a.Score /= 10
	}
	return nil
}

func combineReviews(a reviewedDraft, counted Review) Review {
	out := Review{Score: math.Round(1000*min(a.Score, counted.Score+flattery)) / 1000, Notes: slices.Clone(counted.Notes)}
	feedback := []string{counted.Feedback, strings.TrimSpace(a.Feedback)}
	out.Feedback = strings.Join(slices.DeleteFunc(feedback, func(s string) bool { return s == "" }), "\n")
	for _, n := range a.Notes[:min(len(a.Notes), maxReviewNotes)] {
		if n = clip(markdown.OneLine(n), maxRemark); n != "" {
			out.Notes = append(out.Notes, n)
		}
	}
	return out
}

// reviewRequest shows the draft with the notes under the numbers that the draft has for them.
func (w LLM) reviewRequest(m Material, draft string) (*llm.Request, error) {
	d := markdown.Parse(draft)
	entries, section, listed := markdown.SourceList(d)
	m.Citations = asNumbered(m.Citations, entries)
	if listed && section > 0 {
		draft = draft[:d.Sections[section].Start] + draft[wholeSection(d, section):]
	}
	g := newDigest(m)
	data := reviewData{Question: askedFor(m), Language: languageName(m.Brief.Language), Concise: m.style() == plumb.Concise, Draft: strings.TrimSpace(draft)}
	fill := func(n int) (*llm.Request, error) {
		jots := g.shown(n)
		data.Notes, data.Areas = noteLines(jots), areasOf(m, g.shown(len(g.jots)))
		messages, err := prompts.Messages("review", data)
		return &llm.Request{Messages: messages, Output: w.reviewOutput()}, err
	}
	empty, err := fill(0)
	if err != nil {
		return nil, err
	}
	output := w.reviewOutput()
	if room := llm.Room(w.Model.Traits(), empty, output); room > 0 {
		return fill(g.fit(room))
	}
	// The draft alone is too long: its beginning must do.
	over := empty.Tokens() - llm.Room(w.Model.Traits(), &llm.Request{}, output)
	data.Draft = beginning(data.Draft, llm.Tokens(data.Draft)-over)
	return fill(0)
}

// reviewOutput is the room for the answer: at most a quarter of the window.
func (w LLM) reviewOutput() int {
	t := w.Model.Traits()
	n := outputReview
	if t.Output > 0 {
		n = min(n, t.Output)
	}
	if t.Window > 0 {
		n = min(n, t.Window/4)
	}
	return n
}

// beginning is as much of a draft as so many tokens hold, in whole lines.
func beginning(draft string, tokens int) string {
	lines := strings.SplitAfter(draft, "\n")
	n := llm.Fit(lines, tokens-16)
	return strings.TrimSpace(strings.Join(lines[:n], "")) + "\n(the rest is left out here for want of room)"
}

// asNumbered gives citations the numbers that a draft's own source list has for them. Those it does not list get numbers
// that no marker can have.
func asNumbered(cs []plumb.Citation, entries []markdown.Entry) []plumb.Citation {
	number := map[string]int{}
	for _, e := range entries {
		if e.URL != "" && e.Number > 0 {
			number[link.Identity(e.URL)] = e.Number
		}
	}
	if len(number) == 0 {
		return cs
	}
	out := slices.Clone(cs)
	for i := range out {
		n, ok := number[link.Identity(out[i].URL)]
		if !ok {
			n = unlisted + i
		}
		out[i].Number = n
	}
	return out
}

// unlisted is the first number that is too long for a marker.
const unlisted = 1000
