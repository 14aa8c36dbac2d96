package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestHTMLToText(t *testing.T) {
	cases := []struct{ what, in, want string }{
		{"white space", "<p>a\n  b&nbsp;c\u200bd</p>", "a b c d"},
		{"inline elements", "<p>a<b>b</b> <i>c</i>d<sub>2</sub></p>", "ab cd2"},
		{"paragraphs and divs", "<p>a</p><p>b</p><div>c</div><div>d</div>", "a\n\nb\n\nc\nd"},
		{"line breaks", "a<br>b<br><br>c<br><br><br><br>d", "a\nb\n\nc\n\nd"},
		{"headings", "<h1>A <b>b</b></h1>text<h3>C<br>d</h3>", "# A b\n\ntext\n\n### C d"},
		{"empty headings", "<h2> </h2><p>a</p>", "a"},
		{"lists", "<ul><li>a<li>b<p>c</p></ul><ol><li>d</ol>", "- a\n- b\n\nc\n\n- d"},
		{"empty items", "<ul><li><li>a</ul>", "- a"},
		{"definitions", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd"},
		{"tables", "<table><caption>Cap</caption><thead><tr><th>a<th>b</thead><tbody><tr><td>1<br>2<td><p>3</p></tbody></table>", "Cap\na | b\n1 2 | 3"},
		{"empty cells keep their place", "<table><tr><td>a<td><td>c</table>", "a | | c"},
		{"empty rows", "<table><tr><td> <td></tr><tr><td>a</table>", "a"},
		{"nested tables", "<table><tr><td>x<table><tr><td>a<td>b</table></table>", "x\n\na | b"},
		{"preformatted", "<pre>\na\n  b\n</pre><p>c</p>", "a\n  b\n\n\nc"},
		{"quotes", "<blockquote><p>a</p></blockquote>b", "a\n\nb"},
		{"dropped", "a<script>x</script><style>y</style><nav>z</nav><svg><text>s</text></svg><button>q</button><noscript>n</noscript>b", "ab"},
		{"hidden", `a<span hidden>x</span><span aria-hidden="true">y</span><i style="display : none">z</i><b style="visibility:hidden">w</b>b`, "ab"},
		{"editing links and reference marks", `<h2>A<span class="mw-editsection">[edit]</span></h2><p>b<sup class="reference">[1]</sup><sup>2</sup></p>`, "## A\n\nb2"},
		{"soft hyphens", "co&shy;op", "coop"},
		{"control characters", "a&#7;b&#x85;c", "ab…c"},
		{"figures", "<figure><img alt=x><figcaption>Cap</figcaption></figure>a", "Cap\n\na"},
		{"formulas", "<math><semantics><mi>x</mi><annotation>tex</annotation></semantics></math>", "x"},
	}
	for _, c := range cases {
		root, err := html.Parse(strings.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(renderHTML(root), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestMenusAreLeftOutOfWholePages(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<body><div><a href=1>Home page</a> | <a href=2>All the news</a></div>
		<p>Text with <a href=3>one link</a> in it.</p><ul><li><a href=4>More</a><li><a href=5>Even more</a></ul><footer>Imprint</footer></body>`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := renderBody(root), "Text with one link in it.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTextByTagsAlone(t *testing.T) {
	got := tokenText("<p>a<b>b</b><p>c<script>x < y</script><br/>d<style>z</style><li>e")
	if want := "ab\n\nc\nd\ne\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTitleWithoutTheSite(t *testing.T) {
	cases := []struct{ title, site, want string }{
		{"Tides of France - The Times", "The Times", "Tides of France"},
		{"Tides of France – Chapter 2", "The Times", "Tides of France – Chapter 2"},
		{"Tides of France | The Times", "", "Tides of France"},
		{"Tides | The Times", "", "Tides | The Times"},
		{"Tides of France", "The Times", "Tides of France"},
	}
	for _, c := range cases {
		d := declared{meta: map[string][]string{"og:site_name": {c.site}}}
		if got := d.withoutSite(c.title); got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
}
