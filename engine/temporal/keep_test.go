package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/store/sqlite"
)

var ctx = context.Background()

// created is a store with a run of the cluster.
func created(t *testing.T) (*sqlite.DB, *plumb.Run) {
	t.Helper()
	db := openStore(t)
	run := enginetest.Scenario{Name: "x"}.NewRun("r1", time.Now())
	if err := db.CreateRun(ctx, run, engine.Lease{Owner: engine.Cluster, Until: forever}); err != nil {
		t.Fatal(err)
	}
	return db, run
}

func scoped(at time.Time) plumb.Outcome {
	return plumb.Outcome{Step: "scope.1", Kind: plumb.Done, At: at, Refs: plumb.Refs{Brief: "brief"}}
}

func planned(at time.Time) plumb.Outcome {
	return plumb.Outcome{Step: "plan.1", Kind: plumb.Done, At: at, Units: lab.Proposals("plan.1", "a"), Score: 0.2}
}

func view(t *testing.T, db *sqlite.DB) enginetest.View {
	t.Helper()
	v, err := enginetest.Look(db, "r1")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestKeepingTwiceCountsOnce(t *testing.T) {
	db, _ := created(t)
	acts := newActivities(db, &lab.Steps{}, nil)
	at := utcNow()
	first := kept{Run: "r1", Outcomes: []plumb.Outcome{scoped(at)}}
	both := kept{Run: "r1", Outcomes: []plumb.Outcome{scoped(at), planned(at)}}
	for _, k := range []kept{first, first, both, both} { // also: the first time, half of it was kept
		if err := acts.Keep(ctx, k); err != nil {
			t.Fatal(err)
		}
	}
	v := view(t, db)
	if len(v.Journal) != 2 || v.Run.Stage != plumb.AtGather {
		t.Errorf("%d outcomes, stage %s", len(v.Journal), v.Run.Stage)
	}
	var seqs []int64
	for _, e := range v.Events {
		seqs = append(seqs, e.Seq)
	}
	if !slices.Equal(seqs, []int64{1, 2}) {
		t.Errorf("events %v: %s", seqs, v)
	}
}

func TestWhatIsGoneIsNotTriedAgain(t *testing.T) {
	at := utcNow()
	for _, c := range []struct {
		name string
		do   func(t *testing.T, db *sqlite.DB)
		keep kept
		want string
	}{
		{"another outcome stands there", func(t *testing.T, db *sqlite.DB) {
			if err := newActivities(db, &lab.Steps{}, nil).Keep(ctx, kept{Run: "r1", Outcomes: []plumb.Outcome{scoped(at)}}); err != nil {
				t.Fatal(err)
			}
		}, kept{Run: "r1", Outcomes: []plumb.Outcome{planned(at)}}, "outcome 1 of its journal is another"},
		{"the journal is shorter than the cluster knows", func(*testing.T, *sqlite.DB) {},
			kept{Run: "r1", Seq: 3, Outcomes: []plumb.Outcome{planned(at)}}, "has 0 outcomes where the cluster knows 3"},
		{"the run is not there", func(*testing.T, *sqlite.DB) {}, kept{Run: "nix", Outcomes: []plumb.Outcome{scoped(at)}}, "no such run"},
		{"the run is somebody else's", func(t *testing.T, db *sqlite.DB) {
			if ok, err := db.TakeOver(ctx, "r1", engine.Cluster, "me", forever); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}, kept{Run: "r1", Outcomes: []plumb.Outcome{scoped(at)}}, "another process"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, _ := created(t)
			c.do(t, db)
			err := newActivities(db, &lab.Steps{}, nil).Keep(ctx, c.keep)
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || !app.NonRetryable() || !isGone(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("answered %v", err)
			}
		})
	}
}

func TestARunThatWasReleasedIsTakenBack(t *testing.T) {
	db, _ := created(t)
	acts := newActivities(db, &lab.Steps{}, nil)
	if err := acts.Keep(ctx, kept{Run: "r1", Release: true}); err != nil {
		t.Fatal(err)
	}
	if v := view(t, db); v.Owner != "" {
		t.Fatalf("owner is %q", v.Owner)
	}
	if err := acts.Keep(ctx, kept{Run: "r1", Outcomes: []plumb.Outcome{scoped(utcNow())}}); err != nil {
		t.Fatal(err)
	}
	if v := view(t, db); v.Owner != engine.Cluster || len(v.Journal) != 1 {
		t.Errorf("owner %q, %d outcomes", v.Owner, len(v.Journal))
	}
}

func TestRulesThatAWorkerLacksAreLeftToOthers(t *testing.T) {
	db := openStore(t)
	run := enginetest.Scenario{Name: "x", Run: func(r *plumb.Run) { r.Rules = 99 }}.NewRun("r1", time.Now())
	if err := db.CreateRun(ctx, run, engine.Lease{Owner: engine.Cluster, Until: forever}); err != nil {
		t.Fatal(err)
	}
	err := newActivities(db, &lab.Steps{}, nil).Keep(ctx, kept{Run: "r1", Outcomes: []plumb.Outcome{scoped(utcNow())}})
	if err == nil || isGone(err) || !strings.Contains(err.Error(), "version 99 of the rules") {
		t.Errorf("answered %v", err)
	}
}

func TestManyWorkersNumberEventsWithoutGaps(t *testing.T) {
	db, _ := created(t)
	const workers, each = 4, 25
	var done sync.WaitGroup
	for w := range workers {
		b := &books{store: db, now: utcNow, show: func(plumb.Event) {}} // a process of its own
		done.Go(func() {
			k := b.take("r1")
			defer b.giveBack(k)
			for i := range each {
				e := plumb.Event{Kind: plumb.Warning, Text: fmt.Sprint(w, " ", i)}
				delta := plumb.Event{Kind: plumb.DraftDelta, Text: "passes"}
				if err := b.write(ctx, k, []plumb.Event{e, delta, e}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	events := view(t, db).Events
	if len(events) != workers*each*2 {
		t.Fatalf("%d events", len(events))
	}
	next := make([]int, workers)
	for i, e := range events {
		if e.Seq != int64(i+1) || e.Run != "r1" || e.Kind != plumb.Warning {
			t.Fatalf("event %d is %+v", i+1, e)
		}
		var w, n int
		if _, err := fmt.Sscan(e.Text, &w, &n); err != nil {
			t.Fatal(err)
		}
		if n != next[w]/2 {
			t.Fatalf("worker %d: event %d comes after %d", w, n, next[w])
		}
		next[w]++
	}
}

func TestBooksAreForgotten(t *testing.T) {
	b := &books{}
	one, two := b.take("r1"), b.take("r1")
	if one != two {
		t.Error("a run has two books")
	}
	b.giveBack(one)
	if len(b.open) != 1 {
		t.Error("a book in use was forgotten")
	}
	b.giveBack(two)
	if len(b.open) != 0 {
		t.Error("a book that nobody uses is kept")
	}
}
