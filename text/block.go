package text

// Blocks: the lines of a text put together to paragraphs, headings and list
// items, before sentences are looked for in them.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blocks cuts s where a sentence must end whatever its words are.
func blocks(s string) []Span {
	var out []Span
	for start := 0; start < len(s); {
		end, next := paragraph(s, start)
		out = append(out, cutLines(s, Span{start, end})...)
		start = next
	}
	return out
}

// paragraph returns the end of the paragraph that begins at i and where the
// next one begins: a blank line, a form feed or a paragraph separator.
func paragraph(s string, i int) (end, next int) {
	for j := i; j < len(s); j++ {
		if s[j] == '\f' {
			return j, j + 1
		}
		if strings.HasPrefix(s[j:], "\u2029") {
			return j, j + len("\u2029")
		}
		if s[j] != '\n' {
			continue
		}
		k := j + 1
		for k < len(s) && (s[k] == ' ' || s[k] == '\t' || s[k] == '\r') {
			k++
		}
		if k < len(s) && s[k] == '\n' {
			return j, k + 1
		}
	}
	return len(s), len(s)
}

type line struct {
	Span
	text  string // without surrounding spaces
	width int    // in characters
}

func linesOf(s string, p Span) []line {
	var out []line
	for start := p.Start; start < p.End; {
		end := p.End
		if i := strings.IndexByte(s[start:p.End], '\n'); i >= 0 {
			end = start + i
		}
		text := strings.TrimSpace(s[start:end])
		out = append(out, line{Span{start, end}, text, utf8.RuneCountInString(text)})
		start = end + 1
	}
	return out
}

// cutLines cuts a paragraph before list items and around headings.
func cutLines(s string, p Span) []Span {
	if strings.IndexByte(p.Of(s), '\n') < 0 {
		return []Span{p}
	}
	lines := linesOf(s, p)
	widest := 0
	for _, l := range lines {
		widest = max(widest, l.width)
	}
	listing := isListing(lines, widest)
	var out []Span
	start := p.Start
	for i := 1; i < len(lines); i++ {
		if listing || breaks(lines[i-1], lines[i], widest) {
			out = append(out, Span{start, lines[i].Start})
			start = lines[i].Start
		}
	}
	return append(out, Span{start, p.End})
}

// isListing: three or more short lines of which none ends like running text.
func isListing(lines []line, widest int) bool {
	if len(lines) < 3 || widest > 40 {
		return false
	}
	for _, l := range lines {
		last, _ := utf8.DecodeLastRuneInString(l.text)
		if l.width < 3 || isItem(l.text) || terminator(last) || strings.ContainsRune(",;:-–—(", last) {
			return false
		}
	}
	return true
}

// breaks says whether the break between two lines of a paragraph was made on
// purpose and ends a sentence.
func breaks(a, b line, widest int) bool {
	switch {
	case a.text == "" || b.text == "":
		return false
	case a.text[0] == '#' || b.text[0] == '#' && strings.HasPrefix(strings.TrimLeft(b.text, "#"), " "):
		return true
	case a.text[0] == '|' || b.text[0] == '|':
		return true
	case isItem(b.text):
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(a.text)
	if strings.ContainsRune(",;-–—(&", last) || !startsLine(b.text) {
		return false
	}
	// Wrapped text fills its lines: when the next word would have fitted well, the
	// break is the writer's.
	first := utf8.RuneCountInString(firstWord(b.text))
	return a.width+1+first <= widest*7/10 && widest >= 25
}

func startsLine(s string) bool {
	r := firstRune(s)
	return unicode.IsUpper(r) || opener(r) != 0 && len(s) > 1 && (unicode.IsUpper(firstRune(s[1:])) || isDigit(s[1])) || dense(r)
}

// isItem says whether a line begins with a bullet or a list number.
func isItem(s string) bool {
	return bulletEnd(s, 0, len(s)) > 0 || markerEnd(s, 0, len(s)) > 0 && len(s) > 3
}

// bulletEnd returns the end of a bullet at i, or i.
func bulletEnd(s string, i, end int) int {
	r, n := utf8.DecodeRuneInString(s[i:end])
	switch r {
	case '•', '‣', '⁃', '◦', '▪', '●', '○', '■', '□', '✓', '✔', '➢':
		return i + n
	case '-', '*', '+', '–', '—':
		if i+n < end && s[i+n] == ' ' {
			return i + n
		}
	}
	return i
}

// markerEnd returns the end of a list marker at i ("1.", "2)", "3.)", "(iv)",
// "a.", "• 9."), or i.
func markerEnd(s string, i, end int) int {
	j := bulletEnd(s, i, end)
	bullet := j > i
	for j < end && s[j] == ' ' {
		j++
	}
	k, ok := labelEnd(s, j, end)
	if !ok {
		if bullet {
			return j
		}
		return i
	}
	return k
}

// labelEnd reads "12." "12)" "12.)" "a)" "(iv)" before a space.
func labelEnd(s string, i, end int) (int, bool) {
	paren := i < end && s[i] == '('
	if paren {
		i++
	}
	j := i
	for j < end && j-i < 4 && (isDigit(s[j]) || s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z') {
		j++
	}
	label := s[i:j]
	number := label != "" && strings.Trim(label, "0123456789") == "" && len(label) <= 3
	letter := len(label) == 1 && !number || roman(label)
	if !number && !letter {
		return 0, false
	}
	k := j
	if k < end && s[k] == '.' && !paren {
		k++
	}
	if k < end && s[k] == ')' {
		k++
	} else if paren {
		return 0, false
	}
	if k == j || k >= end || s[k] != ' ' && s[k] != '\t' {
		return 0, false
	}
	return k, true
}

// inlineItems returns where the items of lists begin that are written in one
// line: "1.) x 2.) y", "a. x b. y", "• x • y". A list begins at the beginning of
// the block or of a sentence and has at least two items.
func inlineItems(s string, block Span) []int {
	var out []int
	var open listMarker
	found := 0 // items of the open list
	for i := block.Start; i < block.End; i++ {
		if i > block.Start && s[i-1] != ' ' && s[i-1] != '\n' && s[i-1] != '\t' || s[i] == ' ' {
			continue
		}
		m, ok := readMarker(s, i, block.End)
		if !ok {
			continue
		}
		switch {
		case found > 0 && m.follows(open):
			if found == 1 && open.at > block.Start {
				out = append(out, open.at)
			}
			out = append(out, i)
			open, found = m, found+1
		case m.begins(s, block):
			open, found = m, 1
		}
	}
	return out
}

type listMarker struct {
	at     int
	bullet string
	value  int    // the number, or the place in the alphabet
	style  string // what is left of the label without its number; "" for a bare bullet
}

func (m listMarker) follows(o listMarker) bool {
	if m.bullet != o.bullet || m.style != o.style {
		return false
	}
	if m.style == "" {
		return strings.ContainsAny(m.bullet, "•‣⁃◦▪●○■")
	}
	return m.value == o.value+1
}

// begins says whether m can be the first item of a list: any at the beginning of
// the block, 1 or a at that of a sentence. (1) is used within sentences.
func (m listMarker) begins(s string, block Span) bool {
	before := strings.TrimRight(s[block.Start:m.at], " \t\n")
	if before == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return terminator(last) && m.bullet == "" && !strings.Contains(m.style, "(") && (strings.HasPrefix(m.style, "1") && m.value == 1 || m.style[0] == 'a' && m.value == 'a')
}

// readMarker takes the list marker at i apart.
func readMarker(s string, i, end int) (listMarker, bool) {
	j := bulletEnd(s, i, end)
	m := listMarker{at: i, bullet: s[i:j]}
	for j < end && s[j] == ' ' {
		j++
	}
	k, ok := labelEnd(s, j, end)
	if !ok {
		return m, m.bullet != ""
	}
	label := s[j:k]
	core := strings.Trim(label, "().")
	m.style = strings.Replace(label, core, "", 1)
	switch {
	case isDigit(core[0]):
		m.value, m.style = atoi(core), "1"+m.style
	case len(core) == 1:
		m.value, m.style = int(core[0]), "a"+m.style
	default:
		m.value, m.style = romanValue(core), "i"+m.style
	}
	return m, true
}

func romanValue(s string) int {
	values := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}
	s = strings.ToLower(s)
	total := 0
	for i := range len(s) {
		v := values[s[i]]
		if i+1 < len(s) && values[s[i+1]] > v {
			v = -v
		}
		total += v
	}
	return total
}
