package page

// Pages kept across runs. A young one is used as it is; an older one only after the site said that it still holds.

import (
	"context"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// Cache keeps pages by URL. A store implements it.
type Cache interface {
	// Page returns what was kept last for a URL, however old; false when there is nothing.
	Page(ctx context.Context, url string) (Kept, bool, error)
	// PutPage keeps a page in place of what there was.
	PutPage(ctx context.Context, url string, k Kept) error
}

// Kept is a page in the cache, with what it takes to ask whether it still holds.
type Kept struct {
	Page         Page   `json:"page"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

func (k Kept) validators() validators { return validators{k.ETag, k.LastModified} }

const defaultMaxAge = 24 * time.Hour

// kept looks a page up; fresh says that it needs no asking.
func (r *Reader) kept(ctx context.Context, key string) (k Kept, fresh bool) {
	if r.Cache == nil {
		return Kept{}, false
	}
	k, found, err := r.Cache.Page(ctx, key)
	if err != nil || !found || k.Page.Source.Hash == "" {
		r.trouble(err)
		return Kept{}, false
	}
	k.Page.Cached = true
	age := r.now().Sub(k.Page.Source.RetrievedAt)
	return k, age >= 0 && age < either(r.MaxAge, defaultMaxAge)
}

// keep stores a page that was read well enough to be used again, also under the address that it was found at in the end.
func (r *Reader) keep(ctx context.Context, key string, p Page, v validators) {
	if r.Cache == nil || p.Depth == plumb.Snippet {
		return
	}
	r.trouble(r.Cache.PutPage(ctx, key, Kept{p, v.etag, v.modified}))
	if final := link.Normalize(p.Source.FinalURL); !p.Cached && !p.Archived && final != "" && final != key {
		r.trouble(r.Cache.PutPage(ctx, final, Kept{p, v.etag, v.modified}))
	}
}

// A page that could not be read, or had no text to speak of, is not asked for again for a while: units at work side by
// side find the same leads.
const (
	sparedFor  = 5 * time.Minute
	sparedMost = 10_000
)

// spared remembers what came of such pages, in this process.
type spared struct {
	mu   sync.Mutex
	gone map[string]outcome
}

type outcome struct {
	page  Page
	err   error
	until time.Time
}

// of gives what came of a page a while ago.
func (s *spared) of(key string, now time.Time) (p Page, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, known := s.gone[key]
	return o.page, known && now.Before(o.until), o.err
}

// add remembers; when there are too many, all are forgotten.
func (s *spared) add(key string, p Page, err error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone == nil || len(s.gone) >= sparedMost {
		s.gone = map[string]outcome{}
	}
	s.gone[key] = outcome{p, err, now.Add(sparedFor)}
}
