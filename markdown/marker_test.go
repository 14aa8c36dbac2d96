package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkers(t *testing.T) {
	type m struct {
		Text    string
		Numbers []int
		Label   string
		URL     string
	}
	num := func(text string, n ...int) m { return m{Text: text, Numbers: n} }
	cases := []struct {
		name, src string
		want      []m
	}{
		{"one", "fact [1].", []m{num("[1]", 1)}},
		{"after a word", "fact[1]", []m{num("[1]", 1)}},
		{"several", "a [1, 2] b [3,4;5] c [6、7]", []m{num("[1, 2]", 1, 2), num("[3,4;5]", 3, 4, 5), num("[6、7]", 6, 7)}},
		{"ranges", "a [1-3] b [4–5, 8]", []m{num("[1-3]", 1, 2, 3), num("[4–5, 8]", 4, 5, 8)}},
		{"adjacent", "a [1][2] [3]", []m{num("[1]", 1), num("[2]", 2), num("[3]", 3)}},
		{"full-width", "事实【1】和［2］、【3,4】", []m{num("【1】", 1), num("［2］", 2), num("【3,4】", 3, 4)}},
		{"full-width with a place", "a【4†source】 b【4:0†L1-L3】", []m{num("【4†source】", 4), num("【4:0†L1-L3】", 4)}},
		{"full-width words", "【注意】 【持续/增强】", nil},
		{"footnotes", "a[^1] b[^note]", []m{{"[^1]", []int{1}, "1", ""}, {"[^note]", nil, "note", ""}}},
		{"footnote definition", "a[^1]\n\n[^1]: text [2]", []m{{"[^1]", []int{1}, "1", ""}}},
		{"linked", "a [1](https://a.org/x_(y)) b [2](#sources)", []m{{"[1](https://a.org/x_(y))", []int{1}, "", "https://a.org/x_(y)"}, {"[2](#sources)", []int{2}, "", "#sources"}}},
		{"linked document", "a [1](<doc:x/a b.md>) [2](doc:x/a b.md)", []m{{"[1](<doc:x/a b.md>)", []int{1}, "", "doc:x/a b.md"}, {"[2](doc:x/a b.md)", []int{2}, "", "doc:x/a b.md"}}},
		{"double brackets", "a [[1]](https://a.org) b [[2]]", []m{{"[[1]](https://a.org)", []int{1}, "", "https://a.org"}, num("[2]", 2)}},
		{"escaped", `a \[1\] b [\[2\]](https://a.org)`, []m{num(`\[1\]`, 1), {`[\[2\]](https://a.org)`, []int{2}, "", "https://a.org"}}},
		{"reference link", "[text][1]\n\n[1]: https://a.org", []m{num("[1]", 1)}},
		{"words before", "a [Source 3] b [来源1]", []m{num("[Source 3]", 3), num("[来源1]", 1)}},
		{"a place in it", "a [3, p. 12]", []m{num("[3, p. 12]", 3)}},
		{"source and sentence", "a [41-23] b [4-9] c [41-2,50-3]", []m{num("[41-23]", 41), num("[4-9]", 4), num("[41-2,50-3]", 41, 50)}},
		{"zero", "a [0] but [0, 1] is an interval", []m{num("[0]", 0)}},
		{"superscript", "a<sup>[1]</sup>", []m{num("[1]", 1)}},
		{"in a table", "| a |\n|---|\n| b [1] |", []m{num("[1]", 1)}},
		{"in a quotation", "> a [1]\n> b [2]", []m{num("[1]", 1), num("[2]", 2)}},
		{"in emphasis", "**a [1]** *[2]*", []m{num("[1]", 1), num("[2]", 2)}},

		{"from marker to marker", "a [1]-[3] b [4] – c", []m{num("[1]-[3]", 1, 2, 3), num("[4]", 4)}},
		{"chat, raw", "a citeturn0search1 cited :contentReference[oaicite:2]{index=2}", []m{{"citeturn0search1", nil, "citeturn0search1", ""}, {":contentReference[oaicite:2]{index=2}", nil, "oaicite:2", ""}}},
		{"names of the list", "a [S1, S2] [S9]\n\n## Sources\n\n[S1] https://a.org\n[S2] https://b.org", []m{{"[S1", nil, "S1", ""}, {", S2]", nil, "S2", ""}}},
		{"superscript tags", "word<sup>1, 2</sup> m<sup>2</sup>\n\n## Sources\n\n1. https://a.org\n2. https://b.org", []m{num("<sup>1, 2</sup>", 1, 2)}},
		{"superscript signs", "word¹ 10² km²\n\n## Sources\n\n1. https://a.org\n2. https://b.org", []m{num("¹", 1)}},
		{"superscripts beside brackets", "word¹ [2]\n\n## Sources\n\n1. https://a.org\n2. https://b.org", []m{num("[2]", 2)}},
		{"parameters of a code", "[[48,4,7]] [[1,2,3]]", []m{num("[1,2,3]", 1, 2, 3)}},

		{"check boxes", "- [ ] a\n- [x] b", nil},
		{"code", "`a[0]` ``b[1]``\n\n```\nc[2]\n```\n\n    d[3]", nil},
		{"links", "[2023 report](https://a.org) [a [1] b](https://a.org) [text](b[1])", nil},
		{"images", "![1](a.png)", nil},
		{"years and text", "[2023] [Smith 2020] [3.63亿美元] [a] [] [-1] [1.5]", nil},
		{"tags", `<a href="x[1]">`, nil},
		{"source list", "a [1]\n\n## Sources\n\n[1] Title [2]: https://a.org", []m{num("[1]", 1)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []m
			for _, x := range Markers(c.src) {
				got = append(got, m{c.src[x.Start:x.End], x.Numbers, x.Label, x.URL})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Markers(%q) (-want +got):\n%s", c.src, diff)
			}
			checkMarkers(t, c.src)
		})
	}
}
