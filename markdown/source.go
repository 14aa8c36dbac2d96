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
	best, _ := bestList(d, lines)
	defs := definitions(d, lines, best.Entries)
	all := append(best.Entries, defs...)
	if len(all) == 0 {
		return nil, 0, false
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(a.Start, b.Start) })
	section = best.Section
	if len(best.Entries) == 0 {
		section = d.sectionIndex(defs[0].Start)
	}
	return all, section, true
}

// List is one source list of a report.
type List struct {
	// Start is where the line begins that names the list, End where its last
	// entry ends.
	Start, End int
	Entries    []Entry
	Section    int
	Placed     bool // the entries have no numbers of their own, Number is their place
}

// SourceLists returns every source list of a report in order, for those that
// have one under each chapter: the one of SourceList and those others whose
// entries have addresses. Definitions are in none of them.
func SourceLists(d Doc) []List {
	best, others := bestList(d, d.listLines())
	if len(best.Entries) == 0 {
		return nil
	}
	out := []List{best}
	for _, l := range others {
		apart := !slices.ContainsFunc(out, func(o List) bool { return l.Start < o.End && o.Start < l.End })
		if apart && citable(l.Entries) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b List) int { return cmp.Compare(a.Start, b.Start) })
	return out
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

// bestList returns the longest list under a heading that names one; of equals
// the last. The others are what else stands under such headings.
func bestList(d Doc, lines []listLine) (best List, others []List) {
	var all []List
	at := -1
	for i, l := range lines {
		list, ok := listAt(d, lines, i)
		if !ok {
			continue
		}
		list.Start, list.Section = l.start, l.section
		list.End = list.Entries[len(list.Entries)-1].End
		all = append(all, list)
		if at < 0 || len(list.Entries) >= len(all[at].Entries) {
			at = len(all) - 1
		}
	}
	if at < 0 {
		return trailingList(d, lines), nil
	}
	return all[at], slices.Delete(slices.Clone(all), at, at+1)
}

// listAt reads the list that line i names, if it does.
func listAt(d Doc, lines []listLine, i int) (List, bool) {
	l := lines[i]
	if entries := inlineList(l); len(entries) > 0 {
		return List{Entries: entries}, true
	}
	exact, loose := namesSources(d, l)
	if !exact && !loose {
		return List{}, false
	}
	entries, placed := readList(d, lines[i+1:], l)
	if len(entries) == 0 && exact {
		entries, placed = plainList(d, lines[i+1:], l), true
	}
	if loose && !exact && !citable(entries) {
		return List{}, false
	}
	return List{Entries: entries, Placed: placed}, len(entries) > 0
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
func readList(d Doc, lines []listLine, head listLine) (entries []Entry, placed bool) {
	r := listReader{d: d}
	blank, before := false, 0
	for _, l := range lines {
		if l.heading {
			if d.divides(l, head) {
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

// divides reports whether a heading stands within the list of head: sub-headings
// ("Papers", "News") divide a list, others end it.
func (d Doc) divides(l, head listLine) bool {
	return l.section == head.section || head.heading && d.Sections[l.section].Level > d.Sections[head.section].Level
}

// trailingList finds a list without a heading: the last lines of the report,
// each with an address, that begin with [n], or with the numbers from 1 on.
func trailingList(d Doc, lines []listLine) List {
	first, seen, number := -1, 0, 0
	var kind labelKind
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		if l.text == "" {
			continue
		}
		label, ok := entryLabel(l.text)
		if !ok || label.kind != bracketLabel && label.kind != numberLabel || firstURL(l.text) == "" || seen > 0 && label.kind != kind {
			break
		}
		if label.kind == numberLabel && seen > 0 && label.number != number-1 {
			break
		}
		first, kind, number = i, label.kind, label.number
		seen++
	}
	if seen < 2 || kind == numberLabel && (number != 1 || !d.cites(lines[first].start, seen)) {
		return List{}
	}
	r := listReader{d: d}
	for _, l := range lines[first:] {
		if l.text != "" {
			r.line(l, false)
		}
	}
	r.close()
	entries, _ := r.finish()
	return List{Entries: entries, Section: lines[first].section, Start: lines[first].start, End: entries[len(entries)-1].End}
}

// cites reports whether the text before an offset has a marker of 1 to n.
func (d Doc) cites(before, n int) bool {
	for _, m := range d.scanMarkers(nil) {
		if m.Start < before && m.URL == "" && slices.ContainsFunc(m.Numbers, func(k int) bool { return k >= 1 && k <= n }) {
			return true
		}
	}
	return false
}

// definitions returns the footnote and reference definitions outside the list.
// Indented lines after a footnote's first belong to it.
func definitions(d Doc, lines []listLine, list []Entry) []Entry {
	var out []Entry
	for i, l := range lines {
		for len(list) > 0 && list[0].End <= l.start {
			list = list[1:]
		}
		inside := len(list) > 0 && l.start >= list[0].Start
		label, ok := entryLabel(l.text)
		if inside || l.heading || !ok || label.kind != definitionLabel {
			continue
		}
		footnote := strings.HasPrefix(l.text, "[^")
		end := l.end
		for _, next := range lines[i+1:] {
			if !footnote || next.text == "" || next.start-lineStart(d.Source, next.start) < 2 {
				break
			}
			end = next.end
		}
		body := d.Source[l.start+label.length : end]
		if !footnote && firstURL(body) == "" {
			continue
		}
		e := makeEntry(body, label)
		e.Start, e.End, e.Line = l.start, end, l.number
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
				shown := s[i+1 : j-1]
				if f := link.Find(shown); len(f) == 1 && f[0].Start == 0 && f[0].End == len(shown) {
					shown = "" // the address again
				}
				return u, s[:i] + shown + s[after:]
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
