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
	request := pdfRequest{Memory: DefaultMemory, Seconds: int64(DefaultTimeout.Seconds()), MaxText: DefaultMaxText}
	if first, err := r.Peek(1); err == nil && first[0] == '{' {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("pdf request: %w", err)
		}
		if err := json.Unmarshal(line, &request); err != nil {
			return fmt.Errorf("pdf request: %w", err)
		}
	}
	if memory > 0 {
		request.Memory = memory
	}
	debug.SetMemoryLimit(request.Memory * 3 / 4)
	debug.SetMaxStack(64 << 20)
	if err := limitSelf(request.Memory, request.Seconds); err != nil {
		return fmt.Errorf("pdf limits: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(r, DefaultMaxInput*4))
	if err != nil {
		return fmt.Errorf("pdf input: %w", err)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(parsePDF(data, request.MaxText))
}

// parsePDF never panics: the library does on malformed files.
func parsePDF(data []byte, maxText int) (a pdfAnswer) {
	defer func() {
		if p := recover(); p != nil {
			a = pdfAnswer{Error: "the file is damaged"}
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return pdfAnswer{Error: "the file is damaged", Encrypted: isEncrypted(err)}
	}
	return readPages(r, maxText)
}

func isEncrypted(err error) bool {
	return errors.Is(err, pdf.ErrInvalidPassword) || strings.Contains(err.Error(), "encrypt")
}

func readPages(r *pdf.Reader, maxText int) pdfAnswer {
	var a pdfAnswer
	var b strings.Builder
	for i := 1; i <= r.NumPage() && b.Len() <= maxText; i++ {
		a.Pages = append(a.Pages, b.Len())
		text, err := r.Page(i).GetPlainText(nil)
		if err != nil {
			continue
		}
		b.WriteString(clean(text))
		b.WriteString("\n\n")
	}
	a.Text = b.String()
	return a
}
