package llm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func weakScript(texts ...string) *Script {
	m := inTurn(texts...)
	m.Can = Traits{Window: 8000, Output: 1000}
	return m
}

func TestDrivenModelClaimsToolsAndSchemas(t *testing.T) {
	d := Drive(weakScript("x"))
	if want := (Traits{Window: 8000, Output: 1000, Tools: true, Schema: true}); d.Traits() != want || d.Name() != "script:model" {
		t.Errorf("got %+v %s", d.Traits(), d.Name())
	}
	if Drive(d) != d {
		t.Error("driven twice")
	}
}

func TestAbleModelGetsTheRequestAsItIs(t *testing.T) {
	m := Says("hello")
	r := &Request{Messages: []Message{{From: System, Text: "s"}, {From: User, Text: "u"}}, Tools: testTools, Schema: &Schema{Name: "x", JSON: []byte(`{}`)}}
	a, err := Drive(m).Complete(context.Background(), r)
	if err != nil || a.Text != "hello" || plainJSON(m.Asked()[0]) != plainJSON(r) {
		t.Errorf("%v, %v: %s", a, err, plainJSON(m.Asked()))
	}
}

func TestConversationWithToolsInPlainWords(t *testing.T) {
	m := weakScript(`I will search. {"tool":"search_web","arguments":{"query":"a <b>"}}`,
		`[{"tool":"search_web","arguments":{"query":"c"}},{"tool":"search_web","arguments":{"query":"d"}}]`,
		`{"tool":"answer","text":"It is so."}`)
	d := Drive(m)
	r := &Request{Messages: []Message{{From: System, Text: "one"}, {From: System, Text: "two"}, {From: User, Text: "Why?"}}, Tools: testTools}
	var shown []string
	r.Delta = func(text string) { shown = append(shown, text) }
	for turn := range 3 {
		before := plainJSON(r)
		a, err := d.Complete(context.Background(), r)
		if err != nil || plainJSON(r) != before {
			t.Fatal(err, plainJSON(r))
		}
		if turn == 2 {
			if a.Text != "It is so." || len(a.Calls) != 0 || a.Stop != End {
				t.Errorf("the end: %+v", a)
			}
			break
		}
		if a.Stop != ForTool || len(a.Calls) != turn+1 {
			t.Fatalf("turn %d: %+v", turn, a)
		}
		r.Messages = append(r.Messages, Message{From: Assistant, Text: a.Text, Calls: a.Calls})
		for _, c := range a.Calls {
			r.Messages = append(r.Messages, Message{From: ToolReply, Reply: c.ID, Text: Fence("leads", "results of "+c.ID)})
		}
	}
	last := m.Asked()[2]
	if last.Tools != nil || len(last.Messages) != 6 {
		t.Fatalf("got %s", plainJSON(last))
	}
	want := []Message{
		{From: System, Text: "one\n\ntwo\n\n" + toolGuide(testTools)},
		{From: User, Text: "Why?"},
		{From: Assistant, Text: "I will search.\n" + `{"tool":"search_web","arguments":{"query":"a <b>"}}`},
		{From: User, Text: "Result of search_web:\n" + Fence("leads", "results of call_1")},
		{From: Assistant, Text: `[{"tool":"search_web","arguments":{"query":"c"}},{"tool":"search_web","arguments":{"query":"d"}}]`},
		{From: User, Text: "Result of search_web:\n" + Fence("leads", "results of call_2") + "\n\nResult of search_web:\n" + Fence("leads", "results of call_3")},
	}
	for i := range want {
		if !reflect.DeepEqual(last.Messages[i], want[i]) {
			t.Errorf("message %d:\n%s\nwant\n%s", i, last.Messages[i].Text, want[i].Text)
		}
	}
	for i := 1; i < 3; i++ {
		was := m.Asked()[i-1].Messages
		if plainJSON(m.Asked()[i].Messages[:len(was)]) != plainJSON(was) {
			t.Errorf("call %d does not begin as call %d did", i, i-1)
		}
	}
	if !reflect.DeepEqual(shown, []string{"It is so."}) {
		t.Errorf("readers were shown %q", shown)
	}
	if guide := want[0].Text; !strings.Contains(guide, `- search_web: Searches the web. Arguments: {"query": "<text: what to look for>"}`) {
		t.Errorf("the guide:\n%s", guide)
	}
}

func TestWithoutSystemMessageTheToolsAreToldAllTheSame(t *testing.T) {
	m := weakScript("done")
	r := &Request{Messages: []Message{{From: User, Text: "u"}, {From: Assistant, Text: "a"}, {From: System, Text: "late"}}, Tools: testTools}
	if _, err := Drive(m).Complete(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	ms := m.Asked()[0].Messages
	if len(ms) != 4 || ms[0].From != System || ms[3].From != User || ms[3].Text != "late" {
		t.Errorf("got %s", plainJSON(ms))
	}
}

func TestHistoryWithCallsIsToldPlainlyEvenWithoutTools(t *testing.T) {
	m := weakScript(`{"tool":"answer","text":"fine"}`)
	r := longTalk(1)
	r.Tools = nil
	r.Messages[2].Calls[0].Arguments = "{broken"
	a, err := Drive(m).Complete(context.Background(), r)
	if err != nil || a.Text != "fine" {
		t.Fatalf("%+v, %v", a, err)
	}
	ms := m.Asked()[0].Messages
	if usesTools(&Request{Messages: ms}) || ms[0].Text != "system" || ms[2].Text != `{"tool":"search_web","arguments":"{broken"}` {
		t.Errorf("got %s", plainJSON(ms))
	}
}

func TestSchemaInPlainWords(t *testing.T) {
	schema := &Schema{Name: "x", JSON: []byte(`{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`)}
	for _, c := range []struct {
		name string
		in   []Message
		at   int
	}{
		{"last user message", []Message{{From: System, Text: "s"}, {From: User, Text: "1"}, {From: Assistant, Text: "2"}, {From: User, Text: "3"}}, 3},
		{"before corrections", []Message{{From: User, Text: "1"}, {From: Assistant, Text: "2"}, {From: User, Text: correction + "x"}}, 0},
		{"system alone", []Message{{From: System, Text: "s"}}, 0},
		{"nothing", nil, 0},
	} {
		m := weakScript("{}")
		r := &Request{Messages: c.in, Schema: schema}
		before := plainJSON(r)
		if _, err := Drive(m).Complete(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		got := m.Asked()[0]
		if plainJSON(r) != before || got.Schema != nil {
			t.Errorf("%s: schema %v, request %s", c.name, got.Schema, plainJSON(r))
		}
		for i, msg := range got.Messages {
			if told := strings.Contains(msg.Text, `{"a": <number>}`); told != (i == c.at) {
				t.Errorf("%s: message %d is %q", c.name, i, msg.Text)
			}
		}
	}
}

// fussy is a model that claims everything and refuses some of it.
func fussy(noTools, noSchema bool, text string) *Script {
	return &Script{Answer: func(r *Request) (*Answer, error) {
		switch {
		case noTools && len(r.Tools) > 0:
			return nil, &Error{Trouble: Unsupported, Text: text}
		case noSchema && r.Schema != nil:
			return nil, fmt.Errorf("wrapped: %w", &Error{Trouble: Unsupported, Text: text})
		}
		return &Answer{Text: `{"tool":"answer","text":"ok"}`}, nil
	}}
}

func TestUnsupportedIsLearntOnce(t *testing.T) {
	both := &Request{Messages: []Message{{From: User, Text: "u"}}, Tools: testTools, Schema: &Schema{Name: "x", JSON: []byte(`{"type":"object"}`)}}
	for _, c := range []struct {
		name              string
		m                 *Script
		calls             int // of the first request
		noTools, noSchema bool
	}{
		{"tools", fussy(true, false, "this model does not support tools"), 2, true, false},
		{"schema", fussy(false, true, "response_format is not available"), 2, false, true},
		{"one after the other", fussy(true, true, "no function calling"), 3, true, true},
		{"who knows", fussy(true, false, "nope"), 2, true, true},
	} {
		d := Drive(c.m)
		for range 2 {
			if _, err := d.Complete(context.Background(), both); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		asked := c.m.Asked()
		if len(asked) != c.calls+1 {
			t.Errorf("%s: %d calls", c.name, len(asked))
		}
		if last := asked[len(asked)-1]; (last.Tools == nil) != c.noTools || (last.Schema == nil) != c.noSchema {
			t.Errorf("%s: at last it was asked %s", c.name, plainJSON(last))
		}
	}
}

func TestUnsupportedThatNothingExplainsComesBack(t *testing.T) {
	m := &Script{Answer: func(*Request) (*Answer, error) { return nil, &Error{Trouble: Unsupported} }}
	for _, r := range []*Request{{}, {Tools: testTools, Schema: &Schema{JSON: []byte("{}")}}} {
		var e *Error
		if _, err := Drive(m).Complete(context.Background(), r); !errors.As(err, &e) || e.Trouble != Unsupported {
			t.Errorf("got %v", err)
		}
	}
}

func TestDrivenModelIsSafeForConcurrentUse(t *testing.T) {
	d := Drive(fussy(true, true, "x"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			r := &Request{Messages: []Message{{From: User, Text: "u"}}, Tools: testTools, Schema: &Schema{Name: "x", JSON: []byte(`{}`)}}
			if a, err := d.Complete(context.Background(), r); err != nil || a.Text != "ok" {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	wg.Wait()
}

func TestSchemaAndToolsTogetherInPlainWords(t *testing.T) {
	m := weakScript(`{"tool":"search_web","arguments":{"query":"x"}}`, `{"tool":"answer","text":{"score":0.5,"feedback":"f","notes":[]}}`)
	d := Drive(m)
	r := &Request{Messages: []Message{{From: User, Text: "u"}}, Tools: testTools}
	a, err := d.Complete(context.Background(), r)
	if err != nil || len(a.Calls) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	got, err := Ask[small](context.Background(), d, r, "review", nil)
	if err != nil || got.Score != 0.5 {
		t.Errorf("got %+v, %v", got, err)
	}
	if ms := m.Asked()[1].Messages; !strings.Contains(ms[1].Text, "The text of your final answer is one JSON value") {
		t.Errorf("got %s", plainJSON(ms))
	}
}
