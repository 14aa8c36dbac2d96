package gather

// A unit researched with a model: a loop of searching, opening and thinking, in which every source that is opened is
// extracted from by a call of its own. What the unit may know is its task; what it may reach are its tools.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/llm"
)

// maxAnalysis is how much of a worker's own words is kept, in characters.
const maxAnalysis = 1000

// inquiry is a unit under way.
type inquiry struct {
	result
	model llm.Model
	loop  loop

	known  []target        // what may be opened, in the order it was found
	places map[string]int  // by identity, its place in known
	opened map[string]bool // by identity: opened by this unit
	before map[string]bool // by identity: opened by earlier units
	calls  int             // of tools
	finds  int             // searches
	reads  int             // sources opened
	stop   error           // why no further call makes sense
}

func newInquiry(m llm.Model, task UnitTask, tools Tools) *inquiry {
	u := &inquiry{result: result{task: task, tools: tools}, model: llm.Drive(m), places: map[string]int{}, opened: map[string]bool{}, before: map[string]bool{}}
	for _, v := range task.Visited {
		u.before[link.Identity(v)] = true
	}
	return u
}

// target is an address that may be opened.
type target struct {
	lead plumb.Lead
	doc  *plumb.Source // of the library; nil: outside
	kind string
}

// Research answers a unit's question from sources. What was found is kept when the context ends, the budget runs out
// (Broke) or the model fails on the way; a unit that found nothing returns the error.
func (t LLM) Research(ctx context.Context, task UnitTask, tools Tools) (UnitResult, error) {
	if err := noModel(t.Worker, llm.Worker); err != nil {
		return UnitResult{}, err
	}
	show(task.Emit, task.Unit.ID, plumb.Event{Kind: plumb.UnitStarted, Text: task.Unit.Question})
	u := newInquiry(t.Worker, task, tools)
	err := u.run(ctx)
	u.keepRows()
	if err == nil && tools.Earlier != nil {
		err = u.reuse(ctx)
	}
	if len(task.Missing) > 0 {
		u.note("Researched without " + strings.Join(task.Missing, ", ") + ", which brought no result.")
	}
	switch {
	case err == nil:
	case errors.Is(err, llm.ErrBudget):
		u.out.Broke = true
		u.note("The budget ran out before the unit was through.")
	case len(u.citable()) == 0 || errors.Is(err, llm.ErrNotRecorded):
		return UnitResult{}, fmt.Errorf("unit %s: %w", task.Unit.ID, err)
	case ctx.Err() == nil:
		u.note("The model failed before the unit was through; what was found until then is kept.")
	}
	return u.out, nil
}

func (u *inquiry) citable() []plumb.Finding {
	return slices.DeleteFunc(slices.Clone(u.out.Findings), func(f plumb.Finding) bool { return !f.Citable() })
}

// run is the whole conversation.
func (u *inquiry) run(ctx context.Context) error {
	req, err := u.begin(ctx)
	if err != nil {
		return err
	}
	u.loop = loop{model: u.model, req: req}
	for u.stop == nil {
		a, err := u.loop.turn(ctx)
		if err != nil {
			return err
		}
		said := llm.Strip(a.Text)
		if len(a.Calls) == 0 {
			u.note(line(said, maxAnalysis))
			break
		}
		if said != "" {
			show(u.task.Emit, u.task.Unit.ID, plumb.Event{Kind: plumb.Thought, Text: line(said, maxThought)})
		}
		u.act(ctx, a.Calls)
		if u.calls >= u.hardStop() {
			u.note(fmt.Sprintf("Stopped at the tool call limit of %d.", u.hardStop()))
			break
		}
	}
	if u.stop == nil && u.reads == 0 {
		u.readAnyway(ctx)
	}
	return u.stop
}

// Limits, with the numbers of the preset standard where none are set.
func (u *inquiry) characters() int { return orDefault(u.task.Limits.Characters, 5000) }
func (u *inquiry) searches() int   { return orDefault(u.task.Limits.Searches, 15) }
func (u *inquiry) toolCalls() int  { return orDefault(u.task.Limits.ToolCalls, 40) }
func (u *inquiry) hardStop() int   { return u.toolCalls() * 3 / 2 }

func orDefault(n, other int) int {
	if n > 0 {
		return n
	}
	return other
}

func (u *inquiry) question() string {
	return orElse(u.task.Unit.Question, u.task.Brief.Question)
}

func (u *inquiry) topic() topic {
	return topic{area: u.area(), question: u.question(), queries: u.task.Unit.Queries}
}

// terms are what passages are held against: the question and its other phrasings.
func (u *inquiry) terms() string {
	return strings.Join(append([]string{u.question()}, u.task.Unit.Queries...), " ")
}

// unitData is what the prompt unit shows.
type unitData struct {
	Question, Brief, Queries, Date, Where, Official, Searching string
	Earlier, Missing, Visited, Passages                        string
	Search, Library                                            bool
	Sources, Searches, Calls                                   int
}

// begin searches the library for the model, which saves it a turn, and writes the first messages.
func (u *inquiry) begin(ctx context.Context) (*llm.Request, error) {
	var hits []plumb.Hit
	if u.tools.Library != nil {
		var err error
		if hits, err = u.passages(ctx, phrasings(u.topic(), u.task.Brief)); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			u.note("The library could not be searched.")
		}
	}
	u.meetNamed()
	data := u.data()
	req, err := u.render(data)
	if err != nil {
		return nil, err
	}
	room := llm.Room(u.model.Traits(), req, req.Output)
	room -= min(1500, room/2) // for the first replies
	data.Passages = strings.Join(fitting(u.passageEntries(hits), room/2), "\n")
	room -= llm.Tokens(data.Passages)
	data.Earlier = strings.Join(fitting(bullets(u.task.Earlier, 20, 600), room/2), "\n")
	room -= llm.Tokens(data.Earlier)
	data.Visited = strings.Join(fitting(u.visitedElsewhere(), room/2), "\n")
	return u.render(data)
}

func fitting(entries []string, room int) []string { return entries[:llm.Fit(entries, room)] }

func (u *inquiry) render(data unitData) (*llm.Request, error) {
	req, err := request(u.model, "unit", data, unitOutput)
	if err != nil {
		return nil, err
	}
	req.Tools = u.toolbox()
	return req, nil
}

// data is what is always shown.
func (u *inquiry) data() unitData {
	w := u.task.Question.Where
	d := unitData{
		Question: u.question(), Brief: u.task.Brief.Question, Queries: strings.Join(u.task.Unit.Queries, "\n"), Official: strings.Join(u.task.Brief.Entity.Domains, "\n"), Date: dayOf(u.task.Question),
		Missing: strings.Join(u.task.Missing, ", "), Search: u.tools.Web != nil || u.tools.Papers != nil, Library: u.tools.Library != nil,
		Sources: u.sources(), Searches: u.searches(), Calls: u.toolCalls(),
	}
	if u.tools.Pages == nil {
		d.Official = ""
	}
	var with []string
	for _, t := range []struct {
		there bool
		how   string
	}{{u.tools.Web != nil, "the web with search_web"}, {u.tools.Papers != nil, "papers with search_papers"}, {u.tools.Library != nil, "the documents with search_library"}} {
		if t.there {
			with = append(with, t.how)
		}
	}
	d.Searching = strings.Join(with, ", ")
	var where []string
	switch k := u.task.Unit.Kind; {
	case k == plumb.Academic && u.tools.Papers != nil:
		where = append(where, "Begin with papers.")
	case k == plumb.Internal && d.Search && u.tools.Library != nil:
		where = append(where, "Begin with the author's own documents, and stay with them as long as they answer.")
	}
	if w.Since != "" {
		where = append(where, "Nothing older than "+w.Since+" is wanted.")
	}
	if len(w.Include) > 0 {
		where = append(where, "Only these sites are wanted: "+strings.Join(w.Include, ", ")+".")
	}
	d.Where = strings.Join(where, " ")
	return d
}

// visitedElsewhere are addresses that earlier units opened, the latest ones first.
func (u *inquiry) visitedElsewhere() []string {
	var out []string
	for i := len(u.task.Visited) - 1; i >= 0 && len(out) < 40; i-- {
		if v := u.task.Visited[i]; u.before[link.Identity(v)] {
			out = append(out, line(v, maxQuery))
		}
	}
	return out
}

// meetNamed makes the addresses that the question itself names known.
func (u *inquiry) meetNamed() {
	for _, t := range u.named() {
		u.meet(t)
	}
}

// readAnyway opens the best of what was found for a model that ended without having opened anything; one that did not
// even search has the search done for it. What can't be read makes room for the next.
func (u *inquiry) readAnyway(ctx context.Context) {
	if len(u.known) == 0 && u.tools.Pages != nil {
		for _, t := range u.leads(ctx, u.topic()) {
			u.meet(t)
		}
	}
	left := u.known[:min(len(u.known), 2*u.sources())]
	for len(left) > 0 && u.stop == nil && ctx.Err() == nil && u.reads < u.sources() {
		var jobs []job
		for _, t := range left[:min(len(left), u.sources()-u.reads)] {
			jobs = append(jobs, u.open(t.lead.URL))
		}
		left = left[len(jobs):]
		u.do(ctx, jobs)
	}
}
