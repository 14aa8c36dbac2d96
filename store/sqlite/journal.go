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

var _ engine.Store = (*DB)(nil)

// CreateRun stores a run that is at the beginning of its path. It counts as created when its question was asked.
func (d *DB) CreateRun(ctx context.Context, run *plumb.Run, lease engine.Lease) error {
	body, err := form.Run(run)
	if err != nil {
		return err
	}
	at := form.Micros(run.Asked.At)
	err = d.write(ctx, func(t *tx) error {
		var n int64
		if err := t.get(`INSERT INTO runs (id, kind, tenant, thread, question, created_at, run) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING n`,
			[]any{run.ID, run.Kind, run.Tenant, run.Thread, run.Asked.Text, at, body}, &n); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO run_states (run, state, outcomes, usd, tokens, updated_at, owner, lease_until) VALUES (?, ?, 0, ?, ?, ?, ?, ?)`,
			n, run.State(), run.Spent.USD, run.Spent.Tokens, at, lease.Owner, form.Until(lease))
		return err
	})
	if duplicate(err) {
		err = engine.ErrExists
	}
	return form.AboutRun(run.ID, err)
}

// LoadRun gives a run as it was created, with its journal, as of one moment.
func (d *DB) LoadRun(ctx context.Context, id string) (engine.Record, error) {
	rec := engine.Record{Attempts: map[string]int{}}
	err := d.snapshot(ctx, func(r reader) error {
		runs, err := list[plumb.Run](ctx, r, `SELECT run FROM runs WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			return engine.ErrNoRun
		}
		rec.Run = runs[0]
		rec.Journal, err = list[plumb.Outcome](ctx, r, `SELECT outcome FROM outcomes WHERE run = `+runN+` ORDER BY seq`, id)
		if err != nil {
			return err
		}
		return each(ctx, r, func(rows *sql.Rows) error {
			var step string
			var attempt int
			var last int64
			if err := rows.Scan(&step, &attempt, &last); err != nil {
				return err
			}
			if rec.LastSeq = max(rec.LastSeq, last); step != "" {
				rec.Attempts[step] = attempt
			}
			return nil
		}, `SELECT step, max(attempt), max(seq) FROM events WHERE run = `+runN+` GROUP BY step`, id)
	})
	if err != nil {
		return engine.Record{}, form.AboutRun(id, err)
	}
	return rec, nil
}

// Commit makes an outcome count. One statement checks owner and position, and holds the rest off if it finds no row.
func (d *DB) Commit(ctx context.Context, c *engine.Commit) error {
	outcome, events, err := form.Commit(c)
	if err != nil {
		return err
	}
	return form.AboutRun(c.Run, d.write(ctx, func(t *tx) error {
		n, err := t.advance(c)
		if err != nil {
			return err
		}
		if _, err := t.exec(`INSERT INTO outcomes (run, seq, outcome) VALUES (?, ?, ?)`, n, c.Seq, outcome); err != nil {
			return err
		}
		if err := t.insertEvents(n, c.Events, events); duplicate(err) {
			return fmt.Errorf("its events were numbered by somebody else: %w", engine.ErrNotOwner)
		} else if err != nil {
			return err
		}
		return t.takeLetter(n, c.Letter)
	}))
}

// advance changes the state of a run, if the commit is by its owner and the next, and gives the number of the run. The
// number is remembered: to look it up every time would make a commit a fifth more expensive.
func (t *tx) advance(c *engine.Commit) (int64, error) {
	n, remembered := t.numbers[c.Run]
	for {
		var err error
		if !remembered {
			if n, err = t.number(c.Run); err != nil {
				return 0, err
			}
		}
		changed, err := t.exec(`UPDATE run_states SET state = ?, usd = ?, tokens = ?, updated_at = max(updated_at, ?), outcomes = ?
			WHERE run = ? AND owner = ? AND outcomes = ?`,
			c.State, c.Spent.USD, c.Spent.Tokens, form.Micros(c.Outcome.At), c.Seq, n, c.Owner, c.Seq-1)
		switch {
		case err != nil:
			return 0, err
		case changed == 0 && remembered: // deleted by another process, and perhaps created again
			remembered = false
		case changed == 0:
			return 0, t.refused(c)
		default:
			t.remember(c.Run, n)
			return n, nil
		}
	}
}

// maxRemembered bounds the memory for numbers of runs, about 100 bytes each.
const maxRemembered = 50_000

func (t *tx) remember(run string, n int64) {
	if len(t.numbers) >= maxRemembered {
		clear(t.numbers)
	}
	t.numbers[run] = n
}

// refused says why a commit found no row to change.
func (t *tx) refused(c *engine.Commit) error {
	n, owner, err := t.owner(c.Run)
	if err != nil {
		return err
	}
	if owner != c.Owner {
		return engine.ErrNotOwner
	}
	var outcomes int
	if err := t.get(`SELECT outcomes FROM run_states WHERE run = ?`, []any{n}, &outcomes); err != nil {
		return err
	}
	return fmt.Errorf("outcome %d does not follow the %d in the journal: %w", c.Seq, outcomes, engine.ErrNotOwner)
}

// chosen is the part of a query after FROM that a filter makes.
func chosen(f engine.Filter) (string, []any) {
	query := ` FROM runs r JOIN run_states s ON s.run = r.n WHERE true`
	var args []any
	add := func(clause string, arg any) {
		query += clause
		args = append(args, arg)
	}
	if f.State != "" {
		add(` AND s.state = ?`, f.State)
	}
	if f.Thread != "" {
		add(` AND r.thread = ?`, f.Thread)
	}
	if f.Tenant != nil {
		add(` AND r.tenant = ?`, *f.Tenant)
	}
	if !f.Before.IsZero() {
		add(` AND s.updated_at < ?`, form.Micros(f.Before))
	}
	return query, args
}

// CountRuns is how many runs a filter chooses.
func (d *DB) CountRuns(ctx context.Context, f engine.Filter) (n int, err error) {
	from, args := chosen(f)
	err = d.read(ctx, func(rows *sql.Rows) error { return rows.Scan(&n) }, `SELECT count(*)`+from, args...)
	if err != nil {
		return 0, fmt.Errorf("runs: %w", err)
	}
	return n, nil
}

// Runs lists runs, newest first.
func (d *DB) Runs(ctx context.Context, f engine.Filter) ([]engine.Summary, error) {
	from, args := chosen(f)
	query := `SELECT r.id, s.state, r.question, r.kind, r.thread, r.tenant, r.created_at, s.updated_at, s.usd, s.tokens, s.owner` + from +
		` ORDER BY r.created_at DESC, r.id DESC LIMIT ? OFFSET ?`
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	args = append(args, limit, max(f.Offset, 0))
	var out []engine.Summary
	err := d.read(ctx, func(rows *sql.Rows) error {
		var s engine.Summary
		var created, updated int64
		if err := rows.Scan(&s.ID, &s.State, &s.Question, &s.Kind, &s.Thread, &s.Tenant, &created, &updated,
			&s.Spent.USD, &s.Spent.Tokens, &s.Owner); err != nil {
			return err
		}
		s.CreatedAt, s.UpdatedAt = form.Time(created), form.Time(updated)
		out = append(out, s)
		return nil
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	return out, nil
}

// DeleteRun removes a run that nobody owns with all its rows, and the texts that nobody else uses.
func (d *DB) DeleteRun(ctx context.Context, id string) error {
	return form.AboutRun(id, d.write(ctx, func(t *tx) error {
		n, owner, err := t.owner(id)
		if err != nil {
			return err
		}
		if owner != "" {
			return engine.ErrNotOwner
		}
		var hashes string
		if err := t.get(`SELECT json_group_array(DISTINCT source) FROM run_sources WHERE run = ?`, []any{n}, &hashes); err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM runs WHERE n = ?`, n); err != nil {
			return err
		}
		return t.sweep(hashes)
	}))
}

// runN is the number of the run whose id is the parameter, for WHERE clauses.
const runN = `(SELECT n FROM runs WHERE id = ?)`

// number is the number of a run, or ErrNoRun.
func (t *tx) number(run string) (n int64, err error) {
	err = t.get(`SELECT n FROM runs WHERE id = ?`, []any{run}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, engine.ErrNoRun
	}
	return n, err
}

// writeTo is write for rows of a run, whose number it finds.
func (d *DB) writeTo(ctx context.Context, run string, do func(t *tx, n int64) error) error {
	return d.write(ctx, func(t *tx) error {
		n, err := t.number(run)
		if err != nil {
			return err
		}
		return do(t, n)
	})
}
