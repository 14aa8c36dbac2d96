package search

// Brave Search. Format: api-dashboard.search.brave.com, "Web Search". Domains go into the query as operators. Not used: news, videos,
// locations, infobox, summaries, country.

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
)

// Brave is the engine of that name.
type Brave struct{ *service }

// braveLanguages are those that Brave calls by another name than ISO 639-1.
var braveLanguages = map[string]string{"ja": "jp", "zh": "zh-hans", "pt": "pt-pt", "no": "nb"}

type braveAnswer struct {
	Web struct {
		Results []struct {
			URL         string   `json:"url"`
			Title       loose    `json:"title"`
			Description loose    `json:"description"`
			PageAge     loose    `json:"page_age"` // ISO, without a zone
			Age         loose    `json:"age"`      // for people
			Extra       []string `json:"extra_snippets"`
		} `json:"results"`
	} `json:"web"`
}

// Search gets /res/v1/web/search.
func (b Brave) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := url.Values{"q": {q.withSites()}, "count": {strconv.Itoa(min(q.Limit, 20))}, "result_filter": {"web"}, "text_decorations": {"false"}}
	if q.Language != "" {
		lang := q.Language
		if own := braveLanguages[lang]; own != "" {
			lang = own
		}
		ask.Set("search_lang", lang)
	}
	if q.Since != "" {
		ask.Set("freshness", q.since(time.DateOnly)+"to"+b.now().UTC().Format(time.DateOnly))
	}
	body, _, err := b.get(ctx, "/res/v1/web/search", ask, http.Header{"X-Subscription-Token": {b.key}})
	if err != nil {
		return nil, err
	}
	return b.parse(body)
}

func (b Brave) parse(body []byte) ([]plumb.Lead, error) {
	answer, err := read[braveAnswer](b.service, body)
	if err != nil {
		return nil, err
	}
	var leads []plumb.Lead
	for _, r := range answer.Web.Results {
		date := isoDate(string(r.PageAge), b.now())
		if date == "" {
			date = isoDate(string(r.Age), b.now())
		}
		snippet := strings.Join(append([]string{string(r.Description)}, r.Extra...), " … ")
		leads = append(leads, plumb.Lead{URL: r.URL, Title: string(r.Title), Snippet: snippet, Date: date, Engine: b.name})
	}
	return leads, nil
}
