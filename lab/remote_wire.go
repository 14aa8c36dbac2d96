package lab

// The three formats in which deep-research services take orders and give answers. The types are the lab's own, from the
// providers' documentation: what the program reads must not be written with what it reads it with.

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

type openAIRemote struct{}

func (openAIRemote) name() string { return "openai" }
func (openAIRemote) path() string { return "/v1/responses" }
func (openAIRemote) key(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (openAIRemote) read(r *http.Request, body []byte) (RemoteJob, bool) {
	var o struct {
		Model      string
		Input      string
		Background bool
		Tools      []struct{ Type string }
	}
	ok := decode(body, &o) && o.Model != "" && o.Input != "" && o.Background && len(o.Tools) > 0 && o.Tools[0].Type == "web_search_preview"
	return RemoteJob{Service: "openai", Model: o.Model, Text: o.Input, Key: r.Header.Get("Idempotency-Key")}, ok
}

func (openAIRemote) status(state string) string {
	return map[string]string{"queued": "queued", "working": "in_progress", "done": "completed", "failed": "failed", "cancelled": "cancelled", "incomplete": "incomplete"}[state]
}

type responsesObject struct {
	ID         string           `json:"id"`
	Object     string           `json:"object"`
	Status     string           `json:"status"`
	Background bool             `json:"background"`
	Error      *remoteError     `json:"error"`
	Incomplete *struct{}        `json:"incomplete_details"`
	Output     []responsesItem  `json:"output"`
	Usage      *responsesTokens `json:"usage"`
}

type responsesItem struct {
	Type    string          `json:"type"`
	Content []responsesText `json:"content,omitempty"`
}

type responsesText struct {
	Type        string              `json:"type"`
	Text        string              `json:"text"`
	Annotations []responsesCitation `json:"annotations"`
}

type responsesCitation struct {
	Type  string `json:"type"`
	Start int    `json:"start_index"`
	End   int    `json:"end_index"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

type responsesTokens struct {
	Input   int `json:"input_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output int `json:"output_tokens"`
	Total  int `json:"total_tokens"`
}

// write counts characters. Every second source is a link in the text, as the models do it, the others are only annotated.
func (openAIRemote) write(j *RemoteJob, status string, w *written) any {
	out := responsesObject{ID: j.ID, Object: "response", Status: status, Background: true, Output: []responsesItem{}}
	if w == nil {
		return out
	}
	if status == "failed" {
		out.Error = &remoteError{Code: "server_error", Message: "The model gave up. Bearer sk-proj-0123456789abcdef"}
	}
	out.Usage = &responsesTokens{Input: 60_000, Output: 9_000, Total: 69_000}
	out.Usage.Details.Cached = 20_000
	var b strings.Builder
	var notes []responsesCitation
	b.WriteString(w.heading())
	for i, s := range w.said {
		start := utf8.RuneCountInString(b.String())
		if i%2 == 1 {
			b.WriteString(strings.TrimSuffix(s.text, ".") + " ")
			start = utf8.RuneCountInString(b.String())
			b.WriteString("([" + hostOfURL(s.url) + "](" + s.url + "))")
		} else {
			b.WriteString(s.text)
		}
		notes = append(notes, responsesCitation{"url_citation", start, utf8.RuneCountInString(b.String()), s.url, s.title})
		if i%2 == 1 {
			b.WriteString(".")
		}
		b.WriteString("\n\n")
	}
	out.Output = []responsesItem{{Type: "reasoning"}, {Type: "web_search_call"}, {Type: "message", Content: []responsesText{{"output_text", b.String(), notes}}}}
	return out
}

// remoteError is an error as all of them wrap it.
type remoteError struct {
	Code    any    `json:"code"`
	Message string `json:"message"`
}

func (openAIRemote) fail(status int) any {
	return struct {
		Error remoteError `json:"error"`
	}{remoteError{"lab", "Refused with " + strconv.Itoa(status)}}
}

func (w *written) heading() string {
	if w.title == "" {
		return ""
	}
	return "# " + w.title + "\n\n"
}

func hostOfURL(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return u.Host
	}
	return ""
}

type geminiRemote struct{}

func (geminiRemote) name() string               { return "gemini" }
func (geminiRemote) path() string               { return "/v1beta/interactions" }
func (geminiRemote) key(r *http.Request) string { return r.Header.Get("X-Goog-Api-Key") }

func (geminiRemote) read(_ *http.Request, body []byte) (RemoteJob, bool) {
	var o struct {
		Agent      string
		Input      string
		Background bool
	}
	ok := decode(body, &o) && o.Agent != "" && o.Input != "" && o.Background
	return RemoteJob{Service: "gemini", Model: o.Agent, Text: o.Input}, ok
}

func (geminiRemote) status(state string) string {
	return map[string]string{"queued": "in_progress", "working": "in_progress", "done": "completed", "failed": "failed", "cancelled": "cancelled", "incomplete": "incomplete"}[state]
}

type interaction struct {
	ID     string            `json:"id"`
	Object string            `json:"object"`
	Status string            `json:"status"`
	Agent  string            `json:"agent"`
	Error  *remoteError      `json:"error,omitempty"`
	Steps  []interactionStep `json:"steps"`
	Usage  map[string]int    `json:"usage,omitempty"`
}

type interactionStep struct {
	Type    string            `json:"type"`
	Content []interactionText `json:"content,omitempty"`
}

type interactionText struct {
	Type        string              `json:"type"`
	Text        string              `json:"text"`
	Annotations []responsesCitation `json:"annotations,omitempty"`
}

// write counts bytes.
func (geminiRemote) write(j *RemoteJob, status string, w *written) any {
	out := interaction{ID: j.ID, Object: "interaction", Status: status, Agent: j.Model,
		Steps: []interactionStep{{Type: "user_input", Content: []interactionText{{Type: "text", Text: j.Text}}}}}
	if w == nil {
		return out
	}
	if status == "failed" {
		out.Error = &remoteError{Code: 13, Message: "Internal error."}
	}
	out.Usage = map[string]int{"total_input_tokens": 40_000, "total_output_tokens": 7_000, "total_thought_tokens": 2_000, "total_cached_tokens": 0, "total_tool_use_tokens": 5_000, "total_tokens": 54_000}
	var b strings.Builder
	var notes []responsesCitation
	b.WriteString(w.heading())
	for _, s := range w.said {
		start := b.Len()
		b.WriteString(s.text)
		notes = append(notes, responsesCitation{"url_citation", start, b.Len(), s.url, s.title})
		b.WriteString("\n\n")
	}
	out.Steps = append(out.Steps, interactionStep{Type: "thought"}, interactionStep{Type: "model_output", Content: []interactionText{{"text", b.String(), notes}}})
	return out
}

func (geminiRemote) fail(status int) any {
	return struct {
		Error remoteError `json:"error"`
	}{remoteError{status, "Refused with " + strconv.Itoa(status)}}
}

type perplexityRemote struct{}

func (perplexityRemote) name() string { return "perplexity" }
func (perplexityRemote) path() string { return "/v1/async/sonar" }
func (perplexityRemote) key(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (perplexityRemote) read(_ *http.Request, body []byte) (RemoteJob, bool) {
	var o struct {
		Request struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		Key string `json:"idempotency_key"`
	}
	if !decode(body, &o) || o.Request.Model == "" || len(o.Request.Messages) == 0 || o.Request.Messages[0].Role != "user" {
		return RemoteJob{}, false
	}
	return RemoteJob{Service: "perplexity", Model: o.Request.Model, Text: o.Request.Messages[0].Content, Key: o.Key}, true
}

func (perplexityRemote) status(state string) string {
	return map[string]string{"queued": "CREATED", "working": "IN_PROGRESS", "done": "COMPLETED", "incomplete": "COMPLETED"}[state] + map[bool]string{true: "FAILED"}[state == "failed" || state == "cancelled"]
}

type asyncSonar struct {
	ID       string         `json:"id"`
	Model    string         `json:"model"`
	Status   string         `json:"status"`
	Response *sonarResponse `json:"response"`
	Error    *string        `json:"error_message"`
}

type sonarResponse struct {
	Choices   []sonarChoice `json:"choices"`
	Citations []string      `json:"citations"`
	Results   []sonarResult `json:"search_results"`
	Usage     sonarUsage    `json:"usage"`
}

type sonarChoice struct {
	Message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"message"`
	Finish string `json:"finish_reason"`
}

type sonarResult struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

type sonarUsage struct {
	Prompt     int                `json:"prompt_tokens"`
	Completion int                `json:"completion_tokens"`
	Citation   int                `json:"citation_tokens"`
	Reasoning  int                `json:"reasoning_tokens"`
	Cost       map[string]float64 `json:"cost"`
}

// write numbers the sources as they come, each once.
func (perplexityRemote) write(j *RemoteJob, status string, w *written) any {
	out := asyncSonar{ID: j.ID, Model: j.Model, Status: status}
	switch {
	case w == nil:
		return out
	case status == "FAILED":
		why := "upstream\ntimeout"
		out.Error = &why
		return out
	}
	res := &sonarResponse{Usage: sonarUsage{30, 6_000, 20_000, 80_000, map[string]float64{"total_cost": 0.83, "request_cost": 0.1}}}
	numbers := map[string]int{}
	body := "<think>\nWhat do they want? [9]\n</think>\n\n" + w.heading()
	for _, s := range w.said {
		if numbers[s.url] == 0 {
			res.Citations = append(res.Citations, s.url)
			res.Results = append(res.Results, sonarResult{s.title, s.url})
			numbers[s.url] = len(res.Citations)
		}
		body += strings.TrimSuffix(s.text, ".") + "[" + strconv.Itoa(numbers[s.url]) + "].\n\n"
	}
	if len(w.said) == 0 {
		body = ""
	}
	res.Choices = make([]sonarChoice, 1)
	res.Choices[0].Message.Role, res.Choices[0].Message.Content, res.Choices[0].Finish = "assistant", body, "stop"
	out.Response = res
	return out
}

func (perplexityRemote) fail(status int) any {
	return struct {
		Error remoteError `json:"error"`
	}{remoteError{status, "Refused with " + strconv.Itoa(status)}}
}
