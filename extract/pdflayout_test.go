package extract

import (
	"strings"
	"testing"
)

// typeset sets words as glyphs of half a size's width from x on.
func typeset(x, y, size float64, text string) []glyph {
	var out []glyph
	for _, r := range text {
		if r != ' ' {
			out = append(out, glyph{x: x, y: y, w: size / 2, size: size, text: string(r)})
		}
		x += size / 2
	}
	return out
}

func texts(lines []pdfLine) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.text)
	}
	return strings.Join(out, "\n")
}

func TestLayout(t *testing.T) {
	join := func(parts ...[]glyph) []glyph {
		var all []glyph
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	turned := typeset(10, 10, 20, "stamp")
	for i := range turned {
		turned[i].turn = 1
	}
	cases := []struct {
		what   string
		glyphs []glyph
		want   string
	}{
		{"nothing", nil, ""},
		{"words by gaps", typeset(10, 100, 10, "two words"), "two words"},
		{"lines from the top", join(typeset(10, 80, 10, "second"), typeset(10, 100, 10, "first")), "first\nsecond"},
		{"a subscript in its line", join(typeset(10, 100, 10, "H"), typeset(15, 97, 6, "2"), typeset(18, 100, 10, "O")), "H2O"},
		{"a superscript at the start", join(typeset(10, 104, 6, "1"), typeset(13, 100, 10, "Note")), "1Note"},
		{"cells of a row", join(typeset(10, 100, 10, "a"), typeset(200, 100, 10, "b")), "a b"},
		{"cells drawn backwards", join(typeset(200, 100, 10, "b"), typeset(10, 100, 10, "a")), "a b"},
		{"turned text last", join(turned, typeset(10, 100, 10, "the page itself")), "the page itself\nstamp"},
		{"an accent without a letter", []glyph{{x: 10, y: 100, w: 5, size: 10, text: "´"}}, "´"},
	}
	for _, c := range cases {
		if got := texts(layout(c.glyphs)); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestBlankLines(t *testing.T) {
	line := func(y, size float64, text string) pdfLine { return pdfLine{text: text, y: y, size: size} }
	cases := []struct {
		what  string
		lines []pdfLine
		want  string
	}{
		{"even lines", []pdfLine{line(100, 10, "a"), line(88, 10, "b"), line(76, 10, "c")}, "a\nb\nc"},
		{"a wider gap", []pdfLine{line(100, 10, "a"), line(88, 10, "b"), line(76, 10, "c"), line(50, 10, "d")}, "a\nb\nc\n\nd"},
		{"another size", []pdfLine{line(100, 16, "Head"), line(84, 10, "text")}, "Head\n\ntext"},
		{"the next column", []pdfLine{line(100, 10, "a"), line(88, 10, "End."), line(100, 10, "New")}, "a\nEnd.\n\nNew"},
		{"a sentence over two columns", []pdfLine{line(100, 10, "a"), line(88, 10, "goes"), line(100, 10, "on")}, "a\ngoes\non"},
	}
	for _, c := range cases {
		var b strings.Builder
		writeLines(&b, c.lines)
		if got := strings.TrimRight(b.String(), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestTitleByItsSize(t *testing.T) {
	line := func(size float64, text string) pdfLine { return pdfLine{text: text, size: size} }
	body := []pdfLine{line(10, strings.Repeat("body text ", 30)), line(10, "more"), line(10, "and more")}
	cases := []struct {
		what  string
		lines []pdfLine
		want  string
	}{
		{"two lines", append([]pdfLine{line(18, "A long title"), line(18, "in two lines"), line(12, "Ann Lee")}, body...), "A long title in two lines"},
		{"a larger logo", append([]pdfLine{line(22, "ACME"), line(18, "The title of the report")}, body...), "The title of the report"},
		{"a much larger label", append([]pdfLine{line(14.3, "The title of the report"), line(20, "Search")}, body...), "The title of the report"},
		{"one word", append([]pdfLine{line(24, "WALDEN")}, body...), "WALDEN"},
		{"one size only", body, ""},
		{"nothing", nil, ""},
		{"a stamp at the side", append([]pdfLine{line(16, "The real title here"), {text: "stamp of the archive", size: 20, turned: true}}, body...), "The real title here"},
	}
	for _, c := range cases {
		if got := largestLines(c.lines); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestInfoTitlesThatAreFileNames(t *testing.T) {
	for title, want := range map[string]string{
		"Tides and Power": "Tides and Power", "Microsoft Word - Tides.doc": "", "Microsoft Word - Tides and Power": "Tides and Power",
		"paper.dvi": "", "untitled": "", "Untitled document": "", "12345": "", "x": "", "C:\\\\a\\\\b": "", "final_v2": "", "Document1": "",
	} {
		a := parsePDF(simplePDF("/Title ("+title+")", setLines(72, 700, 10, "text")), DefaultMaxText)
		if a.Title != want && (want != "" || a.Title != "text") {
			t.Errorf("%q: title %q, want %q", title, a.Title, want)
		}
	}
}
