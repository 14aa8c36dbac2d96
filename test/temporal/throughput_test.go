package temporal_test

// How much a cluster carries, beside one process on the same machine: quick tasks with models that answer at once. One
// iteration is one task:
//
//	go test -run '^$' -bench Throughput -benchtime 100x
//
// The process that measures also is the Temporal server, the models and the clients.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb/store/postgres/pgtest"
)

func BenchmarkThroughput(b *testing.B) {
	b.Run("local/file", func(b *testing.B) { (&load{b: b}).measure() })
	b.Run("local/postgres", func(b *testing.B) { (&load{b: b, database: durable(b)}).measure() })
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("temporal/workers=%d", workers), func(b *testing.B) {
			(&load{b: b, database: durable(b), workers: workers}).measure()
		})
	}
}

// durable is a database whose server writes through, as one does that is missed.
func durable(b *testing.B) string {
	b.Helper()
	dsn := pgtest.Database(b, "")
	pgtest.Exec(b, dsn, "ALTER SYSTEM SET fsync = on", "ALTER SYSTEM SET full_page_writes = on", "SELECT pg_reload_conf()")
	b.Cleanup(func() {
		pgtest.Exec(b, dsn, "ALTER SYSTEM RESET fsync", "ALTER SYSTEM RESET full_page_writes", "SELECT pg_reload_conf()")
	})
	return dsn
}

// load is b.N tasks for a site.
type load struct {
	b        *testing.B
	database string // "": a file
	workers  int    // 0: the gateway works itself

	gateway *node
	crew    []*node
	db      *pgx.Conn
}

// usage is what was used up to a moment.
type usage struct {
	gateway, workers, postgres, rest float64 // seconds of CPU
	rows                             int
}

func (l *load) measure() {
	oracle := newOracle(l.b, 0)
	s := newSite(l.b, l.database, oracle.settings("load")...)
	if l.database != "" {
		l.connect()
	}
	if l.workers > 0 {
		s.env = append(s.env, onCluster(l.b)...)
		l.gateway = s.gateway("--engine", "temporal")
	} else {
		l.gateway = s.gateway()
	}
	for range l.workers {
		l.crew = append(l.crew, s.worker())
	}
	l.gateway.shelve("")
	before := l.usage()
	l.b.ResetTimer()
	ids := l.post()
	l.complete()
	l.b.StopTimer()
	after := l.usage()
	per := func(name string, was, is float64) {
		if is > was {
			l.b.ReportMetric((is-was)/float64(l.b.N), name)
		}
	}
	l.b.ReportMetric(float64(l.b.N)/l.b.Elapsed().Seconds(), "tasks/s")
	per("gateway-CPU-s/op", before.gateway, after.gateway)
	per("workers-CPU-s/op", before.workers, after.workers)
	per("postgres-CPU-s/op", before.postgres, after.postgres)
	per("rest-CPU-s/op", before.rest, after.rest)
	per("rows/op", float64(before.rows), float64(after.rows))
	if l.workers > 0 {
		events, again := l.events(ids)
		l.b.ReportMetric(float64(events)/float64(l.b.N), "temporal-events/op")
		l.b.ReportMetric(float64(again), "begun-again")
	}
}

// post asks b.N questions, eight at a time.
func (l *load) post() []string {
	ids := make([]string, l.b.N)
	var todo sync.WaitGroup
	next := make(chan int)
	for range min(8, l.b.N) {
		todo.Go(func() {
			for i := range next {
				ids[i] = l.gateway.ask(fmt.Sprintf("%s (%d)", crackQuestion, i), "quick", "")
			}
		})
	}
	for i := range l.b.N {
		next <- i
	}
	close(next)
	todo.Wait()
	return ids
}

// complete waits until all tasks are.
func (l *load) complete() {
	l.b.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var good, bad struct {
			Total int `json:"total_count"`
		}
		l.gateway.must("GET", "/api/v1/tasks?limit=1&status=COMPLETED", "", nil, &good)
		l.gateway.must("GET", "/api/v1/tasks?limit=1&status=FAILED", "", nil, &bad)
		switch {
		case good.Total == l.b.N:
			return
		case bad.Total > 0 || time.Now().After(deadline):
			l.b.Fatalf("%d of %d tasks are complete, %d failed", good.Total, l.b.N, bad.Total)
		}
	}
}

// events are those in the histories of the runs. Activities that were begun again are told: nobody was killed.
func (l *load) events(ids []string) (n, again int) {
	for _, id := range ids {
		for _, h := range histories(l.b, id) {
			n += len(h.Events)
			for _, e := range h.Events {
				if a := e.GetActivityTaskStartedEventAttributes(); a.GetAttempt() > 1 {
					again++
					l.b.Logf("run %s: begun again at %s: %.500s", id, e.GetEventTime().AsTime(), a.GetLastFailure())
				}
			}
		}
	}
	return n, again
}

func (l *load) connect() {
	l.b.Helper()
	var err error
	if l.db, err = pgx.Connect(ctx, l.database); err != nil {
		l.b.Fatal(err)
	}
	l.b.Cleanup(func() {
		if err := l.db.Close(ctx); err != nil {
			l.b.Error(err)
		}
	})
}

func (l *load) usage() usage {
	l.b.Helper()
	u := usage{gateway: l.processor(l.gateway.cmd.Process.Pid, false)}
	for _, w := range l.crew {
		u.workers += l.processor(w.cmd.Process.Pid, false)
	}
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		l.b.Fatal(err)
	}
	u.rest = time.Duration(self.Utime.Nano() + self.Stime.Nano()).Seconds()
	if l.db != nil {
		u.postgres, u.rows = l.postgres(), l.rows()
	}
	return u
}

// ticks of the processor in /proc are hundredths of a second on every Linux.
const ticks = 100

// processor is the seconds of CPU that a process has used, with those of the children it has buried if asked for.
func (l *load) processor(pid int, buried bool) float64 {
	l.b.Helper()
	fields := stat(pid)
	if fields == nil {
		l.b.Fatalf("no process %d", pid)
	}
	last := 13
	if buried {
		last = 15
	}
	var sum float64
	for _, f := range fields[11:last] { // utime, stime, cutime, cstime
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			l.b.Fatal(err)
		}
		sum += n
	}
	return sum / ticks
}

// stat are the fields of a process's line after its name; nil: it is gone.
func stat(pid int) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
}

// postgres is what the database server and its processes have used.
func (l *load) postgres() float64 {
	l.b.Helper()
	var dir string
	if err := l.db.QueryRow(ctx, "SHOW data_directory").Scan(&dir); err != nil {
		l.b.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		l.b.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		l.b.Fatal(err)
	}
	sum := l.processor(pid, true)
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		l.b.Fatal(err)
	}
	for _, p := range all {
		child, err := strconv.Atoi(filepath.Base(p))
		if err != nil {
			continue
		}
		if f := stat(child); f != nil && f[1] == first {
			sum += l.processor(child, false)
		}
	}
	return sum
}

// rows are those of all tables.
func (l *load) rows() int {
	l.b.Helper()
	names, err := l.db.Query(ctx, "SELECT relname FROM pg_stat_user_tables")
	if err != nil {
		l.b.Fatal(err)
	}
	tables, err := pgx.CollectRows(names, pgx.RowTo[string])
	if err != nil {
		l.b.Fatal(err)
	}
	sum := 0
	for _, name := range slices.Sorted(slices.Values(tables)) {
		var n int
		if err := l.db.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{name}.Sanitize()).Scan(&n); err != nil {
			l.b.Fatal(err)
		}
		sum += n
	}
	return sum
}
