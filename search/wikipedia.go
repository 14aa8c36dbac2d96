package search

// Wikipedia in the query's language, without a key. Format: mediawiki.org, "API:Search" (list=search of api.php). A
// page is dated by its last edit. Long queries are joined by OR, since all words must match otherwise. Not used:
// generators, extracts, other search operators.

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb"
)

// Wikipedia is the engine of that name.
type Wikipedia struct{ *service }

type wikipediaAnswer struct {
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
	Query struct {
		Search []struct {
			Title     string `json:"title"`
			Snippet   loose  `json:"snippet"` // HTML
			Timestamp loose  `json:"timestamp"`
		} `json:"search"`
	} `json:"query"`
}

var wikipediaForm = regexp.MustCompile(`^[a-z-]+(\.wikipedia\.org)$`)

// wikipediaHost tells the part of a host that follows the language.
func wikipediaHost(host string) (domain string, ok bool) {
	m := wikipediaForm.FindStringSubmatch(strings.ToLower(host))
	if m == nil {
		return "", false
	}
	return m[1], true
}

// in is the service in a language, if it is the real one; an address that the user configured stays as it is.
func (w Wikipedia) in(lang string) *url.URL {
	u := *w.base
	if lang == "nb" {
		lang = "no"
	}
	if domain, ok := wikipediaHost(u.Hostname()); ok && lang != "" {
		u.Host = lang + domain
	}
	return &u
}

// Search gets /w/api.php.
func (w Wikipedia) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	base := w.in(cmp.Or(q.Language, q.language()))
	ask := url.Values{"action": {"query"}, "list": {"search"}, "srsearch": {q.either()}, "srlimit": {strconv.Itoa(q.Limit)},
		"srprop": {"snippet|timestamp"}, "srnamespace": {"0"}, "format": {"json"}, "formatversion": {"2"}, "utf8": {"1"}}
	u := *base
	u.Path = strings.TrimSuffix(base.Path, "/") + "/w/api.php"
	u.RawQuery = ask.Encode()
	body, _, err := w.ask(ctx, "GET", &u, nil, nil)
	if err != nil {
		return nil, err
	}
	return w.parse(body, base)
}

func (w Wikipedia) parse(body []byte, base *url.URL) ([]plumb.Lead, error) {
	answer, err := read[wikipediaAnswer](w.service, body)
	if err != nil {
		return nil, err
	}
	if answer.Error != nil {
		if answer.Error.Code == "ratelimited" || answer.Error.Code == "maxlag" {
			return nil, w.fault("is asked too often", nil)
		}
		return nil, w.fault("does not accept the request", nil)
	}
	if answer.Query.Search == nil {
		return nil, w.garbled(nil)
	}
	var leads []plumb.Lead
	for _, r := range answer.Query.Search {
		u := *base
		u.User, u.RawQuery = nil, ""
		u.Path = strings.TrimSuffix(base.Path, "/") + "/wiki/" + strings.ReplaceAll(r.Title, " ", "_")
		leads = append(leads, plumb.Lead{URL: u.String(), Title: r.Title, Snippet: string(r.Snippet),
			Date: isoDate(string(r.Timestamp), w.now()), Engine: w.name})
	}
	return leads, nil
}
