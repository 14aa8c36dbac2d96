package page

// robots.txt by RFC 9309: absent (any 4xx) allows everything, a server that answers with 5xx allows nothing until it
// is well again. Where the RFC would also forbid all after a network error, the page is tried: it mostly shares the
// fate of robots.txt, and when it does not, a person asked for this one page.

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/temoto/robotstxt"
)

// Agent is the name by which robots.txt knows this reader; UserAgent is how it introduces itself.
const (
	Agent     = "plumb"
	UserAgent = Agent + " (research reader; opens single pages for a person's question; honours robots.txt)"
)

const (
	robotsBody   = 500 << 10 // what the RFC asks a reader to parse at least
	robotsTotal  = 5 * time.Second
	robotsAge    = 24 * time.Hour // the RFC's bound
	robotsSickly = 5 * time.Minute
)

// rules are what a robots.txt means for this reader.
type rules struct {
	group *robotstxt.Group // nil: everything is allowed
	none  bool             // nothing is
	age   time.Duration    // how long they hold
}

func (r *rules) allow(u *url.URL) bool {
	if r.none || r.group == nil {
		return !r.none
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return r.group.Test(path)
}

// readRobots makes rules of an answer.
func readRobots(status int, body []byte) *rules {
	switch {
	case status >= http.StatusInternalServerError:
		return &rules{none: true, age: robotsSickly}
	case status < 200 || status >= 300:
		return &rules{age: robotsAge}
	}
	data, err := robotstxt.FromBytes(body)
	if err != nil {
		return &rules{age: robotsAge} // not a robots.txt: what can't be parsed says nothing
	}
	return &rules{group: data.FindGroup(Agent), age: robotsAge}
}

// mayRead asks the robots.txt of u's host, once for all who wait for it.
func (r *Reader) mayRead(ctx context.Context, h *host, u *url.URL) error {
	known := h.knownRules()
	if known == nil {
		origin := u.Scheme + "://" + u.Host
		answer := r.hosts.asking.DoChan(origin, func() (any, error) {
			if known := h.knownRules(); known != nil {
				return known, nil
			}
			return r.askRobots(context.WithoutCancel(ctx), h, origin), nil
		})
		select {
		case <-ctx.Done():
			return ctx.Err()
		case a := <-answer:
			known = a.Val.(*rules)
		}
	}
	if !known.allow(u) {
		return &Error{Kind: Robots}
	}
	return nil
}

func (h *host) knownRules() *rules {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rules == nil || time.Since(h.rulesAt) > h.rules.age {
		return nil
	}
	return h.rules
}

// askRobots fetches and remembers the rules of a host.
func (r *Reader) askRobots(ctx context.Context, h *host, origin string) *rules {
	f := r.newFetch(r.web)
	f.unasked, f.budget, f.max, f.cut = true, min(robotsTotal, f.budget), robotsBody, true
	found := &rules{age: robotsSickly}
	ctx, cancel := context.WithTimeout(ctx, 4*robotsTotal) // with waiting in line
	defer cancel()
	doc, err := f.get(ctx, origin+"/robots.txt")
	var refused *Error
	switch {
	case err == nil:
		found = readRobots(doc.status, doc.body)
	case errors.As(err, &refused) && refused.Kind == Redirects:
		found = &rules{age: robotsAge} // unavailable, as the RFC has it
	}
	if g := found.group; g != nil && g.CrawlDelay > max(0, r.limits.Gap) {
		h.slow(min(g.CrawlDelay, r.limits.Delay))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rules, h.rulesAt = found, time.Now()
	return found
}
