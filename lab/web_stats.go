package lab

// What was asked of the simulated internet.

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// WebStats are what a Web served.
type WebStats struct {
	Fetches  []Fetch        `json:"fetches"`  // of anything but robots.txt and APIs, sorted by URL
	Robots   map[string]int `json:"robots"`   // requests for robots.txt, by host
	Searches map[string]int `json:"searches"` // requests by engine
	Faults   map[string]int `json:"faults"`   // of searches, by kind
	Refused  map[string]int `json:"refused"`  // requests, and connections, for what the lab does not have
}

// Fetch is an address and how often it answered with a status. 0 is an answer that broke off before it had one.
type Fetch struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
	Times  int    `json:"times"`
}

type fetched struct {
	url    string
	status int
}

// webCounts is how WebStats are counted.
type webCounts struct {
	fetches                           map[fetched]int
	robots, searches, faults, refused map[string]int
}

// Stats is a copy of how it stands.
func (w *Web) Stats() WebStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := WebStats{Robots: maps.Clone(w.stats.robots), Searches: maps.Clone(w.stats.searches), Faults: maps.Clone(w.stats.faults), Refused: maps.Clone(w.stats.refused)}
	for f, n := range w.stats.fetches {
		s.Fetches = append(s.Fetches, Fetch{f.url, f.status, n})
	}
	slices.SortFunc(s.Fetches, func(a, b Fetch) int { return cmp.Or(strings.Compare(a.URL, b.URL), cmp.Compare(a.Status, b.Status)) })
	return s
}

func (w *Web) countFetch(r *http.Request, host string, status int) {
	if host == wikiHost && r.URL.Path == "/w/api.php" {
		return // a search, counted as such
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		count(&w.stats.robots, host)
		return
	}
	count(&w.stats.fetches, fetched{scheme + "://" + host + r.URL.RequestURI(), status})
}

func (w *Web) countSearch(engine, fault string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	count(&w.stats.searches, engine)
	if fault != "" {
		count(&w.stats.faults, fault)
	}
}

func (w *Web) countRefused(host string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	count(&w.stats.refused, host)
}

func count[K comparable](m *map[K]int, key K) {
	if *m == nil {
		*m = map[K]int{}
	}
	(*m)[key]++
}

// watched remembers the status of an answer.
type watched struct {
	http.ResponseWriter
	status int
}

// WriteHeader is http.ResponseWriter's.
func (w *watched) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write is http.ResponseWriter's.
func (w *watched) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
