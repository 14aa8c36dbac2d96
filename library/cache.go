package library

// Texts that searches looked at lately: a run asks many questions of the same
// documents, and a text never changes.

import (
	"context"
	"sync"
)

// maxCached is the most bytes of text that are kept.
const maxCached = 32 << 20

type cache struct {
	mu    sync.Mutex
	texts map[string]string // by hash
	order []string          // oldest first
	bytes int
}

func (l *Library) text(ctx context.Context, hash string) (string, error) {
	if t, ok := l.texts.get(hash); ok {
		return t, nil
	}
	t, err := l.Index.Text(ctx, hash)
	if err != nil {
		return "", err
	}
	l.texts.put(hash, t)
	return t, nil
}

func (c *cache) get(hash string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.texts[hash]
	return t, ok
}

func (c *cache) put(hash, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.texts[hash]; ok || len(text) > maxCached/4 {
		return
	}
	if c.texts == nil {
		c.texts = map[string]string{}
	}
	for c.bytes+len(text) > maxCached && len(c.order) > 0 {
		c.bytes -= len(c.texts[c.order[0]])
		delete(c.texts, c.order[0])
		c.order = c.order[1:]
	}
	c.texts[hash], c.order = text, append(c.order, hash)
	c.bytes += len(text)
}
