package mcp_test

// A whole program behind the tools: real SQLite, real library, real engine, extractive thinking.

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
)

const bridge = "Why was the Marrowgate Bridge closed in 2023, and what did the repair cost?"

// doer lets a test change what steps do.
type doer func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error)

type held struct {
	steps *engine.Steps
	hold  doer
}

func (h held) Do(ctx context.Context, t *engine.Task) (*plumb.Outcome, error) {
	if h.hold == nil {
		return h.steps.Do(ctx, t)
	}
	return h.hold(ctx, t, h.steps.Do)
}

// house is an open program.
type house struct {
	*front.House
	db    *sqlite.DB
	close func() error
}

// openHouse opens a program in a folder, with the example documents on the shelf of the person at this machine.
func openHouse(dir string, hold doer) (*house, error) {
	ctx, cancel := context.WithCancel(context.Background())
	db, err := sqlite.Open(ctx, filepath.Join(dir, "plumb.db"), sqlite.Options{})
	if err != nil {
		cancel()
		return nil, err
	}
	lib, feed := &library.Library{Index: db}, front.NewFeed()
	local := engine.NewLocal(db, held{&engine.Steps{Contents: db, Library: lib, Ledger: db, Tapes: db}, hold}, engine.Options{Show: feed.Show, Yield: true})
	crew := engine.NewCrew(local, engine.CrewOptions{})
	done := make(chan error, 1)
	go func() { done <- crew.Run(ctx) }()
	h := &house{db: db, House: &front.House{Runs: crew, Store: db, Library: lib, Prepare: prepare{}, Feed: feed}}
	h.close = func() error {
		cancel()
		if err := <-done; err != nil {
			return err
		}
		local.Close()
		return db.Close()
	}
	names, err := filepath.Glob(filepath.Join("..", "examples", "corpus", "city", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, name := range names[1:4] { // what the city says of its bridge, and of something else
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if _, err := h.Tenant("").AddDocument(ctx, filepath.Base(name), data); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func newHouse(t *testing.T, hold doer) *house {
	t.Helper()
	h, err := openHouse(t.TempDir(), hold)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// prepare is a configuration without models and without a network.
type prepare struct{}

func (prepare) Question(a front.Ask, _ int) (plumb.Question, plumb.Limits, error) {
	preset := a.Preset
	if preset == "" {
		preset = "quick"
	}
	l, err := plumb.Preset(preset)
	if err != nil {
		return plumb.Question{}, l, &front.FieldError{Field: "preset", Value: preset, Allowed: "use quick"}
	}
	return plumb.Question{Text: a.Text, Style: l.Style(), Language: a.Language}, l, nil
}

func (prepare) Audit(a front.AuditAsk) (plumb.Question, plumb.Limits, error) {
	l, err := plumb.Preset("standard")
	return plumb.Question{Text: "Audit of " + a.Name}, l, err
}

func (prepare) Outlook(plumb.Question, plumb.Limits) (front.Outlook, error) {
	return front.Outlook{}, nil
}
