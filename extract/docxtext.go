// DOCX: WordprocessingML to text. Paragraphs are set apart by blank lines,
// headings get "#" marks, list items "- ", table rows are "a | b | c".
package extract

import (
	"encoding/xml"
	"strings"
)

// docxWriter takes the tokens of a part in order, without recursion, so that
// nesting costs nothing.
type docxWriter struct {
	levels map[string]int
	max    int
	notes  bool // in footnotes or endnotes
	// links are addresses by their ids; nil: links and references to notes are left out.
	links map[string]string
	link  string // address of the link that is open

	out   strings.Builder
	title string // text of the first paragraph in style Title

	open   []docxParagraph // paragraphs nest through text boxes
	rows   []docxRow       // tables nest through cells
	inText bool            // in w:t or m:t
	skip   int             // depth inside elements whose text is not shown
	last   byte            // kind of the last block written: p, l(ist), r(ow), 0
	noteID string
}

type docxParagraph struct {
	text  strings.Builder
	level int // heading level, -1 for none
	list  bool
}

type docxRow struct {
	cells []string
	cell  []string
}

func (w *docxWriter) token(t xml.Token) bool {
	switch t := t.(type) {
	case xml.StartElement:
		w.start(t)
	case xml.EndElement:
		w.end(t.Name.Local)
	case xml.CharData:
		if w.inText && w.skip == 0 && len(w.open) > 0 {
			w.paragraph().text.Write(t)
		}
	}
	return w.out.Len() <= w.max
}

func (w *docxWriter) paragraph() *docxParagraph { return &w.open[len(w.open)-1] }

// maxOpen bounds nested paragraphs and tables; deeper ones are flattened.
const maxOpen = 64

func (w *docxWriter) start(e xml.StartElement) {
	if w.skip > 0 {
		w.skip++
		return
	}
	switch e.Name.Local {
	case "Fallback", "del", "moveFrom", "pPrChange", "rPrChange":
		w.skip = 1
	case "p":
		if e.Name.Space == "w" && len(w.open) < maxOpen {
			w.open = append(w.open, docxParagraph{level: -1})
		}
	case "tr":
		if len(w.rows) < maxOpen {
			w.rows = append(w.rows, docxRow{})
		}
	case "t":
		w.inText = true
	case "footnote", "endnote":
		w.noteID = ""
		if attribute(e, "type") == "" {
			w.noteID = attribute(e, "id")
		}
	default:
		if len(w.open) > 0 {
			w.inParagraph(e)
		}
	}
}

func (w *docxWriter) inParagraph(e xml.StartElement) {
	p := w.paragraph()
	switch e.Name.Local {
	case "pStyle":
		style := attribute(e, "val")
		if level, ok := w.levels[style]; ok {
			p.level = level
		}
		p.list = p.list || strings.HasPrefix(style, "List") && !strings.HasPrefix(style, "ListParagraph")
	case "outlineLvl":
		if v := attribute(e, "val"); p.level < 0 && len(v) == 1 && v[0] >= '0' && v[0] <= '8' {
			p.level = int(v[0]-'0') + 1
		}
	case "numId":
		p.list = attribute(e, "val") != "0"
	case "tab":
		if e.Name.Space == "w" && len(e.Attr) == 0 { // tab stops have attributes
			p.text.WriteByte('\t')
		}
	case "br", "cr":
		p.text.WriteByte('\n')
	case "noBreakHyphen":
		p.text.WriteByte('-')
	case "hyperlink":
		if w.link = w.links[attribute(e, "id")]; w.link != "" {
			p.text.WriteByte('[')
		}
	case "footnoteReference", "endnoteReference":
		if w.links != nil {
			p.text.WriteString("[^" + attribute(e, "id") + "]")
		}
	}
}

func (w *docxWriter) end(local string) {
	if w.skip > 0 {
		w.skip--
		return
	}
	switch local {
	case "t":
		w.inText = false
	case "p":
		if n := len(w.open); n > 0 {
			p := w.open[n-1]
			w.open = w.open[:n-1]
			w.endParagraph(&p)
		}
	case "hyperlink":
		if w.link != "" && len(w.open) > 0 {
			w.paragraph().text.WriteString("](" + w.link + ")")
		}
		w.link = ""
	case "tc":
		if n := len(w.rows); n > 0 {
			row := &w.rows[n-1]
			row.cells = append(row.cells, strings.Join(row.cell, " "))
			row.cell = nil
		}
	case "tr":
		if n := len(w.rows); n > 0 {
			row := w.rows[n-1]
			w.rows = w.rows[:n-1]
			w.endRow(row)
		}
	}
}

func (w *docxWriter) endParagraph(p *docxParagraph) {
	text := strings.TrimSpace(p.text.String())
	if text == "" {
		return
	}
	if n := len(w.rows); n > 0 {
		w.rows[n-1].cell = append(w.rows[n-1].cell, strings.Join(strings.Fields(text), " "))
		return
	}
	kind := byte('p')
	switch {
	case w.notes && w.noteID != "":
		text, kind = "[^"+w.noteID+"]: "+text, 'l'
		w.noteID = ""
	case p.level == titleLevel:
		if w.title == "" {
			w.title = text
		}
		text = "# " + strings.Join(strings.Fields(text), " ")
	case p.level > 0:
		text = strings.Repeat("#", min(p.level, 6)) + " " + strings.Join(strings.Fields(text), " ")
	case p.list:
		text, kind = "- "+text, 'l'
	}
	w.block(kind, text)
}

func (w *docxWriter) endRow(row docxRow) {
	if strings.TrimSpace(strings.Join(row.cells, "")) == "" {
		return
	}
	text := strings.Join(row.cells, " | ")
	if n := len(w.rows); n > 0 {
		w.rows[n-1].cell = append(w.rows[n-1].cell, text)
		return
	}
	w.block('r', text)
}

// block writes one block; list items and rows follow their like on the next
// line, everything else after a blank line.
func (w *docxWriter) block(kind byte, text string) {
	if w.last != 0 {
		w.out.WriteByte('\n')
		if kind == 'p' || kind != w.last {
			w.out.WriteByte('\n')
		}
	}
	w.out.WriteString(text)
	w.last = kind
}

// endPart closes what a cut or malformed part left open.
func (w *docxWriter) endPart() {
	for len(w.open) > 0 {
		w.end("p")
	}
	for len(w.rows) > 0 {
		w.end("tc")
		w.end("tr")
	}
	w.skip, w.inText = 0, false
}
