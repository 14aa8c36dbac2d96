package llm

import (
	"strings"
	"testing"
)

func TestNamesAreTakenApartOrTheCureIsNamed(t *testing.T) {
	for _, c := range []struct{ in, provider, model, wrong string }{
		{in: "openai:gpt-6-sol", provider: "openai", model: "gpt-6-sol"},
		{in: " Anthropic:claude-opus-5-5 ", provider: "anthropic", model: "claude-opus-5-5"},
		{in: "ollama:qwen3:8b", provider: "ollama", model: "qwen3:8b"},
		{in: "compatible:org/model-7b", provider: "compatible", model: "org/model-7b"},
		{in: "gpt-5", wrong: "name it provider:model, for example openai:gpt-5 "},
		{in: "o4-mini", wrong: "openai:o4-mini"},
		{in: "claude-haiku-5-5", wrong: "anthropic:claude-haiku-5-5"},
		{in: "gemini-3.8-flash", wrong: "gemini:gemini-3.8-flash"},
		{in: "qwen3:8b", wrong: "ollama:qwen3:8b"},
		{in: "opnai:gpt-5", wrong: "did you mean openai:gpt-5?"},
		{in: "openapi:gpt-5", wrong: "did you mean openai:gpt-5?"},
		{in: "antrhopic:claude", wrong: "did you mean anthropic:claude?"},
		{in: "Olama:qwen3:8b", wrong: "did you mean ollama:qwen3:8b?"},
		{in: "compatibel:", wrong: "name it provider:model"},
		{in: "openai", wrong: "openai:NAME"},
		{in: "gemini:", wrong: "gemini:NAME"},
		{in: "", wrong: "no name"},
		{in: "openai:gpt 5", wrong: "without spaces"},
		{in: "openai:gpt\n5", wrong: "without spaces"},
		{in: "openai:" + strings.Repeat("x", 300), wrong: "a name is provider:model"},
	} {
		provider, model, err := ParseName(c.in)
		if c.wrong == "" {
			if err != nil || provider != c.provider || model != c.model {
				t.Errorf("%q: %q %q %v", c.in, provider, model, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %q", c.in, err, c.wrong)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, s := range []string{"openai:gpt-5", "gpt-5", "ollama:a:b", ":", "openai:", "\x00", "Gemini:é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		provider, model, err := ParseName(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x00") || len(err.Error()) > 1000 {
				t.Errorf("%q: %q is no line for a person", s, err)
			}
			return
		}
		again, same, err := ParseName(provider + ":" + model)
		if err != nil || again != provider || same != model || model == "" {
			t.Errorf("%q: %q:%q became %q:%q, %v", s, provider, model, again, same, err)
		}
	})
}
