package provider

import (
	"context"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/plumbresearch/plumb/llm"
)

// messages is a model behind Anthropic's protocol.
type messages struct {
	p    *Providers
	at   *endpoint
	wire anthropic.MessageService
}

// openMessages makes the SDK's service without its client, which would read the environment and files of the user's.
func (p *Providers) openMessages(at *endpoint) *messages {
	return &messages{p: p, at: at, wire: anthropic.NewMessageService(
		option.WithBaseURL(at.base.String()), option.WithHTTPClient(p.http), option.WithMaxRetries(0), option.WithAPIKey(at.key),
		option.WithRequestTimeout(p.o.Timeout), // set, or the SDK refuses long answers that are not streamed
	)}
}

// Name is provider:model.
func (m *messages) Name() string { return m.at.name }

// Traits are what the model can do.
func (m *messages) Traits() llm.Traits { return m.p.traits(m.at) }

// Complete answers a request, over a stream when somebody watches.
func (m *messages) Complete(ctx context.Context, r *llm.Request) (*llm.Answer, error) {
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
	a := &llm.Answer{Usage: messageUsage(res.Usage.InputTokens, res.Usage.CacheReadInputTokens, res.Usage.CacheCreationInputTokens, res.Usage.OutputTokens)}
	if res.StopReason == "" {
		return nil, c.trouble(c.garbled(200, "an answer without a reason to stop"), a.Usage)
	}
	for _, b := range res.Content {
		switch b.Type {
		case "text":
			a.Text += b.Text
		case "tool_use":
			a.Calls = append(a.Calls, llm.Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		}
	}
	a.Stop = messageStop(res.StopReason)
	return a, nil
}

// messageUsage adds up the bill: Anthropic counts what it read from or wrote to its cache apart from the rest.
func messageUsage(fresh, read, written, output int64) llm.Usage {
	return llm.Usage{Input: fresh + read + written, Cached: read, Output: output}
}

func messageStop(s anthropic.StopReason) llm.Stop {
	switch s {
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return llm.Length
	case anthropic.StopReasonToolUse:
		return llm.ForTool
	case anthropic.StopReasonRefusal:
		return llm.Refusal
	}
	return llm.End
}

// params puts a request as the protocol wants it: system texts apart, replies of tools as blocks of the user's turn.
func (m *messages) params(r *llm.Request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: m.at.model, MaxTokens: int64(m.output(r))}
	for _, msg := range r.Messages {
		if msg.From == llm.System && msg.Text != "" {
			p.System = append(p.System, anthropic.TextBlockParam{Text: msg.Text})
		}
	}
	p.Messages = turns(r.Messages)
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: t.Name, Description: anthropic.String(t.About),
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](object(t.Parameters)), // in the order of its fields
		}})
	}
	if r.Schema != nil {
		p.OutputConfig.Format = param.Override[anthropic.JSONOutputFormatParam](outputFormat{"json_schema", r.Schema.JSON})
	}
	cache(&p)
	return p
}

// outputFormat is the SDK's own type with the schema in the order of its fields.
type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// output is how many tokens the answer may have, which Anthropic wants to be told.
func (m *messages) output(r *llm.Request) int {
	most := m.Traits().Output
	if most <= 0 {
		most = m.at.traits.Output
	}
	if r.Output > 0 {
		return min(r.Output, most)
	}
	return most
}

// turns merges neighbours of the same speaker, because replies to calls made together must come together, and leaves
// out empty texts, which are refused.
func turns(in []llm.Message) []anthropic.MessageParam {
	var out []anthropic.MessageParam
	for _, msg := range in {
		if msg.From == llm.System {
			continue
		}
		role := anthropic.MessageParamRoleUser
		if msg.From == llm.Assistant {
			role = anthropic.MessageParamRoleAssistant
		}
		var blocks []anthropic.ContentBlockParamUnion
		switch {
		case msg.From == llm.ToolReply:
			blocks = append(blocks, toolResult(msg))
		case msg.Text != "":
			blocks = append(blocks, anthropic.NewTextBlock(msg.Text))
		}
		for _, c := range msg.Calls {
			blocks = append(blocks, anthropic.NewToolUseBlock(c.ID, arguments(c), c.Name))
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = append(out[last].Content, blocks...)
		} else if len(blocks) > 0 {
			out = append(out, anthropic.MessageParam{Role: role, Content: blocks})
		}
	}
	return out
}

func toolResult(msg llm.Message) anthropic.ContentBlockParamUnion {
	b := &anthropic.ToolResultBlockParam{ToolUseID: msg.Reply}
	if msg.Text != "" {
		b.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: msg.Text}}}
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: b}
}

// cache marks how far the prompt will come again: the system texts with the tools before them, always, and the
// conversation, when it is one that grows. Writing to the cache costs a quarter more, so single questions are left out.
func cache(p *anthropic.MessageNewParams) {
	mark := anthropic.NewCacheControlEphemeralParam()
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	n := len(p.Messages)
	if n == 0 || len(p.Tools) == 0 && n == 1 {
		return
	}
	content := p.Messages[n-1].Content
	switch b := &content[len(content)-1]; {
	case b.OfText != nil:
		b.OfText.CacheControl = mark
	case b.OfToolResult != nil:
		b.OfToolResult.CacheControl = mark
	case b.OfToolUse != nil:
		b.OfToolUse.CacheControl = mark
	}
}
