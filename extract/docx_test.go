package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type part struct{ name, data string }

func zipped(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		f, err := w.Create(p.name)
		if err == nil {
			_, err = f.Write([]byte(p.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func docxPart(body string) part {
	return part{docxBody, `<?xml version="1.0"?><w:document xmlns:w="w" xmlns:mc="mc" xmlns:m="m"><w:body>` + body + `</w:body></w:document>`}
}

func para(style, text string) string {
	props := ""
	if style != "" {
		props = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return `<w:p>` + props + `<w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func TestDOCX(t *testing.T) {
	body := para("Titel", "Tidal power") +
		para("berschrift1", "Output") +
		`<w:p><w:r><w:t xml:space="preserve">La Rance made </w:t></w:r><w:r><w:t>540&#160;GWh</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:tab/><w:t>a year.</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>first</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>second</w:t></w:r></w:p>` +
		`<w:tbl><w:tr><w:tc>` + para("", "Year") + `</w:tc><w:tc>` + para("", "GWh") + `</w:tc></w:tr>` +
		`<w:tr><w:tc>` + para("", "2021") + para("", "(final)") + `</w:tc><w:tc>` + para("", "540") + `</w:tc></w:tr></w:tbl>` +
		`<w:p><w:del><w:r><w:delText>gone</w:delText></w:r><w:r><w:t>gone too</w:t></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>` +
		`<w:p><w:r><w:t>line</w:t><w:br/><w:t>break</w:t></w:r></w:p>` +
		`<mc:AlternateContent><mc:Choice>` + para("", "choice") + `</mc:Choice><mc:Fallback>` + para("", "fallback") + `</mc:Fallback></mc:AlternateContent>`
	data := zipped(t, docxPart(body),
		part{"word/styles.xml", `<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>`},
		part{"word/footnotes.xml", `<w:footnotes><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2">` + para("", "Gross output.") + `</w:footnote></w:footnotes>`},
		part{"docProps/core.xml", `<cp:coreProperties><dc:creator>Ann Lee; Bo Chen</dc:creator><dcterms:created>2020-01-02T03:04:05Z</dcterms:created><dcterms:modified>2024-03-12T10:00:00Z</dcterms:modified><dc:language>en-GB</dc:language></cp:coreProperties>`})
	doc, err := Extractor{}.Extract(context.Background(), "a.docx", "", data)
	if err != nil {
		t.Fatal(err)
	}
	want := Document{
		Title: "Tidal power", Authors: []string{"Ann Lee", "Bo Chen"}, Date: "2024-03-12", Language: "en-GB", Format: DOCX,
		Text: "# Tidal power\n\n# Output\n\nLa Rance made 540\u00a0GWh\ta year.\n\n- first\n- second\n\nYear | GWh\n2021 (final) | 540\n\nkept\n\nline\nbreak\n\nchoice\n\n[^2]: Gross output.",
	}
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Error(diff)
	}
}

func TestDOCXThatBursts(t *testing.T) {
	bomb := docxPart("<w:p><w:r><w:t>" + strings.Repeat("a", maxUnpacked+1) + "</w:t></w:r></w:p>")
	var many []part
	for i := range maxZipEntries + 1 {
		many = append(many, part{fmt.Sprintf("f%d", i), ""})
	}
	for what, data := range map[string][]byte{
		"zip bomb":     zipped(t, bomb),
		"many entries": zipped(t, append([]part{docxPart("")}, many...)...),
	} {
		if _, err := (Extractor{}).Extract(context.Background(), "a.docx", "", data); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: error %v, want ErrTooLarge", what, err)
		}
	}
}

func TestDOCXIsReadOnlyAsFarAsNeeded(t *testing.T) {
	body := strings.Repeat(para("", "Some words."), 100_000)
	doc, err := Extractor{MaxText: 1000}.Extract(context.Background(), "a.docx", "", zipped(t, docxPart(body)))
	if err != nil || !doc.Truncated || len(doc.Text) > 1000 {
		t.Errorf("error %v, truncated %v, %d bytes", err, doc.Truncated, len(doc.Text))
	}
}

func TestMalformedDOCX(t *testing.T) {
	for what, body := range map[string]string{
		"unclosed":        "<w:p><w:r><w:t>needle",
		"wrong nesting":   "<w:tr><w:tc><w:p><w:r><w:t>needle</w:t></w:tr></w:p></w:tc>",
		"end before open": "</w:p></w:tr></w:tc>" + para("", "needle"),
		"deep tables":     strings.Repeat("<w:tbl><w:tr><w:tc>", 5000) + para("", "needle"),
	} {
		data := zipped(t, part{docxBody, body})
		doc, err := Extractor{}.Extract(context.Background(), "a.docx", "", data)
		if err != nil || !strings.Contains(doc.Text, "needle") {
			t.Errorf("%s: error %v, text %q", what, err, doc.Text)
		}
	}
}
