package remote

// Perplexity's sonar-deep-research, asked asynchronously. Format: docs.perplexity.ai, "Async Sonar". The text has numbers in
// brackets that count the sources from 1. It can't be told to stop.

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
)

type perplexity struct{}

func perplexityBase(path string) string { return strings.TrimSuffix(path, "/v1") }

type perplexityOrder struct {
	Request struct {
		Model    string              `json:"model"`
		Messages []perplexityMessage `json:"messages"`
	} `json:"request"`
	Key string `json:"idempotency_key,omitempty"`
}

type perplexityMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (perplexity) order(model string, o plumb.Order) request {
	body := perplexityOrder{Key: o.Key}
	body.Request.Model, body.Request.Messages = model, []perplexityMessage{{"user", wish(o)}}
	return request{path: "/v1/async/sonar", body: body}
}

func (perplexity) sign(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }
func (perplexity) look(job string) string         { return "/v1/async/sonar/" + url.PathEscape(job) }
func (perplexity) cancel(string) string           { return "" }

type perplexityAnswer struct {
	Status   string `json:"status"`
	Error    string `json:"error_message"`
	Response struct {
		Choices []struct {
			Message perplexityMessage `json:"message"`
		} `json:"choices"`
		Citations []string           `json:"citations"`
		Results   []perplexityResult `json:"search_results"`
		Usage     struct {
			Prompt     int64 `json:"prompt_tokens"`
			Completion int64 `json:"completion_tokens"`
			Citation   int64 `json:"citation_tokens"`
			Reasoning  int64 `json:"reasoning_tokens"`
			Cost       *struct {
				Total float64 `json:"total_cost"`
			} `json:"cost"`
		} `json:"usage"`
	} `json:"response"`
}

type perplexityResult struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

func (perplexity) read(body []byte) (answer, error) {
	var a perplexityAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return answer{}, err
	}
	out := answer{Delivery: plumb.Delivery{Status: strings.ToLower(a.Status), Bill: a.bill()}}
	switch a.Status {
	case "CREATED", "IN_PROGRESS":
	case "COMPLETED":
		out.Done, out.Report = true, a.report()
	case "FAILED":
		out.failed = or(a.Error, "it says that the job has failed")
	default:
		return answer{}, errStatus
	}
	return out, nil
}

func (a perplexityAnswer) bill() plumb.Bill {
	u := a.Response.Usage
	b := plumb.Bill{Input: max(u.Prompt, 0) + max(u.Citation, 0), Output: max(u.Completion, 0) + max(u.Reasoning, 0)}
	if u.Cost != nil && u.Cost.Total > 0 && u.Cost.Total < 1e6 {
		b.USD, b.Priced = u.Cost.Total, true
	}
	return b
}

// thoughts stand before the report.
var thoughts = regexp.MustCompile(`(?is)^\s*<think>.*?</think>`)

func (a perplexityAnswer) report() string {
	var all strings.Builder
	for _, c := range a.Response.Choices[:min(len(a.Response.Choices), 1)] {
		all.WriteString(thoughts.ReplaceAllString(c.Message.Content, ""))
	}
	text := strings.ToValidUTF8(all.String(), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	if listed.MatchString(text) {
		return strings.TrimSpace(text) + "\n"
	}
	return list(text, a.sources())
}

// sources in the order in which the text counts them.
func (a perplexityAnswer) sources() []source {
	titles := map[string]string{}
	var urls []string
	for _, r := range a.Response.Results {
		titles[r.URL] = r.Title
		urls = append(urls, r.URL)
	}
	if len(a.Response.Citations) > 0 {
		urls = a.Response.Citations
	}
	var out []source
	for i, raw := range urls[:min(len(urls), maxSources)] {
		if address := webAddress(raw); address != "" { // a number without an address leads nowhere, the others keep theirs
			out = append(out, source{i + 1, address, titles[raw]})
		}
	}
	return out
}
