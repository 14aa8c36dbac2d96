package server

// Which names a browser may use for this server, and which other sites' pages may call it.

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// hosted answers only under names that are the server's own. A page of another site can make a name of its own resolve to
// a loopback address and would then count as this server's page (DNS rebinding).
func (g *guard) hosted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.knows(r.Host) && r.URL.Path != "/health" && r.URL.Path != "/readiness" {
			g.s.refuse(w, r, fail(http.StatusMisdirectedRequest, "This server does not answer under that name"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

var loopbackNames = []string{"localhost", "127.0.0.1", "::1"}

// knows reports whether a Host is one of the server's names, on whatever port.
func (g *guard) knows(host string) bool {
	if !g.s.o.Open && len(g.s.o.Hosts) == 0 {
		return true // without the key that another site's page does not have nothing is told anyway
	}
	name := hostName(host)
	if name == "" {
		return false
	}
	return slices.Contains(loopbackNames, name) || slices.ContainsFunc(g.s.o.Hosts, func(h string) bool { return hostName(h) == name })
}

// hostName is a host without its port, in the form in which names are compared.
func hostName(host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "" // nobody's name
		}
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// sameSite refuses what the page of another site makes a browser send where no key is needed: such a request carries the
// right to be here by coming from this machine alone.
func (g *guard) sameSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if passing(r.Context()).key == "" {
			if err := g.cross.Check(r); err != nil {
				g.s.refuse(w, r, fail(http.StatusForbidden, "A page of another site may not do that"))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// What scripts of other sites may send and see, where their origin is allowed.
const (
	corsMethods = "GET, POST, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, X-API-Key"
	corsExposed = "ETag, Link, Mcp-Session-Id, Retry-After, X-Idempotency-Cached, X-Request-ID, X-Session-ID, X-Workflow-ID"
	corsMaxAge  = "600" // seconds
)

// shared lets scripts of the allowed origins in, and answers their browsers' question whether they may ask.
func (g *guard) shared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, h := r.Header.Get("Origin"), w.Header()
		if len(g.s.o.Origins) > 0 {
			h.Add("Vary", "Origin")
		}
		if origin == "" || !slices.Contains(g.s.o.Origins, origin) {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", corsExposed)
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", corsMethods)
		h.Set("Access-Control-Allow-Headers", corsHeaders)
		h.Set("Access-Control-Max-Age", corsMaxAge)
		w.WriteHeader(http.StatusNoContent)
	})
}
