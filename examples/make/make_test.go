package main

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func made(t *testing.T, suffix string) []byte {
	t.Helper()
	for _, o := range outputs {
		if strings.HasSuffix(o.path, suffix) {
			b, err := o.bytes()
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	t.Fatalf("no output ends with %s", suffix)
	return nil
}

func TestCorpusHoldsWhatTheTextsSay(t *testing.T) {
	for _, o := range outputs {
		want, err := o.bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "corpus", filepath.FromSlash(o.path)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from its text: run go run ./examples/make", o.path)
		}
	}
}

func TestRunWritesEveryOutput(t *testing.T) {
	folder := t.TempDir()
	if err := run(folder); err != nil {
		t.Fatal(err)
	}
	for _, o := range outputs {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(o.path))); err != nil {
			t.Error(err)
		}
	}
}

// Every offset of the cross-reference table must lead to its object, or
// readers fall back to repairing the file.
func TestCrossReferencesLeadToObjects(t *testing.T) {
	pdf := made(t, ".pdf")
	entries := regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`).FindAllSubmatch(pdf, -1)
	if len(entries) < 8 {
		t.Fatalf("%d entries", len(entries))
	}
	for i, e := range entries {
		offset, err := strconv.Atoi(string(e[1]))
		if err != nil {
			t.Fatal(err)
		}
		want := strconv.Itoa(i+1) + " 0 obj\n"
		if !bytes.HasPrefix(pdf[offset:], []byte(want)) {
			t.Errorf("offset %d does not begin %q", offset, want)
		}
	}
	start := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(pdf)
	if start == nil {
		t.Fatal("no startxref at the end")
	}
	offset, err := strconv.Atoi(string(start[1]))
	if err != nil || !bytes.HasPrefix(pdf[offset:], []byte("xref\n")) {
		t.Errorf("startxref %s does not lead to the table", start[1])
	}
}

func TestStreamLengthsAreRight(t *testing.T) {
	pdf := made(t, ".pdf")
	heads := regexp.MustCompile(`<< /Length (\d+) >>\nstream\n`).FindAllSubmatchIndex(pdf, -1)
	if len(heads) < 3 {
		t.Fatalf("%d pages, want several", len(heads))
	}
	for _, h := range heads {
		length, err := strconv.Atoi(string(pdf[h[2]:h[3]]))
		if err != nil || !bytes.HasPrefix(pdf[h[1]+length:], []byte("endstream")) {
			t.Errorf("stream at %d is not %d bytes long", h[1], length)
		}
	}
}

func TestNoLineOfThePaperLeavesTheColumn(t *testing.T) {
	faces := map[string]*face{"F1": &roman, "F2": &bold, "F3": &italic}
	lines := regexp.MustCompile(`BT /(F\d) (\S+) Tf 1 0 0 1 (\S+) (\S+) Tm \((.*)\) Tj ET`).FindAllStringSubmatch(string(made(t, ".pdf")), -1)
	if len(lines) < 100 {
		t.Fatalf("%d lines", len(lines))
	}
	unescape := strings.NewReplacer(`\(`, `(`, `\)`, `)`, `\\`, `\`)
	for _, l := range lines {
		var n [3]float64
		for i := range n {
			v, err := strconv.ParseFloat(l[2+i], 64)
			if err != nil {
				t.Fatal(err)
			}
			n[i] = v
		}
		end := n[1] + faces[l[1]].width(unescape.Replace(l[5]), n[0])
		if n[1] < margin-0.01 || end > pageWidth-margin+0.01 || n[2] < 40 || n[2] > 810 {
			t.Errorf("%q from %.1f to %.1f at height %.1f", l[5], n[1], end, n[2])
		}
	}
}

func TestDOCXPartsAreWellFormed(t *testing.T) {
	b := made(t, ".docx")
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, f := range r.File {
		texts[f.Name] = characters(t, f)
	}
	for name, want := range map[string]string{
		"word/document.xml":  "Option C, a new bridge, was estimated at EUR 132 million",
		"word/footnotes.xml": "mean chloride content of twelve samples",
		"docProps/core.xml":  "2023-05-12T09:00:00Z",
	} {
		if !strings.Contains(texts[name], want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	if strings.Contains(texts["word/document.xml"], footnoteMark) {
		t.Error("the mark of the footnote was left in the text")
	}
}

// characters reads a part to its end and returns its character data.
func characters(t *testing.T, f *zip.File) string {
	t.Helper()
	in, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}()
	var text strings.Builder
	for d := xml.NewDecoder(in); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if c, ok := token.(xml.CharData); ok {
			text.Write(c)
		}
	}
}

func TestWrongTextsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"unknown directive": "@title a\n@date 2025\n@colour red",
		"no date":           "@title a\n\nA paragraph.",
		"no width":          "@title a\n@date 20250101\n\nA snowman: \u2603.",
	} {
		if b, err := (output{"x.pdf", text, renderPDF}).bytes(); err == nil {
			t.Errorf("%s: %d bytes and no error", name, len(b))
		}
	}
	if b, err := (output{"x.docx", "@title a\n@date yesterday", renderDOCX}).bytes(); err == nil {
		t.Errorf("date that is none: %d bytes and no error", len(b))
	}
}
