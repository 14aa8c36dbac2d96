package lab

// OpenAI's format, through its own SDK.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/plumbresearch/plumb/llm"
)

// serve starts m for the time of a test.
func serve(t *testing.T, m *Models) string {
	t.Helper()
	url, stop := Serve(m)
	t.Cleanup(stop)
	return url
}

func openAIClient(t *testing.T, m *Models) openai.Client {
	t.Helper()
	return openai.NewClient(option.WithBaseURL(serve(t, m)+"/v1"), option.WithAPIKey("sk-lab-0123456789"), option.WithMaxRetries(0))
}

func chat(system, user string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "lab-large", Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), openai.UserMessage(user)}}
}

// paris is a schema as strict as OpenAI wants it.
var paris = map[string]any{
	"type": "object", "additionalProperties": false, "required": []string{"city", "size", "kind"},
	"properties": map[string]any{"city": map[string]any{"type": "string"}, "size": map[string]any{"type": "number"}, "kind": map[string]any{"type": "string", "enum": []string{"town", "capital"}}},
}

func withSchema(p openai.ChatCompletionNewParams, name string, schema any, strict bool) openai.ChatCompletionNewParams {
	p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: name, Schema: schema, Strict: openai.Bool(strict)}}
	return p
}

func searchTool() []openai.ChatCompletionToolUnionParam {
	return []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: "search_library", Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"query": map[string]any{"type": "string"}}},
	})}
}

func TestOpenAIAnswersAChat(t *testing.T) {
	m := &Models{}
	c := openAIClient(t, m)
	a, err := c.Chat.Completions.New(t.Context(), chat("You are short.", "Hello there"))
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Choices[0]; got.Message.Content != "You said: Hello there" || got.FinishReason != "stop" || got.Message.Role != "assistant" {
		t.Errorf("answered %+v", got)
	}
	if a.Usage.PromptTokens < 10 || a.Usage.CompletionTokens < 3 || a.Usage.TotalTokens != a.Usage.PromptTokens+a.Usage.CompletionTokens {
		t.Errorf("usage is %+v", a.Usage)
	}
	s := m.Stats()
	if s.Calls != 1 || s.Billed.Input != a.Usage.PromptTokens || s.Billed.Output != a.Usage.CompletionTokens {
		t.Errorf("stats are %+v", s)
	}
}

func TestOpenAIStreamsTextAndUsage(t *testing.T) {
	c := openAIClient(t, &Models{Mind: func(*llm.Request) *llm.Answer { return &llm.Answer{Text: strings.Repeat("Größe über alles. ", 20)} }})
	p := chat("s", "u")
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := c.Chat.Completions.NewStreaming(t.Context(), p)
	var acc openai.ChatCompletionAccumulator
	chunks := 0
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatal("a chunk does not belong to the others")
		}
		chunks++
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if acc.Choices[0].Message.Content != strings.Repeat("Größe über alles. ", 20) || acc.Choices[0].FinishReason != "stop" || chunks < 8 || acc.Usage.CompletionTokens < 80 {
		t.Errorf("%d chunks, usage %+v, %+v", chunks, acc.Usage, acc.Choices)
	}
}

func TestOpenAICallsToolsWholeAndStreamed(t *testing.T) {
	want := `{"query":"why the pumps at Brackwell failed"}`
	c := openAIClient(t, &Models{Mind: func(r *llm.Request) *llm.Answer {
		if r.Messages[len(r.Messages)-1].From == llm.ToolReply {
			return &llm.Answer{Text: "Because of silt."}
		}
		return &llm.Answer{Text: "Let me see.", Calls: []llm.Call{{Name: "search_library", Arguments: want}, {Name: "search_library", Arguments: `{}`}}}
	}})
	p := chat("s", "u")
	p.Tools = searchTool()
	a, err := c.Chat.Completions.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	got := a.Choices[0]
	if len(got.Message.ToolCalls) != 2 || got.Message.ToolCalls[0].Function.Arguments != want || got.FinishReason != "tool_calls" || got.Message.Content != "Let me see." {
		t.Fatalf("called %+v", got)
	}
	stream := c.Chat.Completions.NewStreaming(t.Context(), p)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		acc.AddChunk(stream.Current())
	}
	if calls := acc.Choices[0].Message.ToolCalls; stream.Err() != nil || len(calls) != 2 || calls[0].Function.Arguments != want || calls[0].ID == calls[1].ID || acc.Choices[0].FinishReason != "tool_calls" {
		t.Fatalf("streamed %+v, %v", acc.Choices, stream.Err())
	}
	p.Messages = append(p.Messages, got.Message.ToParam(), openai.ToolMessage("silt", got.Message.ToolCalls[0].ID), openai.ToolMessage("", got.Message.ToolCalls[1].ID))
	if a, err = c.Chat.Completions.New(t.Context(), p); err != nil || a.Choices[0].Message.Content != "Because of silt." {
		t.Fatalf("after the reply: %v, %v", a, err)
	}
}

func TestOpenAIKeepsToASchema(t *testing.T) {
	c := openAIClient(t, &Models{})
	a, err := c.Chat.Completions.New(t.Context(), withSchema(chat("s", "u"), "city", paris, true))
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Choices[0].Message.Content; got != `{"city":"scripted","kind":"town","size":1}` {
		t.Errorf("answered %s", got)
	}
	p := chat("s", "u")
	p.Tools = searchTool()
	p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "search_library"})
	if a, err = c.Chat.Completions.New(t.Context(), p); err != nil || len(a.Choices[0].Message.ToolCalls) != 1 || a.Choices[0].Message.ToolCalls[0].Function.Arguments != `{"query":"scripted"}` {
		t.Errorf("a forced call gave %+v, %v", a, err)
	}
}

func TestOpenAIRefusesWhatIsWrong(t *testing.T) {
	loose := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}, "required": []string{"a"}}
	partial := map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{"a": map[string]any{"type": "string"}}, "required": []string{}}
	cases := map[string]struct {
		models *Models
		params openai.ChatCompletionNewParams
		status int
		code   string
		says   string
	}{
		"wrong key":       {&Models{Key: "another"}, chat("s", "u"), 401, "invalid_api_key", "sk-**********6789"},
		"unknown model":   {&Models{Known: []string{"lab-small"}}, chat("s", "u"), 404, "model_not_found", "`lab-large` does not exist"},
		"too long":        {&Models{Window: 50}, chat("s", strings.Repeat("word ", 100)), 400, "context_length_exceeded", "maximum context length is 50 tokens"},
		"no quota":        {&Models{Knobs: Knobs{Quota: true}}, chat("s", "u"), 429, "insufficient_quota", "exceeded your current quota"},
		"no messages":     {&Models{}, openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{}}, 400, "empty_array", "messages"},
		"reply to none":   {&Models{}, openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("u"), openai.ToolMessage("x", "call_1")}}, 400, "", "must be a response to a preceeding message"},
		"loose schema":    {&Models{}, withSchema(chat("s", "u"), "x", loose, true), 400, "", "'additionalProperties' is required"},
		"partial schema":  {&Models{}, withSchema(chat("s", "u"), "x", partial, true), 400, "", "Missing 'a'"},
		"unnamed schema":  {&Models{}, withSchema(chat("s", "u"), "x y", paris, true), 400, "missing_required_parameter", "json_schema.name"},
		"weak with tools": {&Models{Weak: true}, openai.ChatCompletionNewParams{Model: "m", Messages: chat("s", "u").Messages, Tools: searchTool()}, 400, "", "m does not support tools"},
		"weak and schema": {&Models{Weak: true}, withSchema(chat("s", "u"), "x", paris, true), 400, "", "not supported with this model"},
	}
	for name, k := range cases {
		t.Run(name, func(t *testing.T) {
			c := openAIClient(t, k.models)
			_, err := c.Chat.Completions.New(t.Context(), k.params)
			var e *openai.Error
			if !errors.As(err, &e) || e.StatusCode != k.status || e.Code != k.code || !strings.Contains(e.Message, k.says) {
				t.Errorf("answered %v", err)
			}
		})
	}
}

// post sends a body as it is.
func post(t *testing.T, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestOpenAIRefusesBodiesThatNoSDKWrites(t *testing.T) {
	url := serve(t, &Models{})
	for body, says := range map[string]string{
		`{`: "could not parse",
		`{"messages":[{"role":"user","content":"u"}]}`:                                                                                                                        "must provide a model",
		`{"model":"m","messages":[{"role":"robot","content":"u"}]}`:                                                                                                           "Invalid value: 'robot'",
		`{"model":"m","messages":[{"role":"user","content":null}]}`:                                                                                                           "got null",
		`{"model":"m","mesages":[]}`:                                                                                                                                          "Unknown parameter: 'mesages'",
		`{"model":"m","messages":[{"role":"user","content":"u"}],"max_tokens":0}`:                                                                                             "below minimum",
		`{"model":"m","messages":[{"role":"user","content":"u"}],"max_tokens":5,"max_completion_tokens":5}`:                                                                   "at the same time",
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tool_choice":"auto"}`:                                                                                       "only allowed when 'tools'",
		`{"model":"m","messages":[{"role":"user","content":"u"}],"response_format":{"type":"yaml"}}`:                                                                          "Invalid value: 'yaml'",
		`{"model":"m","messages":[{"role":"user","content":"u"}],"response_format":{"type":"json_object"}}`:                                                                   "must contain the word 'json'",
		`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":""}}]}]}`:                   "did not have response messages: 1",
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":""}}]},{"role":"user","content":"and?"}]}`: "did not have response messages: 1",
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"a b","parameters":{"type":"object"}}}]}`:                     "does not match pattern",
		`{"model":"m","messages":[{"role":"user","content":"u"}],"tools":[{"type":"function","function":{"name":"ab","parameters":{"type":"array"}}}]}`:                       "Invalid schema for function 'ab'",
	} {
		if status, got := post(t, url+"/chat/completions", body); status != 400 || !strings.Contains(got, says) || !json.Valid([]byte(got)) {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	if status, got := post(t, url+"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"in "},{"type":"text","text":"parts"}]}]}`); status != 200 || !strings.Contains(got, "You said: in parts") {
		t.Errorf("%d %s", status, got)
	}
}

func TestOpenAICutsAtTheTokensAllowed(t *testing.T) {
	c := openAIClient(t, &Models{Mind: func(*llm.Request) *llm.Answer { return &llm.Answer{Text: strings.Repeat("a long answer ", 200)} }})
	p := chat("s", "u")
	p.MaxCompletionTokens = param.NewOpt[int64](20)
	a, err := c.Chat.Completions.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Usage.CompletionTokens; n < 10 || n > 20 || a.Choices[0].FinishReason != "length" {
		t.Errorf("%d tokens, stopped for %s", n, a.Choices[0].FinishReason)
	}
}

func TestCachedTokensGrowWithTheConversation(t *testing.T) {
	m := &Models{}
	c := openAIClient(t, m)
	p := chat(strings.Repeat("You are thorough and say where things stand. ", 120), "First question")
	var cached []int64
	for range 4 {
		a, err := c.Chat.Completions.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		u := a.Usage
		cached = append(cached, u.PromptTokensDetails.CachedTokens)
		if n := u.PromptTokensDetails.CachedTokens; n%128 != 0 || n > u.PromptTokens {
			t.Errorf("%d of %d tokens are cached", n, u.PromptTokens)
		}
		p.Messages = append(p.Messages, openai.AssistantMessage(a.Choices[0].Message.Content), openai.UserMessage(strings.Repeat("Another thing to think about. ", 60)))
	}
	if cached[0] != 0 || cached[1] < 1024 || cached[2] <= cached[1] || cached[3] <= cached[2] {
		t.Errorf("cached tokens: %v", cached)
	}
	if m.Stats().Billed.Cached != cached[0]+cached[1]+cached[2]+cached[3] {
		t.Errorf("billed %+v", m.Stats().Billed)
	}
	p.Model = "lab-small"
	if a, err := c.Chat.Completions.New(t.Context(), p); err != nil || a.Usage.PromptTokensDetails.CachedTokens != 0 {
		t.Errorf("another model has it cached: %+v, %v", a, err)
	}
	short := chat("s", "u")
	for range 2 {
		if a, err := c.Chat.Completions.New(t.Context(), short); err != nil || a.Usage.PromptTokensDetails.CachedTokens != 0 {
			t.Errorf("a short prompt is cached: %+v, %v", a, err)
		}
	}
}

func TestEmbeddingsOfSimilarTextsAreNear(t *testing.T) {
	m := &Models{}
	c := openAIClient(t, m)
	embed := func(texts ...string) [][]float64 {
		a, err := c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Model: "lab-embed", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts}})
		if err != nil {
			t.Fatal(err)
		}
		var out [][]float64
		for i, d := range a.Data {
			if d.Index != int64(i) || len(d.Embedding) != 256 {
				t.Fatalf("vector %d has index %d and %d dimensions", i, d.Index, len(d.Embedding))
			}
			out = append(out, d.Embedding)
		}
		return out
	}
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	v := embed("The pumps at Brackwell failed because silt had blocked the intake.", "Why did the pumps at Brackwell fail?", "Volunteers cleared reeds along the eastern bank.", "the and of")
	for i := range v {
		if n := dot(v[i], v[i]); math.Abs(n-1) > 1e-3 {
			t.Errorf("vector %d has length² %f", i, n)
		}
	}
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near < 0.4 || far > 0.3 {
		t.Errorf("similar texts are at %f, different ones at %f", near, far)
	}
	if again := embed("Why did the pumps at Brackwell fail?"); math.Abs(dot(again[0], v[1])-1) > 1e-3 {
		t.Error("the same text has another vector")
	}
	if s := m.Stats(); s.Prompts["embed"] != 2 || s.Billed.Input == 0 || s.Billed.Output != 0 {
		t.Errorf("stats are %+v", s)
	}
}

func TestEmbeddingsRefuseAndFail(t *testing.T) {
	for name, k := range map[string]struct {
		models *Models
		body   string
		status int
	}{
		"no model":    {&Models{}, `{"input":"x"}`, 400},
		"no input":    {&Models{}, `{"model":"m","input":[]}`, 400},
		"empty input": {&Models{}, `{"model":"m","input":["a",""]}`, 400},
		"dimensions":  {&Models{}, `{"model":"m","input":"a","dimensions":999}`, 400},
		"too long":    {&Models{Window: 10}, `{"model":"m","input":"` + strings.Repeat("word ", 50) + `"}`, 400},
		"no key":      {&Models{Key: "k"}, `{"model":"m","input":"a"}`, 401},
		"unknown":     {&Models{Known: []string{"x"}}, `{"model":"m","input":"a"}`, 404},
		"limit":       {&Models{Knobs: Knobs{RateLimit: 1}}, `{"model":"m","input":"a"}`, 429},
		"fine":        {&Models{}, `{"model":"m","input":"a","dimensions":3,"encoding_format":"base64"}`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			if status, got := post(t, serve(t, k.models)+"/v1/embeddings", k.body); status != k.status || !json.Valid([]byte(got)) {
				t.Errorf("%d %s", status, got)
			}
		})
	}
}

func TestModelsAreListedAndShown(t *testing.T) {
	c := openAIClient(t, &Models{Known: []string{"org/one", "two"}, Window: 8192})
	list, err := c.Models.List(context.Background())
	if err != nil || len(list.Data) != 2 || list.Data[0].ID != "org/one" {
		t.Fatalf("listed %+v, %v", list, err)
	}
	if one, err := c.Models.Get(t.Context(), "two"); err != nil || one.ID != "two" || one.JSON.ExtraFields["max_model_len"].Raw() != "8192" {
		t.Errorf("shown %+v, %v", one, err)
	}
	var e *openai.Error
	if _, err := c.Models.Get(t.Context(), "three"); !errors.As(err, &e) || e.Code != "model_not_found" {
		t.Errorf("an unknown model is shown: %v", err)
	}
}
