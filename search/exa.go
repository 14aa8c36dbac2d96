package search

// Exa. Format: docs.exa.ai, "Search" in the API reference. Of the contents it asks for highlights, which show what
// answers the query. Not used: full text, summaries, categories, subpages, deep search; it has no parameter for the
// language.

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
)

// Exa is the engine of that name.
type Exa struct{ *service }

type exaQuery struct {
	Query    string      `json:"query"`
	Type     string      `json:"type"`
	Num      int         `json:"numResults"`
	Start    string      `json:"startPublishedDate,omitempty"`
	Include  []string    `json:"includeDomains,omitempty"`
	Exclude  []string    `json:"excludeDomains,omitempty"`
	Contents exaContents `json:"contents"`
}

type exaContents struct {
	Highlights bool `json:"highlights"`
}

type exaAnswer struct {
	Results []struct {
		URL        string   `json:"url"`
		Title      loose    `json:"title"`
		Published  loose    `json:"publishedDate"`
		Author     loose    `json:"author"`
		Highlights []string `json:"highlights"`
		Text       loose    `json:"text"`
	} `json:"results"`
}

// Search posts to /search.
func (e Exa) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	body, err := e.post(ctx, exaQuery{
		Query: q.Text, Type: "auto", Num: q.Limit, Start: q.since(time.DateOnly + "T00:00:00.000Z"),
		Include: q.Include, Exclude: q.Exclude, Contents: exaContents{Highlights: true},
	}, http.Header{"X-Api-Key": {e.key}})
	if err != nil {
		return nil, err
	}
	return e.parse(body)
}

func (e Exa) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[exaAnswer](e.service, body)
	if err != nil {
		return nil, err
	}
	if answer.Results == nil {
		return nil, e.garbled(nil)
	}
	var leads []plumb.Lead
	for _, r := range answer.Results {
		snippet := strings.Join(r.Highlights, " … ")
		if snippet == "" {
			snippet = string(r.Text)
		}
		// The author of a web page is often its site: it makes no paper of it.
		leads = append(leads, plumb.Lead{URL: r.URL, Title: string(r.Title), Snippet: snippet,
			Date: isoDate(string(r.Published), e.now()), Engine: e.name})
	}
	return leads, nil
}
