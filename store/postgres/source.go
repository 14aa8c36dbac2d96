package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

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
		err = d.write(ctx, func(t *tx) error {
			n, err := t.number(run)
			if err != nil {
				return err
			}
			if err := t.putText(s.Hash, text); err != nil {
				return err
			}
			_, err = t.exec(`INSERT INTO run_sources (run, url, source, json) VALUES ($1, $2, $3, $4)
				ON CONFLICT (run, url, source) DO UPDATE SET json = excluded.json`, n, short(s.URL), s.Hash, body)
			return err
		})
	}
	return form.About(run, "source "+s.URL, err)
}

// putText stores a text whose hash was checked, unless it is there. Whoever calls it must also make source_users show it.
// If the text is swept before that, the reference finds no text, and the transaction is done again.
func (t *tx) putText(hash, text string) error {
	var there int
	err := t.get(`SELECT 1 FROM sources WHERE hash = $1`, []any{hash}, &there)
	if !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	_, err = t.exec(`INSERT INTO sources (hash, text) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`, hash, []byte(text))
	return err
}

// sweep deletes those of the texts that nothing uses any more.
func (t *tx) sweep(hashes []string) error {
	if len(hashes) == 0 {
		return nil
	}
	_, err := t.exec(`DELETE FROM sources WHERE hash = ANY ($1::text[])
		AND NOT EXISTS (SELECT 1 FROM source_users u WHERE u.source = sources.hash)`, hashes)
	return err
}

// Sources of a run, sorted by URL, then by hash.
func (d *DB) Sources(ctx context.Context, run string) ([]plumb.Source, error) {
	out, err := lists[plumb.Source](ctx, d, "sources", run, `SELECT json FROM run_sources WHERE run = `+runN+` ORDER BY url, source`, run)
	slices.SortFunc(out, func(a, b plumb.Source) int { // the column may be shortened
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Hash, b.Hash))
	})
	return out, err
}

// Text is the text with that hash, or ErrNotFound.
func (d *DB) Text(ctx context.Context, hash string) (string, error) {
	found, err := read(ctx, d, plain[[]byte], `SELECT text FROM sources WHERE hash = $1`, hash)
	if err == nil && len(found) == 0 {
		err = engine.ErrNotFound
	}
	if err != nil {
		return "", fmt.Errorf("text %s: %w", hash, err)
	}
	return string(found[0]), nil
}
