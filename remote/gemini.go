package remote

// Gemini's deep-research agent, in the background of its Interactions API. Format: ai.google.dev, "Gemini Deep Research
// Agent", "Interactions API". What it wrote is in steps; in answers of the form before May 2026, in outputs. Not used:
// streaming, files, planning together.

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
)

type gemini struct{}

// geminiBase finds the API beside the OpenAI-compatible endpoint, which is where models are asked.
func geminiBase(path string) string {
	path = strings.TrimSuffix(path, "/openai")
	if !strings.HasSuffix(path, "/v1beta") {
		path += "/v1beta"
	}
	return path
}

type geminiOrder struct {
	Agent      string `json:"agent"`
	Input      string `json:"input"`
	Background bool   `json:"background"`
	Store      bool   `json:"store"`
}

func (gemini) order(model string, o plumb.Order) request {
	return request{path: "/interactions", body: geminiOrder{Agent: model, Input: wish(o), Background: true, Store: true}}
}

func (gemini) sign(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) }
func (gemini) look(job string) string         { return "/interactions/" + url.PathEscape(job) }
func (gemini) cancel(job string) string       { return "/interactions/" + url.PathEscape(job) + "/cancel" }

type geminiContent struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Annotations []struct {
		Start  int    `json:"start_index"` // in bytes
		End    int    `json:"end_index"`
		URL    string `json:"url"`
		Title  string `json:"title"`
		Source string `json:"source"` // the address, before May 2026
	} `json:"annotations"`
}

type geminiAnswer struct {
	Status string          `json:"status"`
	Error  json.RawMessage `json:"error"`
	Steps  []struct {
		Type    string          `json:"type"`
		Content []geminiContent `json:"content"`
	} `json:"steps"`
	Outputs []geminiContent `json:"outputs"`
	Usage   struct {
		Input   int64 `json:"total_input_tokens"`
		Cached  int64 `json:"total_cached_tokens"`
		Output  int64 `json:"total_output_tokens"`
		Thought int64 `json:"total_thought_tokens"`
		Tools   int64 `json:"total_tool_use_tokens"`
	} `json:"usage"`
}

func (gemini) read(body []byte) (answer, error) {
	var a geminiAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return answer{}, err
	}
	u := a.Usage
	out := answer{Delivery: plumb.Delivery{Status: a.Status,
		Bill: plumb.Bill{Input: max(u.Input, 0) + max(u.Tools, 0), Cached: max(u.Cached, 0), Output: max(u.Output, 0) + max(u.Thought, 0)}}}
	said := a.Outputs
	for _, s := range a.Steps {
		if s.Type == "model_output" {
			said = append(said, s.Content...)
		}
	}
	switch a.Status {
	case "in_progress":
	case "completed":
		out.Done, out.Report = true, geminiReport(said)
	case "incomplete":
		if out.Done, out.Report = true, geminiReport(said); out.Report == "" {
			out.failed = "it is incomplete"
		}
	case "failed", "cancelled", "requires_action":
		out.failed = or(message(a.Error), "it says that the job is "+a.Status)
	default:
		return answer{}, errStatus
	}
	return out, nil
}

var (
	// The agent marks sources itself, [cite: 1, 2], and lists them at the end.
	citeMark = regexp.MustCompile(` ?\[cite: ?(\d{1,3}(?: ?, ?\d{1,3}){0,30})\]`)
	listed   = regexp.MustCompile(`(?m)^\s*(?:\d{1,3}\.|\[\d{1,3}\])\s.*https?://`)
)

// geminiReport puts the parts together. Where the agent has marked its sources and listed them, its own numbers stay; else
// its notes are woven in.
func geminiReport(said []geminiContent) string {
	var t text
	for _, c := range said {
		if c.Type != "text" {
			continue
		}
		t.begin(c.Text)
		for _, n := range c.Annotations {
			t.note(n.Start, n.End, or(n.URL, n.Source), n.Title)
		}
	}
	all := t.b.String()
	if citeMark.MatchString(all) && listed.MatchString(all) {
		return strings.ToValidUTF8(strings.TrimSpace(citeMark.ReplaceAllString(all, " [$1]"))+"\n", "\uFFFD")
	}
	return citeMark.ReplaceAllString(t.woven(), "")
}
