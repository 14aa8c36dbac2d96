package search

// Serper, which sells Google's results. Format: serper.dev, "API playground". Domains go into the query as operators,
// the date into Google's own parameter tbs. Not used: answer box, knowledge graph, related searches, news, country.

import (
	"context"
	"net/http"

	"github.com/plumbresearch/plumb"
)

// Serper is the engine of that name.
type Serper struct{ *service }

type serperQuery struct {
	Query    string `json:"q"`
	Num      int    `json:"num"`
	Language string `json:"hl,omitempty"`
	Range    string `json:"tbs,omitempty"`
}

type serperAnswer struct {
	Organic []struct {
		Link    string `json:"link"`
		Title   loose  `json:"title"`
		Snippet loose  `json:"snippet"`
		Date    loose  `json:"date"` // for people: "Mar 3, 2024", "2 days ago"
	} `json:"organic"`
}

// Search posts to /search.
func (s Serper) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := serperQuery{Query: q.withSites(), Num: q.Limit, Language: q.Language}
	if q.Since != "" {
		ask.Range = "cdr:1,cd_min:" + q.since("1/2/2006")
	}
	body, err := s.post(ctx, ask, http.Header{"X-Api-Key": {s.key}})
	if err != nil {
		return nil, err
	}
	return s.parse(body)
}

func (s Serper) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[serperAnswer](s.service, body)
	if err != nil {
		return nil, err
	}
	var leads []plumb.Lead
	for _, r := range answer.Organic {
		leads = append(leads, plumb.Lead{URL: r.Link, Title: string(r.Title), Snippet: string(r.Snippet),
			Date: isoDate(string(r.Date), s.now()), Engine: s.name})
	}
	return leads, nil
}
