package report

import (
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

func reviewed(t *testing.T, m Material, draft string) Review {
	t.Helper()
	r, err := Extractive{}.Review(t.Context(), m, draft)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReviewOfOurOwnDraft(t *testing.T) {
	m := testMaterial(testFindings())
	draft, cs := written(t, m)
	m.Citations = cs
	if r := reviewed(t, m, draft); r.Score < 0.9 {
		t.Errorf("score %v: %s", r.Score, r.Feedback)
	}
	m = testMaterial(nil)
	draft, _ = written(t, m)
	if r := reviewed(t, m, draft); r.Score != 1 || r.Feedback != "" {
		t.Errorf("a draft without evidence that says so has nothing to mend: %+v", r)
	}
}

func TestReviewFindsFaults(t *testing.T) {
	m := testMaterial(testFindings())
	good, cs := written(t, m)
	m.Citations = cs
	best := reviewed(t, m, good).Score
	cases := []struct {
		name  string
		spoil func(string) string
		want  string
	}{
		{"no citations", func(s string) string { return markRun.ReplaceAllString(bodyOf(s), "") }, "no citation"},
		{"a number that names nothing", func(s string) string { return strings.Replace(s, "[1]", "[77]", 1) }, "[77]"},
		{"a sentence twice", func(s string) string {
			return strings.Replace(s, "## Detailed Analysis", "School classes use the Sandling pool on weekday mornings. [2]\n\n## Detailed Analysis", 1)
		}, "Say things once"},
		{"a side left out", func(s string) string { return strings.ReplaceAll(s, "650", "many") }, "one source says 900, another 650"},
		{"an area left out", func(s string) string {
			return "# T\n\n## Executive Summary\n\nThe Sandling pool cost EUR 6.4 million. [1]\n"
		}, `Cover the area "Who uses the Sandling pool"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := reviewed(t, m, c.spoil(good))
			if r.Score >= best {
				t.Errorf("score %v, of the good draft %v", r.Score, best)
			}
			if !strings.Contains(r.Feedback, c.want) {
				t.Errorf("feedback %q does not say %q", r.Feedback, c.want)
			}
		})
	}
}

func TestReviewOfAConciseDraft(t *testing.T) {
	m := testMaterial(testFindings())
	m.Question.Style = plumb.Concise
	draft, cs := written(t, m)
	m.Citations = cs
	if r := reviewed(t, m, draft); r.Score < 0.9 {
		t.Errorf("score %v: %s", r.Score, r.Feedback)
	}
}
