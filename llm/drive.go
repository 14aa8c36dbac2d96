package llm

// Drive lets any model do requests that have tools or a schema. A model that can't do them over the wire is told in
// plain words and a small JSON protocol (plain.go), and what it writes is read back into calls.

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
)

// Drive wraps a model so that it takes tools and schemas. What the traits deny is driven plainly from the beginning;
// what they claim but the provider then calls Unsupported is driven plainly from then on.
func Drive(m Model) Model {
	if d, ok := m.(*driven); ok {
		return d
	}
	return &driven{model: m}
}

type driven struct {
	model             Model
	noTools, noSchema atomic.Bool // learnt, whatever the traits claim
}

func (d *driven) Name() string { return d.model.Name() }

func (d *driven) Traits() Traits {
	t := d.model.Traits()
	t.Tools, t.Schema = true, true
	return t
}

func (d *driven) Complete(ctx context.Context, r *Request) (*Answer, error) {
	for {
		can := d.model.Traits()
		plainTools := usesTools(r) && (!can.Tools || d.noTools.Load())
		plainSchema := r.Schema != nil && (!can.Schema || d.noSchema.Load())
		wiredTools, wiredSchema := usesTools(r) && !plainTools, r.Schema != nil && !plainSchema
		a, err := d.ask(ctx, r, plainTools, plainSchema)
		if errors.Is(err, ErrNotRecorded) && (wiredTools || wiredSchema) {
			// In a replay: that a model refused is not on tape, what it then answered in plain words is.
			if a, err := d.ask(ctx, r, usesTools(r), r.Schema != nil); err == nil {
				d.give(wiredTools, wiredSchema)
				return a, nil
			}
		}
		if err == nil || !d.learn(err, wiredTools, wiredSchema) {
			return a, err
		}
		// at most twice: there are two things to learn
	}
}

// ask asks once, plainly or over the wire.
func (d *driven) ask(ctx context.Context, r *Request, plainTools, plainSchema bool) (*Answer, error) {
	q := r
	if plainTools || plainSchema || systems(r) > 1 {
		q = plainRequest(r, plainTools, plainSchema)
	}
	a, err := d.model.Complete(ctx, q)
	switch {
	case err != nil || a == nil:
		return a, err
	case plainTools:
		a = plainAnswer(r, a)
		if r.Delta != nil && len(a.Calls) == 0 {
			r.Delta(a.Text)
		}
		return a, nil
	case len(r.Tools) > 0 && len(a.Calls) == 0:
		return spilled(r, a), nil
	}
	return a, nil
}

// give up what the model turned out not to do.
func (d *driven) give(tools, schema bool) {
	if tools {
		d.noTools.Store(true)
	}
	if schema {
		d.noSchema.Store(true)
	}
}

// usesTools reports whether a request can only be sent as it is to a model that knows tools.
func usesTools(r *Request) bool {
	return len(r.Tools) > 0 || slices.ContainsFunc(r.Messages, func(m Message) bool {
		return len(m.Calls) > 0 || m.From == ToolReply
	})
}

// systems counts the system messages that a request begins with.
func systems(r *Request) int {
	n := 0
	for n < len(r.Messages) && r.Messages[n].From == System {
		n++
	}
	return n
}

var (
	blamesTools  = regexp.MustCompile(`(?i)tool|function`)
	blamesSchema = regexp.MustCompile(`(?i)schema|response_?format|json|structured`)
)

// learn remembers what the model turned out not to do, of what was sent over the wire, and reports whether there was
// something. When the provider does not say which, both are given up.
func (d *driven) learn(err error, tools, schema bool) bool {
	var e *Error
	if !errors.As(err, &e) || e.Trouble != Unsupported {
		return false
	}
	if tools && schema {
		t, s := blamesTools.MatchString(e.Text), blamesSchema.MatchString(e.Text)
		tools, schema = t || !s, s || !t
	}
	d.give(tools, schema)
	return tools || schema
}

// plainRequest is r for a model that takes one system message and, where plain, no tools or no schema.
func plainRequest(r *Request, plainTools, plainSchema bool) *Request {
	q := *r
	ms := slices.Clone(r.Messages)
	if plainSchema {
		ms = instruct(ms, *r.Schema, plainTools && len(r.Tools) > 0)
		q.Schema = nil
	}
	ms = oneSystem(ms)
	if plainTools {
		ms = plainMessages(ms, r.Tools)
		q.Tools, q.Delta = nil, nil // the protocol is not for readers
	}
	q.Messages = ms
	return &q
}

// oneSystem joins the system messages that a conversation begins with.
func oneSystem(ms []Message) []Message {
	n := systems(&Request{Messages: ms})
	if n < 2 {
		return ms
	}
	var texts []string
	for _, m := range ms[:n] {
		texts = append(texts, m.Text)
	}
	return append([]Message{{From: System, Text: strings.Join(texts, "\n\n")}}, ms[n:]...)
}

// instruct says in words what the schema says. It goes to the last thing that the user said before any correction, so
// that a conversation that grows by corrections keeps its beginning.
func instruct(ms []Message, s Schema, tools bool) []Message {
	words := "Answer with one JSON value of this form and nothing besides: no introduction, no explanation, no code fence. " +
		"Put your own values where the angle brackets are.\n"
	if tools {
		words = "The text of your final answer is one JSON value of this form. Put your own values where the angle brackets are.\n"
	}
	words += example(s.JSON)
	at := -1
	for i, m := range ms {
		if (m.From == User && !strings.HasPrefix(m.Text, correction)) || (at < 0 && m.From == System) {
			at = i
		}
	}
	if at < 0 {
		return append(ms, Message{From: User, Text: words})
	}
	ms[at].Text += "\n\n" + words
	return ms
}
