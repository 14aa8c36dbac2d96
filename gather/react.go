package gather

// The loop of thinking and acting: a model says what it wants done, it is done, the model sees what came of it.

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbresearch/plumb/llm"
)

// loop is a conversation in which a model may call tools.
type loop struct {
	model llm.Model
	req   *llm.Request
}

// turn asks the model to go on. The conversation is kept within the model's window: old replies of tools are shortened,
// the instructions never are.
func (l *loop) turn(ctx context.Context) (*llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.req, _ = llm.Trim(l.req, l.model.Traits(), l.req.Output)
	a, err := l.model.Complete(ctx, l.req)
	if tooLong(err) { // the estimate was off: once more with a quarter less
		t := l.model.Traits()
		t.Window = l.req.Tokens()*3/4 + l.req.Output
		if shorter, cut := llm.Trim(l.req, t, l.req.Output); cut > 0 {
			l.req = shorter
			a, err = l.model.Complete(ctx, l.req)
		}
	}
	if err == nil && a.Stop == llm.Length && len(a.Calls) == 0 && llm.Strip(a.Text) == "" { // thoughts used it all up
		more := *l.req
		more.Output *= 2
		a, err = l.model.Complete(ctx, &more)
	}
	if err != nil {
		return nil, err
	}
	l.heard(a)
	return a, nil
}

// heard puts an answer into the conversation: without its thoughts, which need not be sent again, and in a form that
// every provider takes back: not empty, its calls named.
func (l *loop) heard(a *llm.Answer) {
	m := llm.Message{From: llm.Assistant, Text: llm.Strip(a.Text), Calls: a.Calls}
	for i := range a.Calls {
		if a.Calls[i].ID == "" {
			a.Calls[i].ID = fmt.Sprintf("call_%d_%d", len(l.req.Messages), i+1)
		}
	}
	if m.Text == "" && len(m.Calls) == 0 {
		m.Text = "(no answer)"
	}
	l.add(m)
}

// add makes a new request, so that whoever kept the one before still has what was asked.
func (l *loop) add(m llm.Message) {
	next := *l.req
	next.Messages = append(next.Messages[:len(next.Messages):len(next.Messages)], m)
	l.req = &next
}

// reply tells the model what came of a call.
func (l *loop) reply(c llm.Call, text string) {
	l.add(llm.Message{From: llm.ToolReply, Text: text, Reply: c.ID})
}

// room is how many tokens each of n replies may have.
func (l *loop) room(n int) int {
	req, _ := llm.Trim(l.req, l.model.Traits(), l.req.Output)
	return llm.Room(l.model.Traits(), req, l.req.Output) / max(n, 1)
}

func tooLong(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Trouble == llm.TooLong
}

// thinkArgs are the arguments of the tool think, which unit and supervisor both have.
type thinkArgs struct {
	Thought string `json:"thought"`
}

var thinkTool = llm.ToolOf[thinkArgs]("think", "Think aloud: what is known, what is missing, what to do next. Costs nothing and changes nothing.")
