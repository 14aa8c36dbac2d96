package verify

import (
	"strings"
	"testing"
	"time"

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

// A draft of one line with many mentions must not cost the square of its length.
func TestHostileDraftEnds(t *testing.T) {
	for _, s := range []string{
		strings.Repeat("[1] ", 10000), strings.Repeat("a https://x.example/y. ", 5000), strings.Repeat("*a. [1] B ", 5000),
		strings.Repeat("([a](https://x.example), ", 3000), "| a |\n| --- |\n" + strings.Repeat("| 1 [1] ", 10000),
	} {
		begin := time.Now()
		valid(t, s)
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%q…: %v", s[:20], took)
		}
	}
}
