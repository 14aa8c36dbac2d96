package postgres

import (
	"context"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/store/form"
)

var _ llm.Ledger = (*DB)(nil)

// Reserve sets an estimate aside, or fails with ErrBudget and sets nothing aside. No other process can do the same for
// the run between the sum and the row: see take.
func (d *DB) Reserve(ctx context.Context, r llm.Reservation) error {
	if err := form.CheckReservation(&r); err != nil {
		return form.About(r.Run, "reservation", err)
	}
	err := d.writeTo(ctx, r.Run, func(t *tx, n int64) error {
		if err := t.refuse(n, &r); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO reservations (id, run, step, usd, tokens) VALUES ($1, $2, $3, $4, $5)`, r.ID, n, r.Step, r.USD, r.Tokens)
		return err
	})
	if duplicate(err) {
		err = fmt.Errorf("%s: %w", r.ID, engine.ErrExists)
	}
	return form.About(r.Run, "reservation", err)
}

// Forget drops what an attempt at a step that died had set aside.
func (d *DB) Forget(ctx context.Context, run, step string) error {
	return form.About(run, "reservations of "+step, d.writeTo(ctx, run, func(t *tx, n int64) error {
		_, err := t.exec(`DELETE FROM reservations WHERE run = $1 AND step = $2`, n, step)
		return err
	}))
}

// refuse says why a reservation does not fit into what is left of its run or its step; nil when it does.
func (t *tx) refuse(run int64, r *llm.Reservation) error {
	err := t.exceed(r, r.RunCap, "run", `WHERE run = $1`, run)
	if err == nil {
		err = t.exceed(r, r.StepCap, "step", `WHERE run = $1 AND step = $2`, run, r.Step)
	}
	return err
}

// exceed says how a reservation would exceed a cap for the rows of used that the clause chooses.
func (t *tx) exceed(r *llm.Reservation, c llm.Cap, noun, where string, args ...any) error {
	if c == (llm.Cap{}) {
		return nil
	}
	var use form.Use
	if err := t.get(`SELECT coalesce(sum(usd), 0), coalesce(sum(tokens), 0)::bigint, coalesce(sum(usd) FILTER (WHERE held), 0), coalesce(sum(tokens) FILTER (WHERE held), 0)::bigint
		FROM (SELECT run, step, usd, tokens, false AS held FROM ledger UNION ALL SELECT run, step, usd, tokens, true FROM reservations) u `+where,
		args, &use.All.USD, &use.All.Tokens, &use.Held.USD, &use.Held.Tokens); err != nil {
		return err
	}
	refused, err := form.Exceed(r, c, noun, use, func() (plumb.Spent, error) {
		return sum(t.ctx, t, fmt.Sprintf(`SELECT usd, tokens FROM used %s UNION ALL SELECT $%d::double precision, 0`, where, len(args)+1), append(args, r.USD)...)
	})
	if err != nil {
		return err
	}
	return refused
}
