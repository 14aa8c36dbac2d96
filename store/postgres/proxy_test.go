package postgres

import (
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// proxy stands between a store and its server, and cuts connections where it is told to.
type proxy struct {
	net.Listener
	network, address string // of the server

	mu        sync.Mutex
	cut       cut
	after     int  // messages until then
	downAfter bool // after the cut no connection is taken
	down      bool
	refused   chan struct{} // one in it when a connection was refused
	open      map[net.Conn]bool
}

// cut says which message never arrives.
type cut string

const (
	nothing cut = ""
	request cut = "request"                              // the connection ends before the server gets it
	reply   cut = "reply"                                // the connection ends after the server has done it
	silent  cut = "request, and nobody tells the server" // it goes on waiting for the rest
)

// through starts a proxy and gives the address of a store behind it.
func through(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, refused: make(chan struct{}, 1), open: map[net.Conn]bool{}}
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	var wg sync.WaitGroup
	wg.Go(func() { p.serve(&wg) })
	t.Cleanup(func() {
		l.Close()
		p.hangUpAll()
		wg.Wait()
	})
	return p, changed(t, dsn, func(u *url.URL) {
		q := u.Query()
		q.Del("host")
		u.RawQuery, u.Host = q.Encode(), l.Addr().String()
	})
}

func (p *proxy) serve(wg *sync.WaitGroup) {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		if p.isDown() {
			client.Close()
			select {
			case p.refused <- struct{}{}:
			default:
			}
			continue
		}
		server, err := net.Dial(p.network, p.address)
		if err != nil {
			client.Close()
			continue
		}
		p.keep(client, server)
		wg.Go(func() { p.copy(client, server, request, silent) })
		wg.Go(func() { p.copy(server, client, reply) })
	}
}

// copy passes on what one side says until it is to be cut.
func (p *proxy) copy(from, to net.Conn, cuts ...cut) {
	buf := make([]byte, 1<<20)
	for {
		n, err := from.Read(buf)
		if err != nil {
			to.Close()
			from.Close()
			return
		}
		switch p.here(cuts) {
		case nothing:
			if _, err := to.Write(buf[:n]); err != nil {
				from.Close()
				to.Close()
				return
			}
		case silent:
			from.Close()
			return
		default:
			from.Close()
			to.Close()
			return
		}
	}
}

// here says whether this message is the one to be cut.
func (p *proxy) here(cuts []cut) cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range cuts {
		if c == p.cut {
			if p.after--; p.after > 0 {
				return nothing
			}
			p.cut, p.down = nothing, p.downAfter
			return c
		}
	}
	return nothing
}

// at lets the n-th message from now on be lost, once.
func (p *proxy) at(c cut, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.after = c, n
}

// spent reports whether the cut was made.
func (p *proxy) spent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut == nothing
}

func (p *proxy) keep(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.open[c] = true
	}
}

func (p *proxy) isDown() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down
}

// setDown cuts all connections and refuses new ones, or takes them again.
func (p *proxy) setDown(down bool) {
	p.mu.Lock()
	p.down = down
	p.mu.Unlock()
	if down {
		p.hangUpAll()
	}
}

func (p *proxy) hangUpAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			continue
		}
	}
	clear(p.open)
}
