package report

import (
	"context"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
)

// cutAt is an answer that ended for want of room behind the given words.
func cutAt(s, behind string) *llm.Answer {
	i := strings.Index(s, behind) + len(behind)
	return &llm.Answer{Text: s[:i], Stop: llm.Length}
}

func TestCutAnswersAreContinued(t *testing.T) {
	m := testMaterial(testFindings())
	good := numbered(m, goodDraft)
	want := writtenBy(t, model(good), m)
	for _, behind := range []string{"The borough paid EUR 4", "the county gave the rest ", "### Who uses the Sandling pool", "School classes come on", "## Detailed Analysis\n\n", "Most visitors come from the northern vill"} {
		t.Run(behind, func(t *testing.T) {
			first := cutAt(good, behind)
			said := atSentence(first.Text, "en")
			rest := strings.TrimPrefix(good, said)
			s := model(first, rest)
			var seen shownText
			m.Emit = seen.emit
			if got := writtenBy(t, s, m); got != want {
				t.Errorf("joined is\n%s", got)
			}
			if squeeze(strings.Join(strings.Fields(seen.text.String()), " ")) != strings.Join(strings.Fields(good), " ") {
				t.Errorf("shown is\n%s", seen.text.String())
			}
			if asked := s.asked["write"][1].Messages; asked[2].Text != said || asked[2].From != llm.Assistant || !strings.HasPrefix(asked[3].Text, "Your answer broke off.") {
				t.Errorf("asked %+v", asked[2:])
			}
		})
	}
}

func TestContinuationsEnd(t *testing.T) {
	m := testMaterial(testFindings())
	good := numbered(m, goodDraft)
	first := cutAt(good, "one in four is under 16")
	t.Run("after two", func(t *testing.T) {
		s := model(first, &llm.Answer{Text: "School classes come", Stop: llm.Length}, &llm.Answer{Text: "Many more come", Stop: llm.Length})
		draft := writtenBy(t, s, m)
		if n := len(s.asked["write"]); n > 1+maxContinuations+1 {
			t.Errorf("%d calls", n)
		}
		if d := markdown.Parse(bodyOf(draft)); breaksOff(d, "en") != "" {
			t.Errorf("it breaks off: %s\n%s", breaksOff(d, "en"), draft)
		}
	})
	t.Run("with an error", func(t *testing.T) {
		for _, err := range []error{llm.ErrBudget, &llm.Error{Trouble: llm.TooLong}, &llm.Error{Trouble: llm.Stalled}} {
			draft := writtenBy(t, model(first, err), m)
			if !strings.Contains(draft, "How many may swim is disputed") || strings.Contains(draft, "one in four is under 16") {
				t.Errorf("%v: what stood was not kept to its last sentence:\n%s", err, draft)
			}
		}
	})
	t.Run("with the context", func(t *testing.T) {
		if _, err := (LLM{model(first, context.Canceled)}).Write(t.Context(), m); err == nil {
			t.Error("no error")
		}
	})
}

func TestWhatIsNotCutIsNotContinued(t *testing.T) {
	m := testMaterial(testFindings())
	m.Question.Style = plumb.Concise
	s := model(&llm.Answer{Text: strings.TrimSpace(strings.Replace(numbered(m, goodDraft), "roof.*", "roof and", 1)), Stop: llm.End, Usage: llm.Usage{Output: 700}})
	writtenBy(t, s, m)
	if n := len(s.asked["write"]); n != 1 {
		t.Errorf("%d calls", n)
	}
	s = model(&llm.Answer{Text: strings.TrimSpace(strings.Replace(numbered(m, goodDraft), "roof.*", "roof and", 1)), Stop: llm.End, Usage: llm.Usage{Output: 2700}}, "It may get one [1].")
	writtenBy(t, s, m)
	if n := len(s.asked["write"]); n != 2 {
		t.Errorf("%d calls for an answer that used its room up", n)
	}
}

func TestWhatEndsByItselfIsKeptAsItIs(t *testing.T) {
	m := testMaterial(testFindings())
	text := strings.Replace(numbered(m, goodDraft), "*The sources do not say whether the pool will get a roof.*", "No roof is planned [1]. A table is to follow", 1)
	if draft := writtenBy(t, model(text), m); !strings.Contains(draft, "A table is to follow\n") {
		t.Errorf("what the model ended by itself was cut:\n%s", draft)
	}
}

func TestGaps(t *testing.T) {
	m := testMaterial(testFindings())
	good := numbered(m, goodDraft)
	jots := newDigest(m).shown(100)
	for _, c := range []struct {
		name, draft string
		complete    bool
		wanting     bool
		lacks       string
	}{
		{"nothing", good, true, false, ""},
		{"a section", strings.Replace(good, "### Who uses the Sandling pool", "### Other matters", 1), false, true, `The section "### Who uses the Sandling pool" is missing.`},
		{"the section of an area without notes", strings.Replace(good, "### A roof for the Sandling pool", "### Other matters", 1), false, false, `The section "### A roof for the Sandling pool" is missing.`},
		{"length", good[:strings.Index(good, "The borough paid")] + "\n\n" + good[strings.Index(good, "### Who uses"):], false, false, `The section "Cost of the Sandling pool" has 112 characters; its notes give more than 350.`},
		{"an end", strings.TrimSuffix(good, "roof.*\n"), false, false, ""},
		{"citations", markRun.ReplaceAllString(good, "[1]"), false, true, "It cites 1 source; cite at least 5 different ones of the notes, each behind the sentence that rests on it."},
	} {
		g := gapsOf(m, c.draft, jots)
		if g.complete() != c.complete || g.wanting() != c.wanting || c.lacks != "" && !strings.Contains(strings.Join(g.lacks(), "\n"), c.lacks) {
			t.Errorf("%s: complete %v, wanting %v, lacks %q, open %q", c.name, g.complete(), g.wanting(), g.lacks(), g.open)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, c := range []struct{ said, more, want string }{
		{"One two.", "Three four.", "One two. Three four."},
		{"One two.", "## Next\n\nThree.", "One two.\n\n## Next\n\nThree."},
		{"- a\n- b.", "- c.", "- a\n- b.\n- c."},
		{"The pool is deep. It is cold.", "It is cold. It is old.", "The pool is deep. It is cold. It is old."},
		{"One two.", "Sure, here is the rest:\n\nThree.", "One two. Three."},
		{"One two.", "", "One two."},
		{"One two three four.", "two three four.", "One two three four."},
		{"# T\n\nOne.", "# T\n\nOne. Two. Three.", "# T\n\nOne. Two. Three."},
		{"# T\n\nOne. Two. Three.", "# T\n\nOne.", "# T\n\nOne. Two. Three."},
		{"| a | b |\n| - | - |\n| 1 | 2 |", "| 3 | 4 |", "| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |"},
		{"它开放了。", "它很深。", "它开放了。 它很深。"},
	} {
		if got := join(c.said, c.more); got != c.want {
			t.Errorf("join(%q, %q) = %q, want %q", c.said, c.more, got, c.want)
		}
	}
}

func TestBreaksOff(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		open       bool
	}{
		{"en", "", true}, {"en", "# T", true}, {"en", "It rose.", false}, {"en", "It rose [3].", false}, {"en", "It rose. [3]", false}, {"en", "It rose [3]", false},
		{"en", "It rose and", true}, {"en", "It rose, and.", true}, {"en", "It rose because…", true}, {"en", "It is what the pool is for.", false},
		{"en", "It rose by 3", true}, {"en", "*It rose.*", false}, {"en", "**It rose.**", false}, {"en", "He said “it rose.”", false}, {"en", "It rose (by 3 %).", false},
		{"en", "- a\n- b [2]", false}, {"en", "- a\n- because the", true}, {"en", "| a | b |\n|---|---|\n| 1 | 2 |", false}, {"en", "```\ncode", true},
		{"de", "Er stieg, weil", true}, {"de", "Er stieg.", false}, {"zh", "它上升了。", false}, {"zh", "它上升了，因为", true}, {"zh", "它上升了[3]。", false}, {"hi", "यह बढ़ा।", false},
	} {
		if got := breaksOff(markdown.Parse(c.text), c.lang); (got != "") != c.open {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

func FuzzJoin(f *testing.F) {
	f.Add("One two.", "Three.")
	f.Add("# T\n\nOne.", "# T\n\nOne. Two.")
	f.Add("- a\xff", "\xff\n- b")
	f.Fuzz(func(t *testing.T, said, more string) {
		got := join(said, more)
		if len(got) > len(said)+len(more)+2 {
			t.Errorf("join(%q, %q) = %q", said, more, got)
		}
		if at := atSentence(said, "en"); !strings.HasPrefix(said, at) {
			t.Errorf("atSentence(%q) = %q", said, at)
		}
	})
}
