package temporal_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/engine/temporal"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// example is the question of the README.
func example(t *testing.T, id string) *plumb.Run {
	t.Helper()
	corpus, err := filepath.Abs(filepath.Join("..", "..", "examples", "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := plumb.Preset("standard")
	if err != nil {
		t.Fatal(err)
	}
	return plumb.NewRun(id, plumb.Question{Text: "Why was the Marrowgate Bridge closed in 2023, what did the repair cost, and is it safe now?",
		At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Where: plumb.Where{Folders: []string{corpus}}}, l)
}

// checkedAt are the lines of a report that depend on the clock.
var checkedAt = regexp.MustCompile(`(?m)^(- Verification performed|Generated): .*$`)

func exampleSteps(db *sqlite.DB) *engine.Steps {
	return &engine.Steps{Contents: db, Library: &library.Library{Index: db}, Ledger: db, Tapes: db}
}

func TestTheExampleQuestionComesToTheSameOnBothDrivers(t *testing.T) {
	b := newBench(t, enginetest.Scenario{})
	b.hire(t, exampleSteps(b.db), temporal.WorkerOptions{})
	begun := time.Now()
	if err := b.Start(ctx, example(t, "example"), nil); err != nil {
		t.Fatal(err)
	}
	there := b.await(t, "example", enginetest.Over)
	t.Logf("%s on the cluster", time.Since(begun).Round(10*time.Millisecond))

	alone := newBench(t, enginetest.Scenario{})
	local := engine.NewLocal(alone.db, exampleSteps(alone.db), engine.Options{})
	defer local.Close()
	if err := local.Start(ctx, example(t, "example")); err != nil {
		t.Fatal(err)
	}
	begun = time.Now()
	if _, err := local.Work(ctx, "example"); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s here", time.Since(begun).Round(10*time.Millisecond))
	here := alone.await(t, "example", enginetest.Over)

	if there.Run.State() != plumb.Finished || len(there.Journal) != len(here.Journal) {
		t.Errorf("there %s\nhere %s", there, here)
	}
	if a, b := steps(there), steps(here); !slices.Equal(a, b) {
		t.Errorf("there %v, here %v", a, b)
	}
	theirs, err := engine.Markdown(ctx, b.db, "example")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := engine.Markdown(ctx, alone.db, "example")
	if err != nil || theirs == "" || checkedAt.ReplaceAllString(theirs, "") != checkedAt.ReplaceAllString(ours, "") {
		t.Errorf("the reports differ: %v\n%s\n%s", err, theirs, ours)
	}
	hs := histories(t, "example")
	measure(t, hs)
	paces(t, hs[0])
}

func steps(v enginetest.View) []string {
	var out []string
	for _, o := range v.Journal {
		out = append(out, o.Step)
	}
	slices.Sort(out)
	return out
}

// paces tells how long activities took from being scheduled to the workflow's next turn.
func paces(t *testing.T, h *historypb.History) {
	t.Helper()
	scheduled := map[int64]*historypb.HistoryEvent{}
	waited := map[string][]time.Duration{}
	for _, e := range h.Events {
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			scheduled[e.GetEventId()] = e
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
			s := scheduled[e.GetActivityTaskCompletedEventAttributes().GetScheduledEventId()]
			name := s.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()
			waited[name] = append(waited[name], e.GetEventTime().AsTime().Sub(s.GetEventTime().AsTime()))
		}
	}
	for name, all := range waited {
		slices.Sort(all)
		t.Logf("%s: %d activities, median %s, slowest %s", name, len(all), all[len(all)/2].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
	}
}
