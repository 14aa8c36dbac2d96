// Reports: a document as Markdown in which what it cites can be found again.
package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Report reads a document as a report whose citations matter. Markdown and plain
// text stay as they are, byte for byte; links of HTML and DOCX become links of
// Markdown, footnotes its footnotes and tables its tables. Of a PDF only the
// text is known.
func (e Extractor) Report(ctx context.Context, name string, data []byte) (string, error) {
	e = e.withDefaults()
	if len(data) > e.MaxInput {
		return "", fmt.Errorf("%w: %d bytes, at most %d are read", ErrTooLarge, len(data), e.MaxInput)
	}
	format, err := sniff(name, "", data)
	if err != nil {
		return "", err
	}
	var text string
	switch format {
	case Markdown, Text:
		if text = string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))); !utf8.ValidString(text) {
			text = decode(data, "")
		}
	case HTML:
		text = linkedHTML(decodeHTML(data, ""))
	case DOCX:
		text, err = linkedDOCX(data, e.MaxText)
	default:
		var doc Document
		doc, err = e.Extract(ctx, name, "", data)
		text = doc.Text
	}
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("%s: %w", format, ErrEmpty)
	}
	return text, nil
}

// linkedHTML is the text of a whole page with its links.
func linkedHTML(src string) string {
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		return tokenText(src)
	}
	markLinks(root)
	return tables(renderHTML(root))
}

// markLinks puts the marks of Markdown around links that lead to the web and hold
// nothing but a line of text.
func markLinks(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		markLinks(c)
	}
	if n.DataAtom != atom.A || n.FirstChild == nil {
		return
	}
	href, text := "", plainLine(n)
	for _, a := range n.Attr {
		if a.Key == "href" {
			href = linkTo(a.Val)
		}
	}
	if href == "" || strings.TrimSpace(text) == "" || strings.Count(text, "[") != strings.Count(text, "]") {
		return
	}
	n.InsertBefore(&html.Node{Type: html.TextNode, Data: "["}, n.FirstChild)
	n.AppendChild(&html.Node{Type: html.TextNode, Data: "](" + href + ")"})
}

// plainLine is the text below a node, "" when it has blocks.
func plainLine(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	out := ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if blocks[c.DataAtom] > 0 || c.DataAtom == atom.Br {
			return ""
		}
		out += plainLine(c)
	}
	return out
}

// linkTo is an address as the target of a Markdown link, "" when it leads nowhere
// that can be cited.
func linkTo(url string) string {
	url = strings.TrimSpace(url)
	low := strings.ToLower(url)
	if !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") && !strings.HasPrefix(low, "doc:") {
		return ""
	}
	url = strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "", "\r", "", "\t", "").Replace(url)
	if strings.ContainsAny(url, " ()") {
		return "<" + url + ">"
	}
	return url
}

// tables makes tables of Markdown of the rows that the writers of this package
// write as "a | b | c".
func tables(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); {
		cells := strings.Count(lines[i], " | ")
		j := i
		for j < len(lines) && cells > 0 && strings.Count(lines[j], " | ") == cells {
			j++
		}
		if j-i < 2 {
			out = append(out, lines[i])
			i++
			continue
		}
		for k := i; k < j; k++ {
			out = append(out, "| "+lines[k]+" |")
			if k == i {
				out = append(out, strings.Repeat("| --- ", cells+1)+"|")
			}
		}
		i = j
	}
	return strings.Join(out, "\n")
}

// linkedDOCX is the text of a DOCX with its links and footnotes.
func linkedDOCX(data []byte, maxText int) (string, error) {
	p, err := openPack(data)
	if err != nil {
		return "", err
	}
	levels, err := p.styleLevels()
	if err != nil {
		return "", err
	}
	w := &docxWriter{levels: levels, max: maxText}
	for _, part := range []string{docxBody, "word/footnotes.xml", "word/endnotes.xml"} {
		if w.links, err = p.targets(part); err != nil {
			return "", err
		}
		w.notes = part != docxBody
		if err := p.walk(part, w.token); err != nil {
			return "", err
		}
		w.endPart()
	}
	return tables(clean(w.out.String())), nil
}

// targets are the addresses that the links of a part lead to, by their ids.
func (p *pack) targets(part string) (map[string]string, error) {
	out := map[string]string{}
	err := p.walk("word/_rels/"+path.Base(part)+".rels", func(t xml.Token) bool {
		if e, ok := t.(xml.StartElement); ok && strings.HasSuffix(attribute(e, "Type"), "/hyperlink") {
			out[attribute(e, "Id")] = linkTo(attribute(e, "Target"))
		}
		return true
	})
	return out, err
}
