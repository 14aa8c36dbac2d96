package lab

// Chats in OpenAI's format: POST /v1/chat/completions, whole and as a stream.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/llm"
)

type openAI struct{}

// chatFields are the fields of a request; others are refused.
var chatFields = strings.Fields(`audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages
	metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
	prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options
	temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`)

type chatRequest struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	Tools               []chatTool    `json:"tools"`
	ToolChoice          chatChoice    `json:"tool_choice"`
	ResponseFormat      *chatFormat   `json:"response_format"`
	MaxTokens           *int          `json:"max_tokens"`
	MaxCompletionTokens *int          `json:"max_completion_tokens"`
	Stream              bool          `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    content    `json:"content"`
	ToolCalls  []chatCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

type chatCall struct {
	Index    *int   `json:"index,omitempty"` // in streams
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	} `json:"function"`
}

type chatFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	} `json:"json_schema"`
}

// chatChoice is "auto", "none", "required" or a function by its name.
type chatChoice struct{ mode, function string }

func (c *chatChoice) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &c.mode) == nil {
		return nil
	}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	err := json.Unmarshal(b, &named)
	c.function = named.Function.Name
	return err
}

// content is a text, or parts of which the texts are kept.
type content struct {
	text string
	null bool
}

func (c *content) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		c.null = true
		return nil
	}
	if json.Unmarshal(b, &c.text) == nil {
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type != "text" {
			return fmt.Errorf("content of type %q", p.Type)
		}
		c.text += p.Text
	}
	return nil
}

func (openAI) key(r *http.Request) string {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return key
}

func (openAI) read(_ *http.Request, body []byte) (*call, *fault) {
	if name := unknownField(body, chatFields); name != "" {
		return nil, bad("", "unknown_parameter", "Unknown parameter: '%s'.", name)
	}
	var q chatRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, bad("", "", "We could not parse the JSON body of your request. (%v)", err)
	}
	switch {
	case q.Model == "":
		return nil, bad("", "", "you must provide a model parameter")
	case len(q.Messages) == 0:
		return nil, bad("messages", "empty_array", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case q.MaxTokens != nil && q.MaxCompletionTokens != nil:
		return nil, bad("max_tokens", "invalid_parameter_combination", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	}
	c := &call{model: q.Model, stream: q.Stream, usage: q.StreamOptions.IncludeUsage, req: &llm.Request{}}
	for _, limit := range []*int{q.MaxTokens, q.MaxCompletionTokens} {
		if limit != nil && *limit < 1 {
			return nil, bad("max_tokens", "integer_below_min_value", "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got %d instead.", *limit)
		} else if limit != nil {
			c.req.Output = *limit
		}
	}
	if f := q.messages(c); f != nil {
		return nil, f
	}
	if f := q.tools(c); f != nil {
		return nil, f
	}
	if f := q.format(c); f != nil {
		return nil, f
	}
	c.prompt = readPrompt(c.req)
	return c, nil
}

func bad(param, code, format string, args ...any) *fault {
	return &fault{kind: "request", status: http.StatusBadRequest, param: param, code: code, text: fmt.Sprintf(format, args...)}
}

// unknownField names a field of an object that is not listed; "" where all are.
func unknownField(body []byte, known []string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return "" // said by whoever reads it
	}
	var out []string
	for name := range fields {
		if !slices.Contains(known, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

var speakers = map[string]llm.Speaker{"system": llm.System, "developer": llm.System, "user": llm.User, "assistant": llm.Assistant, "tool": llm.ToolReply}

// messages checks that every call of a tool is answered right after it, and nothing else is.
func (q *chatRequest) messages(c *call) *fault {
	var open []string // calls that wait for their reply
	unanswered := func(i int) *fault {
		return bad(fmt.Sprintf("messages.[%d].role", i), "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	for i, msg := range q.Messages {
		from, known := speakers[msg.Role]
		waits := slices.Index(open, msg.ToolCallID)
		switch {
		case !known:
			return bad(fmt.Sprintf("messages[%d].role", i), "invalid_value", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", msg.Role)
		case from == llm.ToolReply && waits < 0:
			return bad(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
		case from == llm.ToolReply:
			open = slices.Delete(open, waits, waits+1)
		case len(open) > 0:
			return unanswered(i)
		case msg.Content.null && len(msg.ToolCalls) == 0:
			return bad(fmt.Sprintf("messages.[%d].content", i), "", "Invalid value for 'content': expected a string, got null.")
		}
		m := llm.Message{From: from, Text: msg.Content.text, Reply: msg.ToolCallID}
		for _, tc := range msg.ToolCalls {
			if from != llm.Assistant || tc.ID == "" || tc.Type != "function" {
				return bad(fmt.Sprintf("messages.[%d].tool_calls", i), "", "Invalid parameter: 'tool_calls' must be of an assistant, with 'id' and type 'function'.")
			}
			open = append(open, tc.ID)
			m.Calls = append(m.Calls, llm.Call{ID: tc.ID, Name: tc.Function.Name, Arguments: tc.Function.Arguments})
		}
		c.req.Messages = append(c.req.Messages, m)
	}
	if len(open) > 0 {
		return unanswered(len(q.Messages) - 1)
	}
	return nil
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (q *chatRequest) tools(c *call) *fault {
	for i, t := range q.Tools {
		if t.Type != "function" || !toolName.MatchString(t.Function.Name) {
			return bad(fmt.Sprintf("tools[%d].function.name", i), "invalid_value", "Invalid 'tools[%d].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", i)
		}
		if why := schemaFault(t.Function.Parameters, t.Function.Strict); why != "" {
			return bad(fmt.Sprintf("tools[%d].function.parameters", i), "invalid_function_parameters", "Invalid schema for function '%s': %s", t.Function.Name, why)
		}
		tool := llm.Tool{Name: t.Function.Name, About: t.Function.Description, Parameters: t.Function.Parameters}
		if t.Function.Name == q.ToolChoice.function {
			c.forced = tool.Name
			c.req.Schema = &llm.Schema{Name: tool.Name, JSON: tool.Parameters}
		}
		c.req.Tools = append(c.req.Tools, tool)
	}
	switch {
	case q.ToolChoice.function != c.forced:
		return bad("tool_choice", "", "Tool choice 'function' must be one of the 'tools': %s.", q.ToolChoice.function)
	case q.ToolChoice.mode != "" && len(q.Tools) == 0:
		return bad("tool_choice", "", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	case q.ToolChoice.mode == "none":
		c.req.Tools = nil
	}
	return nil
}

func (q *chatRequest) format(c *call) *fault {
	f := q.ResponseFormat
	switch {
	case f == nil || f.Type == "text":
		return nil
	case f.Type == "json_object":
		if !slices.ContainsFunc(c.req.Messages, func(m llm.Message) bool { return strings.Contains(strings.ToLower(m.Text), "json") }) {
			return bad("messages", "", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
		}
		c.req.Schema = &llm.Schema{Name: "json_object"}
	case f.Type != "json_schema":
		return bad("response_format.type", "invalid_value", "Invalid value: '%s'. Supported values are: 'json_object', 'json_schema', and 'text'.", f.Type)
	case !toolName.MatchString(f.JSONSchema.Name):
		return bad("response_format.json_schema.name", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema.name'.")
	default:
		if why := schemaFault(f.JSONSchema.Schema, f.JSONSchema.Strict); why != "" {
			return bad("response_format", "", "Invalid schema for response_format '%s': %s", f.JSONSchema.Name, why)
		}
		c.req.Schema = &llm.Schema{Name: f.JSONSchema.Name, JSON: f.JSONSchema.Schema}
	}
	return nil
}

type chatError struct {
	Error chatErrorBody `json:"error"`
	Usage *chatUsage    `json:"usage,omitempty"`
}

type chatErrorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (openAI) error(f *fault) chatError {
	b := chatErrorBody{Message: f.text, Type: "invalid_request_error"}
	switch {
	case f.kind == "model":
		b.Message = fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", f.text)
	case f.kind == "window":
		b.Message = fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", f.may, f.have)
	case f.kind == "quota":
		b.Message, b.Type = "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"
	case f.kind == "rate-limit":
		b.Message, b.Type = fmt.Sprintf("Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in %ds.", f.after), "requests"
	case f.status == http.StatusServiceUnavailable:
		b.Message, b.Type = "The engine is currently overloaded, please try again later.", "server_error"
	case f.status >= http.StatusInternalServerError:
		b.Message, b.Type = "The server had an error while processing your request. Sorry about that!", "server_error"
	}
	if f.param != "" {
		b.Param = &f.param
	}
	if f.code != "" {
		b.Code = &f.code
	}
	out := chatError{Error: b}
	if f.usage != nil {
		out.Usage = usageOf(*f.usage)
	}
	return out
}

func (o openAI) fail(w http.ResponseWriter, f *fault) { writeFault(w, f, o.error(f)) }

func writeFault(w http.ResponseWriter, f *fault, body any) {
	w.Header().Set("Content-Type", "application/json")
	if f.kind == "rate-limit" {
		w.Header().Set("Retry-After", fmt.Sprint(f.after))
	}
	w.WriteHeader(f.status)
	put(w, encode(body))
}

// put writes to a client, who may be gone.
func put(w io.Writer, b []byte) {
	if _, err := w.Write(b); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (o openAI) broken(f *fault) event { return event{data: o.error(f)} }

type chatUsage struct {
	Prompt  int64 `json:"prompt_tokens"`
	Answer  int64 `json:"completion_tokens"`
	Total   int64 `json:"total_tokens"`
	Details struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func usageOf(u llm.Usage) *chatUsage {
	out := &chatUsage{Prompt: u.Input, Answer: u.Output, Total: u.Input + u.Output}
	out.Details.Cached = u.Cached
	return out
}

type chatAnswer struct {
	ID      string     `json:"id"`
	Object  string     `json:"object"`
	Created int64      `json:"created"`
	Model   string     `json:"model"`
	Choices []chatTurn `json:"choices"`
	Usage   *chatUsage `json:"usage,omitempty"`
}

type chatTurn struct {
	Index   int       `json:"index"`
	Message *chatSaid `json:"message,omitempty"`
	Delta   *chatSaid `json:"delta,omitempty"`
	Finish  *string   `json:"finish_reason"`
}

type chatSaid struct {
	Role    string     `json:"role,omitempty"`
	Content *string    `json:"content,omitempty"`
	Refusal *string    `json:"refusal,omitempty"`
	Calls   []chatCall `json:"tool_calls,omitempty"`
}

// created is the second at which every answer was made: answers are the same every time.
const created = 1767225600

func (openAI) shell(c *call, object string) chatAnswer {
	return chatAnswer{ID: "chatcmpl-" + c.id, Object: object, Created: created, Model: c.model, Choices: []chatTurn{}}
}

func finish(a *llm.Answer) *string {
	s := map[llm.Stop]string{llm.End: "stop", llm.Length: "length", llm.ForTool: "tool_calls", llm.Refusal: "content_filter"}[a.Stop]
	return &s
}

// forcedCall makes a call of an answer that had to be one.
func forcedCall(c *call, a *llm.Answer) (text string, calls []llm.Call) {
	if c.forced == "" {
		return a.Text, a.Calls
	}
	return "", []llm.Call{{ID: "call_" + c.id, Name: c.forced, Arguments: a.Text}}
}

func (o openAI) whole(w io.Writer, c *call, a *llm.Answer) {
	text, calls := forcedCall(c, a)
	said := &chatSaid{Role: "assistant"}
	if text != "" || len(calls) == 0 {
		said.Content = &text
	}
	for _, k := range calls {
		said.Calls = append(said.Calls, wireCall(nil, k))
	}
	out := o.shell(c, "chat.completion")
	out.Choices = []chatTurn{{Message: said, Finish: finish(a)}}
	out.Usage = usageOf(a.Usage)
	put(w, encode(out))
}

func wireCall(index *int, k llm.Call) chatCall {
	out := chatCall{Index: index, ID: k.ID, Type: "function"}
	out.Function.Name, out.Function.Arguments = k.Name, k.Arguments
	return out
}

func (o openAI) events(c *call, a *llm.Answer) []event {
	text, calls := forcedCall(c, a)
	var out []event
	chunk := func(said chatSaid, finish *string) {
		e := o.shell(c, "chat.completion.chunk")
		e.Choices = []chatTurn{{Delta: &said, Finish: finish}}
		out = append(out, event{data: e, last: finish != nil})
	}
	empty := ""
	chunk(chatSaid{Role: "assistant", Content: &empty}, nil)
	for _, p := range pieces(text, 40) {
		chunk(chatSaid{Content: &p}, nil)
	}
	for i, k := range calls {
		arguments := k.Arguments
		k.Arguments = ""
		chunk(chatSaid{Calls: []chatCall{wireCall(&i, k)}}, nil)
		for _, p := range pieces(arguments, 20) {
			more := chatCall{Index: &i}
			more.Function.Arguments = p
			chunk(chatSaid{Calls: []chatCall{more}}, nil)
		}
	}
	chunk(chatSaid{}, finish(a))
	if c.usage {
		e := o.shell(c, "chat.completion.chunk")
		e.Usage = usageOf(a.Usage)
		out = append(out, event{data: e, last: true})
	}
	return append(out, event{data: "[DONE]", last: true})
}
