// Package storetest holds a store to what the engine expects of it. Every store of Plumb passes the same suite.
package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

// Store is all that the suite asks for.
type Store interface {
	engine.Store
	engine.Contents
	engine.Ledger
	engine.Tapes
	llm.Ledger
}

// Run holds a store to the suite. Open gives an empty one for each test and closes it when the test ends. The suite
// wants times back to the microsecond and everything else exactly.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for _, group := range []struct {
		name  string
		cases []testCase
	}{
		{"journal", journalCases},
		{"runs", runsCases},
		{"tenants", tenantCases},
		{"leases", leaseCases},
		{"inbox", inboxCases},
		{"events", eventCases},
		{"sources", sourceCases},
		{"contents", contentsCases},
		{"ledger", ledgerCases},
		{"reservations", reserveCases},
		{"recordings", recordingCases},
		{"at once", concurrencyCases},
		{"shared", sharedCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) { c.f(t, open(t)) })
			}
		})
	}
}

type testCase struct {
	name string // a sentence about behaviour
	f    func(t *testing.T, s Store)
}

var (
	ctx   = context.Background()
	start = time.Date(2026, 3, 14, 15, 9, 26, 535_897_000, time.UTC)
)

// later is a time some seconds after the suite's beginning.
func later(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// newRun is a run as a user would ask for it.
func newRun(id string, at time.Time) *plumb.Run {
	limits, err := plumb.Preset("standard")
	if err != nil {
		panic(err) // the name is a constant
	}
	return plumb.NewRun(id, plumb.Question{Text: "What holds for " + id + "?", At: at}, limits)
}

// create makes runs that nobody owns.
func create(t *testing.T, s Store, ids ...string) {
	t.Helper()
	for i, id := range ids {
		must(t, s.CreateRun(ctx, newRun(id, later(i)), engine.Lease{}))
	}
}

// own makes runs that owner has for an hour.
func own(t *testing.T, s Store, owner string, ids ...string) {
	t.Helper()
	create(t, s, ids...)
	for _, id := range ids {
		holder, err := s.Acquire(ctx, id, owner, start, later(3600))
		must(t, err)
		equal(t, "holder of "+id, holder, owner)
	}
}

// commit is the seq-th outcome of a run, without events.
func commit(run, owner string, seq int) *engine.Commit {
	return &engine.Commit{
		Run: run, Owner: owner, Seq: seq, State: plumb.Running, Spent: plumb.Spent{USD: float64(seq) / 4, Tokens: int64(seq) * 100},
		Outcome: plumb.Outcome{Step: "plan.1", Kind: plumb.Done, At: later(seq), Refs: plumb.Refs{Plan: "plan/1"}},
	}
}

// event is the seq-th event of a run.
func event(run string, seq int64, step string, attempt int) plumb.Event {
	return plumb.Event{Run: run, Seq: seq, At: later(int(seq)), Kind: plumb.Warning, Step: step, Attempt: attempt, Text: "something happened"}
}

// source is a source with the hash of its text.
func source(url, text string) plumb.Source {
	sum := sha256.Sum256([]byte(text))
	return plumb.Source{Hash: hex.EncodeToString(sum[:]), URL: url, FinalURL: url, Title: "Title of " + url, RetrievedAt: start, Key: url}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got is must for calls that also give something.
func got[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// is fails unless err is want and says which run it speaks of.
func is(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// equal compares; nil and empty slices are the same.
func equal[T any](t *testing.T, what string, have, want T) {
	t.Helper()
	if diff := cmp.Diff(want, have, cmp.FilterValues(bothEmpty, cmp.Ignore())); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", what, diff)
	}
}

func bothEmpty(a, b any) bool { return lenOf(a) == 0 && lenOf(b) == 0 }

// atOnce calls f n times in goroutines of their own and returns their errors.
func atOnce(n int, f func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// journal is a run's journal.
func journal(t *testing.T, s Store, run string) []plumb.Outcome {
	t.Helper()
	return got(s.LoadRun(ctx, run))(t).Journal
}

// seqs are the numbers of a run's events.
func seqs(t *testing.T, s Store, run string) []int64 {
	t.Helper()
	var out []int64
	for _, e := range got(s.Events(ctx, run, 0, 0))(t) {
		out = append(out, e.Seq)
	}
	return out
}

// summary is how a run stands in the list.
func summary(t *testing.T, s Store, run string) engine.Summary {
	t.Helper()
	for _, r := range got(s.Runs(ctx, engine.Filter{}))(t) {
		if r.ID == run {
			return r
		}
	}
	t.Fatalf("run %s is not in the list", run)
	return engine.Summary{}
}
