// PDF, the child's side: limits first, then the parse, then one JSON answer.
package extract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
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

// parsePDF never panics, though the library does on malformed files. A file
// whose cross-reference table leads to no page is tried again with a new one.
func parsePDF(data []byte, maxText int) pdfAnswer {
	data = trimPDF(data)
	a, err := tryPDF(data, maxText)
	if err != nil && isEncrypted(err) {
		return pdfAnswer{Encrypted: true}
	}
	if err != nil || len(a.Pages) == 0 {
		if a, err = tryPDF(withNewXref(data), maxText); err != nil || len(a.Pages) == 0 {
			return pdfAnswer{Error: "the file is damaged"}
		}
	}
	return a
}

func tryPDF(data []byte, maxText int) (a pdfAnswer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("malformed: %v", p)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return pdfAnswer{}, err
	}
	streams := pdfStreams{data}
	if r.Trailer().Key("Encrypt").Kind() != pdf.Null {
		streams.file = nil
	}
	return readPages(r, streams, maxText), nil
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

var (
	objectStart = regexp.MustCompile(`(?:^|[\r\n])[ \t]*(\d{1,7}) (\d{1,5}) obj\b`)
	catalogMark = regexp.MustCompile(`/Type\s*/Catalog\b`)
)

// withNewXref appends a cross-reference table of the objects that can be seen
// in the file; later ones replace earlier ones of the same number. Objects
// inside compressed object streams are not seen.
func withNewXref(data []byte) []byte {
	offsets := map[int]int{}
	root, last := 0, 0
	at := objectStart.FindAllSubmatchIndex(data, -1)
	for i, m := range at {
		number, err := strconv.Atoi(string(data[m[2]:m[3]]))
		if err != nil {
			continue
		}
		offsets[number] = m[2]
		last = max(last, number)
		end := len(data)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if catalogMark.Match(data[m[1]:end]) {
			root = number
		}
	}
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(data, []byte("%%EOF\n")))
	xref := b.Len()
	b.WriteString("xref\n0 1\n0000000000 65535 f \n")
	for n := 1; n <= last; n++ {
		if at, ok := offsets[n]; ok {
			fmt.Fprintf(&b, "%d 1\n%010d 00000 n \n", n, at)
		}
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", last+1, root, xref)
	return b.Bytes()
}
