package lab

// Chats in Anthropic's format: POST /v1/messages, whole and as a stream.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/llm"
)

type anthropic struct{}

// messageFields are the fields of a request; others are refused.
var messageFields = strings.Fields(`cache_control container diagnostics inference_geo max_tokens messages metadata model output_config
	service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p`)

type messageRequest struct {
	Model      string        `json:"model"`
	MaxTokens  *int          `json:"max_tokens"`
	System     messageBlocks `json:"system"`
	Messages   []messageTurn `json:"messages"`
	Tools      []messageTool `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	OutputConfig struct {
		Format *struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Stream       bool      `json:"stream"`
	CacheControl *struct{} `json:"cache_control"`
}

type messageTurn struct {
	Role    string        `json:"role"`
	Content messageBlocks `json:"content"`
}

type messageTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       bool            `json:"strict"`
	CacheControl *struct{}       `json:"cache_control"`
}

// messageBlocks are blocks, or a text that stands for one.
type messageBlocks []messageBlock

type messageBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      messageBlocks   `json:"content"`
	CacheControl *struct{}       `json:"cache_control"`
}

func (b *messageBlocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = messageBlocks{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]messageBlock)(b))
}

func (b messageBlocks) text() string {
	var out strings.Builder
	for _, block := range b {
		out.WriteString(block.Text)
	}
	return out.String()
}

func (anthropic) key(r *http.Request) string { return r.Header.Get("X-Api-Key") }

func (anthropic) read(r *http.Request, body []byte) (*call, *fault) {
	if r.Header.Get("Anthropic-Version") == "" {
		return nil, bad("", "", "anthropic-version: header is required")
	}
	if name := unknownField(body, messageFields); name != "" {
		return nil, bad("", "", "%s: Extra inputs are not permitted", name)
	}
	var q messageRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, bad("", "", "The request body is not valid JSON: %v", err)
	}
	switch {
	case q.Model == "":
		return nil, bad("", "", "model: Field required")
	case q.MaxTokens == nil:
		return nil, bad("", "", "max_tokens: Field required")
	case *q.MaxTokens < 1:
		return nil, bad("", "", "max_tokens: Input should be greater than or equal to 1")
	case len(q.Messages) == 0:
		return nil, bad("", "", "messages: at least one message is required")
	}
	c := &call{model: q.Model, stream: q.Stream, req: &llm.Request{Output: *q.MaxTokens}}
	if f := q.tools(c); f != nil {
		return nil, f
	}
	if f := q.format(c); f != nil {
		return nil, f
	}
	if system := q.System.text(); system != "" {
		c.req.Messages = append(c.req.Messages, llm.Message{From: llm.System, Text: system})
	}
	for _, b := range q.System {
		c.remember("system", b)
	}
	if f := q.messages(c); f != nil {
		return nil, f
	}
	if q.CacheControl != nil { // the last block is marked
		c.blocks[len(c.blocks)-1].marked = true
	}
	c.prompt = readPrompt(c.req)
	return c, nil
}

// remember puts a block into what the cache sees.
func (c *call) remember(from string, b messageBlock) {
	c.blocks = append(c.blocks, block{text: from + "\x00" + b.Type + b.Text + b.ID + b.Name + string(b.Input) + b.ToolUseID + b.Content.text(), marked: b.CacheControl != nil})
}

func (q *messageRequest) tools(c *call) *fault {
	for i, t := range q.Tools {
		if !toolName.MatchString(t.Name) {
			return bad("", "", "tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		}
		if why := schemaFault(t.InputSchema, t.Strict); why != "" {
			return bad("", "", "tools.%d.custom.input_schema: %s", i, why)
		}
		c.blocks = append(c.blocks, block{text: t.Name + t.Description + string(t.InputSchema), marked: t.CacheControl != nil})
		c.req.Tools = append(c.req.Tools, llm.Tool{Name: t.Name, About: t.Description, Parameters: t.InputSchema})
	}
	if q.ToolChoice == nil {
		return nil
	}
	switch choice := q.ToolChoice; choice.Type {
	case "auto", "any":
	case "none":
		c.req.Tools = nil
	case "tool":
		i := slices.IndexFunc(q.Tools, func(t messageTool) bool { return t.Name == choice.Name })
		if i < 0 {
			return bad("", "", "tool_choice: Tool '%s' not found in provided tools", choice.Name)
		}
		c.forced = choice.Name
		c.req.Schema = &llm.Schema{Name: choice.Name, JSON: q.Tools[i].InputSchema}
	default:
		return bad("", "", "tool_choice: Input tag '%s' found using 'type' does not match any of the expected tags: 'any', 'auto', 'none', 'tool'", choice.Type)
	}
	if len(q.Tools) == 0 {
		return bad("", "", "tool_choice may only be specified while providing tools.")
	}
	return nil
}

func (q *messageRequest) format(c *call) *fault {
	f := q.OutputConfig.Format
	if f == nil {
		return nil
	}
	if f.Type != "json_schema" {
		return bad("", "", "output_config.format.type: Input should be 'json_schema'")
	}
	if why := schemaFault(f.Schema, false); why != "" {
		return bad("", "", "output_config.format.schema: %s", why)
	}
	if path, open := openObject(f.Schema); open {
		return bad("", "", "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false (%s)", path)
	}
	c.req.Schema = &llm.Schema{Name: "output", JSON: f.Schema}
	return nil
}

// messages checks that the result of every use of a tool comes first in the next turn.
func (q *messageRequest) messages(c *call) *fault {
	var open []string
	for i, turn := range q.Messages {
		if turn.Role != "user" && turn.Role != "assistant" {
			return bad("", "", "messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		if len(turn.Content) == 0 {
			return bad("", "", "messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		asked := open
		open = nil
		said := llm.Message{From: speakers[turn.Role]}
		for j, b := range turn.Content {
			c.remember(turn.Role, b)
			switch {
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return bad("", "", "messages: text content blocks must be non-empty")
			case b.Type == "text":
				said.Text += b.Text
			case b.Type == "tool_use" && turn.Role == "assistant":
				if !isObject(b.Input) {
					return bad("", "", "messages.%d.content.%d.tool_use.input: Input should be a valid dictionary", i, j)
				}
				open = append(open, b.ID)
				said.Calls = append(said.Calls, llm.Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
			case b.Type == "tool_result" && turn.Role == "user":
				k := slices.Index(asked, b.ToolUseID)
				if k < 0 {
					return bad("", "", "messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, b.ToolUseID)
				}
				asked = slices.Delete(slices.Clone(asked), k, k+1)
				c.req.Messages = append(c.req.Messages, llm.Message{From: llm.ToolReply, Text: b.Content.text(), Reply: b.ToolUseID})
			default:
				return bad("", "", "messages.%d.content.%d: Input tag '%s' found using 'type' does not match any of the expected tags", i, j, b.Type)
			}
		}
		if len(asked) > 0 {
			return bad("", "", "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(asked, ", "))
		}
		if said.Text != "" || len(said.Calls) > 0 {
			c.req.Messages = append(c.req.Messages, said)
		}
	}
	if len(open) > 0 {
		return bad("", "", "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s.", len(q.Messages)-1, strings.Join(open, ", "))
	}
	return nil
}

func isObject(b json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(b, &fields) == nil && fields != nil
}

type messageError struct {
	Type  string `json:"type"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Usage *messageUsage `json:"usage,omitempty"`
}

func (anthropic) error(f *fault) messageError {
	kind, text := "invalid_request_error", f.text
	switch {
	case f.kind == "key":
		kind, text = "authentication_error", "invalid x-api-key"
		if f.code == "" {
			text = "x-api-key header is required"
		}
	case f.kind == "model":
		kind, text = "not_found_error", "model: "+f.text
	case f.kind == "window":
		text = fmt.Sprintf("prompt is too long: %d tokens > %d maximum", f.have, f.may)
	case f.kind == "quota":
		text = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
	case f.kind == "rate-limit":
		kind, text = "rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute. Please reduce the prompt length or try again later."
	case f.status == overloaded:
		kind, text = "overloaded_error", "Overloaded"
	case f.status >= http.StatusInternalServerError:
		kind, text = "api_error", "Internal server error"
	case f.status == http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	}
	out := messageError{Type: "error"}
	out.Error.Type, out.Error.Message = kind, text
	if f.usage != nil {
		out.Usage = &messageUsage{Input: f.usage.Input - f.usage.Cached, Read: f.usage.Cached, Output: f.usage.Output}
	}
	return out
}

func (p anthropic) fail(w http.ResponseWriter, f *fault) {
	if f.kind == "quota" { // it is a bad request there
		bad := *f
		bad.status = http.StatusBadRequest
		f = &bad
	}
	writeFault(w, f, p.error(f))
}

func (p anthropic) broken(f *fault) event {
	told := *f
	told.usage = nil // message_start told it
	return event{name: "error", data: p.error(&told)}
}

type messageUsage struct {
	Input   int64 `json:"input_tokens"` // neither read from the cache nor written to it
	Created int64 `json:"cache_creation_input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

type messageAnswer struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Model        string         `json:"model"`
	Content      []messagePiece `json:"content"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Usage        messageUsage   `json:"usage"`
}

// messagePiece is a block of an answer.
type messagePiece struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

func (anthropic) shell(c *call, a *llm.Answer) messageAnswer {
	u := messageUsage{Input: a.Usage.Input - a.Usage.Cached - c.wrote, Created: c.wrote, Read: a.Usage.Cached, Output: a.Usage.Output}
	return messageAnswer{ID: "msg_" + c.id, Type: "message", Role: "assistant", Model: c.model, Content: []messagePiece{}, Usage: u}
}

func stopReason(c *call, a *llm.Answer) *string {
	s := map[llm.Stop]string{llm.End: "end_turn", llm.Length: "max_tokens", llm.ForTool: "tool_use", llm.Refusal: "refusal"}[a.Stop]
	if c.forced != "" && a.Stop == llm.End {
		s = "tool_use"
	}
	return &s
}

func toolUse(k llm.Call, input json.RawMessage) messagePiece {
	return messagePiece{Type: "tool_use", ID: strings.Replace(k.ID, "call_", "toolu_", 1), Name: k.Name, Input: input}
}

func (p anthropic) whole(w io.Writer, c *call, a *llm.Answer) {
	text, calls := forcedCall(c, a)
	out := p.shell(c, a)
	if text != "" {
		out.Content = append(out.Content, messagePiece{Type: "text", Text: &text})
	}
	for _, k := range calls {
		input := json.RawMessage(k.Arguments)
		if !isObject(input) { // the wire has objects only: broken arguments come as none
			input = json.RawMessage("{}")
		}
		out.Content = append(out.Content, toolUse(k, input))
	}
	out.StopReason = stopReason(c, a)
	put(w, encode(out))
}

type messageEvent struct {
	Type    string         `json:"type"`
	Index   *int           `json:"index,omitempty"`
	Message *messageAnswer `json:"message,omitempty"`
	Block   *messagePiece  `json:"content_block,omitempty"`
	Delta   *messageDelta  `json:"delta,omitempty"`
	Usage   *messageUsage  `json:"usage,omitempty"`
}

type messageDelta struct {
	Type       string  `json:"type,omitempty"`
	Text       string  `json:"text,omitempty"`
	JSON       *string `json:"partial_json,omitempty"`
	StopReason *string `json:"stop_reason,omitempty"`
}

func (p anthropic) events(c *call, a *llm.Answer) []event {
	text, calls := forcedCall(c, a)
	var out []event
	add := func(e messageEvent, last bool) { out = append(out, event{name: e.Type, data: e, last: last}) }
	start := p.shell(c, a)
	start.Usage.Output = 1
	add(messageEvent{Type: "message_start", Message: &start}, false)
	add(messageEvent{Type: "ping"}, false)
	index := 0
	if text != "" {
		at, empty := index, ""
		add(messageEvent{Type: "content_block_start", Index: &at, Block: &messagePiece{Type: "text", Text: &empty}}, false)
		for _, piece := range pieces(text, 40) {
			add(messageEvent{Type: "content_block_delta", Index: &at, Delta: &messageDelta{Type: "text_delta", Text: piece}}, false)
		}
		add(messageEvent{Type: "content_block_stop", Index: &at}, false)
		index++
	}
	for _, k := range calls {
		at, block := index, toolUse(k, json.RawMessage("{}"))
		add(messageEvent{Type: "content_block_start", Index: &at, Block: &block}, false)
		for _, piece := range append([]string{""}, pieces(k.Arguments, 20)...) {
			add(messageEvent{Type: "content_block_delta", Index: &at, Delta: &messageDelta{Type: "input_json_delta", JSON: &piece}}, false)
		}
		add(messageEvent{Type: "content_block_stop", Index: &at}, false)
		index++
	}
	usage := p.shell(c, a).Usage
	add(messageEvent{Type: "message_delta", Delta: &messageDelta{StopReason: stopReason(c, a)}, Usage: &usage}, true)
	add(messageEvent{Type: "message_stop"}, true)
	return out
}
