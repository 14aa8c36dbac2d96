package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// tx is a transaction under way. Only the function that it was given to may use it, and only until it returns.
type tx struct {
	ctx  context.Context // ends with the time for the call, not when the caller gives up
	conn *conn
}

// write runs do in a transaction and returns when what it did is durable, or did not count. When the connection is lost,
// or others were in the way, all it did is undone and it is run again. A context that ends is heeded until do begins;
// after that the answer says whether it counted.
func (d *DB) write(ctx context.Context, do func(*tx) error) error {
	if d.o.ReadOnly {
		return d.readOnly(nil)
	}
	return d.explain(d.again(ctx, func() error { return d.transact(ctx, do) }))
}

func (d *DB) transact(ctx context.Context, do func(*tx) error) error {
	var id string
	committing := false
	err := d.alone(ctx, func(ctx context.Context, c *conn) (err error) {
		t := &tx{ctx, c}
		if id, err = t.begin(); err != nil {
			return err
		}
		if err := do(t); err != nil {
			t.rollback()
			return err
		}
		committing = true
		done, err := c.Exec(ctx, "COMMIT", pgx.QueryExecModeSimpleProtocol)
		if err == nil && done.String() != "COMMIT" { // a statement failed, and do did not say so
			err = fmt.Errorf("the transaction ended with %s", done)
		}
		return err
	})
	if id == "" || !lost(err) {
		return err
	}
	return d.fate(ctx, id, committing, err)
}

// alone runs f with a connection. The context that f gets ends with the time for a call, whatever the caller's does.
func (d *DB) alone(ctx context.Context, f func(context.Context, *conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	c, err := d.pool.take(waiting)
	if err != nil {
		return late(ctx, waiting, err)
	}
	defer d.pool.give(c)
	working, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	return broken(working, c, late(ctx, working, f(working, c)))
}

// begin starts a transaction and gives its id, by which the server remembers what became of it.
func (t *tx) begin() (id string, err error) {
	results, err := t.conn.PgConn().Exec(t.ctx, "BEGIN; SELECT pg_current_xact_id()::text").ReadAll()
	if err != nil {
		t.rollback()
		return "", err
	}
	if len(results) != 2 || len(results[1].Rows) != 1 {
		return "", errors.New("PostgreSQL gave no transaction id: it must be version 13 or newer")
	}
	return string(results[1].Rows[0][0]), nil
}

// rollback ends the transaction. A connection on which that fails is closed, which ends it too.
func (t *tx) rollback() {
	if t.conn.IsClosed() {
		return
	}
	if _, err := t.conn.Exec(t.ctx, "ROLLBACK", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.conn.hangUp()
	}
}

// exec runs a statement and says how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	tag, err := t.conn.Exec(t.ctx, query, args...)
	return tag.RowsAffected(), err
}

// Query makes the transaction a reader. Its rows must be read before the next statement; the context is its own.
func (t *tx) Query(_ context.Context, query string, args ...any) (pgx.Rows, error) {
	return t.conn.Query(t.ctx, query, args...)
}

// get scans the one row that a statement gives into to, or answers pgx.ErrNoRows.
func (t *tx) get(query string, args []any, to ...any) error {
	return t.conn.QueryRow(t.ctx, query, args...).Scan(to...)
}

// numbers collects a column of numbers.
func (t *tx) numbers(query string, args ...any) ([]int64, error) {
	return collect(t.ctx, t, plain[int64], query, args...)
}
