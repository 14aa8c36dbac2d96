package search

// Semantic Scholar, with a key or, more slowly, without. Format: api.semanticscholar.org/api-docs, "Paper relevance
// search". Words with hyphens find nothing there: they are taken apart. Not used: bulk search, snippet search,
// recommendations, embeddings, citation counts.

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
)

// SemanticScholar is the index of that name.
type SemanticScholar struct{ *service }

type semanticAnswer struct {
	Data []struct {
		ID       string `json:"paperId"`
		Title    loose  `json:"title"`
		Abstract loose  `json:"abstract"`
		Year     loose  `json:"year"`
		Date     loose  `json:"publicationDate"`
		IDs      struct {
			DOI   loose `json:"DOI"`
			ArXiv loose `json:"ArXiv"`
		} `json:"externalIds"`
		Open *struct {
			URL loose `json:"url"`
		} `json:"openAccessPdf"`
		Authors []struct {
			Name loose `json:"name"`
		} `json:"authors"`
	} `json:"data"`
}

// Search gets /paper/search.
func (s SemanticScholar) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := url.Values{"query": {strings.ReplaceAll(strings.Join(q.words(), " "), "-", " ")}, "limit": {strconv.Itoa(q.Limit)},
		"fields": {"title,abstract,year,publicationDate,externalIds,openAccessPdf,authors"}}
	if q.Since != "" {
		ask.Set("publicationDateOrYear", q.since(time.DateOnly)+":")
	}
	var header http.Header
	if s.key != "" {
		header = http.Header{"X-Api-Key": {s.key}}
	}
	body, _, err := s.get(ctx, "/paper/search", ask, header)
	if err != nil {
		return nil, err
	}
	return s.parse(body)
}

func (s SemanticScholar) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[semanticAnswer](s.service, body)
	if err != nil {
		return nil, err
	}
	var leads []plumb.Lead
	for _, p := range answer.Data {
		l := plumb.Lead{Title: string(p.Title), Snippet: string(p.Abstract), DOI: string(p.IDs.DOI), Engine: s.name, Date: isoDate(string(p.Date), s.now())}
		if l.Date == "" {
			l.Date = isoDate(string(p.Year), s.now())
		}
		doi, whole := wholeDOI(l.DOI)
		switch {
		case p.IDs.ArXiv != "":
			l.URL = "https://arxiv.org/abs/" + string(p.IDs.ArXiv)
		case p.Open != nil && p.Open.URL != "":
			l.URL = string(p.Open.URL)
		case whole:
			l.URL = "https://doi.org/" + doi
		default:
			l.URL = "https://www.semanticscholar.org/paper/" + url.PathEscape(p.ID)
		}
		for _, a := range p.Authors {
			l.Authors = append(l.Authors, string(a.Name))
		}
		leads = append(leads, l)
	}
	return leads, nil
}
