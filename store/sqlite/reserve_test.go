package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/store/form"
	"github.com/plumbresearch/plumb/store/storetest"
)

// places is how many reservations of reserve a run has room for.
const places = 400

// reserve sets a cent aside, for a step of its own for each process.
func reserve(d *DB, who string, i int) error {
	return d.Reserve(ctx, llm.Reservation{ID: fmt.Sprintf("%s/%d", who, i), Run: "a", Step: who, USD: 0.01, Tokens: 10, RunCap: llm.Cap{USD: places / 100}})
}

func TestProcessesAtOnceNeverOvershootABudget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "a", "me")
	c := start(t, "reserve", path)
	theirs, mine := 0, 0
	if got := c.line(t); got != "reserved 0" {
		t.Fatalf("the other process says %q", got)
	}
	refused := reserve(d, "me", 0)
	mine++
	c.stop() // now both are at work
	for ; refused == nil; mine++ {
		refused = reserve(d, "me", mine)
	}
	mine--
	if !errors.Is(refused, llm.ErrBudget) {
		t.Fatal(refused)
	}
	last := "reserved 0"
	for ; last != "refused true"; last = c.line(t) {
		if theirs++; last != fmt.Sprint("reserved ", theirs-1) {
			t.Fatalf("the other process says %q", last)
		}
	}
	for c.lines.Scan() { // the test's own last words
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if mine == 0 || mine+theirs != places {
		t.Errorf("%d of mine and %d of theirs, want %d", mine, theirs, places)
	}
	if err := d.Forget(ctx, "a", "child"); err != nil { // what it left behind
		t.Fatal(err)
	}
	for i := range theirs {
		if err := reserve(d, "again", i); err != nil {
			t.Fatalf("reservation %d after %d were forgotten: %v", i, theirs, err)
		}
	}
	if err := reserve(d, "again", theirs); !errors.Is(err, llm.ErrBudget) {
		t.Errorf("one more: %v", err)
	}
}

func TestWritesThatRunTwiceSetAsideAndBillOnce(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	if err := reserve(d, "me", 0); err != nil {
		t.Fatal(err)
	}
	release := hold(t, d)
	var made atomic.Int64
	var wg sync.WaitGroup
	const n = 2 * places
	for i := range n {
		wg.Go(func() {
			if err := reserve(d, "you", i); err == nil {
				made.Add(1)
			} else if !errors.Is(err, llm.ErrBudget) {
				t.Error(err)
			}
		})
	}
	row, rec := plumb.LedgerRow{Run: "a", Step: "me", At: asked, USD: 0.01, Input: 10}, storetest.Conversation("a", 1, 100)[0]
	wg.Go(func() {
		if err := d.Settle(ctx, "me/0", &row, &rec); err != nil {
			t.Error(err)
		}
	})
	wrong := errors.New("changed my mind")
	wg.Go(func() {
		if err := d.write(ctx, func(*tx) error { return wrong }); !errors.Is(err, wrong) {
			t.Error(err)
		}
	})
	waiting(t, d, n+2)
	release()
	wg.Wait()
	if made.Load() != places-1 {
		t.Errorf("%d reservations beside one on the bill, want %d", made.Load(), places-1)
	}
	if got := count(t, d, "reservations"); got != places-1 {
		t.Errorf("%d reservations in the store", got)
	}
	if spent, err := d.Spent(ctx, "a"); err != nil || spent != (plumb.Spent{USD: 0.01, Tokens: 10}) {
		t.Errorf("spent %+v, %v", spent, err)
	}
}

// count is the number of rows of a table.
func count(t *testing.T, d *DB, table string) (n int) {
	t.Helper()
	if err := d.pool.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBillOfAnOlderStoreCountsForItsSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	const older = 2
	for _, script := range append(form.Migrations(files)[:older], fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %s", older, applicationHex),
		`INSERT INTO runs (id, kind, thread, question, created_at, run) VALUES ('a', '', '', '', 0, '{}');
		INSERT INTO ledger (run, at, usd, tokens, row) VALUES (1, 0, 2, 30, '{"run":"a","step":"unit.u1","usd":2,"input":30}'),
			(1, 1, 3, 40, '{"run":"a","usd":3,"input":40}')`) {
		if _, err := db.Exec(script); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	d := openAt(t, path, Options{})
	for i, c := range []struct {
		step    string
		usd     float64
		refused bool
	}{{"unit.u1", 1.5, true}, {"unit.u1", 1, false}, {"", 0.5, true}, {"unit.u2", 3, false}} {
		err := d.Reserve(ctx, llm.Reservation{ID: fmt.Sprint(i), Run: "a", Step: c.step, USD: c.usd, StepCap: llm.Cap{USD: 3}})
		if errors.Is(err, llm.ErrBudget) != c.refused || (err != nil) != c.refused {
			t.Errorf("%v dollars for step %q: %v", c.usd, c.step, err)
		}
	}
	if rows, err := d.LedgerRows(ctx, "a"); err != nil || len(rows) != 2 || rows[0].Step != "unit.u1" || rows[1].USD != 3 {
		t.Errorf("rows %+v, %v", rows, err)
	}
}

// BenchmarkReserveSettle is the cost that the store adds to a model call: an estimate set aside under caps of run and
// step, then its row and its recording. With a short bill, with one of 2,000 rows, and from many runs at once.
func BenchmarkReserveSettle(b *testing.B) {
	talk := storetest.Conversation("", 20, 2000)
	call := func(d *DB, run string, i int) error {
		id := fmt.Sprintf("%s/%d", run, i)
		rec := talk[i%len(talk)]
		rec.Run, rec.Nth = run, i
		cap := llm.Cap{USD: 1e6, Tokens: 1e12}
		if err := d.Reserve(context.Background(), llm.Reservation{ID: id, Run: run, Step: "unit.u1", USD: 0.02, Tokens: 3000, RunCap: cap, StepCap: cap}); err != nil {
			return err
		}
		return d.Settle(context.Background(), id, &plumb.LedgerRow{Run: run, Step: "unit.u1", At: asked, USD: 0.01, Input: 2000}, &rec)
	}
	for _, rows := range []int{0, 2000} {
		b.Run(fmt.Sprintf("bill of %d", rows), func(b *testing.B) {
			d := open(b, Options{})
			owned(b, d, "run", "me")
			parallel(b, rows, func(i int) error {
				return d.AddLedgerRow(context.Background(), plumb.LedgerRow{Run: "run", Step: fmt.Sprintf("unit.u%d", i%50), At: asked, USD: 0.01, Input: 1})
			})
			for i := 0; b.Loop(); i++ {
				if err := call(d, "run", i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parallel", func(b *testing.B) {
		d := open(b, Options{})
		var n atomic.Int64
		b.SetParallelism(64)
		b.RunParallel(func(pb *testing.PB) {
			run := fmt.Sprintf("run-%d", n.Add(1))
			owned(b, d, run, "me")
			for i := 0; pb.Next(); i++ {
				if err := call(d, run, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
