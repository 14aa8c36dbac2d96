// Package page reads what a web address leads to: URL → plumb.Source, safely. Nothing but the public internet is
// reached, and the hosts that the user allowed; what comes back is bounded in time and size; walls, dead links and pages
// that need a browser are recognised and named; sites are treated politely.
package page

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
)

// Reader reads pages. Its zero value reads from the public internet without a browser, archive, cache or PDFs. It must
// not be copied, nor its fields changed, once it has read.
type Reader struct {
	// Extract makes text of what was fetched.
	Extract extract.Extractor
	// Allow names hosts, "host" or "host:port", that may be read although they are not public.
	Allow []string
	// Proxy is asked for each request, as http.ProxyFromEnvironment would be; nil: none.
	Proxy func(*http.Request) (*url.URL, error)
	// Archive is the base URL of the public web archive, which is asked for dead links. It is trusted as configured:
	// it may be anywhere. Empty: none.
	Archive string
	// Chromium is the path of a browser for pages that need one. Empty: none.
	Chromium string
	// Cache keeps pages across runs; nil: none.
	Cache Cache
	// MaxAge is how old a kept page may be before the site is asked whether it still holds. Zero: 24 hours.
	MaxAge time.Duration
	Limits Limits
	// Outside replaces resolver and dialer.
	Outside Outside
	// Now stamps what is read; nil: time.Now.
	Now func() time.Time
	// Trouble is told of what did not keep a page from being read, such as a cache that can't be written; for the
	// operator's log only. It may be called from several goroutines at once. Nil: nobody is told.
	Trouble func(error)

	once    sync.Once
	limits  Limits
	web     *network
	strict  *network // without Allow: for what pages ask for by script
	vault   *network // to the archive
	hosts   hosts
	flights flights
	spared  spared
	render  chan struct{} // one browser at a time
}

// Page is a source that was read. One whose Depth is plumb.Snippet could not be read: Note says why.
type Page struct {
	Source   plumb.Source       `json:"source"`
	Text     string             `json:"text"`
	Depth    plumb.ContentDepth `json:"depth"`
	Note     string             `json:"note,omitempty"`     // for readers: a paywall, an archived copy, why there is so little
	Pages    []int              `json:"pages,omitempty"`    // where each page of a PDF begins in Text
	Archived bool               `json:"archived,omitempty"` // Source.FinalURL is a copy of the public web archive
	Paywall  bool               `json:"paywall,omitempty"`  // the rest is for subscribers
	Rendered bool               `json:"rendered,omitempty"` // by a browser
	Cached   bool               `json:"-"`                  // kept from before; Source.RetrievedAt says when it was last known to hold
}

// More than fullText characters are a page read in full, more than partText a part of one; the rest is a snippet.
const (
	fullText = 500
	partText = 100
)

func (r *Reader) start() {
	r.once.Do(func() {
		r.limits = r.Limits.withDefaults()
		r.web = newNetwork(r.Allow, r.Proxy, r.Outside, r.limits)
		r.strict = newNetwork(nil, r.Proxy, r.Outside, r.limits)
		r.vault = newNetwork(append([]string{authority(r.Archive)}, r.Allow...), r.Proxy, r.Outside, r.limits)
		r.hosts.limits = r.limits
		r.render = make(chan struct{}, 1)
	})
}

// authority is host:port of a base URL, "" when it has none.
func authority(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return ""
	}
	host, port, err := hostPort(u)
	if err != nil {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// Close lets go of connections that are kept open. The Reader can be used again.
func (r *Reader) Close() {
	r.start()
	for _, n := range []*network{r.web, r.strict, r.vault} {
		n.close()
	}
}

func (r *Reader) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now().UTC()
}

func (r *Reader) trouble(err error) {
	if err != nil && r.Trouble != nil {
		r.Trouble(err)
	}
}

// flights are the readings under way, by URL. Who asks for a page that is being read waits for it; a reading that nobody
// waits for any more is given up.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight
}

type flight struct {
	done    chan struct{}
	waiting int
	cancel  context.CancelFunc
	page    Page
	err     error
}

func (f *flights) do(ctx context.Context, key string, read func(context.Context) (Page, error)) (Page, error) {
	one := f.join(ctx, key, read)
	select {
	case <-one.done:
		return one.page, one.err
	case <-ctx.Done():
		f.mu.Lock()
		defer f.mu.Unlock()
		if one.waiting--; one.waiting == 0 {
			one.cancel()
			if f.under[key] == one {
				delete(f.under, key)
			}
		}
		return Page{}, failure(ctx, ctx.Err())
	}
}

func (f *flights) join(ctx context.Context, key string, read func(context.Context) (Page, error)) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.under[key]; ok {
		one.waiting++
		return one
	}
	if f.under == nil {
		f.under = map[string]*flight{}
	}
	alone, cancel := context.WithCancel(context.WithoutCancel(ctx))
	one := &flight{done: make(chan struct{}), waiting: 1, cancel: cancel}
	f.under[key] = one
	go func() {
		defer cancel()
		one.page, one.err = read(alone)
		f.mu.Lock()
		if f.under[key] == one {
			delete(f.under, key)
		}
		f.mu.Unlock()
		close(one.done)
	}()
	return one
}
