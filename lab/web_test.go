package lab_test

// The simulated internet, asked over real HTTP as programs ask it: by name through a dialer, and through its proxy.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/page"
)

// The test binary is its own child process for PDFs.
const childKind = "LAB_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childKind) != "" {
		if err := extract.ServePDF(os.Stdin, os.Stdout, 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// listen serves a web until the test ends.
func listen(t testing.TB, w *lab.Web) string {
	t.Helper()
	base, stop, err := w.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return base
}

// newReader reads politely towards nobody: the lab does not mind.
func newReader(t testing.TB) *page.Reader {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &page.Reader{
		Extract: extract.Extractor{Child: []string{"/usr/bin/env", childKind + "=1", exe}},
		Limits:  page.Limits{Gap: -1, Pause: time.Millisecond, AtOnce: 8},
		Now:     func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
	}
	t.Cleanup(r.Close)
	return r
}

// byName reads through the resolver and dialer of the lab.
func byName(t testing.TB, w *lab.Web) *page.Reader {
	r := newReader(t)
	r.Outside = page.Outside{Resolve: w.Resolve, Dial: w.Dial, TLS: w.TLS()}
	return r
}

// byProxy reads as the program does in the environment that the lab prints.
func byProxy(t testing.TB, w *lab.Web, base string) *page.Reader {
	t.Helper()
	proxy, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	r.Proxy = http.ProxyURL(proxy)
	r.Outside = page.Outside{Dial: w.Dial, TLS: w.TLS()}
	r.Outside.Resolve = w.Resolve
	return r
}

func kindOf(err error) page.Kind {
	var e *page.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// flat is a text with single spaces.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// get asks for an address through a transport, as it is.
func get(t testing.TB, transport http.RoundTripper, address string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

func TestStatsShowWhatWasFetchedTwice(t *testing.T) {
	w := &lab.Web{Pages: 40}
	base := listen(t, w)
	r := byName(t, w)
	first, second := w.List()[0].URL, w.List()[1].URL
	for _, u := range []string{first, second, first, "http://nowhere.test/", lab.TrapURL("moved")} {
		if _, err := r.Read(t.Context(), u); err != nil && u != "http://nowhere.test/" {
			t.Fatal(err)
		}
	}
	get(t, http.DefaultTransport, base+"/searxng/search?format=json&q=dam")
	s := w.Stats()
	for _, f := range []lab.Fetch{{URL: first, Status: 200, Times: 2}, {URL: second, Status: 200, Times: 1}, {URL: lab.TrapURL("moved"), Status: 302, Times: 1}, {URL: lab.TrapURL("moved") + "?hop=3", Status: 200, Times: 1}} {
		if !slices.Contains(s.Fetches, f) {
			t.Errorf("no %+v in %+v", f, s.Fetches)
		}
	}
	if s.Robots["traps.lab.test"] != 1 || s.Searches["searxng"] != 1 || len(s.Refused) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestCopiesThatStillHoldAreNotSentAgain(t *testing.T) {
	w := &lab.Web{Pages: 16}
	listen(t, w)
	u := w.List()[0].URL
	_, header, _ := get(t, w.Transport(), u)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", header.Get("ETag"))
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNotModified {
		t.Error(res.Status)
	}
}

// TestTheProxyLeadsNowhereElse asks it for what a mistaken or malicious client might.
func TestTheProxyLeadsNowhereElse(t *testing.T) {
	w := &lab.Web{Pages: 16}
	base := listen(t, w)
	proxy, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: w.TLS()}
	for _, u := range []string{"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:1/tavily/search", "http://localhost/", "http://intranet.lab.test/", "http://other.test/"} {
		if status, _, body := get(t, transport, u); status != http.StatusBadGateway || strings.Contains(body, "results") {
			t.Errorf("%s: %d %s", u, status, body)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.other.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := transport.RoundTrip(req); err == nil {
		res.Body.Close()
		t.Errorf("a tunnel to another host: %s", res.Status)
	}
	if s := w.Stats(); len(s.Refused) != 6 || len(s.Fetches) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestTheEnvironmentNamesEverything(t *testing.T) {
	w := &lab.Web{Pages: 40, CertFile: filepath.Join(t.TempDir(), "lab.pem")}
	base := listen(t, w)
	env := map[string]string{}
	for _, pair := range w.Environ(base) {
		k, v, _ := strings.Cut(pair, "=")
		env[k] = v
	}
	for _, name := range []string{"TAVILY_BASE_URL", "EXA_BASE_URL", "BRAVE_BASE_URL", "SERPER_BASE_URL", "SEARXNG_URL", "PERPLEXITY_BASE_URL", "WIKIPEDIA_BASE_URL",
		"DUCKDUCKGO_BASE_URL", "ARXIV_BASE_URL", "OPENALEX_BASE_URL", "CROSSREF_BASE_URL", "PUBMED_BASE_URL", "SEMANTIC_SCHOLAR_BASE_URL", "ARCHIVE_BASE_URL",
		"HTTP_PROXY", "HTTPS_PROXY"} {
		if u, err := url.Parse(env[name]); err != nil || u.Scheme != "http" || u.Host == "" {
			t.Errorf("%s=%s", name, env[name])
		}
	}
	pem, err := os.ReadFile(env["SSL_CERT_FILE"])
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate in the file")
	}
	proxy, err := url.Parse(env["HTTPS_PROXY"])
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: pool}}
	if status, _, _ := get(t, transport, "https://arxiv.org/abs/none"); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
	if _, _, body := get(t, http.DefaultTransport, base+"/"); !strings.Contains(body, "http://wiki.lab.test/") || !strings.Contains(body, "/tavily/search") {
		t.Errorf("%s", body)
	}
}

func TestALabThatDoesNotListenIsNotReached(t *testing.T) {
	w := &lab.Web{Pages: 16}
	if conn, err := w.Dial(context.Background(), "tcp", "93.184.1.1:80"); err == nil {
		conn.Close()
		t.Error("connected")
	}
	_, stop, err := w.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := w.Dial(context.Background(), "tcp", "10.0.0.1:80"); err == nil {
		conn.Close()
		t.Error("connected to a private address")
	}
	stop()
	if conn, err := w.Dial(context.Background(), "tcp", "wiki.lab.test:80"); err == nil {
		conn.Close()
		t.Error("connected after the end")
	}
}
