// Mentions by author and year, "(Smith, 2023)" and "Smith et al. (2023)", tied to
// entries of the source list that begin with that author and have that year.

package verify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/markdown"
)

const (
	yearForm = `(?:1[5-9]|20)[0-9]{2}[a-z]?`
	// A name: capitalised words, with the small ones that stand inside names.
	nameForm = `\p{Lu}[\p{L}\p{M}'’.-]*(?:\s+(?:(?:of|for|the|and|de|der|den|van|von|da|di|la|le|el|al|&)\s+){0,2}\p{Lu}[\p{L}\p{M}'’.-]*){0,6}`
	hanForm  = `\p{Han}{2,12}`
)

var (
	// (Smith, 2023; Doe & Roe 2021a, p. 4), [Smith et al., 2023], （张三等，2023）
	yearBrackets = regexp.MustCompile(`[(（\[【]([^()（）\[\]【】\n]{3,200}?` + yearForm + `[^()（）\[\]【】\n]{0,40})[)）\]】]`)
	// Smith et al. (2023), 张三等（2023）
	yearBehind = regexp.MustCompile(`(` + nameForm + `|` + hanForm + `)(?:\s+et\s+al\.?,?|\s*等人?)?\s*[(（](` + yearForm + `)(?:[,:，：]\s*[^()（）\n]{0,20})?[)）]`)
	// One of the parts between the semicolons: author and year.
	authorAndYear = regexp.MustCompile(`^(?:(?:see|e\.g\.|cf\.|see also|vgl\.|见|参见|如)[,:]?\s+)*(` + nameForm + `|` + hanForm + `)((?:,?\s+et\s+al\.?|\s*等人?|(?:,\s*|\s+(?:&|and|und|et|y)\s+|[、和与])(?:` + nameForm + `|` + hanForm + `))*)[,，]?\s*(` + yearForm + `)\b`)
	coAuthor      = regexp.MustCompile(`^(.*?)(?:\s*,?\s+et\s+al\.?|\s*等人?|\s+(?:&|and|und|et|y)\s+.*|[、和与].*|,.*)?$`)
)

// authorMentions finds mentions by author and year. What no entry bears out is
// left alone unless it says "et al." and the list is one of authors and years:
// "(Apple, 2024)" may be anything.
func authorMentions(d markdown.Doc, s sources) []mention {
	refs := datedEntries(s.entries)
	if len(refs) == 0 {
		return nil
	}
	var out []mention
	for _, b := range d.Blocks {
		if b.Kind == markdown.Code || b.Kind == markdown.Rule || b.Kind == markdown.Heading {
			continue
		}
		part := d.Source[b.Start:b.End]
		for _, m := range yearBrackets.FindAllStringSubmatchIndex(part, -1) {
			out = append(out, bracketed(refs, part[m[2]:m[3]], b.Start+m[0], b.Start+m[1])...)
		}
		for _, m := range yearBehind.FindAllStringSubmatchIndex(part, -1) {
			name, year := part[m[2]:m[3]], part[m[4]:m[5]]
			e, ok := findReference(refs, name, year)
			if !ok && !strings.Contains(part[m[0]:m[1]], "et al") {
				continue
			}
			from := strings.LastIndexAny(part[:m[4]], "(（")
			out = append(out, mention{url: address(e.URL), number: e.Number, start: b.Start + from, end: b.Start + m[1], marker: true})
		}
	}
	return out
}

// bracketed reads what stands in one pair of brackets. All of its mentions have
// the span of the brackets, as those of [1, 2] do.
func bracketed(refs []reference, inner string, start, end int) []mention {
	var out []mention
	for _, part := range strings.FieldsFunc(inner, func(r rune) bool { return r == ';' || r == '；' }) {
		m := authorAndYear.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			continue
		}
		e, ok := findReference(refs, m[1], m[3])
		if ok || strings.Contains(m[2], "et al") {
			out = append(out, mention{url: address(e.URL), number: e.Number, start: start, end: end, marker: true})
		}
	}
	return out
}

// reference is an entry of a list of authors and years.
type reference struct {
	markdown.Entry
	authors string // what stands before the first year, in lower case
	years   []string
}

var anyYear = regexp.MustCompile(yearForm)

// maxAuthors is how far into an entry, in bytes, its authors may reach.
const maxAuthors = 300

func datedEntries(entries []markdown.Entry) []reference {
	var out []reference
	for _, e := range entries {
		loc := anyYear.FindStringIndex(e.Text)
		if loc == nil {
			continue
		}
		out = append(out, reference{e, strings.ToLower(e.Text[:min(loc[0], maxAuthors)]), anyYear.FindAllString(e.Text, -1)})
	}
	return out
}

// findReference returns the entry whose first author is the name's first, in
// that year. The letter behind a year may be missing on one side.
func findReference(refs []reference, name, year string) (markdown.Entry, bool) {
	if m := coAuthor.FindStringSubmatch(name); m != nil && m[1] != "" {
		name = m[1]
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s"))
	surname := name
	if i := strings.LastIndexByte(name, ' '); i > 0 {
		surname = name[i+1:]
	}
	for _, exact := range []bool{true, false} {
		for _, n := range []string{name, surname} {
			for _, r := range refs {
				if r.is(n, year, exact) {
					return r.Entry, true
				}
			}
		}
	}
	return markdown.Entry{}, false
}

func (r reference) is(name, year string, exact bool) bool {
	if utf8.RuneCountInString(name) < 2 || !strings.HasPrefix(strings.TrimLeft(r.authors, "*_“\""), name) && !strings.Contains(firstAuthor(r.authors), " "+name) {
		return false
	}
	if rest := strings.TrimPrefix(r.authors, name); rest != r.authors {
		if next, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(next) && !unicode.Is(unicode.Han, next) {
			return false // "Li" is not "Lin"
		}
	}
	for _, y := range r.years {
		if y == year || !exact && strings.TrimRight(y, "abcdefgh") == strings.TrimRight(year, "abcdefgh") {
			return true
		}
	}
	return false
}

// firstAuthor is what stands before the second author: "john smith" of "john
// smith and ann doe".
func firstAuthor(authors string) string {
	for _, sep := range []string{",", ";", " and ", " & ", "，", "、", ".", "("} {
		authors, _, _ = strings.Cut(authors, sep)
	}
	return authors
}
