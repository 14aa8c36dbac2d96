package server

// How much a request may bring, how long it may take to bring it, and how many there may be.

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Bounds of bodies.
const (
	maxBody    = 1 << 20
	maxUpload  = 51 << 20 // a document of 50 MB, and what a form puts around it
	bodyTime   = 30 * time.Second
	uploadTime = 5 * time.Minute
)

// bounded refuses bodies that are too large, and gives up on those that take too long.
func (g *guard) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit, patience := int64(maxBody), bodyTime
		if r.URL.Path == "/api/v1/library/documents" {
			limit, patience = maxUpload, uploadTime
		}
		if r.ContentLength > limit {
			w.Header().Set("Connection", "close") // the body is not read
			g.s.refuse(w, r, tooLarge)
			return
		}
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &timedBody{ReadCloser: http.MaxBytesReader(w, r.Body, limit), raw: passing(r.Context()).raw, until: time.Now().Add(patience)}
		}
		next.ServeHTTP(w, r)
	})
}

var tooLarge = fail(http.StatusRequestEntityTooLarge, "The body is too large: at most 1 MB, a document at most 50 MB")

// timedBody reads against a deadline that holds while it reads and not a moment longer: one that stood while the request
// is answered would cancel the request.
type timedBody struct {
	io.ReadCloser
	raw   *http.ResponseController
	until time.Time
}

func (b *timedBody) Read(p []byte) (int, error) {
	if err := b.raw.SetReadDeadline(b.until); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	if e := b.raw.SetReadDeadline(time.Time{}); err == nil && e != nil && !errors.Is(e, http.ErrNotSupported) {
		err = e
	}
	return n, err
}

// unread says why a body could not be read.
func unread(err error) error {
	var large *http.MaxBytesError
	var late net.Error
	switch {
	case errors.As(err, &large):
		return tooLarge
	case errors.As(err, &late) && late.Timeout():
		return fail(http.StatusRequestTimeout, "The body took too long")
	}
	return fail(http.StatusBadRequest, "The body broke off")
}

// limited is a request too many.
type limited struct {
	wait     time.Duration
	sentence string
}

func (l limited) Error() string  { return l.sentence }
func (l limited) GetStatus() int { return http.StatusTooManyRequests }

// tooMany is what clients get beside the status.
type tooMany struct {
	Sentence string `json:"error"`
	Message  string `json:"message"`
	Window   string `json:"window"` // the time that Options.Rate speaks of
}

func (l limited) body() tooMany {
	return tooMany{"Rate limit exceeded", l.sentence + ": wait, and try again", "1m"}
}

// limiter has a token bucket for everybody whom it has seen lately.
type limiter struct {
	per   rate.Limit
	burst int

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// maxBuckets bounds the memory for buckets, about 200 bytes each.
const maxBuckets = 10_000

// newLimiter allows so many a minute, and as many as burst at once. A negative number: no limit.
func newLimiter(perMinute, burst int) *limiter {
	l := &limiter{per: rate.Limit(float64(perMinute) / 60), burst: burst, buckets: map[string]*rate.Limiter{}}
	if perMinute < 0 {
		l.per = rate.Inf
	}
	return l
}

// take takes a token, or says how long until there is one.
func (l *limiter) take(who string, now time.Time) time.Duration {
	if l.per == rate.Inf || l.bucket(who, now).AllowN(now, 1) {
		return 0
	}
	return l.wait(who, now)
}

// wait says how long until there is a token; 0: there is one.
func (l *limiter) wait(who string, now time.Time) time.Duration {
	if l.per == rate.Inf {
		return 0
	}
	missing := 1 - l.bucket(who, now).TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / float64(l.per) * float64(time.Second))
}

func (l *limiter) bucket(who string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[who]
	if b == nil {
		if len(l.buckets) >= maxBuckets {
			l.forget(now)
		}
		b = rate.NewLimiter(l.per, l.burst)
		l.buckets[who] = b
	}
	return b
}

// forget drops the buckets that are full again; if that is none, all.
func (l *limiter) forget(now time.Time) {
	for who, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, who)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// addressOf is the network that a request comes from: an IPv4 address, or the 64 bits of an IPv6 address that one customer has.
func addressOf(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	net, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return net.String()
}
