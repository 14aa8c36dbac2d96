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
	if near := nearest(provider); found && near != "" && model != "" {
		return "", "", fmt.Errorf("model %q: there is no provider %q; did you mean %s:%s? (providers: %s)", s, provider, near, model, strings.Join(Providers, ", "))
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

// nearest is the provider that was probably meant by a mistyped one: one letter too many, too few or wrong, or two
// swapped. "": none.
func nearest(typed string) string {
	for _, p := range Providers {
		if slip(typed, p) || slip(p, typed) {
			return p
		}
	}
	return ""
}

// slip: taking one letter out of a gives b, or both are equally long and differ in one letter or in two swapped ones.
func slip(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch len(a) - len(b) {
	case 1:
		return a[1:] == b
	case 0:
		return a != "" && (a[1:] == b[1:] || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:])
	}
	return false
}

// providerOf is the part of a model's name before the colon.
func providerOf(name string) string {
	provider, _, _ := strings.Cut(name, ":")
	return provider
}
