package text

// Tokens and terms: what is indexed and what queries are made of.

import (
	"unicode"
	"unicode/utf8"
)

// Token is a word or number of a text.
type Token struct {
	Text string // folded, see Fold
	Span Span
}

// Tokens returns the words and numbers of s in order. Hyphenated words are
// split; a possessive 's is dropped and other apostrophes inside a word are
// removed, but the elided article of "l'homme" is a token of its own. A number
// keeps its decimal separator as '.' and loses its thousands separators. Runs of
// characters written without spaces (Chinese, Japanese, Korean, Thai) become
// overlapping pairs.
func Tokens(s string) []Token {
	tokens := make([]Token, 0, len(s)/6+1)
	t := tokenizer{s: s}
	for t.next() {
		span := Span{t.start, t.end}
		word := span.Of(s)
		if word != string(t.text) {
			word = string(t.text)
		}
		tokens = append(tokens, Token{Text: word, Span: span})
	}
	return tokens
}

// Terms returns the stems of the content words of s in order; stopwords of the
// language are dropped. In an unknown language ("") nothing is stemmed or dropped.
func Terms(s, lang string) []string {
	terms := make([]string, 0, len(s)/10+1)
	c := stemsOf(lang)
	t := tokenizer{s: s}
	for t.next() {
		if stem := c.stem(t.text); stem != "" {
			terms = append(terms, stem)
		}
	}
	return terms
}

// tokenizer walks over the tokens of s; text is overwritten by the next one.
type tokenizer struct {
	s          string
	pos        int
	text       []byte
	start, end int
	// inside a run of characters without spaces
	dense bool
}

type class uint8

const (
	classNone  class = iota // separates tokens
	classWord               // letter, mark or subscript digit
	classDigit              // decimal digit
	classDense              // letter of a script written without spaces
	classApos               // apostrophe
	classSkip               // without width: part of whatever surrounds it
)

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			t[c] = classWord
		case '0' <= c && c <= '9':
			t[c] = classDigit
		case c == '\'':
			t[c] = classApos
		}
	}
	return t
}()

func (t *tokenizer) classAt(i int) (class, int) {
	if c := t.s[i]; c < utf8.RuneSelf {
		return asciiClass[c], 1
	}
	r, n := utf8.DecodeRuneInString(t.s[i:])
	return classOf(r), n
}

func classOf(r rune) class {
	switch {
	case r == '’' || r == 'ʼ' || r == '‘':
		return classApos
	case r >= 0xC0 && r < 0x250:
		if r == '×' || r == '÷' {
			return classNone
		}
		return classWord
	case dense(r):
		return classDense
	case dropped(r):
		return classSkip
	case unicode.IsDigit(r):
		return classDigit
	case unicode.IsLetter(r), unicode.IsMark(r), r >= '₀' && r <= '₉', r >= 0xFB00 && r <= 0xFB06:
		return classWord
	}
	return classNone
}

// dense says whether r belongs to a script written without spaces (or, like
// Korean, one whose words carry endings that pairs cope with).
func dense(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF:
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r < 0x1780:
		return r >= 0x1000 && r <= 0x109F && unicode.IsLetter(r)
	case r <= 0x17FF:
		return unicode.IsLetter(r)
	case r < 0x3005:
		return false
	case r <= 0x9FFF:
		return r >= 0x3040 && r <= 0x30FF && r != '・' || r >= 0x3400 || r == '々' || r == '〆'
	}
	return r >= 0xAC00 && r <= 0xD7A3 || r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF
}

func (t *tokenizer) next() bool {
	for t.pos < len(t.s) {
		k, n := t.classAt(t.pos)
		switch k {
		case classWord:
			t.word()
		case classDigit:
			t.number()
		case classDense:
			if !t.pair(n) {
				continue
			}
		default:
			t.dense = false
			t.pos += n
			continue
		}
		if len(t.text) > 0 {
			return true
		}
	}
	return false
}

// word reads letters and digits up to a separator.
func (t *tokenizer) word() {
	t.dense = false
	t.start, t.text = t.pos, t.text[:0]
	i := t.pos
	for i < len(t.s) {
		if c := t.s[i]; c < utf8.RuneSelf && asciiClass[c] != classNone && c != '\'' {
			t.text = append(t.text, lowerASCII(c))
			i++
			continue
		}
		k, n := t.classAt(i)
		if k == classApos {
			more, drop := t.apostrophe(i, n)
			if drop > 0 {
				t.end, t.pos = i, i+n+drop
				return
			}
			if !more {
				break
			}
			i += n
			continue
		}
		if k == classNone || k == classDense {
			break
		}
		t.text, n = appendFolded(t.text, t.s[i:])
		i += n
	}
	t.end, t.pos = i, i
}

// apostrophe says whether the word goes on behind the apostrophe at i, and how
// many bytes of a possessive s are to be dropped there.
func (t *tokenizer) apostrophe(i, n int) (more bool, drop int) {
	j := i + n
	if j >= len(t.s) {
		return false, 0
	}
	k, _ := t.classAt(j)
	if k != classWord {
		return false, 0
	}
	if t.s[j] == 's' || t.s[j] == 'S' {
		if j+1 == len(t.s) {
			return false, 1
		}
		if after, _ := t.classAt(j + 1); after != classWord && after != classDigit {
			return false, 1
		}
	}
	return !elisions[string(t.text)], 0
}

// elisions are the shortened words that French and Italian put before an
// apostrophe; what follows is a word of its own.
var elisions = map[string]bool{
	"l": true, "d": true, "j": true, "qu": true, "c": true, "n": true, "s": true, "m": true, "t": true, "jusqu": true,
	"lorsqu": true, "puisqu": true, "quelqu": true, "aujourd": false,
	"dell": true, "nell": true, "all": true, "sull": true, "dall": true, "un": true, "quell": true, "quest": true,
}

// number reads digits with their separators; letters glued to it make it a word.
func (t *tokenizer) number() {
	t.dense = false
	t.start, t.text = t.pos, t.text[:0]
	end := digitsEnd(t.s, t.pos)
	i := end
	if i < len(t.s) {
		if k, _ := t.classAt(i); k == classWord {
			t.word()
			if t.end > i && !hasSeparator(t.s[t.start:i]) {
				return
			}
		}
	}
	t.text = appendNumber(t.text[:0], t.s[t.start:end])
	t.end, t.pos = end, end
}

func hasSeparator(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '.' || s[i] == ',' {
			return true
		}
	}
	return false
}

// digitsEnd is where the number that begins at i ends: digits, and single
// points or commas between digits.
func digitsEnd(s string, i int) int {
	for i < len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsDigit(r) {
				return i
			}
			i += n
			continue
		}
		if c < '0' || c > '9' {
			if (c != '.' && c != ',') || i+1 >= len(s) || s[i+1] < '0' || s[i+1] > '9' {
				return i
			}
		}
		i++
	}
	return i
}

// appendNumber appends the digits of s without thousands separators and with
// '.' before decimals. What is neither (11.18.2014) keeps its points.
func appendNumber(dst []byte, s string) []byte {
	f := numberFormat(s)
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			var n int
			dst, n = appendFolded(dst, s[i:])
			i += n
			continue
		case c == '.' || c == ',':
			if c == f.decimal && i == f.at {
				dst = append(dst, '.')
			} else if c != f.group {
				dst = append(dst, c)
			}
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// format says which signs of a written number group thousands and which one
// begins the decimals, at byte at; 0 where there is none.
type format struct {
	group, decimal byte
	at             int
	odd            bool // fits no way of writing a number
}

// numberFormat reads "1,234", "1,234.5", "1.234.567", "1.234,5", "3.14", "2,5".
// A single point is always a decimal point, a single comma before exactly three
// digits groups thousands.
func numberFormat(s string) format {
	var dots, commas, lastDot, lastComma int
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '.':
			dots, lastDot = dots+1, i
		case ',':
			commas, lastComma = commas+1, i
		}
	}
	switch {
	case dots == 0 && commas == 0:
		return format{at: -1}
	case dots > 0 && commas > 0:
		f := format{group: ',', decimal: '.', at: lastDot}
		if lastComma > lastDot {
			f = format{group: '.', decimal: ',', at: lastComma}
		}
		f.odd = dots > 1 && f.decimal == '.' || commas > 1 && f.decimal == ',' || !grouped(s[:f.at], f.group)
		return f
	case commas == 0 && dots == 1:
		return format{decimal: '.', at: lastDot}
	case dots == 0 && commas == 1 && !(grouped(s, ',') && s[0] != '0'):
		return format{decimal: ',', at: lastComma}
	}
	sep := byte(',')
	if dots > 0 {
		sep = '.'
	}
	if !grouped(s, sep) {
		return format{at: -1, odd: true}
	}
	return format{group: sep, at: -1}
}

// grouped says whether sep stands before every three digits of s, or, as in
// India, before every two and then three.
func grouped(s string, sep byte) bool {
	last, parts := len(s), 0
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != sep {
			continue
		}
		width := last - i - 1
		if width != 3 && (parts == 0 || width != 2) {
			return false
		}
		last, parts = i, parts+1
	}
	return last >= 1 && last <= 3
}

// pair reads two neighbouring characters of a run, or the only one of a run of
// one. It says false when the run's last character was already read.
func (t *tokenizer) pair(n int) bool {
	second := t.pos + n
	k, m := classNone, 0
	if second < len(t.s) {
		k, m = t.classAt(second)
	}
	if k != classDense {
		if t.dense {
			t.dense = false
			t.pos = second
			return false
		}
		m = 0
	}
	t.dense = k == classDense
	t.start, t.end = t.pos, second+m
	t.text = t.text[:0]
	for i := t.start; i < t.end; {
		var w int
		t.text, w = appendFolded(t.text, t.s[i:])
		i += w
	}
	t.pos = second
	return true
}
