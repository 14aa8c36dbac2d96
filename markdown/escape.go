// Text made safe to stand in Markdown.

package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// Escape returns s so that Markdown shows it literally, also as the text of a
// link or a table cell: no emphasis, link, code, HTML, entity, cell, heading,
// list or quotation comes of it. Only what could mean something is escaped, so
// that prose stays readable: snake_case, 3.5, -5, "a < b" and "5 * 3" stay as
// they are. Line breaks are kept; indentation that would make code is not.
func Escape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		if i == 0 || s[i-1] == '\n' || s[i-1] == '\r' {
			i += escapeLineStart(&b, s[i:])
			if i == len(s) {
				break
			}
		}
		if needsEscape(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// escapeLineStart writes what could open a block at the beginning of a line, and
// returns how many bytes of s that was.
func escapeLineStart(b *strings.Builder, s string) int {
	n := len(s) - len(strings.TrimLeft(s, " \t"))
	if n < 4 && !strings.Contains(s[:n], "\t") {
		b.WriteString(s[:n])
	}
	line, _, _ := strings.Cut(s[n:], "\n")
	line = strings.TrimRight(line, "\r")
	opens := 0 // the offset in line of the character to escape, from 1
	switch {
	case line == "":
	case strings.HasPrefix(line, ">") || strings.HasPrefix(line, ":-") || strings.Trim(line, "= \t") == "":
		opens = 1
	case line[0] == '#':
		if rest := strings.TrimLeft(line, "#"); rest == "" || rest[0] == ' ' || rest[0] == '\t' {
			opens = 1
		}
	case line[0] == '-' || line[0] == '+' || line[0] == '*':
		if len(line) == 1 || strings.IndexByte(" \t-:|", line[1]) >= 0 {
			opens = 1
		}
	default:
		d := len(line) - len(strings.TrimLeft(line, "0123456789"))
		if d > 0 && d < len(line) && (line[d] == '.' || line[d] == ')') && (d+1 == len(line) || line[d+1] == ' ' || line[d+1] == '\t') {
			opens = d + 1
		}
	}
	if opens == 0 {
		return n
	}
	b.WriteString(line[:opens-1])
	b.WriteByte('\\')
	b.WriteByte(line[opens-1])
	return n + opens
}

func needsEscape(s string, i int) bool {
	var before, after rune = ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:i])
	}
	if i+1 < len(s) {
		after, _ = utf8.DecodeRuneInString(s[i+1:])
	}
	switch s[i] {
	case '`', '[', ']', '|':
		return true
	case '\\':
		return i+1 == len(s) || after == '\n' || after == '\r' || after < utf8.RuneSelf && util.IsPunct(byte(after))
	case '*':
		return !unicode.IsSpace(before) || !unicode.IsSpace(after)
	case '_':
		return !isWord(before) || !isWord(after)
	case '~':
		return !unicode.IsSpace(before) || after == '~' // else it closes nothing
	case '<':
		return after == '/' || after == '!' || after == '?' || after < utf8.RuneSelf && unicode.IsLetter(after)
	case '&':
		return entityLen(s[i:]) > 0
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// OneLine returns s with every run of white space folded into one space, and
// none at the ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
