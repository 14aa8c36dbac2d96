// Text made safe to stand in Markdown.

package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s so that Markdown shows it literally: no emphasis, link,
// code, HTML, entity, table cell, heading, list or quotation comes of it. Only
// what could mean something is escaped, so that prose stays readable: the
// underscore of snake_case, a hyphen or a number inside a line, an ampersand
// between spaces stay as they are. Line breaks are kept.
func Escape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if i == 0 || s[i-1] == '\n' || s[i-1] == '\r' {
			n := escapeLineStart(&b, s[i:])
			if n > 0 {
				i += n - 1
				continue
			}
		}
		if needsEscape(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func needsEscape(s string, i int) bool {
	switch c := s[i]; c {
	case '\\', '`', '*', '[', ']', '<', '|', '~', '$':
		return c != '~' || i+1 < len(s) && s[i+1] == '~' || i > 0 && s[i-1] == '~'
	case '_':
		return !wordAt(s, i)
	case '&':
		return entityLen(s[i:]) > 0
	case '!':
		return false // "![" needs the bracket, which is escaped
	}
	return false
}

// wordAt reports whether letters or digits stand on both sides of i.
func wordAt(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return word(before) && word(after)
}

// escapeLineStart writes the beginning of a line if it could open a block, and
// returns how many bytes of s that was. White space that could make code of the
// line is dropped.
func escapeLineStart(b *strings.Builder, s string) int {
	n := len(s) - len(strings.TrimLeft(s, " \t"))
	rest := s[n:]
	if rest == "" {
		return n
	}
	switch c := rest[0]; {
	case strings.IndexByte("#>+-=", c) >= 0:
		b.WriteByte('\\')
		b.WriteByte(c)
		return n + 1
	case c >= '0' && c <= '9':
		d := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		b.WriteString(rest[:d])
		if d < len(rest) && (rest[d] == '.' || rest[d] == ')') {
			b.WriteByte('\\')
			b.WriteByte(rest[d])
			d++
		}
		return n + d
	}
	return n
}

// OneLine returns s with every run of white space folded into one space, and
// none at the ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
