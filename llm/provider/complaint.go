package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/llm"
)

// complaint is what a provider says when it refuses.
type complaint struct {
	is     bool   // the body is an error by its form
	status int    // of HTTP, where the body holds one; 0: not said
	code   string // "insufficient_quota"
	kind   string // "rate_limit_error"
	text   string
}

// complaintWire holds the forms in use: OpenAI's and Anthropic's {"error": {…}}, Ollama's {"error": "…"}, and the flat
// ones of vLLM and FastAPI.
type complaintWire struct {
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
	Message string          `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
	Status  json.RawMessage `json:"status"` // Google's: "RESOURCE_EXHAUSTED"
}

// readComplaint reads the body of a refusal, whatever it is.
func readComplaint(body []byte) complaint {
	body = bytes.TrimSpace(body)
	if list := []json.RawMessage{}; json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // Google wraps its errors in a list
	}
	var w complaintWire
	if json.Unmarshal(body, &w) != nil {
		if bytes.HasPrefix(body, []byte("<")) {
			return complaint{text: "an HTML page where JSON was expected"}
		}
		return complaint{text: string(body)}
	}
	if said := word(w.Error); said != "" {
		return complaint{is: true, text: said, kind: w.Type, code: word(w.Code)}
	}
	var inner complaintWire
	if len(w.Error) > 0 && json.Unmarshal(w.Error, &inner) == nil && !bytes.Equal(w.Error, []byte("null")) {
		return inner.complaint()
	}
	if w.Object == "error" || len(w.Detail) > 0 || w.Message != "" {
		c := w.complaint()
		c.is = w.Object == "error"
		if c.text == "" {
			c.text = string(w.Detail)
		}
		return c
	}
	return complaint{text: string(body)}
}

func (w complaintWire) complaint() complaint {
	c := complaint{is: true, code: word(w.Code), kind: w.Type, text: w.Message}
	if c.kind == "" {
		c.kind = word(w.Status)
	}
	if json.Unmarshal(w.Code, &c.status) != nil || c.status < 400 || c.status > 599 {
		c.status = 0
	}
	return c
}

// word is a JSON string, "" for anything else.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// refusal judges an answer that says no. Status is 0 where the refusal came inside a stream.
func (c *call) refusal(status int, h http.Header, body []byte) *llm.Error {
	said := readComplaint(body)
	if status == 0 {
		status = said.status
	}
	said.status = status
	e := c.fail(said.trouble(c.extras), status, strings.TrimSpace(said.text+" "+said.code))
	switch e.Trouble {
	case llm.BadKey:
		e.Cure = c.at.badKey()
	case llm.RateLimited, llm.Overloaded:
		e.RetryAfter = retryAfter(h, string(body), time.Now())
	case llm.UnknownModel:
		if c.at.provider == "ollama" {
			e.Cure = fmt.Sprintf("Ollama does not have %s: fetch it with `ollama pull %s`", c.at.model, c.at.model)
		}
	case llm.Unreachable:
		e.Cure = fmt.Sprintf("what answers is not %s: check %s", c.at.provider, c.at.urlVar)
		if status < 400 {
			e.Cure = fmt.Sprintf("%s sends calls on to another address: set %s to it", c.at.provider, c.at.urlVar)
			e.Text = c.p.clean.text("redirect to " + h.Get("Location"))
		}
	}
	return e
}

func (e *endpoint) badKey() string {
	switch {
	case e.keyVar == "":
		return fmt.Sprintf("%s refuses the call: check %s", e.provider, e.urlVar)
	case e.key == "":
		return fmt.Sprintf("%s wants a key: set %s", e.provider, e.keyVar)
	}
	return fmt.Sprintf("%s refuses the key: set another in %s", e.provider, e.keyVar)
}

// The words by which complaints are told apart, in lower case. Codes alone don't do: half of the servers send none.
var (
	quotaCodes = []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
	quotaWords = []string{"credit balance is too low", "insufficient balance", "insufficient credits", "insufficient funds",
		"reached your specified api usage limits", "limit: 0,"}
	keyCodes   = []string{"invalid_api_key", "authentication_error", "permission_error", "unauthenticated", "permission_denied"}
	keyWords   = []string{"api key not valid", "invalid api key", "incorrect api key"}
	rateCodes  = []string{"rate_limit_error", "rate_limit_exceeded", "resource_exhausted"}
	modelCodes = []string{"model_not_found", "model_not_available"}
	modelWords = []string{"not a valid model", "unknown model", "invalid model"}
	longCodes  = []string{"context_length_exceeded", "exceed_context_size_error", "request_too_large", "string_above_max_length"}
	longWords  = []string{"maximum context length", "prompt is too long", "context window", "context length", "context size",
		"exceed context limit", "exceeds the maximum number of tokens", "tokens must be reduced", "maximum input length", "too many tokens"}
	extraWords = []string{"support tool", "support function", "tool use", "tool choice", "tool_choice", "tools is not", "tools are not",
		"response_format", "response format", "json_schema", "json schema", "output_config", "output_format", "structured output",
		"response_schema", "function_declarations", "invalid schema", "input_schema"}
	busyCodes = []string{"overloaded_error", "api_error", "server_error", "unavailable", "internal"}
)

// trouble tells what a complaint is about. Extras: the request held tools or a schema.
func (c complaint) trouble(extras bool) llm.Trouble {
	text := strings.ToLower(c.text)
	is := func(codes []string) bool {
		return slices.Contains(codes, strings.ToLower(c.code)) || slices.Contains(codes, strings.ToLower(c.kind))
	}
	says := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	inRequest := c.status == 0 || c.status == 400 || c.status == 404 || c.status == 422 || c.status == 501
	switch {
	case c.status == http.StatusPaymentRequired || is(quotaCodes) || says(quotaWords):
		return llm.Quota
	case c.status == http.StatusUnauthorized || c.status == http.StatusForbidden || is(keyCodes) || says(keyWords):
		return llm.BadKey
	case is(longCodes) || c.status == http.StatusRequestEntityTooLarge || (inRequest || c.status == 429) && says(longWords):
		return llm.TooLong
	case c.status == http.StatusTooManyRequests || is(rateCodes):
		return llm.RateLimited
	case is(modelCodes) || inRequest && says(modelWords):
		return llm.UnknownModel
	case inRequest && extras && says(extraWords):
		return llm.Unsupported
	case c.status == http.StatusNotFound && c.is && strings.Contains(text, "model"):
		return llm.UnknownModel
	case c.status >= 300 && c.status < 400 || c.status == http.StatusNotFound || c.status == http.StatusMethodNotAllowed:
		return llm.Unreachable
	case c.status == http.StatusRequestTimeout:
		return llm.Stalled
	case c.status >= 500 || is(busyCodes) || c.status == 0:
		return llm.Overloaded
	}
	return llm.BadRequest
}
