package gather

// Plan: a unit for each area, how hard the question is, and what a person wants changed.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// Plan makes a unit of each area of the brief. Feedback changes the plan of the round before.
func (Extractive) Plan(ctx context.Context, t PlanTask) (plumb.Plan, error) {
	if err := ctx.Err(); err != nil {
		return plumb.Plan{}, err
	}
	p := plumb.Plan{Round: max(t.Round, 1), Feedback: t.Feedback, By: by}
	p.Units = unitsOf(t)
	if t.Previous != nil && len(t.Previous.Units) > 0 {
		p.Units = slices.Clone(t.Previous.Units)
	}
	if strings.TrimSpace(t.Feedback) != "" {
		p.Units, p.Notes = revise(p.Units, t)
	}
	p.Complexity = complexity(t.Brief, p.Units)
	proposed := make([]plumb.Proposed, len(p.Units))
	for i, u := range p.Units {
		proposed[i] = plumb.Proposed{ID: u.ID, Needs: u.Needs}
	}
	p.Mode = plumb.Choose(t.Question.Mode, p.Complexity, proposed)
	p.Evidence = evidenceLine(t)
	p.Form = formLine(t, p.Units)
	return p, nil
}

// unitsOf are the units of a fresh plan.
func unitsOf(t PlanTask) []plumb.Unit {
	areas := t.Brief.Areas
	if len(areas) == 0 {
		areas = []plumb.Area{{Name: heading(t.Brief.Question, t.Brief.Language, t.Brief.Entity.Name, false), Question: t.Brief.Question}}
	}
	var out []plumb.Unit
	for i, a := range areas {
		u := plumb.Unit{ID: "u" + strconv.Itoa(i+1), Question: a.Question, Kind: kindFor(a.Question, t.Question.Where, t.Limits), Area: a.Name}
		u.Queries = queriesOf(a.Question, t.Brief)
		if i > 0 && marked(a.Question, depending) {
			u.Needs = []string{out[i-1].ID}
		}
		out = append(out, u)
	}
	return out
}

// kindOf says where to look first: own documents when there is nothing else, papers when there is no web search.
func kindOf(w plumb.Where) plumb.UnitKind {
	switch {
	case len(w.Search) == 0 && len(w.Papers) == 0:
		return plumb.Internal
	case len(w.Search) == 0:
		return plumb.Academic
	}
	return plumb.General
}

// ofScience are words by which a question asks for what studies say.
var ofScience = phrases(`study; studies; research; researchers; scientific; evidence; trial; trials; randomised; randomized; meta-analysis;
	systematic review; literature; peer-reviewed; papers; preprint; hypothesis; efficacy; statistically; studie; studien; forschung;
	wissenschaftlich; evidenz; étude; études; recherche; scientifique; estudio; estudios; investigación; científico; científica; studi; ricerca`)

// kindFor is kindOf for a question: where there are papers, those that ask for studies begin with them, and in the
// preset academic all do.
func kindFor(question string, w plumb.Where, l plumb.Limits) plumb.UnitKind {
	if len(w.Papers) > 0 && (l.Preset == "academic" || marked(question, ofScience)) {
		return plumb.Academic
	}
	return kindOf(w)
}

// queriesOf are phrasings of a question beside itself: its key terms, and those with the name it is about.
func queriesOf(question string, b plumb.Brief) []string {
	lang := language(question)
	rest := question
	if b.Entity.Name != "" {
		rest = strings.ReplaceAll(question, b.Entity.Name, " ")
	}
	key := contentWords(rest, lang)
	if len(key) == 0 {
		return nil
	}
	out := []string{strings.Join(key, " ")}
	if b.Entity.Name != "" {
		out = append(out, b.Entity.Name+" "+out[0])
	}
	return out
}

// complexity grows with parts, length and comparisons: 0.2 for a plain question of one part, at most 0.9. Two parts are
// enough for units of their own.
func complexity(b plumb.Brief, units []plumb.Unit) float64 {
	own := 0
	for _, u := range units {
		if u.Area != "" {
			own++
		}
	}
	c := 0.2
	if own > 1 {
		c = 0.4 + 0.1*float64(own-1)
	}
	ws := strings.Fields(b.Question)
	if len(ws) > 25 || !spaced(b.Question) && len([]rune(b.Question)) > 50 {
		c += 0.1
	}
	if slices.ContainsFunc(ws, func(w string) bool { return comparing[bare(w)] }) {
		c += 0.15
	}
	return math.Round(min(c, 0.9)*100) / 100
}

var (
	dropping = phrases("drop; without; skip; remove; leave out; not interested in; no need for; ignore; exclude; ohne; weglassen; sans; sin")
	adding   = wordSet("also add include please and cover focus on about look into at the a an more research with plus i we want would like you should what")
)

// revise applies a person's feedback: units that it wants dropped go, anything else becomes one more unit.
func revise(units []plumb.Unit, t PlanTask) ([]plumb.Unit, []string) {
	var notes []string
	for _, wish := range strings.FieldsFunc(t.Feedback, func(r rune) bool { return strings.ContainsRune(".;\n", r) }) {
		wish = strings.TrimSpace(wish)
		if wish == "" {
			continue
		}
		if marked(wish, dropping) {
			i := nearest(units, wish)
			if i < 0 || len(units) == 1 {
				notes = append(notes, "No unit matches: "+wish)
				continue
			}
			notes = append(notes, "Dropped: "+units[i].Question)
			units = without(units, i)
			continue
		}
		u := added(units, wish, t)
		units = append(units, u)
		notes = append(notes, "Added: "+u.Question)
	}
	return units, notes
}

// nearest finds the unit that shares most words with a wish, -1 when none shares any.
func nearest(units []plumb.Unit, wish string) int {
	best, at := 0, -1
	for i, u := range units {
		if u.Area == "" {
			continue
		}
		lang := language(u.Question)
		n := 0
		have := text.Terms(u.Question+" "+u.Area, lang)
		for _, w := range text.Terms(wish, lang) {
			if slices.ContainsFunc(have, func(h string) bool { return related(h, w) > 0 }) {
				n++
			}
		}
		if n > best {
			best, at = n, i
		}
	}
	return at
}

// without removes unit i and the edges to it.
func without(units []plumb.Unit, i int) []plumb.Unit {
	id := units[i].ID
	out := slices.Delete(slices.Clone(units), i, i+1)
	for j := range out {
		out[j].Needs = slices.DeleteFunc(slices.Clone(out[j].Needs), func(n string) bool { return n == id })
		if len(out[j].Needs) == 0 {
			out[j].Needs = nil
		}
	}
	return out
}

// added makes a unit of a wish.
func added(units []plumb.Unit, wish string, t PlanTask) plumb.Unit {
	lang := language(wish)
	ws := strings.Fields(strings.TrimRight(wish, " ?!"))
	for len(ws) > 1 && adding[bare(ws[0])] && !begins(ws, lang) {
		ws = ws[1:]
	}
	topic := strings.Join(ws, " ")
	u := plumb.Unit{ID: nextID(units, nil), Kind: kindFor(wish, t.Question.Where, t.Limits), Area: heading(topic, lang, t.Brief.Entity.Name, false)}
	u.Question = withSubject(asQuestion(topic, lang), t.Brief.Entity.Name)
	u.Queries = queriesOf(u.Question, t.Brief)
	return u
}

// nextID is the first of u1, u2 … behind all that are in use.
func nextID(units []plumb.Unit, ids []string) string {
	last := 0
	for _, u := range units {
		ids = append(ids, u.ID)
	}
	for _, id := range ids {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, "u")); err == nil {
			last = max(last, n)
		}
	}
	return "u" + strconv.Itoa(last+1)
}

func evidenceLine(t PlanTask) string {
	var where []string
	if len(t.Question.Where.Folders) > 0 || t.Question.Where.Library {
		where = append(where, "your documents")
	}
	if len(t.Question.Where.Search) > 0 {
		where = append(where, "web pages")
	}
	if len(t.Question.Where.Papers) > 0 {
		where = append(where, "papers")
	}
	if len(where) == 0 {
		where = []string{"your documents"}
	}
	line := "Passages of " + strings.Join(where, " and ") + ", quoted verbatim"
	if n := t.Limits.Gate.Keys; n > 0 {
		line += fmt.Sprintf("; at least %d findings from at least %d distinct sources before research counts as complete", t.Limits.Gate.Records, n)
	}
	return line + "."
}

func formLine(t PlanTask, units []plumb.Unit) string {
	var names []string
	for _, u := range units {
		if u.Area != "" && !slices.Contains(names, u.Area) {
			names = append(names, u.Area)
		}
	}
	style := t.Question.Style
	if style == "" {
		style = t.Limits.Style()
	}
	line := fmt.Sprintf("A %s report", style)
	if len(names) > 1 {
		line += fmt.Sprintf(" with %d sections: %s", len(names), strings.Join(names, "; "))
	} else if len(names) == 1 {
		line += " on: " + names[0]
	}
	return strings.TrimRight(line, "?.") + "."
}
