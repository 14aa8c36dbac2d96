package library_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/library"
)

// pdf writes a PDF of one page for each text, in lines of Helvetica.
func pdf(pages ...string) string {
	var b strings.Builder
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+2*i))
	}
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " ")))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, p := range pages {
		content := "BT /F1 11 Tf 14 TL 72 780 Td\n"
		for line := range strings.Lines(p) {
			content += "(" + strings.NewReplacer("(", `\(`, ")", `\)`).Replace(strings.TrimSpace(line)) + ") Tj T*\n"
		}
		content += "ET"
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", 4+2*i))
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.String()
}

// The test binary is its own child that parses PDFs.
const pdfChild = "LIBRARY_TEST_PDF_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(pdfChild) == "" {
		os.Exit(m.Run())
	}
	if err := extract.ServePDF(os.Stdin, os.Stdout, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestPaperHasTheDOIOfItsFirstPage(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	title := "Corrosion of hangers below a leaking joint\nby Ann Lee and Bo Chen\n"
	cases := []struct{ name, file, want string }{
		{"an address", pdf(title + "https://doi.org/10.1234/NJSI.2025.101\nThe hangers corrode."), "10.1234/njsi.2025.101"},
		{"a label", pdf(title + "doi: 10.1234/njsi.2025.101. The hangers corrode."), "10.1234/njsi.2025.101"},
		{"twice the same", pdf(title + "doi:10.1234/abc\nCite as https://doi.org/10.1234/ABC today."), "10.1234/abc"},
		{"none", pdf(title + "The hangers corrode by 10.5 mm."), ""},
		{"two of them", pdf(title + "doi:10.1234/abc\nThis answers doi:10.1234/xyz of last year."), ""},
		{"on the second page only", pdf(title, "It answers doi:10.1234/xyz of last year."), ""},
		{"one more on the second page", pdf(title+"doi:10.1234/abc", "It answers doi:10.1234/xyz of last year."), "10.1234/abc"},
		{"broken at the end of a line", pdf(title + "https://doi.org/10.1234/long-\nname.7 and the rest."), ""},
		{"broken at a point", pdf(title + "https://doi.org/10.1234/j.\nname.7 and the rest."), ""},
		{"at the end of a sentence", pdf(title + "See doi:10.1234/abc.\nThe hangers corrode."), "10.1234/abc"},
		{"in the references", pdf(title + "The hangers corrode.\n\nReferences\n[1] A. Lee. Bridges. 2019. doi:10.1234/xyz\n[2] B. Chen. Steel. 2020.\n[3] C. Roy. Salt. 2021."), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l, dir := newLibrary(t), folder(t, map[string]string{"paper.pdf": c.file})
			l.Extract.Child = []string{"/usr/bin/env", pdfChild + "=1", exe}
			add(t, l, dir)
			entries, err := l.List(context.Background(), dir)
			if err != nil || len(entries) != 1 {
				t.Fatalf("%d documents, error %v", len(entries), err)
			}
			if got := entries[0].Source.DOI; got != c.want {
				t.Errorf("DOI %q, want %q", got, c.want)
			}
		})
	}
}

func TestNotesAboutAPaperHaveNoDOI(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{"note.md": "# Note\n\nThe paper doi:10.1234/abc says that hangers corrode.\n"})
	add(t, l, dir)
	entries, err := l.List(context.Background(), dir)
	if err != nil || len(entries) != 1 || entries[0].Source.DOI != "" {
		t.Errorf("%+v, error %v, want one document without a DOI", entries, err)
	}
}

func TestOnlyTheLatestFindingsAreCompared(t *testing.T) {
	l := newLibrary(t)
	l.Index = manyFindings{l.Index, library.MaxEarlier + 10}
	fs, err := l.EarlierFindings(context.Background(), "pump", nil, "", 0)
	if err != nil || len(fs) != library.MaxEarlier {
		t.Fatalf("%d findings, error %v, want %d", len(fs), err, library.MaxEarlier)
	}
	for _, f := range fs {
		if f.QuoteStart < 10 {
			t.Fatalf("finding %d is not one of the latest", f.QuoteStart)
		}
	}
	if fs, err = l.EarlierFindings(context.Background(), "pump", nil, "", 3); err != nil || len(fs) != 3 {
		t.Errorf("%d findings, error %v, want 3", len(fs), err)
	}
}

// manyFindings is an index of n findings, the latest last.
type manyFindings struct {
	library.Index
	n int
}

func (m manyFindings) SavedFindings(context.Context, []string, string) ([]library.Saved, error) {
	var out []library.Saved
	for i := range m.n {
		out = append(out, library.Saved{Run: "r", Finding: plumb.Finding{Content: "The pump works.", Quote: "The pump works.",
			Source: strings.Repeat("a", 64), QuoteStart: i, QuoteEnd: i + 15, At: time.Unix(int64(i), 0)}})
	}
	return out, nil
}
