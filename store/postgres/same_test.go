package postgres

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// both is what a run needs of a store.
type both interface {
	engine.Store
	engine.Contents
	engine.Ledger
	engine.Tapes
	library.Index
}

// answers are the reports on questions about the example documents that a store gives, whole.
func answers(t *testing.T, db both, questions []string) (out []string) {
	t.Helper()
	now := func() time.Time { return asked.Add(time.Minute) }
	docs, err := filepath.Abs("../../examples/corpus")
	if err != nil {
		t.Fatal(err)
	}
	steps := &engine.Steps{Contents: db, Library: &library.Library{Index: db}, Ledger: db, Tapes: db, Now: now}
	local := engine.NewLocal(db, steps, engine.Options{Now: now, Flush: time.Millisecond})
	defer local.Close()
	limits, err := plumb.Preset("quick")
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range questions {
		run := plumb.NewRun(string(rune('a'+i)), plumb.Question{Text: q, At: asked, Where: plumb.Where{Folders: []string{docs}}}, limits)
		if err := local.Start(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		done, err := local.Work(ctx, run.ID)
		cancel()
		if err != nil || done.State() != plumb.Finished {
			t.Fatalf("%s: %v, %v", q, done.State(), err)
		}
		md, err := engine.Markdown(t.Context(), db, run.ID)
		if err != nil || len(md) < 500 {
			t.Fatalf("%s: %d bytes, %v", q, len(md), err)
		}
		out = append(out, md)
	}
	return out
}

func TestAnswersAreThoseOfSQLite(t *testing.T) {
	questions := []string{
		"Why was the Marrowgate Bridge closed in 2023, what did the repair cost, and is it safe now?",
		"Did the expansion joint at Pier 4 of the Marrowgate Bridge fail?",
	}
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "plumb.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := answers(t, file, questions)
	if diff := cmp.Diff(want, answers(t, open(t, Options{}), questions)); diff != "" {
		t.Errorf("(-SQLite +PostgreSQL)\n%s", diff)
	}
}
