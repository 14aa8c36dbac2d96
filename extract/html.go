// HTML: which part of a page is its text.
package extract

import (
	"net/url"
	"strings"
	"time"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

const (
	// maxElements bounds the pages that readability scores; its time grows
	// faster than their size. Larger ones give the text of their body.
	maxElements = 60_000
	// maxNested bounds their text in bytes, each counted once for every element
	// around it, which is how often readability looks at it.
	maxNested = 64 << 20
	// Shorter than this, or than these shares, of the page's text what was left
	// of it, and of that the article, is taken for a miss. (On one half of 230
	// marked pages, shares from 0.05 to 0.3 gave the same F1 within .004; of the
	// article's the largest has the best recall.)
	shortArticle = 200
	bodyShare    = 0.1
	articleShare = 0.3
)

func readHTML(data []byte, name, contentType string) (Document, error) {
	src := decodeHTML(data, contentType)
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		return Document{Text: tokenText(src)}, nil //nolint:nilerr // nested deeper than the parser follows: the tags alone give the text
	}
	doc := pageMeta(root)
	whole := renderBody(root)
	doc.Text = whole
	if scorable(root) {
		doc.Text = mainText(root, whole)
	}
	if doc.Title == "" {
		doc.Title = firstHeading(doc.Text)
	}
	if iso := dateInPath(name); doc.Date == "" || len(iso) == len(time.DateOnly) {
		doc.Date = iso // where an address has the day, it is that of the first publication
	}
	if doc.Date == "" {
		doc.Date = dateLine(dayFirst(cut(whole, dateLineBytes), doc.Language))
	}
	if doc.Date == "" {
		doc.Date = shortDate(whole, doc.Language)
	}
	return doc, nil
}

// mainText is the article of a page whose whole text is given. It changes the tree.
func mainText(root *html.Node, whole string) string {
	prune(root)
	body := renderBody(root)
	if isMiss(body, whole, bodyShare) {
		return whole
	}
	article := articleText(root)
	if isMiss(article, body, articleShare) {
		return withoutEmptySections(body)
	}
	return joinArticle(body, article)
}

func isMiss(part, whole string, share float64) bool {
	return len(part) < shortArticle || float64(len(part)) < share*float64(len(whole))
}

// articleText is the main content by readability, which changes the tree; ""
// when it finds none.
func articleText(root *html.Node) (text string) {
	defer func() {
		if recover() != nil { // a bug of the library's is a miss, not a crash
			text = ""
		}
	}()
	p := readability.NewParser()
	p.DisableJSONLD = true // pageMeta reads it
	article, err := p.ParseAndMutate(root, &url.URL{Scheme: "https", Host: "example.org", Path: "/"})
	if err != nil || article.Node == nil {
		return ""
	}
	return renderHTML(article.Node)
}

// scorable reports whether a page is within maxElements and maxNested.
func scorable(root *html.Node) bool {
	elements, nested := 0, 0
	var within func(n *html.Node, depth int) bool
	within = func(n *html.Node, depth int) bool {
		elements++
		if n.Type == html.TextNode {
			nested += depth * len(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if !within(c, depth+1) {
				return false
			}
		}
		return elements < maxElements && nested < maxNested
	}
	return within(root, 0)
}
