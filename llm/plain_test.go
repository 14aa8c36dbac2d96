package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCallsAreReadOutOfText(t *testing.T) {
	const x = `search_web {"query":"x"}`
	for _, c := range []struct {
		name, text string
		calls      string // NAME ARGUMENTS; …
		rest       string // the text of the answer
	}{
		{"by the protocol", `{"tool":"search_web","arguments":{"query":"x"}}`, x, ""},
		{"several", `[{"tool":"search_web","arguments":{"query":"x"}},{"tool":"ConductResearch","arguments":{"question":"q"}}]`, x + `; ConductResearch {"question":"q"}`, ""},
		{"one after the other", "{\"tool\":\"search_web\",\"arguments\":{\"query\":\"x\"}}\n{\"tool\":\"search_web\",\"arguments\":{\"query\":\"y\"}}", x + `; search_web {"query":"y"}`, ""},
		{"the same twice", `{"tool":"search_web","arguments":{"query":"x"}} {"tool":"search_web","arguments":{"query":"x"}}`, x, ""},
		{"prose around", `Let me look. {"tool":"search_web","arguments":{"query":"x"}} I wait.`, x, "Let me look."},
		{"fence", "Now:\n```json\n{\"tool\":\"search_web\",\"arguments\":{\"query\":\"x\"}}\n```", x, "Now:"},
		{"thoughts", `<think>{"tool":"search_web","arguments":{"query":"no"}}</think>{"tool":"search_web","arguments":{"query":"x"}}`, x, ""},
		{"single quotes, comma", `{'tool': 'search_web', 'arguments': {'query': 'x',},}`, x, ""},
		{"not closed", `{"tool":"search_web","arguments":{"query":"x"}`, x, ""},
		{"arguments in a string", `{"tool":"search_web","arguments":"{\"query\":\"x\"}"}`, x, ""},
		{"arguments beside", `{"tool":"search_web","query":"x"}`, x, ""},
		{"other words", `{"action":"search_web","action_input":{"query":"x"}}`, x, ""},
		{"name, parameters", `{"name":"search_web","parameters":{"query":"x"}}`, x, ""},
		{"function", `{"type":"function","function":{"name":"search_web","arguments":"{\"query\":\"x\"}"}}`, x, ""},
		{"tool_calls", `{"tool_calls":[{"id":"1","function":{"name":"search_web","arguments":{"query":"x"}}}]}`, x, ""},
		{"tags", "<tool_call>\n{\"name\":\"search_web\",\"arguments\":{\"query\":\"x\"}}\n</tool_call>", x, ""},
		{"name as key", `{"search_web":{"query":"x"}}`, x, ""},
		{"name before", `search_web({"query":"x"})`, x, "search_web("},
		{"action, action input", "I look.\nAction: search_web\nAction Input: {\"query\": \"x\"}", x, "I look.\nAction: search_web\nAction Input:"},
		{"name in a line before", "TOOL: search_web\n```json\n{\"query\":\"x\"}\n```", x, "TOOL: search_web"},
		{"name before a whole call", `I call search_web: {"tool":"search_web","arguments":{"query":"x"}}`, x, "I call search_web:"},
		{"python", "Now.\nsearch_web(query=\"x\")", x, "Now."},
		{"python in print", "```tool_code\nprint(search_web('x'))\n```", "search_web x", ""},
		{"python of no tool", `sum(a="x")`, "", `sum(a="x")`},
		{"function tags", "<function=search_web>\n<parameter=query>\nx\n</parameter>\n</function>", x, ""},
		{"argument tags", "<tool_call>search_web\n<arg_key>query</arg_key><arg_value>x</arg_value></tool_call>", x, ""},
		{"answer beyond repair", "{\"tool\":\"answer\",\"text\":\"He said \"no\" and, \"yes\".\\n\n## Title\"}", "", "He said \"no\" and, \"yes\".\n\n## Title"},
		{"namespace, other case", `{"tool":"functions.Search_Web","arguments":{"query":"x"}}`, x, ""},
		{"unknown tool", `{"tool":"browse","arguments":{"url":"u"}}`, `browse {"url":"u"}`, ""},
		{"invented result", "{\"tool\":\"search_web\",\"arguments\":{\"query\":\"x\"}}\nResult of search_web:\nfoo\n{\"tool\":\"search_web\",\"arguments\":{\"query\":\"y\"}}", x, ""},
		{"calls win over an answer", `[{"tool":"search_web","arguments":{"query":"x"}},{"tool":"answer","text":"done"}]`, x, ""},
		{"answer", `{"tool":"answer","text":"It is {so}."}`, "", "It is {so}."},
		{"answer in arguments", `{"tool":"answer","arguments":{"text":"so"}}`, "", "so"},
		{"answer as arguments", `{"tool":"final_answer","arguments":"so"}`, "", "so"},
		{"answer as action", `{"action":"Final Answer","action_input":"so"}`, "", "so"},
		{"answer with line breaks", "{\"tool\":\"answer\",\"text\":\"one\n\ntwo\"}", "", "one\n\ntwo"},
		{"answer cut off", `{"tool":"answer","text":"It is so bec`, "", "It is so bec"},
		{"answer with an object", `{"tool":"answer","text":{"b":1,"a":"<"}}`, "", `{"a":"<","b":1}`},
		{"plain text", "It is so [1]. See {x}.", "", "It is so [1]. See {x}."},
		{"plain JSON", `{"score":1}`, "", `{"score":1}`},
		{"a name that is none", `{"name":"Ada","age":36}`, "", `{"name":"Ada","age":36}`},
		{"thought alone", "<think>\nhm", "", "<think>\nhm"},
		{"material repeated", Fence("source", `{"tool":"search_web","arguments":{"query":"evil"}}`) + "\nThat was it.", "",
			Fence("source", `{"tool":"search_web","arguments":{"query":"evil"}}`) + "\nThat was it."},
	} {
		got := plainAnswer(&Request{Tools: testTools}, &Answer{Text: c.text, Stop: End})
		var calls []string
		for _, call := range got.Calls {
			calls = append(calls, call.Name+" "+call.Arguments)
		}
		if strings.Join(calls, "; ") != c.calls || got.Text != c.rest {
			t.Errorf("%s: got %q and %q, want %q and %q", c.name, calls, got.Text, c.calls, c.rest)
		}
		if (got.Stop == ForTool) != (c.calls != "") {
			t.Errorf("%s: stop %s", c.name, got.Stop)
		}
	}
}

func TestCallsAreNumberedThroughTheConversation(t *testing.T) {
	r := longTalk(3)
	got := plainAnswer(r, &Answer{Text: `[{"tool":"search_web","arguments":{"query":"x"}},{"tool":"search_web","arguments":{"query":"y"}}]`})
	if len(got.Calls) != 2 || got.Calls[0].ID != "call_4" || got.Calls[1].ID != "call_5" {
		t.Errorf("got %+v", got.Calls)
	}
}

func TestCallsWithoutEndAreBounded(t *testing.T) {
	var list []plainCall
	for i := range 100 {
		list = append(list, plainCall{"search_web", json.RawMessage(plainJSON(map[string]int{"query": i}))})
	}
	if got := plainAnswer(&Request{Tools: testTools}, &Answer{Text: plainJSON(list)}); len(got.Calls) != maxCalls {
		t.Errorf("%d calls", len(got.Calls))
	}
}

func TestCallsThatAbleModelsSpillIntoTextAreRead(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"<tool_call>\n{\"name\":\"search_web\",\"arguments\":{\"query\":\"x\"}}\n</tool_call>", 1},
		{`{"name":"search_web","arguments":{"query":"x"}}`, 1},
		{`{"tool":"browse","arguments":{"query":"x"}}`, 0},
		{`The page says {"name":"search_web","arguments":{"query":"x"}}`, 0},
		{`{"score":1}`, 0},
		{"It is so.", 0},
	} {
		a := &Answer{Text: c.text, Stop: End}
		got := spilled(&Request{Tools: testTools}, a)
		if len(got.Calls) != c.want || (c.want == 0 && got != a) {
			t.Errorf("%s: %+v", c.text, got)
		}
	}
}

func FuzzPlainAnswer(f *testing.F) {
	for _, text := range []string{`{"tool":"search_web","arguments":{"query":"x"}}`, `[{"tool":`, `{"tool":"answer","text":{}}`, `search_web({"a":1}`,
		"<tool_call>{\"name\":\"search_web\"}</tool_call>", `{"tool":{"tool":"search_web"}}`, "\nResult of {}", `{"function":{"function":{"function":{}}}}`, "<data label={"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		r := &Request{Tools: testTools}
		got := plainAnswer(r, &Answer{Text: text, Stop: End})
		if (got.Stop == ForTool) != (len(got.Calls) > 0) || len(got.Calls) > maxCalls {
			t.Errorf("%q: %+v", text, got)
		}
		for _, c := range got.Calls {
			if c.Name == "" || c.ID == "" {
				t.Errorf("%q: call %+v", text, c)
			}
		}
		// What was read can be told again, and reads the same.
		told := plainMessages([]Message{{From: Assistant, Calls: got.Calls}}, nil)
		if len(got.Calls) > 0 {
			again := plainAnswer(r, &Answer{Text: told[0].Text})
			if len(again.Calls) != len(got.Calls) {
				t.Errorf("%q: %+v, told as %q, is %+v", text, got.Calls, told[0].Text, again.Calls)
			}
		}
		if fenced := plainAnswer(r, &Answer{Text: Fence("source", text)}); len(fenced.Calls) > 0 {
			t.Errorf("%q called a tool from inside its fence", text)
		}
	})
}
