package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	codes "modernc.org/sqlite/lib"
)

// Bounds of one transaction: after this many writes, or this time, it is committed and the rest waits for the next.
const (
	maxBatch = 4096
	maxWork  = 20 * time.Millisecond // with 10,000 runs at work, 5 ms made their outcomes a third more expensive
)

// job is a write on its way through the writer.
type job struct {
	do     func(*tx) error
	at     time.Time
	taken  atomic.Bool   // by the writer, which will answer, or by a caller who gave up before
	given  chan struct{} // closed by a caller who gave up
	answer chan error
}

// write hands do to the writer and returns when what it did is durable, or did not count. The writer runs it in one
// transaction with others that wait, and undoes it alone if it fails; if another one fails, do may be run a second time
// after all it did was undone. It must not call write itself. A context that
// ends is heeded until do begins; after that the answer says whether it counted.
func (d *DB) write(ctx context.Context, do func(*tx) error) error {
	if d.o.ReadOnly {
		return d.readOnly(d.path, nil)
	}
	j := &job{do: do, at: time.Now(), given: make(chan struct{}), answer: make(chan error, 1)}
	if err := d.enqueue(ctx, j); err != nil {
		return err
	}
	select {
	case err := <-j.answer:
		return d.explain(err)
	case <-ctx.Done():
	}
	if j.taken.CompareAndSwap(false, true) {
		close(j.given)
		return ctx.Err()
	}
	return d.explain(<-j.answer)
}

func (d *DB) enqueue(ctx context.Context, j *job) error {
	d.closing.RLock()
	defer d.closing.RUnlock()
	if d.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeAll is the writer: it ends when the store is closed and all that waits is written.
func (d *DB) writeAll() {
	defer close(d.stopped)
	for j := range d.jobs {
		d.writeBatch(j)
	}
}

// writeBatch runs first and whatever waits behind it in one transaction, and answers all.
func (d *DB) writeBatch(first *job) {
	until := first.at.Add(d.o.Wait)
	if least := time.Now().Add(d.o.Wait / 10); until.Before(least) { // it waited for our own writes, not for a lock
		until = least
	}
	if err := d.begin(d.tx.ctx, until, first.given); err != nil {
		if first.taken.CompareAndSwap(false, true) {
			first.answer <- err
		}
		return
	}
	batch, err := d.gather(first)
	if err != nil {
		d.separate(batch, err)
		return
	}
	d.end(batch, nil)
}

// gather runs writes until none waits, the batch is full or one fails, and returns all that were taken; the last one is
// the one that failed. They run without savepoints, which would be a fifth of their cost.
func (d *DB) gather(first *job) (batch []*job, err error) {
	begun := time.Now()
	for j := first; j != nil && err == nil; j = d.next(len(batch), begun) {
		if j.taken.CompareAndSwap(false, true) {
			batch = append(batch, j)
			err = j.do(d.tx)
		}
		if err != nil {
			break
		}
	}
	return batch, err
}

// separate answers a batch of which the last write failed: that one is undone with all the others, which are then run
// again, each behind a savepoint. A write alone needs no second run.
func (d *DB) separate(batch []*job, failed error) {
	if err := d.rollback(); err != nil || len(batch) == 1 {
		for _, j := range batch {
			j.answer <- errors.Join(failed, err)
		}
		return
	}
	if err := d.begin(d.tx.ctx, time.Now().Add(d.o.Wait), nil); err != nil {
		for _, j := range batch {
			j.answer <- err
		}
		return
	}
	var kept []*job
	for i, j := range batch {
		undone, err := d.run(j)
		if err != nil {
			d.end(append(kept, batch[i:]...), err)
			return
		}
		if undone != nil {
			j.answer <- undone
			continue
		}
		kept = append(kept, j)
	}
	d.end(kept, nil)
}

// end commits what was written, unless an error took the transaction with it, and answers.
func (d *DB) end(batch []*job, err error) {
	if err == nil && len(batch) > 0 {
		_, err = d.tx.exec("COMMIT")
	}
	if err != nil || len(batch) == 0 {
		err = errors.Join(err, d.rollback())
	}
	for _, j := range batch {
		j.answer <- err
	}
}

// next is a write that waits, if there is time for it.
func (d *DB) next(n int, begun time.Time) *job {
	if n >= maxBatch || time.Since(begun) > maxWork {
		return nil
	}
	select {
	case j := <-d.jobs: // nil when closed
		return j
	default:
		return nil
	}
}

// run does one write behind a savepoint. If it fails, it is undone, so that the others can go on.
func (d *DB) run(j *job) (undone, err error) {
	if _, err := d.tx.exec("SAVEPOINT one"); err != nil {
		return nil, err
	}
	undone = j.do(d.tx)
	if undone == nil {
		_, err := d.tx.exec("RELEASE one")
		return nil, err
	}
	for _, q := range []string{"ROLLBACK TO one", "RELEASE one"} {
		if _, err := d.tx.exec(q); err != nil {
			return nil, fmt.Errorf("%w (%w)", undone, err) // SQLite gave up the transaction, as when the disk is full
		}
	}
	return undone, nil
}

// begin starts a transaction that has the right to write, as soon as no other process has it.
func (d *DB) begin(ctx context.Context, until time.Time, given <-chan struct{}) error {
	return retry(ctx, until, given, func() error {
		_, err := d.tx.exec("BEGIN IMMEDIATE")
		if codeOf(err) == codes.SQLITE_ERROR { // one is open still, that a broken disk did not let end
			if err := d.rollback(); err != nil {
				return err
			}
			_, err = d.tx.exec("BEGIN IMMEDIATE")
		}
		return err
	})
}

// rollback ends the transaction, if SQLite has not done so itself. Numbers of runs that it created are given again.
func (d *DB) rollback() error {
	clear(d.tx.numbers)
	_, err := d.tx.exec("ROLLBACK")
	if codeOf(err) == codes.SQLITE_ERROR { // no transaction is active
		return nil
	}
	return err
}

// tx is the transaction under way. Only the function that it was given to may use it, and only until it returns.
type tx struct {
	ctx     context.Context // never ends
	conn    *sql.Conn
	stmts   map[string]*sql.Stmt // by their text
	numbers map[string]int64     // of runs, as far as remembered
}

// prepared keeps statements for good: their texts are constants, so that there are not many.
func (t *tx) prepared(query string) (*sql.Stmt, error) {
	if s := t.stmts[query]; s != nil {
		return s, nil
	}
	s, err := t.conn.PrepareContext(t.ctx, query)
	if err != nil {
		return nil, err
	}
	t.stmts[query] = s
	return s, nil
}

// exec runs a statement and says how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	s, err := t.prepared(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// QueryContext makes the transaction a reader. Its rows must be closed before the next statement; the context is its own.
func (t *tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.query(query, args...)
}

// query runs a statement that gives rows, which must be closed before the next statement.
func (t *tx) query(query string, args ...any) (*sql.Rows, error) {
	s, err := t.prepared(query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(t.ctx, args...)
}

// get scans the one row that a statement gives into to, or answers sql.ErrNoRows.
func (t *tx) get(query string, args []any, to ...any) error {
	s, err := t.prepared(query)
	if err != nil {
		return err
	}
	return s.QueryRowContext(t.ctx, args...).Scan(to...)
}

func (t *tx) close() error {
	var errs []error
	for _, s := range t.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
