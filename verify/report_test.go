package verify

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEmphasised(t *testing.T) {
	for in, want := range map[string]bool{
		"*Nothing was found.*": true, "_Nothing was found._": true, `*It cost 5\* a day.*`: true,
		"**Nothing was found.**": false, "*One* and *two*": false, "* an item": false, "*": false, "**": false, "Plain *end*": false, "*a* b": false, "***both***": false,
	} {
		if got := emphasised(in); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}

func TestMaskKeepsLengthAndWords(t *testing.T) {
	for in, want := range map[string]string{
		"It rose [1].":                                     "It rose .",
		"It rose (https://a.example/x).":                   "It rose .",
		"It rose (Source: https://a.example/x).":           "It rose .",
		"It rose ([A](https://a.example), [B](doc:b.md)).": "It rose .",
		"The [port](https://a.example) rose.":              "The port rose.",
		"It rose. [Port authority](https://a.example)":     "It rose.",
		"It rose, see [source](https://a.example).":        "It rose, see .",
		"It rose【1】。":                                      "It rose 。",
		"It rose (by 5%) [1].":                             "It rose (by 5%) .",
	} {
		r := readReport(in)
		got := maskMentions(in, r.mentions)
		if len(got) != len(in) || strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestRows(t *testing.T) {
	in := "| Port | Freight in tons | Note |\n| --- | --- | --- |\n| Ostmark | 12 million [1] | a \\| b |\n| Nordheim | – | [2] |\n| Sued | **9 million** | |\n"
	got := texts(Split(in))
	want := []string{"Ostmark; Freight in tons: 12 million; Note: a | b <>", "Sued; Freight in tons: 9 million <>"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSectionsApart(t *testing.T) {
	in := `# Report

The harbour was opened in 1962.

## 1. Literature

Miller wrote about the harbour in 1990.

### More of it

Smith wrote about the harbour too.

## Methods of dredging

Dredging the harbour takes two weeks.

## Methodology

Documents were read by a program.

## Sources of income

Most of the income comes from freight.
`
	want := []string{"The harbour was opened in 1962. <>", "Dredging the harbour takes two weeks. <>", "Most of the income comes from freight. <>"}
	if d := cmp.Diff(want, texts(Split(in))); d != "" {
		t.Error(d)
	}
}

func TestIDsGrow(t *testing.T) {
	cs := Split(strings.Repeat("The harbour was opened in 1962.\n\n", 1001))
	if len(cs) != 1001 || cs[0].ID != "claim_001" || cs[998].ID != "claim_999" || cs[1000].ID != "claim_1001" {
		t.Errorf("%d claims, %s", len(cs), cs[len(cs)-1].ID)
	}
}

// A draft of one line must not cost the square of its length: those that do run
// into the tests' time limit.
func TestHostileDraftEnds(t *testing.T) {
	for _, unit := range []string{
		"[1] ", "a https://x.example/y. ", "*a. [1] B ", "([a](https://x.example), ", "[a](", "[", "> ", "1. ", "http://a;", "doc:a ", "(source: ", "[UNCERTAIN]",
	} {
		valid(t, strings.Repeat(unit, 60_000/len(unit)))
	}
	valid(t, "| a |\n| --- |\n"+strings.Repeat("| 1 [1] ", 10_000))
}

func TestEveryMentionOfALongLineIsFound(t *testing.T) {
	const n = 5000
	ms := Mentions(strings.Repeat("The port grew [1]. ", n) + "\n\n[1]: https://one.example/a\n")
	if len(ms) != n {
		t.Fatalf("%d mentions, want %d", len(ms), n)
	}
	if last := ms[n-1]; last.URL != "https://one.example/a" || last.Claim != "The port grew." || last.Line != 1 {
		t.Errorf("%+v", last)
	}
}

func TestWhatOnlyPointsAtASource(t *testing.T) {
	cases := []struct{ name, draft, want string }{
		{"in brackets", "The port grew fast ([Port News](https://p.example/a)).", "The port grew fast."},
		{"in a list in brackets", "The port grew fast ([News](https://p.example/a), [Times](https://t.example/b)).", "The port grew fast."},
		{"words of the sentence", "The [port of Ostmark](https://p.example/a) grew fast.", "The port of Ostmark grew fast."},
		{"words before a comma", "The [port of Ostmark](https://p.example/a), once small, grew.", "The port of Ostmark, once small, grew."},
		{"says source", "The port grew very fast [source](https://p.example/a).", "The port grew very fast."},
		{"after the full stop", "The port grew very fast. [Port News](https://p.example/a)", "The port grew very fast."},
		{"plain http", "The port grew very fast (http://p.example/a).", "The port grew very fast."},
		{"with a label", "The port grew very fast (Source: https://p.example/a).", "The port grew very fast."},
		{"in bold", "**The port grew very fast [1].**\n\n[1]: https://p.example/a", "The port grew very fast."},
	}
	for _, c := range cases {
		cs := Split(c.draft)
		if len(cs) != 1 || cs[0].Text != c.want || len(cs[0].Citations) == 0 {
			t.Errorf("%s: %+v, want %q with a citation", c.name, cs, c.want)
		}
	}
}

func TestBoldLinesAreHeadingsUnlessTheySaySomething(t *testing.T) {
	cases := []struct {
		draft string
		want  int
	}{
		{"**The growth of the port**", 0},
		{"**The growth of the port:**", 0},
		{"**The port grew by a third.**", 1},
		{"**The growth of the port** [1]\n\n[1]: https://p.example/a", 1},
		{"**The growth** of the **old port**", 1},
		{"**The growth of the port**\nIt grew by a third.", 1},
	}
	for _, c := range cases {
		if cs := Split(c.draft); len(cs) != c.want {
			t.Errorf("%q: %d claims, want %d: %+v", c.draft, len(cs), c.want, cs)
		}
	}
}
