package page

// What the HTML of an answer shows besides its text: title, DOI, a redirect, and signs of a paywall, a bot wall or a page
// that scripts put together.

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

const (
	maxMarked  = 2 << 20   // bytes of a page that are looked at
	maxVisible = 24 << 10  // bytes of visible text that are kept: phrases are looked for in short pages only
	maxRaw     = 256 << 10 // bytes in which markers of bot walls are looked for
)

// marks are what look finds.
type marks struct {
	html     bool
	title    string
	doi      string
	refresh  string // where a meta refresh leads, at once or within seconds
	notFree  bool   // declared by schema.org's isAccessibleForFree
	scripts  int
	mount    bool   // an element that scripts fill
	noscript string // what readers without scripts are told
	visible  int    // characters of visible text
	text     string // the beginning of it, lower case
	raw      string // the beginning of the HTML, lower case
}

// look reads the marks of an answer; what is not HTML has none.
func look(doc *document) marks {
	declared := doc.header.Get("Content-Type")
	t := contentType(doc.header)
	sniffed := http.DetectContentType(doc.body)
	isHTML := strings.HasPrefix(sniffed, "text/html") ||
		(t == "text/html" || t == "application/xhtml+xml") && strings.HasPrefix(sniffed, "text/")
	if !isHTML {
		return marks{}
	}
	body := doc.body[:min(len(doc.body), maxMarked)]
	m := marks{html: true, raw: strings.ToLower(string(body[:min(len(body), maxRaw)]))}
	if !utf8.Valid(body) {
		if r, err := charset.NewReader(bytes.NewReader(body), declared); err == nil {
			m.scan(html.NewTokenizer(r))
			return m
		}
	}
	m.scan(html.NewTokenizer(bytes.NewReader(body)))
	return m
}

// scan goes through the tokens once. Elements whose content is not shown are told apart by their names.
func (m *marks) scan(z *html.Tokenizer) {
	var shown, noscript strings.Builder
	hidden := "" // the element that hides what is in it
	for {
		switch z.Next() {
		case html.ErrorToken:
			m.text = strings.ToLower(shown.String())
			m.noscript = strings.ToLower(noscript.String())
			return
		case html.StartTagToken:
			if name := m.element(z); name != "" && hidden == "" {
				hidden = name
			}
		case html.SelfClosingTagToken:
			m.element(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == strings.TrimSuffix(hidden, linked) {
				hidden = ""
			}
		case html.TextToken:
			m.addText(z.Text(), hidden, &shown, &noscript)
		}
	}
}

func (m *marks) addText(raw []byte, hidden string, shown, noscript *strings.Builder) {
	switch hidden {
	case "":
		s := strings.Join(strings.Fields(html.UnescapeString(string(raw))), " ")
		m.visible += utf8.RuneCountInString(s)
		if s != "" && shown.Len() < maxVisible {
			shown.WriteString(s + " ")
		}
	case "title":
		if m.title == "" {
			m.title = strings.Join(strings.Fields(html.UnescapeString(string(raw))), " ")
			m.title = m.title[:cutAt(m.title, 300)]
		}
	case "noscript":
		if noscript.Len() < maxVisible {
			noscript.Write(raw)
		}
	case "script" + linked:
		m.notFree = m.notFree || notFree.Match(raw)
	}
}

// cutAt is the largest boundary of a character in s that is at most n.
func cutAt(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

var notFree = regexp.MustCompile(`(?i)"isAccessibleForFree"\s*:\s*"?false`)

// mounts are the ids of elements that frameworks fill.
var mounts = map[string]bool{"root": true, "app": true, "__next": true, "__nuxt": true, "react-root": true, "main-app": true, "svelte": true, "ember": true}

// linked marks a script that holds schema.org's data.
const linked = ":linked"

// element notes what a tag says and returns its name if it hides its content.
func (m *marks) element(z *html.Tokenizer) string {
	name, _ := z.TagName()
	switch tag := string(name); tag {
	case "script":
		if strings.EqualFold(attributes(z)["type"], "application/ld+json") {
			return tag + linked
		}
		m.scripts++
		return tag
	case "style", "template", "noscript", "title", "svg":
		return tag
	case "meta":
		m.meta(attributes(z))
	case "app-root":
		m.mount = true
	case "div", "main", "section":
		m.mount = m.mount || mounts[attributes(z)["id"]]
	}
	return ""
}

// attributes of the tag at hand.
func attributes(z *html.Tokenizer) map[string]string {
	attrs := map[string]string{}
	for {
		k, v, more := z.TagAttr()
		attrs[string(k)] = string(v)
		if !more {
			return attrs
		}
	}
}

func (m *marks) meta(attrs map[string]string) {
	content := strings.TrimSpace(attrs["content"])
	switch name := strings.ToLower(either(attrs["name"], attrs["property"])); name {
	case "citation_doi", "prism.doi", "bepress_citation_doi", "dc.identifier", "dc.identifier.doi":
		if d := doiOf(content); m.doi == "" {
			m.doi = d
		}
	case "article:content_tier":
		m.notFree = m.notFree || strings.EqualFold(content, "locked")
	}
	if strings.EqualFold(attrs["itemprop"], "isAccessibleForFree") && strings.EqualFold(content, "false") {
		m.notFree = true
	}
	if strings.EqualFold(attrs["http-equiv"], "refresh") && m.refresh == "" {
		m.refresh = refreshTarget(content)
	}
}

// maxRefresh is the longest delay, in seconds, of a meta refresh that is a redirect and no reload.
const maxRefresh = 5

// refreshTarget is the address in "0; url='…'", "" when there is none or it is far off.
func refreshTarget(content string) string {
	delay, rest, ok := strings.Cut(content, ";")
	if !ok {
		delay, rest, ok = strings.Cut(content, ",")
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(delay), 64)
	if !ok || err != nil || !(seconds >= 0 && seconds <= maxRefresh) {
		return ""
	}
	rest = strings.TrimSpace(rest)
	key, to, ok := strings.Cut(rest, "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(key), "url") {
		return ""
	}
	return strings.Trim(strings.TrimSpace(to), `"'`)
}
