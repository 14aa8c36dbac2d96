package lab

// Web is a simulated internet over real HTTP on the loopback: sites by their host names, search engines and paper indexes
// in their own formats, a web archive, and a proxy by which programs reach it all. Nothing ever leaves this machine.

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Web serves a world made from a seed: the same fields give the same pages, leads and faults. The zero value has 300
// good pages. It must not be copied, nor its fields changed, once it has served.
type Web struct {
	Seed         uint64
	Pages        int           // documents; 0: 300
	Bad          float64       // the share of them that misbehave, each in one of BadKinds
	SearchFaults float64       // the share of searches that fail: see searchFaults
	Slow         time.Duration // how long drips and searches that hang take; 0: 30 s
	Latency      time.Duration // before each answer
	Remote       *Remote       // deep-research services beside the search APIs; nil: none
	CertFile     string        // where Listen writes the certificate that https names are signed with; "": nowhere

	once  sync.Once
	made  *world
	words sync.Once
	found *index
	mu    sync.Mutex
	seen  map[uint64]int // how often each search came
	stats webCounts
	net   listening
}

const (
	defaultPages = 300
	defaultSlow  = 30 * time.Second
)

func (w *Web) world() *world {
	w.once.Do(func() {
		n := w.Pages
		if n <= 0 {
			n = defaultPages
		}
		w.made = newWorld(w.Seed, n, w.Bad)
	})
	return w.made
}

// index is made when the first search comes.
func (w *Web) index() *index {
	w.words.Do(func() { w.found = newIndex(w.world().docs) })
	return w.found
}

func (w *Web) slow() time.Duration {
	if w.Slow > 0 {
		return w.Slow
	}
	return defaultSlow
}

// Handler answers for every host of the lab. A request in absolute form is one to a proxy; one for an address instead of a
// name is for the search APIs, each below its own path.
func (w *Web) Handler() http.Handler {
	w.world()
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !wait(r.Context(), w.Latency) {
			return
		}
		if r.Method == http.MethodConnect {
			w.tunnel(rw, r)
			return
		}
		host := hostOf(r.Host)
		switch {
		case w.made.has(host):
			seen := &watched{ResponseWriter: rw}
			defer func() { w.countFetch(r, host, seen.status) }()
			w.serveHost(host, seen, r)
		case !r.URL.IsAbs() && (net.ParseIP(host) != nil || host == "localhost"):
			w.serveAPI(rw, r)
		default:
			w.countRefused(host)
			answerWith(rw, http.StatusBadGateway, "text/plain", []byte("the lab has no such host\n"))
		}
	})
}

// hostOf is a host without its port, in lower case.
func hostOf(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		hostport = h
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(hostport, "[]")), ".")
}

// serveHost answers for one of the names.
func (w *Web) serveHost(host string, rw http.ResponseWriter, r *http.Request) {
	switch host {
	case archiveHost:
		w.serveArchive(rw, r)
	case trapsHost:
		w.serveTrap(rw, r)
	case collectorHost:
		answerWith(rw, http.StatusOK, "text/plain", []byte("Thank you.\n"))
	case arxivHost, "export." + arxivHost, doiHost, "dx." + doiHost, pubmedHost:
		w.serveIndexed(host, rw, r)
	default:
		w.serveSite(w.made.sites[host], rw, r)
	}
}

func (w *Web) serveSite(s *site, rw http.ResponseWriter, r *http.Request) {
	d := w.made.byURL[s.host+r.URL.Path]
	switch {
	case d != nil && d.bad != "":
		w.serveBad(d.bad, d, rw, r)
	case d != nil:
		w.serveDocument(d, rw, r)
	case s.host == wikiHost && r.URL.Path == "/w/api.php":
		w.serveEngine(engineNamed("wikipedia"), rw, r)
	case r.URL.Path == "/robots.txt":
		send(rw, r, "text/plain; charset=utf-8", []byte(w.made.robots(s)))
	case r.URL.Path == "/":
		send(rw, r, "text/html; charset=utf-8", w.made.home(s))
	default:
		fails(http.StatusNotFound, "Not Found")(w, nil, rw, r)
	}
}

// serveDocument sends a document as it is: the PDF of a paper where that was asked for.
func (w *Web) serveDocument(d *doc, rw http.ResponseWriter, r *http.Request) {
	if d.paper != nil && strings.HasSuffix(r.URL.Path, ".pdf") {
		send(rw, r, "application/pdf", pdfOf(d))
		return
	}
	contentType, body := w.made.content(d)
	send(rw, r, contentType, body)
}

func (w *Web) serveBad(kind string, d *doc, rw http.ResponseWriter, r *http.Request) {
	for _, b := range badPages {
		if b.kind == kind {
			b.serve(w, d, rw, r)
			return
		}
	}
	fails(http.StatusNotFound, "Not Found")(w, d, rw, r)
}

// serveTrap misbehaves in the way that the path names, with what the first subject's wiki page says.
func (w *Web) serveTrap(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		send(rw, r, "text/plain", []byte("User-agent: *\nDisallow: /robots\n"))
		return
	}
	d := *w.made.docs[min(1, len(w.made.docs)-1)]
	d.site = &site{host: trapsHost, name: "Traps", layout: 0}
	d.path = r.URL.Path
	w.serveBad(strings.TrimPrefix(r.URL.Path, "/"), &d, rw, r)
}

// WebPage is a document of the lab, for tests and lists.
type WebPage struct {
	URL, Title, Date, Genre, Subject string
	Format                           string // html, pdf or csv
	Bad                              string // one of BadKinds; "": none
}

// List is every document, in the order in which they were made.
func (w *Web) List() []WebPage {
	var out []WebPage
	for _, d := range w.world().docs {
		out = append(out, WebPage{d.url(), d.title, d.date.Format(time.DateOnly), d.genre, d.subject.name, d.format, d.bad})
	}
	return out
}
