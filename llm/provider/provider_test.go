package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/llm"
)

func TestOpenSaysWhatIsMissingAndTheCure(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want []string
	}{
		{"openai:gpt-5", Options{}, []string{"openai:gpt-5 needs OPENAI_API_KEY", "--model"}},
		{"anthropic:claude-x", Options{OpenAIKey: testKey}, []string{"needs ANTHROPIC_API_KEY"}},
		{"gemini:x", Options{GeminiKey: "  "}, []string{"needs GEMINI_API_KEY"}},
		{"compatible:x", Options{CompatibleKey: oddKey}, []string{"needs COMPATIBLE_BASE_URL", "http://"}},
		{"compatible:x", Options{CompatibleURL: "localhost:8000"}, []string{"COMPATIBLE_BASE_URL is no URL"}},
		{"compatible:x", Options{CompatibleURL: "ftp://u:" + oddKey + "@host"}, []string{"COMPATIBLE_BASE_URL is no URL"}},
		{"ollama:x", Options{OllamaHost: "host:notaport"}, []string{"OLLAMA_HOST is no address"}},
		{"openai:x", Options{OpenAIKey: testKey + "\n" + testKey}, []string{"OPENAI_API_KEY holds characters"}},
		{"gpt-5", Options{}, []string{"provider:model"}},
		{"", Options{}, []string{"provider:model"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := New(c.o)
			_, err := p.Open(c.name)
			_, embedErr := p.OpenEmbedder(c.name)
			if err == nil || embedErr == nil {
				t.Fatal("it opened")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q lacks %q", err, w)
				}
			}
			if s := err.Error(); strings.Contains(s, "\n") || strings.Contains(s, testKey) || strings.Contains(s, oddKey) {
				t.Errorf("%q", s)
			}
			if h := p.Host(c.name); h != "" {
				t.Errorf("host %q", h)
			}
		})
	}
}

func TestHostsAreNamedBeforeAnythingIsSent(t *testing.T) {
	keys := Options{OpenAIKey: testKey, AnthropicKey: testKey, GeminiKey: testKey}
	with := func(f func(*Options)) Options {
		o := keys
		f(&o)
		return o
	}
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"openai:gpt-5", keys, "api.openai.com"},
		{"anthropic:x", keys, "api.anthropic.com"},
		{"gemini:x", keys, "generativelanguage.googleapis.com"},
		{"ollama:x", keys, "127.0.0.1:11434"},
		{"openai:x", with(func(o *Options) { o.OpenAIURL = "https://proxy.example:443/v1" }), "proxy.example"},
		{"openai:x", with(func(o *Options) { o.OpenAIURL = "https://proxy.example:8443/v1" }), "proxy.example:8443"},
		{"compatible:x", with(func(o *Options) { o.CompatibleURL = "http://u:p@gpu.example:80" }), "gpu.example"},
		{"compatible:x", with(func(o *Options) { o.CompatibleURL = "http://[::1]:8000/v1" }), "[::1]:8000"},
	} {
		if got := New(c.o).Host(c.name); got != c.want {
			t.Errorf("%s goes to %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBaseURLsAreTakenAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct{ provider, raw, want string }{
		{"openai", "https://api.openai.com", "https://api.openai.com/v1"},
		{"openai", "https://api.openai.com/v1/", "https://api.openai.com/v1"},
		{"compatible", "http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"},
		{"compatible", "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"},
		{"anthropic", "https://api.anthropic.com/v1", "https://api.anthropic.com"},
		{"anthropic", "https://proxy.example/claude/", "https://proxy.example/claude"},
		{"ollama", "gpu.example", "http://gpu.example:11434/v1"},
	} {
		u, err := baseURL(c.provider, c.raw)
		if err != nil || u.String() != c.want {
			t.Errorf("%s %s: %v, %v, want %s", c.provider, c.raw, u, err, c.want)
		}
	}
}

func TestTraitsComeFromTheTableFirst(t *testing.T) {
	known := llm.Traits{Window: 1000, Output: 100, Tools: true}
	p := New(Options{OpenAIKey: testKey, AnthropicKey: testKey, CompatibleURL: "http://127.0.0.1:1", Traits: func(name string) (llm.Traits, bool) {
		return known, strings.HasSuffix(name, ":known")
	}})
	for _, c := range []struct {
		name string
		want llm.Traits
	}{
		{"openai:known", known},
		{"anthropic:known", known},
		{"compatible:known", known},
		{"compatible:new", llm.Traits{Window: 8192, Output: 2048, Tools: true, Schema: true}},
		{"openai:new", llm.Traits{Window: 128000, Output: 16384, Tools: true, Schema: true}},
	} {
		if got := open(t, p, c.name).Traits(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestModelsAreUsedByManyAtOnce(t *testing.T) {
	m := open(t, at(says(t, 200, chatHello)), "openai:m")
	errs := make(chan error, 20)
	for range 20 {
		go func() {
			a, err := m.Complete(t.Context(), say("hi"))
			if err == nil && a.Text != "Hello." {
				err = fmt.Errorf("%+v", a)
			}
			errs <- err
		}()
	}
	for range 20 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
