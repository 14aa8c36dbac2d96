package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

func TestBadge(t *testing.T) {
	cases := []struct {
		v    plumb.Verdict
		want string
	}{
		{plumb.Verdict{Status: plumb.Supported}, "[VERIFIED]"},
		{plumb.Verdict{Status: plumb.Supported, Disputed: true}, "[VERIFIED] [DISPUTED]"},
		{plumb.Verdict{Status: plumb.Partial}, "[PARTIAL]"},
		{plumb.Verdict{Status: plumb.NotFound}, "[UNVERIFIED]"},
		{plumb.Verdict{Status: plumb.Contradicted}, "[DISPUTED]"},
		{plumb.Verdict{Status: plumb.Contradicted, Disputed: true}, "[DISPUTED]"},
		{plumb.Verdict{Status: plumb.Inaccessible}, "[SOURCE N/A]"},
		{plumb.Verdict{Status: plumb.Paywall}, "[PAYWALL]"},
		{plumb.Verdict{Status: "?"}, "[UNVERIFIED]"},
	}
	for _, c := range cases {
		if got := Badge(c.v); got != c.want {
			t.Errorf("%+v: %s, want %s", c.v, got, c.want)
		}
	}
}

func TestBadgesStandWhereClaimsEnd(t *testing.T) {
	draft := "Same. Same. Same(x)."
	claims := []plumb.Claim{{Start: 6, End: 11}, {Start: 12, End: 16}}
	got := apply(draft, 0, len(draft), badgeEdits(draft, claims, []plumb.Verdict{{Status: plumb.Partial}, {Status: plumb.Supported}}))
	if want := "Same. Same. [PARTIAL] Same [VERIFIED] (x)."; got != want {
		t.Errorf("%q, want %q: by offsets, and no link made", got, want)
	}
}

func TestApply(t *testing.T) {
	src := "0123456789"
	cases := []struct {
		name string
		es   []edit
		want string
	}{
		{"insertions in the order given", []edit{{5, 5, "a"}, {5, 5, "b"}}, "01234ab56789"},
		{"an insertion before a cut", []edit{{5, 8, ""}, {5, 5, "a"}}, "01234a89"},
		{"inside a cut", []edit{{2, 8, ""}, {5, 5, "a"}}, "0189"},
		{"overlapping", []edit{{2, 5, "x"}, {4, 8, "y"}}, "01x56789"},
		{"beyond the text", []edit{{-3, -1, "a"}, {40, 50, "z"}}, "a0123456789z"},
	}
	for _, c := range cases {
		if got := apply(src, 0, len(src), c.es); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := apply(src, 2, 6, []edit{{1, 3, "x"}, {3, 4, "y"}, {5, 7, "z"}}); got != "2y45" {
		t.Errorf("only edits within the span count: %q", got)
	}
}

func TestStrictEdits(t *testing.T) {
	cases := []struct{ name, draft, gone, want string }{
		{"a sentence of a paragraph", "# T\n\nOne is so. Two is so.\n", "Two is so.", "# T\n\nOne is so. \n\n\n*D*"},
		{"a whole bullet", "# T\n\n- One is so.\n- Two is so.\n", "One is so.", "# T\n\n- Two is so.\n\n\n*D*"},
		{"a lead-in goes with what it leads to", "# T\n\n*Source A:*\n\nOne is so.\n\n*Source B:*\n\nTwo is so.\n", "One is so.", "# T\n\n\n\n*Source B:*\n\nTwo is so.\n\n\n*D*"},
		{"a lead-in stays with what is left", "# T\n\n*Source A:*\n\n- One is so.\n- Two is so.\n", "One is so.", "# T\n\n*Source A:*\n\n- Two is so.\n\n\n*D*"},
		{"a row of a table", "# T\n\n| a | b |\n| --- | --- |\n| One | so |\n| Two | so |\n", "One | so", "# T\n\n| a | b |\n| --- | --- |\n| Two | so |\n\n\n*D*"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			at := strings.Index(c.draft, c.gone)
			d := markdown.Parse(c.draft)
			got := apply(c.draft, 0, len(c.draft), strictEdits(d, []plumb.Claim{{Start: at, End: at + len(c.gone)}}))
			want := strings.ReplaceAll(c.want, "*D*", "*Dropped here because no source was found to support it: 1 claim.*")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOutline(t *testing.T) {
	cases := []struct {
		name, draft, title string
		roles              []role
	}{
		{"ours", "# T\n\n## Executive Summary\n\na\n\n## Key Findings\n\nb\n\n## Detailed Analysis\n\n### x\n\n## Open Points\n", "T", []role{roleSummary, roleKey, roleAnalysis, roleOther}},
		{"numbered, in German", "# T\n\n## 1. Zusammenfassung\n\n## 2. Kernaussagen:\n\n## 3. Ende\n", "T", []role{roleSummary, roleKey, roleOther}},
		{"a second summary is a section like others", "# T\n\n## Summary\n\n## Summary\n", "T", []role{roleSummary, roleOther}},
		{"several headings of level 1 are no title", "# One\n\n# Two\n", "", []role{roleOther, roleOther}},
		{"a deep section first", "### Deep\n\n## Flat\n", "", []role{roleOther, roleOther}},
		{"no headings", "Just text.\n", "", nil},
		{"nothing", "", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := outlineOf(c.draft)
			var roles []role
			for _, p := range o.parts {
				roles = append(roles, p.role)
			}
			if d := cmp.Diff(c.roles, roles); d != "" || o.title != c.title {
				t.Errorf("title %q; %s", o.title, d)
			}
		})
	}
}

// FuzzCompile puts verdicts into text that nobody foresaw: every claim keeps its badge, every character stays whole.
func FuzzCompile(f *testing.F) {
	f.Add("# T\n\nOne is so [1]. Two [9].\n\n## Sources\n\n1. A https://a.example/\n", 5, 18, 19, 27, false)
	f.Add(foreignDraft, 40, 80, 120, 150, true)
	f.Add("- a\n- b [^1]\n\n[^1]: x", 2, 3, 6, 7, true)
	f.Add("## Summary\n\nÄé日本 *x*\n\n*lead:*\n\ntext.", 13, 17, 30, 40, true)
	f.Add("00\n[00]:0", 0, 2, 7, 8, false)
	f.Add("```\n# no\n```\n| a |\n|--|\n| [2] |", 0, 3, 5, 30, false)
	f.Fuzz(func(t *testing.T, draft string, a, b, c, d int, strict bool) {
		claims := []plumb.Claim{{ID: "1", Start: a, End: b, Text: "one", Citations: []string{"https://a.example/"}}, {ID: "2", Start: c, End: d, Text: "two"}}
		verdicts := verdictsOf(claims, map[int]plumb.Verdict{1: {Status: plumb.NotFound}})
		edits := badgeEdits(draft, claims, verdicts)
		out := apply(draft, 0, len(draft), edits)
		if want := len(draft) + len(edits[0].with) + len(edits[1].with); len(out) != want {
			t.Errorf("%d bytes, want %d: %q", len(out), want, out)
		}
		if utf8.ValidString(draft) && !utf8.ValidString(out) {
			t.Errorf("a character was cut: %q", out)
		}
		r := Report{Run: "r", Kind: plumb.Audit, Draft: draft, Claims: claims, Verdicts: verdicts, Citations: threeCitations(), Limits: plumb.Limits{Check: true}, Generated: asked}
		r.Question.Strict = strict
		final, err := Compile(r)
		if err != nil {
			t.Fatalf("%v\n%q", err, draft)
		}
		if utf8.ValidString(draft) && !utf8.ValidString(final) {
			t.Errorf("a character was cut: %q", final)
		}
	})
}
