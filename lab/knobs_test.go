package lab

// Faults, through the SDKs and on the bare wire.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"

	"github.com/plumbresearch/plumb/llm"
)

// The prompts that faults are tried on.
var (
	extractUser = llm.Fence("unit", "Why did the pumps at Brackwell fail?") + "\n\n" + llm.Fence("source", "The pumps at Brackwell failed in 2021 because silt had blocked the intake. Photographs are kept in the annex.")
	writeUser   = llm.Fence("question", "Why did the pumps fail?") + "\nHeadings, in this order:\n\n# (a title)\n## Summary\n## Key\n## Analysis\n### Cause\n\n" +
		llm.Fence("notes", "- [3] (Cause; high; 2021) Silt blocked the intake. — \"silt had blocked the intake\"")
)

func ask1(t *testing.T, m *Models, system, user string) (*openai.ChatCompletion, error) {
	t.Helper()
	c := openAIClient(t, m)
	return c.Chat.Completions.New(t.Context(), chat(system, user))
}

func TestEachKnobAtOneSpoilsEveryAnswer(t *testing.T) {
	quote := "The pumps at Brackwell failed in 2021 because silt had blocked the intake."
	var e extractAnswer
	for name, k := range map[string]struct {
		knobs  Knobs
		prompt string
		user   string
		spoilt func(said string, stop string) bool
	}{
		"none": {Knobs{}, "extract", extractUser, func(s, stop string) bool {
			return json.Unmarshal([]byte(s), &e) == nil && e.Findings[0].Quote == quote && stop == "stop"
		}},
		"malformed": {Knobs{Malformed: 1}, "extract", extractUser, func(s, _ string) bool { return !json.Valid([]byte(s)) }},
		"fenced":    {Knobs{Fenced: 1}, "extract", extractUser, func(s, _ string) bool { return strings.Contains(s, "```json\n{") && !strings.HasPrefix(s, "{") }},
		"wrong-types": {Knobs{WrongTypes: 1}, "extract", extractUser, func(s, _ string) bool {
			return json.Valid([]byte(s)) && json.Unmarshal([]byte(s), &extractAnswer{}) != nil
		}},
		"think": {Knobs{Think: 1}, "extract", extractUser, func(s, _ string) bool { return strings.HasPrefix(s, "<think>") && strings.HasSuffix(llm.Strip(s), "}") }},
		"cut-off": {Knobs{CutOff: 1}, "extract", extractUser, func(s, stop string) bool {
			return !json.Valid([]byte(s)) && strings.HasPrefix(s, "{") && stop == "length"
		}},
		"false-quotes": {Knobs{FalseQuotes: 1}, "extract", extractUser, func(s, _ string) bool {
			return json.Unmarshal([]byte(s), &e) == nil && len(e.Findings) > 0 && !strings.Contains(extractUser, e.Findings[0].Quote)
		}},
		"invented-citations": {Knobs{InventedCitations: 1}, "write", writeUser, func(s, _ string) bool { return strings.Contains(s, "[97]") && strings.Contains(s, "[3]") }},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Models{Knobs: k.knobs}
			a, err := ask1(t, m, "# "+k.prompt+"\n\nDo it.", k.user)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Choices[0]; !k.spoilt(got.Message.Content, got.FinishReason) {
				t.Errorf("stopped for %s after:\n%s", got.FinishReason, got.Message.Content)
			}
			if s := m.Stats(); s.Prompts[k.prompt] != 1 || (name != "none" && s.Faults[name] != 1) || (name == "none" && len(s.Faults) > 0) {
				t.Errorf("stats are %+v", s)
			}
		})
	}
}

func TestMalformedArgumentsOfTools(t *testing.T) {
	mind := func(*llm.Request) *llm.Answer {
		return &llm.Answer{Calls: []llm.Call{{Name: "search_library", Arguments: `{"query":"silt"}`}}}
	}
	m := &Models{Knobs: Knobs{Malformed: 1}, Mind: mind}
	p := chat("s", "u")
	p.Tools = searchTool()
	c := openAIClient(t, m)
	a, err := c.Chat.Completions.New(t.Context(), p)
	if err != nil || json.Valid([]byte(a.Choices[0].Message.ToolCalls[0].Function.Arguments)) {
		t.Errorf("called %+v, %v", a, err)
	}
	q := message("s", "u")
	q.Tools = queryTool()
	ac := anthropicClient(t, m)
	if a, err := ac.Messages.New(t.Context(), q); err != nil || string(a.Content[0].Input) != "{}" {
		t.Errorf("used %+v, %v", a, err)
	}
}

func TestRateLimitsAndServerErrorsSpeakTheWire(t *testing.T) {
	limited := &Models{Knobs: Knobs{RateLimit: 1}}
	down := &Models{Knobs: Knobs{ServerError: 1}}
	waits, statuses := map[string]bool{}, map[int]bool{}
	for i := range 20 {
		_, err := ask1(t, limited, "s", fmt.Sprint(i))
		var e *openai.Error
		if !errors.As(err, &e) || e.StatusCode != http.StatusTooManyRequests || e.Code != "rate_limit_exceeded" {
			t.Fatalf("answered %v", err)
		}
		waits[e.Response.Header.Get("Retry-After")] = true
		if _, err = ask1(t, down, "s", fmt.Sprint(i)); !errors.As(err, &e) || e.Type != "server_error" {
			t.Fatalf("answered %v", err)
		}
		statuses[e.StatusCode] = true
		ac := anthropicClient(t, down)
		var ae *sdk.Error
		if _, err = ac.Messages.New(t.Context(), message("s", fmt.Sprint(i))); !errors.As(err, &ae) || (ae.Type() == "overloaded_error") != (ae.StatusCode == 529) {
			t.Fatalf("answered %v", err)
		}
		statuses[ae.StatusCode] = true
	}
	if !waits["0"] || !waits["1"] || len(waits) != 2 || !statuses[500] || !statuses[503] || !statuses[529] || len(statuses) != 3 {
		t.Errorf("waits %v, statuses %v", waits, statuses)
	}
	if s := down.Stats(); s.Faults["server-error"] != 40 || s.Billed.Input != 0 {
		t.Errorf("stats are %+v", s)
	}
}

func TestAFailureCanBeBilled(t *testing.T) {
	m := &Models{Knobs: Knobs{BilledFailure: 1}}
	var told openai.CompletionUsage
	_, err := ask1(t, m, "s", "u")
	var e *openai.Error
	if !errors.As(err, &e) || e.StatusCode != http.StatusInternalServerError {
		t.Fatalf("answered %v", err)
	}
	status, body := post(t, serve(t, m)+"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"u"}]}`)
	var both struct {
		Usage *openai.CompletionUsage `json:"usage"`
	}
	both.Usage = &told
	if err := json.Unmarshal([]byte(body), &both); err != nil || status != 500 || told.PromptTokens == 0 {
		t.Errorf("%d %s", status, body)
	}
	c := anthropicClient(t, m)
	half, events, err := collect(t, c, message("s", "Tell me a lot"))
	if err == nil || events < 3 || half.Usage.InputTokens == 0 || half.StopReason != "" {
		t.Errorf("a stream gave %d events, %+v, %v", events, half.Usage, err)
	}
	oc := openAIClient(t, m)
	stream := oc.Chat.Completions.NewStreaming(t.Context(), chat("s", "u"))
	said := ""
	for stream.Next() {
		said += stream.Current().Choices[0].Delta.Content
	}
	if stream.Err() == nil || said == "" {
		t.Errorf("a stream said %q, %v", said, stream.Err())
	}
	if b := m.Stats().Billed; b.Input == 0 || b.Output == 0 {
		t.Errorf("billed %+v", b)
	}
}

func TestAStalledCallHangsUntilTheClientGivesUp(t *testing.T) {
	m := &Models{Knobs: Knobs{Stall: 1}}
	url := serve(t, m)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/embeddings", strings.NewReader(`{"model":"m","input":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		res.Body.Close()
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("answered %v", err)
	}
	if got := m.Stats().Faults["stall"]; got != 1 {
		t.Errorf("%d stalls", got)
	}
}

func TestAStalledStreamStopsInTheMiddle(t *testing.T) {
	m := &Models{Knobs: Knobs{Stall: 1}, StallFor: time.Millisecond, Mind: func(*llm.Request) *llm.Answer { return &llm.Answer{Text: strings.Repeat("words and words ", 100)} }}
	c := openAIClient(t, m)
	stream := c.Chat.Completions.NewStreaming(t.Context(), chat("s", "u"))
	said := ""
	for stream.Next() {
		said += stream.Current().Choices[0].Delta.Content
	}
	if stream.Err() == nil || len(said) < 500 || len(said) > 1100 {
		t.Errorf("%d characters, then %v", len(said), stream.Err())
	}
	ac := anthropicClient(t, m)
	if half, events, err := collect(t, ac, message("s", "u")); err == nil || events < 10 || half.StopReason != "" {
		t.Errorf("%d events, %+v, then %v", events, half, err)
	}
}

// trail is which faults a series of requests met, in the order of the requests, each asked until it came through.
func trail(t *testing.T, seed uint64, p float64) []string {
	t.Helper()
	m := &Models{Seed: seed, Keep: true}
	m.Knobs.All(p)
	m.Knobs.Stall = 0
	url := serve(t, m)
	for i := range 30 {
		body := fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"# choose"},{"role":"user","content":"%d"}]}`, i)
		for range 50 {
			if status, _ := post(t, url+"/v1/chat/completions", body); status == 200 {
				break
			}
		}
	}
	var out []string
	for _, r := range m.Stats().Requests {
		out = append(out, strings.Join(r.Faults, "+"))
	}
	return out
}

func TestTheSameSeedGivesTheSameFaults(t *testing.T) {
	a, b, c := trail(t, 7, 0.3), trail(t, 7, 0.3), trail(t, 8, 0.3)
	if !slices.Equal(a, b) {
		t.Errorf("the same seed gave\n%v\n%v", a, b)
	}
	if slices.Equal(a, c) {
		t.Error("another seed gave the same")
	}
	if len(a) <= 30 || len(a) > 200 {
		t.Errorf("%d calls for 30 answers", len(a))
	}
	if clean := trail(t, 7, 0); len(clean) != 30 || strings.Join(clean, "") != "" {
		t.Errorf("without faults: %v", clean)
	}
}

func TestFaultsAreAsLikelyAsTheKnobsSay(t *testing.T) {
	m := &Models{Seed: 3}
	const n = 4000
	fell := 0
	for i := range n {
		d := m.dice("/p", fmt.Append(nil, i/2)) // each request comes twice
		if d.falls("rate-limit", 0.2) {
			fell++
		}
	}
	if share := float64(fell) / n; math.Abs(share-0.2) > 0.03 {
		t.Errorf("%.3f instead of 0.2", share)
	}
}

func TestCallsAtTheSameTime(t *testing.T) {
	m := &Models{Keep: true, Latency: time.Microsecond}
	m.Knobs.All(0.2)
	m.StallFor = time.Microsecond
	url := serve(t, m)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":"%d"}]}`, i%5)))
			if err != nil {
				t.Error(err)
				return
			}
			if res, err := http.DefaultClient.Do(req); err == nil { // a stalled one is an error
				res.Body.Close()
			}
		})
	}
	wg.Wait()
	if s := m.Stats(); s.Calls < 40 || len(s.Requests) != s.Calls { // the client repeats calls whose connection broke
		t.Errorf("%d calls, %d kept", s.Calls, len(s.Requests))
	}
}

func TestWeakModelsChatAroundTheirAnswers(t *testing.T) {
	m := &Models{Weak: true}
	a, err := ask1(t, m, "# extract\n\nDo it.", extractUser)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Choices[0].Message.Content; strings.HasPrefix(got, "{") || !strings.Contains(got, `"quote":"The pumps at Brackwell failed`) {
		t.Errorf("answered %s", got)
	}
	m = &Models{Weak: true, Knobs: Knobs{FalseQuotes: 1}}
	if a, err = ask1(t, m, "# extract\n\nDo it.", extractUser); err != nil || !strings.Contains(a.Choices[0].Message.Content, "1,234 percent") || m.Stats().Faults["false-quotes"] != 1 {
		t.Errorf("weak models have no other faults: %v, %v", a, err)
	}
}

func TestParseKnobs(t *testing.T) {
	var all Knobs
	all.All(0.1)
	for s, want := range map[string]Knobs{
		"":                           {},
		"0.1":                        all,
		"stall=1":                    {Stall: 1},
		"rate-limit=0.5, think=0.25": {RateLimit: 0.5, Think: 0.25},
		"quota":                      {Quota: true},
		"quota,cut-off=.5":           {Quota: true, CutOff: 0.5},
	} {
		if got, err := ParseKnobs(s); err != nil || got != want {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
	for _, s := range []string{"x", "2", "-1", "NaN", "stall", "stall=", "stal=1", "quota=1"} {
		if got, err := ParseKnobs(s); err == nil {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

func FuzzParseKnobs(f *testing.F) {
	for _, s := range []string{"0.1", "stall=1,quota", "=,=", "1e-3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := ParseKnobs(s)
		if err != nil {
			return
		}
		for name, p := range k.table() {
			if !(*p >= 0 && *p <= 1) {
				t.Errorf("%q: %s is %f", s, name, *p)
			}
		}
	})
}
