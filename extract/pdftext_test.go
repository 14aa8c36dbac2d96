package extract

import (
	"fmt"
	"strings"
	"testing"
)

// pageText parses a page and returns its text without the trailing lines.
func pageText(t *testing.T, content string) string {
	t.Helper()
	a := parsePDF(simplePDF("", content), DefaultMaxText)
	if a.Error != "" {
		t.Fatal(a.Error)
	}
	return strings.TrimRight(a.Text, "\n")
}

func TestPDFOperators(t *testing.T) {
	cases := []struct{ what, content, want string }{
		{"kerning is no space, a gap is one", "BT /F1 10 Tf 72 700 Td [(W) 80 (ater) -300 (power)] TJ ET", "Water power"},
		{"words placed one by one", "BT /F1 10 Tf 72 700 Td (Water) Tj 28 0 Td (power) Tj ET", "Water power"},
		{"drawn right to left", "BT /F1 10 Tf 100 700 Td (power) Tj -28 0 Td (Water) Tj ET", "Water power"},
		{"word and character spacing", "BT /F1 10 Tf 3 Tw 0.5 Tc 72 700 Td (tidal power) Tj ET", "tidal power"},
		{"quote operators", "BT /F1 10 Tf 12 TL 72 700 Td (one) ' (two) ' 1 0 (three) \" ET", "one\ntwo\nthree"},
		{"TD and T*", "BT /F1 10 Tf 72 700 Td (one) Tj 0 -12 TD (two) Tj T* (three) Tj ET", "one\ntwo\nthree"},
		{"superscript", "BT /F1 10 Tf 72 700 Td (CO) Tj /F1 6 Tf -2 Ts (2) Tj 0 Ts /F1 10 Tf ( levels) Tj ET", "CO2 levels"},
		{"bold by printing twice", "BT /F1 10 Tf 72 700 Td (Bold) Tj ET BT /F1 10 Tf 72.2 700 Td (Bold) Tj ET", "Bold"},
		{"scaled matrix", "q 0.5 0 0 0.5 0 0 cm BT /F1 20 Tf 1 0 0 1 144 1400 Tm (tidal power) Tj ET Q", "tidal power"},
		{"quarter turn", "BT /F1 10 Tf 0 1 -1 0 300 100 Tm (turned text) Tj ET", "turned text"},
		{"composite font", "BT /F2 10 Tf 72 700 Td <0001000300040005> Tj <00060007> Tj ET", "Aabcfi—"},
		{"beyond the basic plane", "BT /F2 10 Tf 72 700 Td <0002> Tj ET", "𝐀"},
		{"form", "BT /F1 10 Tf 72 700 Td (before) Tj ET q 1 0 0 1 0 600 cm /Fm1 Do Q", "before\n\nin a form"},
		{"inline image", "BI /W 2 /H 2 ID \x01\xff(EI \x80 EI Q\nBT /F1 10 Tf 72 700 Td (after) Tj ET", "after"},
		{"escapes", `BT /F1 10 Tf 72 700 Td (\(a\051 \134 \
b\tc \101BC) Tj ET`, `(a) \ b c ABC`},
		{"WinAnsi quotes and accents", "BT /F1 10 Tf 72 700 Td (\x93caf\xe9\x94) Tj ET", "“café”"},
		{"accent over a letter", "BT /F1 10 Tf 72 700 Td (caf) Tj [(\xb4) 444 (e) -100] TJ ET", "café"},
		{"invisible text of a scan", "BT 3 Tr /F1 10 Tf 72 700 Td (scanned words) Tj ET", "scanned words"},
		{"broken operators", "Tj TJ ] >> ) Td 1 2 BT /F1 10 Tf 72 700 Td (ok) Tj Q Q Q /None Do /None 3 Tf", "ok"},
	}
	for _, c := range cases {
		if got := pageText(t, c.content); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func numberedLines(word string, n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("%s line number %d goes on here", word, i))
	}
	return lines
}

func TestPDFColumnsAreReadOneAfterTheOther(t *testing.T) {
	left, right := numberedLines("Left", 12), numberedLines("Right", 12)
	content := setLines(72, 740, 16, "A title that runs over both of the columns of this page, surely")
	for i := range left { // drawn row by row, as some programs do
		y := 700 - 13*float64(i)
		content += setLines(72, y, 10, left[i]) + setLines(320, y, 10, right[i])
	}
	content += setLines(72, 500, 10, "A footer line that spans the page from the left to the right, over the whole gutter")
	got := pageText(t, content)
	want := "A title that runs over both of the columns of this page, surely\n\n" + strings.Join(left, "\n") + "\n\n" + strings.Join(right, "\n") +
		"\n\nA footer line that spans the page from the left to the right, over the whole gutter"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestPDFTableRowsStayTogether(t *testing.T) {
	var content, want string
	for i := range 10 {
		y := 700 - 13*float64(i)
		content += setLines(72, y, 10, fmt.Sprint(2010+i)) + setLines(200, y, 10, "North") + setLines(330, y, 10, fmt.Sprintf("%d.5", 40+i))
		want += fmt.Sprintf("%d North %d.5\n", 2010+i, 40+i)
	}
	if got := pageText(t, content) + "\n"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestPDFParagraphsAndTitle(t *testing.T) {
	content := setLines(72, 740, 18, "Tidal Power in Brittany") +
		setLines(72, 700, 10, "First paragraph, first line", "and its second line.") +
		setLines(72, 655, 10, "Second paragraph.")
	a := parsePDF(simplePDF("/Title (paper_final.doc) /Author ()", content), DefaultMaxText)
	if a.Title != "Tidal Power in Brittany" {
		t.Errorf("title %q", a.Title)
	}
	want := "Tidal Power in Brittany\n\nFirst paragraph, first line\nand its second line.\n\nSecond paragraph.\n\n"
	if a.Text != want {
		t.Errorf("text %q, want %q", a.Text, want)
	}
}

func TestPDFCompressedStreamsAndOddHeaders(t *testing.T) {
	f := &pdfFile{}
	f.add("<< /Type /Catalog /Pages 2 0 R >>")
	f.add("<< /Type /Pages /Count 1 /Kids [4 0 R] /Resources << /Font << /F1 3 0 R >> >> >>")
	f.add("<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Differences [1 /f_i /uni20AC /fl] >> >>")
	f.add("<< /Type /Page /Parent 2 0 R /Contents [5 0 R 6 0 R] >>")
	f.addStream("/Filter /FlateDecode", deflate(t, "BT /F1 12 Tf 72 700 Td (\x01ve \x02 \x03ow) Tj"))
	f.addStream("", "0 -14 Td (next stream) Tj ET")
	want := "five € flow\nnext stream\n\n"
	whole := f.bytes()
	for what, data := range map[string][]byte{
		"as it is":        whole,
		"version 2.0":     []byte(strings.Replace(string(whole), "%PDF-1.4", "%PDF-2.0", 1)),
		"trailing rubble": append([]byte(string(whole)), "\x00\x00 rubble"...),
		"wrong offsets":   []byte(strings.Replace(string(whole), "%PDF-1.4\n", "%PDF-1.4\n% one more line\n", 1)),
		"no table at all": whole[:strings.Index(string(whole), "xref")],
		"cut short":       whole[:strings.LastIndex(string(whole), "endobj")],
		"leading rubble":  append([]byte("HTTP header\r\n\r\n"), whole...),
	} {
		if a := parsePDF(data, DefaultMaxText); a.Text != want {
			t.Errorf("%s: %q (%s), want %q", what, a.Text, a.Error, want)
		}
	}
}

func TestPDFPageTreeThatIsACircle(t *testing.T) {
	f := &pdfFile{}
	f.add("<< /Type /Catalog /Pages 2 0 R >>")
	f.add("<< /Type /Pages /Count 1 /Kids [2 0 R 2 0 R] >>")
	if a := parsePDF(f.bytes(), DefaultMaxText); a.Text != "" || a.Error == "" {
		t.Errorf("text %q, error %q", a.Text, a.Error)
	}
}

func TestPDFFormThatDrawsItself(t *testing.T) {
	f := &pdfFile{}
	f.add("<< /Type /Catalog /Pages 2 0 R >>")
	f.add("<< /Type /Pages /Count 1 /Kids [3 0 R] >>")
	f.add("<< /Type /Page /Contents 4 0 R /Resources 5 0 R >>")
	f.addStream("", "/Fm Do BT /F1 10 Tf 72 700 Td (end) Tj ET")
	f.add("<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> /XObject << /Fm 6 0 R >> >>")
	f.addStream("/Subtype /Form /Resources 5 0 R", "/Fm Do /Fm Do /Fm Do")
	if a := parsePDF(f.bytes(), DefaultMaxText); a.Text != "end\n\n" {
		t.Errorf("text %q, error %q", a.Text, a.Error)
	}
}
