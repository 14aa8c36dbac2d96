package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Whatever a Host says: an open server answers under loopback's names alone.
func FuzzHost(f *testing.F) {
	for _, h := range []string{"localhost:80", "127.0.0.1", "[::1]:1", "::1", "LOCALHOST.", "evil.example", "localhost@evil", "127.0.0.1.evil", "", ":80", "[[::1]]", "localhost:80:80"} {
		f.Add(h)
	}
	g := &guard{s: &Server{o: Options{Open: true}}}
	f.Fuzz(func(t *testing.T, host string) {
		if !g.knows(host) {
			return
		}
		name := strings.ToLower(host)
		if !slices.ContainsFunc(loopbackNames, func(n string) bool { return strings.Contains(name, n) }) || strings.ContainsAny(name, "@/ ") {
			t.Fatalf("%q is taken for loopback", host)
		}
	})
}

// Whatever the headers say: only what was sent where keys belong is a key.
func FuzzCredential(f *testing.F) {
	f.Add("k", "", "", "/api/v1/tasks")
	f.Add("", "Bearer k", "", "/api/v1/tasks")
	f.Add("", "Basic k", "k", "/api/v1/stream/sse")
	f.Add("", "bearer", "k", "/api/v1/stream/../tasks")
	f.Fuzz(func(t *testing.T, header, auth, query, path string) {
		r := &http.Request{Method: http.MethodGet, Header: http.Header{}, URL: &url.URL{Path: path, RawQuery: url.Values{"api_key": {query}}.Encode()}}
		r.Header.Set("X-API-Key", header)
		r.Header.Set("Authorization", auth)
		secret, given := credential(r)
		switch {
		case !given && (secret != "" || header != "" || auth != ""):
			t.Fatalf("%q, though nothing, or something, was given", secret)
		case secret != "" && secret != header && !strings.HasSuffix(strings.TrimSpace(auth), secret) && (secret != query || !strings.HasPrefix(path, "/api/v1/stream/")):
			t.Fatalf("%q is a key", secret)
		}
	})
}

// Whatever a path says: an id that passes is one.
func FuzzCheckIDs(f *testing.F) {
	for _, p := range []string{"/api/v1/tasks/a", "/api/v1/tasks/a%20b", "/api/v1/sessions/%2e%2e/history", "/api/v1/tasks/", "/api/v1/tasks//x", "/api/v1/tasks/a?workflow_id=%00", "/v1/x"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, path string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || u.Host != "" {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = u
		if checkIDs(r) != nil {
			return
		}
		rest, ok := strings.CutPrefix(u.EscapedPath(), "/api/v1/tasks/")
		id, _, _ := strings.Cut(rest, "/")
		if plain, err := url.PathUnescape(id); ok && (err != nil || !validID.MatchString(plain)) {
			t.Fatalf("%q passes in %q", id, path)
		}
		if id := u.Query().Get("workflow_id"); id != "" && !validID.MatchString(id) {
			t.Fatalf("%q passes", id)
		}
	})
}
