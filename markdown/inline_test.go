package markdown

import "testing"

func TestLinkTarget(t *testing.T) {
	cases := []struct {
		src, url string
		after    int // 0: no target
	}{
		{"(https://a.org)x", "https://a.org", 15},
		{"(https://a.org/x_(y))", "https://a.org/x_(y)", 21},
		{`(https://a.org "t)")`, "https://a.org", 20},
		{"( https://a.org 't' )", "https://a.org", 21},
		{"(<a b>)", "a b", 7},
		{`(a\)b)`, "a)b", 6},
		{"(a?b=1&amp;c=2)", "a?b=1&c=2", 15},
		{"(doc:a b/c d.md)", "doc:a b/c d.md", 16},
		{"()", "", 2},
		{"(a b)", "", 0},
		{"(a", "", 0},
		{"(<a\n>)", "", 0},
		{" (a)", "", 0},
		{"", "", 0},
	}
	for _, c := range cases {
		url, after, ok := linkTarget(c.src, 0, len(c.src))
		if url != c.url || after != c.after || ok != (c.after > 0) {
			t.Errorf("linkTarget(%q) = %q, %d, %v", c.src, url, after, ok)
		}
	}
}

func TestInlineEnds(t *testing.T) {
	type end func(s string, start, end int) int
	cases := []struct {
		name string
		f    end
		src  string
		want int
	}{
		{"code", codeSpanEnd, "`a` b", 3},
		{"code with backticks", codeSpanEnd, "``a`b`` c", 7},
		{"open code", codeSpanEnd, "``a` b", 2},
		{"tag", inlineTagEnd, "<b>x", 3},
		{"closing tag", inlineTagEnd, "</b>x", 4},
		{"comment", inlineTagEnd, "<!-- > -->x", 10},
		{"no tag", inlineTagEnd, "<5 > 3", 1},
		{"open tag", inlineTagEnd, "<b x", 1},
		{"tag before a tag", inlineTagEnd, "<b <i>", 1},
		{"last", inlineTagEnd, "<", 1},
		{"bracket", bracketEnd, "[a]b", 3},
		{"nested", bracketEnd, "[a [b] c]d", 9},
		{"escaped", bracketEnd, `[a \] b]c`, 8},
		{"code in brackets", bracketEnd, "[a `]` b]c", 9},
		{"open bracket", bracketEnd, "[a", -1},
	}
	for _, c := range cases {
		if got := c.f(c.src, 0, len(c.src)); got != c.want {
			t.Errorf("%s: %q ends at %d, want %d", c.name, c.src, got, c.want)
		}
	}
}
