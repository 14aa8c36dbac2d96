package extract

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkHTML(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(shared(b, "pages/html"), "*.gz"))
	if err != nil {
		b.Fatal(err)
	}
	var pages [][]byte
	size := 0
	for _, f := range files {
		pages = append(pages, gunzip(b, f))
		size += len(pages[len(pages)-1])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for i, p := range pages {
			if _, err := (Extractor{}).Extract(context.Background(), "a.html", "text/html", p); err != nil {
				b.Logf("%s: %v", files[i], err)
			}
		}
	}
}

func BenchmarkPDF(b *testing.B) {
	var files [][]byte
	pages := 0
	for _, ref := range pdfReferences(b) {
		data, err := os.ReadFile(shared(b, "pdfs/"+ref.File))
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, data)
		pages += ref.Pages
	}
	for b.Loop() {
		for _, data := range files {
			if a := parsePDF(data, DefaultMaxText); a.Error != "" {
				b.Fatal(a.Error)
			}
		}
	}
	b.ReportMetric(float64(pages*b.N)/b.Elapsed().Seconds(), "pages/s")
}

// BenchmarkPDFChild is the cost of a child process: a PDF of one line.
func BenchmarkPDFChild(b *testing.B) {
	needUnix(b)
	e := child(b, "serve")
	data := textPDF("Hello there.")
	for b.Loop() {
		if _, err := e.Extract(context.Background(), "a.pdf", "", data); err != nil {
			b.Fatal(err)
		}
	}
}
