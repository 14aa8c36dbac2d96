package report

// Citation numbers: every [n] of a text resolves, in the order of first mention, without gaps.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/markdown"
)

// maxPasses bounds Renumber on hostile text, in which taking out one marker makes another.
const maxPasses = 8

// Renumber numbers the citations in the order in which the draft first mentions them, drops those it never mentions,
// and writes the draft's source list anew (under "Sources" when it has none). Numbers that resolve to nothing are taken
// out of the text; removed counts them.
func Renumber(draft string, cs []plumb.Citation) (out string, used []plumb.Citation, removed int) {
	out, used = draft, cs
	for range maxPasses {
		next, kept, gone := renumberOnce(out, used)
		removed += gone
		stable := next == out && len(kept) == len(used)
		out, used = next, kept
		if stable {
			break
		}
	}
	return out, used, removed
}

func renumberOnce(draft string, cs []plumb.Citation) (string, []plumb.Citation, int) {
	d := markdown.Parse(draft)
	entries, _, _ := markdown.SourceList(d)
	n := numbering{byNumber: map[int]int{}, byURL: map[string]int{}}
	for i, c := range cs {
		n.byNumber[c.Number] = i
		n.byURL[link.Identity(c.URL)] = i
	}
	var es []edit
	for _, m := range d.Markers(entries) {
		if len(m.Numbers) > 0 {
			es = append(es, n.rewrite(draft, m))
		}
	}
	used := make([]plumb.Citation, len(n.order))
	for i, at := range n.order {
		used[i] = cs[at]
		used[i].Number = i + 1
	}
	return replaceList(draft, d, entries, es, used), used, n.removed
}

// numbering gives new numbers out.
type numbering struct {
	byNumber map[int]int // index of the citation
	byURL    map[string]int
	order    []int // indexes of citations, as first mentioned
	removed  int
}

// rewrite gives a marker its new numbers. One that is left without any goes, with the space before it.
func (n *numbering) rewrite(draft string, m markdown.Marker) edit {
	var nums []string
	for _, old := range m.Numbers {
		at, ok := n.byNumber[old]
		if byURL, linked := n.byURL[link.Identity(m.URL)]; m.URL != "" {
			at, ok = byURL, linked
		}
		if !ok {
			n.removed++
			continue
		}
		i := slices.Index(n.order, at)
		if i < 0 {
			i = len(n.order)
			n.order = append(n.order, at)
		}
		if s := strconv.Itoa(i + 1); !slices.Contains(nums, s) {
			nums = append(nums, s)
		}
	}
	if len(nums) > 0 {
		return edit{m.Start, m.End, "[" + strings.Join(nums, ", ") + "]"}
	}
	start := m.Start
	if start > 0 && draft[start-1] == ' ' {
		start--
	}
	return edit{start, m.End, ""}
}

// replaceList applies the edits and puts the list of used citations where the entries of the old one stood.
func replaceList(draft string, d markdown.Doc, entries []markdown.Entry, es []edit, used []plumb.Citation) string {
	list := sourceList(used)
	at, ok := 0, false
	for i, e := range entries {
		start := lineStart(draft, e.Start)
		end := e.End
		if end < len(draft) && draft[end] == '\n' {
			end++
		}
		with := ""
		if i == 0 && list != "" {
			with = list
			if end == len(draft) && !strings.HasSuffix(draft, "\n") {
				with = strings.TrimSuffix(list, "\n")
			}
		}
		if !ok {
			at, ok = start, true
		}
		es = append(es, edit{start, end, with})
	}
	out := apply(draft, 0, len(draft), es)
	switch {
	case !ok && list != "":
		return strings.TrimRight(out, "\n") + "\n\n## Sources\n\n" + list
	case ok && list == "":
		return dropEmptySection(out, d.SectionAt(at).Start)
	}
	return out
}

// dropEmptySection takes a heading away that nothing stands under any more.
func dropEmptySection(s string, near int) string {
	d := markdown.Parse(s)
	if near > len(s) {
		near = len(s)
	}
	sec := d.SectionAt(near)
	if sec.Level == 0 || strings.TrimSpace(s[sec.BodyStart:sec.End]) != "" {
		return s
	}
	return strings.TrimRight(s[:sec.Start], "\n") + "\n" + s[sec.End:]
}

func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// sourceList is the numbered list as drafts have it: title, date, address.
func sourceList(cs []plumb.Citation) string {
	var b strings.Builder
	for _, c := range cs {
		fmt.Fprintf(&b, "%d. %s\n", c.Number, sourceEntry(c))
	}
	return b.String()
}

// sourceEntry is a citation as a source list names it. Addresses in its title go, for a list's reader takes the first.
func sourceEntry(c plumb.Citation) string {
	title := plainTitle(c)
	if len(c.Authors) > 0 {
		title += " — " + inert(authors(c.Authors))
	}
	if c.Date != "" {
		title += " — " + inert(day(c.Date))
	}
	if c.URL == "" {
		return strings.TrimRight(title, ". ") + ". (no address)"
	}
	return strings.TrimRight(title, ". ") + ". <" + angled(c.URL) + ">"
}

const maxTitle = 160 // characters

func plainTitle(c plumb.Citation) string {
	t := c.Title
	for found := link.Find(t); len(found) > 0; found = link.Find(t) {
		t = t[:found[0].Start] + " " + t[found[0].End:]
	}
	t = strings.Trim(strings.ReplaceAll(t, "doc:", "doc "), " .,;:-–—|")
	if t = inert(clip(t, maxTitle)); t != "" {
		return t
	}
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(c.URL, "doc:"), "https://"), "http://")
	return inert(strings.ReplaceAll(name, "www.", ""))
}

// angled makes an address safe between angle brackets.
func angled(url string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A", "\r", "%0D").Replace(url)
}

const maxAuthors = 3

func authors(names []string) string {
	if len(names) > maxAuthors {
		return strings.Join(names[:maxAuthors], ", ") + " et al."
	}
	return strings.Join(names, ", ")
}

// day cuts a time of day off a date.
func day(date string) string {
	if len(date) > 10 && (date[10] == 'T' || date[10] == ' ') {
		return date[:10]
	}
	return date
}

// Numbers reports the numbers of a text that resolve to no citation.
func Numbers(src string, cs []plumb.Citation) error {
	known := map[int]bool{}
	for _, c := range cs {
		known[c.Number] = true
	}
	var bad []string
	for _, m := range markdown.Markers(src) {
		for _, n := range m.Numbers {
			if s := fmt.Sprintf("[%d]", n); !known[n] && !slices.Contains(bad, s) {
				bad = append(bad, s)
			}
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("citation numbers %s name no source: the report has %d", strings.Join(bad, " "), len(cs))
	}
	return nil
}

// foreignMarker is a citation marker that a quoted source has for sources of its own.
var foreignMarker = regexp.MustCompile(`\s*(?:\[\s*\^?[0-9]{1,3}(?:\s*[-,;–]\s*[0-9]{1,3})*\s*\]|【[^】]{1,40}】)`)

// inert is text from outside as one line of Markdown that means nothing: no mark-up, and no citation marker, which
// would point at a source of ours.
func inert(s string) string {
	out := markdown.Escape(markdown.OneLine(foreignMarker.ReplaceAllString(s, "")))
	if len(markdown.Markers(out)) > 0 {
		out = markdown.Escape(strings.NewReplacer("[", "(", "]", ")", "【", "(", "】", ")", "［", "(", "］", ")").Replace(s))
		return markdown.OneLine(out)
	}
	return out
}

// clip cuts s to at most n characters, at a space if there is one near.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)*2/3 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
