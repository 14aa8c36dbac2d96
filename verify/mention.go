// Mentions: where a draft cites, in whatever form, and what each mention names.

package verify

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/markdown"
)

// Mentions finds every citation of a draft: [1] markers resolved through its
// source list, footnotes, Markdown links, bare URLs, DOIs, arXiv ids and doc:
// URLs, in order. A marker of several numbers gives one mention for each. A
// marker that names nothing the draft lists, or a source without an address, has
// URL "". URLs are in the form of link.Normalize. The source list, code and
// images have no mentions.
func Mentions(draft string) []plumb.Mention {
	r := readReport(draft)
	out := make([]plumb.Mention, 0, len(r.mentions))
	for _, m := range r.mentions {
		out = append(out, r.describe(m))
	}
	return out
}

// Entry is a source as the report lists it.
type Entry struct {
	Number int
	URL    string // normalised; "" when the list gives no address
	Title  string
}

// Listed gives the numbered sources of a report in the order of its list.
func Listed(draft string) []Entry {
	entries, _, _ := markdown.SourceList(markdown.Parse(draft))
	out := []Entry{}
	for _, e := range entries {
		if e.Number > 0 {
			out = append(out, Entry{Number: e.Number, URL: address(e.URL), Title: e.Text})
		}
	}
	return out
}

// mention is a mention in the making.
type mention struct {
	url        string
	number     int
	start, end int
	// shown is what of it is words of the sentence: the text of a link that a
	// sentence is built with. It is empty for what only points at a source.
	shown    [2]int
	marker   bool
	sentence int    // index into report.sentences, -1 outside of any
	covers   [2]int // the sentences it bears, as a span of the draft
}

func (m mention) inSentence() bool { return m.shown[0] < m.shown[1] }

// sources answers which address a number, a label or an author stands for.
type sources struct {
	entries []markdown.Entry // of all lists, in order
	lists   []markdown.List
	number  map[int][]markdown.Entry
	label   map[string]markdown.Entry
}

// readSources reads the source lists and definitions of a report. A list
// without numbers counts by place, unless it is one of several.
func readSources(d markdown.Doc) sources {
	s := sources{number: map[int][]markdown.Entry{}, label: map[string]markdown.Entry{}, lists: markdown.SourceLists(d)}
	s.entries, _, _ = markdown.SourceList(d)
	main := len(s.entries)
	for _, l := range s.lists {
		if slices.ContainsFunc(s.entries[:main], func(e markdown.Entry) bool { return e.Start == l.Entries[0].Start }) {
			continue
		}
		for _, e := range l.Entries {
			if l.Placed {
				e.Number = 0
			}
			s.entries = append(s.entries, e)
		}
	}
	slices.SortStableFunc(s.entries, func(a, b markdown.Entry) int { return cmp.Compare(a.Start, b.Start) })
	for _, e := range s.entries {
		if e.Number > 0 {
			s.number[e.Number] = append(s.number[e.Number], e)
		}
		if key := strings.ToLower(e.Label); key != "" {
			if _, known := s.label[key]; !known {
				s.label[key] = e
			}
		}
	}
	return s
}

// numbered returns the entry that a number stands for at an offset: sources
// follow the text that cites them, so of several the next, else the last.
func (s sources) numbered(n, offset int) (markdown.Entry, bool) {
	all := s.number[n]
	if len(all) == 0 {
		return markdown.Entry{}, false
	}
	for _, e := range all {
		if e.Start > offset {
			return e, true
		}
	}
	return all[len(all)-1], true
}

// holds says whether offset is inside a list, its name included, or a definition.
func (s sources) holds(offset int) bool {
	i, _ := slices.BinarySearchFunc(s.entries, offset, func(e markdown.Entry, o int) int { return cmp.Compare(e.End, o+1) })
	if i < len(s.entries) && s.entries[i].Start <= offset {
		return true
	}
	return slices.ContainsFunc(s.lists, func(l markdown.List) bool { return l.Start <= offset && offset < l.Entries[0].Start })
}

// cut returns where the prose of a block ends: before a list that begins in it.
func (s sources) cut(b markdown.Block) int {
	for _, l := range s.lists {
		if b.Start < l.Start && l.Start < b.End {
			return l.Start
		}
	}
	return b.End
}

// address normalises what can be cited; anchors, mail addresses and relative
// paths are no addresses of a source.
func address(url string) string {
	url = strings.TrimSpace(url)
	n := link.Normalize(url)
	if strings.HasPrefix(n, "http://") || strings.HasPrefix(n, "https://") || len(n) > len("doc:") && strings.HasPrefix(n, "doc:") {
		return n
	}
	return ""
}

// findMentions returns the mentions of d in order, without sentences.
func findMentions(d markdown.Doc, s sources, skip func(section int) bool) []mention {
	found := markerMentions(d, s)
	if !slices.ContainsFunc(found, func(m mention) bool { return m.number > 0 && m.url != "" }) {
		found = append(found, authorMentions(d, s)...)
	}
	for _, b := range d.Blocks {
		if b.Kind == markdown.Code || b.Kind == markdown.Rule || skip(b.Section) {
			continue
		}
		found = append(found, linkMentions(d.Source, b.Start, b.End, s)...)
		found = append(found, htmlMentions(d.Source, b.Start, b.End)...)
		found = append(found, bareMentions(d.Source, b.Start, b.End)...)
	}
	slices.SortStableFunc(found, func(a, b mention) int { return cmp.Compare(a.start, b.start) })
	out := found[:0]
	last, end := -1, 0 // several mentions of one marker share its span
	for _, m := range found {
		if m.start < end && m.start != last || s.holds(m.start) || skip(sectionOf(d, m.start)) {
			continue
		}
		if m.start == last && !m.marker {
			continue
		}
		out = append(out, m)
		last, end = m.start, m.end
	}
	return out
}

func sectionOf(d markdown.Doc, offset int) int {
	i, found := slices.BinarySearchFunc(d.Sections, offset, func(s markdown.Section, o int) int { return cmp.Compare(s.Start, o) })
	if !found {
		i--
	}
	return max(i, 0)
}

func markerMentions(d markdown.Doc, s sources) []mention {
	var out []mention
	for _, m := range d.Markers(s.entries) {
		at := mention{start: m.Start, end: m.End, marker: true}
		if m.URL != "" && !strings.HasPrefix(m.URL, "#") { // [1](#sources) points at the list
			at.url = address(m.URL)
			if len(m.Numbers) > 0 {
				at.number = m.Numbers[0]
			}
			out = append(out, at)
			continue
		}
		if e, ok := s.label[strings.ToLower(m.Label)]; ok && m.Label != "" {
			at.url, at.number = address(e.URL), e.Number
			out = append(out, at)
			continue
		}
		if len(m.Numbers) == 0 {
			out = append(out, at)
		}
		for _, n := range m.Numbers {
			e, _ := s.numbered(n, m.Start)
			at.number, at.url = n, address(e.URL)
			out = append(out, at)
		}
	}
	return out
}

var (
	// [text](target), [text](<target>), [text](target "title"). A target may
	// hold one pair of brackets; a doc: target may hold spaces.
	inlineLink = regexp.MustCompile(`(!?)\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\(\s*(?:<([^<>\n]*)>|(doc:(?:[^()\n"]|\([^()\n]*\))*|(?:[^\s()<>]|\([^\s()]*\))+))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)`)
	// [text][label]
	referenceLink = regexp.MustCompile(`\[([^\[\]\n]+)\]\[([^\[\]\n]+)\]`)
	htmlLink      = regexp.MustCompile(`(?is)<a\s[^<>]*?href\s*=\s*["']?([^\s"'<>]+)["']?[^<>]*>(.*?)</a\s*>`)
	inBrackets    = regexp.MustCompile(`^[\[【(\s]*([0-9]{1,3})[\]】)\s]*$`)
	bareDocument  = regexp.MustCompile(`<doc:[^<>\n]+>|\bdoc:[^\s<>()\[\]"'|]+`)
)

// linkMentions finds inline and reference links in src[from:to].
func linkMentions(src string, from, to int, s sources) []mention {
	var out []mention
	part := src[from:to]
	for _, m := range inlineLink.FindAllStringSubmatchIndex(part, -1) {
		a, b := m[6], m[7]
		if a < 0 {
			a, b = m[8], m[9]
		}
		url := address(strings.ReplaceAll(part[a:b], `\`, ""))
		if url == "" || m[2] < m[3] {
			continue
		}
		at := mention{url: url, start: from + m[0], end: from + m[1], shown: [2]int{from + m[4], from + m[5]}}
		out = append(out, at)
	}
	for _, m := range referenceLink.FindAllStringSubmatchIndex(part, -1) {
		e, ok := s.label[strings.ToLower(strings.TrimPrefix(part[m[4]:m[5]], "^"))]
		if url := address(e.URL); ok && url != "" && strings.Trim(part[m[2]:m[3]], "0123456789,-^ ") != "" {
			out = append(out, mention{url: url, number: e.Number, start: from + m[0], end: from + m[1],
				shown: [2]int{from + m[2], from + m[3]}})
		}
	}
	return out
}

// htmlMentions finds <a href="…">text</a> in src[from:to].
func htmlMentions(src string, from, to int) []mention {
	var out []mention
	part := src[from:to]
	if !strings.Contains(part, "<a") && !strings.Contains(part, "<A") {
		return nil
	}
	for _, m := range htmlLink.FindAllStringSubmatchIndex(part, -1) {
		url := address(html.UnescapeString(part[m[2]:m[3]]))
		if url == "" {
			continue
		}
		at := mention{url: url, start: from + m[0], end: from + m[1], shown: [2]int{from + m[4], from + m[5]}}
		if n := inBrackets.FindStringSubmatch(part[m[4]:m[5]]); n != nil {
			if k, err := strconv.Atoi(n[1]); err == nil {
				at.number = k
			}
		}
		out = append(out, at)
	}
	return out
}

// bareMentions finds addresses that are no target of a link in src[from:to].
func bareMentions(src string, from, to int) []mention {
	var out []mention
	part := src[from:to]
	for _, f := range link.Find(part) {
		if strings.HasSuffix(part[:f.Start], "](") || strings.HasSuffix(part[:f.Start], "](<") {
			continue // of an image, or of a link that was found
		}
		if url := address(f.URL); url != "" {
			out = append(out, mention{url: url, start: from + f.Start, end: from + f.End})
		}
	}
	for _, m := range bareDocument.FindAllStringIndex(part, -1) {
		if strings.HasSuffix(part[:m[0]], "](") {
			continue
		}
		url := strings.TrimRight(strings.Trim(part[m[0]:m[1]], "<>"), ".,;:!?。，；")
		end := m[1]
		if part[m[0]] != '<' {
			end = m[0] + len(url)
		}
		if url = address(url); url != "" {
			out = append(out, mention{url: url, start: from + m[0], end: from + end})
		}
	}
	return out
}

// contextChars is how much of the line a mention's context has on each side.
const contextChars = 50

// describe turns the mention into the public one.
func (r *report) describe(m mention) plumb.Mention {
	out := plumb.Mention{URL: m.url, Number: m.number, Start: m.start, End: m.end,
		Section: r.sectionTitle(m.start), Line: r.line(m.start), CoverStart: m.covers[0], CoverEnd: m.covers[1]}
	src := r.doc.Source
	from, to := r.lineAround(m.start, m.end)
	out.Context = strings.TrimRight(lastChars(src[from:m.start], contextChars)+src[m.start:m.end]+firstChars(src[m.end:to], contextChars), "\r")
	if m.sentence >= 0 {
		out.Claim = r.sentences[m.sentence].text
	}
	return out
}

func lastChars(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

func firstChars(s string, n int) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i]
}
