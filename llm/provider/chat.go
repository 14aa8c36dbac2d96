package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/plumbresearch/plumb/llm"
)

// chat is a model behind OpenAI's chat protocol.
type chat struct {
	p    *Providers
	at   *endpoint
	wire openai.ChatCompletionService
}

func (p *Providers) openChat(at *endpoint) *chat {
	return &chat{p: p, at: at, wire: openai.NewChatCompletionService(p.openAI(at)...)}
}

// openAI are the SDK's options for an endpoint. Its services are made without its client, which would read the
// environment and send OpenAI's key to other servers.
func (p *Providers) openAI(at *endpoint) []option.RequestOption {
	opts := []option.RequestOption{option.WithBaseURL(at.base.String()), option.WithHTTPClient(p.http), option.WithMaxRetries(0)}
	if at.key != "" {
		opts = append(opts, option.WithAPIKey(at.key))
	}
	return opts
}

// Name is provider:model.
func (m *chat) Name() string { return m.at.name }

// Traits are what the model can do. Ollama is asked for them once.
func (m *chat) Traits() llm.Traits {
	if m.at.provider == "ollama" {
		return m.p.ollamaTraits(m.at)
	}
	return m.p.traits(m.at)
}

// Complete answers a request, over a stream when somebody watches.
func (m *chat) Complete(ctx context.Context, r *llm.Request) (*llm.Answer, error) {
	c := m.p.begin(ctx, m.at, r)
	defer c.end()
	params := m.params(r)
	if r.Delta != nil {
		return m.stream(c, r, params)
	}
	res, err := m.wire.New(c.ctx, params, option.WithMiddleware(c.middleware))
	if err != nil {
		return nil, c.trouble(err, llm.Usage{})
	}
	used := chatUsage(res.Usage)
	if len(res.Choices) == 0 {
		return nil, c.trouble(c.garbled(200, "an answer without choices"), used)
	}
	said := res.Choices[0]
	a := &llm.Answer{Text: said.Message.Content, Usage: used}
	for _, t := range said.Message.ToolCalls {
		a.Calls = append(a.Calls, llm.Call{ID: t.ID, Name: t.Function.Name, Arguments: t.Function.Arguments})
	}
	finish(a, r, said.FinishReason, said.Message.Refusal)
	return a, nil
}

// finish sets why the model stopped and what servers leave out: IDs of calls, and that calls were made.
func finish(a *llm.Answer, r *llm.Request, reason, refusal string) {
	n := 0
	for _, m := range r.Messages {
		n += len(m.Calls)
	}
	for i := range a.Calls {
		if a.Calls[i].ID == "" {
			a.Calls[i].ID = fmt.Sprintf("call_%d", n+i+1)
		}
	}
	switch {
	case refusal != "":
		a.Stop = llm.Refusal
		a.Text = refusal
	case reason == "content_filter":
		a.Stop = llm.Refusal
	case reason == "length":
		a.Stop = llm.Length
	case len(a.Calls) > 0:
		a.Stop = llm.ForTool
	default:
		a.Stop = llm.End
	}
}

// chatUsage reads the bill. Thinking that a server counts in the sum alone, as Gemini does, is output.
func chatUsage(u openai.CompletionUsage) llm.Usage {
	if u.PromptTokens == 0 && u.CompletionTokens == 0 {
		return llm.Usage{Total: u.TotalTokens}
	}
	return llm.Usage{
		Input:  u.PromptTokens,
		Cached: min(u.PromptTokensDetails.CachedTokens, u.PromptTokens),
		Output: max(u.CompletionTokens, u.TotalTokens-u.PromptTokens),
	}
}

// params puts a request as the protocol wants it. No temperature: some models refuse it.
func (m *chat) params(r *llm.Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: m.at.model}
	for _, msg := range r.Messages {
		p.Messages = append(p.Messages, m.message(msg))
	}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](function{t.Name, t.About, object(t.Parameters)})))
	}
	if s := r.Schema; s != nil {
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: s.Name, Strict: param.NewOpt(true), Schema: s.JSON},
		}
	}
	switch {
	case r.Output <= 0:
	case m.at.provider == "openai":
		p.MaxCompletionTokens = param.NewOpt(int64(r.Output))
	default:
		p.MaxTokens = param.NewOpt(int64(r.Output))
	}
	if r.Delta != nil {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	return p
}

// function is the SDK's own type with the parameters as they are: a map would lose the order of their fields, and models
// write in that order.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// object is a schema that is never empty.
func object(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}

func (m *chat) message(msg llm.Message) openai.ChatCompletionMessageParamUnion {
	switch msg.From {
	case llm.System:
		return openai.SystemMessage(msg.Text)
	case llm.ToolReply:
		return openai.ToolMessage(msg.Text, msg.Reply)
	case llm.Assistant:
		return m.assistant(msg)
	}
	return openai.UserMessage(msg.Text)
}

func (m *chat) assistant(msg llm.Message) openai.ChatCompletionMessageParamUnion {
	if len(msg.Calls) == 0 {
		return openai.AssistantMessage(msg.Text)
	}
	out := &openai.ChatCompletionAssistantMessageParam{}
	if msg.Text != "" {
		out.Content.OfString = param.NewOpt(msg.Text)
	}
	for _, c := range msg.Calls {
		t := &openai.ChatCompletionMessageFunctionToolCallParam{ID: c.ID}
		t.Function.Name, t.Function.Arguments = c.Name, string(arguments(c))
		if m.at.provider == "gemini" {
			// Gemini 3 refuses calls that come back without its signature, which a Call does not hold; this one is
			// documented to pass in its place.
			t.SetExtraFields(map[string]any{"extra_content": signature{signatureGoogle{"skip_thought_signature_validator"}}})
		}
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: t})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: out}
}

type signature struct {
	Google signatureGoogle `json:"google"`
}

type signatureGoogle struct {
	Thought string `json:"thought_signature"`
}

// arguments are a call's arguments as a JSON object. What a model wrote broken goes back to it as a text, because
// servers refuse a conversation that holds broken arguments.
func arguments(c llm.Call) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(c.Arguments), &fields) == nil && fields != nil {
		return json.RawMessage(c.Arguments)
	}
	if c.Arguments == "" {
		return json.RawMessage("{}")
	}
	out, err := json.Marshal(struct {
		Broken string `json:"broken"`
	}{c.Arguments})
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}
