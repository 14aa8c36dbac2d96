package provider

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb/llm"
)

// Options say whom to talk to. With none set, Ollama on this machine is all there is.
type Options struct {
	OpenAIKey, OpenAIURL         string // URL default https://api.openai.com/v1
	AnthropicKey, AnthropicURL   string // URL default https://api.anthropic.com
	GeminiKey, GeminiURL         string // URL default Google's OpenAI-compatible endpoint
	OllamaHost                   string // as Ollama itself reads OLLAMA_HOST; default 127.0.0.1:11434
	CompatibleKey, CompatibleURL string // any server of OpenAI's protocol; most local ones need no key

	// Timeout bounds a whole call. Default 5 minutes; raise it for slow local models.
	Timeout time.Duration
	// Stall bounds the silence within a streamed answer. Default 60 seconds. The first byte may take three times as
	// long, because models think before they speak, and as long as Timeout from Ollama, which first loads the model.
	Stall time.Duration
	// Traits looks a model up by its name. What it does not know gets cautious defaults; Ollama is asked itself.
	Traits func(name string) (llm.Traits, bool)
	// HTTP makes the connections. Redirects are never followed, whatever it says: they would carry the key along.
	HTTP *http.Client
}

const (
	defaultTimeout = 5 * time.Minute
	defaultStall   = 60 * time.Second
)

// Providers opens models and embedders. It can be used by many goroutines at once.
type Providers struct {
	o     Options
	http  *http.Client
	clean scrubber

	mu     sync.Mutex
	ollama map[string]*shown // what Ollama said of a model
}

// New makes Providers. It talks to nobody yet.
func New(o Options) *Providers {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Stall <= 0 {
		o.Stall = defaultStall
	}
	for _, s := range []*string{&o.OpenAIKey, &o.AnthropicKey, &o.GeminiKey, &o.CompatibleKey,
		&o.OpenAIURL, &o.AnthropicURL, &o.GeminiURL, &o.CompatibleURL, &o.OllamaHost} {
		*s = strings.TrimSpace(*s)
	}
	p := &Providers{o: o, http: &http.Client{}, ollama: map[string]*shown{}}
	if o.HTTP != nil {
		*p.http = *o.HTTP
	}
	p.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p.clean = newScrubber(o.OpenAIKey, o.AnthropicKey, o.GeminiKey, o.CompatibleKey,
		password(o.OpenAIURL), password(o.AnthropicURL), password(o.GeminiURL), password(o.CompatibleURL), password(o.OllamaHost))
	return p
}

func password(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.User != nil {
		p, _ := u.User.Password()
		return p
	}
	return ""
}

// service is a provider as its makers describe it.
type service struct {
	provider       string
	keyVar, urlVar string
	url            string     // default; "": the user must name one
	keyed          bool       // refuses calls without a key
	traits         llm.Traits // of models that no table knows: small enough to be safe
}

var services = map[string]service{
	"openai": {"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", true,
		llm.Traits{Window: 128000, Output: 16384, Tools: true, Schema: true}},
	"anthropic": {"anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com", true,
		llm.Traits{Window: 200000, Output: 8192, Tools: true, Schema: true}},
	"gemini": {"gemini", "GEMINI_API_KEY", "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com/v1beta/openai", true,
		llm.Traits{Window: 1000000, Output: 8192, Tools: true, Schema: true}},
	"ollama": {"ollama", "", "OLLAMA_HOST", "http://127.0.0.1:11434", false,
		llm.Traits{Window: ollamaWindow, Output: ollamaWindow / 2, Tools: true, Schema: true}},
	"compatible": {"compatible", "COMPATIBLE_API_KEY", "COMPATIBLE_BASE_URL", "", false,
		llm.Traits{Window: 8192, Output: 2048, Tools: true, Schema: true}},
}

// endpoint is one model at one service as the user configured it.
type endpoint struct {
	service
	name  string // provider:model
	model string
	key   string
	base  *url.URL
}

// host is where calls go, with the port when it is not the scheme's own.
func (e *endpoint) host() string {
	port := e.base.Port()
	if port == "" || port == "443" && e.base.Scheme == "https" || port == "80" && e.base.Scheme == "http" {
		return strings.TrimSuffix(e.base.Host, ":"+port)
	}
	return e.base.Host
}

// Open gives the model of a name. It fails, with the cure, when the key or the URL of its provider is not set.
func (p *Providers) Open(name string) (llm.Model, error) {
	at, err := p.find(name)
	if err != nil {
		return nil, err
	}
	if at.provider == "anthropic" {
		return p.openMessages(at), nil
	}
	return p.openChat(at), nil
}

// Host is where calls to a model go, with the port when it is unusual; "" when the name can't be opened.
func (p *Providers) Host(name string) string {
	at, err := p.find(name)
	if err != nil {
		return ""
	}
	return at.host()
}

// find reads a name and finds the endpoint that serves it.
func (p *Providers) find(name string) (*endpoint, error) {
	provider, model, err := llm.ParseName(name)
	if err != nil {
		return nil, err
	}
	s, ok := services[provider]
	if !ok {
		return nil, fmt.Errorf("%s: nothing here speaks with %s", name, provider)
	}
	at := &endpoint{service: s, name: provider + ":" + model, model: model}
	raw := map[string]string{"openai": p.o.OpenAIURL, "anthropic": p.o.AnthropicURL, "gemini": p.o.GeminiURL,
		"ollama": p.o.OllamaHost, "compatible": p.o.CompatibleURL}[provider]
	at.key = map[string]string{"openai": p.o.OpenAIKey, "anthropic": p.o.AnthropicKey, "gemini": p.o.GeminiKey,
		"compatible": p.o.CompatibleKey}[provider]
	if at.key == "" && s.keyed {
		return nil, fmt.Errorf("%s needs %s: set it, or name a model of another provider with --model", at.name, s.keyVar)
	}
	if strings.ContainsFunc(at.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("%s holds characters that no key has: copy it again", s.keyVar)
	}
	if raw == "" {
		raw = s.url
	}
	if raw == "" {
		return nil, fmt.Errorf("%s needs %s: set it to the server's URL, like http://127.0.0.1:8000/v1", at.name, s.urlVar)
	}
	at.base, err = baseURL(provider, raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %s %w", at.name, s.urlVar, err)
	}
	return at, nil
}

// baseURL reads what the user gave as a provider's URL and puts it as the SDKs want it.
func baseURL(provider, raw string) (*url.URL, error) {
	if provider == "ollama" {
		u, err := ollamaURL(raw)
		if err != nil {
			return nil, err
		}
		u.Path += "/v1"
		return u, nil
	}
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, fmt.Errorf("is no URL: write it like https://host/v1")
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	switch {
	case provider == "anthropic": // its SDK adds v1 itself
		u.Path = strings.TrimSuffix(u.Path, "/v1")
	case u.Path == "":
		u.Path = "/v1"
	}
	return u, nil
}

// traits are what the caller's table says of a model, or the service's defaults.
func (p *Providers) traits(at *endpoint) llm.Traits {
	if p.o.Traits != nil {
		if t, ok := p.o.Traits(at.name); ok {
			return t
		}
	}
	return at.traits
}
