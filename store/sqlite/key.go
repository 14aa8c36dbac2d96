package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/store/form"
)

var (
	_ front.Keys    = (*DB)(nil)
	_ front.Replies = (*DB)(nil)
)

// AddKey keeps an API key.
func (d *DB) AddKey(ctx context.Context, k front.Key) error {
	err := d.write(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO keys (name, tenant, hash, created_at) VALUES (?, ?, ?, ?)`, k.Name, k.Tenant, k.Hash, form.Micros(k.CreatedAt))
		return err
	})
	if duplicate(err) {
		err = engine.ErrExists
	}
	return form.Named("key "+k.Name, err)
}

// Keys in the order of their names.
func (d *DB) Keys(ctx context.Context) ([]front.Key, error) { return d.keys(ctx, `ORDER BY name`) }

// KeyOf finds a key by the hash of its secret.
func (d *DB) KeyOf(ctx context.Context, hash string) (front.Key, error) {
	keys, err := d.keys(ctx, `WHERE hash = ?`, hash)
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("key: %w", engine.ErrNotFound)
	}
	if err != nil {
		return front.Key{}, err
	}
	return keys[0], nil
}

func (d *DB) keys(ctx context.Context, which string, args ...any) ([]front.Key, error) {
	var out []front.Key
	err := d.read(ctx, func(rows *sql.Rows) error {
		var k front.Key
		var created int64
		if err := rows.Scan(&k.Name, &k.Tenant, &k.Hash, &created); err != nil {
			return err
		}
		k.CreatedAt = form.Time(created)
		out = append(out, k)
		return nil
	}, `SELECT name, tenant, hash, created_at FROM keys `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return out, nil
}

// DropKey forgets a key.
func (d *DB) DropKey(ctx context.Context, name string) error {
	return form.Named("key "+name, d.write(ctx, func(t *tx) error {
		n, err := t.exec(`DELETE FROM keys WHERE name = ?`, name)
		if err == nil && n == 0 {
			err = engine.ErrNotFound
		}
		return err
	}))
}

// ClaimReply takes an idempotency key, or gives what is kept under it.
func (d *DB) ClaimReply(ctx context.Context, r front.Reply, stale, old time.Time) (kept front.Reply, mine bool, err error) {
	err = d.write(ctx, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM replies WHERE at < ? OR (status = 0 AND at < ?)`, form.Micros(old), form.Micros(stale)); err != nil {
			return err
		}
		n, err := t.exec(`INSERT INTO replies (tenant, key, asked, at, status, header, body) VALUES (?, ?, ?, ?, 0, '', x'') ON CONFLICT DO NOTHING`,
			r.Tenant, r.Key, r.Asked, form.Micros(r.At))
		if mine = n > 0; err != nil || mine {
			kept = r
			return err
		}
		var at int64
		kept = front.Reply{Tenant: r.Tenant, Key: r.Key}
		err = t.get(`SELECT asked, at, status, header, body FROM replies WHERE tenant = ? AND key = ?`, []any{r.Tenant, r.Key},
			&kept.Asked, &at, &kept.Status, &kept.Header, &kept.Body)
		kept.At = form.Time(at)
		return err
	})
	if err != nil {
		return front.Reply{}, false, fmt.Errorf("idempotency key: %w", err)
	}
	return kept, mine, nil
}

// KeepReply answers a claimed key.
func (d *DB) KeepReply(ctx context.Context, r front.Reply) error {
	err := d.write(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE replies SET status = ?, header = ?, body = ? WHERE tenant = ? AND key = ?`, r.Status, r.Header, append([]byte{}, r.Body...), r.Tenant, r.Key)
		if err == nil && n == 0 {
			err = engine.ErrNotFound
		}
		return err
	})
	return form.Named("idempotency key", err)
}

// DropReply gives a claimed key back.
func (d *DB) DropReply(ctx context.Context, tenant, key string) error {
	err := d.write(ctx, func(t *tx) error {
		_, err := t.exec(`DELETE FROM replies WHERE tenant = ? AND key = ?`, tenant, key)
		return err
	})
	return form.Named("idempotency key", err)
}
