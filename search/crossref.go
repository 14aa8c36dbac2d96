package search

// Crossref without a key. Format: api.crossref.org, "REST API", /works. Who gives a contact is served from its polite
// pool. Abstracts come as JATS, which is XML. Not used: facets, members, funders, references.

import (
	"context"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
)

// Crossref is the index of that name.
type Crossref struct{ *service }

type crossrefAnswer struct {
	Message struct {
		Items []struct {
			DOI      string   `json:"DOI"`
			Title    []string `json:"title"`
			Subtitle []string `json:"subtitle"`
			Abstract loose    `json:"abstract"`
			Issued   struct {
				Parts [][]*int `json:"date-parts"` // [[null]] when it is not known
			} `json:"issued"`
			Authors []struct {
				Given  loose `json:"given"`
				Family loose `json:"family"`
				Name   loose `json:"name"` // of an organisation
			} `json:"author"`
			Container []string `json:"container-title"`
		} `json:"items"`
	} `json:"message"`
}

var abstractTitle = regexp.MustCompile(`(?i)^\s*<jats:title>\s*(abstract|summary)\s*</jats:title>`)

// Search gets /works.
func (c Crossref) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := url.Values{"query.bibliographic": {strings.Join(q.words(), " ")}, "rows": {strconv.Itoa(q.Limit)},
		"select": {"DOI,title,subtitle,abstract,issued,author,container-title"}}
	if q.Since != "" {
		ask.Set("filter", "from-pub-date:"+q.since(time.DateOnly))
	}
	if c.contact != "" {
		ask.Set("mailto", c.contact)
	}
	body, _, err := c.get(ctx, "/works", ask, nil)
	if err != nil {
		return nil, err
	}
	return c.parse(body)
}

func (c Crossref) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[crossrefAnswer](c.service, body)
	if err != nil {
		return nil, err
	}
	if answer.Message.Items == nil {
		return nil, c.garbled(nil)
	}
	var leads []plumb.Lead
	for _, w := range answer.Message.Items {
		doi, ok := wholeDOI(w.DOI)
		if !ok || len(w.Title) == 0 {
			continue
		}
		l := plumb.Lead{URL: "https://doi.org/" + doi, DOI: doi, Title: w.Title[0], Engine: c.name,
			Snippet: abstractTitle.ReplaceAllString(string(w.Abstract), "")}
		if len(w.Subtitle) > 0 && w.Subtitle[0] != "" {
			l.Title += ": " + w.Subtitle[0]
		}
		if l.Snippet == "" && len(w.Container) > 0 {
			l.Snippet = w.Container[0]
		}
		if len(w.Issued.Parts) > 0 {
			l.Date = partsDate(known(w.Issued.Parts[0]))
		}
		for _, a := range w.Authors {
			if name := strings.TrimSpace(string(a.Given + " " + a.Family)); name != "" {
				l.Authors = append(l.Authors, name)
			} else {
				l.Authors = append(l.Authors, string(a.Name))
			}
		}
		leads = append(leads, l)
	}
	return leads, nil
}

// known are the parts of a date up to the first that is missing.
func known(parts []*int) []int {
	var out []int
	for _, p := range parts {
		if p == nil {
			break
		}
		out = append(out, *p)
	}
	return out
}
