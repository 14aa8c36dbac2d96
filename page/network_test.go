package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// inner are addresses of every kind that must not be dialled.
var inner = []string{
	"127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "192.168.1.1", "172.20.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1",
	"::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "2001:db8::1",
}

func TestNamesThatResolveToInnerAddressesAreNeverDialled(t *testing.T) {
	for _, a := range inner {
		for _, answer := range []string{a, "93.184.216.34 " + a, a + " 93.184.216.34"} {
			l := newLab(t, map[string]http.Handler{"*": page("text/html", article(900))})
			l.name("rebind.test", answer)
			_, err := l.reader().Read(context.Background(), "http://rebind.test/")
			wantKind(t, err, Address)
			if d := l.dials(); len(d) > 0 {
				t.Errorf("%s: dialled %v", answer, d)
			}
		}
	}
}

func TestRedirectsAreCheckedAtEveryHop(t *testing.T) {
	for hop := range 5 {
		for _, target := range []string{"http://127.0.0.1/", "http://[::1]/", "http://0x7f.1/", "http://inner.test/", "http://localhost/", "file:///etc/passwd", "http://u@public.test/"} {
			t.Run(fmt.Sprint(hop, target), func(t *testing.T) {
				l := newLab(t, map[string]http.Handler{"public.test": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					var n int
					if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
						http.NotFound(w, r)
						return
					}
					to := fmt.Sprintf("/%d", n+1)
					if n == hop {
						to = target
					}
					w.Header().Set("Location", to)
					w.WriteHeader(http.StatusFound)
				})})
				l.name("inner.test", "10.0.0.7")
				_, err := l.reader().Read(context.Background(), "http://public.test/0")
				wantKind(t, err, Address)
				if n := len(l.requests()); n != hop+1 {
					t.Errorf("%d requests: %v", n, l.requests())
				}
			})
		}
	}
}

// The second answer of a rebinding resolver is private: it is asked once per connection, and each answer is checked.
func TestRebindingNeverReachesTheSecondAnswer(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"*": routes(map[string]http.HandlerFunc{
		"/": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close") // so that the next request needs a connection of its own
			page("text/html", article(900))(w, r)
		},
	})})
	l.name("rebind.test", "93.184.216.34", "127.0.0.1")
	r := l.reader()
	// robots.txt takes the first answer and keeps its connection for the page.
	if _, err := r.Read(context.Background(), "http://rebind.test/"); err != nil {
		t.Fatal(err)
	}
	if l.looked["rebind.test"] != 1 {
		t.Errorf("resolved %d times for one connection", l.looked["rebind.test"])
	}
	_, err := r.Read(context.Background(), "http://rebind.test/")
	wantKind(t, err, Address)
	for _, d := range l.dials() {
		if d != "93.184.216.34:80" {
			t.Errorf("dialled %s", d)
		}
	}
}

func TestSocketIsCheckedOnceMore(t *testing.T) {
	server := httptest.NewServer(page("text/html", article(900)))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	n := newNetwork(nil, nil, Outside{}, Limits{}.withDefaults())
	// Past all other checks: the dialer itself refuses.
	conn, err := n.dialOne(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", port), false)
	if kindOf(err) != Address {
		t.Errorf("%v, %v", conn, err)
	}
	for _, a := range []string{"127.0.0.1:80", "[::ffff:10.0.0.1]:80", "[::1]:80", "nonsense"} {
		if controlPublic("tcp", a, nil) == nil {
			t.Errorf("%s passed", a)
		}
	}
	if err := controlPublic("tcp", "93.184.216.34:80", nil); err != nil {
		t.Error(err)
	}
}

func TestAllowedHostIsReadOverTheRealNetwork(t *testing.T) {
	server := httptest.NewServer(page("text/html", article(900)))
	defer server.Close()
	address := server.Listener.Addr().String()
	closed := &Reader{}
	_, err := closed.Read(context.Background(), server.URL)
	wantKind(t, err, Address)
	open := &Reader{Allow: []string{address}}
	defer open.Close()
	p, err := open.Read(context.Background(), server.URL+"/x")
	if err != nil || p.Source.Title != "Turbine hall reopened" {
		t.Errorf("%+v, %v", p.Source, err)
	}
}

// A name that resolves to the allowed host's address is not allowed with it.
func TestAllowingAHostAllowsNoOtherNameOfItsAddress(t *testing.T) {
	l := newLab(t, nil)
	l.name("evil.test", "10.0.0.7")
	r := l.reader()
	r.Allow = []string{"10.0.0.7", "wiki.corp"}
	_, err := r.Read(context.Background(), "http://evil.test/")
	wantKind(t, err, Address)
	if len(l.dials()) > 0 {
		t.Error(l.dials())
	}
}

// A proxy that records what it is asked for, and answers for everything.
func newProxy(t *testing.T) (*url.URL, *atomic.Pointer[[]string]) {
	var asked atomic.Pointer[[]string]
	asked.Store(&[]string{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := append(*asked.Load(), r.Method+" "+r.RequestURI)
		asked.Store(&list)
		if r.Method == http.MethodConnect {
			http.Error(w, "no tunnels", http.StatusForbidden)
			return
		}
		page("text/html", article(900))(w, r)
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u, &asked
}

func TestWithAProxyOnlyTheProxyIsDialled(t *testing.T) {
	proxy, asked := newProxy(t)
	looked := 0
	r := &Reader{
		Proxy: http.ProxyURL(proxy),
		Outside: Outside{Resolve: func(context.Context, string) ([]netip.Addr, error) {
			looked++
			return nil, errors.New("nothing is resolved here")
		}},
		Limits: Limits{Gap: -1},
	}
	defer r.Close()
	p, err := r.Read(context.Background(), "http://only-the-proxy-knows.example.org/a")
	if err != nil || p.Source.FinalURL != "http://only-the-proxy-knows.example.org/a" || looked != 0 {
		t.Fatalf("%+v, %v, %d lookups", p.Source, err, looked)
	}
	if got := strings.Join(*asked.Load(), "; "); !strings.Contains(got, "GET http://only-the-proxy-knows.example.org/a") {
		t.Error(got)
	}
	before := len(*asked.Load())
	for _, raw := range []string{"http://127.0.0.1/", "http://10.0.0.1:8080/", "http://localhost/", "http://db.internal/", "http://metadata/", "https://instance-data/latest", "http://0x7f.1/", proxy.String()} {
		_, err := r.Read(context.Background(), raw)
		wantKind(t, err, Address)
	}
	if after := *asked.Load(); len(after) != before {
		t.Errorf("the proxy was asked for %v", after[before:])
	}
	// A proxy that opens no tunnel is a network error like any other.
	_, err = r.Read(context.Background(), "https://tunnel.example.org/")
	wantKind(t, err, Network)
}

func TestHostsPastTheProxyAreChecked(t *testing.T) {
	proxy, asked := newProxy(t)
	l := newLab(t, nil)
	l.name("past.test", "10.0.0.7")
	r := l.reader()
	r.Proxy = func(req *http.Request) (*url.URL, error) {
		if req.URL.Hostname() == "past.test" {
			return nil, nil
		}
		return proxy, nil
	}
	_, err := r.Read(context.Background(), "http://past.test/")
	wantKind(t, err, Address)
	if len(*asked.Load()) > 0 || len(l.dials()) > 0 {
		t.Error(*asked.Load(), l.dials())
	}
}

// TLS servers are reached through a proxy's tunnel, also by the tunnel that browsers get.
func TestTunnelThroughAProxy(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); io.Copy(c, c) }()
		}
	}()
	var asked, signed string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, signed = r.Host, r.Header.Get("Proxy-Authorization")
		far, err := net.Dial("tcp", echo.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		near, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\nhello ")
		go func() { defer far.Close(); io.Copy(far, near) }()
		go func() { defer near.Close(); io.Copy(near, far) }()
	}))
	defer proxy.Close()
	via, _ := url.Parse(strings.Replace(proxy.URL, "http://", "http://me:secret@", 1))
	n := newNetwork(nil, http.ProxyURL(via), Outside{}, Limits{}.withDefaults())
	conn, err := n.tunnel(context.Background(), "example.org:443")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "world"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len("hello world"))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hello world" {
		t.Errorf("%q, %v", got, err)
	}
	if asked != "example.org:443" || signed != "Basic bWU6c2VjcmV0" {
		t.Errorf("asked for %q, signed %q", asked, signed)
	}
	if _, err := n.tunnel(context.Background(), "metadata:443"); kindOf(err) != Address {
		t.Error(err)
	}
}

func TestSecondAddressIsTriedWhenTheFirstIsDead(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"two.test": page("text/html", article(900))})
	l.name("two.test", "93.184.216.1 93.184.216.34")
	r := l.reader()
	dial := r.Outside.Dial
	r.Outside.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "93.184.216.1:") {
			return nil, errors.New("connection refused")
		}
		return dial(ctx, network, address)
	}
	if _, err := r.Read(context.Background(), "http://two.test/"); err != nil {
		t.Error(err)
	}
}
