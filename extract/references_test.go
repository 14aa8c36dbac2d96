package extract

import (
	"strings"
	"testing"
)

func TestReferencesByStructure(t *testing.T) {
	body := strings.Repeat("A sentence of the paper's body that says something.\n", 40)
	const numbered = "[1] A. Lee. On tides. Journal of Water, 2019.\n[2] B. Chen. On wind. 2020.\n"
	const named = "Ann Lee and Bo Chen. 2019. On tides and\ntheir power. In Proceedings of Water.\n\nCy Dee. 2020. On wind. arXiv:2001.00001.\n"
	cases := []struct{ what, text, want string }{
		{"numbered to the end", body + "References\n" + numbered, "References\n" + numbered},
		{"Markdown heading, ends at the next", body + "## References\n\n" + numbered + "\n## About us\n\nHello.\n", "## References\n\n" + numbered + "\n"},
		{"author and year, up to the appendix", body + "References\n\n" + named + "\nAppendix A\nMore text.\n", "References\n\n" + named + "\n"},
		{"lettered appendix", body + "References\n\n" + named + "\nA Implementation Details\nMore.\n", "References\n\n" + named + "\n"},
		{"numbered heading", body + "7 Bibliography\n" + numbered, "7 Bibliography\n" + numbered},
		{"German", body + "Literatur\n" + numbered, "Literatur\n" + numbered},
		{"Chinese", body + "参考文献\n[1] 王明. 潮汐能研究. 2019.\n[2] 李华. 2020.\n", "参考文献\n[1] 王明. 潮汐能研究. 2019.\n[2] 李华. 2020.\n"},
		{"before a long appendix", body + "References\n" + numbered + "\nAppendix\n" + body, "References\n" + numbered + "\n"},
		{"plain numbers", body + "Works cited\n1. Lee, A. (2019). Tides. https://example.org/a\n2. Chen, B. (2020). Wind.\n", "Works cited\n1. Lee, A. (2019). Tides. https://example.org/a\n2. Chen, B. (2020). Wind.\n"},
		{"a word in a sentence", body + "The references are in the cellar.\n[1] x 2019\n", ""},
		{"a heading without entries", body + "References\nPlease ask us for references at any time of the day.\n", ""},
		{"in the contents", "Contents\nReferences\n[1] A. Lee 2019\n" + body + body, ""},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		got := ""
		if r := findReferences(c.text); r != nil {
			got = c.text[r.Start:r.End]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
