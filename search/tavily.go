package search

// Tavily. Format: docs.tavily.com, "Search" in the API reference, and the official Python client. Not used: answer,
// raw content, images, topic and country; it has no parameter for the language.

import (
	"context"
	"net/http"
	"time"

	"github.com/plumbresearch/plumb"
)

// Tavily is the engine of that name.
type Tavily struct{ *service }

type tavilyQuery struct {
	Query     string   `json:"query"`
	Depth     string   `json:"search_depth"`
	Max       int      `json:"max_results"` // at most 20
	StartDate string   `json:"start_date,omitempty"`
	Include   []string `json:"include_domains,omitempty"` // at most 300
	Exclude   []string `json:"exclude_domains,omitempty"` // at most 150
}

type tavilyAnswer struct {
	Results []struct {
		URL       string `json:"url"`
		Title     loose  `json:"title"`
		Content   loose  `json:"content"`
		Published loose  `json:"published_date"` // of news only
	} `json:"results"`
}

// Search posts to /search.
func (t Tavily) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	body, err := t.post(ctx, tavilyQuery{
		Query: q.Text, Depth: "basic", Max: min(q.Limit, 20), StartDate: q.since(time.DateOnly),
		Include: q.Include[:min(len(q.Include), 300)], Exclude: q.Exclude[:min(len(q.Exclude), 150)],
	}, http.Header{"Authorization": {"Bearer " + t.key}})
	if err != nil {
		return nil, err
	}
	return t.parse(body)
}

func (t Tavily) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[tavilyAnswer](t.service, body)
	if err != nil {
		return nil, err
	}
	if answer.Results == nil {
		return nil, t.garbled(nil)
	}
	var leads []plumb.Lead
	for _, r := range answer.Results {
		leads = append(leads, plumb.Lead{URL: r.URL, Title: string(r.Title), Snippet: string(r.Content),
			Date: isoDate(string(r.Published), t.now()), Engine: t.name})
	}
	return leads, nil
}
