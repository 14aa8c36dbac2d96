package markdown

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"emphasis", "a **b** *c* __d__ _e_ ~~f~~", "a b c d e f"},
		{"no emphasis", "snake_case 5 * 3 2*3", "snake_case 5 * 3 2*3"},
		{"link", "see [the *report*](https://a.org/x_(y) \"t\").", "see the report."},
		{"reference link", "[a][r] and [b]\n\n[r]: https://a.org", "a and [b]\n\n[r]: https://a.org"},
		{"autolink", "<https://a.org> <a@b.org>", "https://a.org a@b.org"},
		{"image", "![alt *text*](x.png) after", "alt text after"},
		{"code span", "`a*b*` and `` c`d ``", "a*b* and c`d"},
		{"escapes", `\*a\* \[1\] C:\dir`, "*a* [1] C:\\dir"},
		{"entities", "A &amp; B &lt;5 &#8364; &nosuch;", "A & B <5 € &nosuch;"},
		{"tags", "H<sub>2</sub>O<br>x <!-- c -->y", "H2O\nx y"},
		{"markers stay", "fact [1], more [2-3]【4】[^n]", "fact [1], more [2-3]【4】[^n]"},
		{"soft break", "one\ntwo", "one two"},
		{"soft break in Chinese", "一句\n一句", "一句一句"},
		{"hard break", "one  \ntwo\\\nthree", "one\ntwo\nthree"},
		{"heading", "## A *b* ##", "A b"},
		{"bullets go, numbers stay", "- a\n- b\n\n1. c\n2. d", "a\nb\n\n1. c\n2. d"},
		{"a year is no item", "1986. A great year", "1986. A great year"},
		{"quotation", "> a\n> b", "a b"},
		{"table", "| a | *b* |\n|---|---|\n| 1 | 2 |", "a | b\n1 | 2"},
		{"code block", "```go\na *b*\n```", "a *b*"},
		{"HTML block", "<div>\n<p>a &amp; b</p>\n<style>x</style>\n</div>", "a & b"},
		{"paragraphs", "a\n\n\n\nb\n", "a\n\nb"},
		{"indented code", "    a *b*", "a *b*"},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, _ := Plain(c.src)
			if got != c.want {
				t.Errorf("Plain(%q) = %q, want %q", c.src, got, c.want)
			}
			checkPlain(t, c.src)
		})
	}
}

// TestPlainLeadsBack maps words of the plain text to what they are in the source.
func TestPlainLeadsBack(t *testing.T) {
	src := "# Über **Wärme­pumpen**\n\nSales [grew *12 %*](https://a.org) &amp; fell &lt;5 % \\[1\\].\n\n- 中文**重点**句 [2]\n"
	text, at := Plain(src)
	for _, c := range []struct{ word, want string }{
		{"Über", "Über "},
		{"grew", "grew "},
		{"12 %", "12 %*](https://a.org)"},
		{"& fell", "&amp; fell"},
		{"<5 %", "&lt;5 %"},
		{"重点", "重点**"},
		{"[2]", "[2]"},
	} {
		i := strings.Index(text, c.word)
		if i < 0 {
			t.Fatalf("no %q in %q", c.word, text)
		}
		got := src[at(i):at(i+len(c.word))]
		if strings.TrimSpace(got) != strings.TrimSpace(c.want) {
			t.Errorf("%q comes from %q, want %q", c.word, got, c.want)
		}
	}
	if at(len(text)) > len(src) || at(0) != strings.Index(src, "Über") {
		t.Errorf("ends: %d, %d", at(0), at(len(text)))
	}
}
