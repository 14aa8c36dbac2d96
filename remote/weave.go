package remote

// The citations of a service woven into its text: numbers in brackets where it attached a source to a span, and the list of
// the sources at the end, as people write reports.

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// note is a source that a service attached to a span of its text, in bytes.
type note struct {
	start, end int
	url, title string
}

// source is an entry of the list at the end.
type source struct {
	number     int
	url, title string
}

// A report of 10 MB could hold a million notes; nobody reads a list of more sources than this.
const (
	maxNotes   = 20_000
	maxSources = 2_000
)

// weave puts the numbers of notes into a text, and their sources behind it. Spans that are links to their source already are
// left as they are. Numbers begin behind those that the text has.
func weave(text string, notes []note) string {
	notes = slices.Clone(notes[:min(len(notes), maxNotes)])
	slices.SortStableFunc(notes, func(a, b note) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.start, b.start)) })
	first := highest(text) + 1
	numbers := map[string]int{}
	var sources []source
	at := map[int][]int{} // numbers by where they are put
	for _, n := range notes {
		address := webAddress(n.url)
		start, end := span(text, n.start, n.end)
		if address == "" || end == 0 || linked(text[start:end], n.url) {
			continue
		}
		if numbers[address] == 0 {
			if len(sources) == maxSources {
				continue
			}
			numbers[address] = first + len(sources)
			sources = append(sources, source{numbers[address], address, n.title})
		}
		if place, ok := place(text, end); ok && !slices.Contains(at[place], numbers[address]) {
			at[place] = append(at[place], numbers[address])
		}
	}
	var b strings.Builder
	from := 0
	for _, place := range sorted(at) {
		b.WriteString(text[from:place])
		if r, _ := utf8.DecodeLastRuneInString(text[:place]); r != ']' && !unicode.IsSpace(r) {
			b.WriteByte(' ')
		}
		for _, n := range at[place] {
			b.WriteString("[" + strconv.Itoa(n) + "]")
		}
		from = place
	}
	b.WriteString(text[from:])
	return list(b.String(), sources)
}

func sorted(at map[int][]int) []int {
	out := make([]int, 0, len(at))
	for place := range at {
		out = append(out, place)
	}
	slices.Sort(out)
	return out
}

// span puts offsets inside the text and at the beginning of a character.
func span(text string, start, end int) (int, int) {
	end = min(max(end, 0), len(text))
	start = min(max(start, 0), end)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	return start, end
}

// near is how far from a note its surroundings are looked at, in bytes: lines may be as long as the text.
const near = 4096

// linked reports whether a span shows its source as a link.
func linked(span, url string) bool {
	return len(span) <= near && url != "" && strings.Contains(span, url) && (strings.Contains(span, "](") || strings.HasPrefix(span, "http") || strings.HasPrefix(span, "<http"))
}

// place is where the number of a span that ends at end is put: behind its last word, before the full stop, never inside a
// word, a link or a heading.
func place(text string, end int) (int, bool) {
	end = len(strings.TrimRightFunc(text[:end], unicode.IsSpace))
	line := max(end-near, 0)
	line += strings.LastIndexByte(text[line:end], '\n') + 1
	stop := min(end+near, len(text))
	if i := strings.IndexByte(text[end:stop], '\n'); i >= 0 {
		stop = end + i
	}
	if strings.HasPrefix(strings.TrimLeft(text[line:end], " "), "#") || end == line {
		return 0, false
	}
	if opened := strings.LastIndex(text[line:end], "]("); opened >= 0 && !strings.Contains(text[line+opened:end], ")") {
		if i := strings.IndexByte(text[end:stop], ')'); i >= 0 {
			end += i + 1
		}
	}
	end = wordEnd(text, end, stop)
	if strings.IndexByte(".!?", text[end-1]) >= 0 && end-1 > line && text[end-2] != '.' {
		end--
	}
	return end, true
}

// wordEnd moves out of a word.
func wordEnd(text string, end, stop int) int {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if r, _ := utf8.DecodeLastRuneInString(text[:end]); !inWord(r) {
		return end
	}
	for end < stop {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !inWord(r) {
			break
		}
		end += size
	}
	return end
}

var numbered = regexp.MustCompile(`\[(\d{1,3})\]`)

// highest is the largest number in brackets that a text has.
func highest(text string) int {
	most := 0
	for _, m := range numbered.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// list puts the list of sources behind a text.
func list(text string, sources []source) string {
	text = strings.TrimSpace(text) + "\n"
	if len(sources) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text + "\n## Sources\n\n")
	for _, s := range sources {
		b.WriteString(fmt.Sprintf("[%d] %s <%s>\n\n", s.number, title(s.title, s.url), s.url))
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// maxTitle is how much of a title is shown, in characters.
const maxTitle = 200

// title is one line that is no Markdown; the host where there is none.
func title(raw, address string) string {
	words := strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("[]<>`*|\\#", r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(raw, " ")))
	out := []rune(strings.Join(words, " "))
	if len(out) > maxTitle {
		out = append(out[:maxTitle], '…')
	}
	if u, err := url.Parse(address); len(out) == 0 && err == nil {
		return u.Hostname() + "."
	}
	return strings.TrimRight(string(out), ". ") + "."
}

// maxURL bounds an address, as browsers do.
const maxURL = 2_000

// webAddress is the address of a page as it can stand between angle brackets; "" when it is none.
func webAddress(raw string) string {
	raw = strings.TrimSpace(raw)
	u, err := url.Parse(raw)
	if err != nil || len(raw) > maxURL || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return ""
	}
	if strings.ContainsFunc(raw, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>\\\"`", r)
	}) {
		return ""
	}
	return raw
}
