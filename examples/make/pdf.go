// A PDF 1.4 file written by hand: uncompressed, three standard fonts with
// their widths, a cross-reference table and an Info dictionary.

package main

import (
	"bytes"
	"fmt"
	"strings"
)

// pdfFile collects numbered objects; object n is objects[n-1].
type pdfFile struct{ objects []string }

func (f *pdfFile) add(object string) int {
	f.objects = append(f.objects, object)
	return len(f.objects)
}

// literal is s as a PDF string.
func literal(s string) string {
	return "(" + strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(s) + ")"
}

func (f *face) object() string {
	widths := strings.Trim(fmt.Sprint(f.widths), "[]")
	return fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding "+
		"/FirstChar 32 /LastChar 126 /Widths [%s] >>", f.name, widths)
}

func renderPDF(doc document) ([]byte, error) {
	pages, err := layOut(doc)
	if err != nil {
		return nil, err
	}
	const catalog, tree = 1, 2 // the tree is filled in when the numbers of its pages are known
	f := &pdfFile{objects: []string{fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Lang (en) >>", tree), ""}}
	var fonts strings.Builder
	for _, font := range []*face{&roman, &bold, &italic} {
		fmt.Fprintf(&fonts, "/%s %d 0 R ", font.resource, f.add(font.object()))
	}
	var kids []string
	for _, p := range pages {
		s := p.content.String()
		content := f.add(fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", len(s), s))
		n := f.add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %g %g] /Resources << /Font << %s>> >> /Contents %d 0 R >>",
			tree, pageWidth, pageHeight, fonts.String(), content))
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
	}
	f.objects[tree-1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	info := f.add(fmt.Sprintf("<< /Title %s /Author %s /Subject %s /Keywords %s /Creator (plumb examples/make) /CreationDate (D:%s) /ModDate (D:%[5]s) >>",
		literal(doc.title), literal(doc.author), literal(doc.subject), literal(doc.keywords), doc.date))
	return f.bytes(catalog, info), nil
}

func (f *pdfFile) bytes(catalog, info int) []byte {
	var out bytes.Buffer
	// Four bytes above 127 tell programs that copy files that this one is binary.
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(f.objects))
	for i, object := range f.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(offsets)+1, catalog, info, start)
	return out.Bytes()
}
