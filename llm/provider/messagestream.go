package provider

import (
	"errors"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/plumbresearch/plumb/llm"
)

// messageParts is a streamed answer as far as it came. The SDK's own accumulator refuses arguments that are cut off.
type messageParts struct {
	text                         strings.Builder
	calls                        []*callParts
	stop                         anthropic.StopReason
	whole                        bool
	fresh, read, written, output int64
}

func (m *messages) stream(c *call, r *llm.Request, params anthropic.MessageNewParams) (*llm.Answer, error) {
	s := m.wire.NewStreaming(c.ctx, params, option.WithMiddleware(c.middleware))
	var parts messageParts
	for !parts.whole && s.Next() {
		if text := parts.add(s.Current()); text != "" {
			r.Delta(text)
		}
	}
	err := errors.Join(s.Err(), s.Close())
	used := messageUsage(parts.fresh, parts.read, parts.written, parts.output)
	var said *anthropic.Error
	switch {
	case errors.As(err, &said):
		return nil, c.trouble(c.refusal(0, nil, []byte(said.RawJSON())), used)
	case err != nil && !parts.whole:
		return nil, c.trouble(err, used)
	case !parts.whole:
		return nil, c.trouble(c.garbled(200, "the stream ended before the answer did"), used)
	}
	a := &llm.Answer{Text: parts.text.String(), Stop: messageStop(parts.stop), Usage: used}
	for _, p := range parts.calls {
		args := p.arguments.String()
		if args == "" {
			args = "{}" // a tool without parameters is called without any piece
		}
		a.Calls = append(a.Calls, llm.Call{ID: p.id, Name: p.name, Arguments: args})
	}
	return a, nil
}

// add takes an event in and gives its text. Counts of usage are totals so far; those left out keep their value.
func (p *messageParts) add(e anthropic.MessageStreamEventUnion) string {
	keep := func(old *int64, now int64) { *old = max(*old, now) }
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		p.fresh, p.read, p.written, p.output = u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens
	case "content_block_start":
		if e.ContentBlock.Type == "tool_use" {
			p.calls = append(p.calls, &callParts{index: e.Index, id: e.ContentBlock.ID, name: e.ContentBlock.Name})
		}
		p.text.WriteString(e.ContentBlock.Text)
		return e.ContentBlock.Text
	case "content_block_delta":
		for _, c := range p.calls {
			if c.index == e.Index {
				c.arguments.WriteString(e.Delta.PartialJSON)
			}
		}
		p.text.WriteString(e.Delta.Text)
		return e.Delta.Text
	case "message_delta":
		p.stop = e.Delta.StopReason
		keep(&p.fresh, e.Usage.InputTokens)
		keep(&p.read, e.Usage.CacheReadInputTokens)
		keep(&p.written, e.Usage.CacheCreationInputTokens)
		keep(&p.output, e.Usage.OutputTokens)
	case "message_stop":
		p.whole = true
	}
	return ""
}
