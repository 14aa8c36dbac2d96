// HTML: what of a page is not its article, by how its authors named it: menus,
// teasers, forms, comments, captions of pictures.
package extract

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Words, and pairs of words one behind the other, of classes and ids.
var (
	// besideWords are those of what stands beside an article.
	besideWords = wordSet(`advert advertisement advertising ads anzeige werbung banner sponsor sponsored promo promotion
		newsletter subscribe subscription signup login paywall donate spenden cookie cookies consent
		breadcrumb breadcrumbs sidebar navigation nav navbar menu submenu pagination pager pagenavi toolbar footer
		social share sharing sharedaddy addtoany sociable shariff facebook twitter whatsapp follow
		related relatedposts similar recommend recommended recommendation recommendations empfehlungen outbrain taboola
		comment comments commentlist kommentar kommentare disqus respond rating ratings
		tag tags taglist tagcloud byline authorbox bio widget popup print drucken copyright licence license postmetadata annotation
		caption credit credits bildunterschrift imagecaption dida bu popular trending mostread
		author-box author-info about-author post-author read-more read-also more-articles more-news also-read post-meta
		entry-meta article-meta post-footer entry-footer article-footer most-read latest-news latest-posts post-nav post-navigation
		next-post prev-post image-text pic-text see-also cat-links up-next`)
	// linkWords are those of what stands beside it if a third of it is links: leads are called teasers too.
	linkWords = wordSet(`teaser teasers more modal overlay list latest abo`)
	// ownWords are those of the article, whatever else its elements are called.
	ownWords = wordSet(`entry-content article-content article-body articlebody post-content post-body story-body the-content main-content
		admonition footnote footnotes callout topic`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// maxMark is the most bytes of a class or id that are looked at; longer ones are made by machines.
const maxMark = 400

// marked reports whether the class, id or role of an element has one of the words.
func marked(n *html.Node, words map[string]bool) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "id", "role":
			before := ""
			found := len(a.Val) <= maxMark && eachWord(a.Val, func(w string) bool {
				pair := before + "-" + w
				before = w
				return words[w] || words[pair]
			})
			if found {
				return true
			}
		}
	}
	return false
}

// eachWord calls f with the lower-case words of a class or id, "entryMeta top" as entry, meta and top, until it returns
// true.
func eachWord(s string, f func(word string) bool) bool {
	start, lower := 0, false
	for i, r := range s {
		part := unicode.IsLetter(r) || unicode.IsDigit(r)
		if part && !(lower && unicode.IsUpper(r)) {
			lower = unicode.IsLower(r)
			continue
		}
		lower = false
		if i > start && f(strings.ToLower(s[start:i])) {
			return true
		}
		start = i
		if !part {
			start = i + len(string(r))
		}
	}
	return start < len(s) && f(strings.ToLower(s[start:]))
}

// What stands beside an article has at most besideShare of the page's text and half of its running text: classes such as
// "with-sidebar" are those of elements around everything.
const besideShare = 0.3

// prune takes out of a page what stands beside its article.
func prune(root *html.Node) {
	size := map[*html.Node]sizes{}
	total := measure(root, size)
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; {
			next := c.NextSibling
			s := size[c]
			small := float64(s.text) < besideShare*float64(total.text) && 2*s.prose <= total.prose
			if c.Type == html.ElementNode && !dropped[c.DataAtom] {
				if small && beside(c, s) {
					n.RemoveChild(c)
				} else {
					walk(c)
				}
			}
			c = next
		}
	}
	walk(root)
}

// numbered matches captions that are part of what a paper says.
var numbered = regexp.MustCompile(`(?i)^\s*(?:fig|tab|abb|chart|scheme|图|表|図)\pL*\.?\s*\d`)

// beside reports whether an element of the given sizes is not of the article.
func beside(n *html.Node, s sizes) bool {
	switch n.DataAtom {
	case atom.Body, atom.Main, atom.Article, atom.Html, atom.Blockquote, atom.H1, atom.H2, atom.A, atom.Em, atom.B, atom.I, atom.Strong:
		return false
	}
	if marked(n, ownWords) {
		return false
	}
	switch n.DataAtom {
	case atom.Aside, atom.Footer, atom.Form:
		return true
	case atom.Figcaption:
		return !numbered.MatchString(nodeText(n))
	}
	return marked(n, besideWords) && !numbered.MatchString(nodeText(n)) || 3*s.links > s.text && marked(n, linkWords)
}

// sizes are bytes of text below an element: all, in links, and in paragraphs outside of links.
type sizes struct{ text, links, prose int }

// measure notes the sizes of each element.
func measure(n *html.Node, size map[*html.Node]sizes) sizes {
	if n.Type == html.TextNode {
		return sizes{text: len(strings.TrimSpace(n.Data))}
	}
	var sum sizes
	if dropped[n.DataAtom] {
		return sum
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s := measure(c, size)
		sum = sizes{sum.text + s.text, sum.links + s.links, sum.prose + s.prose}
	}
	switch n.DataAtom {
	case atom.A:
		sum.links = sum.text
	case atom.P:
		sum.prose = sum.text - sum.links
	}
	size[n] = sum
	return sum
}
