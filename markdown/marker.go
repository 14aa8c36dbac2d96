// Citation markers: [1], [1, 2], [1-3], 【1】, [^note], [1](url).

package markdown

import (
	"slices"
	"strconv"
	"strings"
)

// Marker is a place where a report points at its sources.
type Marker struct {
	Start, End int
	// Numbers are the numbers pointed at, ranges written out, in the order
	// written. A footnote with a numeric label has its number here too.
	Numbers []int
	Label   string // of a footnote, [^Label]
	URL     string // of a marker that is a link, [1](URL)
}

// Limits on what is taken for a marker. A number of four digits is a year, and
// a range wider than maxRange is something else (pages, years of life).
const (
	maxDigits = 3
	maxRange  = 50 // unless the source list is that long
	maxLabel  = 200
)

// Markers returns the citation markers of a Markdown source in order: numbers in
// square or full-width brackets, one or several, with or without a link, and
// footnote references. Code, link texts, check boxes and the source list itself
// have none.
func Markers(src string) []Marker {
	d := Parse(src)
	entries, _, _ := SourceList(d)
	return d.Markers(entries)
}

// Markers is the function of the same name for a parsed source, given the
// entries of its source list.
func (d Doc) Markers(entries []Entry) []Marker {
	listed := map[int]bool{}
	for _, e := range entries {
		listed[e.Number] = true
	}
	found := d.scanMarkers(entries)
	// Some systems cite source-sentence pairs, [41-23]. One that falls can be no
	// range, and then none of the report's is.
	falling := slices.ContainsFunc(found, func(m pairedMarker) bool { return m.falling })
	var out []Marker
	next := 0
	for _, m := range found {
		for next < len(entries) && entries[next].End <= m.Start {
			next++
		}
		if next < len(entries) && m.Start >= entries[next].Start {
			continue
		}
		if m.wide > 0 && !listed[m.wide] {
			continue
		}
		if falling {
			m.Numbers = m.firsts
		}
		out = append(out, m.Marker)
	}
	if out = spanned(d.Source, out); cited(out) {
		return out
	}
	return d.otherStyles(entries, out)
}

// scanMarkers returns what is written as a marker, wherever it stands outside
// code. Names are taken from the entries.
func (d Doc) scanMarkers(entries []Entry) []pairedMarker {
	names := map[string]bool{}
	for _, e := range entries {
		if e.Label != "" {
			names[strings.ToLower(e.Label)] = true
		}
	}
	var found []pairedMarker
	for _, b := range d.Blocks {
		if b.Kind == Code || b.Kind == Rule {
			continue
		}
		s := markerScanner{src: d.Source, at: b.Start, end: b.End, names: names}
		found = append(found, s.scan()...)
	}
	return found
}

// pairedMarker is a marker that keeps both readings of "4-9" until the whole
// report was seen: Numbers has the range, firsts the number before the hyphen.
type pairedMarker struct {
	Marker
	firsts  []int
	falling bool
	wide    int // the last number of a range that only a list as long makes one
}

type markerScanner struct {
	src     string
	at, end int
	found   []pairedMarker
	names   map[string]bool // labels of the list, in lower case
}

func (s *markerScanner) scan() []pairedMarker {
	for s.at < s.end {
		switch s.src[s.at] {
		case '\\':
			s.escaped()
		case '`':
			s.at = codeSpanEnd(s.src, s.at, s.end)
		case '<':
			s.at = inlineTagEnd(s.src, s.at, s.end)
		case '!':
			s.at++
			if s.at < s.end && s.src[s.at] == '[' {
				s.image()
			}
		case '[':
			s.bracket()
		case '\xe3', '\xef':
			s.fullWidth()
		case '\xee', 'c':
			s.chat()
		default:
			s.at++
		}
	}
	return s.found
}

// escaped takes \[1\], which converters from HTML write for a literal [1].
func (s *markerScanner) escaped() {
	rest := s.src[s.at:s.end]
	if strings.HasPrefix(rest, `\[`) {
		if j := strings.Index(rest[:min(len(rest), maxLabel)], `\]`); j > 0 {
			if m, ok := parseMarker(rest[2:j]); ok {
				s.add(m, s.at, s.at+j+2, "")
				return
			}
		}
	}
	s.at = min(s.at+2, s.end)
}

func (s *markerScanner) image() {
	j := bracketEnd(s.src, s.at, s.end)
	if j < 0 {
		return
	}
	if _, end, ok := linkTarget(s.src, j, s.end); ok {
		s.at = end
	}
}

func (s *markerScanner) bracket() {
	start := s.at
	j := bracketEnd(s.src, start, s.end)
	if j < 0 {
		s.at++
		return
	}
	inner := s.src[start+1 : j-1]
	url, end, linked := linkTarget(s.src, j, s.end)
	if linked { // [[1]](url) and [\[1\]](url)
		inner = strings.NewReplacer("[", "", "]", "", `\`, "").Replace(inner)
	}
	m, ok := parseMarker(inner)
	switch {
	case ok && linked:
		s.add(m, start, end, url)
	case linked:
		s.at = end
	case ok && s.codeParameters(m, start, j):
		s.at = j
	case ok && j < s.end && s.src[j] == ':' && strings.TrimLeft(s.src[lineStart(s.src, start):start], " >") == "":
		s.at = j // a definition
	case ok:
		s.add(m, start, j, "")
	case strings.HasPrefix(inner, "oaicite:"):
		s.contentReference(inner, start, j)
	default:
		s.named(inner, start, j)
	}
}

// codeParameters reports whether [[48,4,7]] are the parameters of a code, which
// fall, and no sources.
func (s *markerScanner) codeParameters(m pairedMarker, start, end int) bool {
	return start > 0 && s.src[start-1] == '[' && end < s.end && s.src[end] == ']' && len(m.Numbers) > 2 && !slices.IsSorted(m.Numbers)
}

// named takes [S1] and [S1, S2], by names that the source list has. Each name is
// a marker of its own; together they cover the brackets.
func (s *markerScanner) named(inner string, start, end int) {
	parts := strings.FieldsFunc(inner, isListSeparator)
	for _, p := range parts {
		if !s.names[strings.ToLower(strings.TrimSpace(p))] {
			s.at = start + 1
			return
		}
	}
	at := start
	for i, p := range parts {
		to := start + 1 + strings.Index(s.src[start+1:end], p) + len(p)
		if to < at {
			to = at + len(p)
		}
		if i == len(parts)-1 {
			to = end
		}
		s.add(pairedMarker{Marker: Marker{Label: strings.TrimSpace(p)}}, at, to, "")
		at = to
	}
	if len(parts) == 0 {
		s.at = start + 1
	}
}

// fullWidth takes 【1】, 【1†source】 and ［1］.
func (s *markerScanner) fullWidth() {
	rest := s.src[s.at:s.end]
	for _, pair := range [][2]string{{"【", "】"}, {"［", "］"}} {
		if !strings.HasPrefix(rest, pair[0]) {
			continue
		}
		j := strings.Index(rest[:min(len(rest), maxLabel)], pair[1])
		if j < 0 {
			break
		}
		inner, _, _ := strings.Cut(rest[len(pair[0]):j], "†")
		inner, _, _ = strings.Cut(inner, ":")
		if m, ok := parseMarker(inner); ok {
			end := s.at + j + len(pair[1])
			url, to, linked := linkTarget(s.src, end, s.end)
			if linked {
				end = to
			}
			s.add(m, s.at, end, url)
			return
		}
	}
	s.at++
}

func (s *markerScanner) add(m pairedMarker, start, end int, url string) {
	m.Start, m.End, m.URL = start, end, url
	s.found = append(s.found, m)
	s.at = end
}

// parseMarker reads what stands between the brackets of a marker.
func parseMarker(inner string) (pairedMarker, bool) {
	var m pairedMarker
	inner = strings.TrimSpace(inner)
	if label, ok := strings.CutPrefix(inner, "^"); ok {
		if label == "" || len(label) > maxLabel || strings.ContainsAny(label, " \t\n[]^") {
			return m, false
		}
		m.Label = label
		if n, ok := markerNumber(label); ok {
			m.Numbers = []int{n}
		}
		m.firsts = m.Numbers
		return m, true
	}
	if rest, ok := strings.CutPrefix(inner, "oai_citation:"); ok { // "oai_citation:1‡example.org"
		inner, _, _ = strings.Cut(rest, "‡")
		inner, _, _ = strings.Cut(inner, "†")
	}
	for _, word := range []string{"sources", "source", "refs", "ref.", "ref", "来源", "文献", "资料", "参考", "注"} {
		if len(inner) > len(word) && strings.EqualFold(inner[:len(word)], word) {
			inner = strings.TrimLeft(inner[len(word):], " :：#")
			break
		}
	}
	if inner == "" || len(inner) > maxLabel {
		return m, false
	}
	for _, part := range strings.FieldsFunc(inner, isListSeparator) {
		if !m.addPart(strings.TrimSpace(part)) {
			return m, false
		}
	}
	// [0, 1] is an interval; a lone [0] is a marker that resolves to nothing.
	if len(m.Numbers) == 0 || len(m.Numbers) > 1 && m.Numbers[0] == 0 {
		return m, false
	}
	return m, true
}

func isListSeparator(r rune) bool { return strings.ContainsRune(",，、;；", r) }

// addPart adds "3", "3-5" or, after a number, a place in it such as "p. 12".
func (m *pairedMarker) addPart(part string) bool {
	if n, ok := markerNumber(part); ok {
		m.Numbers, m.firsts = appendNew(m.Numbers, n), appendNew(m.firsts, n)
		return true
	}
	for _, dash := range []string{"-", "–", "—", "‑", "−", "~", "～", "至"} {
		from, to, ok := strings.Cut(part, dash)
		if !ok {
			continue
		}
		a, okA := markerNumber(strings.TrimSpace(from))
		b, okB := markerNumber(strings.TrimSpace(to))
		if !okA || !okB {
			return false
		}
		m.firsts = appendNew(m.firsts, a)
		if b < a {
			m.falling = true
			m.Numbers = appendNew(m.Numbers, a)
			return true
		}
		if b-a > maxRange {
			m.wide = max(m.wide, b)
		}
		for n := a; n <= b; n++ {
			m.Numbers = appendNew(m.Numbers, n)
		}
		return true
	}
	lower := strings.ToLower(part)
	return len(m.Numbers) > 0 && (strings.HasPrefix(lower, "p.") || strings.HasPrefix(lower, "pp.") || strings.HasPrefix(lower, "§"))
}

func appendNew(s []int, n int) []int {
	if slices.Contains(s, n) {
		return s
	}
	return append(s, n)
}

func markerNumber(s string) (int, bool) {
	if s == "" || len(s) > maxDigits || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
