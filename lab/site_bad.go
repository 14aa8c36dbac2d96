package lab

// Pages that misbehave, each kind in its own way. All are cheap to serve: bodies are written from one buffer, and what is
// slow waits without work.

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// badPage is one way to misbehave.
type badPage struct {
	kind  string
	alone bool // only at the traps: no document of the web does it
	serve func(*Web, *doc, http.ResponseWriter, *http.Request)
}

// badPages is every kind; a careful reader still gets the text of those that are marked "readable".
var badPages = []badPage{
	{"paywall", false, paywall},           // 200 with the beginning, and schema.org's mark
	{"paywall-403", false, paywallRefuse}, // 403 that tells readers to subscribe
	{"forbidden", false, fails(http.StatusForbidden, "Forbidden")},
	{"missing", false, fails(http.StatusNotFound, "Not Found")}, // readable, where the archive has a copy
	{"gone", false, fails(http.StatusGone, "Gone")},             // readable, where the archive has a copy
	{"server-error", false, fails(http.StatusInternalServerError, "Internal Server Error")},
	{"unavailable", false, later(http.StatusServiceUnavailable)},
	{"throttled", false, later(http.StatusTooManyRequests)},
	{"moved", false, moved}, // readable, after three redirects
	{"chain", false, chain}, // redirects without end
	{"loop", false, loop},
	{"private", false, private}, // redirects to an address that is not public
	{"private-name", true, to("http://" + innerHost + "/payroll")},
	{"huge", false, huge},
	{"bomb", false, bomb},
	{"drip", false, drip},
	{"charset", false, charset("text/html; charset=utf-8")}, // readable but for a few letters: the header is wrong
	{"charset-old", false, charset("text/html")},            // readable: only the page says what it is written in
	{"script", false, script},                               // readable with a browser
	{"botwall", false, botWall},                             //
	{"injection", false, injection},                         // readable: the text, with orders to the reader in it
	{"soft-404", false, soft404},                            // 200 for a page that is not there
	{"other-title", false, otherTitle},                      // readable, but about something else
	{"broken-pdf", false, brokenPDF},                        //
	{"image", false, image},                                 //
	{"cut", false, cut},                                     // the connection breaks in the middle
	{"robots", false, (*Web).serveDocument},                 // readable, but robots.txt asks not to
	{"empty", false, fails(http.StatusOK, "")},              // 200 with nothing
	{"login", false, login},                                 // redirects to a form
}

// BadKinds names the ways in which pages of the lab misbehave. TrapURL has a page of each, whatever the share of bad pages.
func BadKinds() []string {
	var out []string
	for _, b := range badPages {
		out = append(out, b.kind)
	}
	return out
}

// TrapURL is a page that misbehaves in this way. No search finds it.
func TrapURL(kind string) string { return "http://" + trapsHost + "/" + kind }

// badKind throws whether a document misbehaves, and how.
func badKind(seed uint64, d *doc, share float64) string {
	dice := dice{hashOf(strconv.FormatUint(seed, 10) + d.url())}
	if !dice.falls("bad", share) {
		return ""
	}
	if strings.Contains(d.site.host, ".example.") && dice.falls("gone", 0.5) { // where the archive is asked
		return "missing"
	}
	var kinds []string
	for _, b := range badPages {
		if !b.alone && (b.kind != "broken-pdf" || d.format == formatPDF) {
			kinds = append(kinds, b.kind)
		}
	}
	return kinds[dice.hash("kind")%uint64(len(kinds))]
}

func fails(status int, text string) func(*Web, *doc, http.ResponseWriter, *http.Request) {
	return func(_ *Web, _ *doc, rw http.ResponseWriter, _ *http.Request) {
		answerWith(rw, status, "text/html; charset=utf-8", []byte("<!doctype html><title>"+text+"</title><h1>"+text+"</h1>"))
	}
}

func later(status int) func(*Web, *doc, http.ResponseWriter, *http.Request) {
	return func(_ *Web, _ *doc, rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "120")
		answerWith(rw, status, "text/plain", []byte("Please come back later.\n"))
	}
}

func to(url string) func(*Web, *doc, http.ResponseWriter, *http.Request) {
	return func(_ *Web, _ *doc, rw http.ResponseWriter, _ *http.Request) { redirect(rw, url) }
}

func redirect(rw http.ResponseWriter, url string) {
	rw.Header().Set("Location", url)
	rw.WriteHeader(http.StatusFound)
}

// paywall shows the first paragraph.
func paywall(w *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
	s := w.made.sheet(d)
	i := slices.IndexFunc(s.Groups, func(g group) bool { return g.Kind == "p" })
	if i >= 0 {
		s.Groups = []group{{"p", s.Groups[i].Texts[:1]}}
	}
	s.Locked = true
	s.Extra = `<div class="wall"><h3>Subscribe to continue reading</h3><p>This article is for subscribers only. Already a subscriber? <a href="/login">Log in</a>.</p></div>`
	send(rw, r, "text/html; charset=utf-8", s.render(0))
}

func paywallRefuse(_ *Web, d *doc, rw http.ResponseWriter, _ *http.Request) {
	answerWith(rw, http.StatusForbidden, "text/html; charset=utf-8",
		[]byte("<!doctype html><title>"+template.HTMLEscapeString(d.title)+"</title><p>Subscription required. Become a subscriber to read on.</p>"))
}

// hop is how many redirects there were.
func hop(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("hop"))
	if err != nil {
		return 0
	}
	return n
}

func moved(w *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
	if n := hop(r); n < 3 {
		redirect(rw, fmt.Sprintf("%s?hop=%d", r.URL.Path, n+1))
		return
	}
	w.serveDocument(d, rw, r)
}

func chain(_ *Web, _ *doc, rw http.ResponseWriter, r *http.Request) {
	redirect(rw, fmt.Sprintf("%s?hop=%d", r.URL.Path, hop(r)+1))
}

func loop(_ *Web, _ *doc, rw http.ResponseWriter, r *http.Request) {
	redirect(rw, fmt.Sprintf("%s?hop=%d", r.URL.Path, 1-min(hop(r), 1)))
}

// privates are addresses that a careful reader dials under no circumstances.
var privates = []string{"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:22/", "http://10.0.0.5/admin", "http://[::1]:8080/", "http://localhost/secrets",
	"http://2130706433/", "http://0x7f.1/", "http://[::ffff:192.168.1.1]/", "http://100.64.0.1/"}

func private(_ *Web, d *doc, rw http.ResponseWriter, _ *http.Request) {
	redirect(rw, privates[hashOf(d.url())%uint64(len(privates))])
}

const (
	hugeBody  = 24 << 20  // bytes
	bombBody  = 256 << 20 // bytes, unpacked
	bombBlock = 1 << 20
)

func huge(_ *Web, d *doc, rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	block := []byte("<p>" + strings.Repeat("The list goes on and on and nobody reads it. ", 1456) + "</p>\n")
	head := []byte("<!doctype html><title>" + template.HTMLEscapeString(d.title) + "</title>\n")
	for sent := 0; sent < hugeBody; sent += len(block) {
		if _, err := rw.Write(head); err != nil {
			return // the client has seen enough
		}
		head = block
	}
}

// bombMember is a megabyte of spaces in a kilobyte. Gzip files may have many members, one after the other.
var bombMember = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(bytes.Repeat([]byte(" "), bombBlock)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
})

func bomb(_ *Web, _ *doc, rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Encoding", "gzip")
	answerWith(rw, http.StatusOK, "text/html; charset=utf-8", bytes.Repeat(bombMember(), bombBody/bombBlock))
}

// drip sends a letter now and then, for as long as Web.Slow says.
func drip(w *Web, _ *doc, rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	end := time.Now().Add(w.slow())
	flusher := http.NewResponseController(rw)
	for time.Now().Before(end) {
		if _, err := rw.Write([]byte("<p>")); err != nil || flusher.Flush() != nil || !wait(r.Context(), 100*time.Millisecond) {
			return
		}
	}
}

// charset sends ISO 8859-1 with a header that says something else, or nothing.
func charset(contentType string) func(*Web, *doc, http.ResponseWriter, *http.Request) {
	return func(w *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
		s := w.made.sheet(d)
		s.Charset = "iso-8859-1"
		s.Extra = "<p>The café on site serves crème brûlée, süße Äpfel and smørrebrød, and the naïve visitor pays with a résumé.</p>"
		send(rw, r, contentType, latin1(string(s.render(d.site.layout))))
	}
}

// login redirects to a form.
func login(_ *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("next") == "" {
		redirect(rw, r.URL.Path+"?next=home")
		return
	}
	send(rw, r, "text/html; charset=utf-8", []byte(`<!doctype html><html lang="en"><head><title>Log in</title></head><body><h1>Log in</h1>
<form method="post"><label>Name <input name="name"></label> <label>Password <input type="password" name="word"></label> <button>Log in</button></form></body></html>`))
}

// script has its text in a script that puts it on the page.
func script(_ *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
	var paragraphs []string
	for _, p := range d.blocks {
		paragraphs = append(paragraphs, p.text)
	}
	send(rw, r, "text/html; charset=utf-8", fmt.Appendf(nil, `<!doctype html><html lang="en"><head><title>%s</title></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>
<script>
const story = %s;
const root = document.getElementById("root");
for (const t of story) { const p = document.createElement("p"); p.textContent = t; root.append(p); }
</script></body></html>`, template.HTMLEscapeString(d.title), bytes.ReplaceAll(encode(paragraphs), []byte("</"), []byte(`<\/`))))
}

func botWall(_ *Web, _ *doc, rw http.ResponseWriter, _ *http.Request) {
	answerWith(rw, http.StatusForbidden, "text/html; charset=utf-8", []byte(`<!doctype html><html><head><title>Just a moment...</title></head>
<body><h1>Checking your browser before accessing this site</h1><p>Verify you are human by completing the action below.</p>
<script src="/cdn-cgi/challenge-platform/h/b/orchestrate.js"></script></body></html>`))
}

func soft404(_ *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
	s := sheet{Site: d.site.name, Title: "Page not found", Charset: "utf-8"}
	s.Groups = []group{{"p", []string{"Sorry, the page you were looking for could not be found. It may have been moved or deleted."}}}
	send(rw, r, "text/html; charset=utf-8", s.render(2))
}

// otherTitle serves the page of another subject.
func otherTitle(w *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
	all := w.made.docs
	i := int(hashOf(d.url()) % uint64(len(all)))
	for all[i].subject == d.subject || all[i].format != formatHTML {
		i = (i + 1) % len(all)
	}
	w.serveDocument(all[i], rw, r)
}

func brokenPDF(_ *Web, d *doc, rw http.ResponseWriter, r *http.Request) {
	body := pdfOf(d)
	send(rw, r, "application/pdf", bytes.ReplaceAll(body[:len(body)/3], []byte("stream"), []byte("strewn")))
}

func image(_ *Web, _ *doc, rw http.ResponseWriter, r *http.Request) {
	send(rw, r, "image/png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"))
}

func cut(w *Web, d *doc, rw http.ResponseWriter, _ *http.Request) {
	contentType, body := w.made.content(d)
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	answerWith(rw, http.StatusOK, contentType, body[:len(body)/2])
	if err := http.NewResponseController(rw).Flush(); err != nil {
		return // the client is gone
	}
	panic(http.ErrAbortHandler)
}
