package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/postgres/pgtest"
)

var asked = time.Date(2026, 3, 14, 15, 9, 26, 535_897_000, time.UTC)

// owned creates a run that owner has.
func owned(t testing.TB, d *DB, id, owner string) {
	t.Helper()
	limits, err := plumb.Preset("standard")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	run := plumb.NewRun(id, plumb.Question{Text: "What is a plumb line for?", At: asked}, limits)
	if err := d.CreateRun(ctx, run, engine.Lease{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Acquire(ctx, id, owner, asked, asked.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// outcome is a typical commit: what a unit reports, with the two events around it.
func outcome(run, owner string, seq int) *engine.Commit {
	step := fmt.Sprintf("unit.u%d", seq)
	return &engine.Commit{
		Run: run, Owner: owner, Seq: seq, State: plumb.Running,
		Outcome: plumb.Outcome{
			Step: step, Kind: plumb.Done, At: asked.Add(time.Duration(seq) * time.Second), Refs: plumb.Refs{Result: "result/" + step},
			Counts: plumb.Counts{Findings: 7, Cited: 6}, Keys: []string{"example.org", "example.net", "example.com"},
		},
		Events: []plumb.Event{
			{Run: run, Seq: int64(2*seq - 1), At: asked, Kind: plumb.UnitStarted, Step: step, Attempt: 1, Text: "looks at the plumb line"},
			{Run: run, Seq: int64(2 * seq), At: asked, Kind: plumb.UnitDone, Step: step, Attempt: 1, Text: "7 findings from 3 sources"},
		},
	}
}

// durable opens a store on a server that waits for the disk, as servers do; the temporary cluster otherwise does not.
func durable(b *testing.B, o Options) *DB {
	dsn := database(b)
	pgtest.Exec(b, dsn, "ALTER SYSTEM SET fsync = on", "ALTER SYSTEM SET full_page_writes = on", "SELECT pg_reload_conf()")
	b.Cleanup(func() { pgtest.Exec(b, dsn, "ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()") })
	return openAt(b, dsn, o)
}

// BenchmarkCommit is the cost of one outcome with two events: one after the other, and from many runs at once.
func BenchmarkCommit(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		d := durable(b, Options{})
		owned(b, d, "run", "me")
		seq := 0
		for b.Loop() {
			seq++
			if err := d.Commit(context.Background(), outcome("run", "me", seq)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		d := durable(b, Options{})
		var n atomic.Int64
		b.SetParallelism(64)
		b.RunParallel(func(pb *testing.PB) {
			id := fmt.Sprintf("run-%d", n.Add(1))
			owned(b, d, id, "me")
			for seq := 1; pb.Next(); seq++ {
				if err := d.Commit(context.Background(), outcome(id, "me", seq)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

// BenchmarkManyRuns is what a run of twenty outcomes costs when 500 are at work at once, from its creation on.
func BenchmarkManyRuns(b *testing.B) {
	const runs, steps = 500, 20
	for b.Loop() {
		b.StopTimer()
		d := durable(b, Options{})
		b.StartTimer()
		parallel(b, runs, func(i int) error {
			id := fmt.Sprintf("01JQ%022d", i)
			owned(b, d, id, "me")
			for seq := 1; seq <= steps; seq++ {
				if err := d.Commit(context.Background(), outcome(id, "me", seq)); err != nil {
					return err
				}
			}
			return d.Release(context.Background(), id, "me")
		})
	}
	b.ReportMetric(float64(b.N)*runs/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(b.N)*runs*steps/b.Elapsed().Seconds(), "commits/s")
}

// parallel calls f n times at once.
func parallel(t testing.TB, n int, f func(i int) error) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := f(i); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// BenchmarkRun is the cost of what is done with a long run: 1,000 outcomes, 2,000 events, 2,000 calls on the bill.
func BenchmarkRun(b *testing.B) {
	d := open(b, Options{})
	owned(b, d, "a", "me")
	for seq := 1; seq <= 1000; seq++ {
		if err := d.Commit(context.Background(), outcome("a", "me", seq)); err != nil {
			b.Fatal(err)
		}
	}
	parallel(b, 2000, func(i int) error {
		return d.AddLedgerRow(context.Background(), plumb.LedgerRow{Run: "a", At: asked, USD: 0.001, Input: 1000})
	})
	for name, f := range map[string]func(ctx context.Context) error{
		"load":   func(ctx context.Context) error { _, err := d.LoadRun(ctx, "a"); return err },
		"spent":  func(ctx context.Context) error { _, err := d.Spent(ctx, "a"); return err },
		"events": func(ctx context.Context) error { _, err := d.Events(ctx, "a", 1900, 0); return err },
		"void":   func(ctx context.Context) error { return d.VoidEvents(ctx, "a", "unit.u1", 1) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
