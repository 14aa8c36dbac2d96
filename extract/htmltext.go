// HTML: a tree to text. Paragraphs are set apart by blank lines, headings get
// "#" marks, list items "- ", table rows are "a | b | c".
package extract

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropped elements hold no text for readers.
var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Head: true,
	atom.Nav: true, atom.Svg: true, atom.Iframe: true, atom.Object: true, atom.Embed: true,
	atom.Button: true, atom.Select: true, atom.Textarea: true, atom.Input: true, atom.Datalist: true,
	atom.Audio: true, atom.Video: true, atom.Canvas: true, atom.Dialog: true, atom.Map: true,
}

// blocks maps an element to the line breaks around it.
var blocks = map[atom.Atom]int{
	atom.P: 2, atom.Div: 1, atom.Section: 2, atom.Article: 2, atom.Header: 2, atom.Footer: 2, atom.Main: 2, atom.Aside: 2,
	atom.Ul: 2, atom.Ol: 2, atom.Dl: 2, atom.Dt: 1, atom.Dd: 1, atom.Li: 1, atom.Blockquote: 2, atom.Pre: 2, atom.Table: 2,
	atom.Tr: 1, atom.Caption: 1, atom.Figure: 2, atom.Figcaption: 2, atom.Address: 2, atom.Details: 2, atom.Summary: 1,
	atom.Form: 2, atom.Fieldset: 2, atom.Hr: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2,
	atom.Option: 1, atom.Legend: 1, atom.Center: 2, atom.Body: 2, atom.Thead: 1, atom.Tbody: 1, atom.Tfoot: 1,
}

// renderHTML is the text below n. Recursion is bounded by the parser, which
// refuses more than 512 open elements.
func renderHTML(n *html.Node) string {
	var w htmlWriter
	w.node(n)
	return clean(strings.TrimRight(w.out.String(), " \n") + "\n")
}

// renderBody is the text of a whole page, less what is mostly links: menus,
// teasers, footers.
func renderBody(root *html.Node) string {
	w := htmlWriter{skip: map[*html.Node]bool{}}
	w.findLinkBlocks(root)
	w.node(root)
	return clean(strings.TrimRight(w.out.String(), " \n") + "\n")
}

// linkShare is the share of a block's text in links that makes it a menu.
const linkShare = 0.6

// findLinkBlocks marks blocks to skip and returns the bytes of text below n,
// and of those the ones in links.
func (w *htmlWriter) findLinkBlocks(n *html.Node) (text, links int) {
	if n.Type == html.TextNode {
		return len(strings.TrimSpace(n.Data)), 0
	}
	if dropped[n.DataAtom] {
		return 0, 0
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t, l := w.findLinkBlocks(c)
		text, links = text+t, links+l
	}
	switch n.DataAtom {
	case atom.A:
		return text, text
	case atom.Ul, atom.Ol, atom.Div, atom.Section, atom.Aside, atom.Header, atom.Table, atom.Footer:
		// Bibliographies and tables of long links carry text of their own.
		if float64(links) > linkShare*float64(text) && links > 0 && text < 4000 {
			w.skip[n] = true
		}
		if n.DataAtom == atom.Footer && text < 2000 {
			w.skip[n] = true
		}
	}
	return text, links
}

type htmlWriter struct {
	skip   map[*html.Node]bool
	out    strings.Builder
	breaks int    // line breaks due before the next text
	space  bool   // a space is due before the next text
	mark   string // "## " or "- ", due before the next text
	pre    int
	flat   int // in a cell or heading: blocks are spaces
	limit  int // bytes after which nothing more is looked at; 0 for none
	indent int // depth of lists
}

func (w *htmlWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		data := n.Data
		if w.limit > 0 {
			data = cut(data, w.limit)
		}
		if w.pre > 0 {
			w.preformatted(data)
		} else {
			w.text(data)
		}
	case html.DocumentNode:
		w.children(n)
	case html.ElementNode:
		if !dropped[n.DataAtom] && !hidden(n) && !w.skip[n] {
			w.element(n)
		}
	}
}

func (w *htmlWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil && (w.limit == 0 || w.out.Len() < w.limit); c = c.NextSibling {
		w.node(c)
	}
}

func (w *htmlWriter) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Br:
		w.brk()
		return
	case atom.Wbr, atom.Img, atom.Rp, atom.Annotation, atom.AnnotationXml:
		return
	case atom.Tr:
		if isDataRow(n) {
			w.row(n)
			return
		}
	}
	gap := blocks[n.DataAtom]
	if w.indent > 0 && (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol) {
		gap = 1
	}
	w.block(gap)
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n)
	case atom.Li:
		w.item(n)
	case atom.Ul, atom.Ol:
		w.indent++
		w.children(n)
		w.indent--
	case atom.Pre:
		w.pre++
		w.children(n)
		w.pre--
	case atom.Td, atom.Th:
		w.block(1)
		w.children(n)
		w.block(1)
	default:
		w.children(n)
	}
	w.block(gap)
}

func (w *htmlWriter) heading(n *html.Node) {
	if w.flat == 0 && w.mark == "" {
		w.mark = strings.Repeat("#", int(n.Data[1]-'0')) + " "
	}
	w.flat++
	w.children(n)
	w.flat--
	w.mark = ""
}

func (w *htmlWriter) item(n *html.Node) {
	if w.flat == 0 {
		w.mark = strings.Repeat("  ", min(max(w.indent-1, 0), 4)) + "- "
	}
	w.children(n)
	w.mark = ""
}

// row writes a row of a data table on one line.
func (w *htmlWriter) row(n *html.Node) {
	var cells []string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th || hidden(c) {
			continue
		}
		cell := htmlWriter{flat: 1}
		cell.children(c)
		cells = append(cells, strings.TrimSpace(cell.out.String()))
	}
	if strings.Join(cells, "") == "" {
		return
	}
	w.block(1)
	w.text(strings.Join(cells, " | "))
	w.block(1)
}

// isDataRow tells rows of data from tables that only lay out a page: those
// hold tables, headings, or several blocks in a cell.
func isDataRow(tr *html.Node) bool {
	for td := tr.FirstChild; td != nil; td = td.NextSibling {
		n, size := 0, 0
		for d := range td.Descendants() {
			switch {
			case d.DataAtom == atom.Table, d.DataAtom == atom.H1, d.DataAtom == atom.H2:
				return false
			case d.Type == html.TextNode:
				size += len(d.Data)
			case blocks[d.DataAtom] > 0 && d.DataAtom != atom.Li:
				n++
			}
			if n > 6 || n > 2 && size > 600 {
				return false
			}
		}
	}
	return true
}

func (w *htmlWriter) block(gap int) {
	if gap == 0 {
		return
	}
	if w.flat > 0 {
		w.space = true
		return
	}
	w.breaks = max(w.breaks, gap)
}

// brk is a <br>: two in a row make a paragraph.
func (w *htmlWriter) brk() {
	if w.flat > 0 {
		w.space = true
		return
	}
	w.breaks = min(w.breaks+1, 2)
}

// flush writes what is due before text.
func (w *htmlWriter) flush() {
	if w.out.Len() > 0 {
		if w.breaks > 0 {
			w.out.WriteString("\n\n"[:w.breaks])
		} else if w.space {
			w.out.WriteByte(' ')
		}
	}
	w.out.WriteString(w.mark)
	w.breaks, w.space, w.mark = 0, false, ""
}

func (w *htmlWriter) text(s string) {
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return !isSpace(r) })
		if i != 0 {
			w.space = true
		}
		if i < 0 {
			return
		}
		s = s[i:]
		if i = strings.IndexFunc(s, isSpace); i < 0 {
			i = len(s)
		}
		w.flush()
		w.out.WriteString(strings.ReplaceAll(s[:i], "\u00ad", ""))
		s = s[i:]
	}
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' }

func (w *htmlWriter) preformatted(s string) {
	if strings.TrimSpace(s) == "" && w.breaks > 0 {
		return
	}
	if w.breaks > 0 {
		s = strings.TrimPrefix(s, "\n")
	}
	w.flush()
	w.out.WriteString(s)
}

// hidden elements are there for machines only.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return strings.EqualFold(a.Val, "true")
		case "style":
			style := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		case "role":
			if a.Val == "navigation" || a.Val == "search" {
				return true
			}
		case "class":
			if strings.Contains(a.Val, "mw-editsection") || n.DataAtom == atom.Sup && a.Val == "reference" {
				return true
			}
		}
	}
	return false
}

// tokenText is the text of a page by its tags alone, in constant depth.
func tokenText(src string) string {
	var w htmlWriter
	z := html.NewTokenizer(strings.NewReader(src))
	var skip atom.Atom
	for {
		switch z.Next() {
		case html.ErrorToken:
			return clean(strings.TrimRight(w.out.String(), " \n") + "\n")
		case html.TextToken:
			if skip == 0 {
				w.text(string(z.Text()))
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			switch tag {
			case atom.Script, atom.Style, atom.Noscript, atom.Template:
				skip = tag
			}
			w.block(blocks[tag])
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == skip {
				skip = 0
			}
			w.block(blocks[tag])
		case html.SelfClosingTagToken:
			w.brk()
		}
	}
}
