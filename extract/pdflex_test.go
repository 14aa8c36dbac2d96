package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dump writes tokens in a form that a test can read: numbers, (strings),
// /names, [arrays], <<dicts>> and operators.
func dump(tokens []pdfToken) string {
	var out []string
	for _, t := range tokens {
		switch t.kind {
		case numberToken:
			out = append(out, fmt.Sprintf("%.6g", t.num))
		case stringToken:
			out = append(out, fmt.Sprintf("%q", t.str))
		case nameToken:
			out = append(out, "/"+t.str)
		case arrayToken:
			out = append(out, "["+dump(t.list)+"]")
		case dictToken:
			out = append(out, "<<"+dump(t.list)+">>")
		default:
			out = append(out, t.str)
		}
	}
	return strings.Join(out, " ")
}

func lexAll(data string) []pdfToken {
	l := &pdfLexer{data: []byte(data)}
	var tokens []pdfToken
	for {
		t, ok := l.next()
		if !ok {
			return tokens
		}
		tokens = append(tokens, t)
	}
}

func TestPDFTokens(t *testing.T) {
	cases := []struct{ what, data, want string }{
		{"numbers", "1 -2 +3 .5 -.25 4. --6 0.001", "1 -2 3 0.5 -0.25 4 -6 0.001"},
		{"operators", "BT T* ' \" ET", "BT T* ' \" ET"},
		{"operators that touch", "q(a)Tj[1]TJ/F1 2Tf", `q "a" Tj [1] TJ /F1 2 Tf`},
		{"nested parentheses", "(a (b) c)", `"a (b) c"`},
		{"escapes", `(\n\r\t\b\f\(\)\\\x)`, `"\n\r\t\b\f()\\x"`},
		{"octal", `(\1\12\1234\0538)`, `"\x01\nS4+8"`},
		{"continued lines", "(a\\\nb\\\r\nc\\\rd)", `"abcd"`},
		{"hexadecimal", "<48 65 6c6C 6f> <4> <zz41>", `"Hello" "@" "A"`},
		{"names", "/A#20B /C#zz /", "/A B /C#zz /"},
		{"arrays and dicts", "[1 [2 (x)] /N] << /K [3] /L << /M 4 >> >>", `[1 [2 "x"] /N] <</K [3] /L <</M 4>>>>`},
		{"comments", "1 % two (\n3", "1 3"},
		{"unclosed", "[1 (a", `[1 "a"]`},
		{"unclosed string ends in a backslash", `(a\`, "\"a\\x00\""},
		{"stray closers", "] ) } > >> 1", "1"},
		{"nothing", " \t\r\n\x00", ""},
	}
	for _, c := range cases {
		if got := dump(lexAll(c.data)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

func TestDeepArraysEnd(t *testing.T) {
	data := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + " Tj"
	tokens := lexAll(data)
	if last := tokens[len(tokens)-1]; last.str != "Tj" {
		t.Errorf("last token %+v", last)
	}
}

func TestCharMaps(t *testing.T) {
	cases := []struct {
		what, cmap string
		want       map[int]string
	}{
		{"characters", "2 beginbfchar <01> <0041> <0002> <00660066> endbfchar", map[int]string{1: "A", 2: "ff", 3: ""}},
		{"ranges", "1 beginbfrange <0010> <0012> <0061> endbfrange", map[int]string{0x10: "a", 0x12: "c", 0x13: "", 0x0f: ""}},
		{"range with a prefix", "1 beginbfrange <01> <02> <00410061> endbfrange", map[int]string{1: "Aa", 2: "Ab"}},
		{"range with a list", "1 beginbfrange <01> <02> [<0041> <0042> <0043>] endbfrange", map[int]string{1: "A", 2: "B", 3: ""}},
		{"range turned round", "1 beginbfrange <05> <01> <0041> endbfrange", map[int]string{3: ""}},
		{"huge range", "1 beginbfrange <00000000> <ffffffff> <0041> endbfrange", map[int]string{0: "A", 1: "B"}},
		{"surrogates", "1 beginbfchar <01> <D83DDE00> endbfchar", map[int]string{1: "😀"}},
		{"odd count", "1 beginbfchar <01> endbfchar 1 beginbfrange <01> <02> endbfrange", map[int]string{1: ""}},
	}
	for _, c := range cases {
		m := parseCharMap([]byte(c.cmap))
		got := map[int]string{}
		for code := range c.want {
			got[code], _ = m.lookup(code)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
}

func TestCodeSpaceTellsTheLengthOfCodes(t *testing.T) {
	one := parseCharMap([]byte("1 begincodespacerange <00> <ff> endcodespacerange"))
	two := parseCharMap([]byte("1 begincodespacerange <0000> <ffff> endcodespacerange"))
	if !one.oneByte || two.oneByte {
		t.Errorf("one byte: %v and %v, want true and false", one.oneByte, two.oneByte)
	}
}

func TestGlyphNames(t *testing.T) {
	for name, want := range map[string]string{
		"uni20AC": "€", "uni00660069": "f", "u1F600": "😀", "f_f_i": "ffi", "a_bc": "", "union": "", "u": "", "Aacute": "", "uni0000": "",
	} {
		if got := glyphText(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
