package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/store/storetest"
)

// Two stores on one database are two processes, as far as the database can tell.

func TestProcessesAtOnceNeverOvershootABudget(t *testing.T) {
	dsn := database(t)
	stores := []*DB{openAt(t, dsn, Options{}), openAt(t, dsn, Options{})}
	owned(t, stores[0], "a", "me")
	var made atomic.Int64
	parallel(t, 16, func(i int) error {
		for n := range 20 {
			err := stores[i%2].Reserve(context.Background(), llm.Reservation{ID: fmt.Sprintf("%d/%d", i, n), Run: "a", Step: "x", USD: 0.01, RunCap: llm.Cap{USD: 1}})
			if errors.Is(err, llm.ErrBudget) {
				continue
			}
			if err != nil {
				return err
			}
			made.Add(1)
		}
		return nil
	})
	if made.Load() != 100 {
		t.Errorf("%d reservations of a cent fit into a dollar", made.Load())
	}
}

func TestRunGoesOnInAnotherProcess(t *testing.T) {
	dsn := database(t)
	first, second := openAt(t, dsn, Options{}), openAt(t, dsn, Options{})
	owned(t, first, "a", "first")
	if err := first.Commit(t.Context(), outcome("a", "first", 1)); err != nil {
		t.Fatal(err)
	}
	if holder, err := second.Acquire(t.Context(), "a", "second", asked, asked.Add(time.Minute)); err != nil || holder != "first" {
		t.Errorf("held by %q, %v", holder, err)
	}
	if holder, err := second.Acquire(t.Context(), "a", "second", asked.Add(2*time.Hour), asked.Add(3*time.Hour)); err != nil || holder != "second" {
		t.Errorf("held by %q, %v", holder, err)
	}
	if err := first.Commit(t.Context(), outcome("a", "first", 2)); !errors.Is(err, engine.ErrNotOwner) {
		t.Errorf("a commit of the one before: %v", err)
	}
	if err := second.Commit(t.Context(), outcome("a", "second", 2)); err != nil {
		t.Error(err)
	}
}

func TestProcessesAddToOneFolderAtOnce(t *testing.T) {
	dsn := database(t)
	stores := []*DB{openAt(t, dsn, Options{}), openAt(t, dsn, Options{})}
	parallel(t, 2, func(i int) error {
		for n := range 25 {
			docs := []library.Document{storetest.Note(fmt.Sprintf("%d-%d", i, n), "pump", 2), storetest.Note("same", "valve", 1)}
			if err := stores[i].WriteDocuments(context.Background(), "/docs", library.Batch{Put: docs}); err != nil {
				return err
			}
		}
		return nil
	})
	lists, err := stores[0].Postings(t.Context(), []string{"/docs"}, []string{"pump", "valve", "pump"})
	if err != nil || len(lists[0]) != 100 || len(lists[1]) != 1 || len(lists[2]) != 100 {
		t.Errorf("%d and %d postings, %v", len(lists[0]), len(lists[1]), err)
	}
	s, err := stores[1].Statistics(t.Context(), []string{"/docs"})
	if err != nil || s.Passages != 101 {
		t.Errorf("%+v, %v", s, err)
	}
	if n, err := stores[1].DropFolder(t.Context(), "/docs"); err != nil || n != 51 {
		t.Errorf("%d documents, %v", n, err)
	}
	storetest.LibraryIsEmpty(t, tableRows(t, stores[0]))
}

func TestTitleGoesWithTheLastOfTwoRunsThatGoAtOnce(t *testing.T) {
	d := open(t, Options{})
	for i := range 10 {
		thread := fmt.Sprint("thread ", i)
		for n := range 2 {
			run := plumb.NewRun(fmt.Sprint(thread, " ", n), plumb.Question{Text: "What?", At: asked}, plumb.Limits{})
			run.Thread = thread
			if err := d.CreateRun(t.Context(), run, engine.Lease{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.TitleThread(t.Context(), "", thread, "A title"); err != nil {
			t.Fatal(err)
		}
		parallel(t, 2, func(n int) error { return d.DeleteRun(context.Background(), fmt.Sprint(thread, " ", n)) })
	}
	if n := count(t, d, `SELECT count(*) FROM threads`); n != 0 {
		t.Errorf("%d titles are left", n)
	}
}
