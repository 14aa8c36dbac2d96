package postgres

import (
	"context"
	"errors"
	"testing"
	"time"
)

// takeAll takes n connections.
func takeAll(t *testing.T, d *DB, n int) (out []*conn) {
	t.Helper()
	for range n {
		c, err := d.pool.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// endAll ends all connections of a store, and returns when they are gone from the server.
func endAll(t *testing.T, d *DB) {
	t.Helper()
	config := d.pool.config.Copy()
	config.RuntimeParams["application_name"] = "killer"
	c, err := connect(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.hangUp()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		left, err := collect(ctx, c, plain[bool], `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'plumb'`)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
	}
}

func TestConnectionsThatBrokeTogetherAreFoundOutTogether(t *testing.T) {
	const all = 4
	d := open(t, Options{Connections: all})
	for _, c := range takeAll(t, d, all) {
		d.pool.give(c)
	}
	endAll(t, d)
	c := takeAll(t, d, 1)[0] // used just now, so that nobody asked whether it lives
	if _, err := c.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Log("it was asked: the machine is slow")
	}
	d.pool.give(c)
	for i, c := range takeAll(t, d, all) {
		if !c.answers(t.Context()) {
			t.Errorf("connection %d is dead", i)
		}
		d.pool.give(c)
	}
}

func TestConnectionInsideATransactionIsNotSharedOn(t *testing.T) {
	d := open(t, Options{Connections: 1})
	c := takeAll(t, d, 1)[0]
	if _, err := c.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	first := c.PgConn().PID()
	d.pool.give(c)
	c = takeAll(t, d, 1)[0]
	defer d.pool.give(c)
	if status := c.PgConn().TxStatus(); status != 'I' || c.PgConn().PID() == first {
		t.Errorf("status %c of connection %d, after %d", status, c.PgConn().PID(), first)
	}
}

func TestWaitForAConnectionEndsWithTheStore(t *testing.T) {
	d := open(t, Options{Connections: 1})
	c := takeAll(t, d, 1)[0]
	answer, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := d.pool.take(context.Background())
		answer <- err
	}()
	go func() { closed <- d.pool.close() }()
	<-d.pool.closed
	d.pool.give(c)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := <-answer; !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}
