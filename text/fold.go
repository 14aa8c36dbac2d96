package text

// Folding: the one spelling in which queries, quotes and sources meet.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold lower-cases s, removes the diacritics of Latin letters (é → e, ø → o,
// ß → ss, ё → е), expands ligatures and full-width forms, makes quotes and
// dashes ASCII, turns exotic spaces into ' ' and drops soft hyphens and
// zero-width characters. Marks that are letters of their own outside Latin
// (й, が, Thai vowels) are kept.
func Fold(s string) string {
	if isFolded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	buf := make([]byte, 0, 8)
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			b.WriteByte(lowerASCII(c))
			i++
			continue
		}
		var n int
		buf, n = appendFolded(buf[:0], s[i:])
		b.Write(buf)
		i += n
	}
	return b.String()
}

func isFolded(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// appendFolded appends the folded form of the first character of s and says
// how many bytes of s that was. A decomposed й is put together again.
func appendFolded(dst []byte, s string) ([]byte, int) {
	r, n := utf8.DecodeRuneInString(s)
	if (r == 'и' || r == 'И') && strings.HasPrefix(s[n:], "\u0306") {
		return append(dst, "й"...), n + len("\u0306")
	}
	return foldRune(dst, r), n
}

func foldRune(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(dst, lowerASCII(byte(r)))
	case r < rune(len(latin)):
		if f := latin[r]; f != "" {
			return append(dst, f...)
		}
	case r >= 0x1E00 && r < 0x1F00:
		return append(dst, latinMore[r-0x1E00]...)
	case r >= 0x0400 && r < 0x0530:
		if r == 'ё' || r == 'Ё' {
			r = 'е'
		}
		return utf8.AppendRune(dst, unicode.ToLower(r))
	case r >= 0x3000 && r < 0xD7B0 && r != 0x3000:
		return utf8.AppendRune(dst, r)
	}
	if dropped(r) {
		return dst
	}
	if f, ok := foldedSigns[r]; ok {
		return append(dst, f...)
	}
	if unicode.IsSpace(r) {
		return append(dst, ' ')
	}
	if r >= 0xFB00 && r <= 0xFB06 || r >= 0xFF01 && r <= 0xFFEF || r >= 0x2460 && r <= 0x24FF || r >= 0x1D400 && r <= 0x1D7FF {
		for _, c := range norm.NFKC.String(string(r)) {
			dst = utf8.AppendRune(dst, unicode.ToLower(c))
		}
		return dst
	}
	return utf8.AppendRune(dst, unicode.ToLower(r))
}

// dropped says whether folding removes r: marks of Latin letters and
// characters without width.
func dropped(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036F, r == 0x00AD, r >= 0x200B && r <= 0x200F,
		r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2064, r == 0xFEFF, r >= 0xFE00 && r <= 0xFE0F:
		return true
	}
	return false
}

var foldedSigns = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '‛': "'", 'ʼ': "'", '′': "'", '‹': "'", '›': "'",
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '″': `"`, '«': `"`, '»': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-", '⁃': "-",
	'…': "...", '⁄': "/", '∕': "/", '×': "x",
	'⁰': "0", '¹': "1", '²': "2", '³': "3", '⁴': "4", '⁵': "5", '⁶': "6", '⁷': "7", '⁸': "8", '⁹': "9",
	'₀': "0", '₁': "1", '₂': "2", '₃': "3", '₄': "4", '₅': "5", '₆': "6", '₇': "7", '₈': "8", '₉': "9",
	'½': "1/2", '¼': "1/4", '¾': "3/4", '⅓': "1/3", '⅔': "2/3",
}

// latin holds the folded form of U+0080..U+024F ("" where foldRune decides),
// latinMore that of U+1E00..U+1EFF.
var latin, latinMore = foldLatin()

func foldLatin() (low [0x250]string, more [0x100]string) {
	base := func(r rune) string {
		var b []byte
		for _, c := range norm.NFD.String(string(r)) {
			c = unicode.ToLower(c)
			switch f, ok := latinLetters[c]; {
			case ok:
				b = append(b, f...)
			case !unicode.Is(unicode.Mn, c):
				b = utf8.AppendRune(b, c)
			}
		}
		return string(b)
	}
	for r := rune(0xC0); r < 0x250; r++ {
		if r != '×' && r != '÷' {
			low[r] = base(r)
		}
	}
	for r := rune(0x1E00); r < 0x1F00; r++ {
		more[r-0x1E00] = base(r)
	}
	return low, more
}

// latinLetters are those that Unicode does not take apart.
var latinLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ĳ': "ij", 'ſ': "s", 'ħ': "h",
}
