package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/store/form"
)

var _ front.Store = (*DB)(nil)

// threads sums up the runs of a tenant's threads, the one touched last first.
const threads = `SELECT r.thread, coalesce((SELECT title FROM threads t WHERE t.tenant = r.tenant AND t.id = r.thread), ''),
	(SELECT f.question FROM runs f WHERE f.tenant = r.tenant AND f.thread = r.thread ORDER BY f.created_at, f.id LIMIT 1),
	min(r.created_at), max(s.updated_at) AS touched, count(*), sum(s.usd), sum(s.tokens)
	FROM runs r JOIN run_states s ON s.run = r.n WHERE r.tenant = ?`

// Threads of a tenant.
func (d *DB) Threads(ctx context.Context, tenant string, limit, offset int) ([]front.Thread, int, error) {
	if limit <= 0 {
		limit = -1
	}
	out, err := d.threads(ctx, tenant, threads+` GROUP BY r.thread ORDER BY touched DESC, r.thread LIMIT ? OFFSET ?`, tenant, limit, max(offset, 0))
	if err != nil {
		return nil, 0, err
	}
	var total int
	err = d.read(ctx, func(rows *sql.Rows) error { return rows.Scan(&total) }, `SELECT count(DISTINCT thread) FROM runs WHERE tenant = ?`, tenant)
	if err != nil {
		return nil, 0, fmt.Errorf("threads: %w", err)
	}
	return out, total, nil
}

// Thread gives one thread of a tenant.
func (d *DB) Thread(ctx context.Context, tenant, id string) (front.Thread, error) {
	out, err := d.threads(ctx, tenant, threads+` AND r.thread = ? GROUP BY r.thread`, tenant, id)
	if err != nil {
		return front.Thread{}, err
	}
	if len(out) == 0 {
		return front.Thread{}, fmt.Errorf("thread %s: %w", id, engine.ErrNotFound)
	}
	return out[0], nil
}

func (d *DB) threads(ctx context.Context, tenant, query string, args ...any) ([]front.Thread, error) {
	var out []front.Thread
	err := d.read(ctx, func(rows *sql.Rows) error {
		t := front.Thread{Tenant: tenant}
		var created, updated int64
		if err := rows.Scan(&t.ID, &t.Title, &t.Question, &created, &updated, &t.Runs, &t.Spent.USD, &t.Spent.Tokens); err != nil {
			return err
		}
		t.CreatedAt, t.UpdatedAt = form.Time(created), form.Time(updated)
		out = append(out, t)
		return nil
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("threads: %w", err)
	}
	return out, nil
}

// TitleThread names a thread that has runs.
func (d *DB) TitleThread(ctx context.Context, tenant, id, title string) error {
	err := d.write(ctx, func(t *tx) error {
		n, err := t.exec(`INSERT INTO threads (tenant, id, title) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND thread = ?2)
			ON CONFLICT (tenant, id) DO UPDATE SET title = excluded.title`, tenant, id, title)
		if err == nil && n == 0 {
			err = engine.ErrNotFound
		}
		return err
	})
	return form.Named("thread "+id, err)
}
