package provider

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/plumbresearch/plumb/llm"
)

// chatParts is a streamed answer as far as it came.
type chatParts struct {
	text, refusal strings.Builder
	calls         []*callParts
	reason        string
	usage         llm.Usage
}

// callParts is a call whose arguments come in pieces.
type callParts struct {
	index     int64
	id, name  string
	arguments strings.Builder
}

func (m *chat) stream(c *call, r *llm.Request, params openai.ChatCompletionNewParams) (*llm.Answer, error) {
	s := m.wire.NewStreaming(c.ctx, params, option.WithMiddleware(c.middleware))
	var parts chatParts
	for s.Next() {
		if text := parts.add(s.Current()); text != "" {
			r.Delta(text)
		}
	}
	err := errors.Join(s.Err(), s.Close())
	var said *ssestream.StreamError
	switch {
	case errors.As(err, &said):
		return nil, c.trouble(c.refusal(0, nil, said.Event.Data), parts.usage)
	case err != nil && parts.reason == "":
		return nil, c.trouble(err, parts.usage)
	case parts.reason == "":
		return nil, c.trouble(c.garbled(200, "the stream ended before the answer did"), parts.usage)
	}
	a := &llm.Answer{Text: parts.text.String(), Usage: parts.usage}
	for _, p := range parts.calls {
		a.Calls = append(a.Calls, llm.Call{ID: p.id, Name: p.name, Arguments: p.arguments.String()})
	}
	finish(a, r, parts.reason, parts.refusal.String())
	return a, nil
}

// add takes a piece in and gives its text.
func (p *chatParts) add(chunk openai.ChatCompletionChunk) string {
	if u := chatUsage(chunk.Usage); u != (llm.Usage{}) {
		p.usage = u
	}
	if len(chunk.Choices) == 0 {
		return ""
	}
	said := chunk.Choices[0]
	if said.FinishReason != "" {
		p.reason = said.FinishReason
	}
	p.refusal.WriteString(said.Delta.Refusal)
	for _, t := range said.Delta.ToolCalls {
		into := p.callAt(t)
		if t.ID != "" {
			into.id = t.ID
		}
		if t.Function.Name != "" {
			into.name = t.Function.Name
		}
		into.arguments.WriteString(t.Function.Arguments)
	}
	p.text.WriteString(said.Delta.Content)
	return said.Delta.Content
}

// callAt finds the call that a piece belongs to. Gemini and Ollama number all calls of an answer 0: there a new ID, or a
// name after arguments that are whole, begins another.
func (p *chatParts) callAt(t openai.ChatCompletionChunkChoiceDeltaToolCall) *callParts {
	for i := len(p.calls) - 1; i >= 0; i-- {
		had := p.calls[i]
		if had.index != t.Index {
			continue
		}
		other := t.ID != "" && had.id != "" && t.ID != had.id
		again := t.ID == "" && t.Function.Name != "" && t.Function.Arguments != "" && json.Valid([]byte(had.arguments.String()))
		if other || again {
			break
		}
		return had
	}
	p.calls = append(p.calls, &callParts{index: t.Index})
	return p.calls[len(p.calls)-1]
}
