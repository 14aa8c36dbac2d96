package main

// What is printed where: closed pipes, full disks, hostile names, the last line of a terminal.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbresearch/plumb"
)

// bounded is an output that takes some writes and then answers with an error, like a pipe whose reader has gone.
type bounded struct {
	bytes.Buffer
	writes int
	err    error
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.writes--; b.writes < 0 {
		return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: b.err}
	}
	return b.Buffer.Write(p)
}

// into runs the program with an output of its own.
func (s *shell) into(out *bounded, args ...string) (code int, errs string) {
	s.t.Helper()
	var e bytes.Buffer
	code = run(context.Background(), args, stdio{in: strings.NewReader(""), out: out, err: &e}, s.environ())
	return code, e.String()
}

func TestOutputThatNobodyReads(t *testing.T) {
	s := newShell(t)
	gone := func(n int) *bounded { return &bounded{writes: n, err: syscall.EPIPE} }
	for n := range 3 {
		code, errs := s.into(gone(n), "research", "--json", "--docs", corpus, headline)
		if code != exitFailed || !strings.Contains(errs, "broken pipe") || !strings.Contains(errs, "plumb resume") || strings.Count(errs, "\n") != 1 {
			t.Errorf("after %d events: exit %d, %q", n, code, errs)
		}
		if r := s.must(0, "runs"); !strings.Contains(r.out, "stopped") {
			t.Errorf("the run is not stopped: %s", r.out)
		}
		s.must(0, "resume", "--quiet", "last")
	}
	full := func() *bounded { return &bounded{err: syscall.ENOSPC} }
	code, errs := s.into(full(), "research", "--quiet", "--docs", corpus, "--out", "out", headline)
	if code != exitFailed || !strings.Contains(errs, "no space left") || !strings.Contains(errs, "out") || strings.Count(errs, "\n") != 1 {
		t.Errorf("a report that can't be printed: exit %d, %q", code, errs)
	}
	if readFile(t, "out/final.md") == "" {
		t.Error("the report is lost")
	}
	if code, errs := s.into(full(), "show", "last"); code != exitFailed || !strings.Contains(errs, "no space left") {
		t.Errorf("show: exit %d, %q", code, errs)
	}
	for _, args := range [][]string{{"runs"}, {"version"}, {"library", "list"}, {"doctor"}} {
		if code, errs := s.into(gone(0), args...); code != exitFailed || errs != "" {
			t.Errorf("%v | head: exit %d, %q", args, code, errs)
		}
	}
}

func TestNamesOfFilesDontMoveTheCursor(t *testing.T) {
	s := newShell(t)
	if err := os.Mkdir("docs", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"a\x1b[31m\nb\tc.txt": "The weir at Norrick was built in 1931.\n",
		"\x1b]0;owned\a.pdf":  "no PDF",
		"- dash.md":           "# \u0085Weir\n\nThe weir at Norrick cost 400 pounds.\n",
		"leer zeichen ü文.txt": "The weir at Norrick was mended in 1960.\n",
	} {
		if err := os.WriteFile(filepath.Join("docs", name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := s.must(0, "research", "--docs", "docs", "When was the weir at Norrick built?")
	shown := r.err + s.must(0, "library", "list").out + s.must(0, "library", "search", "weir Norrick").out + s.must(0, "library", "add", "docs").err
	if i := strings.IndexFunc(shown, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 }); i >= 0 {
		t.Errorf("control character %q in %q", shown[i], shown[max(i-40, 0):i+1])
	}
	if n := strings.Count(s.must(0, "library", "list").out, "\n"); n != 3 {
		t.Errorf("3 documents are listed on %d lines", n)
	}
	if !strings.Contains(r.err, "1 skipped") || !strings.Contains(r.err, "3 new") {
		t.Errorf("read:\n%s", r.err)
	}
}

// screen is a progress on a terminal that keeps what was written to it.
func screen(width int) (*progress, *bytes.Buffer) {
	var err bytes.Buffer
	p := newProgress(newRoot(stdio{out: &bytes.Buffer{}, err: &err}, nil), false, false)
	p.live, p.width = true, width
	return p, &err
}

func TestTheLastLineOfATerminal(t *testing.T) {
	p, out := screen(24)
	p.show(plumb.News(plumb.DocumentsRead, "", plumb.DocumentsNews{Done: 1_000, Total: 123_456_789}))
	if got := out.String(); !strings.HasSuffix(got, "…") || len([]rune(got)) != 23 {
		t.Errorf("the status is %q in 24 columns", got)
	}
	p.show(plumb.Event{Kind: plumb.Warning, Text: "careful"})
	if got := out.String(); !strings.Contains(got, "\r\x1b[Knote     careful\nreading") {
		t.Errorf("a line above the status is %q", got)
	}
	out.Reset()
	p.rest()
	p.rest()
	if got := out.String(); got != "\r\x1b[K" {
		t.Errorf("resting twice writes %q", got)
	}
	p.show(plumb.Event{Kind: plumb.Warning, Text: "next"})
	if got := out.String(); got != "\r\x1b[Knote     next\n" {
		t.Errorf("after resting: %q", got)
	}
}

func TestThousandsOfSkippedFilesAreCountedNotListed(t *testing.T) {
	p, out := screen(80)
	p.live = false
	for i := range 3000 {
		p.show(plumb.Event{Kind: plumb.FileSkipped, Text: fmt.Sprint(i, ".pdf: broken")})
	}
	p.show(plumb.News(plumb.DocumentsRead, "", plumb.DocumentsNews{Done: 3000, Total: 3000, Skipped: 3000}))
	if n := strings.Count(out.String(), "\n"); n != 22 || !strings.Contains(out.String(), "and more") || !strings.Contains(out.String(), "3000 skipped") {
		t.Errorf("%d lines:\n%s", n, out)
	}
}

func TestQuietIsQuiet(t *testing.T) {
	s := newShell(t)
	if r := s.must(0, "research", "--quiet", "--docs", corpus, headline); r.err != "" || !strings.Contains(r.out, "## Sources") {
		t.Errorf("stderr is %q", r.err)
	}
	if r := s.must(0, "research", "--quiet", "--json", "--docs", corpus, headline); r.err != "" || !strings.HasPrefix(r.out, "{") {
		t.Errorf("stderr is %q", r.err)
	}
}

func TestExitCodes(t *testing.T) {
	interrupted, stop := context.WithCancelCause(context.Background())
	stop(errInterrupted)
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		code int
		line string
	}{
		{"done", context.Background(), nil, 0, ""},
		{"wrong use", context.Background(), usage("no %s", "sense"), 2, "no sense"},
		{"wrapped", context.Background(), fmt.Errorf("x: %w", exit{exitWaiting, "waits"}), 3, "waits"},
		{"several lines", context.Background(), errors.New("a\n  b"), 1, "a b"},
		{"interrupted", interrupted, context.Canceled, 130, "interrupted"},
		{"interrupted, with a hint", interrupted, exit{exitInterrupted, "go on"}, 130, "go on"},
		{"reader gone", context.Background(), fmt.Errorf("x: %w", syscall.EPIPE), 1, ""},
	} {
		if code, line := exitOf(c.ctx, c.err); code != c.code || line != c.line {
			t.Errorf("%s: exit %d %q, want %d %q", c.name, code, line, c.code, c.line)
		}
	}
}
