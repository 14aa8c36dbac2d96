package search

// Brave Search. Format: api-dashboard.search.brave.com, "Web Search". Domains go into the query as operators. Not
// used: news, videos, locations, infobox, summaries, country.

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

// braveLanguages are Brave's names for the languages that it knows; it refuses others.
var braveLanguages = func() map[string]string {
	all := map[string]string{"ja": "jp", "zh": "zh-hans", "pt": "pt-pt", "no": "nb"}
	for _, l := range strings.Fields(`ar eu bn bg ca hr cs da nl en et fi fr gl de gu he hi hu is it kn ko lv lt ms ml mr nb pl pa ro ru sr sk sl es
		sv ta te th tr uk vi`) {
		all[l] = l
	}
	return all
}()

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
	if lang := braveLanguages[q.Language]; lang != "" {
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
