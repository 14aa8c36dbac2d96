// PDF: the tokens of content streams and character maps. Written for input of
// any kind: it never fails, and what makes no sense is passed over.
package extract

import (
	"bytes"
	"strconv"
)

// token kinds.
const (
	numberToken   = 'n'
	stringToken   = 's'
	nameToken     = '/'
	arrayToken    = '['
	operatorToken = 'o'
	dictToken     = '<'
)

type pdfToken struct {
	kind byte
	num  float64
	str  string     // of a string, name or operator
	list []pdfToken // of an array, or a dict's keys and values in turn
}

type pdfLexer struct {
	data []byte
	pos  int
}

// maxNesting bounds arrays in arrays.
const maxNesting = 16

// next returns the next token; false at the end.
func (l *pdfLexer) next() (pdfToken, bool) { return l.token(0) }

func (l *pdfLexer) token(depth int) (pdfToken, bool) {
	for {
		l.skipSpace()
		if l.pos >= len(l.data) {
			return pdfToken{}, false
		}
		c := l.data[l.pos]
		switch {
		case c == '(':
			return pdfToken{kind: stringToken, str: l.literal()}, true
		case c == '<':
			if l.peek(1) == '<' {
				l.pos += 2
				return pdfToken{kind: dictToken, list: l.until(">>", depth)}, true
			}
			return pdfToken{kind: stringToken, str: l.hex()}, true
		case c == '/':
			l.pos++
			return pdfToken{kind: nameToken, str: l.name()}, true
		case c == '[':
			l.pos++
			return pdfToken{kind: arrayToken, list: l.until("]", depth)}, true
		case c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9':
			return l.number(), true
		case c == ']' || c == '{' || c == '}' || c == ')':
			l.pos++ // stray
			if c == ']' && depth > 0 {
				return pdfToken{kind: operatorToken, str: "]"}, true
			}
		case c == '>':
			l.pos++
			if l.peek(0) == '>' {
				l.pos++
				if depth > 0 {
					return pdfToken{kind: operatorToken, str: ">>"}, true
				}
			}
		default:
			return pdfToken{kind: operatorToken, str: l.word()}, true
		}
	}
}

func (l *pdfLexer) peek(n int) byte {
	if l.pos+n < len(l.data) {
		return l.data[l.pos+n]
	}
	return 0
}

func isPDFSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func (l *pdfLexer) skipSpace() {
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		if c == '%' {
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
			continue
		}
		if !isPDFSpace(c) {
			return
		}
		l.pos++
	}
}

// until collects tokens up to the closing one.
func (l *pdfLexer) until(closing string, depth int) []pdfToken {
	var list []pdfToken
	if depth >= maxNesting {
		return nil
	}
	for {
		t, ok := l.token(depth + 1)
		if !ok || t.kind == operatorToken && t.str == closing {
			return list
		}
		list = append(list, t)
	}
}

func (l *pdfLexer) word() string {
	start := l.pos
	for l.pos < len(l.data) && !isPDFSpace(l.data[l.pos]) && !isDelimiter(l.data[l.pos]) {
		l.pos++
	}
	if l.pos == start {
		l.pos++
	}
	return string(l.data[start:l.pos])
}

func (l *pdfLexer) name() string {
	start := l.pos
	for l.pos < len(l.data) && !isPDFSpace(l.data[l.pos]) && !isDelimiter(l.data[l.pos]) {
		l.pos++
	}
	raw := l.data[start:l.pos]
	if bytes.IndexByte(raw, '#') < 0 {
		return string(raw)
	}
	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if v, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return string(out)
}

// number reads what producers write for numbers, such as "-.5", "1.", "--3".
func (l *pdfLexer) number() pdfToken {
	sign, scale := 1.0, 0.0
	v := 0.0
	for ; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		switch {
		case c == '-':
			sign = -1
		case c == '+':
		case c == '.':
			if scale == 0 {
				scale = 1
			}
		case c >= '0' && c <= '9':
			if scale > 0 {
				scale /= 10
				v += float64(c-'0') * scale
			} else {
				v = v*10 + float64(c-'0')
			}
		default:
			return pdfToken{kind: numberToken, num: sign * v}
		}
	}
	return pdfToken{kind: numberToken, num: sign * v}
}

func (l *pdfLexer) literal() string {
	l.pos++
	var out []byte
	for depth := 1; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return string(out)
			}
		case '\\':
			l.pos++
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return string(out)
}

// escape reads what follows a backslash and leaves pos on its last byte.
func (l *pdfLexer) escape(out []byte) []byte {
	c := l.peek(0)
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if l.peek(1) == '\n' {
			l.pos++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for n := 1; n < 3 && l.peek(1) >= '0' && l.peek(1) <= '7'; n++ {
		l.pos++
		v = v*8 + int(l.peek(0)-'0')
	}
	return append(out, byte(v))
}

func (l *pdfLexer) hex() string {
	l.pos++
	var out []byte
	high, half := byte(0), false
	for ; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		var d byte
		switch {
		case c >= '0' && c <= '9':
			d = c - '0'
		case c >= 'a' && c <= 'f':
			d = c - 'a' + 10
		case c >= 'A' && c <= 'F':
			d = c - 'A' + 10
		case c == '>':
			l.pos++
			if half {
				out = append(out, high)
			}
			return string(out)
		default:
			continue
		}
		if half {
			out = append(out, high|d)
		} else {
			high = d << 4
		}
		half = !half
	}
	return string(out)
}

// skipImage passes over the data of an inline image: from after ID to EI,
// which must stand alone and be followed by something that is no binary data.
func (l *pdfLexer) skipImage() {
	for i := l.pos; ; {
		j := bytes.Index(l.data[i:], []byte("EI"))
		if j < 0 {
			l.pos = len(l.data)
			return
		}
		i += j
		before := i > 0 && isPDFSpace(l.data[i-1])
		after := i+2 >= len(l.data) || isPDFSpace(l.data[i+2])
		if before && after && printable(l.data[i+2:min(i+12, len(l.data))]) {
			l.pos = i + 2
			return
		}
		i += 2
	}
}

func printable(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 || c < ' ' && !isPDFSpace(c) {
			return false
		}
	}
	return true
}
