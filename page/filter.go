package page

// The filter between a browser and the world: a proxy on loopback, for the time of one page, that holds every request
// against the rules of its network and counts what is loaded.

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// maxLoads is how many requests a page may make.
const maxLoads = 400

type filter struct {
	net     *network
	listen  net.Listener
	server  *http.Server
	served  chan error
	ctx     context.Context // of the page; ends all its connections
	cancel  context.CancelFunc
	loads   atomic.Int64
	left    atomic.Int64 // bytes that may still be loaded
	tunnels sync.WaitGroup
}

func startFilter(ctx context.Context, n *network, l Limits) (*filter, error) {
	var config net.ListenConfig
	listen, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &filter{net: n, listen: listen, served: make(chan error, 1)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	f.left.Store(l.Traffic)
	f.server = &http.Server{Handler: f, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { f.served <- f.server.Serve(listen) }()
	return f, nil
}

func (f *filter) address() string { return "http://" + f.listen.Addr().String() }

// close ends everything that is under way.
func (f *filter) close() error {
	f.cancel()
	err := f.server.Close()
	if served := <-f.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	f.tunnels.Wait()
	return err
}

// ServeHTTP passes a request on, or refuses it without saying why: a page must not learn about the network.
func (f *filter) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if f.loads.Add(1) > maxLoads || f.left.Load() <= 0 {
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	if req.Method == http.MethodConnect {
		f.connect(w, req)
		return
	}
	u, err := f.net.admit(req.URL.String())
	if err != nil {
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	defer context.AfterFunc(req.Context(), cancel)()
	out := req.Clone(ctx)
	out.URL, out.Host, out.RequestURI = u, u.Host, ""
	for _, h := range []string{"Proxy-Connection", "Proxy-Authorization", "Connection", "Keep-Alive", "Te", "Trailer", "Upgrade"} {
		out.Header.Del(h)
	}
	res, err := f.net.RoundTrip(out)
	if err != nil {
		http.Error(w, "refused", http.StatusBadGateway)
		return
	}
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, copied := io.Copy(w, f.count(res.Body))
	if err := errors.Join(copied, res.Body.Close()); err != nil {
		panic(http.ErrAbortHandler) // the browser must not take a part for the whole
	}
}

// connect opens a tunnel for TLS and websockets. The host is checked; what flows is counted, not read.
func (f *filter) connect(w http.ResponseWriter, req *http.Request) {
	u, err := f.net.admit("https://" + req.Host)
	if err != nil {
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	host, port, err := hostPort(u)
	if err != nil {
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	far, err := f.net.tunnel(f.ctx, net.JoinHostPort(host, port))
	if err != nil {
		http.Error(w, "refused", http.StatusBadGateway)
		return
	}
	hijack, ok := w.(http.Hijacker)
	if !ok {
		f.drop(far)
		return
	}
	near, _, err := hijack.Hijack()
	if err != nil {
		f.drop(far)
		return
	}
	f.tunnels.Add(1)
	go f.splice(near, far)
}

// splice carries bytes both ways until either side ends, the page is done, or it loaded too much.
func (f *filter) splice(near, far net.Conn) {
	defer f.tunnels.Done()
	end := sync.OnceFunc(func() { f.drop(near); f.drop(far) })
	defer context.AfterFunc(f.ctx, end)()
	defer end()
	if _, err := io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	f.tunnels.Add(1)
	go func() {
		defer f.tunnels.Done()
		defer end()
		carry(far, near)
	}()
	carry(near, f.count(far))
}

// carry copies until an end; how a connection ended matters to nobody.
func carry(to io.Writer, from io.Reader) {
	_, _ = io.Copy(to, from) //nolint:errcheck // see above
}

func (f *filter) drop(c net.Conn) {
	_ = c.Close() //nolint:errcheck // nothing is left to lose on it
}

// count reads from r as long as the page may load more.
func (f *filter) count(r io.Reader) io.Reader { return counted{r, &f.left} }

type counted struct {
	io.Reader
	left *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.left.Add(int64(-n)) < 0 {
		return n, errTraffic
	}
	return n, err
}

var errTraffic = errors.New("page loads too much")
