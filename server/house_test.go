package server_test

// A whole program behind the server: real SQLite, real library, real engine, extractive thinking.

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/server"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// house is a program whose server a test may stop and start again over the same store.
type house struct {
	t    *testing.T
	path string
	db   *sqlite.DB
	*front.House
	crew *engine.Crew
	stop func() // ends the crew's work, as a shutdown does
}

// doer lets a test hold steps back; nil does them.
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

// newHouse opens a program in a folder of its own.
func newHouse(t *testing.T, hold doer) *house {
	t.Helper()
	return openHouse(t, filepath.Join(t.TempDir(), "plumb.db"), hold)
}

// openHouse opens the program over a store that may be there already.
func openHouse(t *testing.T, path string, hold doer) *house {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	owner, err := engine.NewProcess(filepath.Join(filepath.Dir(path), "owners"))
	if err != nil {
		t.Fatal(err)
	}
	lib := &library.Library{Index: db}
	feed := front.NewFeed()
	steps := &engine.Steps{Contents: db, Library: lib, Ledger: db, Tapes: db}
	local := engine.NewLocal(db, held{steps, hold}, engine.Options{Owner: owner, Show: feed.Show, Yield: true,
		Failed: func(run, step string, err error) { t.Logf("run %s, step %s: %v", run, step, err) }})
	crew := engine.NewCrew(local, engine.CrewOptions{Failed: func(run string, err error) { t.Logf("run %s: %v", run, err) }})
	done := make(chan error, 1)
	go func() { done <- crew.Run(ctx) }()
	h := &house{t: t, path: path, db: db, crew: crew,
		House: &front.House{Runs: crew, Store: db, Library: lib, Prepare: prepare{}, Feed: feed}}
	var stopped bool
	h.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		local.Close()
		if err := owner.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(h.stop)
	return h
}

// serve starts an HTTP server on loopback. Requests without a key are the local tenant's, unless change says otherwise.
func (h *house) serve(change func(*server.Options)) *httptest.Server {
	h.t.Helper()
	o := server.Options{House: h.House, Keys: h.db, Replies: h.db, Open: true, Load: h.crew.Load, Version: "test",
		Ready: func(ctx context.Context) error { _, err := h.db.CountRuns(ctx, engine.Filter{}); return err }}
	if change != nil {
		change(&o)
	}
	s := httptest.NewServer(server.New(o).Handler())
	h.t.Cleanup(s.Close)
	return s
}

// shelve puts the example documents on a tenant's shelf, at most n of them.
func (h *house) shelve(tenant string, n int) {
	h.t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "examples", "corpus", "*", "*.md"))
	if err != nil {
		h.t.Fatal(err)
	}
	flat, err := filepath.Glob(filepath.Join("..", "examples", "corpus", "*.md"))
	if err != nil || len(names)+len(flat) == 0 {
		h.t.Fatal(err, "no example documents")
	}
	for _, name := range append(flat, names...)[:min(n, len(names)+len(flat))] {
		data, err := os.ReadFile(name)
		if err != nil {
			h.t.Fatal(err)
		}
		if _, err := h.Tenant(tenant).AddDocument(context.Background(), filepath.Base(name), data); err != nil {
			h.t.Fatal(err)
		}
	}
}

// prepare is a configuration without models and without a network.
type prepare struct{}

func (prepare) Question(a front.Ask, documents int) (plumb.Question, plumb.Limits, error) {
	preset := a.Preset
	if preset == "" {
		preset = "quick"
	}
	if !slices.Contains(plumb.Presets, preset) {
		return plumb.Question{}, plumb.Limits{}, &front.FieldError{Field: "research_strategy", Value: preset, Allowed: "use " + strings.Join(plumb.Presets, ", ")}
	}
	l, err := plumb.Preset(preset)
	l.Approve, l.Caps.Approval, l.Check = a.Approve, a.Patience, !a.Unchecked
	return plumb.Question{Text: a.Text, Style: l.Style(), Strict: a.Strict}, l, err
}

func (prepare) Audit(a front.AuditAsk) (plumb.Question, plumb.Limits, error) {
	l, err := plumb.Preset("standard")
	return plumb.Question{Text: "Audit of " + a.Name}, l, err
}

func (prepare) Outlook(q plumb.Question, l plumb.Limits) (front.Outlook, error) {
	return front.Outlook{Limits: l, Search: q.Where.Search, Papers: q.Where.Papers}, nil
}

func TestServerAnswersAtAll(t *testing.T) {
	s := newHouse(t, nil).serve(nil)
	res, err := http.Get(s.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
}
