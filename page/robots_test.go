package page

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func withRobots(status int, robots string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(status)
			w.Write([]byte(robots))
			return
		}
		page("text/html", article(900))(w, r)
	})
}

func TestRobots(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		robots, path string
		want         Kind
	}{
		"disallowed for all":          {200, "User-agent: *\nDisallow: /private", "/private/x", Robots},
		"allowed beside it":           {200, "User-agent: *\nDisallow: /private", "/public", ""},
		"disallowed by name":          {200, "User-agent: Plumb\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", Robots},
		"allowed by name":             {200, "User-agent: *\nDisallow: /\n\nUser-agent: plumb\nAllow: /", "/a", ""},
		"others are disallowed":       {200, "User-agent: GPTBot\nDisallow: /", "/a", ""},
		"by query":                    {200, "User-agent: *\nDisallow: /*?print=", "/a?print=1", Robots},
		"none":                        {404, "", "/a", ""},
		"forbidden":                   {403, "User-agent: *\nDisallow: /", "/a", ""},
		"throttled":                   {429, "User-agent: *\nDisallow: /", "/a", ""},
		"the server is ill":           {503, "", "/a", Robots},
		"not a robots.txt":            {200, "<!doctype html><html>Disallow: /", "/a", ""},
		"empty":                       {200, "", "/a", ""},
		"only its beginning is read":  {200, "User-agent: *\nAllow: /\n" + strings.Repeat("# "+sentence+"\n", 6000) + "User-agent: plumb\nDisallow: /", "/a", ""},
		"everything but a small part": {200, "User-agent: *\nDisallow: /\nAllow: /open/", "/open/x", ""},
	} {
		l := newLab(t, map[string]http.Handler{"r.test": withRobots(c.status, c.robots)})
		_, err := l.reader().Read(context.Background(), "http://r.test"+c.path)
		if kindOf(err) != c.want || err != nil && c.want == "" {
			t.Errorf("%s: %v", name, err)
		}
		if asked := l.requests(); (len(asked) == 0) != (c.want == Robots) {
			t.Errorf("%s: asked for %v", name, asked)
		}
	}
}

func TestRobotsOfEveryHostOnTheWay(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"a.test": routes(map[string]http.HandlerFunc{"/": redirect("http://b.test/x")}), "b.test": withRobots(200, "User-agent: *\nDisallow: /x")})
	_, err := l.reader().Read(context.Background(), "http://a.test/")
	wantKind(t, err, Robots)
	if got := strings.Join(l.requests(), " "); got != "a.test/" {
		t.Error(got)
	}
}

// A robots.txt that can't be had at all leaves the page to be tried; one that redirects for ever is none.
func TestRobotsThatCantBeHad(t *testing.T) {
	for name, robots := range map[string]http.HandlerFunc{
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"circles":  redirect("/robots.txt"), "moved": redirect("http://elsewhere.test/robots.txt"),
		"inner": redirect("http://127.0.0.1/robots.txt"),
	} {
		l := newLab(t, map[string]http.Handler{"r.test": routes(map[string]http.HandlerFunc{"/robots.txt": robots, "/": page("text/html", article(900))})})
		if _, err := l.reader().Read(context.Background(), "http://r.test/"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRobotsAreAskedOncePerHost(t *testing.T) {
	var asked atomic.Int32
	l := newLab(t, map[string]http.Handler{"*": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			asked.Add(1)
		}
		withRobots(200, "User-agent: *\nDisallow: /no").ServeHTTP(w, r)
	})})
	r := l.reader()
	done := make(chan error)
	for _, p := range []string{"a", "b", "c", "d"} {
		go func() {
			_, err := r.Read(context.Background(), "http://r.test/"+p)
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestCrawlDelayIsKeptWithinBounds(t *testing.T) {
	for robots, want := range map[string]time.Duration{"Crawl-delay: 2": 2 * time.Second, "Crawl-delay: 3600": 10 * time.Second, "Crawl-delay: 0": 0, "Disallow:": 0} {
		l := newLab(t, map[string]http.Handler{"r.test": withRobots(200, "User-agent: *\n"+robots+"\nDisallow: /x")})
		r := l.reader()
		if _, err := r.Check(context.Background(), "http://r.test/x"); kindOf(err) != Robots {
			t.Fatal(err)
		}
		limit := r.hosts.of("http://r.test").pace.Limit()
		if want == 0 && limit < 1e9 || want > 0 && (float64(limit)*want.Seconds() < 0.99 || float64(limit)*want.Seconds() > 1.01) {
			t.Errorf("%s: %v requests a second", robots, limit)
		}
	}
}

func FuzzRobots(f *testing.F) {
	f.Add(200, []byte("User-agent: *\nDisallow: /a*b$\nCrawl-delay: 1e9\nSitemap: x"), "/a?b")
	f.Add(200, []byte("\xef\xbb\xbfUser-agent: plumb\r\nallow: /%"), "/%41")
	f.Add(500, []byte(""), "")
	f.Fuzz(func(t *testing.T, status int, body []byte, path string) {
		rules := readRobots(status, body)
		u, err := url.Parse("http://x.test")
		if err != nil {
			t.Fatal(err)
		}
		u.Path = path
		if rules.allow(u) && status >= 500 {
			t.Fatal("a server that is ill allows nothing")
		}
	})
}
