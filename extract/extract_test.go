package extract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func extractString(t *testing.T, name, contentType, data string) Document {
	t.Helper()
	doc, err := Extractor{}.Extract(context.Background(), name, contentType, []byte(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

func TestFormatFromBytesTypeAndName(t *testing.T) {
	cases := []struct {
		name, contentType, data, want string
	}{
		{"a.md", "", "# Hi", Markdown},
		{"notes.markdown", "text/plain", "Hi", Markdown},
		{"README.md", "text/html; charset=utf-8", "<p>hi</p>", HTML},
		{"a.md", "", "<html><body>An example of HTML</body></html>", Markdown},
		{"a.txt", "", "hi", Text},
		{"a.txt", "", "<!DOCTYPE html><p>hi", HTML},
		{"a.txt", "", "<!-- saved --> \n<?xml version='1.0'?><html><p>hi", HTML},
		{"https://example.org/table.csv?x=1", "text/plain", "a,b\n1,2", CSV},
		{"https://example.org/page", "application/xhtml+xml", "<p>hi</p>", HTML},
		{"x", "text/csv", "a,b\n1,2", CSV},
		{"x.tsv", "", "a\tb\n1\t2", CSV},
		{"paper.pdf", "", "<html><body>Please log in", HTML},
		{"", "", "just words", Text},
		{"x", "application/json", `{"a":1}`, Text},
	}
	for _, c := range cases {
		if got := extractString(t, c.name, c.contentType, c.data).Format; got != c.want {
			t.Errorf("%q %q %.20q: format %q, want %q", c.name, c.contentType, c.data, got, c.want)
		}
	}
}

func TestUnreadableDocumentsSayWhy(t *testing.T) {
	cases := []struct {
		name, contentType, data string
		want                    error
	}{
		{"a.png", "", "\x89PNG\r\n\x1a\n\x00\x00", ErrUnsupported},
		{"a.zip", "", "PK\x03\x04rest", ErrUnsupported},
		{"a.docx", "", "not a zip", ErrUnsupported},
		{"a.pdf", "", "not a pdf", ErrUnsupported},
		{"a.bin", "", "\x00\x01\x02\x03", ErrUnsupported},
		{"x", "audio/mpeg", "words", ErrUnsupported},
		{"a.pdf", "", "%PDF-1.4\n", ErrUnsupported}, // no child process configured
		{"a.txt", "", " \n\t", ErrEmpty},
		{"a.html", "", "<html><script>x()</script></html>", ErrEmpty},
		{"a.csv", "", "\n\n", ErrEmpty},
		{"a.txt", "", strings.Repeat("x", 101), ErrTooLarge},
	}
	e := Extractor{MaxInput: 100}
	for _, c := range cases {
		_, err := e.Extract(context.Background(), c.name, c.contentType, []byte(c.data))
		if !errors.Is(err, c.want) {
			t.Errorf("%s %.12q: error %v, want %v", c.name, c.data, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error of several lines: %q", c.name, err)
		}
	}
}

func TestSupportedExtensions(t *testing.T) {
	for _, name := range []string{"a.md", "b.MARKDOWN", "c/d.txt", "e.text", "f.html", "g.htm", "h.xhtml", "i.PDF", "j.docx", "k.csv", "l.tsv"} {
		if !Supported(name) {
			t.Errorf("%s is not supported", name)
		}
	}
	for _, name := range []string{"a", "a.doc", "a.go", "md", "a.md.gz", ""} {
		if Supported(name) {
			t.Errorf("%s is supported", name)
		}
	}
}

func TestTextIsCutAtALineEnd(t *testing.T) {
	line := strings.Repeat("é", 10) + "\n"
	doc, err := Extractor{MaxText: 50}.Extract(context.Background(), "a.txt", "", []byte(strings.Repeat(line, 10)))
	if err != nil {
		t.Fatal(err)
	}
	if !doc.Truncated || doc.Text != line+line {
		t.Errorf("truncated %v, text %q", doc.Truncated, doc.Text)
	}
	if got := cut("ééé", 3); got != "é" {
		t.Errorf("cut in a character: %q", got)
	}
}

func TestCharacterSets(t *testing.T) {
	cases := []struct{ what, contentType, data, want string }{
		{"UTF-8 with a byte order mark and CRLF", "", "\xef\xbb\xbfa\r\nb\rc", "a\nb\nc"},
		{"windows-1252 undeclared", "", "caf\xe9 \x93x\x94", "café “x”"},
		{"declared windows-1251", "text/plain; charset=windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"},
		{"declared Latin-1 that is UTF-8", "text/plain; charset=iso-8859-1", "café", "café"},
		{"UTF-16 little endian", "", "\xff\xfeh\x00i\x00", "hi"},
		{"UTF-16 big endian", "", "\xfe\xff\x00h\x00i", "hi"},
		{"UTF-16 without a mark", "", "h\x00e\x00l\x00l\x00o\x00 \x00t\x00h\x00e\x00r\x00e\x00", "hello there"},
		{"control characters", "", "a\x07b\u0085c\u2028d\u009fe\tf", "ab\nc\nde\tf"},
		{"a cut character", "", strings.Repeat("é", 600) + "\xc3", strings.Repeat("é", 600) + "\ufffd"},
	}
	for _, c := range cases {
		if got := decode([]byte(c.data), c.contentType); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestCancelledBeforeReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Extractor{}).Extract(ctx, "a.txt", "", []byte("hi")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestSameBytesSameDocument(t *testing.T) {
	const page = `<html lang="en"><title>T</title><body><table><tr><th>a<th>b<tr><td>1<td>2</table><p>text</p></body></html>`
	first := extractString(t, "a.html", "", page)
	for range 5 {
		if diff := cmp.Diff(first, extractString(t, "a.html", "", page)); diff != "" {
			t.Fatal(diff)
		}
	}
}
