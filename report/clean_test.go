package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/markdown"
)

func testCleaner() cleaner {
	return newCleaner(Material{Brief: testBrief, Citations: []plumb.Citation{{Number: 1, URL: "https://a.example/x"}, {Number: 2, URL: "doc:b.md"}, {Number: 3, URL: "https://doi.org/10.1000/abc"}}})
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"thoughts", "<think>hm</think># T\n\nIt rose [1].", "# T\n\nIt rose [1]."},
		{"a fence around all", "```markdown\n# T\n\nIt rose [1].\n```", "# T\n\nIt rose [1]."},
		{"remarks around", "Sure! Here is the report:\n\n# T\n\nIt rose [1].\n\n---\n\nLet me know if you need more.", "# T\n\nIt rose [1]."},
		{"lines of the machinery", "# T\n\nConductResearch({\"question\": \"x\"})\nIt rose [1].\ntool_call_id: abc\n</data id=\"1\">\n", "# T\n\nIt rose [1]."},
		{"its own sources", "# T\n\nIt rose [1].\n\n## Sources\n\n1. Made up. https://evil.example\n\n### Further\n\n- x", "# T\n\nIt rose [1]."},
		{"its own sources in bold", "# T\n\nIt rose [1].\n\n**References:**\n\n[1] Made up. https://evil.example\n[2] Other. https://evil.example/2", "# T\n\nIt rose [1]."},
		{"quellen", "# T\n\nEs stieg [1].\n\n## Quellen\n\n- [1] Erfunden", "# T\n\nEs stieg [1]."},
		{"links to what was read", "# T\n\nIt rose ([report](https://www.a.example/x/)), see [1](https://a.example/x) and https://a.example/x?utm_source=q.", "# T\n\nIt rose (report [1]), see [1] and [1]."},
		{"links to what was not", "# T\n\nIt rose ([report](https://evil.example)), see [2](https://evil.example/a) and <https://evil.example/b> (https://evil.example/c).", "# T\n\nIt rose (report), see [2] and."},
		{"a DOI", "# T\n\nIt rose (doi:10.1000/abc), it fell (doi:10.1000/zzz).", "# T\n\nIt rose ([3]), it fell."},
		{"own documents", "# T\n\nIt rose doc:b.md and fell doc:c.md.", "# T\n\nIt rose [2] and fell."},
		{"pictures", "# T\n\n![a chart](https://evil.example/p.png) It rose [1].", "# T\n\na chart It rose [1]."},
		{"definitions", "# T\n\nIt [rose][r] [1].\n\n[r]: https://evil.example \"x\"", "# T\n\nIt [rose][r] [1]."},
		{"HTML", "# T\n\nIt <b>rose</b><br>far [1]. <script>alert(1)</script><img src=x onerror=y> a < b <!-- c -->", "# T\n\nIt rose far [1].  a < b"},
		{"a broken tag", "# T\n\nIt rose [1] <img src=\"x", `# T` + "\n\n" + `It rose [1] \<img src="x`},
		{"code stays", "# T\n\n```go\nvar x List<int> // <b>\n```\n\nIt rose [1].", "# T\n\n```go\nvar x List<int> // <b>\n```\n\nIt rose [1]."},
		{"marks of uncertainty", "# T\n\n[UNCERTAIN] It may rise [1].", "# T\n\n[UNCERTAIN] It may rise [1]."},
		{"emphasis at the end", "# T\n\n*Nothing is known.*\n\n***", "# T\n\n*Nothing is known.*"},
		{"a lead that cites", "It rose [1].\n\n# T\n\nMore.", "It rose [1].\n\n# T\n\nMore."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, testCleaner().clean(c.in)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHeadingsAreBroughtInOrder(t *testing.T) {
	areas := testBrief.Areas
	for _, c := range []struct{ name, in, want string }{
		{"no title", "## Summary\n\nA.\n", "# The title\n\n## Summary\n\nA.\n"},
		{"areas without an analysis", "# T\n\n## Executive Summary\n\nA.\n\n### 1. Cost of the Sandling pool\n\nB.\n\n#### Pumps\n\nC.\n\n### Who uses the Sandling pool\n\nD.\n\n## Conclusion\n\nE.\n",
			"# T\n\n## Executive Summary\n\nA.\n\n## Detailed Analysis\n\n### Cost of the Sandling pool\n\nB.\n\n#### Pumps\n\nC.\n\n### Who uses the Sandling pool\n\nD.\n\n## Conclusion\n\nE.\n"},
		{"areas at the second level", "# T\n\n## Summary\n\nA.\n\n## Cost of the Sandling Pool\n\nB.\n\n### Pumps\n\nC.\n\n## Outlook\n\nD.\n",
			"# T\n\n## Summary\n\nA.\n\n## Detailed Analysis\n\n### Cost of the Sandling pool\n\nB.\n\n#### Pumps\n\nC.\n\n## Outlook\n\nD.\n"},
		{"several titles, set with lines", "T\n=\n\nA.\n\nU [1]\n===\n\nB.\n", "# T\n\nA.\n\n## U\n\nB.\n"},
		{"analysis given", "# T\n\n## Detailed Analysis\n\n### Cost of the Sandling pool\n\nB.\n", "# T\n\n## Detailed Analysis\n\n### Cost of the Sandling pool\n\nB.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := head(c.in, areas, "en", "The title")
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if again := head(got, areas, "en", "The title"); again != got {
				t.Errorf("a second time: %s", cmp.Diff(got, again))
			}
		})
	}
}

func TestAreasWithoutNotesSaySo(t *testing.T) {
	none := func(int) bool { return false }
	areas := testBrief.Areas[2:]
	for in, want := range map[string]string{
		"# T\n": "# T\n\n### A roof for the Sandling pool\n\n*The documents do not answer this part of the question.*\n",
		"# T\n\n### A roof for the Sandling pool\n\nNobody knows.\n\n## Next\n\nX.\n":         "# T\n\n### A roof for the Sandling pool\n\n*Nobody knows.*\n\n## Next\n\nX.\n",
		"# T\n\n### A roof for the Sandling pool\n\nRoofs are nice. Many like them.\n":        "# T\n\n### A roof for the Sandling pool\n\n*The documents do not answer this part of the question.*\n",
		"# T\n\n### A roof for the Sandling pool\n\nThe *accounts* have nothing on it [1].\n": "# T\n\n### A roof for the Sandling pool\n\nThe *accounts* have nothing on it [1].\n",
	} {
		if d := cmp.Diff(want, emptyAreas(in, areas, "en", none)); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

var pointsOut = regexp.MustCompile(`<(?:a href="(?:https?|mailto|doc):|img|script|iframe)`)

func FuzzClean(f *testing.F) {
	for _, s := range []string{goodDraft, "[a](https://e.example)", "![x](y)<img>", "[a][b]\n\n[b]: https://e.example", "<https://e.example>", "[a](<https://e.example>)",
		"[[1]](https://e.example \"t\")", "\\[a](https://e.example)", "`[a](https://e.example)`", "[a\n](\nhttps://e.example)", "- [a]: https://e.example", "<a href='https://e.example'>x</a>",
		"## Sources\n\n1. a https://e.example", "<mailto:a@e.example>", "&lt;a&gt;", "www.e.example", "[b]:\nhttps://e.example\n\n[b]", "[a](doc:x.md)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := testCleaner()
		got := head(c.clean(s), testBrief.Areas, "en", "Title")
		if found := link.Find(got); len(found) > 0 {
			t.Errorf("%q keeps the address %q", s, found[0].URL)
		}
		page, err := markdown.HTML(got)
		if err != nil {
			t.Fatal(err)
		}
		if m := pointsOut.FindString(page); m != "" {
			t.Errorf("%q becomes %q, which renders %s", s, got, page)
		}
		d := markdown.Parse(got)
		if n := countLevel(d.Sections, 1); n != 1 && !strings.Contains(s, "#") && !strings.Contains(s, "=") {
			t.Errorf("%q has %d titles", got, n)
		}
	})
}
