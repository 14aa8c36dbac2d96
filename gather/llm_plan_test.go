package gather_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/llm"
)

type planLine struct {
	Units      []planLineUnit `json:"units"`
	Complexity float64        `json:"complexity"`
	Evidence   string         `json:"evidence_strategy"`
	Form       string         `json:"output_form"`
}

type planLineUnit struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Area     string   `json:"area"`
	Kind     string   `json:"kind"`
	Queries  []string `json:"queries"`
	Needs    []string `json:"needs"`
}

// planOf makes an answer of lines "id kind area needs,… question".
func planOf(complexity float64, lines ...string) planLine {
	p := planLine{Units: []planLineUnit{}, Complexity: complexity, Evidence: "Official records first.", Form: "Two sections."}
	for _, l := range lines {
		f := strings.SplitN(l, " ", 5)
		u := planLineUnit{ID: f[0], Kind: f[1], Area: strings.ReplaceAll(f[2], "_", " "), Question: f[4], Queries: []string{f[4]}, Needs: []string{}}
		if f[3] != "-" {
			u.Needs = strings.Split(f[3], ",")
		}
		p.Units = append(p.Units, u)
	}
	return p
}

// modelTask is a plan to be made of a brief with two areas.
func modelTask(t *testing.T, preset string) gather.PlanTask {
	t.Helper()
	limits, err := plumb.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	return gather.PlanTask{
		Question: plumb.Question{Text: bridge, At: askedAt, Where: plumb.Where{Folders: []string{"/docs"}, Search: []string{"test"}}},
		Brief: plumb.Brief{Question: bridge, Language: "en", By: "script:model", Entity: plumb.Entity{Name: "Marrowgate Bridge", Queries: []string{"Marrowgate Bridge"}, Domains: []string{"marrowgate.example"}},
			Areas: []plumb.Area{{Name: "Closure", Question: "Why was the Marrowgate Bridge closed in 2023?"}, {Name: "Cost of the repair", Question: "What did the repair of the Marrowgate Bridge cost?"}}},
		Limits: limits, Round: 1,
	}
}

func planWith(t *testing.T, task gather.PlanTask, lines map[string][]part) (plumb.Plan, *play) {
	t.Helper()
	m := newPlay(lines)
	p, err := gather.LLM{Orchestrator: m}.Plan(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

// unitLines writes units down as "id kind area needs: question".
func unitLines(units []plumb.Unit) []string {
	var out []string
	for _, u := range units {
		out = append(out, fmt.Sprintf("%s %s %s %v: %s", u.ID, u.Kind, u.Area, u.Needs, u.Question))
	}
	return out
}

func TestModelPlansUnits(t *testing.T) {
	task := modelTask(t, "standard")
	p, m := planWith(t, task, map[string][]part{"plan": {gives(planOf(0.7, "a general Closure - What closed it?", "b internal Cost_of_the_repair a What was paid?"))}})
	if d := cmp.Diff([]string{"u1 general Closure []: What closed it?", "u2 internal Cost of the repair [u1]: What was paid?"}, unitLines(p.Units)); d != "" {
		t.Error(d)
	}
	if p.Complexity != 0.7 || p.Mode != plumb.Sequential || p.By != "script:model" || p.Evidence != "Official records first." || p.Form != "Two sections." || p.Round != 1 {
		t.Errorf("plan %+v", p)
	}
	golden(t, "plan", m.asked("plan")[0])
}

func TestPlanIsSoundWhateverTheModelAnswers(t *testing.T) {
	documents := modelTask(t, "standard")
	documents.Question.Where = plumb.Where{Folders: []string{"/docs"}}
	quick := modelTask(t, "quick")
	for _, c := range []struct {
		name  string
		task  gather.PlanTask
		lines []string
		want  []string
	}{
		{"a circle, an unknown need and one of itself", modelTask(t, "standard"),
			[]string{"a general Closure b What closed it?", "b general Cost_of_the_repair a,zz,b What was paid?"},
			[]string{"u1 general Closure [u2]: What closed it?", "u2 general Cost of the repair []: What was paid?"}},
		{"a long circle", modelTask(t, "standard"),
			[]string{"a general Closure c One?", "b general Cost_of_the_repair a Two?", "c general Closure b Three?"},
			[]string{"u1 general Closure [u3]: One?", "u2 general Cost of the repair [u1]: Two?", "u3 general Closure []: Three?"}},
		{"kinds that are not there", documents,
			[]string{"a general Closure - One?", "b academic Cost_of_the_repair - Two?"},
			[]string{"u1 internal Closure []: One?", "u2 internal Cost of the repair []: Two?"}},
		{"a forgotten area", modelTask(t, "standard"), []string{"a general Closure - One?"},
			[]string{"u1 general Closure []: One?", "u2 general Cost of the repair []: What did the repair of the Marrowgate Bridge cost?"}},
		{"an area in other words", modelTask(t, "standard"), []string{"a general Reasons - Why was it closed?", "b general Repair_costs - What was paid?"},
			[]string{"u1 general Closure []: Why was it closed?", "u2 general Cost of the repair []: What was paid?"}},
		{"the same question twice and the same id twice", modelTask(t, "standard"),
			[]string{"a general Closure - One?", "a general Closure - ONE?", "a general Cost_of_the_repair a Two?"},
			[]string{"u1 general Closure []: One?", "u2 general Cost of the repair [u1]: Two?"}},
		{"more than there may be: every area stays", quick,
			[]string{"a general Closure - One?", "b general Closure - Two?", "c general Closure b Three?", "d general Cost_of_the_repair a,b,c Four?"},
			[]string{"u1 general Closure []: One?", "u2 general Closure []: Two?", "u3 general Cost of the repair [u1 u2]: Four?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := planWith(t, c.task, map[string][]part{"plan": {gives(planOf(7, c.lines...))}})
			if d := cmp.Diff(c.want, unitLines(p.Units)); d != "" {
				t.Error(d)
			}
			if p.Complexity != 1 {
				t.Errorf("complexity %v", p.Complexity)
			}
		})
	}
}

func TestFeedbackChangesThePlanBefore(t *testing.T) {
	task := modelTask(t, "deep")
	before, _ := planWith(t, task, map[string][]part{"plan": {gives(planOf(0.7, "a general Closure - What closed it?", "b internal Cost_of_the_repair a What was paid?"))}, "choose": {says(`{"best":1,"reason":"it is the same"}`)}})
	task.Previous, task.Feedback, task.Round = &before, "Leave the cost out, look at the ferry instead.", 2
	p, m := planWith(t, task, map[string][]part{"plan": {gives(planOf(0.6, "u1 general Closure - What closed it?", "u2 general The_ferry - How did people cross?"))}})
	if d := cmp.Diff([]string{"u1 general Closure []: What closed it?", "u2 general The ferry []: How did people cross?"}, unitLines(p.Units)); d != "" {
		t.Error(d)
	}
	if p.Round != 2 || p.Feedback != task.Feedback {
		t.Errorf("plan %+v", p)
	}
	if n := len(m.Asked()); n != 1 {
		t.Errorf("%d calls to change a plan", n)
	}
	golden(t, "plan-feedback", m.asked("plan")[0])
}

// bySlant answers with another plan for each line of thought.
func bySlant(broken ...string) part {
	return func(r *llm.Request) (*llm.Answer, error) {
		for _, s := range []string{"by sources", "by mechanism and time", "by disagreement"} {
			if !strings.Contains(r.Messages[1].Text, "line: "+s) {
				continue
			}
			for _, b := range broken {
				if b == s {
					return nil, &llm.Error{Trouble: llm.Overloaded, Model: "script:model"}
				}
			}
			return gives(planOf(0.8, "a general Closure - What closed it, "+s+"?", "b general Cost_of_the_repair - What was paid, "+s+"?"))(r)
		}
		return nil, errors.New("a plan without a line of thought")
	}
}

func TestDeepPlansAreChosenAmongThree(t *testing.T) {
	for _, c := range []struct {
		name   string
		broken []string
		choice string
		want   string // in the first unit
		calls  int
	}{
		{"the second is best", nil, `{"best":2,"reason":"it follows the causes"}`, "by mechanism", 4},
		{"one fails: the choice is among the others", []string{"by sources"}, `{"best":2,"reason":"it doubts"}`, "by disagreement", 4},
		{"two fail: nothing is left to choose", []string{"by sources", "by mechanism and time"}, "", "by disagreement", 3},
		{"a choice that is none: the first", nil, `{"best":9,"reason":"?"}`, "by sources", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, m := planWith(t, modelTask(t, "deep"), map[string][]part{"plan": {bySlant(c.broken...)}, "choose": {says(c.choice)}})
			if !strings.Contains(p.Units[0].Question, c.want) {
				t.Errorf("chose %s", p.Units[0].Question)
			}
			if n := len(m.Asked()); n != c.calls {
				t.Errorf("%d calls, want %d", n, c.calls)
			}
			if c.name == "the second is best" {
				golden(t, "choose", m.asked("choose")[0])
				if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "it follows the causes") {
					t.Errorf("notes %q", p.Notes)
				}
			}
		})
	}
}

func TestPlanReturnsTheTroubleOfItsModel(t *testing.T) {
	for _, preset := range []string{"standard", "academic"} {
		m := newPlay(map[string][]part{"plan": {fails(llm.ErrBudget)}})
		if _, err := (gather.LLM{Orchestrator: m}).Plan(context.Background(), modelTask(t, preset)); !errors.Is(err, llm.ErrBudget) {
			t.Errorf("%s: error %v", preset, err)
		}
		m = newPlay(map[string][]part{"plan": {says(`{"units":[]}`)}})
		if _, err := (gather.LLM{Orchestrator: m}).Plan(context.Background(), modelTask(t, preset)); !errors.Is(err, llm.ErrAnswer) {
			t.Errorf("%s: error %v", preset, err)
		}
	}
}

func FuzzModelPlan(f *testing.F) {
	seed, err := json.Marshal(planOf(0.5, "a general Closure b One?", "b x y a Two?"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(seed))
	f.Add(`{"units":[{"question":"\u0000"},{"id":"","question":"q","needs":["",""]}],"complexity":1e308}`)
	f.Fuzz(func(t *testing.T, answer string) {
		task := gather.PlanTask{Brief: plumb.Brief{Question: "Q?", Areas: []plumb.Area{{Name: "A", Question: "A?"}, {Name: "B", Question: "B?"}}}, Limits: plumb.Limits{Waves: 1, PerWave: 3, InAll: 9}}
		p, err := gather.LLM{Orchestrator: newPlay(map[string][]part{"plan": {says(answer)}})}.Plan(context.Background(), task)
		if err != nil {
			return
		}
		served := map[string]bool{}
		for i, u := range p.Units {
			served[u.Area] = true
			if u.ID != fmt.Sprintf("u%d", i+1) || u.Question == "" || strings.ContainsAny(u.Question, "\n\x00") {
				t.Errorf("unit %+v", u)
			}
		}
		if len(p.Units) > 3 || !served["A"] || !served["B"] || p.Complexity < 0 || p.Complexity > 1 {
			t.Errorf("plan %+v", p)
		}
	})
}
