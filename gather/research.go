package gather

// Research: the passages that answer a unit's question, sentence by sentence, verbatim.

import (
	"context"
	"fmt"
	"math"
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

// Research searches the user's documents for a unit's question, and the web and papers where those do not answer, and
// returns the sentences that do, each with the passage it stands in. Where no source speaks of what is asked it returns
// no findings; a search that fails is an event and a note, not a failed unit. A context that ends early leaves what was
// found so far.
func (Extractive) Research(ctx context.Context, t UnitTask, tools Tools) (UnitResult, error) {
	show(t.Emit, t.Unit.ID, plumb.Event{Kind: plumb.UnitStarted, Text: t.Unit.Question})
	res := &result{task: t, tools: tools}
	err := res.researchArea(ctx)
	if err == nil && tools.Earlier != nil {
		err = res.reuse(ctx)
	}
	res.keepRows()
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
	pages map[string]*reading // by hash: read from outside
	rows  []plumb.Finding     // of leads that could not be read
	// mentioned remembers which documents have which names.
	mentioned map[string]int
}

// researchArea researches a unit that serves one area.
func (r *result) researchArea(ctx context.Context) error {
	u := r.task.Unit
	tp := topic{area: r.area(), question: orElse(u.Question, r.task.Brief.Question), queries: u.Queries}
	found, err := r.lookInside(ctx, tp)
	if err != nil {
		return err
	}
	if r.tools.Pages != nil {
		found = r.lookOutside(ctx, tp, found)
	}
	if len(found.picked) == 0 {
		r.note(r.nothing(found, tp))
	}
	r.read(found.documents)
	r.take(ctx, found.picked[:min(r.findings(), len(found.picked))])
	return nil
}

// lookInside asks the documents. Where there is an outside to turn to, documents that can't be searched are done without.
func (r *result) lookInside(ctx context.Context, tp topic) (found, error) {
	if r.tools.Pages == nil {
		return r.look(ctx, tp)
	}
	inside, cancel := context.WithTimeout(ctx, libraryTime)
	defer cancel()
	f, err := r.look(inside, tp)
	if err == nil || ctx.Err() != nil {
		return f, err
	}
	const why = "The library could not be searched."
	r.note(why)
	show(r.task.Emit, r.task.Unit.ID, plumb.Event{Kind: plumb.Warning, Text: why})
	return r.choose(ctx, tp, r.languageOf(tp), nil), nil
}

// nothing says in one line that, and why, a topic has no findings.
func (r *result) nothing(f found, tp topic) string {
	switch {
	case len(r.pages) > 0:
		return "What was read does not answer: " + tp.question
	case r.tools.Pages != nil:
		return "Nothing was found on: " + tp.question
	case f.passages == 0:
		return "No passage of the documents speaks of: " + tp.question
	}
	return "The documents do not answer: " + tp.question
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
		r.visit(d.URL)
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
func (r *result) take(ctx context.Context, picked []pick) {
	var fs []plumb.Finding
	for _, p := range picked {
		if slices.ContainsFunc(r.out.Findings, func(f plumb.Finding) bool { return overlaps(f.Passage(), p.passage()) }) {
			continue
		}
		fs = append(fs, r.finding(p))
	}
	if r.tools.Texts != nil {
		kept, dropped, err := Quoted(context.WithoutCancel(ctx), fs, r.tools.Texts)
		if err != nil || dropped > 0 {
			r.note("Some passages are no longer in the stored text and were left out.")
		}
		fs = kept
	}
	for _, f := range fs {
		f.ID = r.nextFinding()
		r.out.Findings = append(r.out.Findings, f)
		show(r.task.Emit, r.task.Unit.ID, plumb.News(plumb.FindingMade, f.Content, f))
	}
}

func (r *result) finding(p pick) plumb.Finding {
	f := r.row(p.hit.Source)
	f.Content, f.Quote, f.QuoteStart, f.QuoteEnd = plain(p.quote), p.quote, p.start, p.end
	f.Confidence, f.Relevance = p.confidence(), p.relevance()
	if page := r.pages[p.hit.Source.Hash]; page != nil {
		o := r.rowOf(page)
		f.SearchType, f.Depth, f.Verification = o.SearchType, o.Depth, o.Verification
		if page.differs {
			f.Relevance = math.Round(1000*differing*f.Relevance) / 1000
		}
	}
	return f
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
		f.ID = r.nextFinding()
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
