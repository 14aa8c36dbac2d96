package page

// A small internet: names that resolve to public addresses which never see a packet, because the dialer leads them all to
// two servers on loopback, one of them with TLS.

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/extract"
)

// The test binary is its own child process for PDFs.
const childKind = "PAGE_TEST_CHILD"

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

var readAt = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

type lab struct {
	t       testing.TB
	plain   *httptest.Server
	secure  *httptest.Server
	root    *x509.Certificate
	mu      sync.Mutex
	sites   map[string]http.Handler // by host
	names   map[string][][]netip.Addr
	looked  map[string]int
	dialled []string
	asked   []string // "host/path" of every request, in order
}

// newLab serves sites by their names. "*" answers for every other name.
func newLab(t testing.TB, sites map[string]http.Handler) *lab {
	l := &lab{t: t, sites: sites, names: map[string][][]netip.Addr{}, looked: map[string]int{}}
	l.plain = httptest.NewServer(http.HandlerFunc(l.serve))
	l.secure = httptest.NewUnstartedServer(http.HandlerFunc(l.serve))
	l.secure.EnableHTTP2 = true
	l.secure.TLS = &tls.Config{GetCertificate: l.certificate()}
	l.secure.Config.ErrorLog = quiet()
	l.secure.StartTLS()
	t.Cleanup(l.plain.Close)
	t.Cleanup(l.secure.Close)
	return l
}

func (l *lab) serve(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	l.mu.Lock()
	l.asked = append(l.asked, host+r.URL.RequestURI())
	site := l.sites[host]
	if site == nil {
		site = l.sites["*"]
	}
	l.mu.Unlock()
	if site == nil {
		http.NotFound(w, r)
		return
	}
	site.ServeHTTP(w, r)
}

// requests are those for anything but robots.txt.
func (l *lab) requests() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.asked), func(s string) bool { return strings.HasSuffix(s, "/robots.txt") })
}

func (l *lab) dials() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.dialled)
}

// name sets what the resolver answers for a name, one answer after the other; the last one stays.
func (l *lab) name(host string, answers ...string) {
	for _, a := range answers {
		var list []netip.Addr
		for _, s := range strings.Fields(a) {
			list = append(list, netip.MustParseAddr(s))
		}
		l.names[host] = append(l.names[host], list)
	}
}

func (l *lab) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.looked[host]
	l.looked[host]++
	if answers := l.names[host]; len(answers) > 0 {
		return slices.Clone(answers[min(n, len(answers)-1)]), nil
	}
	if l.sites[host] == nil && l.sites["*"] == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.9.8.7:53", IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

func (l *lab) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	l.dialled = append(l.dialled, address)
	l.mu.Unlock()
	if !Public(netip.MustParseAddrPort(address).Addr()) {
		return nil, errors.New("the lab has no inner network")
	}
	to := l.plain.Listener.Addr().String()
	if strings.HasSuffix(address, ":443") {
		to = l.secure.Listener.Addr().String()
	}
	var d net.Dialer
	return d.DialContext(ctx, network, to)
}

// reader reads from the lab without waiting between requests.
func (l *lab) reader() *Reader {
	roots := x509.NewCertPool()
	roots.AddCert(l.root)
	exe, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	r := &Reader{
		Extract: extract.Extractor{Child: []string{"/usr/bin/env", childKind + "=1", exe}},
		Limits:  Limits{Gap: -1, Pause: time.Millisecond},
		Outside: Outside{Resolve: l.resolve, Dial: l.dial, TLS: &tls.Config{RootCAs: roots}},
		Now:     func() time.Time { return readAt },
	}
	l.t.Cleanup(r.Close)
	return r
}

// certificate makes certificates for whatever name is asked for, except those that begin with "bad".
func (l *lab) certificate() func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		l.t.Fatal(err)
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lab"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		l.t.Fatal(err)
	}
	if l.root, err = x509.ParseCertificate(der); err != nil {
		l.t.Fatal(err)
	}
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		name := hello.ServerName
		if strings.HasPrefix(name, "bad") {
			name = "other.test"
		}
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(2), DNSNames: []string{name}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
			KeyUsage: x509.KeyUsageDigitalSignature,
		}
		der, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, key)
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}
}

// answer serves one document everywhere but at robots.txt.
func answer(status int, contentType, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
}

// routes serves by path; other paths are 404.
func routes(paths map[string]http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := paths[r.URL.Path]; h != nil {
			h(w, r)
			return
		}
		http.NotFound(w, r)
	})
}

func page(contentType, body string) http.HandlerFunc { return answer(200, contentType, body).ServeHTTP }

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

const sentence = "The turbine hall was closed for repairs in the spring and opened again before the first frost of that year. "

// article is an HTML page whose text has about n characters.
func article(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><title>Turbine hall reopened</title>` +
		`<meta name="author" content="Ada Lund"><meta property="article:published_time" content="2025-11-02T10:00:00Z"></head><body><article><h1>Turbine hall reopened</h1>`)
	for i := 0; i < n; i += 3 * len(sentence) {
		b.WriteString("<p>" + sentence[:min(len(sentence), n-i)] + sentence[:max(0, min(len(sentence), n-i-len(sentence)))] + "</p>")
	}
	b.WriteString("</article></body></html>")
	return b.String()
}

func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// wantKind fails unless err is an Error of the kind whose text gives nothing away.
func wantKind(t testing.TB, err error, want Kind) {
	t.Helper()
	if kindOf(err) != want {
		t.Errorf("error %v of kind %q, want %q", err, kindOf(err), want)
		return
	}
	for _, secret := range []string{"127.0.0.1", "10.9.8.7", "93.184", "dial", "lookup", "/work", "169.254", "::1", ".test"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q gives away %q", err, secret)
		}
	}
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
