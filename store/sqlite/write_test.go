package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// hold keeps the writer busy until the returned function is called. What waits then is written with it.
func hold(t *testing.T, d *DB) (release func()) {
	t.Helper()
	begun, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		begin := sync.OnceFunc(func() { close(begun) })
		done <- d.write(ctx, func(*tx) error {
			begin()
			<-free
			return nil
		})
	}()
	<-begun
	return sync.OnceFunc(func() {
		close(free)
		if err := <-done; err != nil && !errors.Is(err, ErrFull) {
			t.Error(err)
		}
	})
}

// waiting returns when n writes wait.
func waiting(t *testing.T, d *DB, n int) {
	t.Helper()
	tick, until := time.NewTicker(time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for len(d.jobs) < n {
		select {
		case <-tick.C:
		case <-until:
			t.Fatalf("%d writes wait, want %d", len(d.jobs), n)
		}
	}
}

// commits counts the transactions in the log, by the frames that end one.
func commits(t *testing.T, d *DB) int {
	t.Helper()
	log, err := os.ReadFile(d.path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	const header, frame = 32, 24 + 4096
	for i := header; i+frame <= len(log); i += frame {
		sameLog := string(log[i+8:i+16]) == string(log[16:24]) // else left over from before a checkpoint
		if sameLog && binary.BigEndian.Uint32(log[i+4:]) != 0 {
			n++
		}
	}
	return n
}

func TestWritesThatWaitAreCommittedTogether(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	before := commits(t, d)
	release := hold(t, d)
	var wg sync.WaitGroup
	const n = 40
	for i := range n {
		wg.Go(func() {
			if err := d.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", At: asked, Input: int64(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	waiting(t, d, n)
	release()
	wg.Wait()
	if got := commits(t, d) - before; got > n/4 { // one, unless the machine was too slow for maxWork
		t.Errorf("%d writes took %d transactions", n, got)
	}
	if rows, err := d.LedgerRows(ctx, "a"); err != nil || len(rows) != n {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestWriteThatFailsIsUndoneAlone(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	release := hold(t, d)
	wrong := errors.New("changed my mind")
	var wg sync.WaitGroup
	const n = 30
	for i := range n {
		wg.Go(func() {
			err := d.writeTo(ctx, "a", func(t *tx, run int64) error {
				if _, err := t.exec(`INSERT INTO artefacts (run, ref, value) VALUES (?, ?, '1')`, run, fmt.Sprint(i)); err != nil {
					return err
				}
				if i%3 == 0 {
					return wrong
				}
				return nil
			})
			if want := i%3 == 0; errors.Is(err, wrong) != want || (err != nil) != want {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	waiting(t, d, n)
	release()
	wg.Wait()
	for i := range n {
		err := d.Artefact(ctx, "a", fmt.Sprint(i), new(int))
		if want := i%3 == 0; errors.Is(err, engine.ErrNotFound) != want || (err != nil) != want {
			t.Errorf("artefact %d: %v", i, err)
		}
	}
}

func TestWriteThatIsGivenUpBeforeItBeganDoesNotCount(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	release := hold(t, d)
	defer release()
	short, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- d.Commit(short, outcome("a", "me", 1)) }()
	waiting(t, d, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) { // although the writer is still busy
		t.Errorf("error %v", err)
	}
	release()
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Errorf("the place in the journal was taken: %v", err)
	}
}

func TestWriteThatBeganIsAnswered(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	short, cancel := context.WithCancel(ctx)
	err := d.writeTo(short, "a", func(t *tx, run int64) error {
		cancel()
		_, err := t.exec(`INSERT INTO artefacts (run, ref, value) VALUES (?, 'x', '1')`, run)
		return err
	})
	if err != nil {
		t.Fatalf("a write that counted: %v", err)
	}
	if err := d.Artefact(ctx, "a", "x", new(int)); err != nil {
		t.Error(err)
	}
}

func TestCloseFinishesWhatWaits(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	release := hold(t, d)
	var wg sync.WaitGroup
	const n = 20
	for i := range n {
		wg.Go(func() {
			if err := d.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", At: asked, Input: int64(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	waiting(t, d, n)
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	release()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	wg.Wait()
	again := openAt(t, d.Path(), Options{})
	if rows, err := again.LedgerRows(ctx, "a"); err != nil || len(rows) != n {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestCloseAmongWritersLosesNothingThatWasAnswered(t *testing.T) {
	d := open(t, Options{})
	const writers = 8
	for i := range writers {
		owned(t, d, fmt.Sprint(i), "me")
	}
	var wg sync.WaitGroup
	counts := make([]int, writers)
	begun := make(chan struct{}, 10_000)
	for i := range writers {
		wg.Go(func() {
			for seq := 1; ; seq++ {
				err := d.Commit(ctx, outcome(fmt.Sprint(i), "me", seq))
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				counts[i] = seq
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 100 {
		<-begun
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	again := openAt(t, d.Path(), Options{})
	for i, want := range counts {
		if rec, err := again.LoadRun(ctx, fmt.Sprint(i)); err != nil || len(rec.Journal) != want {
			t.Errorf("run %d: %d outcomes of %d, %v", i, len(rec.Journal), want, err)
		}
	}
}

func TestNumberOfARunThatDidNotCountIsForgotten(t *testing.T) {
	d := open(t, Options{})
	err := d.write(ctx, func(t *tx) error { // a run with its first commit, all undone
		_, err := t.exec(`INSERT INTO runs (id, kind, thread, question, created_at, run) VALUES ('lost', '', '', '', 0, '{}')`)
		if err == nil {
			_, err = t.exec(`INSERT INTO run_states (run, state, outcomes, usd, tokens, updated_at, owner)
				SELECT n, '', 0, 0, 0, 0, 'me' FROM runs WHERE id = 'lost'`)
		}
		if err == nil {
			_, err = t.advance(outcome("lost", "me", 1))
		}
		return errors.Join(err, errors.New("changed my mind"))
	})
	if err == nil || err.Error() != "changed my mind" {
		t.Fatal(err)
	}
	owned(t, d, "a", "me") // has the number that the lost run had
	if err := d.Commit(ctx, outcome("lost", "me", 1)); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("commit on a run that did not count: %v", err)
	}
	if rec, err := d.LoadRun(ctx, "a"); err != nil || len(rec.Journal) != 0 {
		t.Errorf("%d outcomes, %v", len(rec.Journal), err)
	}
}

func TestFullStoreAnswersAndRecovers(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	limit := func(pages int) {
		t.Helper()
		if err := d.write(ctx, func(tx *tx) error {
			_, err := tx.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // SQLite takes the present size
	big := make([]byte, 1<<20)
	trouble(t, d.PutArtefact(ctx, "a", "big", big), ErrFull, d.Path(), "free some space")
	if err := d.Commit(ctx, outcome("a", "me", 2)); !errors.Is(err, engine.ErrNotOwner) {
		t.Errorf("a write after a full disk: %v", err)
	}
	limit(1 << 20)
	if err := d.PutArtefact(ctx, "a", "big", big); err != nil {
		t.Errorf("after there was space again: %v", err)
	}
	if err := d.Check(ctx); err != nil {
		t.Error(err)
	}
}
