package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/llm"
)

var millDocs = map[string]string{
	"a.md": dated("2022-03-11", "Council minutes", "The Oxley mill will be rebuilt for 4.2 million euros. The council voted on 10 March 2022."),
	"b.md": dated("2022-03-10", "Fire report", "The Oxley mill burned down on 9 March 2022 because a bearing ran hot. Nobody was hurt."),
	"c.md": dated("2022-04-01", "Insurance letter", "The insurer pays 3.1 million euros for the Oxley mill. The excess is 50,000 euros."),
}

// again replays a run of d into a store of its own, where the library is empty.
func (d *desk) again(id string) (*plumb.Run, *desk, error) {
	d.t.Helper()
	ctx := context.Background()
	rec, err := d.db.LoadRun(ctx, id)
	if err != nil {
		d.t.Fatal(err)
	}
	db := openStore(d.t, filepath.Join(d.t.TempDir(), "replay.db"))
	steps := *d.Steps
	steps.Contents, steps.Library = engine.Behind{Contents: db, Run: id, From: d.db}, &library.Library{Index: db}
	steps.Again = rec.Outcomes()
	other := &desk{t: d.t, db: db, Steps: &steps}
	other.bench = newBench(d.t, db, &steps, nil)
	run, err := other.Replay(ctx, rec)
	return run, other, err
}

func TestAReplayedRunHasTheSameBytes(t *testing.T) {
	d := newDesk(t, millDocs)
	d.ask("r1", "Why did the Oxley mill burn, and what did the insurer pay?", nil)
	want := t.TempDir()
	writeFolder(t, d, "r1", want)
	if err := os.RemoveAll(d.docs); err != nil { // what is not on tape is gone
		t.Fatal(err)
	}
	run, other, err := d.again("r1")
	if err != nil {
		t.Fatal(err)
	}
	if run.State() != plumb.Finished {
		t.Fatalf("replayed run is %s: %s", run.State(), run.Fail)
	}
	got := t.TempDir()
	writeFolder(t, other, "r1", got)
	for _, name := range []string{"prompt.txt", "brief.json", "plan.json", "sources.jsonl", "findings.jsonl", "report.md", "citations.json",
		"claims.json", "verification.json", "final.md", "final.html"} {
		a, b := readFile(t, filepath.Join(want, name)), readFile(t, filepath.Join(got, name))
		if a != b {
			t.Errorf("%s differs:\n%s\nreplayed:\n%s", name, a, b)
		}
	}
}

func TestAReplayAsksNobodyWhatIsNotOnTape(t *testing.T) {
	d := newDesk(t, millDocs)
	d.Tapes = nil // nothing is recorded
	d.ask("r1", "Why did the Oxley mill burn?", nil)
	d.Tapes = d.db
	if _, _, err := d.again("r1"); !errors.Is(err, llm.ErrNotRecorded) {
		t.Fatalf("replay without a tape: %v", err)
	}
}

func TestAFollowUpIsReplayedWithTheEvidenceItKept(t *testing.T) {
	d := newDesk(t, millDocs)
	first := d.ask("r1", "Why did the Oxley mill burn?", nil)
	d.ask("r2", "And what did the insurer pay for the Oxley mill?", func(r *plumb.Run) { r.Follow(first) })
	want := d.published("r2")
	_, other, err := d.again("r2")
	if err != nil {
		t.Fatal(err)
	}
	if got := other.published("r2"); got != want {
		t.Errorf("replayed:\n%s\nwas:\n%s", got, want)
	}
}

func TestStepsDoneAgainHaveTheTimesOfTheFirstTime(t *testing.T) {
	d := newDesk(t, millDocs)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d.Now = func() time.Time { at = at.Add(time.Hour); return at }
	d.ask("r1", "Why did the Oxley mill burn?", nil)
	fs, err := d.db.Findings(context.Background(), "r1")
	if err != nil || len(fs) == 0 {
		t.Fatal(len(fs), err)
	}
	if _, other, err := d.again("r1"); err != nil {
		t.Fatal(err)
	} else if again, err := other.db.Findings(context.Background(), "r1"); err != nil || !again[0].At.Equal(fs[0].At) {
		t.Errorf("found at %v, then at %v (%v)", fs[0].At, again[0].At, err)
	}
}

func writeFolder(t *testing.T, d *desk, id, dir string) {
	t.Helper()
	rec, err := d.db.LoadRun(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	run := rec.Run
	for _, o := range rec.Journal {
		run.Apply(o)
	}
	if err := engine.WriteFolder(context.Background(), d.db, &run, dir); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
