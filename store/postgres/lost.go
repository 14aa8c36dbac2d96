package postgres

// Connections that break: what was under way is done again where it can be known that it did not count.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/store/form"
)

// lostError is what a call answers with when its connection broke, or none could be made.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

func lost(err error) bool {
	var l lostError
	return errors.As(err, &l)
}

// broken marks an error after which the connection is no longer there, unless the call's own time was over.
func broken(ctx context.Context, c *conn, err error) error {
	if err == nil || !c.IsClosed() || ctx.Err() != nil || lost(err) {
		return err
	}
	return lostError{err}
}

// notConnected marks an error in connecting that may pass. That a server is there and says no does not.
func notConnected(ctx context.Context, err error) error {
	if code := codeOf(err); err == nil || ctx.Err() != nil || code != "" && !passing[code] {
		return err
	}
	return lostError{err}
}

// passing are the answers of a server that stops, starts or is full.
var passing = map[string]bool{
	"57P01": true, // admin_shutdown
	"57P02": true, // crash_shutdown
	"57P03": true, // cannot_connect_now
	"53300": true, // too_many_connections
}

// errGone is what a transaction answers with that found a row and then did not.
var errGone = errors.New("a row is gone")

// inTheWay reports whether others were in the way of a transaction: done again it succeeds, or is refused for a reason.
func inTheWay(err error) bool {
	switch codeOf(err) {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return true
	case "23503": // foreign_key_violation: a row that was found is deleted meanwhile, or one to delete is used again
		return true
	case "0A000": // feature_not_supported: the schema was changed under a prepared statement
		return strings.Contains(err.Error(), "cached plan")
	}
	return errors.Is(err, errGone)
}

// Pauses between attempts. The first one follows at once.
const (
	firstPause = 5 * time.Millisecond
	maxPause   = 500 * time.Millisecond
)

// again does f until its connection holds and nobody is in its way, for as long as the store waits, and at least once more.
func (d *DB) again(ctx context.Context, f func() error) error {
	until := time.Now().Add(d.o.Wait)
	for pause := time.Duration(0); ; pause = min(max(2*pause, firstPause), maxPause) {
		err := f()
		if !lost(err) && !inTheWay(err) || pause > 0 && time.Now().Add(pause).After(until) {
			return err
		}
		if !rest(ctx, pause) {
			return err
		}
	}
}

// rest waits, unless ctx ends before.
func rest(ctx context.Context, pause time.Duration) bool {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// errUnknown is the one case in which a write can't be done again.
var errUnknown = errors.New("whether it counts is unknown")

// fate says what became of a transaction whose connection broke: nil if it counts, a lostError if it does not. A server
// that has not noticed yet is made to, also because the transaction holds what others wait for.
func (d *DB) fate(ctx context.Context, id string, committing bool, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	var status string
	err := d.again(ctx, func() (err error) {
		status, err = d.end(ctx, id)
		return err
	})
	switch {
	case err == nil && status == "committed":
		return nil
	case err == nil && status == "aborted" || !committing:
		return cause
	}
	return fmt.Errorf("%w: %s", errUnknown, form.OneLine(cause)) // not a lostError: nobody may do it again
}

// end asks for the state of a transaction. One that is still in progress is ended, and to be asked for again.
func (d *DB) end(ctx context.Context, id string) (status string, err error) {
	c, err := d.pool.take(ctx)
	if err != nil {
		return "", err
	}
	defer d.pool.give(c)
	err = c.QueryRow(ctx, `SELECT coalesce(pg_xact_status($1::text::xid8), '')`, id).Scan(&status)
	if err == nil && status == "in progress" {
		if _, err = c.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = $1::text::xid8::xid AND pid <> pg_backend_pid()`, id); err == nil {
			err = lostError{errors.New("a transaction does not end")}
		}
	}
	return status, broken(ctx, c, err)
}

// late replaces the end of a call's own time by an error that says so. The caller's own end stays what it is.
func late(ctx, own context.Context, err error) error {
	if err != nil && own.Err() != nil && ctx.Err() == nil {
		return &tooLate{err}
	}
	return err
}

type tooLate struct{ error }

func (e *tooLate) Unwrap() error { return e.error }
