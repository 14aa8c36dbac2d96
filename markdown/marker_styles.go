// Markers in styles that are told from other text only by the report they stand
// in: superscripts, numbers in round brackets or glued to a full stop, and the
// raw markers of chat systems.

package markdown

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cited reports whether a number or name was found: a report has one style.
func cited(ms []Marker) bool {
	return slices.ContainsFunc(ms, func(m Marker) bool { return len(m.Numbers) > 0 })
}

// spanned joins [1]–[3] to one marker of 1, 2 and 3.
func spanned(src string, ms []Marker) []Marker {
	out := ms[:0]
	for _, m := range ms {
		if n := len(out); n > 0 && single(out[n-1]) && single(m) {
			a, b := out[n-1].Numbers[0], m.Numbers[0]
			switch src[out[n-1].End:m.Start] {
			case "-", "–", "—", " - ", " – ", "~", "～", "至":
				if a < b && b-a <= maxRange {
					last := &out[n-1]
					for k := a + 1; k <= b; k++ {
						last.Numbers = append(last.Numbers, k)
					}
					last.End = m.End
					continue
				}
			}
		}
		out = append(out, m)
	}
	return out
}

func single(m Marker) bool { return len(m.Numbers) == 1 && m.Label == "" && m.URL == "" }

var (
	supTag      = regexp.MustCompile(`(?i)<sup>\s*([0-9]{1,3}(?:\s*[,;–-]\s*[0-9]{1,3})*)\s*</sup>`)
	superscript = regexp.MustCompile(`[⁰¹²³⁴-⁹]{1,3}(?:[,˒ʼ'’⁻–]\s?[⁰¹²³⁴-⁹]{1,3})*`)
	round       = regexp.MustCompile(`[(（]([0-9]{1,3}(?:\s*[,，、;–-]\s*[0-9]{1,3})*)[)）]`)
	glued       = regexp.MustCompile(`[\p{L}%)）”"’」][.。!?]["”’]?([0-9]{1,3}(?:,\s?[0-9]{1,3})*)(?:\s|$)`)
)

// otherStyles looks for numbers of the list in a report without [n]: each style
// in turn, until one gives something.
func (d Doc) otherStyles(entries []Entry, out []Marker) []Marker {
	listed := map[int]bool{}
	for _, e := range entries {
		if e.Number > 0 {
			listed[e.Number] = true
		}
	}
	if len(listed) == 0 {
		return out
	}
	styles := []func(src string) []Marker{superscripts, roundBrackets, gluedNumbers}
	if e := entries[0]; !strings.HasPrefix(d.Source[e.Start:], "(") && !strings.HasPrefix(d.Source[e.Start:], "（") {
		styles = []func(src string) []Marker{superscripts, gluedNumbers}
	}
	for _, style := range styles {
		var found []Marker
		for _, b := range d.Blocks {
			if b.Kind == Code || b.Kind == Rule || b.Kind == Heading {
				continue
			}
			for _, m := range style(d.Source[b.Start:b.End]) {
				m.Start, m.End = m.Start+b.Start, m.End+b.Start
				in := slices.ContainsFunc(entries, func(e Entry) bool { return e.Start <= m.Start && m.Start < e.End })
				unlisted := slices.ContainsFunc(m.Numbers, func(n int) bool { return !listed[n] })
				if !in && !unlisted && len(m.Numbers) > 0 {
					found = append(found, m)
				}
			}
		}
		if len(found) > 0 {
			out = append(out, found...)
			slices.SortStableFunc(out, func(a, b Marker) int { return cmp.Compare(a.Start, b.Start) })
			return out
		}
	}
	return out
}

// superscripts finds <sup>1</sup> and ¹ behind a word or a sign. What stands
// behind a number or a unit (m², km²) is a power.
func superscripts(src string) []Marker {
	var out []Marker
	for _, m := range supTag.FindAllStringSubmatchIndex(src, -1) {
		if endsWord(src[:m[0]]) {
			out = append(out, Marker{Start: m[0], End: m[1], Numbers: numbersOf(src[m[2]:m[3]])})
		}
	}
	for _, m := range superscript.FindAllStringIndex(src, -1) {
		if endsWord(src[:m[0]]) {
			out = append(out, Marker{Start: m[0], End: m[1], Numbers: numbersOf(plainDigits.Replace(src[m[0]:m[1]]))})
		}
	}
	slices.SortFunc(out, func(a, b Marker) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// minWord is the length of what is a word rather than a unit.
const minWord = 3

func endsWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	if isCJK(r) || strings.ContainsRune(".,;:!?)]\"”’»%", r) {
		return true
	}
	n := 0
	for n < minWord {
		r, size := utf8.DecodeLastRuneInString(before)
		if !unicode.IsLetter(r) {
			return false
		}
		before = before[:len(before)-size]
		n++
	}
	return true
}

// roundBrackets finds (1) before a sign or the end of a line: "(1) first, (2)
// second" counts what follows it.
func roundBrackets(src string) []Marker {
	var out []Marker
	for _, m := range round.FindAllStringSubmatchIndex(src, -1) {
		next, _ := utf8.DecodeRuneInString(src[m[1]:])
		if m[0] > 0 && (m[1] == len(src) || strings.ContainsRune(".,;:!?\n。，；：！？", next)) {
			out = append(out, Marker{Start: m[0], End: m[1], Numbers: numbersOf(src[m[2]:m[3]])})
		}
	}
	return out
}

// gluedNumbers finds what is left of superscripts in copied text: "It rose.1 It
// fell."
func gluedNumbers(src string) []Marker {
	var out []Marker
	for _, m := range glued.FindAllStringSubmatchIndex(src, -1) {
		out = append(out, Marker{Start: m[2], End: m[3], Numbers: numbersOf(src[m[2]:m[3]])})
	}
	return out
}

func numbersOf(s string) []int {
	m, ok := parseMarker(strings.NewReplacer("˒", ",", "ʼ", ",", "'", ",", "’", ",", "⁻", "-").Replace(s))
	if !ok || m.wide > 0 || m.falling {
		return nil
	}
	return m.Numbers
}

var (
	// What chat systems write before they resolve it, with and without the
	// private-use characters around it.
	chatMarker = regexp.MustCompile(`^(?:\x{E200}[^\x{E201}\n]{1,200}\x{E201}|cite(?:turn[0-9]+[a-z]+[0-9]+)+)`)
	chatIndex  = regexp.MustCompile(`^\{index=[0-9]+\}`)
)

// chat takes the markers of chat systems, which name nothing outside the chat.
func (s *markerScanner) chat() {
	rest := s.src[s.at:s.end]
	if strings.HasPrefix(rest, "\ue200") || strings.HasPrefix(rest, "citeturn") {
		if m := chatMarker.FindString(rest); m != "" {
			label := strings.Trim(strings.NewReplacer("\ue200", "", "\ue201", "", "\ue202", " ").Replace(m), " ")
			s.add(pairedMarker{Marker: Marker{Label: label}}, s.at, s.at+len(m), "")
			return
		}
	}
	s.at++
}

// contentReference takes :contentReference[oaicite:0]{index=0}.
func (s *markerScanner) contentReference(inner string, start, end int) {
	const before = ":contentReference"
	if strings.HasSuffix(s.src[:start], before) {
		start -= len(before)
	}
	end += len(chatIndex.FindString(s.src[end:s.end]))
	s.add(pairedMarker{Marker: Marker{Label: inner}}, start, end, "")
}
