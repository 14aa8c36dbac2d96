package lab

// A small writer of PDFs: text on A4 pages in Helvetica, with a title, an author and a date.

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	pdfLine    = 14  // points from line to line
	pdfTop     = 780 // points from the bottom, where the text begins
	pdfLines   = 50  // a page
	pdfColumns = 84  // characters a line, about: Helvetica at 10.5 points on 475
)

// pdfRow is a line of text, bold for headings.
type pdfRow struct {
	text string
	bold bool
}

// pdfOf lays a document out.
func pdfOf(d *doc) []byte {
	rows := []pdfRow{{d.title, true}, {d.author + ", " + d.date.Format("2 January 2006"), false}, {}}
	var pages []string
	for _, p := range d.blocks {
		lines := wrap(strings.ReplaceAll(p.text, "\t", "  "), pdfColumns)
		if len(rows)+len(lines) > pdfLines { // no paragraph goes over two pages
			pages, rows = append(pages, pdfStream(rows, len(pages)+1)), nil
		}
		for _, l := range lines {
			rows = append(rows, pdfRow{l, p.kind == "h2"})
		}
		rows = append(rows, pdfRow{})
	}
	pages = append(pages, pdfStream(rows, len(pages)+1))
	return pdfFile(pages, fmt.Sprintf("/Title (%s) /Author (%s) /CreationDate (D:%s080000Z)", pdfEscape(d.title), pdfEscape(d.author), d.date.Format("20060102")))
}

// wrap breaks a text at spaces.
func wrap(s string, columns int) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(s) {
		if line != "" && len(line)+1+len(w) > columns {
			out, line = append(out, line), ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	return append(out, line)
}

// pdfStream is the content of a page.
func pdfStream(rows []pdfRow, number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT\n/F1 10.5 Tf\n%d TL\n60 %d Td\n", pdfLine, pdfTop)
	bold := false
	for _, r := range rows {
		if r.bold != bold {
			bold = r.bold
			b.WriteString(map[bool]string{true: "/F2 12 Tf\n", false: "/F1 10.5 Tf\n"}[bold])
		}
		fmt.Fprintf(&b, "(%s) Tj T*\n", pdfEscape(r.text))
	}
	fmt.Fprintf(&b, "ET\nBT /F1 9 Tf 290 40 Td (%d) Tj ET\n", number)
	return b.String()
}

// pdfEscape writes a string of a PDF in WinAnsi, which Latin-1 is a part of; other letters become question marks.
func pdfEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(string(latin1(s)))
}

// latin1 encodes a text as ISO 8859-1.
func latin1(s string) []byte {
	var out []byte
	for _, r := range s {
		if r > 0xff {
			r = '?'
		}
		out = append(out, byte(r))
	}
	return out
}

// pdfFile puts pages into a file: catalogue, page tree, two fonts, then a page and its stream each.
func pdfFile(pages []string, info string) []byte {
	var kids []string
	objects := []string{"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>", "",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>", "<< " + info + " >>"}
	for _, content := range pages {
		n := len(objects) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents %d 0 R >>", n+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}
