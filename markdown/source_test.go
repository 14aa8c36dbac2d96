package markdown

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSourceList(t *testing.T) {
	const a, b = "https://a.org/x", "https://b.org/y"
	two := []Entry{{Number: 1, Text: "First", URL: a}, {Number: 2, Text: "Second", URL: b}}
	cases := []struct {
		name, src string
		want      []Entry
	}{
		{"brackets", "x [1]\n\n## Sources\n\n[1] First: " + a + "  \n[2] Second: " + b + "  \n", two},
		{"address first", "## References\n[1] " + a + " - First\n[2] " + b + " - Second", two},
		{"numbered links", "### Sources\n\n1. [First](" + a + ")\n2. [Second](" + b + ")", two},
		{"brackets and links", "# Bibliography\n\n[1] [First](" + a + ")\n\n[2] [Second](" + b + ")", two},
		{"address on the next line", "## Sources\n[1] First:\n" + a + "\n[2] Second\n\n" + b, two},
		{"label line", "text\n\n参考文献：\n[1] " + a + " - First\n[2] " + b + " - Second", two},
		{"bold label", "text\n\n**Sources:**\n\n1. First, " + a + "\n2. Second. " + b, two},
		{"numbered heading", "## 七、参考文献\n1. First " + a + "\n2. Second " + b, two},
		{"doubled heading marks", "## ### 参考文献\n\n1. First " + a + "\n2. Second " + b, two},
		{"loose heading", "## 12. 参考文献与权威链接\n\n- First " + a + "\n- Second " + b, two},
		{"German", "## Quellenverzeichnis\n(1) First <" + a + ">\n(2) Second <" + b + ">", two},
		{"French", "## Références bibliographiques\n\n[1] First " + a + "\n[2] Second " + b, two},
		{"bullets", "## Works Cited\n\n* First. " + a + ".\n* Second. " + b + ".", two},
		{"bullets with brackets", "## Sources\n- [1] First " + a + "\n- [2] Second " + b, two},
		{"bold numbers", "## Sources\n\n**[1]** First " + a + "\n**[2]** Second " + b, two},
		{"full-width", "## 来源\n【1】First " + a + "\n【2】Second " + b, two},
		{"escaped", "## Sources\n\\[1\\] First " + a + "\n\n\\[2\\] Second " + b, two},
		{"table", "## Sources\n\n| # | Title | URL |\n|---|---|---|\n| 1 | First | " + a + " |\n| [2] | Second | " + b + " |", two},
		{"sub-headings", "## References\n### Papers\n[1] First " + a + "\n### News\n[2] Second " + b + "\n## Appendix\n[3] Third " + a, two},
		{"introduced", "## Sources\n\nAll were read in May.\n\n1. First " + a + "\n2. Second " + b, two},
		{"details", "## Sources\n1. First " + a + "\n   - Retrieved 2024.\n2. Second " + b, []Entry{{Number: 1, Text: "First Retrieved 2024", URL: a}, two[1]}},
		{"no heading", "A claim [1].\n\n[1] " + a + " - First\n[2] " + b + " - Second", two},
		{"footnotes", "x[^1] y[^note]\n\n[^1]: First " + a + "\n[^note]: Second " + b, []Entry{{Number: 1, Label: "1", Text: "First", URL: a}, {Label: "note", Text: "Second", URL: b}}},
		{"definitions", "x [1]\n\n[1]: " + a + " \"First\"\n[2]: <" + b + ">", []Entry{{Number: 1, Label: "1", Text: `"First"`, URL: a}, {Number: 2, Label: "2", URL: b}}},
		{"DOI and arXiv", "## References\n[1] Smith (2020). First. doi:10.1000/ABC\n[2] Doe. Second. arXiv:2301.01234v2", []Entry{
			{Number: 1, Text: "Smith (2020). First", URL: "https://doi.org/10.1000/abc"}, {Number: 2, Text: "Doe. Second", URL: "https://arxiv.org/abs/2301.01234"}}},
		{"documents", "## Sources\n[1] First: doc:reports/a b.md\n[2] Second (<doc:c d.txt>)\n[3] [Third](<doc:e f.pdf>)", []Entry{
			{Number: 1, Text: "First", URL: "doc:reports/a b.md"}, {Number: 2, Text: "Second", URL: "doc:c d.txt"}, {Number: 3, Text: "Third", URL: "doc:e f.pdf"}}},
		{"without addresses", "## References\n[1] Said, Orientalism, 1978.\n[2] Second", []Entry{{Number: 1, Text: "Said, Orientalism, 1978"}, {Number: 2, Text: "Second"}}},
		{"brackets in the title", "## Sources\n[1] [PDF] First: " + a, []Entry{{Number: 1, Text: "[PDF] First", URL: a}}},
		{"the longest wins", "## Sources\n- one " + a + "\n\n## More\ntext\n\n## References\n[1] First " + a + "\n[2] Second " + b, two},
		{"on one line", "x [1]\n\n**Sources:** [1] First, " + a + "; [2] Second, " + b, two},
		{"two on a line", "## Sources\n\n[1] First " + a + " [2] Second " + b, two},
		{"no labels", "## References\n\nFirst. " + a + "\n\nSecond\n" + b + "\n\nSecond 2023.", []Entry{two[0], two[1], {Number: 3, Text: "Second 2023"}}},
		{"printed, no labels", "## References\n\nSmith, J. (2020). First.\n\nRoe, A. 2021. Second.", []Entry{{Number: 1, Text: "Smith, J. (2020). First"}, {Number: 2, Text: "Roe, A. 2021. Second"}}},
		{"names", "## References\n\n[Smith2020] First " + a + "\n[Roe21] Second " + b, []Entry{{Number: 1, Label: "Smith2020", Text: "First", URL: a}, {Number: 2, Label: "Roe21", Text: "Second", URL: b}}},
		{"superscripts", "## Notes\n\n¹ First " + a + "\n² Second " + b, two},
		{"words before the number", "## Sources\n\nSource 1: First " + a + "\n**Source 2**: Second " + b, two},
		{"folded away", "<details><summary>Sources</summary>\n\n1. First " + a + "\n2. Second " + b + "\n\n</details>", two},
		{"numbers at the end", "A claim [1].\n\n---\n\n1. [First](" + a + ")\n2. [Second](" + b + ")", two},
		{"the address as the link's text", "## Sources\n1. First, [" + a + "](" + a + ")\n2. Second, [" + b + "](" + b + ")", two},
		{"footnote on two lines", "x[^1]\n\n[^1]: First\n    " + a, []Entry{{Number: 1, Label: "1", Text: "First", URL: a}}},

		{"numbers at the end that nothing cites", "To do:\n\n1. [First](" + a + ")\n2. [Second](" + b + ")", nil},
		{"prose below the heading", "## Sources\n\nWe read the letters of 1862 in the archive and what others wrote of them later.", nil},
		{"none", "# Report\n\nNothing here [1].\n\n1. a\n2. b\n", nil},
		{"a section about sources", "## Data Sources, Integration, and Processing\n\n- sensors\n- cameras\n", nil},
		{"in code", "```\n## Sources\n[1] x " + a + "\n[2] y " + b + "\n```", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, _, ok := SourceList(Parse(c.src))
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Entry{}, "Start", "End", "Line")); diff != "" || ok != (c.want != nil) {
				t.Errorf("%v, SourceList(%q) (-want +got):\n%s", ok, c.src, diff)
			}
			checkAll(t, c.src)
		})
	}
}

func TestSourceListPlace(t *testing.T) {
	src := "# R\ntext\n\n## Sources\n\n[1] First:\n  https://a.org\n[2] Second\n\n## After\ntext"
	d := Parse(src)
	entries, section, ok := SourceList(d)
	if !ok || d.Sections[section].Title != "Sources" || len(entries) != 2 {
		t.Fatalf("%v in %d: %+v", ok, section, entries)
	}
	if got := src[entries[0].Start:entries[0].End]; got != "[1] First:\n  https://a.org" || entries[0].Line != 6 {
		t.Errorf("line %d: %q", entries[0].Line, got)
	}
	if got := src[entries[1].Start:entries[1].End]; got != "[2] Second" || entries[1].Line != 8 {
		t.Errorf("line %d: %q", entries[1].Line, got)
	}
}

func TestSourceLists(t *testing.T) {
	src := "# A\n\nx [1]\n\nSources:\n[1] https://a.org\n\n# B\n\ny [1]\n\n## Sources\n\n- https://b.org\n- https://c.org\n\n# C\n\n## Notes\n\n1. See above\n"
	var got []string
	for _, l := range SourceLists(Parse(src)) {
		got = append(got, fmt.Sprintf("%q %d %v", src[l.Start:l.End], len(l.Entries), l.Placed))
	}
	want := []string{`"Sources:\n[1] https://a.org" 1 false`, `"## Sources\n\n- https://b.org\n- https://c.org" 2 true`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := SourceLists(Parse("nothing")); got != nil {
		t.Errorf("%v", got)
	}
}
