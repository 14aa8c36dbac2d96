// The source list at the end of a report, in the shapes that reports use.

package markdown

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/link"
)

// Entry is one source of a source list.
type Entry struct {
	// Number is the entry's number, its place in a list without numbers, or 0 for
	// a definition with a label that is no number.
	Number int
	Label  string // of a footnote or reference definition
	Text   string // one line of plain text, without label and address
	URL    string
	// Start and End bound the whole entry in the source, label included.
	Start, End, Line int
}

// SourceList returns the entries of a report's source list in document order and
// the section they stand in. The list is found by its heading (Sources,
// References, 参考文献, Quellen …), which may also be a line of bold text or one
// that ends in a colon; without one by a run of "[n] … address" lines at the
// end. Footnote and reference definitions anywhere belong to it.
func SourceList(d Doc) (entries []Entry, section int, ok bool) {
	lines := d.listLines()
	best := bestList(d, lines)
	defs := definitions(lines, best.entries)
	all := append(best.entries, defs...)
	if len(all) == 0 {
		return nil, 0, false
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(a.Start, b.Start) })
	section = best.section
	if len(best.entries) == 0 {
		section = d.sectionIndex(defs[0].Start)
	}
	return all, section, true
}

// listLine is a line of the source that is not code.
type listLine struct {
	start, end int // without the line break
	number     int
	section    int
	heading    bool
	text       string // trimmed
}

// listLines returns the lines of d outside code blocks and front matter.
func (d Doc) listLines() []listLine {
	var out []listLine
	number, block := 0, 0
	for at := 0; at < len(d.Source); {
		next := nextLine(d.Source, at)
		number++
		start, end := trimSpace(d.Source, at, next)
		for block < len(d.Blocks) && d.Blocks[block].End < end {
			block++
		}
		l := listLine{start: start, end: end, number: number, section: d.sectionIndex(at), text: d.Source[start:end]}
		inCode := false
		if block < len(d.Blocks) {
			b := d.Blocks[block]
			inCode = b.Kind == Code && b.Start <= start
		}
		s := d.Sections[l.section]
		l.heading = s.Level > 0 && at >= s.Start && at < s.BodyStart
		if !inCode {
			out = append(out, l)
		}
		at = next
	}
	return out
}

type sourceList struct {
	entries []Entry
	section int
}

// bestList returns the longest list under a heading that names one; of equals
// the last.
func bestList(d Doc, lines []listLine) sourceList {
	var best sourceList
	for i, l := range lines {
		exact, loose := namesSources(d, l)
		if !exact && !loose {
			continue
		}
		list := sourceList{entries: readList(d, lines[i+1:], l), section: l.section}
		if loose && !exact && !citable(list.entries) {
			continue
		}
		if len(list.entries) > 0 && len(list.entries) >= len(best.entries) {
			best = list
		}
	}
	if len(best.entries) > 0 {
		return best
	}
	return trailingList(d, lines)
}

// citable reports whether most entries have an address.
func citable(entries []Entry) bool {
	n := 0
	for _, e := range entries {
		if e.URL != "" {
			n++
		}
	}
	return n > 0 && 2*n >= len(entries)
}

// maxPreface is how many lines may stand between a heading and its list.
const maxPreface = 20

// readList reads the entries that follow the heading head.
func readList(d Doc, lines []listLine, head listLine) []Entry {
	r := listReader{d: d}
	level := d.Sections[head.section].Level
	blank, before := false, 0
	for _, l := range lines {
		if l.heading {
			// Sub-headings ("Papers", "News") divide the list, others end it.
			if l.section == head.section || head.heading && d.Sections[l.section].Level > level {
				r.close()
				continue
			}
			break
		}
		if l.text == "" {
			blank = true
			continue
		}
		if before++; !r.line(l, blank) || before > maxPreface && !r.open && !r.started() {
			break
		}
		blank = false
	}
	r.close()
	return r.finish()
}

// trailingList finds a list without a heading: the last lines of the report that
// begin with [n], each with an address.
func trailingList(d Doc, lines []listLine) sourceList {
	first, seen := -1, 0
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		if l.text == "" {
			continue
		}
		label, ok := entryLabel(l.text)
		if !ok || label.kind != bracketLabel || firstURL(l.text) == "" {
			break
		}
		first = i
		seen++
	}
	if seen < 2 {
		return sourceList{}
	}
	r := listReader{d: d}
	for _, l := range lines[first:] {
		if l.text != "" {
			r.line(l, false)
		}
	}
	r.close()
	return sourceList{entries: r.finish(), section: lines[first].section}
}

// definitions returns the footnote and reference definitions outside the list.
func definitions(lines []listLine, list []Entry) []Entry {
	var out []Entry
	for _, l := range lines {
		for len(list) > 0 && list[0].End <= l.start {
			list = list[1:]
		}
		inside := len(list) > 0 && l.start >= list[0].Start
		label, ok := entryLabel(l.text)
		if inside || l.heading || !ok || label.kind != definitionLabel {
			continue
		}
		body := l.text[label.length:]
		if !strings.HasPrefix(l.text, "[^") && firstURL(body) == "" {
			continue
		}
		e := makeEntry(body, label)
		e.Start, e.End, e.Line = l.start, l.end, l.number
		out = append(out, e)
	}
	return out
}

// firstURL returns the address of an entry, "" without one.
func firstURL(s string) string {
	u, _ := entryURL(s)
	return u
}

// entryURL returns the address of an entry, a link's target, else a document's,
// else the first in its text, and the entry without it.
func entryURL(s string) (url, rest string) {
	for i := 0; i < len(s); i++ {
		if s[i] != '[' {
			continue
		}
		if j := bracketEnd(s, i, len(s)); j > 0 {
			if u, after, ok := linkTarget(s, j, len(s)); ok && u != "" && u[0] != '#' {
				return u, s[:i] + s[i+1:j-1] + s[after:]
			}
		}
	}
	url, start, end := docURL(s)
	if url == "" {
		found := link.Find(s)
		if len(found) == 0 {
			return "", s
		}
		url, start, end = found[0].URL, found[0].Start, found[0].End
	}
	start, end = widen(s, start, end)
	return url, s[:start] + " " + s[end:]
}

// widen takes the brackets around an address with it.
func widen(s string, start, end int) (int, int) {
	for _, pair := range [][2]string{{"<", ">"}, {"(", ")"}, {"[", "]"}, {"（", "）"}} {
		if strings.HasSuffix(s[:start], pair[0]) && strings.HasPrefix(s[end:], pair[1]) {
			return start - len(pair[0]), end + len(pair[1])
		}
	}
	return start, end
}

var (
	docInAngles = regexp.MustCompile(`<(doc:[^<>\n]+)>`)
	docBare     = regexp.MustCompile(`(?:^|[\s(（:：])(doc:\S(?:[^<>\n()]*?\.(?i:md|markdown|txt|html?|pdf|docx|csv)\b|\S*))`)
)

func docURL(s string) (url string, start, end int) {
	if m := docInAngles.FindStringSubmatchIndex(s); m != nil {
		return s[m[2]:m[3]], m[0], m[1]
	}
	if m := docBare.FindStringSubmatchIndex(s); m != nil {
		return s[m[2]:m[3]], m[2], m[3]
	}
	return "", 0, 0
}
