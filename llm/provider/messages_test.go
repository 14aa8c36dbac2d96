package provider

import (
	"bytes"
	"testing"

	"github.com/plumbresearch/plumb/llm"
)

const messageHello = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello."}],
	"stop_reason":"end_turn","stop_sequence":null,
	"usage":{"input_tokens":3,"cache_read_input_tokens":8,"cache_creation_input_tokens":5,"output_tokens":4}}`

func TestMessageRequestIsWhatTheProtocolDocuments(t *testing.T) {
	s := says(t, 200, messageHello)
	ask(t, open(t, at(s), "anthropic:claude-x"), research())
	got := s.only(t)
	if got.method != "POST" || got.path != "/v1/messages" || got.header.Get("X-Api-Key") != testKey ||
		got.header.Get("Anthropic-Version") != "2023-06-01" || got.header.Get("Authorization") != "" {
		t.Errorf("%s %s %v", got.method, got.path, got.header)
	}
	sameJSON(t, got.body, `{"model":"claude-x","max_tokens":700,
		"system":[{"type":"text","text":"You look things up.","cache_control":{"type":"ephemeral"}}],
		"messages":[
			{"role":"user","content":[{"type":"text","text":"Weather in A and B?"}]},
			{"role":"assistant","content":[{"type":"text","text":"Looking."},
				{"type":"tool_use","id":"c1","name":"weather","input":{"zone":"A","at":"noon"}},
				{"type":"tool_use","id":"c2","name":"weather","input":{"broken":"{\"zone\":"}}]},
			{"role":"user","content":[
				{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"rain"}]},
				{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"sun"}],"cache_control":{"type":"ephemeral"}}]}],
		"tools":[{"name":"weather","description":"Says the weather.","input_schema":`+weatherSchema+`}],
		"output_config":{"format":{"type":"json_schema","schema":`+weatherSchema+`}}}`)
	if n := bytes.Count(got.body, []byte(weatherSchema)); n != 2 {
		t.Errorf("the schema's fields lost their order: %s", got.body)
	}
}

func TestOnlyGrowingConversationsAreCached(t *testing.T) {
	for _, c := range []struct {
		name string
		r    *llm.Request
		body string
	}{
		{"single question", say("hi"), `{"model":"m","max_tokens":8192,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`},
		{"with tools to come", &llm.Request{Messages: []llm.Message{{From: llm.User, Text: "hi"}}, Tools: []llm.Tool{{Name: "f"}}, Output: 9000},
			`{"model":"m","max_tokens":8192,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],
			"tools":[{"name":"f","description":"","input_schema":{"type":"object","properties":{}}}]}`},
		{"second turn, empty texts left out", &llm.Request{Messages: []llm.Message{{From: llm.User, Text: "hi"}, {From: llm.Assistant, Text: "ho"},
			{From: llm.User, Text: "again"}, {From: llm.User}}, Output: 10},
			`{"model":"m","max_tokens":10,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"ho"}]},
			{"role":"user","content":[{"type":"text","text":"again","cache_control":{"type":"ephemeral"}}]}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := says(t, 200, messageHello)
			ask(t, open(t, at(s), "anthropic:m"), c.r)
			sameJSON(t, s.only(t).body, c.body)
		})
	}
}

func TestMessageAnswerIsReadWhole(t *testing.T) {
	usage := `,"usage":{"input_tokens":1,"output_tokens":2}}`
	used := llm.Usage{Input: 1, Output: 2}
	for _, c := range []struct {
		name, body string
		want       llm.Answer
	}{
		{"text and cache", messageHello, llm.Answer{Text: "Hello.", Stop: llm.End, Usage: llm.Usage{Input: 16, Cached: 8, Output: 4}}},
		{"thinking, text, two calls", `{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Look."},
			{"type":"tool_use","id":"a","name":"f","input":{"x":1}},{"type":"tool_use","id":"b","name":"g","input":{}}],"stop_reason":"tool_use"` + usage,
			llm.Answer{Text: "Look.", Stop: llm.ForTool, Calls: []llm.Call{{ID: "a", Name: "f", Arguments: `{"x":1}`}, {ID: "b", Name: "g", Arguments: `{}`}}, Usage: used}},
		{"cut off", `{"content":[{"type":"text","text":"Hel"}],"stop_reason":"max_tokens"` + usage, llm.Answer{Text: "Hel", Stop: llm.Length, Usage: used}},
		{"window full", `{"content":[{"type":"text","text":"Hel"}],"stop_reason":"model_context_window_exceeded"` + usage, llm.Answer{Text: "Hel", Stop: llm.Length, Usage: used}},
		{"refused", `{"content":[],"stop_reason":"refusal"` + usage, llm.Answer{Stop: llm.Refusal, Usage: used}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameAnswer(t, ask(t, open(t, at(says(t, 200, c.body)), "anthropic:m"), say("hi")), c.want)
		})
	}
}

func TestMessageStreamIsShownAndPutTogether(t *testing.T) {
	s := streams(t, events(t,
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":8,"cache_creation_input_tokens":5,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Loo"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"k."}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":": 1}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"b","name":"g","input":{}}}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}}`,
		`{"type":"message_stop"}`)...)
	a, shown := watch(t, open(t, at(s), "anthropic:m"))
	sameAnswer(t, a, llm.Answer{Text: "Look.", Stop: llm.ForTool, Usage: llm.Usage{Input: 16, Cached: 8, Output: 30},
		Calls: []llm.Call{{ID: "a", Name: "f", Arguments: `{"x": 1}`}, {ID: "b", Name: "g", Arguments: "{}"}}})
	if shown != "Loo|k." {
		t.Errorf("shown %q", shown)
	}
	sameJSON(t, s.only(t).body, `{"model":"m","max_tokens":8192,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`)
}

func TestArgumentsCutOffInAStreamAreKept(t *testing.T) {
	s := streams(t, events(t,
		`{"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}`,
		`{"type":"message_stop"}`)...)
	a, _ := watch(t, open(t, at(s), "anthropic:m"))
	sameAnswer(t, a, llm.Answer{Stop: llm.Length, Calls: []llm.Call{{ID: "a", Name: "f", Arguments: `{"x":`}}, Usage: llm.Usage{Input: 3, Output: 9}})
}
