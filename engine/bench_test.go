package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// twenty is a script whose runs have twenty steps: scope, plan, eight units in two ranks, supervise, cite, write,
// claims, five checks, publish.
func twenty(latency time.Duration) (*lab.Steps, func(id string) *plumb.Run) {
	steps := &lab.Steps{Latency: latency, Units: []string{"a", "b", "c", "d", "e:a", "f:b", "g:c", "h:d"}, Complexity: 0.9, Findings: 3, Claims: 100}
	return steps, func(id string) *plumb.Run {
		r := newRun(id, "deep", nil)
		r.Limits.Review.Threshold = 0
		return r
	}
}

// BenchmarkStep measures what the engine adds to a step that takes no time: scheduling, journal, events.
func BenchmarkStep(b *testing.B) {
	for _, sync := range []string{"NORMAL", "FULL"} {
		b.Run(sync, func(b *testing.B) {
			db, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "p.db"), sqlite.Options{Synchronous: sync})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			steps, make20 := twenty(0)
			l := engine.NewLocal(db, steps, engine.Options{})
			n := 0
			for b.Loop() {
				id := fmt.Sprintf("r%d", n)
				n++
				if err := l.Start(context.Background(), make20(id)); err != nil {
					b.Fatal(err)
				}
				if run, err := l.Work(context.Background(), id); err != nil || run.State() != plumb.Finished {
					b.Fatal(err, run.State())
				}
			}
			l.Close()
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n*20)/1000, "ms/step")
		})
	}
}

// BenchmarkManyRuns measures 10,000 runs of twenty 100 ms steps at once in one process.
func BenchmarkManyRuns(b *testing.B) {
	const runs = 10_000
	for b.Loop() {
		db, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "p.db"), sqlite.Options{})
		if err != nil {
			b.Fatal(err)
		}
		steps, make20 := twenty(100 * time.Millisecond)
		l := engine.NewLocal(db, steps, engine.Options{})
		begin := time.Now()
		var wg sync.WaitGroup
		var failed sync.Map
		for i := range runs {
			wg.Add(1)
			go func() {
				defer wg.Done()
				id := fmt.Sprintf("r%d", i)
				if err := l.Start(context.Background(), make20(id)); err != nil {
					failed.Store(id, err)
					return
				}
				if run, err := l.Work(context.Background(), id); err != nil || run.State() != plumb.Finished {
					failed.Store(id, err)
				}
			}()
		}
		peak := watchMemory(&wg)
		failed.Range(func(k, v any) bool { b.Fatal(k, v); return false })
		l.Close()
		b.ReportMetric(time.Since(begin).Seconds(), "s")
		b.ReportMetric(float64(peak)/1e6, "MB")
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// watchMemory waits for the group and gives the most memory that the process had from the system meanwhile.
func watchMemory(wg *sync.WaitGroup) uint64 {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	var peak uint64
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.Sys)
		select {
		case <-done:
			return peak
		case <-time.After(200 * time.Millisecond):
		}
	}
}
