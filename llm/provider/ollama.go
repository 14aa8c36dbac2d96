package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/llm"
)

const (
	ollamaWindow = 4096 // tokens that Ollama gives a model unless told otherwise
	ollamaPort   = "11434"
	ollamaWait   = 3 * time.Second  // it answers from memory
	ollamaAgain  = 30 * time.Second // until one that did not answer is asked again
)

// ollamaURL reads OLLAMA_HOST as Ollama does: host, host:port, :port or a URL. An address to listen on at all
// interfaces means this machine.
func ollamaURL(raw string) (*url.URL, error) {
	port := ollamaPort
	scheme, rest, ok := strings.Cut(strings.TrimSpace(raw), "://")
	switch {
	case !ok:
		scheme, rest = "http", strings.TrimSpace(raw)
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return nil, errOllamaHost
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.Opaque != "" {
		return nil, errOllamaHost
	}
	host := u.Hostname()
	if u.Port() != "" {
		port = u.Port()
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, errOllamaHost
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return &url.URL{Scheme: scheme, User: u.User, Host: net.JoinHostPort(host, port), Path: strings.TrimRight(u.Path, "/")}, nil
}

var errOllamaHost = fmt.Errorf("is no address: write it like 127.0.0.1:%s", ollamaPort)

// Ollama lists the models that a running Ollama offers, within seconds. Host is as in OLLAMA_HOST; "" is this machine.
func Ollama(ctx context.Context, host string) ([]string, error) {
	u, err := ollamaURL(host)
	if err != nil {
		return nil, fmt.Errorf("OLLAMA_HOST %w", err)
	}
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := askOllama(ctx, http.DefaultClient, http.MethodGet, u.JoinPath("api/tags"), nil, &tags); err != nil {
		return nil, err
	}
	models := make([]string, 0, len(tags.Models))
	for _, m := range tags.Models {
		models = append(models, m.Name)
	}
	return models, nil
}

// shown is what Ollama said of a model, or when it last said nothing.
type shown struct {
	traits llm.Traits
	known  bool
	asked  time.Time
}

// showWire is the part of /api/show that matters here. Parameters are lines like "num_ctx 8192".
type showWire struct {
	Parameters   string                     `json:"parameters"`
	ModelInfo    map[string]json.RawMessage `json:"model_info"`
	Capabilities []string                   `json:"capabilities"`
}

// ollamaTraits asks Ollama for a model's traits, once, and again after a while when it did not answer.
func (p *Providers) ollamaTraits(at *endpoint) llm.Traits {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.ollama[at.model]
	if s != nil && (s.known || time.Since(s.asked) < ollamaAgain) {
		return s.traits
	}
	s = &shown{traits: at.traits, asked: time.Now()}
	p.ollama[at.model] = s
	body, err := json.Marshal(struct {
		Model string `json:"model"`
	}{at.model})
	if err != nil {
		return s.traits
	}
	var show showWire
	u := *at.base
	u.Path = strings.TrimSuffix(u.Path, "/v1") + "/api/show" // beside OpenAI's protocol
	if err := askOllama(context.Background(), p.http, http.MethodPost, &u, body, &show); err != nil {
		return s.traits
	}
	s.traits, s.known = show.traits(at.traits), true
	return s.traits
}

// traits reads a model's own numbers over the defaults. A model whose capabilities are not listed, as by older versions,
// may well have tools: calls will tell.
func (w showWire) traits(t llm.Traits) llm.Traits {
	for line := range strings.Lines(w.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.Atoi(f[1]); err == nil && n > 0 {
				t.Window = n
			}
		}
	}
	for key, raw := range w.ModelInfo {
		var most int
		if strings.HasSuffix(key, ".context_length") && json.Unmarshal(raw, &most) == nil && most > 0 {
			t.Window = min(t.Window, most)
		}
	}
	t.Output = t.Window / 2
	if len(w.Capabilities) > 0 {
		t.Tools = slices.Contains(w.Capabilities, "tools")
	}
	return t
}

// askOllama makes one of the small calls that are no part of OpenAI's protocol.
func askOllama(ctx context.Context, client *http.Client, method string, u *url.URL, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask Ollama: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask Ollama: %w", err)
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("ask Ollama for %s: status %d", u.Path, res.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read what Ollama says: %w", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read what Ollama says: %w", err)
	}
	return nil
}
