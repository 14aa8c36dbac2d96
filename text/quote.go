package text

// Tolerant quote matching: finds a quote in a source although the two differ in
// case, spaces, line breaks, hyphenation, ligatures, quotes or punctuation.

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FindQuote finds quote in source and returns where it stands there. To search
// one source many times use NewFolded.
func FindQuote(source, quote string) (Span, bool) {
	return NewFolded(source).Find(quote)
}

// Folded is a source prepared for many searches. It may be shared.
type Folded struct {
	source string
	key    key
}

// NewFolded prepares source; it takes about 6 bytes of memory for each of its.
func NewFolded(source string) *Folded {
	return &Folded{source: source, key: keyOf(source)}
}

// maxRejected bounds the places at which the letters of a quote match but its
// word breaks do not, so that no source can make a search quadratic.
const maxRejected = 1000

// Find returns the first place where quote stands. Only letters, digits and the
// signs of numbers must agree, and words must begin and end where the quote's do.
// A quote of one word or of fewer than 8 letters and digits must stand there
// exactly, case included, as whole words.
func (f *Folded) Find(quote string) (Span, bool) {
	quote = strings.TrimFunc(quote, unicode.IsSpace)
	q := keyOf(quote)
	if len(q.text) == 0 {
		return Span{}, false
	}
	if q.short() {
		return f.exact(quote[q.at[0]:q.end(quote, len(q.at)-1)])
	}
	for from, rejected := 0, 0; rejected < maxRejected; rejected++ {
		i := bytes.Index(f.key.text[from:], q.text)
		if i < 0 {
			break
		}
		i += from
		if f.key.wordStart(i) && f.key.wordEnd(i+len(q.text)) && f.key.breaksAgree(i, q) {
			return f.spanOf(i, len(q.text), quote, q), true
		}
		if from = f.key.nextWord(i + 1); from >= len(f.key.text) {
			break
		}
	}
	return Span{}, false
}

// exact finds whole words byte by byte.
func (f *Folded) exact(quote string) (Span, bool) {
	for from := 0; from <= len(f.source); {
		i := strings.Index(f.source[from:], quote)
		if i < 0 {
			break
		}
		i += from
		span := Span{i, i + len(quote)}
		if wordBreak(f.source, span.Start) && wordBreak(f.source, span.End) {
			return span, true
		}
		_, n := utf8.DecodeRuneInString(f.source[i:])
		from = i + n
	}
	return Span{}, false
}

// wordBreak says whether no word runs across offset i of s.
func wordBreak(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	b, a := plainClass(before), plainClass(after)
	return b == classNone || a == classNone || b == classDense || a == classDense
}

func plainClass(r rune) class {
	if r < utf8.RuneSelf {
		if c := asciiClass[r]; c != classApos {
			return c
		}
		return classNone
	}
	if c := classOf(r); c != classApos {
		return c
	}
	return classNone
}

// spanOf turns a match in the key into offsets of the source and takes in the
// punctuation around it that the quote has too.
func (f *Folded) spanOf(i, n int, quote string, q key) Span {
	span := Span{int(f.key.at[i]), f.key.end(f.source, i+n-1)}
	for before := quote[:q.at[0]]; before != ""; {
		want, w := utf8.DecodeLastRuneInString(before)
		have, h := utf8.DecodeLastRuneInString(f.source[:span.Start])
		if h == 0 || !sameSign(want, have) {
			break
		}
		before, span.Start = before[:len(before)-w], span.Start-h
	}
	for after := quote[q.end(quote, len(q.at)-1):]; after != ""; {
		want, w := utf8.DecodeRuneInString(after)
		have, h := utf8.DecodeRuneInString(f.source[span.End:])
		if h == 0 || !sameSign(want, have) {
			break
		}
		after, span.End = after[w:], span.End+h
	}
	return span
}

func sameSign(a, b rune) bool {
	if unicode.IsSpace(a) || unicode.IsSpace(b) || a == utf8.RuneError || b == utf8.RuneError {
		return false
	}
	return a == b || string(foldRune(nil, a)) == string(foldRune(nil, b))
}

// key is what of a text must agree: folded letters and digits, the signs that
// belong to numbers, and one sign between two numbers. at is where in the text
// each byte comes from, brk what stands before it.
type key struct {
	text []byte
	at   []int32
	brk  []brk
}

type brk uint8

const (
	brkNone  brk = iota // the same word goes on
	brkSoft             // hyphen, line break or punctuation: may be a word break or not
	brkSpace            // certainly a word break
	brkDense            // next to a character of a script without spaces: anything goes
	brkPart             // not the first byte of what a character folds to
)

// end is where the character that byte i of the key comes from ends in s.
func (k key) end(s string, i int) int {
	at := int(k.at[i])
	_, n := utf8.DecodeRuneInString(s[at:])
	if strings.HasPrefix(s[at:], "и\u0306") || strings.HasPrefix(s[at:], "И\u0306") {
		n += len("\u0306")
	}
	return at + n
}

func (k key) wordStart(i int) bool { return k.brk[i] != brkNone && k.brk[i] != brkPart }

func (k key) wordEnd(i int) bool { return i == len(k.text) || k.wordStart(i) }

func (k key) nextWord(i int) int {
	for i < len(k.text) && !k.wordStart(i) {
		i++
	}
	return i
}

// breaksAgree rejects "notable" for "not able".
func (k key) breaksAgree(i int, q key) bool {
	for j := 1; j < len(q.text); j++ {
		a, b := k.brk[i+j], q.brk[j]
		if a == brkNone && b == brkSpace || a == brkSpace && b == brkNone {
			return false
		}
	}
	return true
}

func (k key) short() bool {
	letters, words := 0, 0
	for i := range k.text {
		if k.text[i]&0xC0 == 0x80 {
			continue
		}
		letters++
		if i == 0 || k.wordStart(i) {
			words++
			if k.brk[i] == brkDense {
				letters++
			}
		}
	}
	return words < 2 || letters < 8
}

func keyOf(s string) key {
	k := key{text: make([]byte, 0, len(s)), at: make([]int32, 0, len(s)), brk: make([]brk, 0, len(s))}
	state, gap := brkSpace, -1 // gap: where the stretch since the last letter began
	wasDense := false
	for i := 0; i < len(s); {
		cls, n := keyClass(s, i)
		switch cls {
		case classSkip:
		case classNone:
			sign := k.sign(s, i, n)
			if sign != 0 {
				k.add(sign, i, max(state, brkSoft))
				state, gap, wasDense = brkSoft, -1, false
				break
			}
			if gap < 0 {
				gap = i
			}
			state = max(state, k.breakAt(s, gap, i, n))
		default:
			d := cls == classDense
			if gap >= 0 && len(k.text) > 0 && cls == classDigit && isDigit(k.text[len(k.text)-1]) {
				k.add(between(s[gap:i]), gap, brkSoft)
			}
			b := state
			if d || wasDense {
				b = brkDense
			}
			if len(k.text) == 0 && b == brkNone {
				b = brkSpace
			}
			n = k.letter(s, i, b)
			state, gap, wasDense = brkNone, -1, d
		}
		i += n
	}
	return k
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func keyClass(s string, i int) (class, int) {
	if c := s[i]; c < utf8.RuneSelf {
		if asciiClass[c] == classApos {
			return classNone, 1
		}
		return asciiClass[c], 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	c := classOf(r)
	if c == classApos {
		c = classNone
	}
	if c == classNone && r >= '⁰' && r <= '⁹' || r == '²' || r == '³' || r == '¹' {
		c = classWord
	}
	if c == classNone && unicode.IsMark(r) {
		c = classSkip
	}
	return c, n
}

// add appends one byte of the key.
func (k *key) add(c byte, at int, b brk) {
	k.text, k.at, k.brk = append(k.text, c), append(k.at, int32(at)), append(k.brk, b)
}

// letter appends the folded character at i and says how many bytes it had.
func (k *key) letter(s string, i int, b brk) int {
	if c := s[i]; c < utf8.RuneSelf {
		k.add(lowerASCII(c), i, b)
		return 1
	}
	was := len(k.text)
	var n int
	k.text, n = appendFolded(k.text, s[i:])
	for j := was; j < len(k.text); j++ {
		k.at, k.brk = append(k.at, int32(i)), append(k.brk, b)
		b = brkPart
	}
	return n
}

// sign returns the byte for a character that changes a number: percent,
// currencies, and the minus before a digit.
func (k *key) sign(s string, i, n int) byte {
	switch c := s[i]; c {
	case '%', '$':
		return c
	case '-':
		if i+1 < len(s) && isDigit(s[i+1]) && (i == 0 || s[i-1] == ' ' || s[i-1] == '\n' || s[i-1] == '(') && !k.endsInDigit() {
			return '-'
		}
	}
	switch s[i : i+n] {
	case "％":
		return '%'
	case "€":
		return 'E'
	case "£":
		return 'L'
	case "¥", "￥":
		return 'Y'
	case "−":
		if i+n < len(s) && isDigit(s[i+n]) && !k.endsInDigit() {
			return '-'
		}
	}
	return 0
}

func (k *key) endsInDigit() bool { return len(k.text) > 0 && isDigit(k.text[len(k.text)-1]) }

// breakAt classifies the separator at i of a gap that began at gap.
func (k *key) breakAt(s string, gap, i, n int) brk {
	c := s[i]
	if c != ' ' && c != '\t' && (n == 1 || !unicode.IsSpace(firstRune(s[i:]))) || c == '\n' || c == '\r' {
		return brkSoft
	}
	// "inter- national": the space is what became of a line break.
	if strings.HasPrefix(s[gap:], "-") || strings.HasPrefix(s[gap:], "‐") || strings.HasPrefix(s[gap:], "\n") {
		return brkSoft
	}
	return brkSpace
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// between is the one sign that stands for whatever separates two numbers.
func between(gap string) byte {
	switch gap {
	case ".", ",", ":", "/":
		return gap[0]
	}
	if strings.ContainsAny(gap, "-‐‑‒–—−") {
		return '-'
	}
	return ' '
}
