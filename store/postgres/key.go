package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

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
		_, err := t.exec(`INSERT INTO keys (name, tenant, hash, created_at) VALUES ($1, $2, $3, $4)`, k.Name, k.Tenant, k.Hash, form.Micros(k.CreatedAt))
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
	keys, err := d.keys(ctx, `WHERE hash = $1`, hash)
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("key: %w", engine.ErrNotFound)
	}
	if err != nil {
		return front.Key{}, err
	}
	return keys[0], nil
}

func (d *DB) keys(ctx context.Context, which string, args ...any) ([]front.Key, error) {
	out, err := read(ctx, d, func(row pgx.Row, k *front.Key) error {
		var created int64
		err := row.Scan(&k.Name, &k.Tenant, &k.Hash, &created)
		k.CreatedAt = form.Time(created)
		return err
	}, `SELECT name, tenant, hash, created_at FROM keys `+which, args...)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return out, nil
}

// DropKey forgets a key.
func (d *DB) DropKey(ctx context.Context, name string) error {
	return form.Named("key "+name, d.write(ctx, func(t *tx) error {
		n, err := t.exec(`DELETE FROM keys WHERE name = $1`, name)
		if err == nil && n == 0 {
			err = engine.ErrNotFound
		}
		return err
	}))
}

// ClaimReply takes an idempotency key, or gives what is kept under it.
func (d *DB) ClaimReply(ctx context.Context, r front.Reply, stale, old time.Time) (kept front.Reply, mine bool, err error) {
	err = d.write(ctx, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM replies WHERE at < $1 OR (status = 0 AND at < $2)`, form.Micros(old), form.Micros(stale)); err != nil {
			return err
		}
		n, err := t.exec(`INSERT INTO replies (tenant, key, asked, at, status, header, body) VALUES ($1, $2, $3, $4, 0, '', '') ON CONFLICT DO NOTHING`,
			r.Tenant, r.Key, r.Asked, form.Micros(r.At))
		if mine = n > 0; err != nil || mine {
			kept = r
			return err
		}
		var at int64
		kept = front.Reply{Tenant: r.Tenant, Key: r.Key}
		err = t.get(`SELECT asked, at, status, header, body FROM replies WHERE tenant = $1 AND key = $2`, []any{r.Tenant, r.Key},
			&kept.Asked, &at, &kept.Status, &kept.Header, &kept.Body)
		kept.At = form.Time(at)
		if errors.Is(err, pgx.ErrNoRows) {
			return errGone
		}
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
		n, err := t.exec(`UPDATE replies SET status = $3, header = $4, body = $5 WHERE tenant = $1 AND key = $2`,
			r.Tenant, r.Key, r.Status, r.Header, append([]byte{}, r.Body...))
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
		_, err := t.exec(`DELETE FROM replies WHERE tenant = $1 AND key = $2`, tenant, key)
		return err
	})
	return form.Named("idempotency key", err)
}
