package page

// Pages kept across runs. A young one is used as it is; an older one only after the site said that it still holds.

import (
	"context"
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
