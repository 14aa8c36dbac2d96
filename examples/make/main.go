// Command make writes the PDF and the DOCX of the example corpus from the
// texts paper.txt and report.txt beside it:
//
//	go run ./examples/make [folder of the corpus]
//
// The same texts give the same bytes: dates come from the texts, nothing is
// compressed, and no clock is read.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed paper.txt
var paperText string

//go:embed report.txt
var reportText string

// output is one file of the corpus and how its text becomes bytes.
type output struct {
	path   string // slash-separated, relative to the corpus
	text   string
	render func(document) ([]byte, error)
}

var outputs = []output{
	{"engineering/2025-06-corrosion-fatigue-paper.pdf", paperText, renderPDF},
	{"engineering/2023-05-12-root-cause-and-options.docx", reportText, renderDOCX},
}

func (o output) bytes() ([]byte, error) {
	doc, err := parse(o.text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	b, err := o.render(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	return b, nil
}

func run(folder string) error {
	for _, o := range outputs {
		b, err := o.bytes()
		if err != nil {
			return err
		}
		name := filepath.Join(folder, filepath.FromSlash(o.path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes\n", name, len(b))
	}
	return nil
}

func main() {
	folder := "examples/corpus"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := run(folder); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}
