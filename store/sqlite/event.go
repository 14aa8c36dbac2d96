package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// AppendEvents stores events outside of a commit. A number that is taken already is refused with ErrExists.
func (d *DB) AppendEvents(ctx context.Context, events []plumb.Event) error {
	if len(events) == 0 {
		return nil
	}
	rows, err := encodeEvents("", events)
	if err == nil {
		err = d.write(ctx, func(t *tx) error { return t.insertEvents(rows) })
	}
	if duplicate(err) {
		err = fmt.Errorf("events from %d: %w", events[0].Seq, engine.ErrExists)
	}
	return aboutRun(events[0].Run, noRun(err))
}

func (t *tx) insertEvents(rows []row) error {
	for _, r := range rows {
		if _, err := t.exec(`INSERT INTO events (run, seq, step, attempt, event) VALUES (?, ?, ?, ?, ?)`,
			r.run, r.seq, r.step, r.attempt, r.body); err != nil {
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
		`SELECT event FROM events WHERE run = ? AND seq > ? AND void = 0 ORDER BY seq LIMIT ?`, run, after, limit)
}

// VoidEvents hides what attempts of a step before the given one had shown.
func (d *DB) VoidEvents(ctx context.Context, run, step string, before int) error {
	return aboutRun(run, d.write(ctx, func(t *tx) error {
		_, err := t.exec(`UPDATE events SET void = 1 WHERE run = ? AND step = ? AND attempt < ? AND void = 0`, run, step, before)
		return err
	}))
}

// row is an event ready to be inserted.
type row struct {
	run     string
	seq     int64
	step    string
	attempt int
	body    string
}

// encodeEvents makes rows of events. If run is not empty, all must be of that run.
func encodeEvents(run string, events []plumb.Event) ([]row, error) {
	out := make([]row, len(events))
	for i, e := range events {
		if run != "" && e.Run != run {
			return nil, fmt.Errorf("event %d is of run %q", e.Seq, e.Run)
		}
		b, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		out[i] = row{e.Run, e.Seq, e.Step, e.Attempt, string(b)}
	}
	return out, nil
}
