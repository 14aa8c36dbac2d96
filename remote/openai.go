package remote

// OpenAI's deep-research models, in the background of its Responses API. Format: developers.openai.com, "Deep research",
// "Background mode", "Responses". Not used: streaming, files, other tools than the web search.

import (
	"encoding/json"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
)

type openAI struct{}

func openAIBase(path string) string {
	if path == "" {
		return "/v1"
	}
	return path
}

type openAIOrder struct {
	Model      string       `json:"model"`
	Input      string       `json:"input"`
	Background bool         `json:"background"`
	Store      bool         `json:"store"` // what works in the background must be kept
	Tools      []openAITool `json:"tools"`
}

type openAITool struct {
	Type string `json:"type"`
}

func (openAI) order(model string, o plumb.Order) request {
	return request{path: "/responses", header: map[string]string{"Idempotency-Key": o.Key},
		body: openAIOrder{Model: model, Input: wish(o), Background: true, Store: true, Tools: []openAITool{{"web_search_preview"}}}}
}

func (openAI) sign(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }
func (openAI) look(job string) string         { return "/responses/" + url.PathEscape(job) }
func (openAI) cancel(job string) string       { return "/responses/" + url.PathEscape(job) + "/cancel" }

type openAIAnswer struct {
	Status     string          `json:"status"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []struct {
		Type    string `json:"type"`
		Content []struct {
			Type        string `json:"type"`
			Text        string `json:"text"`
			Annotations []struct {
				Type  string `json:"type"`
				Start int    `json:"start_index"` // in characters
				End   int    `json:"end_index"`
				URL   string `json:"url"`
				Title string `json:"title"`
			} `json:"annotations"`
		} `json:"content"`
	} `json:"output"`
	Usage struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

func (openAI) read(body []byte) (answer, error) {
	var a openAIAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return answer{}, err
	}
	out := answer{Delivery: plumb.Delivery{Status: a.Status,
		Bill: plumb.Bill{Input: max(a.Usage.Input, 0), Cached: max(a.Usage.Details.Cached, 0), Output: max(a.Usage.Output, 0)}}}
	var t text
	for _, item := range a.Output {
		for _, part := range item.Content {
			if item.Type != "message" || part.Type != "output_text" {
				continue
			}
			t.begin(part.Text)
			at := newChars(part.Text)
			for _, n := range part.Annotations {
				if n.Type == "url_citation" {
					t.note(at.byte(n.Start), at.byte(n.End), n.URL, n.Title)
				}
			}
		}
	}
	switch a.Status {
	case "queued", "in_progress":
	case "completed":
		out.Done, out.Report = true, t.woven()
	case "incomplete": // cut off: what there is was paid for
		if out.Done, out.Report = true, t.woven(); out.Report == "" {
			out.failed = or(a.Incomplete.Reason, "it is incomplete")
		}
	case "failed", "cancelled":
		out.failed = or(message(a.Error), "it says that the job is "+a.Status)
	default:
		return answer{}, errStatus
	}
	return out, nil
}

// chars finds characters by their number.
type chars struct {
	s     string
	marks []int // the offset of every stride-th character
}

const stride = 1024

func newChars(s string) chars {
	c := chars{s: s}
	n := 0
	for at := range s {
		if n%stride == 0 {
			c.marks = append(c.marks, at)
		}
		n++
	}
	return c
}

// byte is the offset of a character; behind the last one, the length.
func (c chars) byte(char int) int {
	if char <= 0 {
		return 0
	}
	if char/stride >= len(c.marks) {
		return len(c.s)
	}
	at := c.marks[char/stride]
	for range char % stride {
		if at >= len(c.s) {
			return len(c.s)
		}
		_, size := utf8.DecodeRuneInString(c.s[at:])
		at += size
	}
	return at
}
