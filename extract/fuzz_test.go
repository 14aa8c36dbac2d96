package extract

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// checkDocument holds what is true of every document.
func checkDocument(t *testing.T, doc Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) {
		t.Fatal("text is not UTF-8")
	}
	for _, r := range doc.Text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			t.Fatalf("control character %U in the text", r)
		}
	}
	if strings.TrimSpace(doc.Text) == "" {
		t.Fatal("a document without text")
	}
	if r := doc.References; r != nil && (r.Start < 0 || r.Start > r.End || r.End > len(doc.Text)) {
		t.Fatalf("references %+v in %d bytes", *r, len(doc.Text))
	}
	last := 0
	for _, p := range doc.Pages {
		if p < last || p > len(doc.Text) {
			t.Fatalf("pages %v in %d bytes", doc.Pages, len(doc.Text))
		}
		last = p
	}
	if doc.Date != "" && isoDate(doc.Date) != doc.Date {
		t.Fatalf("date %q", doc.Date)
	}
	if strings.ContainsAny(doc.Title, "\n\r") {
		t.Fatalf("title %q", doc.Title)
	}
}

func fuzzFormat(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Extractor{MaxText: 1 << 20}.Extract(context.Background(), name, "", data)
		if err != nil {
			return
		}
		checkDocument(t, doc)
	})
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte(article))
	f.Add([]byte("<html><table><tr><td><table><li>a<h1><pre>\n x"))
	f.Add([]byte("<html><script type=application/ld+json>{\"@graph\":[{\"author\":[[]]}]}</script><p>x"))
	f.Add([]byte("<svg><title>a</title><math><annotation>b</html>c"))
	fuzzFormat(f, "a.html")
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("---\ntitle: x\nauthors:\n- a\n---\n# y\n\n## References\n[1] A. Lee 2020\n"))
	f.Add([]byte("\xff\xfea\x00\r\x00"))
	f.Add([]byte("Date: 03/04/2020\r\nBy Ann"))
	fuzzFormat(f, "a.md")
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a;b\n\"x\ny\";2\n"))
	f.Add([]byte("a\tb\n1\t\"2\n"))
	f.Add([]byte("x,,\n,,y\n\"\"\"\n"))
	fuzzFormat(f, "a.csv")
}

func FuzzDOCX(f *testing.F) {
	f.Add(para("Heading1", "x") + "<w:tbl><w:tr><w:tc>" + para("", "y") + "</w:tc></w:tr></w:tbl>")
	f.Add("<w:p><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>z</w:p></w:tc>")
	f.Add("<mc:Fallback><w:p></mc:Fallback>")
	f.Fuzz(func(t *testing.T, body string) {
		doc, err := Extractor{MaxText: 1 << 20}.Extract(context.Background(), "a.docx", "",
			zipped(t, part{docxBody, body}, part{"docProps/core.xml", body}, part{"word/styles.xml", body}, part{"word/footnotes.xml", body}))
		if err != nil {
			return
		}
		checkDocument(t, doc)
	})
}

// FuzzPDFContent draws on the tokens, operators and character maps of pages.
func FuzzPDFContent(f *testing.F) {
	f.Add("BT /F1 10 Tf 72 700 Td [(W) 80 (ater) -300 <0001>] TJ /F2 1 Tf (x\\051) ' ET q 1 0 0 1 0 0 cm /Fm1 Do Q", "1 beginbfrange <00> <ff> <0041> endbfrange")
	f.Add("BI /W 1 ID \x00 EI << /A [ 1 2 >> ] (((", "2 beginbfchar <0001> [<0041>] endbfchar begincodespacerange <0> endcodespacerange")
	f.Fuzz(func(t *testing.T, content, cmap string) {
		a := parsePDF(simplePDF("/Title ("+cmap+")", content), 1<<20)
		parseCharMap([]byte(cmap)).lookup(1)
		if doc, err := a.document(); err == nil && strings.TrimSpace(doc.Text) != "" {
			checkDocument(t, doc)
		}
	})
}

// FuzzPDFFile mutates whole files. They are parsed in the child, since on some
// the library does not come back.
func FuzzPDFFile(f *testing.F) {
	needUnix(f)
	f.Add(textPDF("Hello there.", "Second line."))
	f.Add(simplePDF("/Title (x)", "BT /F2 10 Tf <0001> Tj ET"))
	e := child(f, "serve")
	e.Timeout = time.Second
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := e.Extract(context.Background(), "a.pdf", "", data)
		if err == nil {
			checkDocument(t, doc)
		} else if strings.Contains(err.Error(), "\n") {
			t.Fatalf("error of several lines: %q", err)
		}
	})
}
