package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// bracketed wraps parts in <ins>, or in a link where the span is one.
func bracketed(spans []Span) Wrap {
	return func(span, part, parts int) (string, string) {
		if spans[span].Link {
			return fmt.Sprintf(`<a href="#s%d">`, span), "</a>"
		}
		return fmt.Sprintf(`<ins id="s%d-%d-%d">`, span, part, parts), "</ins>"
	}
}

// cut takes the spans out of a source in which {0 … 0} marks them.
func cut(t *testing.T, marked string) (string, []Span) {
	t.Helper()
	var b strings.Builder
	spans := make([]Span, 0, 4)
	for i := 0; i < len(marked); i++ {
		switch {
		case marked[i] == '{' && i+1 < len(marked):
			n := int(marked[i+1] - '0')
			for len(spans) <= n {
				spans = append(spans, Span{})
			}
			spans[n].Start = b.Len()
			i++
		case i+1 < len(marked) && marked[i+1] == '}':
			spans[marked[i]-'0'].End = b.Len()
			i++
		default:
			b.WriteByte(marked[i])
		}
	}
	return b.String(), spans
}

func TestHTMLSpansWrapsWhatTheSpansCover(t *testing.T) {
	for _, c := range []struct{ marked, want string }{
		{"{0One. 0}Two.", `<p><ins id="s0-0-1">One. </ins>Two.</p>`},
		{"{0A **b** c.0} {1D.1}", `<p><ins id="s0-0-1">A <strong>b</strong> c.</ins> <ins id="s1-0-1">D.</ins></p>`},
		{"{0**A b.**0} C", `<p><ins id="s0-0-1"><strong>A b.</strong></ins> C</p>`},
		{"**{0A b.0} {1C** d.1}", `<p><strong><ins id="s0-0-1">A b.</ins> <ins id="s1-0-2">C</ins></strong><ins id="s1-1-2"> d.</ins></p>`},
		{"- {0A\n  b.0}\n- {1C.1}", "<ul>\n<li><ins id=\"s0-0-1\">A\nb.</ins></li>\n<li><ins id=\"s1-0-1\">C.</ins></li>\n</ul>"},
		{"> {0A\n> b.0}", "<blockquote>\n<p><ins id=\"s0-0-1\">A\nb.</ins></p>\n</blockquote>"},
		{"{0Use `a` or `b`.0}", `<p><ins id="s0-0-1">Use <code>a</code> or <code>b</code>.</ins></p>`},
		{"Use `a {0b`.0}", `<p>Use <code>a b</code><ins id="s0-0-1">.</ins></p>`},
		{"{0See [a](https://a.org).0} x", `<p><ins id="s0-0-1">See <a href="https://a.org" rel="noopener noreferrer nofollow">a</a>.</ins> x</p>`},
		{"{0See <https://a.org>.0} x", `<p><ins id="s0-0-1">See <a href="https://a.org" rel="noopener noreferrer nofollow">https://a.org</a>.</ins> x</p>`},
		{"{0A &amp; b \\* c.0} d", `<p><ins id="s0-0-1">A &amp; b * c.</ins> d</p>`},
		{"{0今日は晴れ。0}{1明日は雨。1}", `<p><ins id="s0-0-1">今日は晴れ。</ins><ins id="s1-0-1">明日は雨。</ins></p>`},
		{"{0A {1b1} c.0}", `<p><ins id="s0-0-1">A <ins id="s1-0-1">b</ins> c.</ins></p>`},
		{"{0A {1b c.0} d1}", `<p><ins id="s0-0-1">A <ins id="s1-0-2">b c.</ins></ins><ins id="s1-1-2"> d</ins></p>`},
		{"{0{1A.1}0}", `<p><ins id="s1-0-1"><ins id="s0-0-1">A.</ins></ins></p>`},
		{"A{0  0}b", `<p>A  b</p>`},
		{"See [x](doc:a.md), <doc:b&c.md>. {0A.0}", `<p>See x, doc:b&amp;c.md. <ins id="s0-0-1">A.</ins></p>`},
		{"    code {0a0}", "<pre><code>code a\n</code></pre>"},
		{"---\ntitle: x\n---\n\n{0A.0} b", `<p><ins id="s0-0-1">A.</ins> b</p>`},
	} {
		src, spans := cut(t, c.marked)
		got, placed, err := HTMLSpans(src, spans, bracketed(spans))
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.marked, got, c.want)
		}
		for i, n := range placed {
			if n != strings.Count(got, fmt.Sprintf(`id="s%d-`, i)) {
				t.Errorf("%s: span %d is said to have %d parts", c.marked, i, n)
			}
		}
	}
}

func TestHTMLSpansOverTableRows(t *testing.T) {
	src, spans := cut(t, "| a | b |\n|---|---|\n| {01 | **2** 0}|\n| {13 \\| 4 | 51} |")
	got, placed, err := HTMLSpans(src, spans, bracketed(spans))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<td><ins id="s0-0-2">1</ins></td>`, `<td><ins id="s0-1-2"><strong>2</strong></ins></td>`,
		`<td><ins id="s1-0-2">3 | 4</ins></td>`, `<td><ins id="s1-1-2">5</ins></td>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if !slices.Equal(placed, []int{2, 2}) {
		t.Errorf("placed %v", placed)
	}
}

func TestHTMLSpansNeverNestLinks(t *testing.T) {
	for _, c := range []struct{ marked, want string }{
		{"A {0[1]0}.", `<p>A <a href="#s0">[1]</a>.</p>`},
		{"A {0[1](https://a.org)0}.", `<p>A <a href="#s0">1</a>.</p>`},
		{"A [b {0[1]0}](https://a.org).", `<p>A <a href="https://a.org" rel="noopener noreferrer nofollow">b [1]</a>.</p>`},
		{"A {0<https://a.org>0}.", `<p>A <a href="https://a.org" rel="noopener noreferrer nofollow">https://a.org</a>.</p>`},
		{"A {0b {1c1}0}.", `<p>A <a href="#s0">b c</a>.</p>`},
		{"A {0**[b](https://a.org) c**0}.", `<p>A <a href="#s0"><strong>b c</strong></a>.</p>`},
		{"A {0[1]0}.\n\n[1]: https://a.org", `<p>A <a href="#s0">1</a>.</p>`},
	} {
		src, spans := cut(t, c.marked)
		for i := range spans {
			spans[i].Link = true
		}
		got, _, err := HTMLSpans(src, spans, bracketed(spans))
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.marked, got, c.want)
		}
	}
}

// checkSpans holds what any spans over any source must give: tags that nest, the
// same text as without spans, and links in no link.
func checkSpans(t *testing.T, src, bare string, spans []Span) {
	t.Helper()
	got, _, err := HTMLSpans(src, spans, bracketed(spans))
	if err != nil {
		t.Fatal(err)
	}
	checkNesting(t, src, got)
	if a, b := textOf(t, got), bare; a != b && !splitsEntity(src, spans) {
		t.Fatalf("%q with %v: text %q, without spans %q", src, spans, a, b)
	}
}

// bareText is the text of a source rendered without spans.
func bareText(t *testing.T, src string) string {
	t.Helper()
	bare, _, err := HTMLSpans(src, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkSafe(t, src, bare)
	return textOf(t, bare)
}

// splitsEntity: an entity or escape that a span cuts in two is shown as written.
func splitsEntity(src string, spans []Span) bool {
	return strings.ContainsAny(src, "&\\\x00") || len(spans) == 0
}

func textOf(t *testing.T, fragment string) string {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(fragment), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range nodes {
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
	}
	return b.String()
}

// checkNesting reads tags one by one: each end tag must close the last open one.
func checkNesting(t *testing.T, src, out string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(out))
	var open []string
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		name, _ := z.TagName()
		tag := string(name)
		switch {
		case kind == html.StartTagToken && tag != "br" && tag != "hr":
			if tag == "a" && slices.Contains(open, "a") {
				t.Fatalf("%q: link in a link: %s", src, out)
			}
			open = append(open, tag)
		case kind == html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tag {
				t.Fatalf("%q: </%s> closes %v in %s", src, tag, open, out)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("%q: %v stay open in %s", src, open, out)
	}
}

func TestHTMLSpansNestForEveryPairOfOffsets(t *testing.T) {
	for _, src := range []string{
		"A **b *c* d** [e `f`](https://a.org) <https://b.org> g[^1].\n\n[^1]: H *i*.",
		"| a | b **c** |\n|:--|--:|\n| `d` [1](https://a.org) | ~~e~~ ![f](x.png) |\n",
		"> 1. Ü **日本** [x](doc:y.md)\n>    <b>z</b><br>w\n",
	} {
		bare := bareText(t, src)
		for i := range len(src) + 1 {
			for j := i; j <= len(src)+1; j++ {
				checkSpans(t, src, bare, []Span{{Start: i, End: j}, {Start: j / 2, End: (i + j) / 2, Link: true}})
			}
		}
	}
}

func FuzzHTMLSpans(f *testing.F) {
	f.Add("A **b** [c](https://a.org).\n\n- d\n- e", 0, 5, 3, 20, true)
	f.Add("| a | b |\n|--|--|\n| c | d |", 3, 30, 10, 12, false)
	f.Add("x[^a] `y`\n\n[^a]: z <i>w</i>", -1, 99, 2, 3, true)
	f.Fuzz(func(t *testing.T, src string, a, b, c, d int, link bool) {
		checkSpans(t, src, bareText(t, src), []Span{{Start: a, End: b}, {Start: c, End: d, Link: link}, {Start: a, End: d}})
	})
}
