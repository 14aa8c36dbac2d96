package temporal_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/store/postgres"
	"github.com/plumbresearch/plumb/store/postgres/pgtest"
)

// takeover is how soon the steps of a killed worker go on elsewhere.
const takeover = 10 * time.Second

// unwritten is how long an answer may take from the model's server to the database on a busy machine.
const unwritten = 200 * time.Millisecond

// failover is two gateways and two workers, of which one each is killed.
type failover struct {
	t       *testing.T
	db      *postgres.DB
	oracle  *oracle
	gates   [2]*node
	workers [2]*node
	runs    []string
	killed  time.Time
	lost    int             // at most so many answers went down with the worker: to calls under way, and those not yet written
	flying  map[string]bool // run and step that were begun and not finished at the kill
}

var bridgeQuestions = []string{"Why was the Marrowgate Bridge closed in 2023?", "What did the repair of the Marrowgate Bridge cost, and who paid?",
	"Is the Marrowgate Bridge safe now, and for which vehicles?", "Who found the crack in the Marrowgate Bridge, and how long was it?"}

func newFailover(t *testing.T) *failover {
	t.Helper()
	dsn := pgtest.Database(t, "")
	f := &failover{t: t, oracle: newOracle(t, 300*time.Millisecond), flying: map[string]bool{}}
	var err error
	if f.db, err = postgres.Open(ctx, dsn, postgres.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.db.Close(); err != nil {
			t.Error(err)
		}
	})
	s := newSite(t, dsn, slices.Concat(onCluster(t), f.oracle.settings("gateway"))...)
	for i := range f.gates {
		f.gates[i] = s.gateway("--engine", "temporal")
		f.workers[i] = s.worker(f.oracle.settings(fmt.Sprint("worker", i))...)
	}
	f.gates[0].shelve("")
	return f
}

func (f *failover) look(run string) enginetest.View {
	f.t.Helper()
	v, err := enginetest.Look(f.db, run)
	if err != nil {
		f.t.Fatal(err)
	}
	return v
}

// note adds the steps that are begun and not finished.
func (f *failover) note() {
	f.t.Helper()
	for _, run := range f.runs {
		for _, s := range f.look(run).Run.Next() {
			f.flying[run+" "+s.ID] = true
		}
	}
}

// killWorker kills the first worker while it asks for two units at least.
func (f *failover) killWorker() {
	f.t.Helper()
	within(f.t, "the first worker never has two units", func() bool {
		n := 0
		for _, p := range f.oracle.asking("worker0") {
			if p == "unit" || p == "choose" || p == "extract" {
				n++
			}
		}
		return n >= 2
	})
	f.note()
	f.killed = time.Now()
	asking, fresh := len(f.oracle.asking("worker0")), f.oracle.since("worker0", f.killed.Add(-unwritten))
	f.workers[0].kill()
	f.note()
	f.lost = asking + fresh
	f.t.Logf("worker killed with %d model calls under way and %d answers of the last %s; %d steps in flight on both", asking, fresh, unwritten, len(f.flying))
}

// awaitTakeover waits until every run goes on, and tells how long it took.
func (f *failover) awaitTakeover() {
	f.t.Helper()
	var retried int
	within(f.t, "steps of the killed worker don't go on", func() bool {
		retried = 0
		for _, run := range f.runs {
			for _, e := range f.look(run).Events {
				if e.Kind == plumb.StepRetried && e.At.After(f.killed) {
					retried++
				}
			}
		}
		return retried >= 2
	})
}

func TestAKilledWorkerAndAKilledGatewayAreMissedByNobody(t *testing.T) {
	f := newFailover(t)
	for i, q := range bridgeQuestions {
		f.runs = append(f.runs, f.gates[i%2].ask(q, "standard", ""))
	}
	var first, second []*watcher
	for _, run := range f.runs {
		first = append(first, watch(run, f.gates[0], f.gates[1]))
		second = append(second, watch(run, f.gates[1]))
	}
	f.killWorker()
	f.awaitTakeover()
	f.gates[0].kill()
	for i, run := range f.runs {
		f.gates[1].completed(run, "", 3*time.Minute)
		<-first[i].done
		<-second[i].done
	}
	resumed := 0
	for i, run := range f.runs {
		stored := f.look(run).Events
		first[i].audit(t, stored)
		second[i].audit(t, stored)
		f.sameBytes(first[i], second[i])
		if first[i].returns > 0 && first[i].after > 0 {
			resumed++
		}
	}
	if resumed == 0 {
		t.Error("no client of the killed gateway had anything left to see: nothing was tested")
	}
	f.auditSteps()
	f.auditBill()
	f.auditReports()
	t.Logf("%d of %d clients of the killed gateway went on at the other", resumed, len(first))
}

// sameBytes: what two clients both saw is the same to the byte.
func (f *failover) sameBytes(a, b *watcher) {
	f.t.Helper()
	there := map[int64]string{}
	for _, e := range a.seen {
		there[e.seq] = e.data
	}
	for _, e := range b.seen {
		if got, ok := there[e.seq]; ok && got != e.data {
			f.t.Errorf("run %s: event %d is\n%s\nand\n%s", a.run, e.seq, got, e.data)
		}
	}
}

// auditSteps: no step is finished twice, only those in flight were begun again, and that within the time.
func (f *failover) auditSteps() {
	f.t.Helper()
	again, units, slowest, quiet := 0, 0, time.Duration(0), time.Duration(0)
	for _, run := range f.runs {
		v := f.look(run)
		finished := map[string]bool{}
		for _, o := range v.Journal {
			if o.Kind == plumb.Done && finished[o.Step] {
				f.t.Errorf("run %s: step %s is finished twice", run, o.Step)
			}
			finished[o.Step] = finished[o.Step] || o.Kind == plumb.Done
		}
		var next time.Time
		for _, e := range v.Events {
			if next.IsZero() && e.At.After(f.killed) {
				next = e.At
			}
			if e.Kind != plumb.StepRetried {
				continue
			}
			again++
			if strings.HasPrefix(e.Step, "unit.") {
				units++
			}
			slowest = max(slowest, e.At.Sub(f.killed))
			if !f.flying[run+" "+e.Step] || e.Attempt > 2 {
				f.t.Errorf("run %s: step %s, which was not in flight, was begun again (attempt %d): %s", run, e.Step, e.Attempt, e.Text)
			}
		}
		quiet = max(quiet, next.Sub(f.killed))
	}
	f.t.Logf("%d steps of the killed worker, %d of them units, were begun again, the last %s after the kill; the quietest run had its next event after %s",
		again, units, slowest.Round(10*time.Millisecond), quiet.Round(10*time.Millisecond))
	if units < 2 || slowest > takeover {
		f.t.Errorf("%d units were begun again, the last after %s", units, slowest)
	}
}

// auditBill: every answer of the models is on the bill, once, but for those that the killed worker waited for.
func (f *failover) auditBill() {
	f.t.Helper()
	rows, calls := 0, map[string]bool{}
	for _, run := range f.runs {
		bill, err := f.db.LedgerRows(ctx, run)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, r := range bill {
			call := run + " " + r.Step + " " + r.Reference
			if r.Error != "" || r.Reference == "" || calls[call] {
				f.t.Errorf("on the bill: %+v", r)
			}
			calls[call] = true
			rows++
		}
	}
	answers := f.oracle.models.Stats().Calls
	f.t.Logf("%d answers of the models (%s), %d of them on the bill; the killed worker waited for %d", answers, f.oracle, rows, f.lost)
	if lost := answers - rows; lost < 0 || lost > f.lost {
		f.t.Errorf("%d answers, %d on the bill, %d may be lost", answers, rows, f.lost)
	}
}

// dollars depend on what the model's server has in its cache; the tokens do not.
var dollars = regexp.MustCompile(`cost: \$[\d.]+`)

// auditReports: they are those of one process that nobody killed.
func (f *failover) auditReports() {
	f.t.Helper()
	calm := newSite(f.t, "", f.oracle.settings("calm")...).gateway()
	calm.shelve("")
	var ids []string
	for _, q := range bridgeQuestions {
		ids = append(ids, calm.ask(q, "standard", ""))
	}
	report := func(n *node, id string) string {
		return dollars.ReplaceAllString(timeless(n.must("GET", "/api/v1/tasks/"+id+"/report?format=md", "", nil, nil), id), "COST")
	}
	for i, q := range bridgeQuestions {
		calm.completed(ids[i], "", time.Minute)
		if want, got := report(calm, ids[i]), report(f.gates[1], f.runs[i]); got != want {
			f.t.Errorf("the report of %q differs: %s", q, firstDifference(want, got))
		}
	}
}
