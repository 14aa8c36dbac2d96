package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// story is an article long enough to be one; %s stands among its paragraphs.
const story = `<html><head><title>The ferry of Lowen</title></head><body>
<nav><a href="/">Home</a></nav>
<h1>The ferry of Lowen</h1>
%HEAD%
<div class="entry-content">
<p>The ferry of Lowen was built in 1954, of steel, at the yard above the town, and crossed the river for sixty years.</p>
<p>It carried eight cars and forty people. In summer, when the vineyards were full of visitors, queues reached the church.</p>
%BODY%
<p>In 2014 the bridge was opened, and the ferry, by then the last of its kind on this river, was sold to a museum upstream.</p>
<p>Those who want to see it can do so on Sundays, when volunteers start the engine and, if the water allows, cast off.</p>
</div>
%TAIL%
</body></html>`

func tell(t *testing.T, head, body, tail string) Document {
	t.Helper()
	return extractString(t, "a.html", "", strings.NewReplacer("%HEAD%", head, "%BODY%", body, "%TAIL%", tail).Replace(story))
}

func TestWhatStandsBesideAnArticleIsLeftOut(t *testing.T) {
	cases := []struct{ what, html string }{
		{"a newsletter", `<div class="newsletter-box"><p>Needle: subscribe to our letter, which comes on Mondays.</p></div>`},
		{"camel case", `<section id="relatedArticles"><p>Needle: two ferries more, which you may like as well.</p></section>`},
		{"a picture's caption", `<figure><img src="x"><figcaption>Needle at the pier. Photo: A. Lee</figcaption></figure>`},
		{"comments", `<div id="comments"><p>Needle says: I was on it as a child, and it was slow.</p></div>`},
		{"teasers that are links", `<div class="teaser"><a href="/x">Needle: another story of another town and its boat</a></div>`},
		{"an aside", `<aside><p>Needle: a box with something else in it, to read later.</p></aside>`},
	}
	for _, c := range cases {
		for at, doc := range []Document{tell(t, "", c.html, ""), tell(t, "", "", c.html)} {
			if strings.Contains(doc.Text, "Needle") || !strings.Contains(doc.Text, "cast off") {
				t.Errorf("%s (%d):\n%s", c.what, at, doc.Text)
			}
		}
	}
}

func TestAHeadingOverLinksGoesWithThem(t *testing.T) {
	const links = `<h3>Needle</h3><ul><li><a href="/a">One story of many</a></li><li><a href="/b">Another story</a></li></ul>`
	for _, doc := range []Document{tell(t, "", "", links), tell(t, "", links+"<h3>The end</h3>", "")} {
		if strings.Contains(doc.Text, "Needle") || !strings.Contains(doc.Text, "cast off") {
			t.Errorf("text:\n%s", doc.Text)
		}
	}
}

func TestWhatBelongsToAnArticleStays(t *testing.T) {
	cases := []struct{ what, head, body string }{
		{"a lead above it", `<div class="intro"><p>Needle: for sixty years nobody in Lowen had to learn to swim, and then came the bridge.</p></div>`, ""},
		{"a lead called teaser", `<p class="teaser">Needle: for sixty years nobody in Lowen had to learn to swim, and then came the bridge.</p>`, ""},
		{"the caption of a paper", "", `<figure><img src="x"><figcaption>Figure 2. Needle: crossings by year.</figcaption></figure>`},
		{"a table", "", `<table><tr><th>Year</th><th>Crossings</th></tr><tr><td>1999</td><td>Needle 12,000</td></tr></table>`},
		{"a list", "", `<ul><li>Needle: eight cars</li><li>forty people</li></ul>`},
		{"a note", "", `<aside class="admonition note"><p>Needle: the engine was replaced in 1971, by one of the same make.</p></aside>`},
		{"a heading with text", "", `<h2>Needle</h2><p>Its captain was called Needle by everyone, and nobody remembers why that was so.</p>`},
		{"a tweet", "", `<blockquote class="twitter-tweet"><p>Needle: I took the last crossing today, and I cried a little.</p></blockquote>`},
	}
	for _, c := range cases {
		if doc := tell(t, c.head, c.body, ""); !strings.Contains(doc.Text, "Needle") || !strings.Contains(doc.Text, "cast off") {
			t.Errorf("%s:\n%s", c.what, doc.Text)
		}
	}
}

func TestAPageThatIsCalledSidebarIsNotAllBesideItself(t *testing.T) {
	doc := extractString(t, "a.html", "", strings.NewReplacer("<body>", `<body class="with-sidebar"><div class="layout-sidebar comments-open">`,
		"</body>", "</div></body>", "%HEAD%", "", "%BODY%", "", "%TAIL%", "").Replace(story))
	if !strings.Contains(doc.Text, "built in 1954") || !strings.Contains(doc.Text, "cast off") {
		t.Errorf("text:\n%s", doc.Text)
	}
}

func TestWordsOfMarks(t *testing.T) {
	for mark, want := range map[string]string{
		"entryMeta top": "entry meta top", "post-author_Box2": "post author box2", "": "", "--": "", "ÜberUns×x": "über uns x", "ABC": "abc",
	} {
		var got []string
		eachWord(mark, func(w string) bool { got = append(got, w); return false })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", mark, got, want)
		}
	}
	long := &html.Node{Attr: []html.Attribute{{Key: "class", Val: strings.Repeat("x ", maxMark) + "sidebar"}}}
	if marked(long, besideWords) {
		t.Error("a class of a thousand bytes was read")
	}
}

func TestEmptySections(t *testing.T) {
	cases := []struct{ in, want string }{
		{"# T\n\n## A\n\ntext\n\n## B\n", "# T\n\n## A\n\ntext\n"},
		{"# T\n\n## A\n\n### B\n\ntext", "# T\n\n## A\n\n### B\n\ntext\n"},
		{"# T\n\n## A\n\n## B\n\ntext", "# T\n\n## B\n\ntext\n"},
		{"# T\n\n### A\n\n## B\n\ntext", "# T\n\n## B\n\ntext\n"},
		{"text\n## not a heading\n## but code\nmore", "text\n## not a heading\n## but code\nmore\n"},
	}
	for _, c := range cases {
		if got := withoutEmptySections(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestJoinArticle(t *testing.T) {
	body := "Menu\n\n# Title\n\nBy A. Lee\n\nA lead that is long enough to be running text, with its full stop.\n\nFirst.\n\n- an item\n\nShort\n\nLast.\n\nFooter that is long enough to be running text, with its full stop."
	want := "A lead that is long enough to be running text, with its full stop.\n\nFirst.\n\n- an item\n\nLast.\n"
	if got := joinArticle(body, "First.\n\nLast.\n"); got != want {
		t.Errorf("%q", got)
	}
	if got := joinArticle(body, "First. And all on one line. Last.\n"); got != "First. And all on one line. Last.\n" {
		t.Errorf("lines that are not the page's: %q", got)
	}
}

func TestDatesOfPages(t *testing.T) {
	cases := []struct{ what, url, head, body, want string }{
		{"the day in the address", "https://example.org/2019/03/04/ferry", `<meta property="article:published_time" content="2021-01-01">`, "", "2019-03-04"},
		{"the month in the address", "https://example.org/2019/03/ferry", `<meta property="article:published_time" content="2021-01-01">`, "", "2021-01-01"},
		{"late in universal time", "", `<meta property="article:published_time" content="2021-11-04T23:00Z">`, `<span class="date">5. November 2021</span>`, "2021-11-05"},
		{"early in universal time", "", `<meta property="article:published_time" content="2020-02-25T02:25:54+00:00">`, `<span class="date">February 24, 2020</span>`, "2020-02-24"},
		{"at noon", "", `<meta property="article:published_time" content="2020-02-25T12:25:54Z">`, `<span class="date">February 26, 2020</span>`, "2020-02-25"},
		{"in local time", "", `<meta property="article:published_time" content="2020-02-25T02:25:54+05:00">`, `<span class="date">February 24, 2020</span>`, "2020-02-25"},
		{"nearly JSON", "", `<script type="application/ld+json">{"datePublished": "2022-02-02T11:14:00+01:00", "x": "a
b",}</script>`, "", "2022-02-02"},
		{"RDFa", "", "", `<span property="schema:dateCreated" content="2022-01-28T12:45:46+00:00"></span>`, "2022-01-28"},
		{"a line with the hour", "", "", "<p>02.02.2022 10:16 Uhr - League</p>", "2022-02-02"},
		{"a short line", "", "", "<p>Author: Bo on 29.12.2010, 13:36</p>", "2010-12-29"},
		{"a year, and the day in it", "", `<meta name="citation_date" content="2019"><meta name="dc.date" content="2019-07-02">`, "", "2019-07-02"},
		{"a year, and a day of another", "", `<meta name="citation_date" content="2019"><meta name="dc.date" content="2021-07-02">`, "", "2019"},
		{"a row", "", "", "<table><tr><td>Born</td><td>14 March 1879</td></tr></table>", ""},
	}
	for _, c := range cases {
		page := "<html><head>" + c.head + "</head><body>" + c.body + "<p>Some text that says nothing of its day.</p></body></html>"
		if doc := extractString(t, c.url, "text/html", page); doc.Date != c.want {
			t.Errorf("%s: %q, want %q", c.what, doc.Date, c.want)
		}
	}
}
