package search

// Perplexity's search API, which gives results, not answers. Format: docs.perplexity.ai, "Search API". Not used: chat,
// several queries at once, country, the academic and SEC modes, last_updated as a filter.

import (
	"context"
	"net/http"

	"github.com/plumbresearch/plumb"
)

// Perplexity is the engine of that name.
type Perplexity struct{ *service }

// perplexityDomains is how many domains its filter takes: all allowed ones, or all refused ones.
const perplexityDomains = 20

type perplexityQuery struct {
	Query     string   `json:"query"`
	Max       int      `json:"max_results"` // at most 20
	PerPage   int      `json:"max_tokens_per_page"`
	Domains   []string `json:"search_domain_filter,omitempty"`
	Languages []string `json:"search_language_filter,omitempty"`
	After     string   `json:"search_after_date_filter,omitempty"` // month/day/year
}

type perplexityAnswer struct {
	Results []struct {
		URL     string `json:"url"`
		Title   loose  `json:"title"`
		Snippet loose  `json:"snippet"`
		Date    loose  `json:"date"`
		Updated loose  `json:"last_updated"`
	} `json:"results"`
}

// Search posts to /search.
func (p Perplexity) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := perplexityQuery{Query: q.Text, Max: min(q.Limit, 20), PerPage: 512, After: q.since("01/02/2006")}
	if q.Language != "" {
		ask.Languages = []string{q.Language}
	}
	ask.Domains = q.Include[:min(len(q.Include), perplexityDomains)]
	if len(q.Include) == 0 {
		for _, d := range q.Exclude[:min(len(q.Exclude), perplexityDomains)] {
			ask.Domains = append(ask.Domains, "-"+d)
		}
	}
	body, err := p.post(ctx, ask, http.Header{"Authorization": {"Bearer " + p.key}})
	if err != nil {
		return nil, err
	}
	return p.parse(body)
}

func (p Perplexity) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[perplexityAnswer](p.service, body)
	if err != nil {
		return nil, err
	}
	if answer.Results == nil {
		return nil, p.garbled(nil)
	}
	var leads []plumb.Lead
	for _, r := range answer.Results {
		date := isoDate(string(r.Date), p.now())
		if date == "" {
			date = isoDate(string(r.Updated), p.now())
		}
		leads = append(leads, plumb.Lead{URL: r.URL, Title: string(r.Title), Snippet: string(r.Snippet), Date: date, Engine: p.name})
	}
	return leads, nil
}
