package postgres

// Connections that are kept and shared: pgx's pool, with what it leaves to us.

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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

// pool gives out connections. Those used last are used next.
type pool struct {
	*pgxpool.Pool
	config *pgx.ConnConfig
	doubt  atomic.Int64 // when a connection was last found broken, in Unix nanoseconds: those not used since may be too
	closed chan struct{}
	once   sync.Once
}

type conn struct {
	*pgx.Conn
	of *pgxpool.Conn // nil: of no pool
}

func newPool(config *pgxpool.Config) (*pool, error) {
	p := &pool{config: config.ConnConfig, closed: make(chan struct{})}
	config.MaxConnLifetime, config.MaxConnIdleTime, config.PingTimeout = lifeTime, idleTime, pingTime
	config.ShouldPing = func(_ context.Context, c pgxpool.ShouldPingParams) bool {
		return c.IdleDuration >= pingAfter || time.Now().Add(-c.IdleDuration).UnixNano() <= p.doubt.Load()
	}
	config.BeforeClose = func(c *pgx.Conn) { (&conn{Conn: c}).hangUp() } // the pool itself would wait 15 s
	var err error
	p.Pool, err = pgxpool.NewWithConfig(context.Background(), config)
	return p, err
}

// take waits for a connection until ctx is over. It is the caller's until given back.
func (p *pool) take(ctx context.Context) (*conn, error) {
	c, err := p.Acquire(ctx)
	select {
	case <-p.closed:
		if err == nil {
			c.Release()
		}
		return nil, ErrClosed
	default:
	}
	if err != nil {
		return nil, notConnected(ctx, err)
	}
	return &conn{c.Conn(), c}, nil
}

// connect makes a connection that is of no pool.
func connect(ctx context.Context, config *pgx.ConnConfig) (*conn, error) {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
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
	if c.IsClosed() || c.PgConn().TxStatus() != 'I' {
		p.doubt.Store(time.Now().UnixNano())
	}
	c.of.Release()
}

// close waits for the connections that are in use, but not for ever, and closes all. Further calls do nothing.
func (p *pool) close() (err error) {
	p.once.Do(func() {
		close(p.closed)
		ended := make(chan struct{})
		go func() {
			p.Close()
			close(ended)
		}()
		late := time.NewTimer(callTime)
		defer late.Stop()
		select {
		case <-ended:
		case <-late.C:
			err = errors.New("a call to PostgreSQL does not end")
		}
	})
	return err
}
