// PDF, the child's side: limits first, then the parse, then one JSON answer.
package extract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
)

// ServePDF reads a PDF from in and writes one JSON answer to out; it is what
// the process of Extractor.Child runs. Before parsing it limits its own
// process for good: memory in bytes (0: what the parent asks for, or
// DefaultMemory), processor time and stack. A malformed PDF is an answer, not
// an error.
func ServePDF(in io.Reader, out io.Writer, memory int64) error {
	r := bufio.NewReader(in)
	request, err := readRequest(r)
	if err != nil {
		return fmt.Errorf("pdf request: %w", err)
	}
	if memory > 0 {
		request.Memory = memory
	}
	debug.SetMemoryLimit(request.Memory * 3 / 4)
	debug.SetMaxStack(64 << 20)
	if err := limitSelf(request.Memory, request.Seconds); err != nil {
		return fmt.Errorf("pdf limits: %w", err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("pdf input: %w", err)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(parsePDF(data, request.MaxText))
}

// readRequest reads the line before the PDF; a bare PDF gets the defaults.
func readRequest(r *bufio.Reader) (pdfRequest, error) {
	request := pdfRequest{Memory: DefaultMemory, Seconds: int64(DefaultTimeout.Seconds()), MaxText: DefaultMaxText}
	first, err := r.Peek(1)
	if errors.Is(err, io.EOF) || err == nil && first[0] != '{' {
		return request, nil
	}
	if err != nil {
		return request, err
	}
	line, err := r.ReadBytes('\n')
	if err != nil {
		return request, err
	}
	return request, json.Unmarshal(line, &request)
}

// parsePDF never panics: the library does on malformed files.
func parsePDF(data []byte, maxText int) (a pdfAnswer) {
	defer func() {
		if recover() != nil {
			a = pdfAnswer{Error: "the file is damaged"}
		}
	}()
	data = trimPDF(data)
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return pdfAnswer{Error: "the file is damaged", Encrypted: isEncrypted(err)}
	}
	return readPages(r, maxText)
}

func isEncrypted(err error) bool {
	return errors.Is(err, pdf.ErrInvalidPassword) || strings.Contains(err.Error(), "encrypt")
}

// trimPDF makes a header and an end that the library accepts: it knows
// versions 1.0 to 1.7 only, wants a line end after them, and nothing but the
// end-of-file mark at the end.
func trimPDF(data []byte) []byte {
	if i := bytes.Index(data, []byte("%PDF-")); i > 0 {
		data = data[i:]
	}
	if i := bytes.LastIndex(data, []byte("%%EOF")); i > 0 {
		data = data[:i]
	}
	const header = "%PDF-1.7\n"
	if len(data) < len(header) {
		return data
	}
	return slices.Concat([]byte(header), data[len(header):], []byte("\n%%EOF\n"))
}
