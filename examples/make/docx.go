// A word-processing file (Office Open XML) with headings, a table, a
// footnote and core properties; stored, not compressed.

package main

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

const (
	wordNamespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	xmlHead       = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	footnoteMark  = "[^1]"
)

// part is one file inside the package.
type part struct{ name, content string }

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder never returns an error.
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err)
	}
	return b.String()
}

func textRun(s string) string {
	return `<w:r><w:t xml:space="preserve">` + escape(s) + `</w:t></w:r>`
}

// styled is a paragraph; where the mark of the footnote stands in s, the
// reference to it is put instead.
func styled(style, s string) string {
	properties := ""
	if style != "" {
		properties = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	before, after, found := strings.Cut(s, footnoteMark)
	runs := textRun(before)
	if found {
		runs += `<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="1"/></w:r>`
		if after != "" {
			runs += textRun(after)
		}
	}
	return `<w:p>` + properties + runs + `</w:p>`
}

func tableXML(rows [][]string) string {
	var b strings.Builder
	b.WriteString(`<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>`)
	b.WriteString(strings.Repeat(`<w:gridCol w:w="1840"/>`, len(rows[0])) + `</w:tblGrid>`)
	for _, row := range rows {
		b.WriteString(`<w:tr>`)
		for _, cell := range row {
			b.WriteString(`<w:tc><w:tcPr><w:tcW w:w="1840" w:type="dxa"/></w:tcPr>` + styled("", cell) + `</w:tc>`)
		}
		b.WriteString(`</w:tr>`)
	}
	b.WriteString(`</w:tbl>` + styled("", ""))
	return b.String()
}

// body returns the text of the document and of its footnotes.
func body(doc document) (text, notes string) {
	for _, b := range doc.blocks {
		switch b.kind {
		case heading:
			style := fmt.Sprintf("Heading%d", b.level-1)
			if b.level == 1 {
				style = "Title"
			}
			text += styled(style, b.text)
		case table:
			text += tableXML(b.rows)
		case footnote:
			notes += `<w:footnote w:id="1"><w:p><w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr>` +
				`<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>` + textRun(" "+b.text) + `</w:p></w:footnote>`
		default:
			text += styled("", b.text)
		}
	}
	return text, notes
}

func core(doc document) string {
	return xmlHead + `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:title>` + escape(doc.title) + `</dc:title><dc:subject>` + escape(doc.subject) + `</dc:subject><dc:creator>` + escape(doc.author) + `</dc:creator>` +
		`<dcterms:created xsi:type="dcterms:W3CDTF">` + doc.date + `</dcterms:created>` +
		`<dcterms:modified xsi:type="dcterms:W3CDTF">` + doc.date + `</dcterms:modified></cp:coreProperties>`
}

func renderDOCX(doc document) ([]byte, error) {
	date, err := time.Parse(time.RFC3339, doc.date)
	if err != nil {
		return nil, fmt.Errorf("date: %w", err)
	}
	text, notes := body(doc)
	parts := []part{
		{"[Content_Types].xml", contentTypes},
		{"_rels/.rels", packageRelations},
		{"docProps/core.xml", core(doc)},
		{"docProps/app.xml", xmlHead + `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Company>` +
			escape(doc.place) + `</Company></Properties>`},
		{"word/document.xml", xmlHead + `<w:document ` + wordNamespace + `><w:body>` + text + section + `</w:body></w:document>`},
		{"word/footnotes.xml", xmlHead + `<w:footnotes ` + wordNamespace + `>` + separators + notes + `</w:footnotes>`},
		{"word/styles.xml", styles},
		{"word/_rels/document.xml.rels", documentRelations},
	}
	return store(parts, date)
}

// store packs the parts in their order; every entry carries the same time.
func store(parts []part, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		f, err := w.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Store, Modified: date})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if _, err := f.Write([]byte(p.content)); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
