package provider

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/llm"
)

const chatHello = `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","logprobs":null,
	"message":{"role":"assistant","content":"Hello.","refusal":null}}],
	"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":8}}}`

func TestChatRequestIsWhatTheProtocolDocuments(t *testing.T) {
	for _, c := range []struct{ name, path, auth, limit, extra string }{
		{"openai:gpt-5", "/v1/chat/completions", "Bearer " + testKey, `"max_completion_tokens":700`, ""},
		{"gemini:gemini-3-flash", "/v1beta/openai/chat/completions", "Bearer " + testKey, `"max_tokens":700`,
			`,"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`},
		{"ollama:qwen3:8b", "/v1/chat/completions", "", `"max_tokens":700`, ""},
		{"compatible:org/model", "/api/v1/chat/completions", "Bearer " + oddKey, `"max_tokens":700`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := says(t, 200, chatHello)
			ask(t, open(t, at(s), c.name), research())
			got := s.only(t)
			if got.method != "POST" || got.path != c.path || got.header.Get("Authorization") != c.auth {
				t.Errorf("%s %s, authorization %q", got.method, got.path, got.header.Get("Authorization"))
			}
			_, model, _ := strings.Cut(c.name, ":")
			sameJSON(t, got.body, `{"model":"`+model+`",`+c.limit+`,"messages":[
				{"role":"system","content":"You look things up."},
				{"role":"user","content":"Weather in A and B?"},
				{"role":"assistant","content":"Looking.","tool_calls":[
					{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"zone\":\"A\",\"at\":\"noon\"}"}`+c.extra+`},
					{"id":"c2","type":"function","function":{"name":"weather","arguments":"{\"broken\":\"{\\\"zone\\\":\"}"}`+c.extra+`}]},
				{"role":"tool","tool_call_id":"c1","content":"rain"},
				{"role":"tool","tool_call_id":"c2","content":"sun"}],
				"tools":[{"type":"function","function":{"name":"weather","description":"Says the weather.","parameters":`+weatherSchema+`}}],
				"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":`+weatherSchema+`}}}`)
			if n := bytes.Count(got.body, []byte(weatherSchema)); n != 2 {
				t.Errorf("the schema's fields lost their order: %s", got.body)
			}
		})
	}
}

func TestChatAnswerIsReadWhole(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       llm.Answer
	}{
		{"text and cached tokens", chatHello, llm.Answer{Text: "Hello.", Stop: llm.End, Usage: llm.Usage{Input: 12, Cached: 8, Output: 3}}},
		{"calls", `{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[
			{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{"}}]}}],
			"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`,
			llm.Answer{Stop: llm.ForTool, Calls: []llm.Call{{ID: "a", Name: "f", Arguments: `{"x":1}`}, {ID: "b", Name: "g", Arguments: "{"}}, Usage: llm.Usage{Input: 5, Output: 2}}},
		{"calls without ids, said to be the end", `{"choices":[{"finish_reason":"stop","message":{"content":"","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`,
			llm.Answer{Stop: llm.ForTool, Calls: []llm.Call{{ID: "call_1", Name: "f", Arguments: "{}"}}}},
		{"cut off", `{"choices":[{"finish_reason":"length","message":{"content":"Hel"}}]}`, llm.Answer{Text: "Hel", Stop: llm.Length}},
		{"filtered", `{"choices":[{"finish_reason":"content_filter","message":{"content":""}}]}`, llm.Answer{Stop: llm.Refusal}},
		{"refused", `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I won't."}}]}`, llm.Answer{Text: "I won't.", Stop: llm.Refusal}},
		{"only the sum of tokens", `{"choices":[{"finish_reason":"stop","message":{"content":"x"}}],"usage":{"total_tokens":40}}`,
			llm.Answer{Text: "x", Stop: llm.End, Usage: llm.Usage{Total: 40}}},
		{"thinking in the sum alone", `{"choices":[{"finish_reason":"stop","message":{"content":"x"}}],"usage":{"prompt_tokens":20,"completion_tokens":198,"total_tokens":623}}`,
			llm.Answer{Text: "x", Stop: llm.End, Usage: llm.Usage{Input: 20, Output: 603}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameAnswer(t, ask(t, open(t, at(says(t, 200, c.body)), "openai:m"), say("hi")), c.want)
		})
	}
}

func TestServersThatCallTheirJSONTextAreUnderstood(t *testing.T) {
	s := says(t, 200, chatHello, "Content-Type", "text/plain; charset=utf-8")
	if a := ask(t, open(t, at(s), "compatible:m"), say("hi")); a.Text != "Hello." {
		t.Errorf("%+v", a)
	}
}

func TestChatStreamIsShownAndPutTogether(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		shown  string
		want   llm.Answer
	}{
		{"text, then usage without choices", chunks(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}`,
			`{"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{"content":"lo."},"finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			`{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":8}}}`),
			"Hel|lo.", llm.Answer{Text: "Hello.", Stop: llm.End, Usage: llm.Usage{Input: 12, Cached: 8, Output: 3}}},
		{"two calls in pieces, mixed", chunks(
			`{"choices":[{"delta":{"role":"assistant","content":"Look.","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{\"y\""}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":1}"}},{"index":1,"function":{"arguments":":2}"}}]}}]}`,
			`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`),
			"Look.", llm.Answer{Text: "Look.", Stop: llm.ForTool, Calls: []llm.Call{{ID: "a", Name: "f", Arguments: `{"x":1}`}, {ID: "b", Name: "g", Arguments: `{"y":2}`}}}},
		{"whole calls that are all numbered 0", chunks(
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}}]},"finish_reason":"stop"}]}`),
			"", llm.Answer{Stop: llm.ForTool, Calls: []llm.Call{{ID: "a", Name: "f", Arguments: `{"x":1}`}, {ID: "b", Name: "f", Arguments: `{"x":2}`}}}},
		{"whole calls without ids or numbers", chunks(
			`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`),
			"", llm.Answer{Stop: llm.ForTool, Calls: []llm.Call{{ID: "call_1", Name: "f", Arguments: "{}"}, {ID: "call_2", Name: "g", Arguments: "{}"}}}},
		{"no usage, no end mark", []string{`data: {"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]}`},
			"x", llm.Answer{Text: "x", Stop: llm.Length}},
		{"comments and thoughts between", append([]string{": ping", `data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}`},
			chunks(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`)...),
			"x", llm.Answer{Text: "x", Stop: llm.End}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := streams(t, c.events...)
			a, shown := watch(t, open(t, at(s), "openai:m"))
			sameAnswer(t, a, c.want)
			if shown != c.shown {
				t.Errorf("shown %q, want %q", shown, c.shown)
			}
			sameJSON(t, s.only(t).body, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}`)
		})
	}
}

// watch asks with somebody watching, and gives the pieces that were shown.
func watch(t *testing.T, m llm.Model) (*llm.Answer, string) {
	t.Helper()
	var pieces []string
	r := say("hi")
	r.Delta = func(s string) { pieces = append(pieces, s) }
	a := ask(t, m, r)
	return a, strings.Join(pieces, "|")
}

func sameAnswer(t *testing.T, got *llm.Answer, want llm.Answer) {
	t.Helper()
	if got.Text != want.Text || got.Stop != want.Stop || got.Usage != want.Usage || len(got.Calls) != len(want.Calls) {
		t.Fatalf("got %+v\nwant %+v", *got, want)
	}
	for i, c := range got.Calls {
		if c != want.Calls[i] {
			t.Errorf("call %d is %+v, want %+v", i, c, want.Calls[i])
		}
	}
}

func TestIDsThatServersLeaveOutStayUniqueInAConversation(t *testing.T) {
	s := says(t, 200, `{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}`)
	if a := ask(t, open(t, at(s), "ollama:m"), research()); a.Calls[0].ID != "call_3" {
		t.Errorf("%+v", a.Calls)
	}
}

func TestKeysOfTheEnvironmentGoNowhere(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-environment")
	t.Setenv("OPENAI_ORG_ID", "org-of-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "token-of-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	s := says(t, 200, chatHello)
	p := at(s, func(o *Options) { o.CompatibleKey = "" })
	ask(t, open(t, p, "compatible:m"), say("hi"))
	ask(t, open(t, p, "ollama:m"), say("hi"))
	a := says(t, 200, messageHello)
	ask(t, open(t, at(a), "anthropic:m"), say("hi"))
	for _, got := range append(s.seen(), a.seen()...) {
		for k, v := range got.header {
			if strings.Contains(strings.Join(v, " "), "environment") || k == "Authorization" {
				t.Errorf("%s: %s sent", got.path, k)
			}
		}
	}
}
