package server

// Who asks: the key of a request, and the keys that are known.

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

// credential is the secret that a request carries, and whether it carries one at all. A header that says something else
// than a bearer's key counts as a wrong key, not as none.
func credential(r *http.Request) (secret string, given bool) {
	if k := r.Header.Get("X-API-Key"); k != "" {
		return k, true
	}
	if a := r.Header.Get("Authorization"); a != "" {
		scheme, token, _ := strings.Cut(a, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", true
		}
		return strings.TrimSpace(token), true
	}
	// Browsers can't add headers to an event stream. Elsewhere an address with a key in it would end up in logs.
	if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/api/v1/stream/") {
		if k := r.URL.Query().Get("api_key"); k != "" {
			return k, true
		}
	}
	return "", false
}

// Bounds of the keyring.
const (
	keyLife = 30 * time.Second // a key that was dropped works at most so much longer
	maxKeys = 1000             // remembered at once
)

// keyring remembers good keys for a short while, by the hash of their secrets, so that not every request asks the store.
type keyring struct {
	keys front.Keys

	mu   sync.Mutex
	good map[string]remembered
}

type remembered struct {
	key   front.Key
	until time.Time
}

// cached gives a key that was good a moment ago.
func (k *keyring) cached(secret string, now time.Time) (front.Key, bool) {
	if secret == "" {
		return front.Key{}, false
	}
	hash := front.HashKey(secret)
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.good[hash]
	if !ok || !now.Before(r.until) {
		delete(k.good, hash)
		return front.Key{}, false
	}
	return r.key, true
}

// find asks the store.
func (k *keyring) find(ctx context.Context, secret string, now time.Time) (front.Key, bool, error) {
	if secret == "" {
		return front.Key{}, false, nil
	}
	hash := front.HashKey(secret)
	key, err := k.keys.KeyOf(ctx, hash)
	if errors.Is(err, engine.ErrNotFound) {
		return front.Key{}, false, nil
	}
	if err != nil {
		return front.Key{}, false, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.good == nil || len(k.good) >= maxKeys {
		k.good = map[string]remembered{}
	}
	k.good[hash] = remembered{key, now.Add(keyLife)}
	return key, true, nil
}
