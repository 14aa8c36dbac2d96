package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

// Send puts a signal into the inbox of a run.
func (d *DB) Send(ctx context.Context, run string, s plumb.Signal, at time.Time) (id int64, err error) {
	body, err := form.JSON(s)
	if err != nil {
		return 0, form.AboutRun(run, err)
	}
	err = d.writeTo(ctx, run, func(t *tx, n int64) error {
		return t.get(`INSERT INTO inbox (run, at, signal) VALUES (?, ?, ?) RETURNING id`, []any{n, form.Micros(at), body}, &id)
	})
	return id, form.AboutRun(run, err)
}

// Letters are the signals not yet in a journal, in the order sent, with an id above after; of every run if run is empty.
func (d *DB) Letters(ctx context.Context, run string, after int64) ([]engine.Letter, error) {
	query, args := `SELECT l.id, r.id, l.at, l.signal FROM inbox l JOIN runs r ON r.n = l.run WHERE l.id > ? ORDER BY l.id`, []any{after}
	if run != "" {
		query, args = `SELECT l.id, r.id, l.at, l.signal FROM runs r JOIN inbox l ON l.run = r.n WHERE r.id = ? AND l.id > ? ORDER BY l.id`, []any{run, after}
	}
	var out []engine.Letter
	err := d.read(ctx, func(rows *sql.Rows) error {
		var l engine.Letter
		var at int64
		var body sql.RawBytes
		if err := rows.Scan(&l.ID, &l.Run, &at, &body); err != nil {
			return err
		}
		l.At = form.Time(at)
		out = append(out, l)
		return json.Unmarshal(body, &out[len(out)-1].Signal)
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("letters: %w", err)
	}
	return out, nil
}

// takeLetter removes the letter that became an outcome, if there was one.
func (t *tx) takeLetter(run, id int64) error {
	if id == 0 {
		return nil
	}
	n, err := t.exec(`DELETE FROM inbox WHERE id = ? AND run = ?`, id, run)
	if err == nil && n == 0 {
		return fmt.Errorf("letter %d: %w", id, engine.ErrNotFound)
	}
	return err
}
