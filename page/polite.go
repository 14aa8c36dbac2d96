package page

// Manners towards one host: few requests at once, a gap between them, and silence when it asks for that.

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"
)

const (
	// maxHosts is how many hosts are remembered; beyond it those that were idle for idleHost are forgotten.
	maxHosts = 2000
	idleHost = 10 * time.Minute
)

// hosts remembers every host that was asked something, by scheme, name and port.
type hosts struct {
	mu     sync.Mutex
	byName map[string]*host
	limits Limits
	asking singleflight.Group // robots.txt, once per host
}

type host struct {
	slots chan struct{}
	pace  *rate.Limiter

	mu      sync.Mutex
	used    time.Time
	silent  time.Time // it wants no requests before
	rules   *rules    // of its robots.txt, nil: not known yet
	rulesAt time.Time
}

func (h *hosts) of(origin string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if known, ok := h.byName[origin]; ok {
		known.mu.Lock()
		known.used = now
		known.mu.Unlock()
		return known
	}
	if len(h.byName) >= maxHosts {
		h.forget(now)
	}
	every := rate.Inf
	if h.limits.Gap > 0 {
		every = rate.Every(h.limits.Gap)
	}
	// Two at once to begin with: robots.txt and the page.
	fresh := &host{slots: make(chan struct{}, h.limits.AtOnce), pace: rate.NewLimiter(every, 2), used: now}
	if h.byName == nil {
		h.byName = map[string]*host{}
	}
	h.byName[origin] = fresh
	return fresh
}

// forget drops idle hosts. The caller holds the lock.
func (h *hosts) forget(now time.Time) {
	for name, known := range h.byName {
		known.mu.Lock()
		if len(known.slots) == 0 && now.Sub(known.used) > idleHost {
			delete(h.byName, name)
		}
		known.mu.Unlock()
	}
}

// enter waits for a turn; leave ends it. A host that wants silence for longer than wait is not waited for.
func (h *host) enter(ctx context.Context, wait time.Duration) (leave func(), err error) {
	h.mu.Lock()
	silence := time.Until(h.silent)
	h.mu.Unlock()
	if silence > wait {
		return nil, &Error{Kind: Throttled, Detail: "site asked not to be read for a while"}
	}
	if err := pause(ctx, silence); err != nil {
		return nil, err
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	leave = func() { <-h.slots }
	if err := h.pace.Wait(ctx); err != nil {
		leave()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, context.DeadlineExceeded // the limiter sees that the time would not suffice
	}
	return leave, nil
}

// slow sets the gap that robots.txt asks for.
func (h *host) slow(delay time.Duration) {
	h.pace.SetBurst(1)
	h.pace.SetLimit(rate.Every(delay))
}

// hush keeps requests from the host for a while.
func (h *host) hush(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until := time.Now().Add(min(d, time.Hour)); until.After(h.silent) {
		h.silent = until
	}
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter reads the header of that name: seconds, or a date. ok is false when there is none.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	v := strings.TrimSpace(header.Get("Retry-After"))
	if v == "" {
		return 0, false
	}
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}
