package text

// Sentences: rules for where one ends. The text is first cut into blocks at
// blank lines, list items and headings (block.go), then each block at its
// full stops, question and exclamation marks.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences returns the sentences of s in order, without the white space around
// them. lang chooses the abbreviations; "" guesses by script. A blank line always
// ends a sentence, a single line break only before a list item, around a
// heading-like line or where the line was plainly broken on purpose.
func Sentences(s, lang string) []Span {
	if lang == "" {
		lang = sentenceLanguage(s)
	}
	abbr := abbreviationsOf(lang)
	var out []Span
	for _, block := range blocks(s) {
		sp := splitter{s: s, block: block, abbr: abbr}
		for _, span := range sp.split() {
			if span = trimSpan(s, span); span.Len() > 0 {
				out = append(out, span)
			}
		}
	}
	return out
}

func sentenceLanguage(s string) string {
	if len(s) > 2048 {
		s = s[:runeStart(s, 2048)]
	}
	if script, _ := scriptOf(s); script == "cyrillic" {
		return "ru"
	}
	if lang := Language(s); lang != "" {
		return lang
	}
	return "en"
}

func trimSpan(s string, span Span) Span {
	part := span.Of(s)
	span.Start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	part = span.Of(s)
	span.End -= len(part) - len(strings.TrimRightFunc(part, unicode.IsSpace))
	return span
}

// splitter cuts one block.
type splitter struct {
	s     string
	block Span
	abbr  abbreviations
	start int // where the sentence under way begins
	out   []Span
	items []int // offsets at which items of an inline list begin
	// held is the end of the innermost bracket or quotation that is not split
	held int
}

func (p *splitter) split() []Span {
	p.start = p.block.Start
	p.items = inlineItems(p.s, p.block)
	for i := p.skipMarker(p.start); i < p.block.End; {
		if len(p.items) > 0 && i >= p.items[0] {
			p.cut(p.items[0])
			p.items = p.items[1:]
			i = p.skipMarker(i)
			continue
		}
		r, n := utf8.DecodeRuneInString(p.s[i:])
		switch {
		case opener(r) != 0 && i >= p.held:
			p.hold(i, n, r)
			i += n
		case terminator(r):
			i = p.terminatorAt(i, r)
		default:
			i += n
		}
	}
	p.cut(p.block.End)
	return p.out
}

// skipMarker goes past the white space and the list marker at i.
func (p *splitter) skipMarker(i int) int {
	for i < p.block.End && unicode.IsSpace(firstRune(p.s[i:])) {
		_, n := utf8.DecodeRuneInString(p.s[i:])
		i += n
	}
	for i < p.block.End && p.s[i] == '#' {
		if i++; i < p.block.End && p.s[i] == ' ' {
			i++
			break
		}
	}
	if i >= p.block.End {
		return i
	}
	return markerEnd(p.s, i, p.block.End)
}

func (p *splitter) cut(at int) {
	if at > p.start {
		p.out = append(p.out, Span{p.start, at})
	}
	p.start = at
}

func terminator(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '．', '｡', '؟', '۔', '।', '‼', '⁇', '⁈', '⁉':
		return true
	}
	return false
}

// wide says whether a terminator ends a sentence without a space behind it.
func wide(r rune) bool {
	switch r {
	case '。', '！', '？', '．', '｡', '।':
		return true
	}
	return false
}

// terminatorAt looks at the terminator at i, cuts behind it if a sentence ends
// there, and returns where to go on.
func (p *splitter) terminatorAt(i int, r rune) int {
	end, dots := p.run(i)
	if p.omission(i, end) {
		return end
	}
	closed := p.closers(end)
	closed = p.markers(closed, r)
	if closed < p.held {
		if strings.Trim(p.s[closed:p.held], " \u00a0\u202f»”") != "" {
			return end
		}
		closed = p.held // French sets a space before the closing mark
	}
	if closed >= p.block.End {
		return p.block.End
	}
	if !p.ends(i, end, closed, r, dots) {
		return end
	}
	if dots == 4 && strings.HasPrefix(p.s[i:], ". . . .") && i > p.start && p.s[i-1] != ' ' {
		p.cut(i + 1) // a full stop, and an ellipsis that begins the next sentence
		return end
	}
	p.cut(closed)
	return p.skipMarker(closed)
}

// omission: the dots of "[...]" and "(…)".
func (p *splitter) omission(i, end int) bool {
	return i > p.block.Start && end < p.block.End && (p.s[i-1] == '[' && p.s[end] == ']' || p.s[i-1] == '(' && p.s[end] == ')')
}

// run returns the end of the terminators that begin at i, and how many dots
// they are. ". . ." is one run.
func (p *splitter) run(i int) (end, dots int) {
	for end = i; end < p.block.End; {
		r, n := utf8.DecodeRuneInString(p.s[end:])
		if terminator(r) {
			if r == '.' {
				dots++
			}
			if r == '…' {
				dots += 3
			}
			end += n
			continue
		}
		if (r == ' ' || r == '\u00a0') && dots > 0 && strings.HasPrefix(p.s[end+n:p.block.End], ".") && !digitAt(p.s, end+n+1, p.block.End) {
			end += n
			continue
		}
		break
	}
	return end, dots
}

func digitAt(s string, i, end int) bool { return i < end && isDigit(s[i]) }

// markers skips citation markers that belong to the sentence before: [1][2],
// superscripts, and bare numbers glued to the full stop.
func (p *splitter) markers(i int, r rune) int {
	for i < p.block.End {
		c, n := utf8.DecodeRuneInString(p.s[i:])
		switch {
		case c == '[':
			j := strings.IndexByte(p.s[i:min(i+25, p.block.End)], ']')
			if j < 0 || strings.ContainsFunc(p.s[i+1:i+j], unicode.IsUpper) {
				return i
			}
			i += j + 1
		case strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹", c):
			i += n
		default:
			return p.noteNumbers(i, r)
		}
	}
	return i
}

// noteNumbers skips "consultation.11 12 Take".
func (p *splitter) noteNumbers(i int, r rune) int {
	if r != '.' || !digitAt(p.s, i, p.block.End) {
		return i
	}
	before, _ := utf8.DecodeLastRuneInString(p.s[:i-1])
	if !unicode.IsLetter(before) && before != ')' {
		return i
	}
	j := i
	for j < p.block.End && (isDigit(p.s[j]) || (p.s[j] == ' ' || p.s[j] == ',' || p.s[j] == '-') && digitAt(p.s, j+1, p.block.End)) {
		j++
	}
	rest := strings.TrimLeft(p.s[j:p.block.End], " \n")
	if len(rest) == len(p.s[j:p.block.End]) || !unicode.IsUpper(firstRune(rest)) {
		return i
	}
	return j
}

// ends says whether a sentence ends with the terminators i..end, whose closing
// marks end at closed.
func (p *splitter) ends(i, end, closed int, r rune, dots int) bool {
	if wide(r) {
		return true
	}
	next := firstRune(p.s[closed:])
	if !unicode.IsSpace(next) {
		return p.endsGlued(i, closed, r)
	}
	rest := strings.TrimLeftFunc(p.s[closed:p.block.End], unicode.IsSpace)
	if rest == "" {
		return true
	}
	if !startsSentence(rest) {
		return false
	}
	if dots >= 3 {
		return p.endsEllipsis(i, rest)
	}
	if r != '.' || end-i > 1 {
		return true
	}
	return p.endsWord(i, closed, rest)
}

// endsGlued decides without a space behind the stop: "Hello world.Today".
func (p *splitter) endsGlued(i, closed int, r rune) bool {
	next := firstRune(p.s[closed:])
	if closed != i+1 || !unicode.IsUpper(next) {
		return r != '.' && unicode.IsUpper(next) && unicode.IsLetter(next) && closed > i+1
	}
	word := lastWord(p.s[p.start:i])
	if word == "" || strings.ContainsAny(word, "@/:") || strings.HasPrefix(word, "www") || strings.Contains(word, ".") {
		return false
	}
	following := firstWord(p.s[closed:p.block.End])
	if strings.ContainsAny(following, "@/_") || strings.Contains(strings.TrimRight(following, ".!?,"), ".") && !strings.Contains(following, ".M") {
		return false
	}
	if strings.Trim(word, "0123456789,") == "" {
		return len(following) > 1 && len(word) > 2
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	lower := 0
	for _, c := range following {
		if unicode.IsLower(c) {
			lower++
		}
	}
	return unicode.IsLower(last) && len(word) > 1 && lower > 0 && !p.abbr.any(strings.ToLower(word))
}

// endsEllipsis: an ellipsis ends a sentence when the next begins like one; a
// spaced ellipsis in the middle (". . . I") only before a word that is not "I".
func (p *splitter) endsEllipsis(i int, rest string) bool {
	if i > p.start && p.s[i-1] == ' ' {
		run, dots := p.run(i)
		return dots >= 4 && run < p.block.End
	}
	return firstWord(rest) != "I" || p.s[i] == '.'
}
