// HTML: title, authors, date and language as a page declares them.
package extract

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// decodeHTML is decode, with a page's own declaration heeded.
func decodeHTML(data []byte, contentType string) string {
	if utf16Order(data) != nil || mostlyUTF8(data) && !bytes.Contains(data, []byte("\x1b$")) {
		return decode(data, contentType)
	}
	enc, _, _ := charset.DetermineEncoding(data, contentType)
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return decode(data, contentType)
	}
	return clean(string(out))
}

// declared is what a page says of itself, gathered in document order.
type declared struct {
	meta      map[string][]string // by lower-case name, property or itemprop
	title, h1 string
	lang      string
	h1s       int
	times     []string // <time>, in document order
	bylines   []string // elements marked as the author's name
	dated     []string // short elements whose class or itemprop says date
	linked    []linkedData
}

func pageMeta(root *html.Node) Document {
	d := gatherMeta(root)
	return Document{
		Title:    d.bestTitle(),
		Authors:  d.authors(),
		Date:     d.date(),
		Language: language(d.lang),
	}
}

func gatherMeta(root *html.Node) declared {
	d := declared{meta: map[string][]string{}}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Html:
			d.lang = attr(n, "lang")
		case atom.Meta:
			d.addMeta(n)
		case atom.Title:
			if d.title == "" && !within(n, atom.Svg) {
				d.title = nodeText(n)
			}
		case atom.H1:
			if d.h1s++; d.h1 == "" {
				d.h1 = nodeText(n)
			}
		case atom.Time:
			d.addTime(n)
		case atom.Span, atom.Div, atom.P, atom.Em, atom.Small, atom.Li, atom.Abbr:
			d.addMeta(n) // RDFa and microdata stand on any element
			d.addMarked(n)
		case atom.A:
			if attr(n, "rel") == "author" || attr(n, "itemprop") == "author" || authorClass.MatchString(attr(n, "class")) {
				d.addByline(nodeText(n))
			}
		case atom.Script:
			if strings.EqualFold(attr(n, "type"), "application/ld+json") && n.FirstChild != nil {
				d.linked = append(d.linked, parseLinked(n.FirstChild.Data)...)
			}
		}
	}
	return d
}

// dateClass matches the classes of datelines, not of comments or updates.
var dateClass = regexp.MustCompile(`(?i)(?:^|[ _-])(?:(?:post|entry|article|pub(?:lish(?:ed)?)?|news|item|blog|creation|meta)[_-]?)?(?:date|datum|datepublished|dateline|published|pubdate|time-rubric|timestamp)(?:$|[ _-])`)

var (
	authorClass = regexp.MustCompile(`(?i)(?:^|[ _-])(?:author|byline|autor)(?:[_-]name)?(?:$| )`)
	byPrefix    = regexp.MustCompile(`(?i)^(?:by|von|par|por|di|text|autor(?:in)?|author|written by|posted by)\s*:?\s+`)
)

func (d *declared) addMarked(n *html.Node) {
	marks := attr(n, "class") + " " + attr(n, "itemprop")
	if len(marks) < 4 || len(marks) > 400 {
		return
	}
	marks = strings.ToLower(marks)
	dated := strings.Contains(marks, "dat") || strings.Contains(marks, "publish") || strings.Contains(marks, "time")
	if len(d.dated) < 8 && dated && dateClass.MatchString(marks) {
		if s := nodeText(n); len(s) <= 60 {
			d.dated = append(d.dated, s)
		}
	}
	if len(d.bylines) == 0 && authorClass.MatchString(marks) {
		d.addByline(nodeText(n))
	}
}

// addByline takes what can be names: two to eight words, no digits.
func (d *declared) addByline(s string) {
	s = byPrefix.ReplaceAllString(strings.TrimSpace(s), "")
	if n := len(strings.Fields(s)); len(d.bylines) == 0 && n >= 2 && n <= 8 && !strings.ContainsAny(s, "0123456789@:|") {
		d.bylines = append(d.bylines, s)
	}
}

func (d *declared) addTime(n *html.Node) {
	if len(d.times) >= 16 {
		return
	}
	t := attr(n, "datetime")
	if t == "" {
		t = nodeText(n)
	}
	d.times = append(d.times, t)
}

func (d *declared) addMeta(n *html.Node) {
	content := strings.TrimSpace(attr(n, "content"))
	if content == "" || len(content) > 2000 {
		return
	}
	for _, key := range []string{"property", "name", "itemprop"} {
		if k := strings.ToLower(strings.TrimSpace(attr(n, key))); k != "" && len(d.meta[k]) < maxAuthors {
			d.meta[k] = append(d.meta[k], content)
			return
		}
	}
}

func (d *declared) first(names ...string) string {
	for _, n := range names {
		if v := d.meta[n]; len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

// bestTitle is the declared title without the site's name; where the page's
// only h1 says much the same, that is what readers see as its title.
func (d *declared) bestTitle() string {
	title := oneLine(clean(d.first("citation_title", "og:title", "dc.title", "dcterms.title", "twitter:title")), maxTitle)
	if title == "" {
		title = oneLine(clean(d.title), maxTitle)
	}
	title = d.withoutSite(title)
	h1 := oneLine(clean(d.h1), maxTitle)
	if title == "" || len(h1) >= 8 && strings.Contains(title, h1) || d.h1s == 1 && alike(title, h1) {
		return h1
	}
	return title
}

var titleSeparator = regexp.MustCompile(`\s+[|│•·»–—-]\s+|\s+//\s+`)

// withoutSite cuts the last part of "Title | Site" if it is the declared name
// of the site, or a short part after a bar.
func (d *declared) withoutSite(title string) string {
	at := titleSeparator.FindAllStringIndex(title, -1)
	if len(at) == 0 {
		return title
	}
	last := at[len(at)-1]
	head, tail := title[:last[0]], title[last[1]:]
	site := oneLine(d.first("og:site_name", "application-name"), maxTitle)
	bar := strings.ContainsAny(title[last[0]:last[1]], "|│•")
	named := site != "" && (strings.EqualFold(site, tail) || strings.HasPrefix(strings.ToLower(site), strings.ToLower(tail)))
	if len(head) >= 8 && (named || bar && len(tail) < len(head)) {
		return head
	}
	return title
}

// alike: at least half the words of either are in both.
func alike(a, b string) bool {
	in := map[string]bool{}
	words := strings.Fields(strings.ToLower(a))
	for _, w := range words {
		in[w] = true
	}
	others := strings.Fields(strings.ToLower(b))
	common := 0
	for _, w := range others {
		if in[w] {
			common++
		}
	}
	return common > 0 && 2*common >= max(len(words), len(others))
}

func (d *declared) authors() []string {
	for _, name := range []string{"citation_author", "dc.creator", "dcterms.creator", "author", "article:author", "parsely-author", "sailthru.author"} {
		var names []string
		for _, v := range d.meta[name] {
			if !strings.Contains(v, "://") && len(v) <= 300 {
				names = append(names, v)
			}
		}
		if len(names) > 0 {
			return splitNames(names...)
		}
	}
	for _, l := range d.linked {
		if len(l.Author) > 0 {
			return splitNames(l.Author...)
		}
	}
	return splitNames(d.bylines...)
}

// date is the first day that the page declares or shows; failing that, the
// first month or year.
func (d *declared) date() string {
	var declared []string
	for _, name := range []string{
		"article:published_time", "citation_publication_date", "citation_online_date", "citation_date", "datepublished",
		"og:published_time", "og:article:published_time", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "dcterms.issued",
		"pubdate", "publishdate", "publish-date", "parsely-pub-date", "sailthru.date", "schema:datepublished", "schema:datecreated", "date",
	} {
		declared = append(declared, d.localDate(d.first(name)))
	}
	for _, l := range d.linked {
		declared = append(declared, d.localDate(string(l.DatePublished)))
	}
	for _, t := range append(d.times, d.dated...) {
		declared = append(declared, isoDate(dayFirst(t, d.lang)))
	}
	declared = append(declared, isoDate(d.first("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified")))
	best := ""
	for _, iso := range declared {
		if len(iso) == len(time.DateOnly) && strings.HasPrefix(iso, best) {
			return iso
		}
		if best == "" {
			best = iso
		}
	}
	return best
}

// universal matches a time in universal time, with its hour.
var universal = regexp.MustCompile(`[T ](\d{2}):\d{2}\S* ?(?:Z|[+-]00:?00|GMT|UTC)$`)

// localDate is the date of a declared time. One in universal time may lie a day off where the page was published: then
// the first date that the page shows its readers is right, if the hour allows it.
func (d *declared) localDate(declared string) string {
	iso := isoDate(declared)
	m := universal.FindStringSubmatch(declared)
	if m == nil {
		return iso
	}
	for _, t := range append(d.times, d.dated...) {
		shown := isoDate(dayFirst(t, d.lang))
		if shown == "" {
			continue
		}
		if daysApart(iso, shown) == 1 && (shown > iso && m[1] >= "21" || shown < iso && m[1] < "08") {
			return shown
		}
		break
	}
	return iso
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func within(n *html.Node, tag atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == tag {
			return true
		}
	}
	return false
}

// maxNodeText is where the text of an element is cut, in bytes. Titles, names and
// dates are shorter; marked elements may nest in each other and hold a book.
const maxNodeText = 2000

func nodeText(n *html.Node) string {
	w := htmlWriter{flat: 1, limit: maxNodeText}
	w.children(n)
	return w.out.String()
}

// linkedData is the part of JSON-LD that matters here.
type linkedData struct {
	Author        ldNames  `json:"author"`
	DatePublished ldString `json:"datePublished"`
}

var publishedField = regexp.MustCompile(`"datePublished"\s*:\s*"([^"]{8,40})"`)

// parseLinked reads one script; of what is not JSON, it takes the date. A graph inside
// a graph is not looked into: each level would be read once more than the last.
func parseLinked(src string) []linkedData {
	type graph struct {
		linkedData
		Graph ldList[linkedData] `json:"@graph"`
	}
	var list ldList[graph]
	if err := json.Unmarshal([]byte(src), &list); err != nil {
		if m := publishedField.FindStringSubmatch(src); m != nil { // much of it is nearly JSON
			return []linkedData{{DatePublished: ldString(m[1])}}
		}
		return nil
	}
	var out []linkedData
	for _, l := range list {
		out = append(out, l.linkedData)
		out = append(out, l.Graph...)
	}
	return out
}

// ldList is one object or an array of them.
type ldList[T any] []T

// UnmarshalJSON takes both forms.
func (l *ldList[T]) UnmarshalJSON(b []byte) error {
	var many []T
	if err := json.Unmarshal(b, &many); err == nil {
		*l = many
		return nil
	}
	var one T
	if err := json.Unmarshal(b, &one); err == nil {
		*l = ldList[T]{one}
	}
	return nil
}

// ldString is a string; anything else is "".
type ldString string

// UnmarshalJSON passes over what is no string.
func (s *ldString) UnmarshalJSON(b []byte) error {
	var v string
	if err := json.Unmarshal(b, &v); err == nil {
		*s = ldString(v)
	}
	return nil
}

// ldNames is a name, an object with a name, or an array of either.
type ldNames []string

// UnmarshalJSON takes all forms.
func (n *ldNames) UnmarshalJSON(b []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(b, &items); err != nil {
		items = []json.RawMessage{b}
	}
	for _, item := range items {
		var name string
		var person struct {
			Name ldString `json:"name"`
		}
		if err := json.Unmarshal(item, &name); err != nil {
			if err := json.Unmarshal(item, &person); err == nil {
				name = string(person.Name)
			}
		}
		if name != "" && !strings.Contains(name, "://") {
			*n = append(*n, name)
		}
	}
	return nil
}
