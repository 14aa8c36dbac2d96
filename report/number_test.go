package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

func threeCitations() []plumb.Citation {
	return []plumb.Citation{
		{Number: 1, URL: "https://a.example/", Title: "A", Source: "ha"},
		{Number: 2, URL: "doc:b b.md", Title: "B", Date: "2024-03-01T10:00:00Z", Source: "hb"},
		{Number: 3, URL: "https://c.example/", Title: "https://c.example/ and [9] more", Authors: []string{"W", "X", "Y", "Z"}, Source: "hc"},
	}
}

func TestRenumber(t *testing.T) {
	list := "\n## Sources\n\n"
	a, b, c := "A. <https://a.example/>\n", "B — 2024-03-01. <doc:b b.md>\n", "and more — W, X, Y et al. <https://c.example/>\n"
	cases := []struct {
		name, draft, want string
		used              []string
		removed           int
	}{
		{"in order of mention, gaps closed", "One [3]. Two [1][3].\n", "One [1]. Two [2][1].\n" + list + "1. " + c + "2. " + a, []string{"1 https://c.example/", "2 https://a.example/"}, 0},
		{"several in a marker", "One [2, 1].\n", "One [1, 2].\n" + list + "1. " + b + "2. " + a, []string{"1 doc:b b.md", "2 https://a.example/"}, 0},
		{"a range", "One [1-3].\n", "One [1, 2, 3].\n" + list + "1. " + a + "2. " + b + "3. " + c, []string{"1 https://a.example/", "2 doc:b b.md", "3 https://c.example/"}, 0},
		{"what resolves to nothing goes", "One [9]. Two [2, 7] and [0].\n", "One. Two [1] and.\n" + list + "1. " + b, []string{"1 doc:b b.md"}, 3},
		{"an old list is replaced", "One [2].\n\n## Sources\n\n1. A. <https://a.example/>\n2. B. <doc:b b.md>\n", "One [1].\n" + list + "1. " + b, []string{"1 doc:b b.md"}, 0},
		{"nothing mentioned, nothing listed", "One.\n\n## Sources\n\n1. A. <https://a.example/>\n", "One.\n", []string{}, 0},
		{"a linked marker is known by its address", "One [8](https://c.example/).\n", "One [1].\n" + list + "1. " + c, []string{"1 https://c.example/"}, 0},
		{"code is left alone", "`x[9]` and [1]\n", "`x[9]` and [1]\n" + list + "1. " + a, []string{"1 https://a.example/"}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, used, removed := Renumber(c.draft, threeCitations())
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.used, urls(used)); d != "" || removed != c.removed {
				t.Errorf("removed %d, want %d; %s", removed, c.removed, d)
			}
		})
	}
}

func TestSourceListIsRead(t *testing.T) {
	cs := threeCitations()
	cs = append(cs, plumb.Citation{Number: 4, URL: "doc:a<b>.md", Title: "see doc:x.md"}, plumb.Citation{Number: 5, URL: "https://www.e.example/x_(y)", Title: " "})
	entries, _, ok := markdown.SourceList(markdown.Parse("# T\n\n## Sources\n\n" + sourceList(cs)))
	if !ok || len(entries) != len(cs) {
		t.Fatalf("%d entries of %d", len(entries), len(cs))
	}
	for i, e := range entries {
		if e.Number != cs[i].Number || e.URL != angled(cs[i].URL) {
			t.Errorf("entry %+v, want %d %s", e, cs[i].Number, angled(cs[i].URL))
		}
	}
}

func TestNumbers(t *testing.T) {
	if err := Numbers("Fine [1][3].", threeCitations()); err != nil {
		t.Error(err)
	}
	err := Numbers("Not [4] fine [4, 12].", threeCitations())
	if err == nil || err.Error() != "citation numbers [4] [12] name no source: the report has 3" {
		t.Error(err)
	}
}

func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"It rose.[12] Then fell [3, 4].": "It rose. Then fell.",
		"a [x] *b*":                      `a \[x\] \*b\*`,
		"two\n lines":                    "two lines",
		"[see 5]":                        `\[see 5\]`,
		"［7］":                            `(7)`,
	} {
		if got := inert(in); got != want {
			t.Errorf("inert(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzInert(f *testing.F) {
	for _, s := range []string{"a [1] b", "[[1]2]", "【1】x【2†s】", "\\[1\\]", "[1", "# [^a]", "[^1]", "［［1］1］", "[1][2](http://x)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := inert(s)
		if strings.ContainsAny(out, "\n\r") {
			t.Errorf("%q has a line break", out)
		}
		for _, m := range markdown.Markers(out) {
			if len(m.Numbers) > 0 {
				t.Errorf("inert(%q) = %q still points at %v", s, out, m.Numbers)
			}
		}
	})
}

func FuzzRenumber(f *testing.F) {
	for _, s := range []string{"One [3]. Two [1][3].", "[[9]1]", "x [9] [1-3]\n\n## Sources\n\n1. a https://a.example/\n", "[^1] and\n\n[^1]: x https://a.example/", "[1](https://q.example)",
		"# [2]\n\n- [1]\n- \n", "【2】［9］", "## References\n\n[1] x\n\n## Sources\n\n[2] y", "| a [9] |\n|---|\n| [1] |"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, used, removed := Renumber(s, threeCitations())
		if removed < 0 || len(used) > 3 {
			t.Errorf("removed %d, used %d", removed, len(used))
		}
		for i, c := range used {
			if c.Number != i+1 {
				t.Errorf("citation %d has number %d", i+1, c.Number)
			}
		}
		if err := Numbers(out, used); err != nil {
			t.Errorf("Renumber(%q) = %q: %v", s, out, err)
		}
	})
}
