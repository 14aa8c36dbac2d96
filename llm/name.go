package llm

import (
	"fmt"
	"slices"
	"strings"
)

// Providers are the ones that a model's name may begin with. Compatible is any server that speaks OpenAI's protocol.
var Providers = []string{"openai", "anthropic", "gemini", "ollama", "compatible"}

// families tells from the beginning of a bare model name whose it probably is; anything else probably runs at home.
var families = []struct{ begins, provider string }{
	{"gpt", "openai"}, {"chatgpt", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
	{"text-embedding", "openai"}, {"claude", "anthropic"}, {"gemini", "gemini"},
}

// ParseName takes provider:model apart. The model's own name may hold colons, as Ollama's do.
func ParseName(s string) (provider, model string, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", "", fmt.Errorf("the model has no name: name it provider:model, for example openai:gpt-5")
	}
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", "", fmt.Errorf("model %.60q: a name is provider:model without spaces, for example openai:gpt-5", s)
	}
	provider, model, found := strings.Cut(s, ":")
	provider = strings.ToLower(provider)
	if slices.Contains(Providers, provider) {
		if found && model != "" {
			return provider, model, nil
		}
		return "", "", fmt.Errorf("model %q names no model: name it provider:model, for example %s:NAME", s, provider)
	}
	guess := "ollama:" + s
	for _, f := range families {
		if strings.HasPrefix(strings.ToLower(s), f.begins) {
			guess = f.provider + ":" + s
			break
		}
	}
	return "", "", fmt.Errorf("model %q: name it provider:model, for example %s (providers: %s)", s, guess, strings.Join(Providers, ", "))
}

// providerOf is the part of a model's name before the colon.
func providerOf(name string) string {
	provider, _, _ := strings.Cut(name, ":")
	return provider
}
