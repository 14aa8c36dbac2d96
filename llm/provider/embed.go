package provider

import (
	"context"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/plumbresearch/plumb/llm"
)

const (
	maxTexts       = 256
	maxGeminiTexts = 100       // what Google takes at once
	maxTextBytes   = 400 << 10 // of a batch: some 100,000 tokens, a third of what OpenAI takes at once
)

// embedder turns texts into vectors over OpenAI's protocol.
type embedder struct {
	p    *Providers
	at   *endpoint
	wire openai.EmbeddingService
}

// OpenEmbedder gives the embedder of a name. Anthropic has none.
func (p *Providers) OpenEmbedder(name string) (llm.Embedder, error) {
	at, err := p.find(name)
	if err != nil {
		return nil, err
	}
	if at.provider == "anthropic" {
		return nil, fmt.Errorf("%s: anthropic offers no embeddings: name a model of openai, gemini, ollama or compatible", at.name)
	}
	return &embedder{p, at, openai.NewEmbeddingService(p.openAI(at)...)}, nil
}

// Name is provider:model.
func (m *embedder) Name() string { return m.at.name }

// Embed turns texts into vectors, as many at once as the provider takes. When a batch fails, the usage of those before
// it is in the error.
func (m *embedder) Embed(ctx context.Context, texts []string) (*llm.Vectors, error) {
	out := &llm.Vectors{Vectors: make([][]float32, 0, len(texts))}
	for len(texts) > 0 {
		n := m.batch(texts)
		used, err := m.embed(ctx, texts[:n], out)
		out.Usage.Input += used.Input
		out.Usage.Total += used.Total
		if err != nil {
			return nil, err
		}
		texts = texts[n:]
	}
	return out, nil
}

// batch is how many of the texts go into one call.
func (m *embedder) batch(texts []string) int {
	most := maxTexts
	if m.at.provider == "gemini" {
		most = maxGeminiTexts
	}
	size := 0
	for i, t := range texts {
		size += len(t)
		if i == most || i > 0 && size > maxTextBytes {
			return i
		}
	}
	return len(texts)
}

// embed appends the vectors of one batch.
func (m *embedder) embed(ctx context.Context, texts []string, out *llm.Vectors) (llm.Usage, error) {
	c := m.p.begin(ctx, m.at, &llm.Request{})
	defer c.end()
	params := openai.EmbeddingNewParams{Model: m.at.model}
	for _, t := range texts {
		if t == "" {
			t = " " // an empty text is refused, and with it the batch
		}
		params.Input.OfArrayOfStrings = append(params.Input.OfArrayOfStrings, t)
	}
	res, err := m.wire.New(c.ctx, params, option.WithMiddleware(c.middleware))
	if err != nil {
		return llm.Usage{}, c.trouble(err, out.Usage)
	}
	used := llm.Usage{Input: res.Usage.PromptTokens}
	if used.Input == 0 {
		used.Total = res.Usage.TotalTokens
	}
	batch := make([][]float32, len(texts))
	for _, d := range res.Data {
		if d.Index < 0 || d.Index >= int64(len(batch)) || len(d.Embedding) == 0 {
			break
		}
		v := make([]float32, len(d.Embedding))
		for i, x := range d.Embedding {
			v[i] = float32(x)
		}
		batch[d.Index] = v
	}
	for i, v := range batch {
		if v == nil || len(v) != len(batch[0]) || len(out.Vectors) > 0 && len(v) != len(out.Vectors[0]) {
			sum := llm.Usage{Input: out.Usage.Input + used.Input, Total: out.Usage.Total + used.Total}
			return used, c.trouble(c.garbled(200, fmt.Sprintf("no vector like the others for text %d of %d", i+1, len(texts))), sum)
		}
	}
	out.Vectors = append(out.Vectors, batch...)
	return used, nil
}
