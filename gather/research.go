package gather

// Research: the passages that answer a unit's question, sentence by sentence, verbatim.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
)

// topic is an area as a unit researches it.
type topic struct {
	area     string
	question string
	queries  []string
	behind   bool // asks for the reason of a reason
}

// Research searches the user's documents for a unit's question and returns the sentences that answer it, each with the
// passage it stands in. Where the documents do not speak of what is asked it returns no findings. A context that ends
// early leaves what was found so far.
func (Extractive) Research(ctx context.Context, t UnitTask, tools Tools) (UnitResult, error) {
	show(t.Emit, t.Unit.ID, plumb.Event{Kind: plumb.UnitStarted, Text: t.Unit.Question})
	res := &result{task: t, tools: tools}
	err := res.researchArea(ctx)
	if err == nil && tools.Earlier != nil {
		err = res.reuse(ctx)
	}
	if err != nil && (ctx.Err() == nil || len(res.out.Findings) == 0) {
		return UnitResult{}, fmt.Errorf("unit %s: %w", t.Unit.ID, err)
	}
	if len(t.Missing) > 0 {
		res.note("Researched without " + strings.Join(t.Missing, ", ") + ", which brought no result.")
	}
	return res.out, nil
}

// result gathers what a unit returns.
type result struct {
	task  UnitTask
	tools Tools
	out   UnitResult
	// mentioned remembers which documents have which names.
	mentioned map[string]int
}

// researchArea researches a unit that serves one area.
func (r *result) researchArea(ctx context.Context) error {
	u := r.task.Unit
	tp := topic{area: u.Area, question: u.Question, queries: u.Queries}
	if tp.area == "" && len(r.task.Brief.Areas) == 1 {
		tp.area = r.task.Brief.Areas[0].Name
	}
	if tp.question == "" {
		tp.question = r.task.Brief.Question
	}
	found, err := r.look(ctx, tp)
	if err != nil {
		return err
	}
	if len(found.picked) == 0 {
		r.note(found.nothing(tp))
	}
	r.read(found.documents)
	r.take(ctx, found.picked[:min(r.findings(), len(found.picked))], tp.area)
	return nil
}

// findings is how many the unit may return.
func (r *result) findings() int {
	if n := r.task.Limits.Findings; n > 0 {
		return n
	}
	return 25
}

// documentsAtMost is how many documents a topic may read.
func (r *result) documentsAtMost() int { return max(3*r.task.Limits.Sources, 8) }

func (r *result) note(s string) {
	if s != "" && !slices.Contains(r.out.Notes, s) {
		r.out.Notes = append(r.out.Notes, s)
	}
}

// read records documents that were read, once each.
func (r *result) read(docs []plumb.Source) {
	for _, d := range docs {
		if slices.ContainsFunc(r.out.Sources, func(s plumb.Source) bool { return s.Hash == d.Hash }) {
			continue
		}
		r.out.Sources = append(r.out.Sources, d)
		if !slices.Contains(r.task.Visited, d.URL) {
			r.out.Visited = append(r.out.Visited, d.URL)
		}
		show(r.task.Emit, r.task.Unit.ID, plumb.News(plumb.SourceRead, "Read "+title(d), d))
	}
}

func title(s plumb.Source) string {
	if s.Title != "" {
		return s.Title
	}
	return strings.TrimPrefix(s.URL, "doc:")
}

// take makes findings of picked sentences, leaving out what is there already.
func (r *result) take(ctx context.Context, picked []pick, area string) {
	var fs []plumb.Finding
	for _, p := range picked {
		if slices.ContainsFunc(r.out.Findings, func(f plumb.Finding) bool { return overlaps(f.Passage(), p.passage()) }) {
			continue
		}
		fs = append(fs, r.finding(p, area))
	}
	if r.tools.Texts != nil {
		kept, dropped, err := Quoted(context.WithoutCancel(ctx), fs, r.tools.Texts)
		if err != nil || dropped > 0 {
			r.note("Some passages are no longer in the stored text and were left out.")
		}
		fs = kept
	}
	for _, f := range fs {
		f.ID = fmt.Sprintf("%s-f%02d", r.task.Unit.ID, len(r.out.Findings)+1)
		r.out.Findings = append(r.out.Findings, f)
		show(r.task.Emit, r.task.Unit.ID, plumb.News(plumb.FindingMade, f.Content, f))
	}
}

func (r *result) finding(p pick, area string) plumb.Finding {
	s := p.hit.Source
	return plumb.Finding{
		Content: plain(p.quote), SourceURL: s.URL, SourceTitle: title(s),
		Subtask: r.task.Number, Worker: "researcher-" + r.task.Unit.ID, At: r.task.At, Verified: true, SearchType: "internal",
		Verification: "verified", Status: s.Status, Depth: plumb.FullScrape, Quote: p.quote, Confidence: p.confidence(),
		Chars: s.Chars, Source: s.Hash, QuoteStart: p.start, QuoteEnd: p.end, Unit: r.task.Unit.ID, Area: area, Key: s.Key,
		Date: s.Date, Relevance: p.relevance(),
	}
}

// plain is a quote on one line, without the emphasis and the table bars of its source.
func plain(quote string) string {
	s := strings.NewReplacer("**", "", " | ", "; ", "\u00ad", "").Replace(quote)
	return strings.Join(strings.Fields(s), " ")
}

// maxReused bounds the findings of earlier runs that a unit takes up.
const maxReused = 5

// reuse adds findings of earlier runs, marked with the run they come from, that say something new.
func (r *result) reuse(ctx context.Context) error {
	old, err := r.tools.Earlier.EarlierFindings(ctx, r.task.Unit.Question, 4*maxReused)
	if err != nil {
		r.note("Findings of earlier runs could not be read.")
		return ctx.Err()
	}
	added := 0
	for _, f := range old {
		if added == maxReused || len(r.out.Findings) >= r.findings() {
			break
		}
		known := func(g plumb.Finding) bool { return overlaps(f.Passage(), g.Passage()) || f.Content == g.Content }
		if f.Reused == "" || !f.Citable() || slices.ContainsFunc(r.out.Findings, known) {
			continue
		}
		f.ID = fmt.Sprintf("%s-f%02d", r.task.Unit.ID, len(r.out.Findings)+1)
		f.Unit, f.Area, f.Subtask = r.task.Unit.ID, r.task.Unit.Area, r.task.Number
		r.out.Findings, added = append(r.out.Findings, f), added+1
		show(r.task.Emit, r.task.Unit.ID, plumb.News(plumb.FindingMade, f.Content, f))
	}
	return nil
}

// overlaps says whether two passages share text.
func overlaps(a, b plumb.Passage) bool {
	return a.Source == b.Source && a.Start < b.End && b.Start < a.End
}
