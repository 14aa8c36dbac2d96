package markdown

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// safeTags are the elements that HTML may produce, with their attributes.
var safeTags = map[string][]string{
	"a": {"href", "rel", "title"}, "p": nil, "h1": {"id"}, "h2": {"id"}, "h3": {"id"}, "h4": {"id"}, "h5": {"id"}, "h6": {"id"},
	"ul": nil, "ol": {"start"}, "li": {"id", "value"}, "blockquote": nil, "pre": nil, "code": nil, "em": nil, "strong": nil, "del": nil,
	"hr": nil, "br": nil, "table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"align"}, "td": {"align"},
	"sup": {"id"}, "div": {"class", "role"},
}

// checkSafe parses rendered HTML the way a browser does and looks at every
// element and attribute that comes of it.
func checkSafe(t *testing.T, src, out string) {
	t.Helper()
	context := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(out), context)
	if err != nil {
		t.Fatalf("%s: %v", short(src), err)
	}
	for _, n := range nodes {
		checkNode(t, src, out, n)
	}
}

func checkNode(t *testing.T, src, out string, n *html.Node) {
	t.Helper()
	if n.Type == html.CommentNode {
		t.Fatalf("%s: comment in %s", short(src), short(out))
	}
	if n.Type == html.ElementNode {
		allowed, ok := safeTags[n.Data]
		if !ok {
			t.Fatalf("%s: element %s in %s", short(src), n.Data, short(out))
		}
		for _, a := range n.Attr {
			if !slices.Contains(allowed, a.Key) {
				t.Fatalf("%s: attribute %s of %s in %s", short(src), a.Key, n.Data, short(out))
			}
			if a.Key == "href" {
				checkTarget(t, src, a.Val)
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		checkNode(t, src, out, c)
	}
}

func checkTarget(t *testing.T, src, to string) {
	t.Helper()
	for _, scheme := range []string{"http://", "https://", "mailto:", "doc:", "#"} {
		if strings.HasPrefix(to, scheme) {
			return
		}
	}
	t.Fatalf("%s: link to %q", short(src), to)
}

// attacks are ways in which a report could try to run something. None may leave
// an element, attribute or address outside checkSafe's lists.
var attacks = []string{
	`<script>alert(1)</script>`,
	`<ScRiPt src=//evil.example/x.js></sCrIpT>`,
	`text <script>alert(1)</script> text`,
	`<img src=x onerror=alert(1)>`,
	`<svg onload=alert(1)>`,
	`<svg><script>alert(1)</script></svg>`,
	`<iframe src="https://evil.example"></iframe>`,
	`<object data="data:text/html,x"></object>`,
	`<embed src="javascript:alert(1)">`,
	`<style>body{background:url(javascript:alert(1))}</style>`,
	`<link rel=stylesheet href=https://evil.example/x.css>`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`,
	`<base href="https://evil.example/">`,
	`<form action="https://evil.example"><input name=a autofocus onfocus=alert(1)></form>`,
	`<details open ontoggle=alert(1)>x</details>`,
	`<a href="javascript:alert(1)">x</a>`,
	`<a href="https://a.org" onclick="alert(1)">x</a>`,
	`<div style="background:url(https://evil.example)">x</div>`,
	`<math><mi xlink:href="javascript:alert(1)">x</mi></math>`,
	`<!--><img src=x onerror=alert(1)>-->`,
	`<![CDATA[<img src=x onerror=alert(1)>]]>`,
	`<?php echo "<script>alert(1)</script>" ?>`,
	"<div\n<script>alert(1)</script>",
	"<b onmouseover=alert(1)>x</b>",
	`[x](javascript:alert(1))`,
	`[x](JaVaScRiPt:alert(1))`,
	`[x](java&#115;cript:alert(1))`,
	`[x](javascript&colon;alert(1))`,
	"[x](<java\tscript:alert(1)>)",
	"[x](<\x01javascript:alert(1)>)",
	`[x](&#x1;javascript:alert(1))`,
	`[x](vbscript:msgbox(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
	`[x](file:///etc/passwd)`,
	`[x](blob:https://a.org/1)`,
	`[x](//evil.example/x)`,
	`[x](/relative/path)`,
	`[x](\\evil.example\x)`,
	`[x](feed:javascript:alert(1))`,
	`[x](https://a.org/"onmouseover="alert(1))`,
	`[x](https://a.org "t" onmouseover="alert(1)")`,
	`[x](https://a.org '"><script>alert(1)</script>')`,
	`[x](https://a.org/<script>)`,
	"[x][r]\n\n[r]: javascript:alert(1)",
	"[x][r]\n\n[r]: https://a.org \"\\\"><img src=x onerror=alert(1)>\"",
	`<javascript:alert(1)>`,
	`<data:text/html,x>`,
	`<https://a.org/"onclick="alert(1)>`,
	`![x](javascript:alert(1))`,
	`![x](https://evil.example/pixel.gif)`,
	`![x" onerror="alert(1)](x)`,
	`![<img src=x onerror=alert(1)>](data:image/svg+xml,x)`,
	`[![x](https://evil.example/p.gif)](javascript:alert(1))`,
	"```\"><script>alert(1)</script>\nx\n```",
	"```js onload=alert(1)\n</code></pre><script>alert(1)</script>\n```",
	"`</code><script>alert(1)</script>`",
	"# <img src=x onerror=alert(1)>",
	"# x {onclick=alert(1)}",
	"# x\" onclick=\"alert(1)",
	"x[^1]\n\n[^1]: <script>alert(1)</script>",
	"x[^\"onclick=alert(1)]\n\n[^\"onclick=alert(1)]: y",
	"x[^<script>]\n\n[^<script>]: [y](javascript:alert(1))",
	"| a |\n|---|\n| <img src=x onerror=alert(1)> |",
	"| <script> |\n|:-:|\n| [x](javascript:alert(1)) |",
	"---\ntitle: <script>alert(1)</script>\n---\nx",
	"&lt;script&gt;alert(1)&lt;/script&gt;",
	"\\<script>alert(1)\\</script>",
	"[x](#\"onclick=alert(1))",
	"[x](doc:a\"onclick=alert(1).md)",
	"[x](mailto:a@b.org\"onclick=alert(1))",
	"<a@b.org\"onclick=alert(1)>",
	"*<script>*alert(1)*</script>*",
}

func TestHTMLIsSafe(t *testing.T) {
	for _, src := range attacks {
		out, err := HTML(src)
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		checkSafe(t, src, out)
	}
	t.Logf("%d attacks", len(attacks))
}

func TestHTML(t *testing.T) {
	const rel = ` rel="noopener noreferrer nofollow"`
	cases := []struct{ name, src, want string }{
		{"link", "[a](https://a.org/x?y=1&z=2)", `<p><a href="https://a.org/x?y=1&amp;z=2"` + rel + `>a</a></p>`},
		{"upper-case scheme", "[a](HTTPS://a.org)", `<p><a href="https://a.org"` + rel + `>a</a></p>`},
		{"title", `[a](https://a.org "A & B")`, `<p><a href="https://a.org"` + rel + ` title="A &amp; B">a</a></p>`},
		{"autolink", "<https://a.org>", `<p><a href="https://a.org"` + rel + `>https://a.org</a></p>`},
		{"mail", "<a@b.org>", `<p><a href="mailto:a@b.org"` + rel + `>a@b.org</a></p>`},
		{"document", "[a](<doc:x/a b.md>)", `<p><a href="doc:x/a%20b.md"` + rel + `>a</a></p>`},
		{"fragment meets heading", "# Key Sources\n\n[1](#key-sources)", `<h1 id="md-key-sources">Key Sources</h1>` + "\n" + `<p><a href="#md-key-sources"` + rel + `>1</a></p>`},
		{"Chinese heading", "# 参考文献：", `<h1 id="md-参考文献">参考文献：</h1>`},
		{"equal headings", "# A\n# A", `<h1 id="md-a">A</h1>` + "\n" + `<h1 id="md-a-1">A</h1>`},
		{"other scheme keeps its text", "[a](javascript:x)", "<p>a</p>"},
		{"image", "![an image](https://a.org/i.png)", "<p>an image</p>"},
		{"tags go, text stays", "a <b>c</b><br/>d", "<p>a c<br>d</p>"},
		{"HTML block", "<div>\n<p>text &amp; more</p>\n<script>x</script></div>", "<p>text &amp; more</p>"},
		{"table", "| a | b |\n|---|--:|\n| 1 | 2 |", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>"},
		{"code", "```go\na < b\n```", "<pre><code>a &lt; b\n</code></pre>"},
		{"front matter", "---\ntitle: x\n---\ny", "<p>y</p>"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := HTML(c.src)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(got) != c.want {
				t.Errorf("HTML(%q)\n got %s\nwant %s", c.src, got, c.want)
			}
			checkSafe(t, c.src, got)
		})
	}
}

func TestHTMLKeepsFootnoteLabels(t *testing.T) {
	out, err := HTML("b[^7] a[^x] again[^7]\n\n[^x]: ex\n[^7]: seven", IDPrefix("r1-"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<a href="#r1-fn1">7</a>`, `<a href="#r1-fn2">x</a>`, `<li id="r1-fn1" value="7">`, `<li id="r1-fn2">`,
		`href="#r1-fnref1-0"`, `href="#r1-fnref1-1"`, `id="r1-fnref1-1"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}
