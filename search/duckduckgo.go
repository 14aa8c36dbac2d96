package search

// DuckDuckGo without a key. There is no official API for results: this reads the page for browsers without JavaScript,
// whose form and markup (classes result__a, result__snippet) may change any day, and which shows a wall to readers it
// takes for bots. Seldom asked, therefore. Not used: instant answers, further pages, advertisements.

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/plumbresearch/plumb"
)

// DuckDuckGo is the engine of that name.
type DuckDuckGo struct{ *service }

// duckRegions are its names for languages with the country where most people speak them.
var duckRegions = map[string]string{"en": "us-en", "de": "de-de", "fr": "fr-fr", "es": "es-es", "it": "it-it", "nl": "nl-nl", "pt": "pt-pt", "pl": "pl-pl",
	"ru": "ru-ru", "sv": "se-sv", "da": "dk-da", "no": "no-no", "fi": "fi-fi", "cs": "cz-cs", "hu": "hu-hu", "tr": "tr-tr", "uk": "ua-uk", "el": "gr-el",
	"ja": "jp-jp", "zh": "cn-zh", "ko": "kr-kr"}

// Search posts the form of /html/.
func (d DuckDuckGo) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	form := url.Values{"q": {q.withSites()}}
	if kl := duckRegions[q.Language]; kl != "" {
		form.Set("kl", kl)
	}
	if q.Since != "" {
		form.Set("df", q.since(time.DateOnly)+".."+d.now().UTC().Format(time.DateOnly))
	}
	body, status, err := d.ask(ctx, http.MethodPost, d.at("/html/"), []byte(form.Encode()),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"text/html"}})
	if status == http.StatusAccepted || status == http.StatusForbidden { // the wall comes as a success, too
		return nil, d.wall()
	}
	if err != nil {
		return nil, err
	}
	leads, err := d.parse(body)
	return leads[:min(len(leads), q.Limit)], err
}

func (d DuckDuckGo) wall() *Fault {
	return d.fault("wants proof that its reader is human: try later, or set a key of another engine", nil)
}

func (d DuckDuckGo) parse(body []byte) ([]plumb.Lead, error) {
	for _, mark := range []string{"anomaly-modal", "anomaly.js", "challenge-form"} {
		if bytes.Contains(body, []byte(mark)) {
			return nil, d.wall()
		}
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil, d.garbled(err)
	}
	var leads []plumb.Lead
	known := false // a page of results, if only of none
	for n := range root.Descendants() {
		if len(leads) == maxLimit {
			break
		}
		switch {
		case hasClass(n, "results"), hasClass(n, "no-results"):
			known = true
		case hasClass(n, "result") && !hasClass(n, "result--ad"):
			known = true
			if l, ok := d.result(n); ok {
				leads = append(leads, l)
			}
		}
	}
	if !known {
		return nil, d.garbled(nil)
	}
	return leads, nil
}

// result reads one result of the page.
func (d DuckDuckGo) result(n *html.Node) (plumb.Lead, bool) {
	l := plumb.Lead{Engine: d.name}
	for c := range n.Descendants() {
		switch {
		case hasClass(c, "result__a") && l.URL == "":
			l.URL, l.Title = target(attribute(c, "href")), content(c)
		case hasClass(c, "result__snippet"):
			l.Snippet = content(c)
		case c.Type == html.ElementNode && c.Data == "span" && l.Date == "" && len(attribute(c, "class")) == 0:
			l.Date = isoDate(content(c), d.now())
		}
	}
	return l, l.URL != ""
}

// target is where a result leads: DuckDuckGo counts clicks through /l/?uddg=. Advertisements lead through y.js and are none.
func target(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if to := u.Query().Get("uddg"); to != "" {
		if u, err = url.Parse(to); err != nil {
			return ""
		}
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "duckduckgo.com" {
		return ""
	}
	return u.String()
}

func hasClass(n *html.Node, class string) bool {
	return n.Type == html.ElementNode && slices.Contains(strings.Fields(attribute(n, "class")), class)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// content is the text inside an element.
func content(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\u00a0", " "))
}
