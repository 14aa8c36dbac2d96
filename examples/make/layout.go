// How a paper stands on its pages: A4, one column, ragged right.

package main

import (
	"fmt"
	"strings"
)

const (
	pageWidth, pageHeight = 595.0, 842.0 // A4 in points
	margin                = 74.0
	column                = pageWidth - 2*margin
	top, bottom           = 764.0, 84.0
	bodySize, bodyLeading = 10.5, 13.6
	firstPage             = 101 // the paper's first page in its journal
)

// page is a content stream under construction.
type page struct{ content strings.Builder }

// typesetter puts lines on pages from top to bottom; y is the next baseline.
type typesetter struct {
	pages   []*page
	y       float64
	running string // head of every page but the first
	err     error  // the first character that could not be set
}

func (t *typesetter) newPage() {
	t.pages = append(t.pages, new(page))
	t.y = top
	if len(t.pages) > 1 {
		t.at(&italic, 9, margin, 798, t.running)
	}
}

// folio ends a page with its number, so that the order in the file is the
// order of reading.
func (t *typesetter) folio() {
	number := fmt.Sprint(firstPage + len(t.pages) - 1)
	t.at(&roman, 9, (pageWidth-roman.width(number, 9))/2, 48, number)
}

// room begins a page unless the given height is still free.
func (t *typesetter) room(height float64) {
	if t.y-height < bottom {
		t.folio()
		t.newPage()
	}
}

// at shows one line with its baseline at x, y.
func (t *typesetter) at(f *face, size, x, y float64, s string) {
	if err := printable(s); err != nil {
		if t.err == nil {
			t.err = err
		}
		return
	}
	escaped := strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(s)
	fmt.Fprintf(&t.pages[len(t.pages)-1].content, "BT /%s %g Tf 1 0 0 1 %.2f %.2f Tm (%s) Tj ET\n",
		f.resource, size, x, y, escaped)
}

// rule draws a hairline across the column.
func (t *typesetter) rule(y float64) {
	fmt.Fprintf(&t.pages[len(t.pages)-1].content, "0.5 w %.2f %.2f m %.2f %.2f l S\n", margin, y, pageWidth-margin, y)
}

func (t *typesetter) centred(f *face, size, leading float64, s string) {
	if err := printable(s); err != nil {
		t.err = err
		return
	}
	for _, line := range f.wrap(s, size, column-70) {
		t.at(f, size, (pageWidth-f.width(line, size))/2, t.y, line)
		t.y -= leading
	}
}

// lines sets a paragraph; every line but the first is moved right by hang.
func (t *typesetter) lines(f *face, size, leading, hang float64, s string) {
	if err := printable(s); err != nil {
		t.err = err
		return
	}
	for i, line := range f.wrap(s, size, column-hang) {
		t.room(0)
		x := margin + hang
		if i == 0 {
			x = margin
		}
		t.at(f, size, x, t.y, line)
		t.y -= leading
	}
}

func (t *typesetter) head(doc document) {
	t.at(&italic, 9, margin, 798, doc.journal)
	t.centred(&bold, 16, 20, doc.title)
	t.y -= 6
	t.centred(&roman, 12, 16, doc.author)
	t.centred(&italic, 10.5, 14, doc.place)
	t.y -= 12
}

func (t *typesetter) block(b block) {
	switch b.kind {
	case heading:
		t.y -= 6
		t.room(4 * bodyLeading) // a heading takes at least three lines with it
		size := 13.5 - float64(b.level)
		t.lines(&bold, size, bodyLeading+3, 0, b.text)
	case table:
		t.table(b)
	case reference:
		t.lines(&roman, 9.5, 12, 18, b.text)
		t.y -= 2
	default:
		t.lines(&roman, bodySize, bodyLeading, 0, b.text)
		t.y -= 5
	}
}

// table sets the caption and the rows with the columns at fixed places, since
// the paper has a table of one shape only.
func (t *typesetter) table(b block) {
	t.room(float64(len(b.rows)+3) * bodyLeading)
	t.y -= 4
	t.lines(&italic, 10, bodyLeading, 0, b.text)
	t.rule(t.y + 10)
	t.y -= 4
	for i, row := range b.rows {
		f := &roman
		if i == 0 {
			f = &bold
		}
		for c, cell := range row {
			t.at(f, 10, margin+[]float64{4, 250, 350}[min(c, 2)], t.y, cell)
		}
		if i == 0 {
			t.rule(t.y - 4)
			t.y -= 3
		}
		t.y -= bodyLeading
	}
	t.rule(t.y + 9)
	t.y -= 10
}

func layOut(doc document) ([]*page, error) {
	t := &typesetter{running: doc.running}
	t.newPage()
	t.head(doc)
	for _, b := range doc.blocks {
		t.block(b)
	}
	t.folio()
	return t.pages, t.err
}
