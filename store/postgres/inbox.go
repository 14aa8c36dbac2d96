package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

// Send puts a signal into the inbox of a run. One is sent at a time: otherwise a letter could become visible after one
// with a higher id, and whoever asks for those after the last it saw would never see it.
func (d *DB) Send(ctx context.Context, run string, s plumb.Signal, at time.Time) (id int64, err error) {
	body, err := form.JSON(s)
	if err != nil {
		return 0, form.AboutRun(run, err)
	}
	err = d.write(ctx, func(t *tx) error {
		n, err := t.number(run)
		if err != nil {
			return err
		}
		if _, err := t.exec(`SELECT pg_advisory_xact_lock($1)`, int64(lockInbox)); err != nil {
			return err
		}
		if err := t.get(`INSERT INTO inbox (run, at, signal) VALUES ($1, $2, $3) RETURNING id`, []any{n, form.Micros(at), body}, &id); err != nil || len(run) > maxHint/3 {
			return err
		}
		_, err = t.exec(`SELECT pg_notify($1, $2)`, Letters, fmt.Sprint(id, " ", run))
		return err
	})
	return id, form.AboutRun(run, err)
}

// Letters are the signals not yet in a journal, in the order sent, with an id above after; of every run if run is empty.
func (d *DB) Letters(ctx context.Context, run string, after int64) ([]engine.Letter, error) {
	out, err := read(ctx, d, func(row pgx.Row, l *engine.Letter) error {
		var at int64
		var body string
		if err := row.Scan(&l.ID, &l.Run, &at, &body); err != nil {
			return err
		}
		l.At = form.Time(at)
		return json.Unmarshal([]byte(body), &l.Signal)
	}, `SELECT l.id, r.id, l.at, l.signal FROM inbox l JOIN runs r ON r.n = l.run WHERE ($1 = '' OR r.id = $1) AND l.id > $2 ORDER BY l.id`, run, after)
	if err != nil {
		return nil, fmt.Errorf("letters: %w", err)
	}
	return out, nil
}
