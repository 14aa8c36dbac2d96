package text

// Lexemes: the numbers, words and signs that quantities are made of.

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type lexKind uint8

const (
	lexNumber lexKind = iota
	lexWord
	lexSign
)

type lexeme struct {
	kind  lexKind
	text  string // folded
	span  Span
	glued bool // nothing stands between it and the one before
	line  bool // first of its line, apart from bullets and the like
	value float64
	step  float64
	odd   bool // written with separators that fit no number: a version, an address
}

// lexemes reads s; addresses (URLs, e-mail) are left out.
func lexemes(s string) []lexeme {
	out := make([]lexeme, 0, len(s)/5+4)
	end, line := -1, true
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if unicode.IsSpace(r) || dropped(r) {
			line = line || r == '\n'
			i += n
			continue
		}
		if skip := addressEnd(s, i); skip > i {
			out = append(out, lexeme{kind: lexSign, text: "address", span: Span{i, skip}})
			i, end, line = skip, -1, false
			continue
		}
		l := lexemeAt(s, i, r, n)
		l.glued, l.line = i == end, line
		out = append(out, l)
		i = l.span.End
		end = i
		line = line && l.kind == lexSign && l.is("#", "-", "*", "•", "|", ">")
	}
	return out
}

func lexemeAt(s string, i int, r rune, n int) lexeme {
	switch c := plainClass(r); {
	case c == classDigit || r == '.' && i+1 < len(s) && isDigit(s[i+1]) && (i == 0 || !isDigit(s[i-1]) && plainClass(rune(s[i-1])) == classNone):
		return numberAt(s, i)
	case c == classWord:
		j := i
		for j < len(s) {
			q, m := utf8.DecodeRuneInString(s[j:])
			if k := plainClass(q); k != classWord && k != classSkip && !superscript(q) {
				break
			}
			j += m
		}
		return lexeme{kind: lexWord, text: Fold(s[i:j]), span: Span{i, j}}
	case c == classDense:
		return lexeme{kind: lexWord, text: s[i : i+n], span: Span{i, i + n}}
	}
	return lexeme{kind: lexSign, text: signText(s[i : i+n]), span: Span{i, i + n}}
}

func superscript(r rune) bool { return r == '²' || r == '³' }

func signText(s string) string {
	switch s {
	case "−", "–", "—", "‐", "‑", "‒":
		return "-"
	case "％":
		return "%"
	case "￥":
		return "¥"
	case "～", "∼", "≈":
		return "~"
	}
	return s
}

// numberAt reads the number at i.
func numberAt(s string, i int) lexeme {
	start := i
	if s[i] == '.' {
		i++
	}
	end := digitsEnd(s, i)
	end = spacedThousands(s, i, end)
	l := lexeme{kind: lexNumber, span: Span{start, end}}
	written := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\'' || r == '’' {
			return -1
		}
		return r
	}, s[start:end])
	l.odd = numberFormat(written).odd
	digits := string(appendNumber(nil, written))
	l.text = digits
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		l.odd = true
		return l
	}
	l.value, l.step = v, 1
	if dot := strings.IndexByte(digits, '.'); dot >= 0 {
		for range len(digits) - dot - 1 {
			l.step /= 10
		}
	} else {
		l.step = trailingZeros(digits)
	}
	return l
}

// trailingZeros gives 1000 for "45000": what its last digit that says something
// is worth. Up to 3 digits are taken as written.
func trailingZeros(digits string) float64 {
	step := 1.0
	for i := len(digits) - 1; i > 0 && digits[i] == '0' && len(digits) > 3; i-- {
		step *= 10
	}
	return step
}

// spacedThousands extends a number over groups set off by thin or no-break
// spaces or apostrophes: "4 500 000", "4'500".
func spacedThousands(s string, start, end int) int {
	if end-start > 3 {
		return end
	}
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		switch r {
		case '\u00a0', '\u202f', '\u2009', '\'', '’':
		default:
			return end
		}
		g := end + n
		if g+3 > len(s) || !isDigit(s[g]) || !isDigit(s[g+1]) || !isDigit(s[g+2]) || g+3 < len(s) && isDigit(s[g+3]) {
			return end
		}
		end = g + 3
	}
	return end
}

// addressEnd returns the end of a URL, e-mail address or DOI at i, or i.
func addressEnd(s string, i int) int {
	c := s[i] | 0x20
	if c != 'h' && c != 'w' && c != 'd' && s[i] != '1' && c != 'f' {
		return i
	}
	rest := s[i:]
	for _, p := range [...]string{"http://", "https://", "www.", "ftp://", "doi:", "10."} {
		if len(rest) > len(p) && strings.EqualFold(rest[:len(p)], p) {
			if p == "10." && !strings.Contains(firstWord(rest), "/") {
				return i
			}
			if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
				return i + end
			}
			return len(s)
		}
	}
	return i
}
