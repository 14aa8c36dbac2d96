package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

var _ engine.Ledger = (*DB)(nil)

// AddLedgerRow puts a model call on the bill.
func (d *DB) AddLedgerRow(ctx context.Context, row plumb.LedgerRow) error {
	return d.Settle(ctx, "", &row, nil)
}

// Settle lets go of a reservation, puts the row on the bill and keeps the recording, in one write. A reservation that is
// gone already is no error, and one that is settled again is billed once; a row without one is billed every time.
func (d *DB) Settle(ctx context.Context, reservation string, row *plumb.LedgerRow, rec *plumb.Recording) error {
	var body string
	if row != nil {
		var err error
		if body, err = form.LedgerRow(row); err != nil {
			return form.About(row.Run, "ledger", err)
		}
	}
	var tape *form.Tape
	if rec != nil {
		tape = form.NewTape(rec)
	}
	return d.write(ctx, func(t *tx) error {
		if reservation != "" {
			if _, err := t.exec(`DELETE FROM reservations WHERE id = $1`, reservation); err != nil {
				return fmt.Errorf("reservation %s: %w", reservation, err)
			}
		}
		if row != nil {
			if err := t.bill(reservation, row, body); err != nil {
				return form.About(row.Run, "ledger", err)
			}
		}
		if tape != nil {
			return t.keep(tape)
		}
		return nil
	})
}

// bill adds a row, unless the reservation was billed before.
func (t *tx) bill(reservation string, row *plumb.LedgerRow, body string) error {
	n, err := t.number(row.Run)
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO ledger (run, step, at, usd, tokens, reservation, row) VALUES ($1, $2, $3, $4, $5, nullif($6, ''), $7)
		ON CONFLICT (reservation) WHERE reservation IS NOT NULL DO NOTHING`,
		n, row.Step, form.Micros(row.At), row.USD, row.Input+row.Output, reservation, body)
	return err
}

// LedgerRows of a run in the order of their times, to the microsecond; then as they were added.
func (d *DB) LedgerRows(ctx context.Context, run string) ([]plumb.LedgerRow, error) {
	return lists[plumb.LedgerRow](ctx, d, "ledger", run, `SELECT row FROM ledger WHERE run = `+runN+` ORDER BY at, id`, run)
}

// Spent is the sum of a run's rows: their dollars, rounded once at the end so that the order does not matter, and their
// input and output tokens (cached ones are part of the input).
func (d *DB) Spent(ctx context.Context, run string) (spent plumb.Spent, err error) {
	err = d.ask(ctx, func(ctx context.Context, r reader) (err error) {
		spent, err = sum(ctx, r, `SELECT usd, tokens FROM ledger WHERE run = `+runN, run)
		return err
	})
	return spent, form.About(run, "ledger", err)
}

// sum adds up the rows of a query for dollars and tokens, without rounding before the end.
func sum(ctx context.Context, r reader, query string, args ...any) (plumb.Spent, error) {
	var total form.Sum
	err := each(ctx, r, func(row pgx.Row) error {
		var usd float64
		var tokens int64
		if err := row.Scan(&usd, &tokens); err != nil {
			return err
		}
		total.Add(usd, tokens)
		return nil
	}, query, args...)
	if err != nil {
		return plumb.Spent{}, err
	}
	return total.Spent(), nil
}
