package gather

// Plan with a model: units, what they need of each other, and how the question is to be answered.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

// planAnswer is what a model answers to the prompt plan.
type planAnswer struct {
	Units      []planUnit `json:"units"`
	Complexity float64    `json:"complexity"`
	Evidence   string     `json:"evidence_strategy"`
	Form       string     `json:"output_form"`
}

type planUnit struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Area     string   `json:"area"`
	Kind     string   `json:"kind"`
	Queries  []string `json:"queries"`
	Needs    []string `json:"needs"`
}

// planData is what the prompt plan shows.
type planData struct {
	Brief, Kinds, Date, Previous, Feedback, Slant string
	Most                                          int
}

// Plan takes a brief apart into units. The presets deep and academic choose among several plans (see tree.go).
func (t LLM) Plan(ctx context.Context, task PlanTask) (plumb.Plan, error) {
	if err := noModel(t.Orchestrator, llm.Orchestrator); err != nil {
		return plumb.Plan{}, err
	}
	var p plumb.Plan
	var err error
	if branches(task) {
		p, err = t.planTree(ctx, task)
	} else {
		p, err = t.planOnce(ctx, task, "")
	}
	if err != nil {
		return plumb.Plan{}, fmt.Errorf("plan: %w", err)
	}
	return p, nil
}

// planOnce asks for one plan, along a line of thought if one is given.
func (t LLM) planOnce(ctx context.Context, task PlanTask, slant string) (plumb.Plan, error) {
	data := planData{Brief: briefText(task.Brief), Kinds: kindsLine(task.Question.Where), Date: dayOf(task.Question), Feedback: strings.TrimSpace(task.Feedback), Slant: slant, Most: mostUnits(task.Limits)}
	if task.Previous != nil && data.Feedback != "" {
		feedback := data.Feedback
		data.Previous, data.Feedback = "-", "-"
		left, err := room(t.Orchestrator, "plan", data, planOutput)
		if err != nil {
			return plumb.Plan{}, err
		}
		data.Feedback = shorten(feedback, left/2)
		data.Previous = shorten(planText(*task.Previous), left-llm.Tokens(data.Feedback))
	}
	req, err := request(t.Orchestrator, "plan", data, planOutput)
	if err != nil {
		return plumb.Plan{}, err
	}
	a, err := llm.Ask(ctx, t.Orchestrator, req, "plan", func(a *planAnswer) error {
		if !slices.ContainsFunc(a.Units, func(u planUnit) bool { return strings.TrimSpace(u.Question) != "" }) {
			return errors.New("units is empty: give at least one unit with a question")
		}
		return nil
	})
	if err != nil {
		return plumb.Plan{}, err
	}
	return a.plan(task, t.Orchestrator.Name()), nil
}

// mostUnits is how many units a plan may have.
func mostUnits(l plumb.Limits) int {
	n := plumb.MaxUnits
	if l.PerWave > 0 && l.Waves > 0 {
		n = min(n, l.PerWave*l.Waves)
	}
	if l.InAll > 0 {
		n = min(n, l.InAll)
	}
	return n
}

// plan makes a sound plan of the answer.
func (a *planAnswer) plan(task PlanTask, by string) plumb.Plan {
	p := plumb.Plan{Round: max(task.Round, 1), Feedback: task.Feedback, By: by, Evidence: line(a.Evidence, maxReason), Form: line(a.Form, maxReason)}
	p.Units, p.Notes = a.units(task)
	p.Complexity = math.Round(min(max(a.Complexity, 0), 1)*100) / 100
	if p.Complexity == 0 || math.IsNaN(a.Complexity) {
		p.Complexity = complexity(task.Brief, p.Units)
	}
	proposed := make([]plumb.Proposed, len(p.Units))
	for i, u := range p.Units {
		proposed[i] = plumb.Proposed{ID: u.ID, Needs: u.Needs}
	}
	p.Mode = plumb.Choose(task.Question.Mode, p.Complexity, proposed)
	if p.Evidence == "" {
		p.Evidence = evidenceLine(task)
	}
	if p.Form == "" {
		p.Form = formLine(task, p.Units)
	}
	return p
}

// units are the distinct units of the answer, named u1, u2 …, every area served as far as there may be units. A person's
// feedback may leave areas out or name new ones.
func (a *planAnswer) units(task PlanTask) ([]plumb.Unit, []string) {
	var all []plumb.Unit
	var said []string // the id and needs as the model wrote them
	var needs [][]string
	free := strings.TrimSpace(task.Feedback) != ""
	for _, u := range a.Units {
		unit := plumb.Unit{Question: line(u.Question, maxQuestion), Kind: kindNamed(u.Kind, u.Question, task.Question.Where, task.Limits), Queries: uniqueLines(u.Queries, maxQuery)}
		if unit.Question == "" || slices.ContainsFunc(all, func(o plumb.Unit) bool { return strings.EqualFold(o.Question, unit.Question) }) {
			continue
		}
		unit.Area = areaOf(u.Area, unit.Question, task.Brief.Areas)
		if name := clip(line(u.Area, 2*maxHeading)); free && name != "" && !strings.EqualFold(name, unit.Area) {
			unit.Area = name
		}
		all, said, needs = append(all, unit), append(said, strings.TrimSpace(u.ID)), append(needs, u.Needs)
	}
	if !free {
		for _, u := range unserved(all, task) {
			all, said, needs = append(all, u), append(said, ""), append(needs, nil)
		}
	}
	kept := keptUnits(all, mostUnits(task.Limits))
	var notes []string
	for i, u := range all {
		if !slices.Contains(kept, i) {
			notes = append(notes, "Left out, the limits allow no more units: "+u.Question)
		}
	}
	out, ids := make([]plumb.Unit, len(kept)), make([]string, len(kept))
	for n, i := range kept {
		out[n], ids[n] = all[i], said[i]
		out[n].ID = "u" + strconv.Itoa(n+1)
	}
	for n, i := range kept {
		connect(out, n, ids, needs[i])
	}
	return out, notes
}

// unserved makes units for the areas that the model forgot.
func unserved(units []plumb.Unit, task PlanTask) []plumb.Unit {
	var out []plumb.Unit
	for _, a := range task.Brief.Areas {
		if !slices.ContainsFunc(units, func(u plumb.Unit) bool { return u.Area == a.Name }) {
			out = append(out, plumb.Unit{Question: a.Question, Kind: kindFor(a.Question, task.Question.Where, task.Limits), Area: a.Name, Queries: queriesOf(a.Question, task.Brief)})
		}
	}
	return out
}

// keptUnits are the places of the units that stay when there may be n: the first of each area before the second of any.
func keptUnits(all []plumb.Unit, n int) []int {
	var first, rest []int
	served := map[string]bool{}
	for i, u := range all {
		if served[u.Area] {
			rest = append(rest, i)
			continue
		}
		served[u.Area] = true
		first = append(first, i)
	}
	out := append(first, rest...)
	out = out[:min(len(out), n)]
	slices.Sort(out)
	return out
}

// connect adds the edges of unit n that are known and close no circle. ids are the units' names as the model wrote them.
func connect(units []plumb.Unit, n int, ids, needs []string) {
	for _, need := range needs {
		m := slices.Index(ids, strings.TrimSpace(need))
		if need == "" || m < 0 || m == n || slices.Contains(units[n].Needs, units[m].ID) || reaches(units, m, units[n].ID) {
			continue
		}
		units[n].Needs = append(units[n].Needs, units[m].ID)
	}
}

// reaches says whether unit n needs id, directly or by others.
func reaches(units []plumb.Unit, n int, id string) bool {
	for _, need := range units[n].Needs {
		m := slices.IndexFunc(units, func(u plumb.Unit) bool { return u.ID == need })
		if need == id || m >= 0 && reaches(units, m, id) {
			return true
		}
	}
	return false
}

// planText is a plan as prompts show it.
func planText(p plumb.Plan) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Complexity: %.2f\nEvidence strategy: %s\nOutput form: %s\nUnits:", p.Complexity, p.Evidence, p.Form)
	for _, u := range p.Units {
		fmt.Fprintf(&s, "\n- %s (%s; area: %s", u.ID, u.Kind, u.Area)
		if len(u.Needs) > 0 {
			fmt.Fprintf(&s, "; needs %s", strings.Join(u.Needs, ", "))
		}
		fmt.Fprintf(&s, "): %s", u.Question)
		if len(u.Queries) > 0 {
			fmt.Fprintf(&s, " [%s]", strings.Join(u.Queries, "; "))
		}
	}
	return s.String()
}
