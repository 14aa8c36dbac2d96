package search

// OpenAlex. Format: developers.openalex.org, "Works". It works without a key for a few searches a day; a free key
// allows a thousand. Abstracts come as an inverted index, word → places. Not used: semantic search, topics, citation
// counts, and the filter for language: papers on a question in any language are mostly in English.

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// OpenAlex is the index of that name.
type OpenAlex struct{ *service }

type openAlexAnswer struct {
	Results []openAlexWork `json:"results"`
}

type openAlexWork struct {
	ID          string           `json:"id"`
	DOI         loose            `json:"doi"`
	Title       loose            `json:"display_name"`
	Date        loose            `json:"publication_date"`
	Abstract    map[string][]int `json:"abstract_inverted_index"`
	Primary     *openAlexPlace   `json:"primary_location"`
	Best        *openAlexPlace   `json:"best_oa_location"`
	Authorships []struct {
		Author struct {
			Name loose `json:"display_name"`
		} `json:"author"`
	} `json:"authorships"`
}

type openAlexPlace struct {
	Landing loose `json:"landing_page_url"`
	PDF     loose `json:"pdf_url"`
}

// maxPlaces bounds an abstract's words.
const maxPlaces = 2000

// Search gets /works.
func (o OpenAlex) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := url.Values{"search": {q.either()}, "per_page": {strconv.Itoa(q.Limit)},
		"select": {"id,doi,display_name,publication_date,abstract_inverted_index,primary_location,best_oa_location,authorships"}}
	if q.Since != "" {
		ask.Set("filter", "from_publication_date:"+q.since(time.DateOnly))
	}
	if o.key != "" {
		ask.Set("api_key", o.key)
	}
	if o.contact != "" {
		ask.Set("mailto", o.contact)
	}
	body, _, err := o.get(ctx, "/works", ask, nil)
	if err != nil {
		return nil, err
	}
	return o.parse(body)
}

func (o OpenAlex) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[openAlexAnswer](o.service, body)
	if err != nil {
		return nil, err
	}
	if answer.Results == nil {
		return nil, o.garbled(nil)
	}
	var leads []plumb.Lead
	for _, w := range answer.Results {
		l := plumb.Lead{URL: w.address(), Title: string(w.Title), Snippet: upright(w.Abstract), DOI: string(w.DOI),
			Date: isoDate(string(w.Date), o.now()), Engine: o.name}
		for _, a := range w.Authorships {
			l.Authors = append(l.Authors, string(a.Author.Name))
		}
		leads = append(leads, l)
	}
	return leads, nil
}

// address is where the work can be read: on arXiv, free of charge elsewhere, at its DOI, or else where it is recorded.
func (w openAlexWork) address() string {
	var free, other []string
	if doi, ok := wholeDOI(string(w.DOI)); ok {
		other = append(other, "https://doi.org/"+doi)
	}
	if w.Best != nil {
		free = append(free, string(w.Best.Landing), string(w.Best.PDF))
	}
	if w.Primary != nil {
		other = append(other, string(w.Primary.Landing))
	}
	for _, u := range append(free, other...) {
		if id, ok := link.ArXiv(u); ok {
			return "https://arxiv.org/abs/" + id
		}
	}
	// A landing page free of charge that is only the DOI again may still be a wall; its PDF is the text.
	if w.Best != nil && w.Best.PDF != "" {
		return string(w.Best.PDF)
	}
	for _, u := range append(free, other...) {
		if u != "" {
			return u
		}
	}
	return w.ID
}

// upright turns an inverted index back into its text.
func upright(index map[string][]int) string {
	words := make([]string, maxPlaces)
	end := 0
	for word, places := range index {
		for _, p := range places {
			// Two words in one place: the smaller one, whatever the order of the map.
			if p >= 0 && p < maxPlaces && (words[p] == "" || word < words[p]) {
				words[p] = word
				end = max(end, p+1)
			}
		}
	}
	return strings.Join(words[:end], " ")
}
