package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
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
	if err := d.CreateRun(ctx, run); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Acquire(ctx, id, owner, asked, asked.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// outcome is a typical commit: what a unit reports, with the two events around it.
func outcome(run, owner string, seq int) engine.Commit {
	step := fmt.Sprintf("unit.u%d", seq)
	return engine.Commit{
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

func openBench(b *testing.B, o Options) *DB {
	b.Helper()
	d, err := Open(context.Background(), filepath.Join(b.TempDir(), "plumb.db"), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	return d
}

// BenchmarkCommit is the cost of one outcome with two events: one after the other, and from many runs at once.
func BenchmarkCommit(b *testing.B) {
	for _, sync := range []string{"NORMAL", "FULL"} {
		b.Run(sync, func(b *testing.B) {
			d := openBench(b, Options{Synchronous: sync})
			owned(b, d, "run", "me")
			seq := 0
			for b.Loop() {
				seq++
				if err := d.Commit(context.Background(), outcome("run", "me", seq)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(sync+"/parallel", func(b *testing.B) {
			d := openBench(b, Options{Synchronous: sync})
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
}
