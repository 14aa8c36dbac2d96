package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline writes blocks one to a line: kind, level, section, line, text.
func outline(d Doc) []string {
	var out []string
	for _, b := range d.Blocks {
		out = append(out, fmt.Sprintf("%v %d s%d l%d %s", b.Kind, b.Level, b.Section, b.Line, d.Text(b)))
	}
	return out
}

func TestParseBlocks(t *testing.T) {
	cases := []struct {
		name, src string
		want      []string
	}{
		{"empty", "", nil},
		{"paragraphs", "one\ntwo\n\nthree\n", []string{"paragraph 0 s0 l1 one\ntwo", "paragraph 0 s0 l4 three"}},
		{"headings", "# A #\ntext\n## B\n", []string{"heading 1 s1 l1 A", "paragraph 0 s1 l2 text", "heading 2 s2 l3 B"}},
		{"setext", "A\nB\n===\nC\n---\nd", []string{"heading 1 s1 l1 A\nB", "heading 2 s2 l4 C", "paragraph 0 s2 l6 d"}},
		{"empty heading", "##\nx", []string{"heading 2 s1 l1 ", "paragraph 0 s1 l2 x"}},
		{"no heading", "#tag\n", []string{"paragraph 0 s0 l1 #tag"}},
		{"list", "- a\n- b\n  more\n", []string{"item 1 s0 l1 a", "item 1 s0 l2 b\n  more"}},
		{"nested lists", "1. a\n   - b\n     - c\n2. d\n", []string{"item 1 s0 l1 a", "item 2 s0 l2 b", "item 3 s0 l3 c", "item 1 s0 l4 d"}},
		{"loose list", "- a\n\n  second\n\n- b\n", []string{"item 1 s0 l1 a", "paragraph 1 s0 l3 second", "item 1 s0 l5 b"}},
		{"heading in an item", "- # a\n", []string{"item 1 s0 l1 a"}},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | x \\| y |\n\nafter", []string{"row 0 s0 l1 a | b", "row 1 s0 l3 1 | 2", "row 2 s0 l4 3 | x \\| y", "paragraph 0 s0 l6 after"}},
		{"table without outer pipes", "a | b\n--|--\n1 | 2", []string{"row 0 s0 l1 a | b", "row 1 s0 l3 1 | 2"}},
		{"table after text", "text\n| a |\n|---|\n| 1 |", []string{"paragraph 0 s0 l1 text", "row 0 s0 l2 a", "row 1 s0 l4 1"}},
		{"quotation", "> a\n> b\n>\n> > c\n", []string{"quote 1 s0 l1 a\n> b", "quote 2 s0 l4 c"}},
		{"heading in a quotation", "> # a\n", []string{"quote 1 s0 l1 a"}},
		{"fenced code", "```go\n# no heading\n\n- no item\n```\nx", []string{"code 0 s0 l2 # no heading\n\n- no item", "paragraph 0 s0 l6 x"}},
		{"open fence", "~~~\na\n", []string{"code 0 s0 l2 a"}},
		{"indented code", "a\n\n    b\n", []string{"paragraph 0 s0 l1 a", "code 0 s0 l3 b"}},
		{"HTML", "<div>\nx\n</div>\n\n<!-- a\n\nb -->\n", []string{"html 0 s0 l1 <div>\nx\n</div>", "html 0 s0 l5 <!-- a\n\nb -->"}},
		{"rule", "a\n\n* * *\nb", []string{"paragraph 0 s0 l1 a", "rule 0 s0 l3 * * *", "paragraph 0 s0 l4 b"}},
		{"definitions stay", "[1]: https://a.org\n\n[^n]: note\n", []string{"paragraph 0 s0 l1 [1]: https://a.org", "paragraph 0 s0 l3 [^n]: note"}},
		{"front matter", "---\ntitle: A\ntags:\n  - x\n---\n# H\n", []string{"heading 1 s1 l6 H"}},
		{"TOML front matter", "+++\ntitle = \"A\"\n+++\nx\n", []string{"paragraph 0 s0 l4 x"}},
		{"rules are no front matter", "---\nProse here\n---\n", []string{"rule 0 s0 l1 ---", "heading 2 s1 l2 Prose here"}},
		{"CRLF", "# A\r\n\r\ntext\r\nmore\r\n\r\n- b\r\n", []string{"heading 1 s1 l1 A", "paragraph 0 s1 l3 text\r\nmore", "item 1 s1 l6 b"}},
		{"Chinese", "## 一、概况\n\n正文。\n", []string{"heading 2 s1 l1 一、概况", "paragraph 0 s1 l3 正文。"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := Parse(c.src)
			if diff := cmp.Diff(c.want, outline(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkAll(t, c.src)
		})
	}
}

func TestParseSections(t *testing.T) {
	src := "intro\n\n# A **bold** [title](https://a.org)\ntext a\n### B\ntext b\n## C\n\nD\n-\ntext d\n# E"
	d := Parse(src)
	checkDoc(t, d)
	type section struct {
		Level      int
		Title      string
		Path       string
		Line       int
		Head, Body string
	}
	var got []section
	for _, s := range d.Sections {
		got = append(got, section{s.Level, s.Title, strings.Join(s.Path, "/"), s.Line, src[s.Start:s.BodyStart], src[s.BodyStart:s.End]})
	}
	want := []section{
		{0, "", "", 1, "", "intro\n\n"},
		{1, "A bold title", "A bold title", 3, "# A **bold** [title](https://a.org)\n", "text a\n"},
		{3, "B", "A bold title/B", 5, "### B\n", "text b\n"},
		{2, "C", "A bold title/C", 7, "## C\n", "\n"},
		{2, "D", "A bold title/D", 9, "D\n-\n", "text d\n"},
		{1, "E", "E", 12, "# E", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range []struct{ at, title string }{{"intro", ""}, {"text a", "A bold title"}, {"text b", "B"}, {"## C", "C"}, {"text d", "D"}, {"E", "E"}} {
		if got := d.SectionAt(strings.LastIndex(src, c.at)).Title; got != c.title {
			t.Errorf("SectionAt(%q) = %q, want %q", c.at, got, c.title)
		}
	}
	if got := d.SectionAt(len(src) + 5).Title; got != "E" {
		t.Errorf("after the end: %q", got)
	}
}

// sample is a report with something of everything, for fuzzing and benchmarks.
const sample = `---
title: Sample
---
# Heat pumps in *old* houses

Sales grew 12 % in 2023 [1], but **fell** in 2024 [2, 3]; see [the survey](https://example.org/s "t")[^n].

## 结果

中文句子。另一句【1】，见 https://example.org/a_(b)。

| Year | Sales |
|------|------:|
| 2023 | 1,200 [1] |
| 2024 | 900 [2-3] |

> A quotation with ` + "`code[0]`" + ` and <b>HTML</b>.

1. first
   - nested [^n]
2. second &amp; last

` + "```\narr[1] = 2\n```" + `

## Sources

[1] Survey of sales: https://example.org/survey
[2] [Report](https://example.org/report)
[3] Smith, J. (2024). doi:10.1000/abc

[^n]: A note, <https://example.org/note>.
`

func fuzzSeeds(f *testing.F) {
	f.Add(sample)
	for _, s := range attacks {
		f.Add(s)
	}
	for _, s := range []string{"", "\n", "#", "- ", "> - # a\n>   b", "|a|\n|-|\n|`|`|", "\t- a\n\t\t- b", "[1]", "[[1]](x)", "\\[1\\]",
		"## Sources\n1. [a](b)\n", "参考文献：\n[1] https://a.org", "a\r\nb\r", "\x00[1]\xff", "&#0;&amp;", "<br>", "<!--", "a\n===", "* * *",
		"[^1]: a\n    b", "# Sources\n- [^1]: x\n", "`` ` ``", "~~a~~", "![a](b)", "<http://a.b>", "1. a\n2) b", "\ufeff---\na: b\n---\n",
		">\t#", "> \t#\n", ">\t---", ">\t-\t#", "-\t#", ">\t<a>", ">\t```", ">\t|a|\n>\t|-|", "a|\nb\nc|\n-|\nd\n-", "0\x0e5\xcc\x1b|\n0\n0\xbf0\n-|\n0\n-", "p<\xc9<svg>\xado", "[x\xe8\xc7*\x83\xba1v\n\xd6\xb2*"} {
		f.Add(s)
	}
}

func FuzzAll(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, s string) { checkAll(t, s) })
}

func FuzzParse(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, s string) { checkDoc(t, Parse(s)) })
}

func FuzzMarkers(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(checkMarkers)
}

func FuzzSourceList(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, s string) { checkEntries(t, Parse(s)) })
}

func FuzzPlain(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(checkPlain)
}

func FuzzHTML(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		out, err := HTML(s)
		if err != nil {
			t.Fatal(err)
		}
		checkSafe(t, s, out)
	})
}

func benchmark(b *testing.B, do func(string)) {
	src := strings.Repeat(strings.TrimPrefix(sample, "---\ntitle: Sample\n---\n"), 40)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		do(src)
	}
}

func BenchmarkParse(b *testing.B)   { benchmark(b, func(s string) { Parse(s) }) }
func BenchmarkMarkers(b *testing.B) { benchmark(b, func(s string) { Markers(s) }) }
func BenchmarkPlain(b *testing.B)   { benchmark(b, func(s string) { Plain(s) }) }
func BenchmarkEscape(b *testing.B)  { benchmark(b, func(s string) { Escape(s) }) }

func BenchmarkSourceList(b *testing.B) {
	benchmark(b, func(s string) { SourceList(Parse(s)) })
}

func BenchmarkHTML(b *testing.B) {
	benchmark(b, func(s string) {
		if _, err := HTML(s); err != nil {
			b.Fatal(err)
		}
	})
}
