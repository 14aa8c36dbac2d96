package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

func TestDebateOverRealDisagreements(t *testing.T) {
	m := testMaterial(testFindings())
	s := model(numbered(m, goodDraft))
	s.answers["debate"] = []any{
		debated{Verdict: "The release of 2024 speaks of 900 places, the survey counted 650 swimmers.", Stands: "both", Reason: "one plans, the other counts"},
		debated{Verdict: "The plan of 2016 named EUR 3.9 million, the accounts EUR 6.4 million.", Stands: "Second", Reason: "the accounts are newer"},
	}
	writtenBy(t, s, m)
	if n := len(s.asked["debate"]); n != 2 {
		t.Fatalf("%d debates", n)
	}
	golden(t, "prompt/debate.txt", promptText(s.asked["debate"][0]))
	prompt := promptText(s.asked["write"][0])
	for _, want := range []string{
		"says \"650\". Weighing: The release of 2024 speaks of 900 places, the survey counted 650 swimmers. (both can be true; one plans, the other counts).\n",
		"The second is newer by more than a year. Weighing: The plan of 2016 named EUR 3.9 million, the accounts EUR 6.4 million. (more speaks for [1]; the accounts are newer).\n",
	} {
		if !strings.Contains(prompt, want) {
			t.Errorf("%q is not in\n%s", want, prompt)
		}
	}
}

func TestDebateNeverInvents(t *testing.T) {
	m := testMaterial(testFindings())
	for name, bad := range map[string]debated{
		"a figure":  {Verdict: "In truth 775 people swim in it each day.", Stands: "neither", Reason: "x"},
		"nothing":   {Verdict: "", Stands: "both", Reason: "x"},
		"no choice": {Verdict: "The two speak of different things.", Stands: "perhaps", Reason: "x"},
	} {
		s := model(numbered(m, goodDraft))
		s.answers["debate"] = []any{bad}
		writtenBy(t, s, m)
		if p := promptText(s.asked["write"][0]); strings.Contains(p, "Weighing") || !strings.Contains(p, `says "900"`) {
			t.Errorf("%s: the writer is told\n%s", name, p)
		}
	}
}

func TestDebateIsForComprehensiveReportsWithDisagreements(t *testing.T) {
	concise := testMaterial(testFindings())
	concise.Question.Style = plumb.Concise
	calm := testMaterial(append(testFindings()[2:6:6], testFindings()[9:13]...))
	for name, m := range map[string]Material{"concise": concise, "calm": calm} {
		s := model(numbered(m, goodDraft))
		writtenBy(t, s, m)
		if n := len(s.asked["debate"]); n != 0 {
			t.Errorf("%s: %d debates", name, n)
		}
	}
}

func TestDebateThatCannotBeHeld(t *testing.T) {
	m := testMaterial(testFindings())
	for _, c := range []struct {
		err   error
		fatal bool
	}{{llm.ErrBudget, true}, {&llm.Error{Trouble: llm.BadKey}, true}, {&llm.Error{Trouble: llm.TooLong}, false}, {&llm.Error{Trouble: llm.Overloaded}, false}} {
		s := model(numbered(m, goodDraft))
		s.answers["debate"] = []any{c.err}
		if _, err := (LLM{s}).Write(t.Context(), m); errors.Is(err, c.err) != c.fatal {
			t.Errorf("%v: %v", c.err, err)
		}
	}
}
