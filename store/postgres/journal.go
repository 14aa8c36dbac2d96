package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

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
		_, err := t.exec(`WITH created AS (
				INSERT INTO runs (id, kind, tenant, thread, question, created_at, run) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING n)
			INSERT INTO run_states (run, state, outcomes, usd, tokens, updated_at, owner, lease_until) SELECT n, $8, 0, $9, $10, $6, $11, $12 FROM created`,
			run.ID, run.Kind, run.Tenant, run.Thread, run.Asked.Text, at, body, run.State(), run.Spent.USD, run.Spent.Tokens, lease.Owner, form.Until(lease))
		return err
	})
	if duplicate(err) {
		err = engine.ErrExists
	}
	return form.AboutRun(run.ID, err)
}

// LoadRun gives a run as it was created, with its journal, as of one moment.
func (d *DB) LoadRun(ctx context.Context, id string) (engine.Record, error) {
	var rec engine.Record
	err := d.snapshot(ctx, func(ctx context.Context, r reader) error {
		rec = engine.Record{Attempts: map[string]int{}}
		runs, err := list[plumb.Run](ctx, r, `SELECT run FROM runs WHERE id = $1`, id)
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
		return each(ctx, r, func(row pgx.Row) error {
			var step string
			var attempt int
			var last int64
			if err := row.Scan(&step, &attempt, &last); err != nil {
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

// advance is a commit whole, in one statement and thus one exchange with the server: the first part checks owner, position
// and letter, and holds the rest off if it finds no row.
const advance = `WITH advanced AS (
		UPDATE run_states s SET state = $2, usd = $3, tokens = $4, updated_at = greatest(s.updated_at, $5), outcomes = $6
		FROM runs r WHERE r.id = $1 AND s.run = r.n AND s.owner = $7 AND s.outcomes = $6 - 1
			AND ($8::bigint = 0 OR EXISTS (SELECT 1 FROM inbox l WHERE l.id = $8 AND l.run = r.n))
		RETURNING s.run),
	journal AS (INSERT INTO outcomes (run, seq, outcome) SELECT run, $6, $9 FROM advanced),
	told AS (INSERT INTO events (run, seq, step, attempt, event)
		SELECT a.run, e.seq, e.step, e.attempt, e.event FROM advanced a, unnest($10::bigint[], $11::text[], $12::bigint[], $13::text[]) e (seq, step, attempt, event)),
	taken AS (DELETE FROM inbox WHERE id = $8 AND run IN (SELECT run FROM advanced))
	SELECT count(*) FROM advanced`

// Commit makes an outcome count.
func (d *DB) Commit(ctx context.Context, c *engine.Commit) error {
	outcome, bodies, err := form.Commit(c)
	if err != nil {
		return err
	}
	if d.o.ReadOnly {
		return form.AboutRun(c.Run, d.readOnly(nil))
	}
	told := columns(c.Events)
	args := []any{c.Run, c.State, c.Spent.USD, c.Spent.Tokens, form.Micros(c.Outcome.At), c.Seq, c.Owner, c.Letter, outcome, told.seqs, told.steps, told.attempts, bodies}
	err = d.commit(ctx, c, outcome, args)
	if duplicate(err) {
		err = fmt.Errorf("its events were numbered by somebody else: %w", engine.ErrNotOwner)
	}
	if err != nil {
		return form.AboutRun(c.Run, d.explain(err))
	}
	if n := len(c.Events); n > 0 {
		d.hints.tell(c.Run, c.Events[n-1].Seq)
	}
	return nil
}

// commit does so until the connection holds. A commit that is refused after an attempt of which the answer was lost
// counts if that attempt did: the outcome at its place is ours.
func (d *DB) commit(ctx context.Context, c *engine.Commit, outcome string, args []any) error {
	tried := false
	return d.again(ctx, func() error {
		err := d.alone(ctx, func(ctx context.Context, conn *conn) error {
			var advanced int
			if err := conn.QueryRow(ctx, advance, args...).Scan(&advanced); err != nil || advanced > 0 {
				return err
			}
			if tried {
				there, err := collect(ctx, conn, plain[string], `SELECT outcome FROM outcomes WHERE run = `+runN+` AND seq = $2`, c.Run, c.Seq)
				if err != nil || len(there) == 1 && there[0] == outcome {
					return err
				}
			}
			return refused(ctx, conn, c)
		})
		tried = tried || lost(err)
		return err
	})
}

// refused says why a commit found no row to change.
func refused(ctx context.Context, r reader, c *engine.Commit) error {
	var owner string
	outcomes := -1
	if err := each(ctx, r, func(row pgx.Row) error { return row.Scan(&owner, &outcomes) },
		`SELECT owner, outcomes FROM run_states WHERE run = `+runN, c.Run); err != nil {
		return err
	}
	switch {
	case outcomes < 0:
		return engine.ErrNoRun
	case owner != c.Owner:
		return engine.ErrNotOwner
	case outcomes != c.Seq-1:
		return fmt.Errorf("outcome %d does not follow the %d in the journal: %w", c.Seq, outcomes, engine.ErrNotOwner)
	case c.Letter == 0: // it was let go of just now
		return engine.ErrNotOwner
	}
	return fmt.Errorf("letter %d: %w", c.Letter, engine.ErrNotFound)
}

// chosen is the part of a query after FROM that a filter makes.
func chosen(f engine.Filter) (string, []any) {
	query := ` FROM runs r JOIN run_states s ON s.run = r.n WHERE true`
	var args []any
	add := func(clause string, arg any) {
		args = append(args, arg)
		query += clause + "$" + strconv.Itoa(len(args))
	}
	if f.State != "" {
		add(` AND s.state = `, f.State)
	}
	if f.Thread != "" {
		add(` AND r.thread = `, f.Thread)
	}
	if f.Tenant != nil {
		add(` AND r.tenant = `, *f.Tenant)
	}
	if !f.Before.IsZero() {
		add(` AND s.updated_at < `, form.Micros(f.Before))
	}
	return query, args
}

// CountRuns is how many runs a filter chooses.
func (d *DB) CountRuns(ctx context.Context, f engine.Filter) (int, error) {
	from, args := chosen(f)
	n, err := read(ctx, d, plain[int], `SELECT count(*)`+from, args...)
	if err != nil {
		return 0, fmt.Errorf("runs: %w", err)
	}
	return n[0], nil
}

// Runs lists runs, newest first.
func (d *DB) Runs(ctx context.Context, f engine.Filter) ([]engine.Summary, error) {
	from, args := chosen(f)
	out, err := read(ctx, d, func(row pgx.Row, s *engine.Summary) error {
		var created, updated int64
		err := row.Scan(&s.ID, &s.State, &s.Question, &s.Kind, &s.Thread, &s.Tenant, &created, &updated, &s.Spent.USD, &s.Spent.Tokens, &s.Owner)
		s.CreatedAt, s.UpdatedAt = form.Time(created), form.Time(updated)
		return err
	}, `SELECT r.id, s.state, r.question, r.kind, r.thread, r.tenant, r.created_at, s.updated_at, s.usd, s.tokens, s.owner`+from+
		` ORDER BY r.created_at DESC, r.id DESC`+window(f.Limit, f.Offset), args...)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	return out, nil
}

// window is the end of a query that lists; limit 0: all.
func window(limit, offset int) string {
	if limit <= 0 {
		return fmt.Sprintf(` OFFSET %d`, max(offset, 0))
	}
	return fmt.Sprintf(` LIMIT %d OFFSET %d`, limit, max(offset, 0))
}

// DeleteRun removes a run that nobody owns with all its rows, and the texts that nobody else uses.
func (d *DB) DeleteRun(ctx context.Context, id string) error {
	return form.AboutRun(id, d.write(ctx, func(t *tx) error {
		n, owner, err := t.owner(id, ` FOR UPDATE`)
		if err != nil {
			return err
		}
		if owner != "" {
			return engine.ErrNotOwner
		}
		hashes, err := collect(t.ctx, t, plain[string], `SELECT DISTINCT source FROM run_sources WHERE run = $1`, n)
		if err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM runs WHERE n = $1`, n); err != nil {
			return err
		}
		return t.sweep(hashes)
	}))
}

// runN is the number of the run whose id is the first parameter, for WHERE clauses.
const runN = `(SELECT n FROM runs WHERE id = $1)`

// number is the number of a run, or ErrNoRun.
func (t *tx) number(run string) (n int64, err error) {
	err = t.get(`SELECT n FROM runs WHERE id = $1`, []any{run}, &n)
	return found(n, err)
}

// take is number, after which no other process writes to the run in this way until the transaction ends. Journal and
// events go on.
func (t *tx) take(run string) (n int64, err error) {
	err = t.get(`SELECT n, pg_advisory_xact_lock($2::bigint + n) FROM runs WHERE id = $1`, []any{run, int64(lockBase)}, &n, nil)
	return found(n, err)
}

func found(n int64, err error) (int64, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, engine.ErrNoRun
	}
	return n, err
}

// writeTo is write for rows of a run, whose number it finds. Those for one run are done one after the other.
func (d *DB) writeTo(ctx context.Context, run string, do func(t *tx, n int64) error) error {
	return d.write(ctx, func(t *tx) error {
		n, err := t.take(run)
		if err != nil {
			return err
		}
		return do(t, n)
	})
}
