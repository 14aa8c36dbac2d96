package markdown

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

func TestEscape(t *testing.T) {
	cases := []struct{ in, want string }{
		{"Plain prose, with 3.5 % of it (and more) - said A & B.", "Plain prose, with 3.5 % of it (and more) - said A & B."},
		{"snake_case and a_b", "snake_case and a_b"},
		{"_emphasis_ *more* **most**", `\_emphasis\_ \*more\* \*\*most\*\*`},
		{"5 * 3 < 20 and x<y", `5 * 3 < 20 and x\<y`},
		{"[1] and ![x](y)", `\[1\] and !\[x\](y)`},
		{"`code`", "\\`code\\`"},
		{"a | b", `a \| b`},
		{"# Heading", `\# Heading`},
		{"#hashtag", "#hashtag"},
		{"- item\n+ item\n* item", "\\- item\n\\+ item\n\\* item"},
		{"-5 degrees", "-5 degrees"},
		{"1. item\n1986) year\n3.5 percent", "1\\. item\n1986\\) year\n3.5 percent"},
		{"> quote", `\> quote`},
		{"Title\n===\nTitle\n---", "Title\n\\===\nTitle\n\\---"},
		{"    code", "code"},
		{"<script>", `\<script>`},
		{"&lt; &copy; & &x", `\&lt; \&copy; & &x`},
		{`C:\dir \* \`, `C:\dir \\\* \\`},
		{"~5 ~~gone~~", `~5 \~\~gone\~\~`},
		{"参考文献：[1]", `参考文献：\[1\]`},
		{"", ""},
	}
	for _, c := range cases {
		if got := Escape(c.in); got != c.want {
			t.Errorf("Escape(%q) = %q, want %q", c.in, got, c.want)
		}
		checkEscape(t, c.in)
	}
}

// checkEscape renders the escaped text and reads it back: the same words, and no
// element but paragraphs and line breaks.
func checkEscape(t *testing.T, s string) {
	t.Helper()
	out, err := HTML(Escape(s))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	in := html.NewTokenizer(strings.NewReader(out))
	for {
		switch in.Next() {
		case html.ErrorToken:
			if want, got := OneLine(s), OneLine(text.String()); want != got {
				t.Fatalf("%q escaped is %q and shows %q", want, Escape(s), got)
			}
			return
		case html.TextToken:
			text.Write(in.Text())
		case html.StartTagToken:
			if name, _ := in.TagName(); string(name) != "p" && string(name) != "br" {
				t.Fatalf("%q escaped is %q and makes %s", s, Escape(s), out)
			}
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a *b* [c](d) `e` <f> &g; |h|", "# a\n- b\n1. c\n> d\n===\n---\n***\n~~~", "a\n:-\n", "\ta\n    b", `\\\`, "a  \nb\\\nc", "_a_b_", "[^1]: x", "[a]: b", "~0~0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// Control characters are not text: goldmark drops some of them.
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
			return r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t'
		}) {
			return
		}
		checkEscape(t, s)
	})
}

func TestOneLine(t *testing.T) {
	if got := OneLine(" a\tb\r\n\u3000c\u00a0 "); got != "a b c" {
		t.Errorf("%q", got)
	}
}
