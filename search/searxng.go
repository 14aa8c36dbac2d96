package search

// SearXNG, a metasearch engine that people run themselves; its address is trusted as configured. Format:
// docs.searxng.org, "Search API". Domains go into the query as operators, which most of the engines behind it
// understand. Not used: categories, choice of engines, paging, answers, infoboxes.

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/plumbresearch/plumb"
)

// SearXNG is the engine of that name.
type SearXNG struct{ *service }

const searxngCure = "does not give JSON: add json to search.formats in its settings.yml"

type searxngAnswer struct {
	Results []struct {
		URL       string `json:"url"`
		Title     loose  `json:"title"`
		Content   loose  `json:"content"`
		Published loose  `json:"publishedDate"`
	} `json:"results"`
}

// Search gets /search.
func (s SearXNG) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := url.Values{"q": {q.withSites()}, "format": {"json"}}
	if q.Language != "" {
		ask.Set("language", q.Language)
	}
	if r := q.age(s.now(), "day", "month", "year"); r != "" {
		ask.Set("time_range", r)
	}
	body, status, err := s.get(ctx, "/search", ask, nil)
	if status == http.StatusForbidden {
		return nil, s.fault(searxngCure, err)
	}
	if err != nil {
		return nil, err
	}
	leads, err := s.parse(body)
	return leads[:min(len(leads), q.Limit)], err
}

func (s SearXNG) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[searxngAnswer](s.service, body)
	var fault *Fault
	if errors.As(err, &fault) && len(body) > 0 && body[0] == '<' {
		return nil, s.fault(searxngCure, err)
	}
	if err != nil {
		return nil, err
	}
	if answer.Results == nil {
		return nil, s.garbled(nil)
	}
	var leads []plumb.Lead
	for _, r := range answer.Results {
		leads = append(leads, plumb.Lead{URL: r.URL, Title: string(r.Title), Snippet: string(r.Content),
			Date: isoDate(string(r.Published), s.now()), Engine: s.name})
	}
	return leads, nil
}
