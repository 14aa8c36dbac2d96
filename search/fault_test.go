package search

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFailuresAreNamedWithTheirCure goes through what a server may say, one engine at a time.
func TestFailuresAreNamedWithTheirCure(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		kind    Kind
		engine  string
		handler http.HandlerFunc
		want    string
	}{
		{Web, "tavily", status(401, `{"detail":{"error":"Unauthorized: `+secret+`"}}`), "tavily refuses its key: set TAVILY_API_KEY"},
		{Web, "brave", status(403, ""), "brave refuses its key: set BRAVE_API_KEY"},
		{Web, "wikipedia", status(403, ""), "wikipedia refuses to answer (HTTP 403)"},
		{Web, "tavily", status(432, ""), "tavily has no credit left for its key (HTTP 432)"},
		{Web, "exa", status(402, ""), "exa has no credit left for its key (HTTP 402)"},
		{Web, "serper", status(400, ""), "serper does not accept the request (HTTP 400)"},
		{Web, "serper", status(404, ""), "serper has nothing where it is looked for (HTTP 404): check SERPER_BASE_URL"},
		{Papers, "crossref", status(503, "upstream at 10.0.0.7"), "crossref is out of order (HTTP 503)"},
		{Web, "exa", status(200, `{"results": [{"url": `), "exa sent an answer that could not be read"},
		{Web, "exa", status(200, `{"results": "none"}`), "exa sent an answer that could not be read"},
		{Web, "tavily", status(200, `{"detail": "moved"}`), "tavily sent an answer that could not be read"},
		{Web, "tavily", status(200, `null`), "tavily sent an answer that could not be read"},
		{Web, "perplexity", status(200, `{}`), "perplexity sent an answer that could not be read"},
		{Web, "brave", status(200, `<html>portal</html>`), "brave sent an answer that could not be read"},
		{Web, "tavily", status(200, strings.Repeat(" ", maxBody)+`{"results":[]}`), "tavily sent more than 5 MB"},
		{Web, "searxng", status(403, "Forbidden"), "searxng does not give JSON: add json to search.formats in its settings.yml"},
		{Web, "searxng", status(200, "<!doctype html>"), "searxng does not give JSON: add json to search.formats in its settings.yml"},
		{Web, "searxng", status(200, `{"results"`), "searxng sent an answer that could not be read"},
		{Web, "wikipedia", status(200, `{"error":{"code":"ratelimited","info":"You've exceeded your rate limit."}}`), "wikipedia is asked too often"},
		{Web, "wikipedia", status(200, `{"error":{"code":"badvalue"}}`), "wikipedia does not accept the request"},
		{Web, "duckduckgo", status(202, string(fixture(t, "duckduckgo-wall.html"))), "duckduckgo wants proof that its reader is human: try later, or set a key of another engine"},
		{Web, "duckduckgo", status(200, string(fixture(t, "duckduckgo-wall.html"))), "duckduckgo wants proof that its reader is human: try later, or set a key of another engine"},
		{Web, "duckduckgo", status(202, string(fixture(t, "duckduckgo-none.html"))), "duckduckgo wants proof that its reader is human: try later, or set a key of another engine"},
		{Web, "duckduckgo", status(403, ""), "duckduckgo wants proof that its reader is human: try later, or set a key of another engine"},
		{Web, "duckduckgo", status(200, "<html><body>Under maintenance</body></html>"), "duckduckgo sent an answer that could not be read"},
		{Papers, "arxiv", status(200, string(fixture(t, "arxiv-error.xml"))), "arxiv does not accept the request"},
		{Papers, "arxiv", status(200, "<feed><entry>"), "arxiv sent an answer that could not be read"},
		{Papers, "arxiv", status(200, "<html><body>moved</body></html>"), "arxiv sent an answer that could not be read"},
		{Papers, "pubmed", status(200, `{"esearchresult":{"ERROR":"Invalid db name"}}`), "pubmed does not accept the request"},
		{Papers, "pubmed", status(200, `{"error":"API key invalid"}`), "pubmed sent an answer that could not be read"},
		{Web, "tavily", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
		},
			"tavily redirects to another host, which is not followed: check TAVILY_BASE_URL"},
		{Web, "brave", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
			"brave could not be reached: check the connection and BRAVE_BASE_URL"},
		{Web, "tavily", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"tavily could not be reached: check the connection and TAVILY_BASE_URL"},
	} {
		o := served(t, c.handler)
		s := choose(t, o, c.kind, c.engine)
		leads, news, err := s.Find(context.Background(), Query{Text: "bridge"})
		if err == nil || err.Error() != "no search engine answered: "+c.want || len(leads) > 0 {
			t.Errorf("%s: %v, want %q", c.engine, err, c.want)
			continue
		}
		if len(news.Failed) != 1 || news.Failed[0] != c.want || len(news.Failed[0]) > 180 {
			t.Errorf("%s: news %v", c.engine, news.Failed)
		}
		for _, leak := range []string{secret, "127.0.0.1", "10.0.0.7", "bridge"} {
			if strings.Contains(err.Error(), leak) {
				t.Errorf("%s: %q is in %v", c.engine, leak, err)
			}
		}
	}
}

func TestRedirectsOnTheSameHostAreFollowed(t *testing.T) {
	o := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/w/api.php" {
			http.Redirect(w, r, "/api?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		w.Write(fixture(t, "wikipedia.json"))
	}))
	if leads, _, err := choose(t, o, Web, "wikipedia").Find(context.Background(), Query{Text: "bridge"}); err != nil || len(leads) != 2 {
		t.Error(leads, err)
	}
}

func TestKeysAreNotCarriedToOtherHosts(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	for _, p := range Providers() {
		o := served(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
		if _, _, err := choose(t, o, p.Kind, p.Name).Find(context.Background(), Query{Text: "bridge"}); err == nil || !strings.Contains(err.Error(), "another host") {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if asked > 0 {
		t.Errorf("the other host was asked %d times", asked)
	}
}

// wire is a transport that answers by itself, for tests that run on a simulated clock.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

// script is an answer to be given.
type script struct {
	code       int
	body       string
	retryAfter string
}

func (s script) reply() *http.Response {
	res := &http.Response{StatusCode: s.code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s.body))}
	if s.retryAfter != "" {
		res.Header.Set("Retry-After", s.retryAfter)
	}
	return res
}

func TestTooManyRequestsAreWaitedForOnce(t *testing.T) {
	const ok = `{"results":[{"url":"https://a.example","title":"A"}]}`
	for _, c := range []struct {
		name    string
		answers []script
		waited  time.Duration
		asked   int
		want    string // the error; empty: leads
	}{
		{"a short pause", []script{{429, "", "3"}, {200, ok, ""}}, 3 * time.Second, 2, ""},
		{"no pause named", []script{{429, "", ""}, {200, ok, ""}}, time.Second, 2, ""},
		{"an odd pause", []script{{429, "", "soon"}, {200, ok, ""}}, time.Second, 2, ""},
		{"a busy server that says when", []script{{503, "", "2"}, {200, ok, ""}}, 2 * time.Second, 2, ""},
		{"twice", []script{{429, "", "1"}, {429, "", "1"}, {200, ok, ""}}, time.Second, 2, "tavily is asked too often (HTTP 429)"},
		{"a long pause", []script{{429, "", "60"}, {200, ok, ""}}, 0, 1, "tavily is asked too often (HTTP 429)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				o := Options{Services: map[string]Service{"tavily": {Key: secret, Every: -1}}, Now: today, Transport: wire(func(*http.Request) (*http.Response, error) {
					asked++
					return c.answers[asked-1].reply(), nil
				})}
				start := time.Now()
				leads, _, err := choose(t, o, Web, "tavily").Find(t.Context(), Query{Text: "bridge"})
				if c.want == "" && (err != nil || len(leads) != 1) || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
					t.Errorf("%v %v", leads, err)
				}
				if time.Since(start) != c.waited || asked != c.asked {
					t.Errorf("asked %d times in %v", asked, time.Since(start))
				}
			})
		})
	}
}

func TestDateInRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		o := Options{Now: today, Transport: wire(func(*http.Request) (*http.Response, error) {
			if asked++; asked == 1 {
				return script{429, "", time.Now().Add(4 * time.Second).UTC().Format(http.TimeFormat)}.reply(), nil
			}
			return script{200, `{"results":[]}`, ""}.reply(), nil
		})}
		start := time.Now()
		if _, _, err := choose(t, o, Papers, "openalex").Find(t.Context(), Query{Text: "bridge"}); err != nil || asked != 2 || time.Since(start) > 4*time.Second {
			t.Error(err, asked, time.Since(start))
		}
	})
}

// TestEngineThatWantsSilenceGetsIt: the next search does not ask it, the one after the pause does.
func TestEngineThatWantsSilenceGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		o := Options{Now: today, Transport: wire(func(*http.Request) (*http.Response, error) {
			if asked++; asked == 1 {
				return script{429, "", "60"}.reply(), nil
			}
			return script{200, `{"results":[]}`, ""}.reply(), nil
		})}
		s := choose(t, o, Papers, "openalex")
		if _, _, err := s.Find(t.Context(), Query{Text: "bridge"}); err == nil || !strings.HasSuffix(err.Error(), "openalex is asked too often (HTTP 429): wait, or set OPENALEX_API_KEY") {
			t.Error(err)
		}
		time.Sleep(30 * time.Second)
		if _, _, err := s.Find(t.Context(), Query{Text: "bridge"}); err == nil || asked != 1 || !strings.Contains(err.Error(), "asked not to be asked for a while") {
			t.Error(err, asked)
		}
		time.Sleep(31 * time.Second)
		if _, _, err := s.Find(t.Context(), Query{Text: "bridge"}); err != nil || asked != 2 {
			t.Error(err, asked)
		}
	})
}

func TestRateLimitsHoldAcrossSearches(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		engine string
		every  time.Duration
		answer string
	}{
		{Papers, "arxiv", 3 * time.Second, `<feed xmlns="http://www.w3.org/2005/Atom"/>`},
		{Papers, "semantic_scholar", time.Second, `{"total":0}`},
		{Papers, "crossref", time.Second, `{"message":{"items":[]}}`},
		{Papers, "pubmed", 333 * time.Millisecond, `{"esearchresult":{"idlist":[]}}`},
		{Web, "duckduckgo", 2 * time.Second, `<div class="results"></div>`},
	} {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Time
			e, err := New(Options{Now: today, Transport: wire(func(*http.Request) (*http.Response, error) {
				at = append(at, time.Now())
				return script{200, c.answer, ""}.reply(), nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			for range 4 { // each a choice of its own, as runs make them
				s, err := e.Choose(c.kind, c.engine)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := s.Find(t.Context(), Query{Text: "bridge"}); err != nil {
					t.Error(err)
				}
			}
			for i := 1; i < len(at); i++ {
				if gap := at[i].Sub(at[i-1]); gap < c.every {
					t.Errorf("%s: %v between requests", c.engine, gap)
				}
			}
			if len(at) != 4 {
				t.Errorf("%s: asked %d times", c.engine, len(at))
			}
		})
	}
}

func TestSlowEngineIsNamedAndTheOthersAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Services: map[string]Service{"tavily": {Key: secret}, "exa": {Key: secret}}, Now: today, Transport: wire(func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Host, "exa") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return script{200, `{"results":[{"url":"https://a.example","title":"A"}]}`, ""}.reply(), nil
		})}
		start := time.Now()
		leads, news, err := choose(t, o, Web, "tavily,exa").Find(t.Context(), Query{Text: "bridge"})
		if err != nil || len(leads) != 1 || len(news.Failed) != 1 || news.Failed[0] != "exa did not answer in time" {
			t.Error(leads, news, err)
		}
		if time.Since(start) != engineTime {
			t.Errorf("waited %v", time.Since(start))
		}
	})
}

func TestQueueThatIsTooLongIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Services: map[string]Service{"arxiv": {Every: time.Minute}}, Now: today, Transport: wire(func(*http.Request) (*http.Response, error) {
			return script{200, `<feed xmlns="http://www.w3.org/2005/Atom"/>`, ""}.reply(), nil
		})}
		s := choose(t, o, Papers, "arxiv")
		if _, _, err := s.Find(t.Context(), Query{Text: "bridge"}); err != nil {
			t.Error(err)
		}
		if _, _, err := s.Find(t.Context(), Query{Text: "bridge"}); err == nil || !strings.HasSuffix(err.Error(), "arxiv has too many requests waiting for its rate limit") {
			t.Error(err)
		}
	})
}

func TestCallerThatGivesUpGetsItsOwnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Now: today, Transport: wire(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		s := choose(t, o, Papers, "auto")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, _, err := s.Find(ctx, Query{Text: "bridge"}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := s.Find(ctx, Query{Text: "bridge"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestCauseIsForTheOperatorOnly(t *testing.T) {
	o := Options{Transport: &loopback{}, Now: today}
	_, err := choose(t, o, Web, "wikipedia").engines[0].Search(context.Background(), Query{Text: "bridge", Limit: 1})
	var fault *Fault
	if !errors.As(err, &fault) || fault.Cause() == nil || errors.Unwrap(err) != nil || strings.Contains(err.Error(), "wikipedia.org") {
		t.Errorf("%v", err)
	}
}
