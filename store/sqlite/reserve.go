package sqlite

import (
	"context"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/store/form"
)

var _ llm.Ledger = (*DB)(nil)

// Reserve sets an estimate aside, or fails with ErrBudget and sets nothing aside. No other process can do the same
// between the sum and the row: the transaction has the right to write from its beginning.
func (d *DB) Reserve(ctx context.Context, r llm.Reservation) error {
	if err := form.CheckReservation(&r); err != nil {
		return form.About(r.Run, "reservation", err)
	}
	var refused error // not an error of the write, which would make those beside it run again
	err := d.writeTo(ctx, r.Run, func(t *tx, n int64) error {
		var err error
		if refused, err = t.refuse(n, &r); err != nil || refused != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO reservations (id, run, step, usd, tokens) VALUES (?, ?, ?, ?, ?)`, r.ID, n, r.Step, r.USD, r.Tokens)
		if duplicate(err) {
			return fmt.Errorf("%s: %w", r.ID, engine.ErrExists)
		}
		return err
	})
	if err == nil {
		err = refused
	}
	return form.About(r.Run, "reservation", err)
}

// Forget drops what an attempt at a step that died had set aside.
func (d *DB) Forget(ctx context.Context, run, step string) error {
	return form.About(run, "reservations of "+step, d.writeTo(ctx, run, func(t *tx, n int64) error {
		_, err := t.exec(`DELETE FROM reservations WHERE run = ? AND step = ?`, n, step)
		return err
	}))
}

// refuse says why a reservation does not fit into what is left of its run or its step; nil when it does.
func (t *tx) refuse(run int64, r *llm.Reservation) (refused, err error) {
	refused, err = t.exceed(r, r.RunCap, "run", `WHERE run = ?`, run)
	if refused == nil && err == nil {
		refused, err = t.exceed(r, r.StepCap, "step", `WHERE run = ? AND step = ?`, run, r.Step)
	}
	return refused, err
}

// exceed says how a reservation would exceed a cap for the rows of used that the clause chooses.
func (t *tx) exceed(r *llm.Reservation, c llm.Cap, noun, where string, args ...any) (refused, err error) {
	if c == (llm.Cap{}) {
		return nil, nil
	}
	var use form.Use
	if err := t.get(`SELECT total(usd), coalesce(sum(tokens), 0) FROM used `+where, args, &use.All.USD, &use.All.Tokens); err != nil {
		return nil, err
	}
	if err := t.get(`SELECT total(usd), coalesce(sum(tokens), 0) FROM reservations `+where, args, &use.Held.USD, &use.Held.Tokens); err != nil {
		return nil, err
	}
	return form.Exceed(r, c, noun, use, func() (plumb.Spent, error) {
		return sum(t.ctx, t, `SELECT usd, tokens FROM used `+where+` UNION ALL SELECT ?, 0`, append(args, r.USD)...)
	})
}
