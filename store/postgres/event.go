package postgres

import (
	"context"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

// eventColumns are events as a statement takes them.
type eventColumns struct {
	runs, steps    []string
	seqs, attempts []int64
}

func columns(events []plumb.Event) (c eventColumns) {
	for _, e := range events {
		c.runs, c.seqs = append(c.runs, e.Run), append(c.seqs, e.Seq)
		c.steps, c.attempts = append(c.steps, e.Step), append(c.attempts, int64(e.Attempt))
	}
	return c
}

// AppendEvents stores events outside of a commit, all or none. A number that is taken already is refused with ErrExists.
func (d *DB) AppendEvents(ctx context.Context, events []plumb.Event) error {
	if len(events) == 0 {
		return nil
	}
	bodies, err := form.JSONOfEach(events)
	if err != nil {
		return form.AboutRun(events[0].Run, err)
	}
	told := columns(events)
	err = d.write(ctx, func(t *tx) error {
		n, err := t.exec(`INSERT INTO events (run, seq, step, attempt, event)
			SELECT r.n, e.seq, e.step, e.attempt, e.event FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[]) e (run, seq, step, attempt, event)
			JOIN runs r ON r.id = e.run`, told.runs, told.seqs, told.steps, told.attempts, bodies)
		if err != nil || n == int64(len(events)) {
			return err
		}
		for _, e := range events {
			if _, err := t.number(e.Run); err != nil {
				return form.AboutRun(e.Run, err)
			}
		}
		return fmt.Errorf("%d events of %d found their run", n, len(events))
	})
	if duplicate(err) {
		err = form.AboutRun(events[0].Run, fmt.Errorf("events from %d on: %w", events[0].Seq, engine.ErrExists))
	}
	if err != nil {
		return err
	}
	for i, e := range events {
		if i+1 == len(events) || events[i+1].Run != e.Run {
			d.hints.tell(e.Run, e.Seq)
		}
	}
	return nil
}

// Events are those of a run after a seq, in order, without voided ones. Limit 0: all.
func (d *DB) Events(ctx context.Context, run string, after int64, limit int) ([]plumb.Event, error) {
	return lists[plumb.Event](ctx, d, "events", run,
		`SELECT event FROM events WHERE run = `+runN+` AND seq > $2 AND void = 0 ORDER BY seq`+window(limit, 0), run, after)
}

// VoidEvents hides what attempts of a step before the given one had shown.
func (d *DB) VoidEvents(ctx context.Context, run, step string, before int) error {
	return form.AboutRun(run, d.write(ctx, func(t *tx) error {
		n, err := t.number(run)
		if err == nil {
			_, err = t.exec(`UPDATE events SET void = 1 WHERE run = $1 AND step = $2 AND attempt < $3 AND void = 0`, n, step, before)
		}
		return err
	}))
}
