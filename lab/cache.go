package lab

// The prompt caches of the providers, which decide what a prompt costs. OpenAI's finds by itself the longest beginning
// that any earlier prompt had, in steps of 128 tokens. Anthropic's keeps what callers mark, up to the end of a block.

import (
	"hash/fnv"

	"github.com/plumbresearch/plumb/llm"
)

const (
	cacheStep  = 128  // tokens
	cacheLeast = 1024 // tokens: shorter beginnings are not kept
	stepBytes  = 512  // a step in bytes of prompt, at four bytes a token
	cacheMost  = 1 << 20
)

// cache holds hashes of beginnings.
type cache struct{ known map[uint64]bool }

// block is a piece of a prompt; a beginning that ends with a marked one is kept.
type block struct {
	text   string
	marked bool
}

// meter counts the tokens of a call and an answer.
func (m *Models) meter(c *call, a *llm.Answer) {
	a.Usage = llm.Usage{Input: int64(c.req.Tokens()), Output: int64(tokensOf(a))}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cache.known == nil || len(m.cache.known) > cacheMost {
		m.cache.known = map[uint64]bool{}
	}
	if c.blocks != nil {
		a.Usage.Cached, c.wrote = m.cache.marked(c.model, c.blocks, a.Usage.Input)
	} else {
		a.Usage.Cached = m.cache.longest(c.model, c.req, a.Usage.Input)
	}
}

func tokensOf(a *llm.Answer) int {
	n := llm.Tokens(a.Text)
	for _, k := range a.Calls {
		n += llm.Tokens(k.Name) + llm.Tokens(k.Arguments)
	}
	return max(n, 1)
}

// longest is how many of the prompt's tokens an earlier prompt began with, in steps; it keeps this one.
func (k *cache) longest(model string, r *llm.Request, tokens int64) int64 {
	shape := *r
	shape.Output = 0
	// tools and schema come before the messages, as the providers have them
	prompt := string(encode(shape.Tools)) + string(encode(shape.Schema)) + string(encode(shape.Messages))
	h := fnv.New64a()
	write(h, []byte(model))
	shared, still := 0, true
	for at := stepBytes; at <= len(prompt); at += stepBytes {
		write(h, []byte(prompt[at-stepBytes:at]))
		if still = still && k.known[h.Sum64()]; still {
			shared = at
		}
		k.known[h.Sum64()] = true
	}
	cached := tokens * int64(shared) / int64(max(len(prompt), 1)) / cacheStep * cacheStep
	if cached < cacheLeast {
		return 0
	}
	return cached
}

// marked is what of the prompt's tokens is read from what earlier prompts marked, and what this one's marks add.
func (k *cache) marked(model string, blocks []block, tokens int64) (read, wrote int64) {
	total := 0
	for _, b := range blocks {
		total += len(b.text)
	}
	share := func(length int) int64 { return tokens * int64(length) / int64(max(total, 1)) }
	h := fnv.New64a()
	write(h, []byte("marked"), []byte(model))
	length, kept := 0, int64(0)
	for _, b := range blocks {
		write(h, []byte(b.text))
		length += len(b.text)
		if share(length) < cacheLeast {
			continue
		}
		if k.known[h.Sum64()] {
			read = share(length)
		}
		if b.marked {
			kept = share(length)
			k.known[h.Sum64()] = true
		}
	}
	return read, max(0, kept-read)
}
