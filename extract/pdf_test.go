package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The test binary is its own child process: this variable says which kind.
const childKind = "EXTRACT_TEST_CHILD"

func TestMain(m *testing.M) {
	switch kind := os.Getenv(childKind); kind {
	case "":
		os.Exit(m.Run())
	default:
		if err := actAsChild(kind); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func actAsChild(kind string) error {
	switch kind {
	case "serve":
		return ServePDF(os.Stdin, os.Stdout, 0)
	case "hang":
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return err
		}
		select {}
	case "deaf": // never reads its input
		select {}
	case "family": // a grandchild keeps the pipe open
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childKind+"=deaf")
		cmd.Stdout = os.Stdout
		return cmd.Run()
	case "garbage":
		_, err := os.Stdout.WriteString("\x00\x01 not JSON")
		return err
	case "lies":
		_, err := os.Stdout.WriteString(`{"text":"abc","pages":[0,99]}`)
		return err
	case "flood":
		for {
			if _, err := os.Stdout.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
				return nil
			}
		}
	case "panic":
		panic("a stack trace with /secret/paths")
	case "silent":
		return nil
	case "hog":
		return hogMemory()
	case "deep":
		if err := ServePDF(strings.NewReader(""), io.Discard, 0); err != nil {
			return err
		}
		fmt.Fprint(os.Stderr, recurse(1))
	}
	return fmt.Errorf("no child of kind %q", kind)
}

// hogMemory limits itself as ServePDF does, then takes all it can get.
func hogMemory() error {
	if err := ServePDF(os.Stdin, io.Discard, 64<<20); err != nil {
		return err
	}
	var kept [][]byte
	for range 10_000 {
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
	}
	return fmt.Errorf("10 GB of memory in %d pieces", len(kept))
}

func recurse(n int) int {
	var pad [1024]byte
	pad[n%1024] = byte(n)
	return recurse(n+1) + int(pad[(n+1)%1024]) //nolint:staticcheck // it must not end
}

// child is an Extractor whose PDFs are parsed by this binary.
func child(t testing.TB, kind string) Extractor {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Extractor{Child: []string{"/usr/bin/env", childKind + "=" + kind, exe}}
}

func needUnix(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the children of these tests are started by env")
	}
}

func TestPDFThroughAChildProcess(t *testing.T) {
	needUnix(t)
	data := simplePDF("/Title (Tides and Power) /Author (Ann Lee; Bo Chen) /CreationDate (D:20240312101530+01'00')",
		setLines(72, 720, 11, "The barrage makes 540 GWh a year.", "It opened in 1966 (at La Rance)."),
		setLines(72, 720, 11, "A second page."))
	doc, err := child(t, "serve").Extract(context.Background(), "a.pdf", "", data)
	if err != nil {
		t.Fatal(err)
	}
	want := Document{
		Text:    "The barrage makes 540 GWh a year.\nIt opened in 1966 (at La Rance).\n\nA second page.\n\n",
		Title:   "Tides and Power",
		Authors: []string{"Ann Lee", "Bo Chen"},
		Date:    "2024-03-12", Language: "en-GB", Format: PDF,
		Pages: []int{0, 68},
	}
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Error(diff)
	}
}

func TestEveryDeathOfAChildIsOneClearLine(t *testing.T) {
	needUnix(t)
	cases := []struct{ kind, want string }{
		{"hang", "took longer than 2s"},
		{"deaf", "took longer than 2s"},
		{"family", "took longer than 2s"},
		{"garbage", "garbled"},
		{"lies", "garbled"},
		{"silent", "garbled"},
		{"flood", "wrote more than"},
		{"panic", "died: exit status 2"},
		{"deep", "nested too deeply"},
		{"unknown", "died: exit status 1"},
	}
	if runtime.GOOS == "linux" {
		cases = append(cases, struct{ kind, want string }{"hog", "more than 64 MB of memory"})
	}
	for _, c := range cases {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			e := child(t, c.kind)
			e.Timeout, e.Memory, e.MaxText = 2*time.Second, 64<<20, 1<<20
			if c.kind == "hog" || c.kind == "deep" {
				e.Timeout = 20 * time.Second
			}
			start := time.Now()
			_, err := e.Extract(context.Background(), "a.pdf", "", textPDF("Hello there."))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %q, want %q in one line", err, c.want)
			}
			if took := time.Since(start); took > e.Timeout+5*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestCancelledContextEndsTheChild(t *testing.T) {
	needUnix(t)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := child(t, "hang").Extract(ctx, "a.pdf", "", textPDF("Hello"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestMissingChildIsAnError(t *testing.T) {
	e := Extractor{Child: []string{filepath.Join(t.TempDir(), "none")}}
	_, err := e.Extract(context.Background(), "a.pdf", "", textPDF("Hello"))
	if err == nil || !strings.Contains(err.Error(), "did not run") {
		t.Errorf("error %v", err)
	}
}

func TestPDFWithoutTextIsEmpty(t *testing.T) {
	needUnix(t)
	_, err := child(t, "serve").Extract(context.Background(), "scan.pdf", "", simplePDF("", "0 0 m 10 10 l S"))
	if !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), "scan") {
		t.Errorf("error %v, want ErrEmpty that speaks of a scan", err)
	}
}

func TestDamagedAndEncryptedPDFs(t *testing.T) {
	needUnix(t)
	whole := string(textPDF("Hello"))
	encrypted := strings.Replace(whole, "/Root 1 0 R", "/Root 1 0 R /ID [(a)(b)] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ("+
		strings.Repeat("o", 32)+") /U ("+strings.Repeat("u", 32)+") >>", 1)
	cases := []struct {
		what, data string
		is         error
		says       string
	}{
		{"cut in the header", "%PDF-1.4\n%", nil, "damaged"},
		{"encrypted", encrypted, ErrEncrypted, "encrypted"},
	}
	for _, c := range cases {
		_, err := child(t, "serve").Extract(context.Background(), "a.pdf", "", []byte(c.data))
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.says)
		}
	}
}

// fakePdftotext stands in for poppler where it is not installed: a script
// that checks its arguments and prints two pages.
func fakePdftotext(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pdftotext")
	script := "#!/bin/sh\n[ \"$*\" = '-enc UTF-8 - -' ] || { echo \"usage: $*\" >&2; exit 99; }\ncat >/dev/null\n" + body
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPdftotextGivesPagesByFormFeeds(t *testing.T) {
	needUnix(t)
	e := Extractor{PDFToText: fakePdftotext(t, `printf 'A title\n\nPage one.\n\fPage two.\n\n\f'`)}
	doc, err := e.Extract(context.Background(), "a.pdf", "", textPDF("unused"))
	if err != nil {
		t.Fatal(err)
	}
	want := Document{Text: "A title\n\nPage one.\n\nPage two.\n\n", Title: "A title", Format: PDF, Pages: []int{0, 20}}
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Error(diff)
	}
}

func TestPdftotextThatFails(t *testing.T) {
	needUnix(t)
	cases := []struct{ body, want string }{
		{"echo 'Command Line Error: Incorrect password' >&2; exit 1", ErrEncrypted.Error()},
		{"echo \"Syntax Error: Couldn't read xref table\" >&2; exit 1", "damaged"},
		{"exec sleep 1000", "took longer than 1s"},
		{"while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", "wrote more than"},
	}
	for _, c := range cases {
		e := Extractor{PDFToText: fakePdftotext(t, c.body), Timeout: time.Second, MaxText: 1000}
		if c.want == "wrote more than" {
			e.Timeout = DefaultTimeout
		}
		_, err := e.Extract(context.Background(), "a.pdf", "", textPDF("unused"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.body, err, c.want)
		}
	}
}
