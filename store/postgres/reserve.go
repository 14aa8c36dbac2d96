package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

var _ llm.Ledger = (*DB)(nil)

// Reserve sets an estimate aside, or fails with ErrBudget and sets nothing aside. No other process can do the same for
// the run between the sum and the row: see take.
func (d *DB) Reserve(ctx context.Context, r llm.Reservation) error {
	if r.ID == "" || math.IsNaN(r.USD) || math.IsInf(r.USD, 0) || r.USD < 0 || r.Tokens < 0 {
		return about(r.Run, "reservation", fmt.Errorf("%q: %v dollars and %d tokens can't be set aside", r.ID, r.USD, r.Tokens))
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
	return about(r.Run, "reservation", err)
}

// Forget drops what an attempt at a step that died had set aside.
func (d *DB) Forget(ctx context.Context, run, step string) error {
	return about(run, "reservations of "+step, d.writeTo(ctx, run, func(t *tx, n int64) error {
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

// closeBy is how near to a cap, as a share of it, the server's sum in floats is not trusted. It is right to the last few
// digits, depending on the order of the rows.
const closeBy = 1e-9

// exceed says how a reservation would exceed a cap for the rows of used that the clause chooses.
func (t *tx) exceed(r *llm.Reservation, c llm.Cap, noun, where string, args ...any) error {
	if c == (llm.Cap{}) {
		return nil
	}
	var with, held plumb.Spent
	if err := t.get(`SELECT coalesce(sum(usd), 0), coalesce(sum(tokens), 0)::bigint, coalesce(sum(usd) FILTER (WHERE held), 0), coalesce(sum(tokens) FILTER (WHERE held), 0)::bigint
		FROM (SELECT run, step, usd, tokens, false AS held FROM ledger UNION ALL SELECT run, step, usd, tokens, true FROM reservations) u `+where,
		args, &with.USD, &with.Tokens, &held.USD, &held.Tokens); err != nil {
		return err
	}
	over := &llm.OverBudget{Unit: noun == "step"}
	if c.Tokens != 0 && with.Tokens > c.Tokens-r.Tokens {
		over.Tokens, over.Soon = true, with.Tokens-held.Tokens <= c.Tokens-r.Tokens
		return fmt.Errorf("%d tokens of the %s are gone, %d more exceed its %d: %w", with.Tokens, noun, r.Tokens, c.Tokens, over)
	}
	with.USD += r.USD
	if math.Abs(with.USD-c.USD) <= closeBy*math.Abs(c.USD) {
		var err error
		if with, err = sum(t.ctx, t, fmt.Sprintf(`SELECT usd, tokens FROM used %s UNION ALL SELECT $%d::double precision, 0`, where, len(args)+1), append(args, r.USD)...); err != nil {
			return err
		}
	}
	if c.USD != 0 && with.USD > c.USD {
		over.Soon = held.USD > 0 && with.USD-held.USD <= c.USD*(1-closeBy)
		return fmt.Errorf("with %.4f dollars more the %s would come to %.4f, over its %.4f: %w", r.USD, noun, with.USD, c.USD, over)
	}
	return nil
}
