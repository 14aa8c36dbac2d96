package report

// Writing with a language model: from notes that it may cite, in the room that its window has.

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
)

// LLM writes and reviews with a language model.
type LLM struct{ Model llm.Model }

var (
	_ Writer   = LLM{}
	_ Reviewer = LLM{}

	//go:embed prompts/*.md
	promptFiles embed.FS
	prompts     = llm.LoadPrompts(promptFiles)
)

// Tokens of a draft. A model that thinks aloud needs room beyond its text; an estimate that is set aside in the budget
// should not be far above what is used.
const (
	outputConcise = 3000
	outputBase    = 4000
	outputArea    = 800
	outputMost    = 12000
)

// Write writes the draft. Without a finding that can be cited nothing is asked of the model: it could only make things
// up. Errors of the model come back as they are, but for prompts that are too long; see shrink.
func (w LLM) Write(ctx context.Context, m Material) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	job := &writing{model: w.Model, m: m, digest: newDigest(m), stream: stream{emit: m.Emit}, clean: newCleaner(m)}
	if len(job.digest.jots) == 0 {
		return Extractive{}.Write(ctx, m)
	}
	if m.style() != plumb.Concise {
		var err error
		if job.weighed, err = debate(ctx, w.Model, m, job.digest.clashes); err != nil {
			return "", err
		}
	}
	return job.shrink(ctx)
}

// writing is one draft in the making.
type writing struct {
	model   llm.Model
	m       Material
	digest  digest
	weighed map[int]string // what debates made of clashes, by their index
	stream  stream
	clean   cleaner
	prompt  []llm.Message // of the first request, which all later ones go on from
}

// writeArea is an area as a prompt names it.
type writeArea struct {
	Name, Question      string
	Notes, Chars, Cites int
}

// writeData fills the prompt. Everything in it comes from the material alone.
type writeData struct {
	headings
	Question, Language string
	Concise            bool
	Want               int
	Areas              []writeArea
	Notes, Clashes     string
	Feedback           string
}

// Sources in headings is a title; in the prompt it is the list.
type writePrompt struct {
	writeData
	Sources string
}

const maxFeedback = 4000 // characters, of a review

// request asks for a draft from the first n notes.
func (w *writing) request(n int) (*llm.Request, []jot, error) {
	jots := w.digest.shown(n)
	numbers := numbersOf(jots)
	lang := w.m.Brief.Language
	data := writePrompt{Sources: sourceLines(w.m.Citations, numbers), writeData: writeData{headings: headingsOf(lang), Question: askedFor(w.m), Language: languageName(lang),
		Concise: w.m.style() == plumb.Concise, Want: wanted(w.m, len(numbers)), Areas: areasOf(w.m, jots), Notes: noteLines(jots),
		Clashes: clashLines(w.digest.clashes, jots, w.weighed), Feedback: clip(w.m.Feedback, maxFeedback)}}
	messages, err := prompts.Messages("write", data)
	return &llm.Request{Messages: messages, Output: w.output()}, jots, err
}

// askedFor is what the report must answer, and in which words it was asked.
func askedFor(m Material) string {
	q := strings.TrimSpace(m.Brief.Question)
	if asked := strings.TrimSpace(m.Question.Text); asked != "" && asked != q {
		q = strings.TrimSpace(q + "\n\nAsked as: " + clip(asked, 2000))
	}
	return q
}

func areasOf(m Material, jots []jot) []writeArea {
	out := make([]writeArea, len(m.Brief.Areas))
	for i, a := range m.Brief.Areas {
		var of []jot
		for _, j := range jots {
			if j.area == i {
				of = append(of, j)
			}
		}
		out[i] = writeArea{Name: areaName(m.Brief.Areas, i), Notes: len(of), Chars: needChars(m, of), Cites: needCites(m, of)}
		if q := plainLine(a.Question, maxQuestionTitle); !strings.EqualFold(strings.TrimRight(q, "?"), out[i].Name) {
			out[i].Question = q
		}
	}
	return out
}

// output is the room for the draft: at most a third of the window.
func (w *writing) output() int {
	n := outputConcise
	if w.m.style() != plumb.Concise {
		n = min(outputBase+outputArea*len(w.m.Brief.Areas), outputMost)
	}
	t := w.model.Traits()
	if t.Output > 0 {
		n = min(n, t.Output)
	}
	if t.Window > 0 {
		n = min(n, t.Window/3)
	}
	return n
}

// draft writes from the first n notes: the answer, continued where it was cut, corrected where it cites too little.
func (w *writing) draft(ctx context.Context, n int) (string, error) {
	r, jots, err := w.request(n)
	if err != nil {
		return "", err
	}
	w.prompt = r.Messages
	a, err := w.call(ctx, r, "")
	if err != nil {
		return "", err
	}
	said, err := w.goOn(ctx, r, a, jots)
	if err != nil {
		return "", err
	}
	g := w.gaps(said, jots)
	if g.wanting() && a.Stop != llm.Refusal {
		if said, err = w.correct(ctx, r, said, g, jots); err != nil {
			return "", err
		}
		g = w.gaps(said, jots)
	}
	if g.cited == 0 {
		return "", fmt.Errorf("a draft that cites none of %s: %w", count(len(numbersOf(jots)), "source"), llm.ErrAnswer)
	}
	return w.finish(w.tidy(said), jots), nil
}

// call asks, and shows the answer as it comes.
func (w *writing) call(ctx context.Context, r *llm.Request, before string) (*llm.Answer, error) {
	w.stream.start(before)
	if w.m.Emit != nil {
		r.Delta = w.stream.delta
	}
	a, err := w.model.Complete(ctx, r)
	w.stream.end()
	return a, err
}

// tidy is what the model wrote as a draft with its headings in order.
func (w *writing) tidy(said string) string {
	return head(w.clean.clean(said), w.m.Brief.Areas, w.m.Brief.Language, title(w.m.Brief, w.m.Question))
}

func (w *writing) gaps(said string, jots []jot) gaps { return gapsOf(w.m, w.tidy(said), jots) }

// correct asks once for a version that has what is lacking, and keeps the better of the two. A call that fails leaves
// the first.
func (w *writing) correct(ctx context.Context, r *llm.Request, said string, g gaps, jots []jot) (string, error) {
	ask, err := prompts.Messages("correct", struct{ Lacks []string }{g.lacks()})
	if err != nil {
		return "", err
	}
	next, ok := w.follow(r, said, ask)
	if !ok {
		return said, nil
	}
	a, err := w.call(ctx, next, "")
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, context.Canceled) {
			return "", err
		}
		return said, nil
	}
	second := w.said(a, next)
	better := w.gaps(second, jots)
	if better.missing > g.missing || better.missing == g.missing && better.cited <= g.cited || better.open != "" && g.open == "" {
		w.stream.start("")
		w.stream.show(said)
		return said, nil
	}
	return second, nil
}

// finish adds what is certain whoever writes: areas without notes say so, what was left out is counted, and the list of
// sources stands under its title in the report's language.
func (w *writing) finish(draft string, jots []jot) string {
	lang := w.m.Brief.Language
	draft, unseen := onlyShown(draft, numbersOf(jots), w.m.Citations)
	if unseen > 0 && w.m.Emit != nil {
		w.m.Emit(plumb.Event{Kind: plumb.Warning, Text: fmt.Sprintf("%d citation numbers that the model was not shown were removed from the draft", unseen)})
	}
	draft = emptyAreas(draft, w.m.Brief.Areas, lang, func(area int) bool {
		for _, j := range w.digest.jots {
			if j.area == area {
				return true
			}
		}
		return false
	})
	if n := w.digest.leftOut + len(w.digest.jots) - len(jots); n > 0 {
		draft += "\n" + note(fmt.Sprintf(phrasesOf(lang).leftOut, n)) + "\n"
	}
	var cited []plumb.Citation
	numbers := citedBetween(markdown.Markers(draft), numbersOf(jots), 0, len(draft))
	for _, c := range w.m.Citations {
		for _, n := range numbers {
			if c.Number == n {
				cited = append(cited, c)
			}
		}
	}
	if len(cited) == 0 {
		return draft
	}
	return draft + "\n## " + headingsOf(lang).Sources + "\n\n" + sourceList(cited)
}
