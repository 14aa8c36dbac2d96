// Source lists without a line for each entry, or without labels.

package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// entryPart is one entry of several that share lines.
type entryPart struct {
	label      label
	body       string
	start, end int // in the text that was split
}

var labelWithin = regexp.MustCompile(`[\s;；。]\[([0-9]{1,3})\]\s*`)

// splitEntries takes "One, https://…; [2] Two, https://…" apart. Only labels that
// count on from the first, each with an address behind it, begin an entry.
func splitEntries(body string, l label) []entryPart {
	out := []entryPart{{label: l, start: 0, end: len(body)}}
	if l.kind == bracketLabel {
		for _, m := range labelWithin.FindAllStringSubmatchIndex(body, -1) {
			last := &out[len(out)-1]
			n, ok := markerNumber(body[m[2]:m[3]])
			if !ok || n != last.label.number+1 || firstURL(body[last.start:m[0]]) == "" || firstURL(body[m[1]:]) == "" {
				continue
			}
			last.end = m[0] + 1
			out = append(out, entryPart{label: label{kind: l.kind, number: n}, start: m[2] - 1, end: len(body)})
		}
	}
	for i := range out {
		p := &out[i]
		p.body = body[p.start:p.end]
		if i > 0 {
			p.body = strings.TrimSpace(p.body[strings.IndexByte(p.body, ']')+1:])
		}
		p.body = strings.TrimRight(p.body, " ;；\n\r\t")
		_, p.end = trimSpace(body, p.start, p.end)
	}
	return out
}

// inlineTitle is the name of a list with entries on the same line.
var inlineTitle = regexp.MustCompile(`^(?:\*\*|__|\*|_)?([\p{L} ]{2,40}?)(?:\*\*|__|\*|_)?\s*[:：](?:\*\*|__|\*|_)?\s*\\?[\[【]`)

// inlineList reads "Sources: [1] One, https://…; [2] Two, https://…".
func inlineList(l listLine) []Entry {
	m := inlineTitle.FindStringSubmatchIndex(l.text)
	if m == nil || !onlyTitles(strings.ToLower(l.text[m[2]:m[3]])) {
		return nil
	}
	from := m[1] - 1
	if strings.HasSuffix(l.text[:m[1]], "【") {
		from = m[1] - len("【")
	}
	lab, ok := entryLabel(l.text[from:])
	if !ok || lab.kind != bracketLabel {
		return nil
	}
	var out []Entry
	body := l.text[from+lab.length:]
	for i, p := range splitEntries(body, lab) {
		e := makeEntry(p.body, p.label)
		if e.URL == "" {
			return nil
		}
		e.Start, e.End, e.Line = l.start+from+lab.length+p.start, l.start+from+lab.length+p.end, l.number
		if i == 0 {
			e.Start = l.start
		}
		out = append(out, e)
	}
	return out
}

var (
	entryYear  = regexp.MustCompile(`\b(?:1[5-9]|20)[0-9]{2}[a-z]?\b|\bn\.d\.|(?:1[5-9]|20)[0-9]{2}年`)
	addressRow = regexp.MustCompile(`^[<(\[（]?(?:https?://|www\.|doi:|DOI:|doc:)`)
)

// plainList reads a list without labels: each line that has an address, or a
// year as references do, is an entry; a line that is only an address belongs to
// the line above it.
func plainList(d Doc, lines []listLine, head listLine) []Entry {
	var out []Entry
	for i, l := range lines {
		if l.heading && !d.divides(l, head) {
			break
		}
		if l.text == "" || l.heading || strings.Trim(l.text, "-*_ ") == "" {
			continue
		}
		url := firstURL(l.text)
		switch {
		case len(out) > 0 && addressRow.MatchString(l.text) && out[len(out)-1].URL == "":
			e := &out[len(out)-1]
			e.URL, e.End = url, l.end
		case url != "" || beginsReference(l.text) || addressFollows(lines[i+1:]):
			e := makeEntry(l.text, label{number: len(out) + 1})
			e.Start, e.End, e.Line = l.start, l.end, l.number
			out = append(out, e)
		default:
			return references(out)
		}
	}
	return references(out)
}

// addressFollows reports whether the next line with text is only an address.
func addressFollows(lines []listLine) bool {
	for _, l := range lines {
		if l.text != "" {
			return addressRow.MatchString(l.text)
		}
	}
	return false
}

// beginsReference reports whether a line looks like a printed reference: it
// begins with a name and has a year in it.
func beginsReference(line string) bool {
	const maxReference = 600 // bytes
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, "*_“\"《「"))
	return len(line) < maxReference && (unicode.IsUpper(r) || isCJK(r)) && entryYear.MatchString(line)
}

// references keeps a list of plain lines if most have an address, or there are
// several: a lone sentence with a year in it is prose.
func references(entries []Entry) []Entry {
	if citable(entries) || len(entries) > 1 {
		return entries
	}
	return nil
}
