package server

import (
	"net/http"
	"testing"
)

func TestOnlyItsOwnNamesReachAnOpenServer(t *testing.T) {
	for _, c := range []struct {
		host   string
		open   bool
		hosts  []string
		status int
	}{
		{"localhost", true, nil, 200},
		{"LOCALHOST:8080", true, nil, 200},
		{"localhost.:80", true, nil, 200},
		{"127.0.0.1:1", true, nil, 200},
		{"[::1]:8080", true, nil, 200},
		{"[::1]", true, nil, 200},
		{"plumb.example:8080", true, []string{"Plumb.example"}, 200},
		{"rebound.example", true, nil, 421},
		{"rebound.example:8080", true, []string{"plumb.example"}, 421},
		{"localhost.rebound.example", true, nil, 421},
		{"127.0.0.1.rebound.example", true, nil, 421},
		{"127.0.0.2", true, nil, 421},
		{"0.0.0.0", true, nil, 421},
		{"localhost:x", true, []string{"plumb.example:y"}, 421},
		{"rebound.example", false, nil, 200}, // nobody without a key is told anything
		{"rebound.example", false, []string{"plumb.example"}, 421},
		{"plumb.example", false, []string{"plumb.example"}, 200},
	} {
		h := newGatehouse(t, func(o *Options) { o.Open, o.Hosts = c.open, c.hosts }, nil)
		key := h.key("laptop", "acme")
		a := h.ask("GET", "/api/v1/probe", "", "Host", c.host, "X-API-Key", key)
		a.is(t, c.host, c.status, "")
		if c.status == 421 && a.body != `{"error":"This server does not answer under that name"}` {
			t.Errorf("%s: %s", c.host, a.body)
		}
		h.ask("GET", "/health", "", "Host", c.host).is(t, "health under "+c.host, 200, "")
	}
}

func TestPagesOfOtherSitesWriteNothing(t *testing.T) {
	h := newGatehouse(t, func(o *Options) { o.Open, o.Origins = true, []string{"https://friend.example"} }, nil)
	key := h.key("laptop", "acme")
	const refused = `{"error":"A page of another site may not do that"}`
	for _, c := range []struct {
		name, method string
		headers      []string
		status       int
	}{
		{"a program", "POST", nil, 200},
		{"the own page", "POST", []string{"Origin", h.url, "Sec-Fetch-Site", "same-origin"}, 200},
		{"the own page in an old browser", "POST", []string{"Origin", h.url}, 200},
		{"an allowed origin", "POST", []string{"Origin", "https://friend.example", "Sec-Fetch-Site", "cross-site"}, 200},
		{"another site", "POST", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
		{"another site in an old browser", "POST", []string{"Origin", "https://evil.example"}, 403},
		{"another site that hides its origin", "POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a sandboxed frame", "POST", []string{"Origin", "null"}, 403},
		{"another port of this machine", "POST", []string{"Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"}, 403},
		{"delete", "DELETE", []string{"Origin", "https://evil.example"}, 403},
		{"patch", "PATCH", []string{"Origin", "https://evil.example"}, 403},
		{"put", "PUT", []string{"Origin", "https://evil.example"}, 403},
		{"reading changes nothing", "GET", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 200},
		{"with a key, which no other site has", "POST", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "X-API-Key", key}, 200},
	} {
		a := h.ask(c.method, "/api/v1/probe", "", c.headers...)
		a.is(t, c.name, c.status, "")
		if c.status == 403 && a.body != refused {
			t.Errorf("%s: %s", c.name, a.body)
		}
	}
}

func TestScriptsOfOtherSitesSeeOnlyWhatTheyMay(t *testing.T) {
	const friend = "https://friend.example"
	preflight := func(origin string) []string {
		return []string{"Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-api-key"}
	}
	for _, c := range []struct {
		name, method string
		origins      []string
		headers      []string
		status       int
		allowed      string
	}{
		{"off: preflight", "OPTIONS", nil, preflight(friend), 401, ""},
		{"off: request", "GET", nil, []string{"Origin", friend}, 401, ""},
		{"allowed: preflight", "OPTIONS", []string{friend}, preflight(friend), 204, friend},
		{"allowed: even a refusal can be read", "GET", []string{friend}, []string{"Origin", friend}, 401, friend},
		{"another origin: preflight", "OPTIONS", []string{friend}, preflight("https://evil.example"), 401, ""},
		{"another scheme", "OPTIONS", []string{friend}, preflight("http://friend.example"), 401, ""},
		{"another port", "OPTIONS", []string{friend}, preflight(friend + ":8443"), 401, ""},
		{"a name that begins alike", "OPTIONS", []string{friend}, preflight(friend + ".evil.example"), 401, ""},
		{"null", "OPTIONS", []string{friend}, preflight("null"), 401, ""},
		{"options that is no preflight", "OPTIONS", []string{friend}, []string{"Origin", friend}, 401, friend},
		{"a star is no origin", "GET", []string{"*"}, []string{"Origin", friend}, 401, ""},
	} {
		h := newGatehouse(t, func(o *Options) { o.Origins = c.origins }, nil)
		a := h.ask(c.method, "/api/v1/probe", "", c.headers...)
		a.is(t, c.name, c.status, "")
		if got := a.header.Get("Access-Control-Allow-Origin"); got != c.allowed {
			t.Errorf("%s: allowed %q, want %q", c.name, got, c.allowed)
		}
		if vary := a.header.Get("Vary"); (vary == "Origin") != (len(c.origins) > 0) {
			t.Errorf("%s: Vary %q", c.name, vary)
		}
		if c.status == 204 && (a.header.Get("Access-Control-Allow-Methods") == "" || a.header.Get("Access-Control-Allow-Headers") == "") {
			t.Errorf("%s: %v", c.name, a.header)
		}
		if a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", c.name)
		}
	}
}

func TestAnswersCarryTheHeadersThatKeepBrowsersSafe(t *testing.T) {
	h := newGatehouse(t, nil, map[string]http.HandlerFunc{"GET /api/v1/panic": func(http.ResponseWriter, *http.Request) { panic("oh") }})
	key := h.key("laptop", "acme")
	for _, path := range []string{"/health", "/openapi.json", "/api/v1/probe", "/api/v1/tasks", "/nowhere", "/api/v1/panic", "/"} {
		for _, headers := range [][]string{nil, {"X-API-Key", key}, {"Host", "rebound.example"}} {
			a := h.ask("GET", path, "", headers...)
			policy := apiPolicy
			if path == "/" && a.status == 200 {
				policy = pagePolicy
			}
			for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Content-Security-Policy": policy} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s %v: %s is %q", path, headers, name, got)
				}
			}
			if !validID.MatchString(a.header.Get("X-Request-ID")) {
				t.Errorf("%s: request id %q", path, a.header.Get("X-Request-ID"))
			}
		}
	}
}
