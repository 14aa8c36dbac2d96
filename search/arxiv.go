package search

// arXiv without a key. Format: info.arxiv.org, "API User's Manual" (an Atom feed; an error is an entry titled
// "Error"). Not used: categories, id lists, paging, PDF links: the abstract's page leads the reader to the full text.

import (
	"context"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// ArXiv is the index of that name.
type ArXiv struct{ *service }

type arXivFeed struct {
	XMLName xml.Name `xml:"feed"`
	Entries []struct {
		ID        string `xml:"id"`
		Title     string `xml:"title"`
		Summary   string `xml:"summary"`
		Published string `xml:"published"`
		DOI       string `xml:"doi"`
		Authors   []struct {
			Name string `xml:"name"`
		} `xml:"author"`
	} `xml:"entry"`
}

// Search gets /api/query.
func (a ArXiv) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := url.Values{"search_query": {a.expression(q)}, "start": {"0"}, "max_results": {strconv.Itoa(q.Limit)}, "sortBy": {"relevance"}, "sortOrder": {"descending"}}
	body, _, err := a.get(ctx, "/api/query", ask, http.Header{"Accept": {"application/atom+xml"}})
	if err != nil {
		return nil, err
	}
	return a.parse(body)
}

// expression asks for words anywhere in a paper's record.
func (a ArXiv) expression(q Query) string {
	var terms []string
	for _, w := range q.words() {
		if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
			w = `"` + w + `"`
		}
		terms = append(terms, "all:"+w)
	}
	how := " AND "
	if len(terms) > allWords {
		how = " OR "
	}
	s := strings.Join(terms, how)
	if q.Since != "" {
		s = "(" + s + ") AND submittedDate:[" + q.since("20060102") + "0000 TO " + a.now().UTC().Format("20060102") + "2359]"
	}
	return s
}

func (a ArXiv) parse(body []byte) ([]plumb.Lead, error) {
	var feed arXivFeed
	if err := xml.Unmarshal(body, &feed); err != nil {
		return nil, a.garbled(err)
	}
	var leads []plumb.Lead
	for _, e := range feed.Entries {
		id, ok := link.ArXiv(strings.TrimSpace(e.ID))
		if !ok {
			if strings.TrimSpace(e.Title) == "Error" {
				return nil, a.fault("does not accept the request", nil)
			}
			continue
		}
		l := plumb.Lead{URL: "https://arxiv.org/abs/" + id, Title: e.Title, Snippet: e.Summary, DOI: e.DOI,
			Date: isoDate(e.Published, a.now()), Engine: a.name}
		for _, author := range e.Authors {
			l.Authors = append(l.Authors, author.Name)
		}
		leads = append(leads, l)
	}
	return leads, nil
}
