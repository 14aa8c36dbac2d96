// PDF, the parent's side: a child process of limited time, memory and output
// parses the file, and every way it can die becomes one clear error.
package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// pdfRequest is the line of JSON that precedes the PDF on the child's input.
type pdfRequest struct {
	Memory  int64 `json:"memory"`
	Seconds int64 `json:"seconds"`
	MaxText int   `json:"max_text"`
}

// pdfAnswer is what the child writes, once, as JSON.
type pdfAnswer struct {
	Text      string   `json:"text"`
	Title     string   `json:"title"`
	Authors   []string `json:"authors"`
	Date      string   `json:"date"`
	Language  string   `json:"language"`
	Pages     []int    `json:"pages"`
	Truncated bool     `json:"truncated"`
	Encrypted bool     `json:"encrypted"`
	Error     string   `json:"error"`
}

func (e Extractor) readPDF(ctx context.Context, data []byte) (Document, error) {
	if e.PDFToText != "" {
		return e.pdfToText(ctx, data)
	}
	if len(e.Child) == 0 {
		return Document{}, fmt.Errorf("%w: PDFs are parsed in a child process, and none is configured", ErrUnsupported)
	}
	request, err := json.Marshal(pdfRequest{Memory: e.Memory, Seconds: int64(e.Timeout/time.Second) + 1, MaxText: e.MaxText})
	if err != nil {
		return Document{}, err
	}
	in := io.MultiReader(bytes.NewReader(append(request, '\n')), bytes.NewReader(data))
	// JSON doubles newlines, quotes and backslashes; a page has 10 bytes more.
	out, err := e.runChild(ctx, e.Child, in, 2*e.MaxText+(1<<20), 0)
	if err != nil {
		return Document{}, err
	}
	var a pdfAnswer
	if err := json.Unmarshal(out, &a); err != nil {
		return Document{}, errors.New("the parser's answer is garbled")
	}
	return a.document()
}

func (a pdfAnswer) document() (Document, error) {
	if a.Encrypted {
		return Document{}, ErrEncrypted
	}
	if a.Error != "" {
		return Document{}, errors.New(oneLine(clean(a.Error), 200))
	}
	doc := Document{
		Text: a.Text, Title: a.Title, Authors: a.Authors, Date: a.Date, Language: a.Language,
		Pages: a.Pages, Truncated: a.Truncated,
	}
	last := 0
	for _, p := range doc.Pages {
		if p < last || p > len(doc.Text) {
			return Document{}, errors.New("the parser's answer is garbled")
		}
		last = p
	}
	return doc, nil
}

// pdfToText uses poppler; the form feeds that it puts after each page give
// the page offsets.
func (e Extractor) pdfToText(ctx context.Context, data []byte) (Document, error) {
	// Not -q: what it says of a failure is how we know its cause.
	argv := []string{e.PDFToText, "-enc", "UTF-8", "-", "-"}
	out, err := e.runChild(ctx, argv, bytes.NewReader(data), e.MaxText+(1<<20), e.Memory)
	if err != nil {
		return Document{}, err
	}
	doc := Document{}
	var b strings.Builder
	pages := strings.Split(string(out), "\f")
	if n := len(pages); n > 1 && strings.TrimSpace(pages[n-1]) == "" {
		pages = pages[:n-1]
	}
	for _, page := range pages {
		doc.Pages = append(doc.Pages, b.Len())
		b.WriteString(strings.TrimRight(norm.NFC.String(clean(page)), "\n"))
		b.WriteString("\n\n")
	}
	doc.Text = b.String()
	doc.Title = shortFirstLine(doc.Text)
	return doc, nil
}

// errOutput: the child wrote more than it may.
var errOutput = errors.New("too much output")

// runChild runs argv with in as its input and returns what it wrote. memory,
// if not zero, is imposed on the child from outside where the system can.
func (e Extractor) runChild(ctx context.Context, argv []string, in io.Reader, maxOut int, memory int64) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...)
	out := &cappedBuffer{max: maxOut, full: cancel}
	diagnostics := &cappedBuffer{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, diagnostics
	cmd.WaitDelay = 2 * time.Second // for pipes that a grandchild keeps open
	ownGroup(cmd)
	gate := make(chan struct{})
	cmd.Stdin = &gatedReader{r: in, gate: gate}
	err := cmd.Start()
	if err == nil {
		if memory > 0 {
			err = limitProcess(cmd.Process.Pid, memory)
		}
		close(gate)
		if waitErr := cmd.Wait(); err == nil {
			err = waitErr
		}
		killGroup(cmd)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.over:
		return nil, fmt.Errorf("the parser wrote more than %d bytes and was stopped", maxOut)
	case limited.Err() != nil:
		return nil, fmt.Errorf("the parser took longer than %s and was stopped", e.Timeout)
	case err != nil:
		return nil, e.causeOfDeath(err, string(diagnostics.kept))
	}
	return out.kept, nil
}

// outOfMemory is what Go, C++ and a Go binary built with -race say when the
// system refuses them memory, for the heap, for its tables or for a thread.
var outOfMemory = []string{"out of memory", "cannot allocate", "bad_alloc", "address space collisions",
	"cannot map pages", "cannot reserve", "new os thread", "errno=12", "errno=11"}

// causeOfDeath says in one line why a child failed. Its own words (stack
// traces, paths) are looked at but never passed on.
func (e Extractor) causeOfDeath(err error, diagnostics string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("the parser did not run: %w", err)
	}
	said := strings.ToLower(diagnostics)
	switch {
	case strings.Contains(said, "incorrect password"):
		return ErrEncrypted
	case slices.ContainsFunc(outOfMemory, func(words string) bool { return strings.Contains(said, words) }):
		return fmt.Errorf("the parser needed more than %d MB of memory and was stopped", e.Memory>>20)
	case strings.Contains(said, "stack exceeds"), strings.Contains(said, "stack overflow"):
		return errors.New("the parser was stopped: the document is nested too deeply")
	case strings.Contains(said, "may not be a pdf"), strings.Contains(said, "syntax error"):
		return errors.New("the file is damaged")
	}
	return fmt.Errorf("the parser died: %s", exit.ProcessState)
}

// cappedBuffer keeps max bytes; full, if set, is called when there is more,
// and the write fails. Without it the rest is dropped. The buffer is not
// embedded: its ReadFrom would go past the limit.
type cappedBuffer struct {
	kept []byte
	max  int
	over bool
	full func()
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
	room := c.max - len(c.kept)
	if len(p) <= room {
		c.kept = append(c.kept, p...)
		return len(p), nil
	}
	c.over = true
	if c.full != nil {
		c.full()
		return 0, errOutput
	}
	c.kept = append(c.kept, p[:room]...)
	return len(p), nil
}

// gatedReader holds the input back until the child's limits are set.
type gatedReader struct {
	r    io.Reader
	gate <-chan struct{}
}

func (g *gatedReader) Read(p []byte) (int, error) {
	<-g.gate
	return g.r.Read(p)
}
