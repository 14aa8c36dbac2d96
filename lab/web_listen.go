package lab

// How programs and tests reach the simulated internet: a listener on the loopback that is site, API and proxy in one, a
// second one that speaks TLS for https names, and a resolver and dialer for those who would rather not use a proxy.

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"
)

// listening is what Listen has set up.
type listening struct {
	mu            sync.RWMutex
	plain, secure string // addresses
	root          *x509.Certificate
}

// Listen serves w on a port of the loopback; 0 is a free one. The URL is that of the proxy, and the base of the APIs'.
// Stop ends what is under way, too.
func (w *Web) Listen(port int) (url string, stop func(), err error) {
	w.world()
	root, leaf, err := certificates(w.made.hosts())
	if err != nil {
		return "", nil, fmt.Errorf("web: %w", err)
	}
	if w.CertFile != "" {
		if err := os.WriteFile(w.CertFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Raw}), 0o644); err != nil {
			return "", nil, fmt.Errorf("web: certificate: %w", err)
		}
	}
	var lc net.ListenConfig
	plain, err := lc.Listen(context.Background(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return "", nil, fmt.Errorf("web: %w", err)
	}
	secure, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("web: %w", errors.Join(err, plain.Close()))
	}
	w.net.mu.Lock()
	w.net.plain, w.net.secure, w.net.root = plain.Addr().String(), secure.Addr().String(), root
	w.net.mu.Unlock()
	secure = tls.NewListener(secure, &tls.Config{Certificates: []tls.Certificate{leaf}})
	stop = serveAll(w.Handler(), plain, secure)
	return "http://" + plain.Addr().String(), stop, nil
}

// serveAll serves h on all of the listeners until it is stopped.
func serveAll(h http.Handler, listeners ...net.Listener) (stop func()) {
	// Clients that do not trust the certificate or hang up are part of the play: nobody needs to read of them.
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	var done sync.WaitGroup
	for _, l := range listeners {
		done.Go(func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				panic(err) // nothing but Close ends it
			}
		})
	}
	return func() {
		if err := s.Close(); err == nil {
			done.Wait()
		}
	}
}

// certificates makes a root and a certificate for all names, good for a week.
func certificates(names []string) (*x509.Certificate, tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, tls.Certificate{}, err
	}
	from := time.Now().Add(-time.Hour)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Plumb lab"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: from, NotAfter: from.Add(7 * 24 * time.Hour), KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return nil, tls.Certificate{}, err
	}
	root, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, tls.Certificate{}, err
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: names, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err = x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, key)
	return root, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// TLS trusts the certificate of the lab and nothing else. It needs a Web that listens.
func (w *Web) TLS() *tls.Config {
	w.net.mu.RLock()
	defer w.net.mu.RUnlock()
	pool := x509.NewCertPool()
	if w.net.root != nil {
		pool.AddCert(w.net.root)
	}
	return &tls.Config{RootCAs: pool}
}

// tunnel connects a client of the proxy with the listener that speaks TLS.
func (w *Web) tunnel(rw http.ResponseWriter, r *http.Request) {
	w.net.mu.RLock()
	to := w.net.secure
	w.net.mu.RUnlock()
	host := hostOf(r.Host)
	if to == "" || !w.world().has(host) || !strings.HasSuffix(r.Host, ":443") {
		w.countRefused(host)
		answerWith(rw, http.StatusBadGateway, "text/plain", []byte("the lab has no such host\n"))
		return
	}
	var d net.Dialer
	there, err := d.DialContext(r.Context(), "tcp", to)
	if err != nil {
		answerWith(rw, http.StatusBadGateway, "text/plain", []byte("the lab is closing\n"))
		return
	}
	here, buffered, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(errors.Join(err, there.Close()))
	}
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		shut(here, there)
		return
	}
	go func() {
		pass(there, buffered)
		shut(here, there)
	}()
	pass(here, there)
	shut(here, there)
}

// pass copies until either end has gone, which is how tunnels end.
func pass(to io.Writer, from io.Reader) {
	if _, err := io.Copy(to, from); err != nil {
		return
	}
}

func shut(conns ...net.Conn) {
	for _, c := range conns {
		if err := c.Close(); err != nil {
			continue // the other direction was first
		}
	}
}

// Resolve gives every host of the lab a public address of its own, for page.Outside. No packet ever goes there: Dial leads
// all of them to the lab.
func (w *Web) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	host = hostOf(host)
	switch {
	case host == innerHost:
		return []netip.Addr{netip.AddrFrom4([4]byte{10, 0, 0, 8})}, nil
	case !w.world().has(host):
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	h := hashOf(host)
	return []netip.Addr{netip.AddrFrom4([4]byte{93, 184, byte(h >> 8), byte(h)})}, nil
}

// Dial connects to the lab, whichever of its names or addresses is asked for: port 443 to the listener that speaks TLS. It
// refuses, and counts as refused, everything else.
func (w *Web) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	w.net.mu.RLock()
	plain, secure := w.net.plain, w.net.secure
	w.net.mu.RUnlock()
	to := plain
	switch {
	case plain == "":
		return nil, errors.New("the lab does not listen")
	case address == plain || address == secure:
		to = address
	case !w.world().has(hostOf(host)) && !strings.HasPrefix(host, "93.184."):
		w.countRefused(host)
		return nil, errors.New("the lab has no such host")
	case port == "443":
		to = secure
	}
	var d net.Dialer
	return d.DialContext(ctx, network, to)
}

// Transport reaches the lab and nothing else, for clients in tests.
func (w *Web) Transport() *http.Transport {
	return &http.Transport{DialContext: w.Dial, TLSClientConfig: w.TLS(), ForceAttemptHTTP2: true}
}

// Environ is the environment by which the program reaches the lab at a URL that Listen gave, and nothing else: the proxy, a
// key and the base URL of every search engine and paper index, and the archive. Wikipedia and the archive are hosts behind
// the proxy, since addresses of pages are made from theirs. Names of https are for those who trust CertFile.
func (w *Web) Environ(url string) []string {
	out := []string{
		"HTTP_PROXY=" + url, "HTTPS_PROXY=" + url, "NO_PROXY=127.0.0.1,localhost",
		"ARCHIVE_BASE_URL=http://" + archiveHost, "SEARCH_PROVIDER=auto", "PAPER_PROVIDER=auto", "USE_SEMANTIC_SCHOLAR=true",
	}
	for _, e := range engines {
		if e.keyVar != "" {
			out = append(out, e.keyVar+"=lab")
		}
		base := url + "/" + e.name
		if e.name == "wikipedia" {
			base = "http://" + wikiHost
		}
		out = append(out, e.baseVar+"="+base)
	}
	if w.CertFile != "" {
		out = append(out, "SSL_CERT_FILE="+w.CertFile)
	}
	return out
}
