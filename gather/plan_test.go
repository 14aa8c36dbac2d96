package gather_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

func planTask(t *testing.T, question, preset string) gather.PlanTask {
	t.Helper()
	limits, err := plumb.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	q := plumb.Question{Text: question, Where: plumb.Where{Folders: []string{"/docs"}}}
	return gather.PlanTask{Question: q, Brief: scope(t, gather.ScopeTask{Question: q}), Limits: limits, Round: 1}
}

func plan(t *testing.T, task gather.PlanTask) plumb.Plan {
	t.Helper()
	p, err := gather.Extractive{}.Plan(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanOfAQuestion(t *testing.T) {
	for _, c := range []struct {
		name, question, preset string
		units                  []string // id area
		complexity             float64
		mode                   plumb.Mode
	}{
		{"one part", "Why was the Tarn Bridge closed?", "standard", []string{"u1 Why the Tarn Bridge was closed"}, 0.2, plumb.React},
		{"two parts", "Why was the Tarn Bridge closed and what did the repair cost?", "standard",
			[]string{"u1 Why the Tarn Bridge was closed", "u2 Cost of the repair"}, 0.5, plumb.Parallel},
		{"two parts, quick", "Why was the Tarn Bridge closed and what did the repair cost?", "quick",
			[]string{"u1 Why the Tarn Bridge was closed", "u2 Cost of the repair"}, 0.5, plumb.Parallel},
		{"a comparison is harder", "What is the difference between heat pumps and gas boilers?", "quick",
			[]string{"u1 Difference between heat pumps and gas boilers"}, 0.35, plumb.React},
		{"five parts", "Why was it closed? What did it cost? Who paid? Is it safe? When was it built?", "standard",
			[]string{"u1 Why it was closed", "u2 Cost of it", "u3 Who paid", "u4 Safety of it", "u5 When it was built"}, 0.8, plumb.Parallel},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(t, planTask(t, c.question, c.preset))
			var units []string
			for _, u := range p.Units {
				units = append(units, u.ID+" "+u.Area)
				if u.Question == "" || u.Kind != plumb.Internal {
					t.Errorf("unit %+v", u)
				}
			}
			if d := cmp.Diff(c.units, units); d != "" {
				t.Error(d)
			}
			if p.Complexity != c.complexity || p.Mode != c.mode || p.By != "extractive" || p.Round != 1 {
				t.Errorf("complexity %v, mode %s, by %s, round %d", p.Complexity, p.Mode, p.By, p.Round)
			}
		})
	}
}

func TestPlanNeedsWhatItPlainlyComesAfter(t *testing.T) {
	p := plan(t, planTask(t, "Why was the Tarn Bridge closed, and what did the council do after that?", "quick"))
	if len(p.Units) != 2 || len(p.Units[0].Needs) != 0 || !cmp.Equal(p.Units[1].Needs, []string{"u1"}) || p.Mode != plumb.Sequential {
		t.Errorf("%+v", p)
	}
}

func TestPlanSaysWhatIsTrue(t *testing.T) {
	task := planTask(t, "Why was the Tarn Bridge closed and what did the repair cost?", "standard")
	p := plan(t, task)
	want := "Passages of your documents, quoted verbatim; at least 5 findings from at least 3 distinct sources before research counts as complete."
	if p.Evidence != want {
		t.Errorf("evidence %q", p.Evidence)
	}
	if p.Form != "A comprehensive report with 2 sections: Why the Tarn Bridge was closed; Cost of the repair." {
		t.Errorf("form %q", p.Form)
	}
	task.Question.Where = plumb.Where{Search: []string{"wikipedia"}, Papers: []string{"arxiv"}}
	task.Question.Mode = plumb.Sequential
	p = plan(t, task)
	if !strings.HasPrefix(p.Evidence, "Passages of web pages and papers,") || p.Units[0].Kind != plumb.General || p.Mode != plumb.Sequential {
		t.Errorf("%+v", p)
	}
}

func TestFeedbackChangesThePlan(t *testing.T) {
	task := planTask(t, "Why was the Tarn Bridge closed and what did the repair cost?", "quick")
	first := plan(t, task)
	for _, c := range []struct {
		feedback string
		want     []string
		note     string
	}{
		{"Skip the cost", []string{"Why the Tarn Bridge was closed"}, "Dropped: "},
		{"Also look into the effects on local traffic", []string{"Why the Tarn Bridge was closed", "Cost of the repair", "Effects on local traffic"}, "Added: "},
		{"without the repair; who was responsible?", []string{"Why the Tarn Bridge was closed", "Who was responsible"}, "Added: "},
		{"drop the elephants", []string{"Why the Tarn Bridge was closed", "Cost of the repair"}, "No unit matches: "},
	} {
		task.Feedback, task.Previous, task.Round = c.feedback, &first, 2
		p := plan(t, task)
		var got []string
		ids := map[string]bool{}
		for _, u := range p.Units {
			got = append(got, u.Area)
			ids[u.ID] = true
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.feedback, d)
		}
		if len(ids) != len(got) || p.Round != 2 || p.Feedback != c.feedback || !strings.Contains(strings.Join(p.Notes, "\n"), c.note) {
			t.Errorf("%s: %+v", c.feedback, p)
		}
	}
	task.Feedback = "skip the closure. skip the cost"
	if p := plan(t, task); len(p.Units) != 1 {
		t.Errorf("%d units: the last one must stay", len(p.Units))
	}
}

func TestKindsOfUnits(t *testing.T) {
	web, papers, docs := []string{"brave"}, []string{"arxiv"}, []string{"/docs"}
	for _, c := range []struct {
		name, question, preset string
		where                  plumb.Where
		want                   plumb.UnitKind
	}{
		{"documents only", "What do studies say about sleep?", "standard", plumb.Where{Folders: docs}, plumb.Internal},
		{"web only", "What do studies say about sleep?", "standard", plumb.Where{Search: web}, plumb.General},
		{"papers only", "What did the repair cost?", "standard", plumb.Where{Papers: papers}, plumb.Academic},
		{"web and papers, nothing of science", "What did the repair cost?", "standard", plumb.Where{Search: web, Papers: papers}, plumb.General},
		{"web and papers, studies asked for", "What do studies say about sleep?", "standard", plumb.Where{Search: web, Papers: papers}, plumb.Academic},
		{"in German", "Was sagen Studien über Schlaf?", "standard", plumb.Where{Search: web, Papers: papers, Folders: docs}, plumb.Academic},
		{"academic preset", "What did the repair cost?", "academic", plumb.Where{Search: web, Papers: papers}, plumb.Academic},
		{"academic preset without papers", "What did the repair cost?", "academic", plumb.Where{Search: web}, plumb.General},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits, err := plumb.Preset(c.preset)
			if err != nil {
				t.Fatal(err)
			}
			q := plumb.Question{Text: c.question, At: askedAt, Where: c.where}
			var x gather.Extractive
			brief, err := x.Scope(context.Background(), gather.ScopeTask{Question: q})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := x.Plan(context.Background(), gather.PlanTask{Question: q, Brief: brief, Limits: limits, Round: 1})
			if err != nil || len(plan.Units) != 1 || plan.Units[0].Kind != c.want || len(brief.Entity.Domains) > 0 {
				t.Errorf("units %+v, %v", plan.Units, err)
			}
			p, err := x.Supervise(context.Background(), gather.SuperviseTask{Question: q, Brief: brief, Units: []gather.UnitReport{{Unit: plan.Units[0], State: plumb.Succeeded}}, Spare: 3, Wave: 1, Limits: limits})
			if err != nil || len(p.Units) != 1 || p.Units[0].Kind != c.want {
				t.Errorf("another try %+v, %v", p.Units, err)
			}
		})
	}
}
