package postgres

// Connections that are kept and shared.

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Times of a connection.
const (
	pingAfter = time.Second      // not used for so long, it is asked whether it still lives
	pingTime  = 2 * time.Second  // for the answer
	closeTime = 2 * time.Second  // for saying goodbye
	idleTime  = 5 * time.Minute  // not used for so long, it is closed
	lifeTime  = time.Hour        // then it is made anew, so that a server that moved is found
	callTime  = 60 * time.Second // for one attempt at a call; the server gives up a statement then too
)

// pool gives out connections, at most as many as it has slots. Those used last are used next.
type pool struct {
	config *pgx.ConnConfig
	slots  chan struct{} // one in it for each connection given out
	mu     sync.Mutex
	idle   []*conn
	doubt  time.Time // when a connection was last found broken: those not used since may be too
	closed chan struct{}
	once   sync.Once
}

type conn struct {
	*pgx.Conn
	born, used time.Time
}

func newPool(config *pgx.ConnConfig, size int) *pool {
	return &pool{config: config, slots: make(chan struct{}, size), closed: make(chan struct{})}
}

// take waits for a connection until ctx is over. It is the caller's until given back.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case <-p.closed:
		return nil, ErrClosed
	default:
	}
	select {
	case p.slots <- struct{}{}:
	case <-p.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for c := p.pop(); c != nil; c = p.pop() {
		if c.alive(ctx, p.doubted()) {
			return c, nil
		}
		c.hangUp()
	}
	c, err := connect(ctx, p.config)
	if err != nil {
		<-p.slots
		return nil, notConnected(ctx, err)
	}
	return c, nil
}

func connect(ctx context.Context, config *pgx.ConnConfig) (*conn, error) {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &conn{c, now, now}, nil
}

func (p *pool) pop() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c
}

func (p *pool) doubted() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.doubt
}

// alive reports whether a connection can be used, as far as one can know before.
func (c *conn) alive(ctx context.Context, doubted time.Time) bool {
	if c.IsClosed() || time.Since(c.born) > lifeTime {
		return false
	}
	return time.Since(c.used) < pingAfter && c.used.After(doubted) || c.answers(ctx)
}

func (c *conn) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	return c.Ping(ctx) == nil
}

// hangUp closes a connection. If it can't say goodbye it is closed all the same.
func (c *conn) hangUp() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = c.Close(ctx) //nolint:errcheck // see above
}

// give takes a connection back. One that is broken or inside a transaction is closed.
func (p *pool) give(c *conn) {
	defer func() { <-p.slots }()
	c.used = time.Now()
	if c.IsClosed() || c.PgConn().TxStatus() != 'I' {
		p.mu.Lock()
		p.doubt = c.used
		p.mu.Unlock()
		c.hangUp()
		return
	}
	if old := p.put(c); old != nil {
		old.hangUp()
	}
}

// put keeps a connection, and gives the one that is to be closed: the longest unused, if that is long, or c itself when
// the pool is closed.
func (p *pool) put(c *conn) (old *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
		return c
	default:
	}
	if len(p.idle) > 0 && c.used.Sub(p.idle[0].used) > idleTime {
		old = p.idle[0]
		p.idle = p.idle[1:]
	}
	p.idle = append(p.idle, c)
	return old
}

// close waits for the connections that are in use, but not for ever, and closes all. Further calls do nothing.
func (p *pool) close() (err error) {
	p.once.Do(func() { err = p.closeAll() })
	return err
}

func (p *pool) closeAll() error {
	p.mu.Lock()
	close(p.closed)
	p.mu.Unlock()
	for c := p.pop(); c != nil; c = p.pop() {
		c.hangUp()
	}
	late := time.NewTimer(callTime)
	defer late.Stop()
	for range cap(p.slots) {
		select {
		case p.slots <- struct{}{}:
		case <-late.C:
			return errors.New("a call to PostgreSQL does not end")
		}
	}
	return nil
}
