package sqlite

import (
	"context"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

// AppendEvents stores events outside of a commit, all or none. A number that is taken already is refused with ErrExists.
func (d *DB) AppendEvents(ctx context.Context, events []plumb.Event) error {
	if len(events) == 0 {
		return nil
	}
	bodies, err := form.JSONOfEach(events)
	if err != nil {
		return form.AboutRun(events[0].Run, err)
	}
	return d.write(ctx, func(t *tx) error {
		for i, e := range events {
			n, err := t.number(e.Run)
			if err == nil {
				err = t.insertEvents(n, events[i:i+1], bodies[i:i+1])
			}
			if duplicate(err) {
				err = fmt.Errorf("event %d: %w", e.Seq, engine.ErrExists)
			}
			if err != nil {
				return form.AboutRun(e.Run, err)
			}
		}
		return nil
	})
}

// insertEvents adds events of the run with that number.
func (t *tx) insertEvents(run int64, events []plumb.Event, bodies []string) error {
	for i, e := range events {
		if _, err := t.exec(`INSERT INTO events (run, seq, step, attempt, event) VALUES (?, ?, ?, ?, ?)`,
			run, e.Seq, e.Step, e.Attempt, bodies[i]); err != nil {
			return err
		}
	}
	return nil
}

// Events are those of a run after a seq, in order, without voided ones. Limit 0: all.
func (d *DB) Events(ctx context.Context, run string, after int64, limit int) ([]plumb.Event, error) {
	if limit <= 0 {
		limit = -1
	}
	return lists[plumb.Event](ctx, d, "events", run,
		`SELECT event FROM events WHERE run = `+runN+` AND seq > ? AND void = 0 ORDER BY seq LIMIT ?`, run, after, limit)
}

// VoidEvents hides what attempts of a step before the given one had shown.
func (d *DB) VoidEvents(ctx context.Context, run, step string, before int) error {
	return form.AboutRun(run, d.writeTo(ctx, run, func(t *tx, n int64) error {
		_, err := t.exec(`UPDATE events SET void = 1 WHERE run = ? AND step = ? AND attempt < ? AND void = 0`, n, step, before)
		return err
	}))
}
