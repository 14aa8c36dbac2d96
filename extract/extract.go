// Package extract turns the bytes of a document into text with stable offsets:
// HTML, PDF (in a limited child process), DOCX, CSV, Markdown and plain text.
//
// The same bytes always give the same text, so that a quote's offsets hold for
// as long as the bytes do. Nothing here logs, prints or reaches the network.
package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Formats of a Document.
const (
	Markdown = "markdown"
	Text     = "text"
	HTML     = "html"
	PDF      = "pdf"
	DOCX     = "docx"
	CSV      = "csv"
)

// Document is what was read from the bytes of one document.
type Document struct {
	Text       string   // UTF-8, "\n" line ends, no control characters but tab; every quote's offsets refer to it
	Title      string   // declared or, failing that, the first heading or line that looks like one
	Authors    []string // as declared, in their order
	Date       string   // ISO 8601 prefix: 2024-03-12, 2024-03, 2024, or ""
	Language   string   // only if the document declares it, e.g. "en" or "pt-BR"
	Format     string   // one of the formats above
	References *Range   // the bibliography, nil when none was found
	Pages      []int    // where each page begins in Text, PDFs only
	Truncated  bool     // Text was cut at Extractor.MaxText
}

// Range is a span of Document.Text in bytes, End exclusive.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

var (
	// ErrUnsupported: none of the formats that can be read.
	ErrUnsupported = errors.New("unsupported format")
	// ErrEmpty: readable, but without any text, such as a scanned PDF.
	ErrEmpty = errors.New("no text in the document")
	// ErrEncrypted: a password is needed.
	ErrEncrypted = errors.New("document is encrypted")
	// ErrTooLarge: more input than MaxInput, or an archive that unpacks to too much.
	ErrTooLarge = errors.New("document is too large")
)

// Defaults of Extractor.
const (
	DefaultTimeout  = 20 * time.Second
	DefaultMemory   = 512 << 20
	DefaultMaxText  = 20 << 20
	DefaultMaxInput = 100 << 20
)

// Extractor reads documents. Its zero value reads everything but PDFs.
type Extractor struct {
	// Child is the command line of the process that parses a PDF: one that
	// calls ServePDF with its standard input and output. Empty: PDFs are
	// refused, unless PDFToText is set.
	Child []string
	// PDFToText is the path of poppler's pdftotext, used instead of the
	// built-in reader. Empty: built-in only.
	PDFToText string
	// Timeout of a PDF's child process. Zero: DefaultTimeout.
	Timeout time.Duration
	// Memory in bytes that a PDF's child process may use. Zero: DefaultMemory.
	Memory int64
	// MaxText is the most bytes of text kept. Zero: DefaultMaxText.
	MaxText int
	// MaxInput is the most bytes of a document that are read at all. Zero:
	// DefaultMaxInput.
	MaxInput int
}

func (e Extractor) withDefaults() Extractor {
	if e.Timeout <= 0 {
		e.Timeout = DefaultTimeout
	}
	if e.Memory <= 0 {
		e.Memory = DefaultMemory
	}
	if e.MaxText <= 0 {
		e.MaxText = DefaultMaxText
	}
	if e.MaxInput <= 0 {
		e.MaxInput = DefaultMaxInput
	}
	return e
}

// Extract reads a document. name is its file name or URL, contentType what a
// server said of it; either may be empty. The bytes themselves have the first
// word on the format, then contentType, then name's extension.
func (e Extractor) Extract(ctx context.Context, name, contentType string, data []byte) (Document, error) {
	e = e.withDefaults()
	if err := ctx.Err(); err != nil {
		return Document{}, err
	}
	if len(data) > e.MaxInput {
		return Document{}, fmt.Errorf("%w: %d bytes, at most %d are read", ErrTooLarge, len(data), e.MaxInput)
	}
	format, err := sniff(name, contentType, data)
	if err != nil {
		return Document{}, err
	}
	doc, err := e.read(ctx, format, name, contentType, data)
	if err != nil {
		return Document{}, fmt.Errorf("%s: %w", format, err)
	}
	doc.Format = format
	return finish(doc, e.MaxText)
}

func (e Extractor) read(ctx context.Context, format, name, contentType string, data []byte) (Document, error) {
	switch format {
	case PDF:
		return e.readPDF(ctx, data)
	case DOCX:
		return readDOCX(data, e.MaxText)
	case HTML:
		return readHTML(data, name, contentType)
	case CSV:
		return readCSV(decode(data, contentType), name, e.MaxText)
	case Markdown:
		return readMarkdown(decode(data, contentType)), nil
	default:
		return readPlain(decode(data, contentType)), nil
	}
}

// finish applies what is the same for all formats: the size limit, the date
// line as a last resort, the bibliography.
func finish(doc Document, maxText int) (Document, error) {
	if strings.TrimSpace(doc.Text) == "" {
		if doc.Format == PDF {
			return Document{}, fmt.Errorf("pdf: %w: its pages hold images only, as a scan's do", ErrEmpty)
		}
		return Document{}, fmt.Errorf("%s: %w", doc.Format, ErrEmpty)
	}
	if len(doc.Text) > maxText {
		doc.Text = cut(doc.Text, maxText)
		doc.Truncated = true
	}
	for len(doc.Pages) > 0 && doc.Pages[len(doc.Pages)-1] > len(doc.Text) {
		doc.Pages = doc.Pages[:len(doc.Pages)-1]
	}
	doc.Title = oneLine(doc.Title, maxTitle)
	if doc.Date == "" && doc.Format != CSV {
		doc.Date = dateLine(doc.Text)
	}
	if doc.Format != CSV {
		doc.References = findReferences(doc.Text)
	}
	return doc, nil
}

// maxTitle bounds a title in bytes; longer "titles" are paragraphs.
const maxTitle = 300

// cut shortens s to at most n bytes, at the end of a line where one is near.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	s = s[:n]
	if i := strings.LastIndexByte(s, '\n'); i > len(s)-4096 && i > 0 {
		s = s[:i+1]
	}
	return s
}

// oneLine folds white space to single spaces and bounds the length.
func oneLine(s string, max int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return strings.TrimSpace(s[:max])
}
