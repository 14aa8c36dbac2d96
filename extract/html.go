// HTML: which part of a page is its text.
package extract

import (
	"net/url"
	"strings"

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
	// An article shorter than this share of the body's text, or than
	// shortArticle bytes, is taken for a miss. (On 230 marked pages shares from
	// 0 to 0.25 gave the same F1 within .003; the recall is best at 0.25.)
	articleShare = 0.25
	shortArticle = 200
)

func readHTML(data []byte, name, contentType string) (Document, error) {
	src := decodeHTML(data, contentType)
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		return Document{Text: tokenText(src)}, nil //nolint:nilerr // nested deeper than the parser follows: the tags alone give the text
	}
	doc := pageMeta(root)
	body := renderBody(root)
	doc.Text = body
	if scorable(root) {
		if article := articleText(root); !isMiss(article, body) {
			doc.Text = article
		}
	}
	if doc.Title == "" {
		doc.Title = firstHeading(doc.Text)
	}
	if doc.Date == "" {
		doc.Date = dateInPath(name)
	}
	return doc, nil
}

func isMiss(article, body string) bool {
	return len(article) < shortArticle || float64(len(article)) < articleShare*float64(len(body))
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
