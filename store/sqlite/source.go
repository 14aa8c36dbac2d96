package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

// PutSource stores the text once for all runs, and the source for this one.
func (d *DB) PutSource(ctx context.Context, run string, s plumb.Source, text string) error {
	body, err := form.JSON(s)
	if err == nil {
		err = form.CheckHash(s.Hash, text)
	}
	if err == nil {
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			if err := t.putText(s.Hash, text); err != nil {
				return err
			}
			_, err := t.exec(`INSERT INTO run_sources (run, url, source, json) VALUES (?, ?, ?, ?)
				ON CONFLICT (run, url, source) DO UPDATE SET json = excluded.json`, n, s.URL, s.Hash, body)
			return err
		})
	}
	return form.About(run, "source "+s.URL, err)
}

// putText stores a text whose hash was checked, unless it is there. Whoever calls it must also make source_users show it.
func (t *tx) putText(hash, text string) error {
	var there int
	err := t.get(`SELECT 1 FROM sources WHERE hash = ?`, []any{hash}, &there)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = t.exec(`INSERT INTO sources (hash, text) VALUES (?, ?)`, hash, []byte(text))
	return err
}

// sweep deletes those of the texts, a JSON array of hashes, that nothing uses any more.
func (t *tx) sweep(hashes string) error {
	_, err := t.exec(`DELETE FROM sources WHERE hash IN (SELECT value FROM json_each(?))
		AND NOT EXISTS (SELECT 1 FROM source_users u WHERE u.source = sources.hash)`, hashes)
	return err
}

// Sources of a run, sorted by URL, then by hash.
func (d *DB) Sources(ctx context.Context, run string) ([]plumb.Source, error) {
	return lists[plumb.Source](ctx, d, "sources", run, `SELECT json FROM run_sources WHERE run = `+runN+` ORDER BY url, source`, run)
}

// Text is the text with that hash, or ErrNotFound.
func (d *DB) Text(ctx context.Context, hash string) (string, error) {
	var text string
	found := false
	err := d.read(ctx, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&text)
	}, `SELECT text FROM sources WHERE hash = ?`, hash)
	if err == nil && !found {
		err = engine.ErrNotFound
	}
	if err != nil {
		return "", fmt.Errorf("text %s: %w", hash, err)
	}
	return text, nil
}
