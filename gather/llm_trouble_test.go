package gather_test

// Units in trouble: loops, budgets, dead pages, small windows.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/llm"
)

func TestLoopThatNeverStopsIsStopped(t *testing.T) {
	tools, _ := everything()
	task := modelUnit()
	task.Limits.ToolCalls, task.Limits.Searches = 6, 2
	n := 0
	w := work(t, task, tools, map[string][]part{
		"unit": {func(r *llm.Request) (*llm.Answer, error) {
			n++
			if n == 2 {
				return fetch("doc:report.md")(r)
			}
			return calls("search_web", fmt.Sprintf(`{"query":"try %d"}`, n), "search_library", `{"query":"spillway"}`)(r)
		}},
		"extract": {quotes(cost)},
	}).ok(t, tools.Texts)
	if len(w.Findings) != 1 || n > 6 {
		t.Errorf("%d turns, findings %v", n, contents(w.Findings))
	}
	if !slices.ContainsFunc(w.Notes, func(s string) bool { return strings.Contains(s, "tool call limit of 9") }) {
		t.Errorf("notes %q", w.Notes)
	}
	last := w.model.replies("unit")
	if !strings.Contains(strings.Join(last, "\n"), "Please write your analysis now") || !strings.Contains(strings.Join(last, "\n"), "No searches are left") {
		t.Errorf("replies %q", last)
	}
}

func TestWhatWasFoundSurvivesTrouble(t *testing.T) {
	overloaded := &llm.Error{Trouble: llm.Overloaded, Model: "script:model"}
	for _, c := range []struct {
		name    string
		unit    []part
		extract []part
		found   int
		broke   bool
		err     error
		note    string
	}{
		{"budget ends the loop", []part{fetch("doc:report.md"), fails(llm.ErrBudget)}, []part{quotes(cost)}, 1, true, nil, "budget"},
		{"budget ends an extraction", []part{fetch("doc:report.md"), fetch("doc:newspaper.txt"), says(enough)}, []part{quotes(cost), fails(llm.ErrBudget)}, 1, true, nil, "budget"},
		{"budget before anything", []part{fails(llm.ErrBudget)}, nil, 0, true, nil, "budget"},
		{"the model fails later", []part{fetch("doc:report.md"), fails(overloaded)}, []part{quotes(cost)}, 1, false, nil, "model failed"},
		{"the model fails at once", []part{fails(overloaded)}, nil, 0, false, overloaded, ""},
		{"the model fails in an extraction", []part{fetch("doc:report.md")}, []part{fails(overloaded)}, 0, false, overloaded, ""},
		{"a replay lacks a call", []part{fetch("doc:report.md"), fails(llm.ErrNotRecorded)}, []part{quotes(cost)}, 0, false, llm.ErrNotRecorded, ""},
		{"no valid extraction: sentences are quoted instead", []part{fetch("doc:report.md"), says(enough)}, []part{says("I can't do JSON")}, 1, false, nil, "quoted as they stand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools := documents()
			w := work(t, modelUnit(), tools, map[string][]part{"unit": c.unit, "extract": c.extract})
			if c.err != nil {
				if !errors.Is(w.err, c.err) {
					t.Errorf("error %v, want %v", w.err, c.err)
				}
				return
			}
			w.ok(t, tools.Texts)
			if len(w.Findings) < c.found || c.found == 0 && len(w.Findings) > 0 || w.Broke != c.broke || !slices.ContainsFunc(w.Notes, func(s string) bool { return strings.Contains(s, c.note) }) {
				t.Errorf("findings %v, broke %v, notes %q", contents(w.Findings), w.Broke, w.Notes)
			}
		})
	}
}

func TestCancelledUnitKeepsItsFindings(t *testing.T) {
	for _, c := range []struct {
		name  string
		after int // turns of the unit
		found int
	}{{"before anything", 0, 0}, {"after a source was read", 1, 1}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			n := 0
			m := newPlay(map[string][]part{"unit": {func(r *llm.Request) (*llm.Answer, error) {
				if n++; n > c.after {
					cancel()
					return nil, ctx.Err()
				}
				return fetch("doc:report.md")(r)
			}}, "extract": {quotes(cost)}})
			res, err := gather.LLM{Worker: m}.Research(ctx, modelUnit(), documents())
			if c.found == 0 && !errors.Is(err, context.Canceled) || c.found > 0 && (err != nil || len(res.Findings) != c.found || res.Broke) {
				t.Errorf("%d findings, %v", len(res.Findings), err)
			}
		})
	}
}

func TestPagesThatCannotBeReadAreTold(t *testing.T) {
	tools, outside := everything()
	outside.err["https://dam.example/spillway"] = errors.New("remote server returned HTTP 403: <data> a paywall")
	w := work(t, modelUnit(), tools, map[string][]part{
		"unit":    {calls("search_web", `{"query":"dam"}`), fetch("https://dam.example/spillway"), fetch("https://short.example/"), says("Nothing was found.")},
		"extract": {extracts(row("The spillway is short.", "The spillway of the Corran Dam is short."))},
	}).ok(t, tools.Texts)
	r := w.model.replies("unit")
	if !strings.Contains(r[1], "HTTP 403") || strings.Contains(r[1], "<data> a paywall") {
		t.Errorf("reply %q", r[1])
	}
	if len(w.Findings) != 1 || w.Findings[0].Depth != plumb.PartialScrape || w.Findings[0].Verification != "partial" || !w.Findings[0].Citable() {
		t.Errorf("findings %+v", w.Findings)
	}
	outside.err["search"] = errors.New("dial tcp 10.0.0.3: connection refused")
	w = work(t, modelUnit(), tools, map[string][]part{"unit": {calls("search_web", `{"query":"dam"}`), fetch("doc:report.md"), says("")}, "extract": {quotes(cost)}}).ok(t, tools.Texts)
	if r := w.model.replies("unit")[0]; strings.Contains(r, "10.0.0.3") || !strings.Contains(r, "could not be made") {
		t.Errorf("reply %q", r)
	}
}

func TestModelThatOpensNothingHasItOpenedForIt(t *testing.T) {
	tools := documents()
	w := work(t, modelUnit(), tools, map[string][]part{"unit": {says("I know that by heart: EUR 3.")}, "extract": {quotes(cost, press)}}).ok(t, tools.Texts)
	if len(w.Sources) != 3 || len(w.Findings) < 2 {
		t.Errorf("%d sources, findings %v", len(w.Sources), contents(w.Findings))
	}
	outside := valley()
	web2 := gather.Tools{Texts: outside, Web: outside, Pages: outside}
	w = work(t, modelUnit(), web2, map[string][]part{"unit": {says("EUR 3.")}, "extract": {quotes(web)}}).ok(t, outside)
	if len(w.Findings) != 2 || w.Findings[0].SourceURL != "https://dam.example/spillway" || w.Findings[1].Citable() {
		t.Errorf("findings %v", contents(w.Findings))
	}
}

func TestSmallWindowGetsThrough(t *testing.T) {
	tools, _ := everything()
	shelf := dam()
	shelf.put(plumb.Source{URL: "doc:long.txt", Title: "A long history of the Corran Dam", Format: "text", Language: "en"},
		strings.Repeat("The valley of the Corran has many farms. In spring the river floods the meadows.\n\n", 400)+"The spillway of the Corran Dam was repaired by divers in 2020.\n\n"+strings.Repeat("The sheep are brought home in October.\n\n", 200))
	tools.Library = indexed(shelf)
	tools.Texts = both{shelf, tools.Texts}
	task := modelUnit()
	task.Limits.Characters = 8000
	for i := range 60 {
		task.Earlier = append(task.Earlier, known(fmt.Sprintf("u0-f%02d", i), "Cost", fmt.Sprintf("Number %d: %s", i, strings.Repeat("words and more ", 20)), "doc:x", 0.5))
		task.Visited = append(task.Visited, fmt.Sprintf("https://visited.example/%s/%d", strings.Repeat("long-path-", 10), i))
	}
	for _, drive := range []bool{false, true} {
		t.Run(fmt.Sprintf("driven %v", drive), func(t *testing.T) {
			turns := []part{
				calls("search_web", `{"query":"Corran Dam spillway"}`, "search_library", `{"query":"spillway repair divers"}`, "search_papers", `{"query":"Corran"}`),
				fetch("doc:long.txt"), fetch("doc:report.md"), calls("search_library", `{"query":"Corran Dam"}`), fetch("doc:newspaper.txt"), says(enough)}
			m := newPlay(map[string][]part{"unit": turns, "extract": {quotes("The spillway of the Corran Dam was repaired by divers in 2020.", cost, press)}})
			m.Can = llm.Traits{Window: 4096, Output: 2048, Tools: !drive, Schema: !drive}
			if drive {
				m.Answer = inPlainText(m.Answer)
			}
			res, err := gather.LLM{Worker: m}.Research(context.Background(), task, tools)
			if err != nil || len(res.Findings) != 3 {
				t.Errorf("findings %v, %v", contents(res.Findings), err)
			}
			for i, r := range m.Asked() {
				if n := r.Tokens() + r.Output; n > 4096 {
					t.Errorf("call %d (%s): %d tokens", i, promptName(&r), n)
				}
				if !strings.Contains(r.Messages[0].Text, "never an instruction") {
					t.Errorf("call %d lost its instructions", i)
				}
			}
		})
	}
}

func TestSmallWindowsScopeAndPlan(t *testing.T) {
	task := modelTask(t, "deep")
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("u%d general Closure - %s number %d?", i+1, strings.Repeat("What happened to the bridge ", 5), i))
	}
	lines := map[string][]part{"scope": {says(scopeLine(false, "", "en", "A: B?"))}, "plan": {gives(planOf(0.8, many...))}, "choose": {says(`{"best":3,"reason":"it is thorough"}`)}}
	m := newPlay(lines)
	m.Can = llm.Traits{Window: 4096, Output: 2048, Tools: true, Schema: true}
	thinker := gather.LLM{Orchestrator: m}
	question := plumb.Question{Text: bridge + strings.Repeat(" Please be thorough and consider everything.", 200)}
	turn := &gather.Turn{Question: question.Text, Brief: task.Brief}
	if _, err := thinker.Scope(context.Background(), gather.ScopeTask{Question: question, Answer: strings.Repeat("The one in the north. ", 200), Before: turn}); err != nil {
		t.Error(err)
	}
	p, err := thinker.Plan(context.Background(), task)
	if err != nil || len(p.Units) < 30 {
		t.Fatalf("%d units, %v", len(p.Units), err)
	}
	task.Previous, task.Feedback = &p, strings.Repeat("Leave nothing out. ", 200)
	if _, err := thinker.Plan(context.Background(), task); err != nil {
		t.Error(err)
	}
	for i, r := range m.Asked() {
		if n := r.Tokens() + r.Output; n > 4096 {
			t.Errorf("call %d (%s): %d tokens", i, promptName(&r), n)
		}
	}
}

// inPlainText lets a model that calls tools write its calls as models without tools are told to.
func inPlainText(answer func(*llm.Request) (*llm.Answer, error)) func(*llm.Request) (*llm.Answer, error) {
	return func(r *llm.Request) (*llm.Answer, error) {
		if len(r.Tools) > 0 || r.Schema != nil {
			return nil, errors.New("a model without tools was given some")
		}
		a, err := answer(r)
		if err != nil || len(a.Calls) == 0 {
			return a, err
		}
		type call struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		var list []string
		for _, c := range a.Calls {
			b, err := json.Marshal(call{c.Name, json.RawMessage(c.Arguments)})
			if err != nil {
				return nil, err
			}
			list = append(list, "<tool_call>"+string(b)+"</tool_call>")
		}
		return &llm.Answer{Text: strings.Join(list, "\n")}, nil
	}
}
