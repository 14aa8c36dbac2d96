package page

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func gzipped(t testing.TB, s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func deflated(t testing.TB, s string, raw bool) string {
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	if raw {
		f, err := flate.NewWriter(&b, 6)
		if err != nil {
			t.Fatal(err)
		}
		w = f
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func encoded(how, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", how)
		io.WriteString(w, body)
	}
}

func TestContentEncodings(t *testing.T) {
	text := article(900)
	var offered string
	l := newLab(t, map[string]http.Handler{"enc.test": routes(map[string]http.HandlerFunc{
		"/gzip": func(w http.ResponseWriter, r *http.Request) {
			offered = r.Header.Get("Accept-Encoding")
			encoded("gzip", gzipped(t, text))(w, r)
		},
		"/zlib": encoded("deflate", deflated(t, text, false)), "/raw": encoded("Deflate", deflated(t, text, true)), "/none": encoded("identity", text),
		"/br": encoded("br", "whatever"), "/twice": encoded("gzip, gzip", gzipped(t, gzipped(t, text))), "/broken": encoded("gzip", "not gzip at all"),
		"/cut": encoded("gzip", gzipped(t, strings.Repeat(text, 50))[:400]),
	})})
	r := l.reader()
	for path, want := range map[string]Kind{"/gzip": "", "/zlib": "", "/raw": "", "/none": "", "/br": Unsupported, "/twice": Unsupported, "/broken": Unreadable, "/cut": Network} {
		p, err := r.Read(context.Background(), "http://enc.test"+path)
		if want == "" && (err != nil || p.Source.Chars < 500) || want != "" && kindOf(err) != want {
			t.Errorf("%s: %d characters, %v", path, p.Source.Chars, err)
		}
	}
	if offered != "gzip, deflate" {
		t.Errorf("offered %q", offered)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	huge := strings.Repeat("<p>"+sentence+"</p>", 20000) // 2 MB
	l := newLab(t, map[string]http.Handler{"big.test": routes(map[string]http.HandlerFunc{
		"/bomb":     encoded("gzip", gzipped(t, strings.Repeat("\x00", 64<<20))),
		"/deflate":  encoded("deflate", deflated(t, strings.Repeat("a", 64<<20), false)),
		"/declared": func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "99999999999") },
		"/huge":     page("text/html", "<!doctype html><body>"+huge),
		"/endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, sentence); err != nil {
					return
				}
			}
		},
		"/error": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, huge)
		},
	})})
	r := l.reader()
	r.Limits.Body = 1 << 20
	for path, want := range map[string]Kind{"/bomb": TooLarge, "/deflate": TooLarge, "/declared": TooLarge, "/huge": TooLarge, "/endless": TooLarge, "/error": Status} {
		_, err := r.Read(context.Background(), "http://big.test"+path)
		wantKind(t, err, want)
		if want == TooLarge && err.Error() != "document is larger than 1 MB" {
			t.Error(path, err)
		}
	}
}

func TestHeadersAreBounded(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"head.test": routes(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 8<<10))
		}
	}})})
	for _, scheme := range []string{"http", "https"} {
		_, err := l.reader().Read(context.Background(), scheme+"://head.test/")
		wantKind(t, err, Network)
	}
}

// A server that sends a byte now and then is cut off by the deadline of the whole document.
func TestSlowDripIsCut(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"drip.test": routes(map[string]http.HandlerFunc{
		"/body": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, "<")
				w.(http.Flusher).Flush()
				pause(r.Context(), 5*time.Millisecond)
			}
		},
		"/silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/hops": func(w http.ResponseWriter, r *http.Request) {
			pause(r.Context(), 60*time.Millisecond) // each hop is quick enough, all of them are not
			http.Redirect(w, r, "/hops?"+r.URL.RawQuery+"x", http.StatusFound)
		},
	})})
	r := l.reader()
	r.Limits.Total = 150 * time.Millisecond
	for _, path := range []string{"/body", "/silent", "/hops"} {
		start := time.Now()
		_, err := r.Read(context.Background(), "http://drip.test"+path)
		wantKind(t, err, Timeout)
		if took := time.Since(start); took > 15*time.Second || // the drip would take minutes
			err.Error() != "request timed out" {
			t.Errorf("%s: %v after %v", path, err, took)
		}
	}
}

func TestConnectIsBounded(t *testing.T) {
	l := newLab(t, nil)
	r := l.reader()
	l.name("mute.test", "93.184.216.34")
	r.Limits.Connect = 20 * time.Millisecond
	r.Outside.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, err := r.Read(context.Background(), "http://mute.test/")
	wantKind(t, err, Timeout)
}

func TestRedirects(t *testing.T) {
	chain := map[string]http.HandlerFunc{"/end": page("text/html", article(900)), "/loop": redirect("/loop"), "/nowhere": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) },
		"/broken": redirect("http://[::1"), "/cookie": func(w http.ResponseWriter, r *http.Request) {
			if _, err := r.Cookie("seen"); err != nil {
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
				http.Redirect(w, r, "/cookie", http.StatusSeeOther)
				return
			}
			page("text/html", article(900))(w, r)
		}}
	for i := range 8 {
		chain[fmt.Sprintf("/%d", i)] = redirect(fmt.Sprintf("/%d", i-1))
	}
	chain["/0"] = redirect("https://other.test/end")
	l := newLab(t, map[string]http.Handler{"a.test": routes(chain), "other.test": routes(chain)})
	r := l.reader()
	for path, want := range map[string]Kind{"/4": "", "/5": Redirects, "/loop": Redirects, "/nowhere": Redirects, "/broken": Redirects, "/cookie": ""} {
		p, err := r.Read(context.Background(), "http://a.test"+path)
		if kindOf(err) != want {
			t.Errorf("%s: %v", path, err)
		}
		if path == "/4" && (p.Source.FinalURL != "https://other.test/end" || p.Source.URL != "http://a.test/4" || p.Source.Key != "other.test") {
			t.Errorf("%+v", p.Source)
		}
	}
}

func TestKindsThatHoldNoTextAreRefusedUnread(t *testing.T) {
	kind := func(ct string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", ct)
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			for range 1 << 10 {
				if _, err := w.Write(make([]byte, 4<<10)); err != nil {
					return
				}
			}
		}
	}
	l := newLab(t, map[string]http.Handler{"kind.test": routes(map[string]http.HandlerFunc{
		"/png": kind("image/png"), "/svg": kind("image/svg+xml"), "/mp4": kind("video/mp4"), "/mp3": kind("audio/mpeg"), "/zip": kind("application/zip"), "/tgz": kind("application/x-gzip"),
		"/exe": kind("application/x-msdownload"), "/font": kind("font/woff2"),
		"/lies":   page("text/html", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
		"/rar":    page("application/octet-stream", "Rar!\x1a\x07\x00rest"),
		"/binary": page("", "\x00\x01\x02\x03\xff\xfe\x00\x00"),
	})})
	r := l.reader()
	for path, want := range map[string]string{
		"/png": "image/png", "/svg": "image/svg+xml", "/mp4": "video/mp4", "/mp3": "audio/mpeg", "/zip": "application/zip", "/tgz": "application/x-gzip",
		"/exe": "application/x-msdownload", "/font": "font/woff2", "/lies": "image/png", "/rar": "rar", "/binary": "octet-stream",
	} {
		_, err := r.Read(context.Background(), "http://kind.test"+path)
		wantKind(t, err, Unsupported)
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// statuses answers with one status after the other.
func statuses(header http.Header, list ...int) http.HandlerFunc {
	var mu = make(chan int, 1)
	mu <- 0
	return func(w http.ResponseWriter, r *http.Request) {
		n := <-mu
		mu <- n + 1
		for k, v := range header {
			w.Header()[k] = v
		}
		answer(list[min(n, len(list)-1)], "text/html", article(900)).ServeHTTP(w, r)
	}
}

func TestSecondTries(t *testing.T) {
	soon, late := http.Header{"Retry-After": {"1"}}, http.Header{"Retry-After": {"3600"}}
	l := newLab(t, map[string]http.Handler{})
	for name, h := range map[string]http.HandlerFunc{
		"once": statuses(nil, 500, 200), "never": statuses(nil, 503), "soon": statuses(soon, 429, 200), "late": statuses(late, 429, 200), "plain": statuses(nil, 429, 200),
		"stubborn": statuses(soon, 429), "later": statuses(late, 503, 200), "implemented": statuses(nil, 501, 200),
	} {
		l.sites[name+".test"] = routes(map[string]http.HandlerFunc{"/": h})
	}
	r := l.reader()
	for name, want := range map[string]struct {
		kind     Kind
		requests int
	}{
		"once": {"", 2}, "never": {Status, 2}, "soon": {"", 2}, "late": {Throttled, 1}, "plain": {Throttled, 1}, "stubborn": {Throttled, 2}, "later": {Status, 1}, "implemented": {Status, 1},
	} {
		_, err := r.Read(context.Background(), "http://"+name+".test/")
		asked := 0
		for _, a := range l.requests() {
			if a == name+".test/" {
				asked++
			}
		}
		if kindOf(err) != want.kind || asked != want.requests {
			t.Errorf("%s: %v after %d requests", name, err, asked)
		}
	}
	// A host that asked for an hour of silence is not asked again.
	before := len(l.requests())
	_, err := r.Read(context.Background(), "http://late.test/other")
	wantKind(t, err, Throttled)
	if after := l.requests(); len(after) != before {
		t.Error(after[before:])
	}
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{"0": 0, " 7 ": 7 * time.Second, "Thu, 01 Jan 2026 00:00:09 GMT": 9 * time.Second, "Wed, 31 Dec 2025 00:00:00 GMT": 0} {
		if got, ok := retryAfter(http.Header{"Retry-After": {v}}, now); !ok || got != want {
			t.Errorf("%q: %v, %v", v, got, ok)
		}
	}
	for _, v := range []string{"", "soon", "-1", "99999999999999", "1.5"} {
		if got, ok := retryAfter(http.Header{"Retry-After": {v}}, now); ok {
			t.Errorf("%q: %v", v, got)
		}
	}
}

func TestOneHonestUserAgent(t *testing.T) {
	var agents []string
	l := newLab(t, map[string]http.Handler{"ua.test": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		answer(200, "text/html", article(900)).ServeHTTP(w, r)
	})})
	if _, err := l.reader().Read(context.Background(), "http://ua.test/"); err != nil {
		t.Fatal(err)
	}
	if agents = slices.Compact(agents); len(agents) != 1 || agents[0] != UserAgent || !strings.HasPrefix(UserAgent, "plumb ") || strings.Contains(UserAgent, "Mozilla") {
		t.Errorf("%q", agents)
	}
}
