package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkAll holds whatever is read out of src to what the package promises.
func checkAll(t *testing.T, src string) {
	t.Helper()
	d := Parse(src)
	checkDoc(t, d)
	checkMarkers(t, src)
	checkEntries(t, d)
	checkPlain(t, src)
	out, err := HTML(src)
	if err != nil {
		t.Fatalf("HTML(%s): %v", short(src), err)
	}
	checkSafe(t, src, out)
}

func checkDoc(t *testing.T, d Doc) {
	t.Helper()
	at := 0
	for i, s := range d.Sections {
		if s.Start != at || s.BodyStart < s.Start || s.End < s.BodyStart {
			t.Fatalf("%s: section %d %+v does not begin at %d", short(d.Source), i, s, at)
		}
		if s.Line != 1+strings.Count(d.Source[:s.Start], "\n") {
			t.Fatalf("%s: section %d %+v is on another line", short(d.Source), i, s)
		}
		at = s.End
	}
	if at != len(d.Source) {
		t.Fatalf("%s: sections end at %d", short(d.Source), at)
	}
	last := 0
	for _, b := range d.Blocks {
		if b.Start < last || b.End < b.Start || b.End > len(d.Source) {
			t.Fatalf("%s: block %v %+v after %d", short(d.Source), b.Kind, b, last)
		}
		if s := d.Sections[b.Section]; b.Start < s.Start || b.End > s.End {
			t.Fatalf("%s: block %v %+v outside its section %+v", short(d.Source), b.Kind, b, s)
		}
		if b.Line != 1+strings.Count(d.Source[:b.Start], "\n") {
			t.Fatalf("%s: block %v %+v is on another line", short(d.Source), b.Kind, b)
		}
		last = b.End
	}
}

func checkMarkers(t *testing.T, src string) {
	t.Helper()
	last := 0
	for _, m := range Markers(src) {
		if m.Start < last || m.End <= m.Start || m.End > len(src) {
			t.Fatalf("%s: marker %+v after %d", short(src), m, last)
		}
		if len(m.Numbers) == 0 && m.Label == "" {
			t.Fatalf("%s: marker %+v points nowhere", short(src), m)
		}
		last = m.End
	}
}

func checkEntries(t *testing.T, d Doc) {
	t.Helper()
	entries, section, ok := SourceList(d)
	if ok != (len(entries) > 0) || section < 0 || section >= len(d.Sections) {
		t.Fatalf("%s: %d entries, section %d, %v", short(d.Source), len(entries), section, ok)
	}
	last := 0
	for _, e := range entries {
		if e.Start < last || e.End <= e.Start || e.End > len(d.Source) {
			t.Fatalf("%s: entry %+v after %d", short(d.Source), e, last)
		}
		if e.Line != 1+strings.Count(d.Source[:e.Start], "\n") {
			t.Fatalf("%s: entry %+v is on another line", short(d.Source), e)
		}
		if e.Text != OneLine(e.Text) {
			t.Fatalf("%s: entry %+v is not one line", short(d.Source), e)
		}
		last = e.End
	}
}

func checkPlain(t *testing.T, src string) {
	t.Helper()
	text, at := Plain(src)
	if utf8.ValidString(src) && !utf8.ValidString(text) {
		t.Fatalf("%s: plain text %s is not UTF-8", short(src), short(text))
	}
	last := 0
	for i := 0; i <= len(text); i++ {
		p := at(i)
		if p < last || p > len(src) {
			t.Fatalf("%s: at(%d) = %d after %d, plain %s", short(src), i, p, last, short(text))
		}
		last = p
	}
	// A word of the plain text stands in the source where at says, unless the
	// source spells it with an entity or an escape, or mark-up stood between
	// broken halves of a character.
	if strings.ContainsAny(src, `&\`) || !utf8.ValidString(src) {
		return
	}
	for i, r := range text {
		if isWordRune(r) && !strings.HasPrefix(src[at(i):], string(r)) && r != utf8.RuneError {
			t.Fatalf("%s: plain %s: %q at %d comes from %q", short(src), short(text), r, i, src[at(i):min(len(src), at(i)+8)])
		}
	}
}

func isWordRune(r rune) bool {
	return r > ' ' && !slices.Contains([]rune{'|', '\n'}, r)
}

// short quotes the beginning of a source that may be a whole report.
func short(s string) string {
	if len(s) > 400 {
		return fmt.Sprintf("%q… (%d bytes)", s[:400], len(s))
	}
	return fmt.Sprintf("%q", s)
}
