package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/plumbresearch/plumb/page"
	"github.com/plumbresearch/plumb/store/form"
)

var _ page.Cache = (*DB)(nil)

// Page gives what was kept last for a URL, however old.
func (d *DB) Page(ctx context.Context, url string) (k page.Kept, found bool, err error) {
	kept, err := read(ctx, d, plain[[]byte], `SELECT json FROM pages WHERE url = $1`, short(url))
	if err == nil && len(kept) > 0 {
		found = true
		err = json.Unmarshal(kept[0], &k)
	}
	if err != nil {
		err = fmt.Errorf("kept page: %w", err)
	}
	return k, found, err
}

// PutPage keeps a page in place of what there was, and lets go of old ones.
func (d *DB) PutPage(ctx context.Context, url string, k page.Kept) error {
	body, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("kept page: %w", err)
	}
	at := k.Page.Source.RetrievedAt
	err = d.write(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO pages (url, at, json) VALUES ($1, $2, $3) ON CONFLICT (url) DO UPDATE SET at = excluded.at, json = excluded.json`,
			short(url), form.Micros(at), body)
		if err != nil {
			return err
		}
		_, err = t.exec(`DELETE FROM pages WHERE at < $1`, form.Micros(at.Add(-form.KeptPages)))
		return err
	})
	return form.Named("kept page", err)
}
