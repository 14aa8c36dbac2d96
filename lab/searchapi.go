package lab

// Search engines and paper indexes over the documents of the lab. They share one index of words; each knows a part of the
// web, prefers something else, and speaks its own format: see searchapi_web.go and searchapi_papers.go.

import (
	"cmp"
	"hash/fnv"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// searchAPI is a search engine or a paper index.
type searchAPI struct {
	name            string // as package search calls it
	keyVar, baseVar string // variables that configure it; keyVar "" where it takes no key
	key             func(*http.Request) string
	path            string // below its base URL; one more for those that are asked twice
	then            string
	knows           func(*doc) bool
	coverage        float64 // the share of what it could know that it has found
	title           float64 // what a word in the title counts, against 1 in the text
	recent          float64 // what a year younger counts
	noise           float64 // how much of its order nobody understands
	read            func(*http.Request) (lookup, error)
	write           func(http.ResponseWriter, *http.Request, lookup, []hit)
}

// lookup is a search as every engine understands it.
type lookup struct {
	text             string
	limit            int
	include, exclude []string // domains
	since            string   // ISO date
	ids              []string // for those who ask about what they found before
}

// hit is a document that was found, with the sentences that speak of the query.
type hit struct {
	*doc
	snippet   string
	score     float64
	sentences []said
}

// index holds the words of the documents.
type index struct {
	docs  []entry
	inDoc map[string]int // in how many documents a word is
}

type entry struct {
	doc         *doc
	hash        uint64 // of the address
	title, body map[string]int
	sentences   []said
}

// said is a sentence with its words.
type said struct {
	text  string
	words []string
}

func newIndex(docs []*doc) *index {
	x := &index{inDoc: map[string]int{}}
	for _, d := range docs {
		e := entry{doc: d, hash: hashOf(d.url()), title: map[string]int{}, body: map[string]int{}}
		for _, w := range text.Terms(d.title, "en") {
			e.title[w]++
			e.body[w]++
		}
		for _, p := range d.blocks {
			for _, span := range text.Sentences(p.text, "en") {
				one := said{text: strings.ReplaceAll(span.Of(p.text), "\t", ": ")}
				one.words = text.Terms(one.text, "en")
				for _, w := range one.words {
					e.body[w]++
				}
				e.sentences = append(e.sentences, one)
			}
		}
		for w := range e.body {
			x.inDoc[w]++
		}
		x.docs = append(x.docs, e)
	}
	return x
}

// leastShared is how many words of a query a document has at least, where the query has as many.
const leastShared = 2

// find is what an engine answers a lookup with, best first.
func (x *index) find(e *searchAPI, q lookup) []hit {
	if len(q.ids) > 0 {
		return among(x.docs, q.ids)
	}
	words := weighty(q.text)
	var out []hit
	for _, d := range x.docs {
		if !e.has(&d) || !q.admits(d.doc) {
			continue
		}
		score, shared := x.score(e, d, words)
		if shared >= min(leastShared, len(words)) && shared > 0 {
			out = append(out, hit{d.doc, "", score, d.sentences})
		}
	}
	slices.SortStableFunc(out, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.url(), b.url())) })
	out = out[:min(len(out), q.limit)]
	for i := range out {
		out[i].snippet = snippet(out[i].sentences, words)
	}
	return out
}

func (x *index) score(e *searchAPI, d entry, words []string) (score float64, shared int) {
	for _, w := range words {
		n := d.body[w]
		if n == 0 {
			continue
		}
		shared++
		rare := math.Log(1 + float64(len(x.docs))/float64(x.inDoc[w]))
		score += rare * float64(n) / (float64(n) + 1.2)
		if d.title[w] > 0 {
			score += rare * e.title
		}
	}
	score += e.recent * float64(d.doc.date.Year()-2015)
	score += e.noise * float64(dice{d.hash}.hash("noise "+e.name)%1000) / 1000
	return score, shared
}

// has reports whether an engine knows a document.
func (e *searchAPI) has(d *entry) bool {
	return e.knows(d.doc) && dice{d.hash}.falls(e.name, e.coverage)
}

// snippet is the sentence that shares most with the query, and the one after it.
func snippet(sentences []said, words []string) string {
	best, most := 0, -1
	for i, s := range sentences {
		shared := 0
		for _, w := range words {
			if slices.Contains(s.words, w) {
				shared++
			}
		}
		if shared > most {
			best, most = i, shared
		}
	}
	var out []string
	for _, s := range sentences[best:min(best+2, len(sentences))] {
		out = append(out, s.text)
	}
	return strings.Join(out, " ")
}

// admits holds a document against domains and date.
func (q lookup) admits(d *doc) bool {
	in := func(domain string) bool { return d.site.host == domain || strings.HasSuffix(d.site.host, "."+domain) }
	switch {
	case slices.ContainsFunc(q.exclude, in), len(q.include) > 0 && !slices.ContainsFunc(q.include, in):
		return false
	}
	return q.since == "" || d.date.Format("2006-01-02") >= q.since
}

// operators takes the words that choose domains out of a query.
func operators(s string, q *lookup) {
	var words []string
	for _, w := range strings.Fields(s) {
		w = strings.Trim(w, "()")
		if d, ok := strings.CutPrefix(w, "-site:"); ok {
			q.exclude = append(q.exclude, d)
		} else if d, ok := strings.CutPrefix(w, "site:"); ok {
			q.include = append(q.include, d)
		} else if w != "OR" {
			words = append(words, w)
		}
	}
	q.text = strings.Join(words, " ")
}

// serveAPI answers for the engines below their paths.
func (w *Web) serveAPI(rw http.ResponseWriter, r *http.Request) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	e := engineNamed(name)
	switch {
	case w.Remote != nil && strings.HasPrefix(rest, "v1/async/"): // Perplexity has one address for searches and research
		mux := http.NewServeMux()
		w.Remote.mount(mux)
		http.StripPrefix("/"+name, mux).ServeHTTP(rw, r)
	case e != nil && ("/"+rest == e.path || e.then != "" && "/"+rest == e.then):
		w.serveEngine(e, rw, r)
	case r.URL.Path == "/":
		answerWith(rw, http.StatusOK, "text/plain; charset=utf-8", []byte(w.about()))
	default:
		answerWith(rw, http.StatusNotFound, "text/plain", []byte("not found\n"))
	}
}

// about says what there is, for people who open the proxy's address in a browser.
func (w *Web) about() string {
	b := "A simulated internet. Use this address as an HTTP proxy to read:\n\n"
	hosts := w.made.hosts()
	slices.Sort(hosts)
	for _, h := range hosts {
		b += "  http://" + h + "/\n"
	}
	b += "\nSearch engines and paper indexes, each below its own path:\n\n"
	for _, e := range engines {
		b += "  /" + e.name + e.path + "\n"
	}
	return b
}

func engineNamed(name string) *searchAPI {
	for i := range engines {
		if engines[i].name == name {
			return &engines[i]
		}
	}
	return nil
}

// searchFaults are what goes wrong with searches: too many requests with a short and a long pause asked for, an error of the
// server, an answer that breaks off, one that never comes, and one that found nothing.
var searchFaults = []string{"rate-limit", "long-pause", "server-error", "broken", "hang", "empty"}

func (w *Web) serveEngine(e *searchAPI, rw http.ResponseWriter, r *http.Request) {
	if e.key != nil && e.key(r) == "" {
		w.countSearch(e.name, "key")
		answerWith(rw, http.StatusUnauthorized, "application/json", []byte(`{"error":"a key is needed"}`))
		return
	}
	q, err := e.read(r)
	if err != nil {
		w.countSearch(e.name, "request")
		answerWith(rw, http.StatusBadRequest, "application/json", []byte(`{"error":"the request could not be read"}`))
		return
	}
	fault := w.searchFault(e, r, q)
	w.countSearch(e.name, fault)
	switch fault {
	case "rate-limit", "long-pause":
		rw.Header().Set("Retry-After", map[string]string{"rate-limit": "1", "long-pause": "600"}[fault])
		answerWith(rw, http.StatusTooManyRequests, "application/json", []byte(`{"error":"too many requests"}`))
	case "server-error":
		answerWith(rw, http.StatusInternalServerError, "text/html", []byte("<h1>Internal Server Error</h1>"))
	case "broken":
		answerWith(rw, http.StatusOK, "application/json", []byte(`{"results":[{"title":"Key figures`))
	case "hang":
		wait(r.Context(), w.slow())
		panic(http.ErrAbortHandler)
	case "empty":
		e.write(rw, r, q, nil)
	default:
		e.write(rw, r, q, w.index().find(e, q))
	}
}

// searchFault throws whether a search fails, and how. The same search may succeed the next time.
func (w *Web) searchFault(e *searchAPI, r *http.Request, q lookup) string {
	h := fnv.New64a()
	write(h, []byte(e.name), []byte(r.URL.Path), []byte(q.text), []byte(strings.Join(q.ids, ",")))
	key := h.Sum64()
	w.mu.Lock()
	nth := w.seen[key]
	count(&w.seen, key)
	w.mu.Unlock()
	h.Reset()
	write(h, number(w.Seed), number(key), number(uint64(nth)))
	d := dice{h.Sum64()}
	if !d.falls("fault", w.SearchFaults) {
		return ""
	}
	return searchFaults[d.hash("which")%uint64(len(searchFaults))]
}
