// HTML: title, authors, date and language as a page declares them.
package extract

import (
	"bytes"
	"encoding/json"
	"strings"

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
	times     []string // <time datetime>, those marked as published first
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
			if d.h1 == "" {
				d.h1 = nodeText(n)
			}
		case atom.Time:
			if t := attr(n, "datetime"); t != "" && len(d.times) < 16 {
				d.times = append(d.times, t)
			}
		case atom.Script:
			if strings.EqualFold(attr(n, "type"), "application/ld+json") && n.FirstChild != nil {
				d.linked = append(d.linked, parseLinked(n.FirstChild.Data)...)
			}
		}
	}
	return d
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

// bestTitle takes the h1 where the declared title is that plus the site's
// name.
func (d *declared) bestTitle() string {
	title := oneLine(clean(d.first("citation_title", "og:title", "dc.title", "dcterms.title", "twitter:title")), maxTitle)
	if title == "" {
		title = oneLine(clean(d.title), maxTitle)
	}
	h1 := oneLine(clean(d.h1), maxTitle)
	if title == "" || len(h1) >= 8 && strings.Contains(title, h1) {
		return h1
	}
	return title
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
	return nil
}

func (d *declared) date() string {
	for _, name := range []string{
		"article:published_time", "citation_publication_date", "citation_online_date", "citation_date", "datepublished",
		"og:published_time", "og:article:published_time", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "dcterms.issued",
		"pubdate", "publishdate", "publish-date", "parsely-pub-date", "sailthru.date", "date",
	} {
		if iso := isoDate(d.first(name)); iso != "" {
			return iso
		}
	}
	for _, l := range d.linked {
		if iso := isoDate(string(l.DatePublished)); iso != "" {
			return iso
		}
	}
	for _, t := range d.times {
		if iso := isoDate(t); iso != "" {
			return iso
		}
	}
	return isoDate(d.first("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified"))
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

func nodeText(n *html.Node) string {
	w := htmlWriter{flat: 1}
	w.children(n)
	return w.out.String()
}

// linkedData is the part of JSON-LD that matters here.
type linkedData struct {
	Author        ldNames  `json:"author"`
	DatePublished ldString `json:"datePublished"`
	Graph         ldList   `json:"@graph"`
}

// parseLinked reads one script; what is not JSON is passed over.
func parseLinked(src string) []linkedData {
	var list ldList
	if err := json.Unmarshal([]byte(src), &list); err != nil {
		return nil
	}
	var out []linkedData
	for _, l := range list {
		out = append(out, l)
		out = append(out, l.Graph...)
	}
	return out
}

// ldList is one object or an array of them.
type ldList []linkedData

// UnmarshalJSON takes both forms.
func (l *ldList) UnmarshalJSON(b []byte) error {
	var many []linkedData
	if err := json.Unmarshal(b, &many); err == nil {
		*l = many
		return nil
	}
	var one linkedData
	if err := json.Unmarshal(b, &one); err == nil {
		*l = ldList{one}
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
