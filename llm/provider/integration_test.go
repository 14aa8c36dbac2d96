//go:build integration

package provider

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/llm"
)

// The provider's two protocols against aimock, an independent server of both. bench/aimock.sh installs and starts it and
// gives its address in AIMOCK_URL; without that, AIMOCK_BIN is the path of its llmock command.

// mocked gives the address of a running aimock that knows testdata/aimock.json.
func mocked(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("AIMOCK_URL"); url != "" {
		return url
	}
	bin := os.Getenv("AIMOCK_BIN")
	if bin == "" {
		path, err := exec.Command("npx", "--yes", "-p", "@copilotkit/aimock@1.43.0", "-c", "command -v llmock").Output()
		if err != nil {
			t.Fatalf("no aimock: run bench/aimock.sh, or set AIMOCK_BIN to the path of its llmock (npx: %v)", err)
		}
		bin = strings.TrimSpace(string(path))
	}
	cmd := exec.CommandContext(t.Context(), bin, "-p", "0", "-h", "127.0.0.1", "-f", "testdata/aimock.json", "--strict")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Wait(); err != nil {
			t.Logf("aimock: %v", err) // it was killed
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url := regexp.MustCompile(`http://\S+`).FindString(lines.Text()); strings.Contains(lines.Text(), "listening") && url != "" {
			go func() {
				for lines.Scan() { //nolint:revive // keeps the pipe empty
				}
			}()
			return url
		}
	}
	t.Fatal("aimock ended before it listened")
	return ""
}

// entry is one request of aimock's journal, whose bodies are in OpenAI's form for both protocols.
type entry struct {
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    struct {
		Model          string `json:"model"`
		Stream         bool   `json:"stream"`
		MaxTokens      int    `json:"max_tokens"`
		MaxCompletion  int    `json:"max_completion_tokens"`
		EmbeddingInput string `json:"embeddingInput"`
		Messages       []struct {
			Role      string `json:"role"`
			ReplyTo   string `json:"tool_call_id"`
			ToolCalls []struct {
				ID string `json:"id"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		ResponseFormat *struct {
			Type string `json:"type"`
		} `json:"response_format"`
	} `json:"body"`
	Response struct {
		Status      int  `json:"status"`
		Interrupted bool `json:"interrupted"`
	} `json:"response"`
}

// journal gives the requests for a model, each test's own.
func journal(t *testing.T, url, model string) []entry {
	t.Helper()
	res, err := http.Get(url + "/__aimock/journal")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all, own []entry
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Body.Model == model {
			own = append(own, e)
		}
	}
	return own
}

func TestAimock(t *testing.T) {
	url := mocked(t)
	p := New(Options{OpenAIKey: testKey, OpenAIURL: url + "/v1", AnthropicKey: testKey, AnthropicURL: url, CompatibleURL: url + "/v1", Timeout: 20 * time.Second})
	for _, c := range []struct{ provider, path, auth string }{
		{"openai", "/v1/chat/completions", "authorization"},
		{"anthropic", "/v1/messages", "x-api-key"},
		{"compatible", "/v1/chat/completions", ""},
	} {
		t.Run(c.provider, func(t *testing.T) {
			// Each case uses a model name of its own, by which its requests are found in the journal.
			model := func(name string) llm.Model { return open(t, p, c.provider+":"+c.provider+"-"+name) }
			asked := func(name string, want int) []entry {
				t.Helper()
				es := journal(t, url, c.provider+"-"+name)
				if len(es) != want {
					t.Fatalf("%d requests in the journal, want %d", len(es), want)
				}
				for _, e := range es {
					if e.Path != c.path || c.auth != "" && e.Headers[c.auth] == "" {
						t.Errorf("%s with %v", e.Path, e.Headers)
					}
					if c.provider == "anthropic" && e.Headers["anthropic-version"] == "" {
						t.Errorf("no version in %v", e.Headers)
					}
				}
				return es
			}
			t.Run("chat", func(t *testing.T) {
				r := say("What is the capital of Norway?")
				r.Output = 50
				a := ask(t, model("chat"), r)
				if !strings.HasPrefix(a.Text, "Oslo") || a.Stop != llm.End || a.Usage != (llm.Usage{Input: 11, Output: 12}) {
					t.Errorf("%+v", a)
				}
				if e := asked("chat", 1)[0]; e.Body.Stream || e.Body.MaxTokens+e.Body.MaxCompletion != 50 {
					t.Errorf("%+v", e.Body)
				}
			})
			t.Run("stream", func(t *testing.T) {
				var shown []string
				r := say("What is the capital of Norway?")
				r.Delta = func(s string) { shown = append(shown, s) }
				a := ask(t, model("stream"), r)
				if len(shown) < 2 || strings.Join(shown, "") != a.Text || a.Stop != llm.End || a.Usage.Output != 12 {
					t.Errorf("%+v in %d pieces", a, len(shown))
				}
				if e := asked("stream", 1)[0]; !e.Body.Stream {
					t.Errorf("%+v", e.Body)
				}
			})
			for _, stream := range []bool{false, true} {
				name := map[bool]string{false: "tools", true: "tools-stream"}[stream]
				t.Run(name, func(t *testing.T) { useTools(t, model(name), stream, func() []entry { return asked(name, 2) }) })
			}
			t.Run("schema", func(t *testing.T) {
				r := say("Say which verdict stands.")
				r.Schema = &llm.Schema{Name: "debate", JSON: json.RawMessage(`{"type":"object","properties":{"stands":{"type":"string"},"reason":{"type":"string"}},"required":["stands","reason"],"additionalProperties":false}`)}
				a := ask(t, model("schema"), r)
				sameJSON(t, []byte(a.Text), `{"stands":"first","reason":"it is dated"}`)
				if e := asked("schema", 1)[0]; c.provider != "anthropic" && (e.Body.ResponseFormat == nil || e.Body.ResponseFormat.Type != "json_schema") {
					t.Errorf("%+v", e.Body)
				}
			})
			t.Run("429", func(t *testing.T) {
				e := failing(t, model("429"), say("This is much too fast."))
				if e.Trouble != llm.RateLimited || e.Status != 429 || e.RetryAfter != 3*time.Second {
					t.Errorf("%v after %v", e, e.RetryAfter)
				}
				asked("429", 1)
			})
			t.Run("500", func(t *testing.T) {
				if e := failing(t, model("500"), say("Please fall over.")); e.Trouble != llm.Overloaded || e.Status != 500 {
					t.Errorf("%v", e)
				}
				asked("500", 1)
			})
			t.Run("early end", func(t *testing.T) {
				r := say("Please stop half way.")
				r.Delta = func(string) {}
				if e := failing(t, model("early"), r); !e.Passing() || llm.Hopeless(e) {
					t.Errorf("%v", e)
				}
				if e := asked("early", 1)[0]; !e.Response.Interrupted {
					t.Errorf("%+v", e.Response)
				}
			})
		})
	}
	t.Run("embeddings", func(t *testing.T) {
		m, err := p.OpenEmbedder("openai:vectors")
		if err != nil {
			t.Fatal(err)
		}
		v, err := m.Embed(t.Context(), []string{"first of two texts", "second"})
		if err != nil || len(v.Vectors) != 2 || len(v.Vectors[1]) != 3 || v.Vectors[1][1] != -0.5 {
			t.Errorf("%+v, %v", v, err)
		}
		if es := journal(t, url, "vectors"); len(es) != 1 || es[0].Body.EmbeddingInput != "first of two texts second" {
			t.Errorf("%+v", es)
		}
	})
	t.Run("ollama", func(t *testing.T) {
		if models, err := Ollama(t.Context(), url); err != nil || len(models) == 0 {
			t.Errorf("%v, %v", models, err)
		}
	})
	t.Run("nothing fits", func(t *testing.T) {
		_, err := open(t, p, "openai:none").Complete(t.Context(), say("hello there"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Trouble != llm.Overloaded {
			t.Errorf("%v, want aimock's strict 503", err)
		}
	})
}

// useTools goes through a conversation with two calls at once.
func useTools(t *testing.T, m llm.Model, stream bool, asked func() []entry) {
	t.Helper()
	r := say("How is the weather in Oslo and Rome?")
	r.Tools = []llm.Tool{{Name: "weather", About: "Says the weather.", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}
	if stream {
		r.Delta = func(string) {}
	}
	a := ask(t, m, r)
	if a.Stop != llm.ForTool || len(a.Calls) != 2 || a.Calls[0].Name != "weather" {
		t.Fatalf("%+v", a)
	}
	sameJSON(t, []byte(a.Calls[0].Arguments), `{"city":"Oslo"}`)
	sameJSON(t, []byte(a.Calls[1].Arguments), `{"city":"Rome"}`)
	r.Messages = append(r.Messages, llm.Message{From: llm.Assistant, Text: a.Text, Calls: a.Calls},
		llm.Message{From: llm.ToolReply, Reply: a.Calls[0].ID, Text: "rain"}, llm.Message{From: llm.ToolReply, Reply: a.Calls[1].ID, Text: "sun"})
	if a := ask(t, m, r); a.Text != "Rain in Oslo, sun in Rome." || a.Stop != llm.End {
		t.Errorf("%+v", a)
	}
	es := asked()
	if b := es[0].Body; len(b.Tools) != 1 || b.Tools[0].Function.Name != "weather" || b.Stream != stream {
		t.Errorf("%+v", b)
	}
	var calls, replies int
	for _, msg := range es[1].Body.Messages {
		calls += len(msg.ToolCalls)
		if msg.Role == "tool" && msg.ReplyTo != "" {
			replies++
		}
	}
	if calls != 2 || replies != 2 {
		t.Errorf("%d calls and %d replies went back: %+v", calls, replies, es[1].Body.Messages)
	}
}
