package mcp

// Leads in whatever a search tool answers: JSON in the shapes that such tools use, links, or text with addresses in it.

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// Bounds of a lead, in characters, and of what is looked through.
const (
	maxTitle   = 300
	maxSnippet = 2000
	maxURL     = 2048
	maxText    = 1 << 20 // bytes of a text
	maxDepth   = 8       // of JSON
)

// Names of fields, the best first.
var (
	urlFields     = []string{"url", "link", "href", "uri", "source_url", "sourceUrl", "web_url", "html_url", "pdf_url", "@id"}
	titleFields   = []string{"title", "name", "headline", "display_name", "label"}
	snippetFields = []string{"snippet", "description", "summary", "abstract", "content", "text", "body", "excerpt", "highlights", "excerpts", "extract", "markdown"}
	dateFields    = []string{"date", "published", "published_date", "publishedDate", "publication_date", "published_at", "created_at", "year", "page_age"}
	authorFields  = []string{"authors", "author", "creators"}
)

// finder collects leads, each address once.
type finder struct {
	leads []plumb.Lead
	seen  map[string]bool
	limit int
}

// leadsOf finds the leads of an answer. What is structured says more than the text beside it, which repeats it.
func leadsOf(res *sdk.CallToolResult, limit int) []plumb.Lead {
	f := &finder{seen: map[string]bool{}, limit: limit}
	if res.StructuredContent != nil {
		if b, err := json.Marshal(res.StructuredContent); err == nil {
			f.text(string(b))
		}
	}
	if len(f.leads) > 0 {
		return f.leads
	}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			f.text(c.Text)
		case *sdk.ResourceLink:
			f.add(plumb.Lead{URL: c.URI, Title: firstOf(c.Title, c.Name), Snippet: c.Description})
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				f.add(plumb.Lead{URL: c.Resource.URI, Snippet: c.Resource.Text})
			}
		}
	}
	return f.leads
}

func (f *finder) full() bool { return len(f.leads) >= f.limit }

// add keeps a lead that has an address of the web.
func (f *finder) add(l plumb.Lead) {
	l.URL = strings.TrimSpace(l.URL)
	lower := strings.ToLower(l.URL[:min(len(l.URL), 8)])
	if f.full() || len(l.URL) > maxURL || !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") || link.Host(l.URL) == "" {
		return
	}
	key := link.Normalize(l.URL)
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	l.Title, l.Snippet, l.Date = tidy(l.Title, maxTitle), tidy(l.Snippet, maxSnippet), tidy(l.Date, 40)
	f.leads = append(f.leads, l)
}

// tidy is a text in one line, of at most n characters.
func tidy(s string, n int) string {
	return strings.Join(strings.Fields(clip(strings.ToValidUTF8(clip(s, 4*n), ""), n)), " ")
}

// clip cuts a text to n characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n {
			return s[:i]
		}
		count++
	}
	return s
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// text looks through JSON if it is JSON, else for addresses.
func (f *finder) text(s string) {
	if len(s) > maxText {
		s = s[:maxText]
		for len(s) > 0 && !utf8.ValidString(s[len(s)-1:]) {
			s = s[:len(s)-1]
		}
	}
	var v any
	if t := strings.TrimSpace(s); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		if json.Unmarshal([]byte(t), &v) == nil {
			f.walk(v, 0)
			return
		}
	}
	f.blocks(s)
}

// walk finds objects that have an address, in the order of arrays and, for objects, of their fields' names.
func (f *finder) walk(v any, depth int) {
	if depth > maxDepth || f.full() {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			f.walk(x, depth+1)
		}
	case map[string]any:
		if u := stringOf(v, urlFields); u != "" {
			before := len(f.leads)
			f.add(plumb.Lead{URL: u, Title: stringOf(v, titleFields), Snippet: stringOf(v, snippetFields), Date: stringOf(v, dateFields),
				DOI: clip(stringOf(v, []string{"doi", "DOI"}), 200), Authors: authorsOf(v)})
			if len(f.leads) > before {
				return
			}
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			f.walk(v[k], depth+1)
		}
	case string: // JSON in JSON, as some servers wrap it
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			var inner any
			if json.Unmarshal([]byte(v), &inner) == nil {
				f.walk(inner, depth+1)
			}
		}
	}
}

// stringOf is the first of some fields that has a text. A list is joined, a number written out.
func stringOf(v map[string]any, fields []string) string {
	for _, name := range fields {
		switch x := v[name].(type) {
		case string:
			if strings.TrimSpace(x) != "" {
				return x
			}
		case float64:
			if b, err := json.Marshal(x); err == nil {
				return string(b)
			}
		case []any:
			if s := strings.Join(stringsOf(x), " … "); s != "" {
				return s
			}
		}
	}
	return ""
}

// stringsOf are the texts of a list, and the names of its objects.
func stringsOf(list []any) []string {
	var out []string
	for _, x := range list[:min(len(list), 50)] {
		switch x := x.(type) {
		case string:
			out = append(out, clip(x, maxSnippet))
		case map[string]any:
			if s := stringOf(x, []string{"name", "display_name", "text"}); s != "" {
				out = append(out, clip(s, maxSnippet))
			}
		}
	}
	return out
}

func authorsOf(v map[string]any) []string {
	for _, name := range authorFields {
		switch x := v[name].(type) {
		case string:
			if x != "" {
				return []string{tidy(x, 100)}
			}
		case []any:
			return stringsOf(x)
		}
	}
	return nil
}

var (
	// A Markdown link. Titles with brackets in them are cut at the first.
	mdLink = regexp.MustCompile(`\[([^\[\]\n]+)\]\((https?://[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)?)\)`)
	// A labelled line, as "URL: https://…" or "**Title:** …".
	labelled = regexp.MustCompile(`(?i)^[\s>*#\d.)-]*(title|name|url|link|href|source|snippet|description|summary|content|text|published|published date|date)\**\s*:\**\s*(.+)$`)
	bareURL  = regexp.MustCompile(`https?://[^\s<>"'\x60\]]+`)
)

// blocks reads text: labelled lines, Markdown links, or bare addresses with what stands before and after them.
func (f *finder) blocks(s string) {
	if f.labels(s); len(f.leads) > 0 {
		return
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if m := mdLink.FindStringSubmatch(line); m != nil {
			f.add(plumb.Lead{URL: m[2], Title: m[1], Snippet: after(line, m[0], lines[i+1:])})
		} else if u := bareURL.FindString(line); u != "" {
			f.add(plumb.Lead{URL: strings.TrimRight(u, ".,;:!?)"), Title: titleBefore(lines[:i], line, u), Snippet: after(line, u, lines[i+1:])})
		}
	}
}

// titleBefore is what stands before an address in its line, or the line before.
func titleBefore(before []string, line, u string) string {
	own, _, _ := strings.Cut(line, u)
	if own = trimMarks(own); own != "" || len(before) == 0 {
		return own
	}
	return trimMarks(before[len(before)-1])
}

func trimMarks(s string) string { return strings.Trim(s, " \t*#->:.()[]0123456789") }

// after is the rest of a line, or the next line that is no address.
func after(line, what string, next []string) string {
	_, rest, _ := strings.Cut(line, what)
	if rest = strings.Trim(rest, " \t-–—:|)*"); rest != "" || len(next) == 0 || bareURL.MatchString(next[0]) {
		return rest
	}
	return strings.Trim(next[0], " \t-–—:|*>")
}

// labels reads blocks of labelled lines. A title, or an address where there is one already, begins the next block.
func (f *finder) labels(s string) {
	var l plumb.Lead
	var more bool // lines without a label go on with the snippet
	flush := func() {
		if l.URL != "" {
			f.add(l)
		}
		l, more = plumb.Lead{}, false
	}
	for line := range strings.SplitSeq(s, "\n") {
		m := labelled.FindStringSubmatch(line)
		if m == nil {
			if more && len(l.Snippet) < maxSnippet && strings.Trim(line, " \t\r-=*_#") != "" {
				l.Snippet += " " + clip(line, maxSnippet)
			}
			continue
		}
		value := strings.TrimSpace(m[2])
		switch strings.ToLower(m[1]) {
		case "title", "name":
			flush()
			l.Title = value
		case "url", "link", "href", "source":
			u := bareURL.FindString(value)
			if u == "" {
				continue
			}
			if l.URL != "" {
				flush()
			}
			l.URL, more = u, false
		case "published", "published date", "date":
			l.Date = value
		default:
			l.Snippet, more = value, true
		}
	}
	flush()
}
