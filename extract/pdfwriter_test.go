package extract

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"
)

// pdfFile writes small PDFs: objects in order from 1, a cross-reference table
// and a trailer.
type pdfFile struct {
	objects []string
	info    string // body of the Info dictionary, optional
}

func (f *pdfFile) add(body string) int {
	f.objects = append(f.objects, body)
	return len(f.objects)
}

func (f *pdfFile) addStream(dict, data string) int {
	return f.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
}

func (f *pdfFile) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, body := range f.objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	info := ""
	if f.info != "" {
		info = "/Info << " + f.info + " >>"
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, info, xref)
	return b.Bytes()
}

// simplePDF has one page for each content stream, with Helvetica as F1, a
// composite font as F2 and a form Fm1.
func simplePDF(info string, contents ...string) []byte {
	f := &pdfFile{info: info}
	f.add("<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>")
	f.add("") // the page tree, when the kids are known
	f.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	f.add("<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [5 0 R] /ToUnicode 6 0 R >>")
	f.add("<< /Type /Font /Subtype /CIDFontType2 /DW 500 /W [1 [600 600] 3 5 700] >>")
	f.addStream("", "1 begincodespacerange <0000> <ffff> endcodespacerange\n2 beginbfchar <0001> <0041> <0002> <D835DC00> endbfchar\n"+
		"2 beginbfrange <0003> <0005> <0061> <0006> <0007> [<00660069> <2014>] endbfrange")
	f.addStream("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 100 0]", "BT /F1 10 Tf 0 0 Td (in a form) Tj ET")
	var kids []string
	for _, c := range contents {
		id := f.addStream("", c)
		page := f.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "+
			"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> /XObject << /Fm1 7 0 R >> >> >>", id))
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	f.objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	return f.bytes()
}

// textPDF sets lines in 11 point, 14 points apart, from the top of a page.
func textPDF(lines ...string) []byte {
	return simplePDF("", setLines(72, 720, 11, lines...))
}

func setLines(x, y, size float64, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /F1 %g Tf %g TL %g %g Td\n", size, size*1.27, x, y)
	for _, l := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.NewReplacer("(", `\(`, ")", `\)`, `\`, `\\`).Replace(l))
	}
	b.WriteString("ET\n")
	return b.String()
}

func deflate(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
