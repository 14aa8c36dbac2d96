package text

// Brackets and quotations that sentences do not break.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxHeld bounds, in bytes, the brackets and quotations that are kept whole.
const maxHeld = 500

// opener returns the character that closes r, 0 if r opens nothing.
func opener(r rune) rune {
	switch r {
	case '(':
		return ')'
	case '[':
		return ']'
	case '"':
		return '"'
	case '\'':
		return '\''
	case '“':
		return '”'
	case '‘':
		return '’'
	case '„':
		return '“'
	case '«':
		return '»'
	case '「':
		return '」'
	case '『':
		return '』'
	case '《':
		return '》'
	case '（':
		return '）'
	}
	return 0
}

// hold keeps a bracket or quotation whole when it is closed in this block within
// maxHeld bytes.
func (p *splitter) hold(i, n int, r rune) {
	end := min(p.block.End, i+n+maxHeld)
	closing := opener(r)
	switch r {
	case '\'', '"', '‘':
		if !opensWord(p.s, i, i+n, p.block) {
			return
		}
	}
	depth := 1
	for j := i + n; j < end; {
		c, m := utf8.DecodeRuneInString(p.s[j:])
		switch {
		case c == closing && (c != '\'' && c != '’' && c != '"' || closesWord(p.s, j, j+m, p.block, c)):
			if depth--; depth == 0 {
				p.held = j + m
				return
			}
		case c == '”' && r == '„':
			p.held = j + m
			return
		case c == r && (r == '(' || r == '['):
			depth++
		}
		j += m
	}
}

// opensWord says whether the quotation mark at i..j can open a quotation.
func opensWord(s string, i, j int, block Span) bool {
	if j >= block.End {
		return false
	}
	after := firstRune(s[j:])
	if unicode.IsSpace(after) {
		return false
	}
	if i == block.Start {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsSpace(before) || opener(before) != 0 || before == '—' || before == '-'
}

func closesWord(s string, i, j int, block Span, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if unicode.IsSpace(before) {
		return false
	}
	if j >= block.End {
		return true
	}
	after := firstRune(s[j:])
	if r != '"' && before == 's' && !terminator(after) && after != ',' && unicode.IsSpace(after) {
		return !strings.ContainsRune(s[j:min(len(s), j+200)], r) // "the workers' rights'"
	}
	return !unicode.IsLetter(after) && !unicode.IsDigit(after)
}

// closers skips quotation marks and brackets that close what ends at i.
func (p *splitter) closers(i int) int {
	for i < p.block.End {
		r, n := utf8.DecodeRuneInString(p.s[i:])
		switch r {
		case ')', ']', '”', '’', '»', '"', '\'', '」', '』', '）', '》', '*', '_':
			if (r == '"' || r == '\'') && i+n < p.block.End && !closesWord(p.s, i, i+n, p.block, r) {
				return i
			}
		case '“':
			if i+n < p.block.End && !unicode.IsSpace(firstRune(p.s[i+n:])) {
				return i
			}
		default:
			return i
		}
		i += n
	}
	return i
}
