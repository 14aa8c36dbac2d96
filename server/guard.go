package server

// The way of a request to the routes. Closed by default: what is not named here as open to everybody needs a key.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/front"
)

// guard holds what the checks remember between requests.
type guard struct {
	s         *Server
	ring      keyring
	visitors  *limiter // by key
	strangers *limiter // failures, by address
	cross     *http.CrossOriginProtection
}

// Bounds of requests.
const (
	defaultRate  = 600 // requests a minute and key
	failureBurst = 20  // wrong or missing keys of an address before it must wait
	failureRate  = 20  // a minute
)

func newGuard(s *Server) *guard {
	perMinute := s.o.Rate
	if perMinute == 0 {
		perMinute = defaultRate
	}
	g := &guard{s: s, ring: keyring{keys: s.o.Keys}, visitors: newLimiter(perMinute, perMinute),
		strangers: newLimiter(failureRate, failureBurst), cross: http.NewCrossOriginProtection()}
	for _, o := range s.o.Origins {
		if err := g.cross.AddTrustedOrigin(o); err != nil {
			s.o.Log.Error("an origin is no origin and is left out", "origin", o, "error", err)
		}
	}
	return g
}

// guard wraps the routes: what is outermost comes first.
func (s *Server) guard(mux *http.ServeMux) http.Handler {
	g := newGuard(s)
	h := g.answer(mux)
	h = g.idempotent(h)
	h = g.bounded(h)
	h = g.sameSite(h)
	h = g.letIn(h)
	h = g.shared(h)
	h = g.hosted(h)
	return g.watched(h)
}

// isOpen reports whether a path needs no key: it tells nothing of anybody.
func isOpen(path string) bool {
	return path == "/health" || path == "/readiness" || path == "/openapi.json" || isPage(path)
}

// letIn lets a request in as the tenant of its key, or as the person at this machine.
func (g *guard) letIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := g.admit(r)
		if err != nil {
			g.turnAway(w, r, err)
			return
		}
		p := passing(r.Context())
		p.tenant, p.key = v.tenant.Name(), v.key
		next.ServeHTTP(w, r.WithContext(let(r.Context(), v)))
	})
}

// noKey is the answer to a request that has no key, or a wrong one.
var noKey = fail(http.StatusUnauthorized, "Authentication required")

// turnAway says what to do to be let in.
func (g *guard) turnAway(w http.ResponseWriter, r *http.Request, err error) {
	var many limited
	switch {
	case errors.Is(err, noKey):
		w.Header().Set("WWW-Authenticate", "Bearer")
	case errors.As(err, &many):
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(many.wait.Seconds())))))
	}
	g.s.refuse(w, r, err)
}

// admit says who asks.
func (g *guard) admit(r *http.Request) (visitor, error) {
	now := g.s.o.Now()
	secret, given := credential(r)
	if !given && (g.s.o.Open || isOpen(r.URL.Path)) {
		return visitor{tenant: g.s.o.House.Tenant("")}, nil
	}
	key, ok, err := g.lookUp(r, secret, now)
	switch {
	case err != nil:
		return visitor{}, err
	case !ok:
		return visitor{}, noKey
	}
	if wait := g.visitors.take(key.Name, now); wait > 0 {
		return visitor{}, limited{wait, "Too many requests with this key"}
	}
	return visitor{tenant: g.s.o.House.Tenant(key.Tenant), key: key.Name}, nil
}

// lookUp finds the key of a secret. Addresses that keep failing wait, except with keys that are known to be good.
func (g *guard) lookUp(r *http.Request, secret string, now time.Time) (front.Key, bool, error) {
	if key, ok := g.ring.cached(secret, now); ok {
		return key, true, nil
	}
	who := addressOf(r)
	if wait := g.strangers.wait(who, now); wait > 0 {
		return front.Key{}, false, limited{wait, "Too many requests without a valid key"}
	}
	key, ok, err := g.ring.find(r.Context(), secret, now)
	if err == nil && !ok {
		g.strangers.take(who, now)
	}
	return key, ok, err
}

// answer checks the ids of a request and hands it to its route. What has no route gets an error like any other.
func (g *guard) answer(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkIDs(r); err != nil {
			g.s.refuse(w, r, err)
			return
		}
		h, pattern := mux.Handler(r)
		if pattern == "" {
			g.noRoute(w, r, h)
			return
		}
		passing(r.Context()).route = pattern
		mux.ServeHTTP(w, r)
	})
}

// noRoute says what the mux says, in the words of the API.
func (g *guard) noRoute(w http.ResponseWriter, r *http.Request, h http.Handler) {
	said := &draft{header: http.Header{}, body: &bytes.Buffer{}}
	h.ServeHTTP(said, r)
	if allow := said.header.Get("Allow"); said.status == http.StatusMethodNotAllowed && allow != "" {
		w.Header().Set("Allow", allow)
		g.s.refuse(w, r, fail(http.StatusMethodNotAllowed, "Method not allowed here: use "+allow))
		return
	}
	g.s.refuse(w, r, fail(http.StatusNotFound, "Not found"))
}

// checkIDs names an id of a request that is not as ids are. What follows the word for its kind in a path is one.
func checkIDs(r *http.Request) error {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/api/v1/"), "/")
	if len(parts) > 1 && strings.HasPrefix(r.URL.Path, "/api/v1/") && (parts[0] == "tasks" || parts[0] == "sessions") {
		id, err := url.PathUnescape(parts[1])
		if err != nil || !validID.MatchString(id) {
			return wrongID("id", id)
		}
	}
	q := r.URL.Query()
	for _, name := range []string{"workflow_id", "session_id", "task_id"} {
		if id := q.Get(name); id != "" && !validID.MatchString(id) {
			return wrongID(name, id)
		}
	}
	return nil
}

func wrongID(name, id string) error {
	return fail(http.StatusBadRequest, fmt.Sprintf("%s %.60q is not allowed: use 1 to 128 letters, digits and : _ . -", name, id))
}

// passage is what is known of a request on its way, for its log line and the metrics.
type passage struct {
	id     string
	tenant string
	key    string // its name
	route  string
	raw    *http.ResponseController // of the connection
}

type passageKey struct{}

// passing gives the passage of a request. The outermost handler has put it there.
func passing(ctx context.Context) *passage { return ctx.Value(passageKey{}).(*passage) }
