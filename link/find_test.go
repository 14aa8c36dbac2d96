package link

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func urls(found []Found) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.URL)
	}
	return out
}

func TestFind(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"plain", "See https://example.org/a for more", []string{"https://example.org/a"}},
		{"end of sentence", "Read https://example.org/a.", []string{"https://example.org/a"}},
		{"ellipsis", "Read https://example.org/a... and on", []string{"https://example.org/a"}},
		{"dot inside", "http://example.org/a.b.html", []string{"http://example.org/a.b.html"}},
		{"comma inside and after", "https://example.org/1,2,3, and", []string{"https://example.org/1,2,3"}},
		{"comma before the next", "https://a.org/x,https://b.org/y;http://c.org", []string{"https://a.org/x", "https://b.org/y", "http://c.org"}},
		{"brackets around", "(see https://example.org/a)", []string{"https://example.org/a"}},
		{"brackets inside", "https://en.wikipedia.org/wiki/Go_(game)", []string{"https://en.wikipedia.org/wiki/Go_(game)"}},
		{"brackets inside and around", "(https://en.wikipedia.org/wiki/Go_(game))", []string{"https://en.wikipedia.org/wiki/Go_(game)"}},
		{"brackets inside, then stop", "https://en.wikipedia.org/wiki/Go_(game).", []string{"https://en.wikipedia.org/wiki/Go_(game)"}},
		{"Markdown link", "[Go](https://go.dev/doc/) and [b](http://b.org)", []string{"https://go.dev/doc/", "http://b.org"}},
		{"Markdown link with brackets", "[Go](https://en.wikipedia.org/wiki/Go_(game))", []string{"https://en.wikipedia.org/wiki/Go_(game)"}},
		{"Markdown link with a title", `[a](https://a.org/x "the title")`, []string{"https://a.org/x"}},
		{"URL as its own text", "[https://a.org/x](https://a.org/x)", []string{"https://a.org/x", "https://a.org/x"}},
		{"autolink", "<https://a.org/x?y=1>", []string{"https://a.org/x?y=1"}},
		{"HTML attribute", `<a href="https://a.org/x">x</a>`, []string{"https://a.org/x"}},
		{"single quotes", "{'url': 'https://a.org/x','b': 1}", []string{"https://a.org/x"}},
		{"apostrophe inside", "https://a.org/sunday's-best", []string{"https://a.org/sunday's-best"}},
		{"code span", "`https://a.org/x`", []string{"https://a.org/x"}},
		{"bold", "**https://a.org/x**", []string{"https://a.org/x"}},
		{"italic", "_https://a.org/x_", []string{"https://a.org/x"}},
		{"underscore at the end", "https://a.org/x_", []string{"https://a.org/x_"}},
		{"table cells", "|https://a.org/x|https://b.org|", []string{"https://a.org/x", "https://b.org"}},
		{"escaped underscore", `https://a.org/x\_y\_z`, []string{"https://a.org/x_y_z"}},
		{"entity", "https://a.org/?a=1&amp;b=2", []string{"https://a.org/?a=1&b=2"}},
		{"escaped angle bracket", "&lt;https://a.org/x&gt;", []string{"https://a.org/x"}},
		{"query and fragment", "https://a.org/x?a=b&c=d#e", []string{"https://a.org/x?a=b&c=d#e"}},
		{"question", "Is it https://a.org/x?", []string{"https://a.org/x"}},
		{"upper case scheme", "HTTPS://A.ORG/X", []string{"HTTPS://A.ORG/X"}},
		{"archived", "https://web.archive.org/web/2020/https://a.org/x", []string{"https://web.archive.org/web/2020/https://a.org/x"}},
		{"IPv6", "http://[::1]:8080/x", []string{"http://[::1]:8080/x"}},
		{"glued to a word", "sourcehttps://a.org", []string{"https://a.org"}},
		{"no host", "http:// and https://. and http://)", nil},
		{"other schemes", "ftp://a.org mailto:a@b.org javascript:alert(1)", nil},
		{"www", "Visit www.example.org/a, now", []string{"https://www.example.org/a"}},
		{"www needs a domain", "www.foo and www. and ww.foo.org", nil},
		{"www inside a host", "a.www.example.org", nil},
		{"Chinese full stop", "见https://a.org/x。下文", []string{"https://a.org/x"}},
		{"Chinese comma", "见https://a.org/x，下文", []string{"https://a.org/x"}},
		{"full-width brackets", "（https://a.org/x）【https://b.org/y】《https://c.org》", []string{"https://a.org/x", "https://b.org/y", "https://c.org"}},
		{"Chinese text glued on", "https://a.org/report的数据", []string{"https://a.org/report"}},
		{"Chinese text glued to the host", "https://a.org的网站", []string{"https://a.org"}},
		{"Chinese path", "https://zh.wikipedia.org/wiki/北京市 是", []string{"https://zh.wikipedia.org/wiki/北京市"}},
		{"Chinese host", "http://中国.中国/路", []string{"http://中国.中国/路"}},
		{"ideographic space", "https://a.org/x\u3000next", []string{"https://a.org/x"}},
		{"zero-width space", "https://a.org/x\u200bnext", []string{"https://a.org/x"}},
		{"curly quotes", "“https://a.org/x” ‘https://b.org’", []string{"https://a.org/x", "https://b.org"}},
		{"em dash", "https://a.org/x—which", []string{"https://a.org/x"}},
		{"en dash inside", "https://a.org/1914–1918", []string{"https://a.org/1914–1918"}},
		{"colon before a space", "https://a.org/x: good", []string{"https://a.org/x"}},
		{"two lines", "https://a.org/x\nhttps://b.org/y", []string{"https://a.org/x", "https://b.org/y"}},

		{"doi", "doi:10.1000/XYZ.123.", []string{"https://doi.org/10.1000/xyz.123"}},
		{"DOI with a space", "DOI: 10.1000/abc, 2020", []string{"https://doi.org/10.1000/abc"}},
		{"bare DOI", "(10.1016/S0140-6736(20)30183-5)", []string{"https://doi.org/10.1016/s0140-6736(20)30183-5"}},
		{"DOI URL as written", "https://doi.org/10.1000/ABC.", []string{"https://doi.org/10.1000/ABC"}},
		{"doi.org without a scheme", "doi.org/10.1000/abc", []string{"https://doi.org/10.1000/abc"}},
		{"DOI before Chinese", "10.1000/abc。", []string{"https://doi.org/10.1000/abc"}},
		{"no DOI", "10.5 percent, 10.1234 and 110.1000/x, v10.1000/x", nil},
		{"arXiv", "arXiv:2301.01234v2 [cs.CL]", []string{"https://arxiv.org/abs/2301.01234"}},
		{"arXiv with a space", "arXiv: 2301.01234.", []string{"https://arxiv.org/abs/2301.01234"}},
		{"old arXiv", "arXiv:hep-th/9901001,", []string{"https://arxiv.org/abs/hep-th/9901001"}},
		{"arXiv without a scheme", "arxiv.org/abs/2301.01234)", []string{"https://arxiv.org/abs/2301.01234"}},
		{"no arXiv", "arXiv is a server; arXiv:2399.01234", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, urls(Find(c.text))); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestFindOffsets(t *testing.T) {
	text := `见（doi:10.1000/A）和 https://a.org/x\_y。`
	got := Find(text)
	want := []Found{
		{URL: "https://doi.org/10.1000/a", Start: strings.Index(text, "doi:"), End: strings.Index(text, "）")},
		{URL: "https://a.org/x_y", Start: strings.Index(text, "https"), End: strings.Index(text, "。")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"", "https://a.org/x_(y).", "见https://a.org/的，", "doi:10.1000/x", "arXiv:2301.01234v1.",
		"http://[", "www.a.b", `https://a\`, "https://a.org/&amp;&", "HTTP://\xff", "'http://a'", "__http://a__"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, x := range Find(s) {
			if x.Start < last || x.End <= x.Start || x.End > len(s) {
				t.Fatalf("%q: bad span %+v after %d", s, x, last)
			}
			last = x.End
			if utf8.ValidString(s) && !utf8.ValidString(s[x.Start:x.End]) {
				t.Fatalf("%q: span %+v cuts a character", s, x)
			}
			if Normalize(x.URL) == "" {
				t.Fatalf("%q: nothing left of %q", s, x.URL)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("Growth was 12 % in 2023 (see https://example.org/report_(2023).html), and wages fell, "+
		"according to doi:10.1000/abc.123 and others who had a different view of what had happened. ", 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text)
	}
}
