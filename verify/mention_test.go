package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMentionsForms(t *testing.T) {
	const list = "\n\n## Sources\n\n[1] One: https://one.example/a\n[2] Two: https://two.example/b\n[3] A book without an address\n"
	for _, c := range []struct {
		name, draft string
		want        []string
	}{
		{"marker", "It rose [1]." + list, []string{"1 https://one.example/a [1]"}},
		{"several numbers", "It rose [1, 2]." + list, []string{"1 https://one.example/a [1, 2]", "2 https://two.example/b [1, 2]"}},
		{"range", "It rose [1-2]." + list, []string{"1 https://one.example/a [1-2]", "2 https://two.example/b [1-2]"}},
		{"full width", "上升了【2】。" + list, []string{"2 https://two.example/b 【2】"}},
		{"number that is not listed", "It rose [37]." + list, []string{"37  [37]"}},
		{"zero", "It rose [0]." + list, []string{"0  [0]"}},
		{"source without address", "It rose [3]." + list, []string{"3  [3]"}},
		{"no list at all", "It rose [4].", []string{"4  [4]"}},
		{"footnote", "It rose.[^n]\n\n[^n]: See https://n.example/x", []string{"0 https://n.example/x [^n]"}},
		{"link", "It [rose](https://l.example/x?utm_source=y).", []string{"0 https://l.example/x [rose](https://l.example/x?utm_source=y)"}},
		{"link with a title", `It [rose](https://l.example/x "T").`, []string{`0 https://l.example/x [rose](https://l.example/x "T")`}},
		{"numbered link", "It rose [[1]](https://k.example/z)." + list, []string{"1 https://k.example/z [[1]](https://k.example/z)"}},
		{"reference link", "It [rose][r] again.\n\n[r]: https://r.example/x", []string{"0 https://r.example/x [rose][r]"}},
		{"bare", "It rose (https://b.example/x), they say.", []string{"0 https://b.example/x https://b.example/x"}},
		{"autolink", "It rose <https://b.example/x>.", []string{"0 https://b.example/x https://b.example/x"}},
		{"doi", "It rose (doi:10.1000/xyz123).", []string{"0 https://doi.org/10.1000/xyz123 doi:10.1000/xyz123"}},
		{"document", "It rose (doc:notes/port.md).", []string{"0 doc:notes/port.md doc:notes/port.md"}},
		{"document with spaces", "It rose ([notes](doc:my notes/a b.md)).", []string{"0 doc:my notes/a b.md [notes](doc:my notes/a b.md)"}},
		{"document in angles", "It rose <doc:my notes/a b.md>.", []string{"0 doc:my notes/a b.md <doc:my notes/a b.md>"}},
		{"image", "![chart](https://i.example/c.png)", nil},
		{"anchor and mail", "[up](#top) [write](mailto:a@b.example)", nil},
		{"code", "Use `https://c.example/x` and [1].\n\n```\n[2] https://d.example\n```" + list, []string{"0 https://c.example/x https://c.example/x", "1 https://one.example/a [1]"}},
		{"year in brackets", "It rose [2024]." + list, nil},
	} {
		var got []string
		for _, m := range Mentions(c.draft) {
			got = append(got, fmt.Sprintf("%d %s %s", m.Number, m.URL, c.draft[m.Start:m.End]))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestMentionKnowsItsPlace(t *testing.T) {
	draft := "Before [1].\n\n# Title\n\n## Prices\n\nFirst sentence. " + "W" + strings.Repeat("w", 59) + " rose 5% [1], then fell. Last one.\n\n[1]: https://one.example/a\n"
	ms := Mentions(draft)
	if len(ms) != 2 {
		t.Fatalf("%d mentions", len(ms))
	}
	if ms[0].Section != "preamble" || ms[0].Line != 1 || ms[0].Claim != "Before." || ms[0].Context != "Before [1]." {
		t.Errorf("%+v", ms[0])
	}
	m := ms[1]
	if m.Section != "Prices" || m.Line != 7 || m.Claim != "W"+strings.Repeat("w", 59)+" rose 5%, then fell." {
		t.Errorf("%+v", m)
	}
	if want := strings.Repeat("w", 41) + " rose 5% [1], then fell. Last one."; m.Context != want {
		t.Errorf("context %q, want %q", m.Context, want)
	}
}

func TestListed(t *testing.T) {
	draft := "Text [2].\n\n## References\n\n1. First report. https://one.example/a#part\n2. [Second](doc:b.md)\n3. Printed only\n"
	want := []Entry{{1, "https://one.example/a", "First report"}, {2, "doc:b.md", "Second"}, {3, "", "Printed only"}}
	if d := cmp.Diff(want, Listed(draft)); d != "" {
		t.Error(d)
	}
	if got := Listed("No list [1]."); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
