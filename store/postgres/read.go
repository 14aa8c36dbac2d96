package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb/store/form"
)

// reader is a connection, or a transaction on it.
type reader interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// ask runs f on a connection. When that is lost f is run again, on another: it must begin with nothing.
func (d *DB) ask(ctx context.Context, f func(context.Context, reader) error) error {
	return d.explain(d.again(ctx, func() error {
		own, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		c, err := d.pool.take(own)
		if err != nil {
			return late(ctx, own, err)
		}
		defer d.pool.give(c)
		return broken(own, c, late(ctx, own, f(own, c)))
	}))
}

// snapshot is ask over a transaction in which all queries see the same moment.
func (d *DB) snapshot(ctx context.Context, f func(context.Context, reader) error) error {
	return d.ask(ctx, func(ctx context.Context, r reader) error {
		c := r.(*conn)
		if _, err := c.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		err := f(ctx, c)
		if _, end := c.Exec(ctx, "ROLLBACK", pgx.QueryExecModeSimpleProtocol); end != nil { // what was read counts
			c.hangUp()
		}
		return err
	})
}

// each calls scan for each row of a query.
func each(ctx context.Context, r reader, scan func(pgx.Row) error, query string, args ...any) error {
	found, err := r.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := scan(found); err != nil {
			return err
		}
	}
	return found.Err()
}

// collect makes a value of each row of a query.
func collect[T any](ctx context.Context, r reader, scan func(pgx.Row, *T) error, query string, args ...any) ([]T, error) {
	var out []T
	err := each(ctx, r, func(row pgx.Row) error {
		var v T
		if err := scan(row, &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	}, query, args...)
	return out, err
}

// read is collect on a connection of the pool.
func read[T any](ctx context.Context, d *DB, scan func(pgx.Row, *T) error, query string, args ...any) (out []T, err error) {
	err = d.ask(ctx, func(ctx context.Context, r reader) (err error) {
		out, err = collect(ctx, r, scan, query, args...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// plain is a scan of the one column.
func plain[T any](row pgx.Row, v *T) error { return row.Scan(v) }

// fromJSON is a scan of the one column, which is JSON.
func fromJSON[T any](row pgx.Row, v *T) error {
	var body string
	if err := row.Scan(&body); err != nil {
		return err
	}
	return json.Unmarshal([]byte(body), v)
}

// list collects the values of a column of JSON.
func list[T any](ctx context.Context, r reader, query string, args ...any) ([]T, error) {
	return collect(ctx, r, fromJSON[T], query, args...)
}

// lists is list on the pool, with the noun for its errors.
func lists[T any](ctx context.Context, d *DB, noun, run, query string, args ...any) ([]T, error) {
	out, err := read(ctx, d, fromJSON[T], query, args...)
	return out, form.About(run, noun, err)
}
