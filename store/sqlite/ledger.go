package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/big"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

var _ engine.Ledger = (*DB)(nil)

// AddLedgerRow puts a model call on the bill.
func (d *DB) AddLedgerRow(ctx context.Context, row plumb.LedgerRow) error {
	if math.IsNaN(row.USD) || math.IsInf(row.USD, 0) {
		return about(row.Run, "ledger", fmt.Errorf("a cost of %v dollars", row.USD))
	}
	body, err := encode(row)
	if err == nil {
		err = d.writeTo(ctx, row.Run, func(t *tx, n int64) error {
			_, err := t.exec(`INSERT INTO ledger (run, at, usd, tokens, row) VALUES (?, ?, ?, ?, ?)`,
				n, micros(row.At), row.USD, row.Input+row.Output, body)
			return err
		})
	}
	return about(row.Run, "ledger", err)
}

// LedgerRows of a run in the order of their times, to the microsecond; then as they were added.
func (d *DB) LedgerRows(ctx context.Context, run string) ([]plumb.LedgerRow, error) {
	return lists[plumb.LedgerRow](ctx, d, "ledger", run, `SELECT row FROM ledger WHERE run = `+runN+` ORDER BY at, id`, run)
}

// sumBits hold the sum of any number of amounts between 1e-60 and 1e60 dollars without rounding.
const sumBits = 512

// Spent is the sum of a run's rows: their dollars, rounded once at the end so that the order does not matter, and their
// input and output tokens (cached ones are part of the input).
func (d *DB) Spent(ctx context.Context, run string) (plumb.Spent, error) {
	var spent plumb.Spent
	usd := new(big.Float).SetPrec(sumBits)
	err := d.read(ctx, func(rows *sql.Rows) error {
		var x float64
		var tokens int64
		if err := rows.Scan(&x, &tokens); err != nil {
			return err
		}
		usd.Add(usd, big.NewFloat(x))
		spent.Tokens += tokens
		return nil
	}, `SELECT usd, tokens FROM ledger WHERE run = `+runN, run)
	if err != nil {
		return plumb.Spent{}, about(run, "ledger", err)
	}
	spent.USD, _ = usd.Float64()
	return spent, nil
}
