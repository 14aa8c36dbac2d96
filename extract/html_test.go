package extract

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const article = `<!DOCTYPE html>
<html lang="en-GB"><head>
<title>Tidal power grows | The Example Times</title>
<meta property="og:site_name" content="The Example Times">
<meta name="author" content="Ann Lee and Bo Chen">
<meta property="article:published_time" content="2024-03-12T23:10:00+01:00">
<style>.x{color:red}</style><script>var hidden = "script text"</script>
</head><body>
<nav><ul><li><a href="/">Home</a><li><a href="/news">News</a></ul></nav>
<div class="sidebar"><a href="/1">Teaser one about cats</a> <a href="/2">Teaser two about dogs</a></div>
<article><h1>Tidal power grows</h1>
<p>The La Rance barrage produced <b>540</b>&nbsp;GWh in 2021, enough for a town of
225,000 people, according to its operator. It has run since 1966 with little change.</p>
<h2>Costs</h2>
<p>The plant cost 620 million francs.<br>Operation is cheap, as the tide is free, and the
turbines are overhauled one by one, which keeps the output steady over the years.</p>
<ul><li>24 turbines</li><li>10 MW each<ul><li>bulb type</li></ul></li></ul>
<table><tr><th>Year</th><th>GWh</th></tr><tr><td>2020</td><td>512</td></tr><tr><td>2021</td><td>540</td></tr></table>
<p style="display: none">invisible</p><p hidden>hidden too</p>
<pre>x = 1
  y = 2</pre>
<p>Engineers say that the coef&shy;ficient of the tide, rather than the weather, sets the
day's output, so that it is known years ahead; no other renewable source can say that.</p>
</article>
<footer><a href="/imprint">Imprint</a></footer></body></html>`

func TestHTMLArticle(t *testing.T) {
	doc := extractString(t, "https://example.org/a", "text/html", article)
	want := Document{
		Title: "Tidal power grows", Authors: []string{"Ann Lee", "Bo Chen"}, Date: "2024-03-12", Language: "en-GB", Format: HTML,
		Text: `The La Rance barrage produced 540 GWh in 2021, enough for a town of 225,000 people, according to its operator. It has run since 1966 with little change.

## Costs

The plant cost 620 million francs.
Operation is cheap, as the tide is free, and the turbines are overhauled one by one, which keeps the output steady over the years.

- 24 turbines
- 10 MW each
  - bulb type

Year | GWh
2020 | 512
2021 | 540

x = 1
  y = 2

Engineers say that the coefficient of the tide, rather than the weather, sets the day's output, so that it is known years ahead; no other renewable source can say that.
`,
	}
	doc.Text = strings.TrimPrefix(doc.Text, "# Tidal power grows\n\n") // readability may keep the h1
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Error(diff)
	}
}

func TestShortPageGivesItsWholeBody(t *testing.T) {
	doc := extractString(t, "a.html", "", `<html><body><nav>Menu</nav><p>Open daily.</p><div>Call 555-0100.</div></body></html>`)
	if want := "Open daily.\n\nCall 555-0100.\n"; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
}

func TestHTMLMetadata(t *testing.T) {
	cases := []struct {
		what, head, body string
		want             Document
	}{
		{"JSON-LD graph", `<script type="application/ld+json">{"@graph":[{"@type":"WebPage"},{"@type":"Article","author":[{"name":"Ann Lee"},"Bo Chen"],"datePublished":"2023-05-06T08:00:00Z"}]}</script>`, "",
			Document{Authors: []string{"Ann Lee", "Bo Chen"}, Date: "2023-05-06"}},
		{"JSON-LD list with odd types", `<script type="application/ld+json">[{"author":{"name":7},"datePublished":5},{"author":{"name":"Ann Lee"},"datePublished":"2020"}]</script>`, "",
			Document{Authors: []string{"Ann Lee"}, Date: "2020"}},
		{"broken JSON-LD", `<script type="application/ld+json">{"author":</script>`, "", Document{}},
		{"citation tags", `<meta name="citation_title" content="On tides"><meta name="citation_author" content="Lee, Ann"><meta name="citation_author" content="Chen, Bo"><meta name="citation_publication_date" content="2019/07/02">`, "",
			Document{Title: "On tides", Authors: []string{"Lee, Ann", "Chen, Bo"}, Date: "2019-07-02"}},
		{"Dublin Core", `<meta name="DC.date" content="2018-01"><meta name="DC.creator" content="Ann Lee">`, "",
			Document{Authors: []string{"Ann Lee"}, Date: "2018-01"}},
		{"time element", "", `<time datetime="2017-02-03T10:00">yesterday</time>`, Document{Date: "2017-02-03"}},
		{"dateline and byline by class", "", `<p class="entry-date">5 June 2016</p><span class="author">By Ann Lee</span>`,
			Document{Date: "2016-06-05", Authors: []string{"Ann Lee"}}},
		{"title without site name", `<title>Tides of the Channel - Example</title><meta property="og:site_name" content="Example">`, "", Document{Title: "Tides of the Channel"}},
		{"h1 instead of a longer title", `<title>Tides | A | B</title>`, "<h1>Tides</h1>", Document{Title: "Tides | A"}},
		{"h1 that says the same", `<meta property="og:title" content="Tides of the Channel explained">`, "<h1>Tides of the Channel</h1>", Document{Title: "Tides of the Channel"}},
		{"h1 alone", "", "<h1>Only <i>heading</i></h1>", Document{Title: "Only heading"}},
	}
	for _, c := range cases {
		got := extractString(t, "a.html", "", "<html><head>"+c.head+"</head><body>"+c.body+"<p>Some text here.</p></body></html>")
		got.Text, got.Format = "", ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
}

func TestHTMLCharacterSets(t *testing.T) {
	cases := []struct{ contentType, data, want string }{
		{"", "<html><head><meta charset=windows-1251></head><body>\xcf\xf0\xe8\xe2\xe5\xf2</body>", "Привет\n"},
		{"", "<html><head><meta charset=shift_jis></head><body>\x93\xfa\x96\x7b</body>", "日本\n"},
		{"text/html; charset=gbk", "<html><body>\xd6\xd0\xb9\xfa</body>", "中国\n"},
		{"text/html; charset=iso-8859-1", "<html><body>caf\xc3\xa9</body>", "café\n"},
		{"", "<html><head><meta charset=iso-2022-jp></head><body>\x1b$BF|K\\\x1b(B</body>", "日本\n"},
	}
	for _, c := range cases {
		if got := extractString(t, "a.html", c.contentType, c.data).Text; got != c.want {
			t.Errorf("%.50q: %q, want %q", c.data, got, c.want)
		}
	}
}

func TestLayoutTablesAreNotRows(t *testing.T) {
	doc := extractString(t, "a.html", "", `<html><body><table><tr><td><h2>News</h2><p>First story.</p></td><td><p>Second.</p></td></tr></table></body></html>`)
	if want := "## News\n\nFirst story.\n\nSecond.\n"; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
}

func TestDeepAndHugeHTMLIsBounded(t *testing.T) {
	pages := map[string]string{
		"deep":        "<html><body>" + strings.Repeat("<div>", 200_000) + "needle",
		"deep inline": "<html><body>" + strings.Repeat("<b>", 100_000) + "needle",
		"huge":        "<html><body>" + strings.Repeat("<p>Some words in a paragraph, again and again.</p>\n", 200_000) + "<p>needle</p>",
		"readable":    "<html><body>" + strings.Repeat("<div><p>Some words, in a paragraph, again and again.</p></div>\n", 18_000) + "<p>needle</p>",
		"links":       "<html><body><p>needle</p>" + strings.Repeat("<a href=x>y</a>", 300_000),
		"attributes":  "<html><body><p " + strings.Repeat("a=b ", 500_000) + ">needle",
		"unclosed":    "<html><body>needle<" + strings.Repeat("<x", 1_000_000),
		"tables":      "<html><body>needle " + strings.Repeat("<table><tr><td>", 10_000),
	}
	for what, page := range pages {
		start := time.Now()
		doc, err := Extractor{}.Extract(context.Background(), "a.html", "", []byte(page))
		if err != nil || !strings.Contains(doc.Text, "needle") {
			t.Errorf("%s: error %v, or the text is lost (%d bytes)", what, err, len(doc.Text))
		}
		t.Logf("%s: %.1f MB in %s", what, float64(len(page))/1e6, time.Since(start).Round(time.Millisecond))
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %s", what, took)
		}
	}
}
