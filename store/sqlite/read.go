package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/plumbresearch/plumb/store/form"
)

// reader is the pool, or a transaction on it that sees one moment.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// prepared is the pool with statements that are kept, by their text. Texts are constants.
type prepared struct{ d *DB }

func (p prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s, ok := p.d.stmts.Load(query); ok {
		return s.(*sql.Stmt).QueryContext(ctx, args...)
	}
	s, err := p.d.pool.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if old, loaded := p.d.stmts.LoadOrStore(query, s); loaded {
		if err := s.Close(); err != nil {
			return nil, err
		}
		s = old.(*sql.Stmt)
	}
	return s.QueryContext(ctx, args...)
}

// read runs a query on the pool and calls scan for each row.
func (d *DB) read(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	return d.explain(each(ctx, prepared{d}, scan, query, args...))
}

// snapshot runs f over a transaction in which all queries see the same moment.
func (d *DB) snapshot(ctx context.Context, f func(reader) error) error {
	t, err := d.pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return d.explain(err)
	}
	return d.explain(errors.Join(f(t), t.Rollback()))
}

// each calls scan for each row of a query.
func each(ctx context.Context, r reader, scan func(*sql.Rows) error, query string, args ...any) (err error) {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list collects the values of a column of JSON.
func list[T any](ctx context.Context, r reader, query string, args ...any) ([]T, error) {
	var out []T
	var raw sql.RawBytes
	err := each(ctx, r, func(rows *sql.Rows) error {
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	}, query, args...)
	return out, err
}

// lists is list on the pool, with the noun for its errors.
func lists[T any](ctx context.Context, d *DB, noun, run, query string, args ...any) ([]T, error) {
	out, err := list[T](ctx, prepared{d}, query, args...)
	if err != nil {
		return nil, form.About(run, noun, d.explain(err))
	}
	return out, nil
}
