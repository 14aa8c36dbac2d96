package lab

// Anthropic's format, through its own SDK.

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/plumbresearch/plumb/llm"
)

func anthropicClient(t *testing.T, m *Models) sdk.Client {
	t.Helper()
	return sdk.NewClient(option.WithBaseURL(serve(t, m)), option.WithAPIKey("sk-ant-0123456789"), option.WithMaxRetries(0))
}

func message(system, user string) sdk.MessageNewParams {
	return sdk.MessageNewParams{
		Model: "lab-large", MaxTokens: 4000,
		System:   []sdk.TextBlockParam{{Text: system}},
		Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock(user))},
	}
}

// collect reads a stream to its end.
func collect(t *testing.T, c sdk.Client, p sdk.MessageNewParams) (sdk.Message, int, error) {
	t.Helper()
	stream := c.Messages.NewStreaming(t.Context(), p)
	var out sdk.Message
	events := 0
	for stream.Next() {
		if err := out.Accumulate(stream.Current()); err != nil {
			return out, events, err
		}
		events++
	}
	return out, events, stream.Err()
}

func queryTool() []sdk.ToolUnionParam {
	return []sdk.ToolUnionParam{{OfTool: &sdk.ToolParam{Name: "search_library", Description: sdk.String("Searches."), InputSchema: sdk.ToolInputSchemaParam{Properties: map[string]any{"query": map[string]any{"type": "string"}}}}}}
}

func TestAnthropicAnswersWholeAndStreamed(t *testing.T) {
	want := strings.Repeat("Größe über alles. ", 20)
	m := &Models{Mind: func(*llm.Request) *llm.Answer { return &llm.Answer{Text: want} }}
	c := anthropicClient(t, m)
	whole, err := c.Messages.New(t.Context(), message("You are short.", "Hello there"))
	if err != nil {
		t.Fatal(err)
	}
	streamed, events, err := collect(t, c, message("You are short.", "Hello there"))
	if err != nil || events < 10 {
		t.Fatalf("%d events, %v", events, err)
	}
	for name, a := range map[string]*sdk.Message{"whole": whole, "streamed": &streamed} {
		if len(a.Content) != 1 || a.Content[0].Text != want || a.StopReason != "end_turn" || a.Usage.InputTokens < 10 || a.Usage.OutputTokens < 80 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if s := m.Stats(); s.Calls != 2 || s.Billed.Input != whole.Usage.InputTokens+streamed.Usage.InputTokens || s.Billed.Output != 2*whole.Usage.OutputTokens {
		t.Errorf("stats are %+v", s)
	}
}

func TestAnthropicUsesToolsWholeAndStreamed(t *testing.T) {
	want := `{"query":"why the pumps at Brackwell failed"}`
	c := anthropicClient(t, &Models{Mind: func(r *llm.Request) *llm.Answer {
		for _, m := range r.Messages {
			if m.From == llm.ToolReply {
				return &llm.Answer{Text: "Because of " + m.Text}
			}
		}
		return &llm.Answer{Text: "Let me see.", Calls: []llm.Call{{Name: "search_library", Arguments: want}}}
	}})
	p := message("s", "u")
	p.Tools = queryTool()
	a, err := c.Messages.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	streamed, _, err := collect(t, c, p)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*sdk.Message{"whole": a, "streamed": &streamed} {
		if len(a.Content) != 2 || a.Content[0].Text != "Let me see." || string(a.Content[1].Input) != want || a.Content[1].Name != "search_library" || a.StopReason != "tool_use" {
			t.Fatalf("%s: %+v", name, a)
		}
	}
	p.Messages = append(p.Messages, a.ToParam(), sdk.NewUserMessage(sdk.NewToolResultBlock(a.Content[1].ID, "silt", false)))
	if a, err = c.Messages.New(t.Context(), p); err != nil || a.Content[0].Text != "Because of silt" {
		t.Errorf("after the result: %+v, %v", a, err)
	}
}

func TestAnthropicKeepsToASchemaEitherWay(t *testing.T) {
	c := anthropicClient(t, &Models{})
	want := `{"city":"scripted","kind":"town","size":1}`
	p := message("s", "u")
	p.OutputConfig.Format = sdk.JSONOutputFormatParam{Schema: paris}
	if a, err := c.Messages.New(t.Context(), p); err != nil || a.Content[0].Text != want || a.StopReason != "end_turn" {
		t.Errorf("output_config gave %+v, %v", a, err)
	}
	p = message("s", "u")
	p.Tools = []sdk.ToolUnionParam{{OfTool: &sdk.ToolParam{Name: "city", InputSchema: sdk.ToolInputSchemaParam{Properties: paris["properties"]}}}}
	p.ToolChoice = sdk.ToolChoiceParamOfTool("city")
	a, err := c.Messages.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	streamed, _, err := collect(t, c, p)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*sdk.Message{"whole": a, "streamed": &streamed} {
		if len(a.Content) != 1 || a.Content[0].Name != "city" || string(a.Content[0].Input) != want || a.StopReason != "tool_use" {
			t.Errorf("%s: a forced tool gave %+v", name, a)
		}
	}
}

func TestAnthropicCachesWhatIsMarked(t *testing.T) {
	c := anthropicClient(t, &Models{})
	system := strings.Repeat("You are thorough and say where things stand. ", 120)
	p := message(system, "First question")
	for range 2 {
		a, err := c.Messages.New(t.Context(), p)
		if err != nil || a.Usage.CacheReadInputTokens != 0 || a.Usage.CacheCreationInputTokens != 0 {
			t.Fatalf("unmarked, but cached: %+v, %v", a.Usage, err)
		}
	}
	p.System[0].CacheControl = sdk.NewCacheControlEphemeralParam()
	var read, wrote []int64
	for range 3 {
		a, err := c.Messages.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		u := a.Usage
		read, wrote = append(read, u.CacheReadInputTokens), append(wrote, u.CacheCreationInputTokens)
		next := sdk.NewTextBlock(strings.Repeat("Another thing to think about. ", 60))
		next.OfText.CacheControl = sdk.NewCacheControlEphemeralParam()
		p.Messages = append(p.Messages, a.ToParam(), sdk.NewUserMessage(next))
	}
	if read[0] != 0 || wrote[0] < 1024 || read[1] < 1024 || wrote[1] == 0 || read[2] <= read[1] {
		t.Errorf("read %v, wrote %v", read, wrote)
	}
}

func TestAnthropicRefusesWhatIsWrong(t *testing.T) {
	orphan := message("s", "u")
	orphan.Messages = append(orphan.Messages, sdk.NewAssistantMessage(sdk.NewTextBlock("a")), sdk.NewUserMessage(sdk.NewToolResultBlock("toolu_1", "x", false)))
	open := message("s", "u")
	open.Messages = append(open.Messages, sdk.NewAssistantMessage(sdk.NewToolUseBlock("toolu_1", map[string]any{}, "f")), sdk.NewUserMessage(sdk.NewTextBlock("and?")))
	loose := message("s", "u")
	loose.OutputConfig.Format = sdk.JSONOutputFormatParam{Schema: map[string]any{"type": "object", "properties": map[string]any{}}}
	missing := message("s", "u")
	missing.Tools = queryTool()
	missing.ToolChoice = sdk.ToolChoiceParamOfTool("city")
	tooled := message("s", "u")
	tooled.Tools = queryTool()
	for name, k := range map[string]struct {
		models *Models
		params sdk.MessageNewParams
		status int
		kind   sdk.ErrorType
		says   string
	}{
		"wrong key":       {&Models{Key: "another"}, message("s", "u"), 401, "authentication_error", "invalid x-api-key"},
		"unknown model":   {&Models{Known: []string{"x"}}, message("s", "u"), 404, "not_found_error", "model: lab-large"},
		"too long":        {&Models{Window: 50}, message("s", strings.Repeat("word ", 100)), 400, "invalid_request_error", "tokens > 50 maximum"},
		"no credit":       {&Models{Knobs: Knobs{Quota: true}}, message("s", "u"), 400, "invalid_request_error", "credit balance is too low"},
		"result of none":  {&Models{}, orphan, 400, "invalid_request_error", "unexpected `tool_use_id`"},
		"use without":     {&Models{}, open, 400, "invalid_request_error", "without `tool_result` blocks immediately after: toolu_1"},
		"loose schema":    {&Models{}, loose, 400, "invalid_request_error", "'additionalProperties' must be explicitly set to false"},
		"no such tool":    {&Models{}, missing, 400, "invalid_request_error", "Tool 'city' not found"},
		"empty text":      {&Models{}, message("s", " "), 400, "invalid_request_error", "must be non-empty"},
		"weak with tools": {&Models{Weak: true}, tooled, 400, "invalid_request_error", "does not support tools"},
		"rate limit":      {&Models{Knobs: Knobs{RateLimit: 1}}, message("s", "u"), 429, "rate_limit_error", "rate limit"},
	} {
		t.Run(name, func(t *testing.T) {
			c := anthropicClient(t, k.models)
			_, err := c.Messages.New(t.Context(), k.params)
			var e *sdk.Error
			if !errors.As(err, &e) || e.StatusCode != k.status || e.Type() != k.kind || !strings.Contains(e.RawJSON(), k.says) {
				t.Errorf("answered %v", err)
			}
		})
	}
}

func TestAnthropicRefusesBodiesThatNoSDKWrites(t *testing.T) {
	url := serve(t, &Models{})
	for body, says := range map[string]string{
		`{`: "not valid JSON",
		`{"max_tokens":5,"messages":[{"role":"user","content":"u"}]}`:                                                                    "model: Field required",
		`{"model":"m","messages":[{"role":"user","content":"u"}]}`:                                                                       "max_tokens: Field required",
		`{"model":"m","max_tokens":0,"messages":[{"role":"user","content":"u"}]}`:                                                        "greater than or equal to 1",
		`{"model":"m","max_tokens":5,"messages":[]}`:                                                                                     "at least one message",
		`{"model":"m","max_tokens":5,"messages":[{"role":"system","content":"u"}]}`:                                                      "'user' or 'assistant'",
		`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[]}]}`:                                                         "non-empty content",
		`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}]}`:       "does not match any of the expected tags",
		`{"model":"m","max_tokens":5,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":"x"}]}]}`: "valid dictionary",
		`{"model":"m","max_tokens":5,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}]}`:  "without `tool_result`",
		`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"u"}],"tool_choice":{"type":"auto"}}`:                          "while providing tools",
		`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"u"}],"tools":[{"name":"f"}],"tool_choice":{"type":"x"}}`:      "tools.0.custom.input_schema",
		`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"u"}],"output_config":{"format":{"type":"xml"}}}`:              "should be 'json_schema'",
		`{"model":"m","max_tokens":5,"n":2,"messages":[{"role":"user","content":"u"}]}`:                                                  "n: Extra inputs are not permitted",
	} {
		if status, got := post(t, url+"/v1/messages", body, "Anthropic-Version", "2023-06-01"); status != 400 || !strings.Contains(got, says) || !json.Valid([]byte(got)) {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	if status, got := post(t, url+"/v1/messages", `{}`); status != 400 || !strings.Contains(got, "anthropic-version") {
		t.Errorf("%d %s", status, got)
	}
}

func TestAnthropicModelsAreListedAndShown(t *testing.T) {
	c := anthropicClient(t, &Models{Known: []string{"one", "two"}, Window: 8192})
	list, err := c.Models.List(t.Context(), sdk.ModelListParams{})
	if err != nil || len(list.Data) != 2 || list.Data[1].ID != "two" || list.HasMore {
		t.Fatalf("listed %+v, %v", list, err)
	}
	if one, err := c.Models.Get(t.Context(), "one", sdk.ModelGetParams{}); err != nil || one.ID != "one" || one.MaxInputTokens != 8192 {
		t.Errorf("shown %+v, %v", one, err)
	}
	var e *sdk.Error
	if _, err := c.Models.Get(t.Context(), "three", sdk.ModelGetParams{}); !errors.As(err, &e) || e.Type() != "not_found_error" {
		t.Errorf("an unknown model is shown: %v", err)
	}
}
