package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

// Acquire takes the run if it is free, its lease is over at now, or owner has it already, and says who holds it.
func (d *DB) Acquire(ctx context.Context, run, owner string, now, until time.Time) (holder string, err error) {
	if owner == "" {
		return "", form.AboutRun(run, errors.New("a lease needs an owner"))
	}
	err = d.write(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE run_states SET owner = ?, lease_until = ?
			WHERE run = `+runN+` AND (owner = '' OR owner = ? OR lease_until <= ?)`, owner, form.Micros(until), run, owner, form.Micros(now))
		if holder = owner; err != nil || n > 0 {
			return err
		}
		_, holder, err = t.owner(run)
		return err
	})
	if err != nil {
		return "", form.AboutRun(run, err)
	}
	return holder, nil
}

// TakeOver takes the run from an owner that is known to be dead; false when somebody else was quicker.
func (d *DB) TakeOver(ctx context.Context, run, from, owner string, until time.Time) (bool, error) {
	if owner == "" {
		return false, form.AboutRun(run, errors.New("a lease needs an owner"))
	}
	var taken bool
	err := d.write(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE run_states SET owner = ?, lease_until = ? WHERE run = `+runN+` AND owner = ?`, owner, form.Micros(until), run, from)
		if taken = n > 0; err != nil || taken {
			return err
		}
		_, _, err = t.owner(run)
		return err
	})
	return taken && err == nil, form.AboutRun(run, err)
}

// Renew prolongs all leases of the owner.
func (d *DB) Renew(ctx context.Context, owner string, until time.Time) error {
	err := d.write(ctx, func(t *tx) error {
		_, err := t.exec(`UPDATE run_states SET lease_until = ? WHERE owner = ? AND owner <> ''`, form.Micros(until), owner)
		return err
	})
	return form.Named("leases of "+owner, err)
}

// Release gives the run free, if owner has it.
func (d *DB) Release(ctx context.Context, run, owner string) error {
	return form.AboutRun(run, d.write(ctx, func(t *tx) error {
		_, err := t.exec(`UPDATE run_states SET owner = '', lease_until = 0 WHERE run = `+runN+` AND owner = ?`, run, owner)
		return err
	}))
}

// owner says who has a run, and its number, or that there is none.
func (t *tx) owner(run string) (n int64, owner string, err error) {
	err = t.get(`SELECT run, owner FROM run_states WHERE run = `+runN, []any{run}, &n, &owner)
	if errors.Is(err, sql.ErrNoRows) {
		err = engine.ErrNoRun
	}
	return n, owner, err
}
