// PDF: glyphs to lines, columns and paragraphs.
//
// Glyphs that follow each other on a baseline form a span; wide gaps end one.
// Where many spans leave a gutter free and few cross it, the page has columns:
// those are read one after the other between the spans that cross. Spans on
// one baseline form a line. Words are parted by gaps relative to the font
// size; hyphens at line ends stay.
package extract

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Gaps in font sizes.
const (
	wordGap = 0.13 // wider: a space
	spanGap = 1.2  // wider: another span, perhaps of another column
)

// span is text on one baseline without a wide gap.
type span struct {
	x0, x1, y, size float64
	text            string
}

// pdfLine is one line of a page in reading order.
type pdfLine struct {
	text    string
	y, size float64
	turned  bool // runs in another direction than most of the page
}

// layout gives a page's lines in reading order: text in the direction that
// most of it has first.
func layout(glyphs []glyph) []pdfLine {
	var byTurn [4][]glyph
	for _, g := range glyphs {
		byTurn[g.turn] = append(byTurn[g.turn], g)
	}
	turns := []int{0, 1, 2, 3}
	slices.SortStableFunc(turns, func(a, b int) int { return cmp.Compare(len(byTurn[b]), len(byTurn[a])) })
	var lines []pdfLine
	for i, t := range turns {
		for _, l := range linesOf(inColumns(spans(byTurn[t]), 0)) {
			l.turned = i > 0
			lines = append(lines, l)
		}
	}
	return lines
}

// spans joins glyphs in drawing order, then pieces of one baseline that were
// drawn apart.
func spans(glyphs []glyph) []span {
	var out []span
	var b spanBuilder
	printed := map[printKey]bool{}
	for _, g := range glyphs {
		if strings.TrimSpace(g.text) == "" {
			b.space(g)
			continue
		}
		key := keyOf(g)
		if printed[key] {
			continue // bold by printing twice
		}
		printed[key] = true
		if !b.continues(g) {
			out = b.flush(out)
		}
		b.add(g)
	}
	return joinSpans(b.flush(out))
}

type printKey struct {
	x, y int
	text string
}

func keyOf(g glyph) printKey {
	grid := max(g.size*0.12, 0.2)
	return printKey{int(math.Round(g.x / grid)), int(math.Round(g.y / grid)), g.text}
}

type spanBuilder struct {
	span
	b      strings.Builder
	spaced bool // a space was drawn after the last glyph
	accent rune // a spacing accent that waits for its letter
	accX   float64
	last   glyph
}

// continues: g is on the builder's baseline (super- and subscripts included)
// and begins near where the last glyph ended.
func (s *spanBuilder) continues(g glyph) bool {
	if s.b.Len() == 0 && s.accent == 0 {
		return true
	}
	size := max(s.size, g.size)
	rise := math.Abs(g.y - s.y)
	gap := g.x - s.x1
	if rise > 0.6*size || rise > 0.15*size && (gap > 0.5*size || gap < -0.5*size) {
		return false
	}
	return gap < spanGap*size && gap > -0.6*size
}

func (s *spanBuilder) space(g glyph) {
	if s.b.Len() > 0 && math.Abs(g.y-s.y) < 0.3*s.size && g.x >= s.last.x {
		s.spaced = true
	}
}

func (s *spanBuilder) add(g glyph) {
	if s.b.Len() == 0 && s.accent == 0 {
		s.span = span{x0: g.x, x1: g.x, y: g.y, size: g.size}
	}
	if g.size > s.size*1.1 { // the span began with a superscript
		s.y, s.size = g.y, g.size
	}
	if r, _ := utf8.DecodeRuneInString(g.text); combining[r] != 0 && len(g.text) == utf8.RuneLen(r) {
		s.flushAccent()
		s.gapBefore(g)
		s.accent, s.accX = r, g.x+g.w/2
		s.last = g
		return
	}
	if s.accent != 0 && g.w > 0 && s.accX > g.x-0.1*g.size && s.accX < g.x+g.w+0.1*g.size {
		mark := combining[s.accent]
		s.accent = 0
		s.write(g, g.text+string(mark))
		return
	}
	s.flushAccent()
	s.gapBefore(g)
	s.write(g, g.text)
}

func (s *spanBuilder) gapBefore(g glyph) {
	if s.b.Len() == 0 {
		return
	}
	gap := g.x - s.x1
	if s.spaced && gap > -0.2*g.size || gap > wordGap*max(g.size, s.last.size) {
		s.b.WriteByte(' ')
	}
	s.spaced = false
}

func (s *spanBuilder) write(g glyph, text string) {
	s.b.WriteString(text)
	s.x1 = max(s.x1, g.x+g.w)
	s.last, s.spaced = g, false
}

func (s *spanBuilder) flushAccent() {
	if s.accent != 0 {
		s.b.WriteRune(s.accent)
		s.x1 = max(s.x1, s.last.x+s.last.w)
		s.accent = 0
	}
}

func (s *spanBuilder) flush(out []span) []span {
	s.flushAccent()
	if s.b.Len() > 0 {
		s.text = norm.NFC.String(s.b.String())
		out = append(out, s.span)
	}
	*s = spanBuilder{}
	return out
}

// combining gives the mark that a spacing accent stands for: TeX draws "é" as
// an accent and an e in one place.
var combining = map[rune]rune{
	'´': '\u0301', '`': '\u0300', '¨': '\u0308', 'ˆ': '\u0302', '˜': '\u0303', 'ˇ': '\u030c', '˘': '\u0306',
	'˙': '\u0307', '˚': '\u030a', '¸': '\u0327', '˝': '\u030b', '¯': '\u0304',
}

// joinSpans joins spans of one baseline that touch or have a word's gap
// between them, whatever the order in which they were drawn.
func joinSpans(in []span) []span {
	slices.SortStableFunc(in, func(a, b span) int {
		if r := cmp.Compare(math.Round(b.y), math.Round(a.y)); r != 0 {
			return r
		}
		return cmp.Compare(a.x0, b.x0)
	})
	var out []span
	for _, s := range in {
		if n := len(out); n > 0 {
			l := &out[n-1]
			gap := s.x0 - l.x1
			size := max(s.size, l.size)
			if math.Abs(s.y-l.y) < 0.3*size && gap > -0.3*size && gap < spanGap*size*0.6 {
				if gap > wordGap*size {
					l.text += " "
				}
				l.text += s.text
				l.x1 = max(l.x1, s.x1)
				l.size = max(l.size, s.size)
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// Columns: at least columnLines spans on each side of the gutter, on average
// columnWidth font sizes wide (cells of tables are narrower).
const (
	columnLines = 5
	columnWidth = 9.0
)

// inColumns orders spans for reading.
func inColumns(in []span, depth int) []span {
	gutter, ok := findGutter(in)
	if !ok || depth > 4 {
		return in
	}
	var out, left, right []span
	flush := func() {
		out = append(out, inColumns(left, depth+1)...)
		out = append(out, inColumns(right, depth+1)...)
		left, right = nil, nil
	}
	for _, s := range in {
		switch {
		case s.x1 <= gutter+0.3*s.size:
			left = append(left, s)
		case s.x0 >= gutter-0.3*s.size:
			right = append(right, s)
		default:
			flush()
			out = append(out, s)
		}
	}
	flush()
	return out
}

// findGutter looks for the position that the fewest spans cross and that
// parts wide text on both sides.
func findGutter(in []span) (float64, bool) {
	if len(in) < 2*columnLines {
		return 0, false
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range in {
		lo, hi = min(lo, s.x0), max(hi, s.x1)
	}
	const steps = 120
	best, first, last := 0.0, -1, -1
	for i := 1; i < steps; i++ {
		score := gutterScore(in, lo+(hi-lo)*float64(i)/steps)
		if score > best {
			best, first, last = score, i, i
		} else if score == best && best > 0 && last == i-1 {
			last = i
		}
	}
	if first < 0 {
		return 0, false
	}
	return lo + (hi-lo)*float64(first+last)/2/steps, true
}

func gutterScore(in []span, x float64) float64 {
	var left, right, crossing int
	var leftWidth, rightWidth float64
	for _, s := range in {
		width := (s.x1 - s.x0) / s.size
		switch {
		case s.x1 <= x+0.3*s.size:
			left++
			leftWidth += width
		case s.x0 >= x-0.3*s.size:
			right++
			rightWidth += width
		default:
			crossing++
		}
	}
	if min(left, right) < columnLines || leftWidth < columnWidth*float64(left) || rightWidth < columnWidth*float64(right) {
		return 0
	}
	return float64(min(left, right)) - 2*float64(crossing)
}

// linesOf joins neighbours on one baseline.
func linesOf(in []span) []pdfLine {
	var out []pdfLine
	var x1 float64
	for _, s := range in {
		if n := len(out); n > 0 {
			l := &out[n-1]
			if math.Abs(s.y-l.y) < 0.45*max(s.size, l.size) && s.x0 > x1-0.3*s.size {
				l.text += " " + s.text
				l.size = max(l.size, s.size)
				x1 = s.x1
				continue
			}
		}
		out = append(out, pdfLine{text: s.text, y: s.y, size: s.size})
		x1 = s.x1
	}
	return out
}

// writeLines writes a page. A blank line goes where the next line is not just
// below: further away than usual, back up in another column, or of another
// size.
func writeLines(b *strings.Builder, lines []pdfLine) {
	usual := usualLeading(lines)
	for i, l := range lines {
		if i > 0 {
			prev := lines[i-1]
			down := prev.y - l.y
			size := max(l.size, prev.size)
			b.WriteByte('\n')
			column := down < 0 && continuesSentence(prev.text, l.text)
			if !column && (down < 0 || down > max(1.35*usual, 1.1*size) || math.Abs(l.size-prev.size) > 0.2*size) {
				b.WriteByte('\n')
			}
		}
		b.WriteString(l.text)
	}
	b.WriteString("\n\n")
}

// usualLeading is the median distance of successive lines.
func usualLeading(lines []pdfLine) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		if d := lines[i-1].y - lines[i].y; d > 1 && d < 3*lines[i].size {
			gaps = append(gaps, d)
		}
	}
	if len(gaps) == 0 {
		return 14
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// continuesSentence: next goes on where prev stopped, as at the foot of a
// column.
func continuesSentence(prev, next string) bool {
	p, _ := utf8.DecodeLastRuneInString(prev)
	n, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLower(n) && (unicode.IsLetter(p) || p == ',' || p == '-')
}
