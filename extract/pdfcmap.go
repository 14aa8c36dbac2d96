// PDF: ToUnicode character maps.
package extract

import "strings"

// charMap maps codes to text.
type charMap struct {
	chars   map[int]string
	ranges  []charRange
	oneByte bool // codes are single bytes, by the map's code space
}

// charRange maps first..last to the text with its last character counted up.
type charRange struct {
	first, last int
	text        string
}

// maxMapEntries bounds a map; Unicode's basic plane has 65,536 characters.
const maxMapEntries = 1 << 17

func parseCharMap(data []byte) *charMap {
	m := &charMap{chars: map[int]string{}}
	l := &pdfLexer{data: data}
	var args []pdfToken
	for {
		t, ok := l.next()
		if !ok {
			return m
		}
		if t.kind != operatorToken {
			if len(args) < 3*maxMapEntries {
				args = append(args, t)
			}
			continue
		}
		switch t.str {
		case "endcodespacerange":
			m.oneByte = len(args) > 0
			for _, a := range args {
				m.oneByte = m.oneByte && len(a.str) == 1
			}
		case "endbfchar":
			for i := 0; i+1 < len(args) && len(m.chars) < maxMapEntries; i += 2 {
				m.chars[codeOf(args[i].str)] = utf16Text(args[i+1].str)
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				m.addRange(codeOf(args[i].str), codeOf(args[i+1].str), args[i+2])
			}
		}
		args = args[:0]
	}
}

func codeOf(s string) int {
	code := 0
	for _, c := range []byte(s[:min(len(s), 4)]) {
		code = code<<8 | int(c)
	}
	return code
}

func (m *charMap) addRange(first, last int, to pdfToken) {
	if to.kind == arrayToken {
		for i, t := range to.list {
			if first+i > last || len(m.chars) >= maxMapEntries {
				return
			}
			m.chars[first+i] = utf16Text(t.str)
		}
		return
	}
	text := utf16Text(to.str)
	if text != "" && last >= first && len(m.ranges) < maxMapEntries {
		m.ranges = append(m.ranges, charRange{first, last, text})
	}
}

// lookup gives the text of a code that the map knows.
func (m *charMap) lookup(code int) (string, bool) {
	if s, ok := m.chars[code]; ok {
		return s, true
	}
	for _, r := range m.ranges {
		if code >= r.first && code <= r.last {
			runes := []rune(r.text)
			runes[len(runes)-1] += rune(code - r.first)
			s := string(runes)
			m.chars[code] = s
			return s, !strings.ContainsRune(s, 0)
		}
	}
	return "", false
}
