package page

// The only way out: a name is resolved once, its addresses are checked, and the connection goes to a checked address.
// With a proxy only the proxy is dialled, and names are its to resolve.

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Outside replaces the ways to the outside, for tests and simulated networks. Its zero value is the real network.
type Outside struct {
	// Resolve gives the addresses of a name; nil: the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that was checked already, "ip:port"; nil: the system's dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS is what connections begin from; nil: the system's roots.
	TLS *tls.Config
}

type proxyFunc func(*http.Request) (*url.URL, error)

// network makes requests under the rules of its guard. The connections it keeps open are its own: they were all
// checked by the same guard.
type network struct {
	guard
	outside Outside
	proxy   proxyFunc
	connect time.Duration
	direct  *http.Transport
	proxied *http.Transport
}

type proxyKey struct{}

func newNetwork(allow []string, proxy proxyFunc, outside Outside, l Limits) *network {
	n := &network{guard: newGuard(allow), outside: outside, proxy: proxy, connect: l.Connect}
	n.direct = &http.Transport{DialContext: n.dial}
	n.proxied = &http.Transport{
		DialContext: n.dialProxy,
		Proxy: func(r *http.Request) (*url.URL, error) {
			u, _ := r.Context().Value(proxyKey{}).(*url.URL)
			return u, nil
		},
	}
	for _, t := range []*http.Transport{n.direct, n.proxied} {
		t.DisableCompression = true // done here, within a limit
		t.ForceAttemptHTTP2 = true
		t.TLSHandshakeTimeout = l.Connect
		t.MaxResponseHeaderBytes = l.Header
		t.MaxIdleConnsPerHost = 2
		t.MaxIdleConns = 64
		t.IdleConnTimeout = 30 * time.Second
		if outside.TLS != nil {
			t.TLSClientConfig = outside.TLS.Clone()
		}
	}
	return n
}

func (n *network) close() {
	n.direct.CloseIdleConnections()
	n.proxied.CloseIdleConnections()
}

// RoundTrip sends a request whose URL was admitted, directly or through the proxy.
func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	via, err := n.via(req)
	if err != nil {
		return nil, err
	}
	if via == nil {
		return n.direct.RoundTrip(req)
	}
	return n.proxied.RoundTrip(req.WithContext(context.WithValue(req.Context(), proxyKey{}, via)))
}

// via is the proxy for a request, nil for none. A name of a single label means something in the proxy's own network.
func (n *network) via(req *http.Request) (*url.URL, error) {
	if n.proxy == nil {
		return nil, nil
	}
	via, err := n.proxy(req)
	if err != nil || via == nil {
		return nil, err
	}
	host, port, err := hostPort(req.URL)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err != nil && !strings.Contains(host, ".") && !n.allows(host, port) {
		return nil, notPublic(nil)
	}
	return via, nil
}

// dial resolves a name once and connects to one of the addresses it checked. One address that is not public spoils them
// all: such answers are an attack or a mistake.
func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, n.connect)
	defer cancel()
	allowed := n.allows(host, port)
	if !allowed {
		if err := checkHost(host); err != nil {
			return nil, err
		}
	}
	addresses, err := n.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if !allowed && !Public(a) {
			return nil, notPublic(nil)
		}
	}
	return n.dialFirst(ctx, kind, addresses, port, allowed)
}

func (n *network) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	look := n.outside.Resolve
	if look == nil {
		look = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	addresses, err := look(ctx, host)
	if err != nil {
		return nil, err
	}
	for i, a := range addresses {
		addresses[i] = a.Unmap() // resolvers may write IPv4 as IPv6
	}
	if len(addresses) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return addresses, nil
}

// dialFirst connects to the first address that answers; each gets its share of the time.
func (n *network) dialFirst(ctx context.Context, kind string, addresses []netip.Addr, port string, allowed bool) (net.Conn, error) {
	var failed error
	share := n.connect / time.Duration(min(len(addresses), 3))
	for _, a := range addresses {
		one, cancel := context.WithTimeout(ctx, share)
		conn, err := n.dialOne(one, kind, net.JoinHostPort(a.String(), port), allowed)
		cancel()
		if err == nil {
			return conn, nil
		}
		failed = err
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failed
}

func (n *network) dialOne(ctx context.Context, kind, address string, allowed bool) (net.Conn, error) {
	if n.outside.Dial != nil {
		return n.outside.Dial(ctx, kind, address)
	}
	var d net.Dialer
	if !allowed {
		d.Control = controlPublic
	}
	return d.DialContext(ctx, kind, address)
}

// controlPublic looks once more at the address of a socket, right before it connects.
func controlPublic(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !Public(a.Addr().Unmap()) {
		return notPublic(err)
	}
	return nil
}

// dialProxy connects to the proxy, which the user named and may be anywhere.
func (n *network) dialProxy(ctx context.Context, kind, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, n.connect)
	defer cancel()
	if n.outside.Dial == nil {
		var d net.Dialer
		return d.DialContext(ctx, kind, address)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses, err := n.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	return n.dialFirst(ctx, kind, addresses, port, true)
}

// tunnel opens a connection of bytes to an admitted host, for a browser that speaks TLS itself.
func (n *network) tunnel(ctx context.Context, address string) (net.Conn, error) {
	via, err := n.via(&http.Request{URL: &url.URL{Scheme: "https", Host: address}})
	if err != nil {
		return nil, err
	}
	if via == nil {
		return n.dial(ctx, "tcp", address)
	}
	if via.Scheme != "http" && via.Scheme != "https" {
		return nil, errors.New("proxy of kind " + via.Scheme + " can't be used for a browser")
	}
	return n.tunnelThrough(ctx, via, address)
}

func (n *network) tunnelThrough(ctx context.Context, via *url.URL, address string) (net.Conn, error) {
	port := via.Port()
	if port == "" {
		port = defaultPort(via.Scheme)
	}
	conn, err := n.dialProxy(ctx, "tcp", net.JoinHostPort(via.Hostname(), port))
	if err != nil {
		return nil, err
	}
	if via.Scheme == "https" {
		config := &tls.Config{}
		if n.outside.TLS != nil {
			config = n.outside.TLS.Clone()
		}
		config.ServerName = via.Hostname()
		conn = tls.Client(conn, config)
	}
	ctx, cancel := context.WithTimeout(ctx, n.connect)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) //nolint:errcheck // it is being given up
	defer stop()
	if err := askTunnel(conn, via, address); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// askTunnel sends CONNECT and reads the answer byte by byte, so that nothing of what follows is lost in a buffer.
func askTunnel(conn net.Conn, via *url.URL, address string) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if via.User != nil {
		password, _ := via.User.Password()
		req.Header.Set("Proxy-Authorization",
			"Basic "+base64.StdEncoding.EncodeToString([]byte(via.User.Username()+":"+password)))
	}
	if err := req.Write(conn); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(oneByte{conn}, 16), req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return errors.New("proxy answered " + res.Status)
	}
	return nil
}

type oneByte struct{ net.Conn }

func (o oneByte) Read(p []byte) (int, error) { return o.Conn.Read(p[:min(len(p), 1)]) }
