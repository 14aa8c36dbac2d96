package postgres

import (
	"context"
	"sync"
	"testing"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/postgres/pgtest"
	"github.com/plumbresearch/plumb/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store { return open(t, Options{}) })
}

func TestFront(t *testing.T) {
	storetest.Front(t, func(t *testing.T) storetest.FrontStore { return open(t, Options{}) })
}

func TestLibraryIndex(t *testing.T) {
	storetest.Library(t, func(t *testing.T) library.Index { return open(t, Options{}) })
}

func TestRowsThatAreLeft(t *testing.T) {
	storetest.Rows(t, func(t *testing.T) (storetest.FrontStore, func(string) int) {
		d := open(t, Options{})
		return d, tableRows(t, d)
	})
}

// tableRows counts the rows of a table.
func tableRows(t *testing.T, d *DB) func(table string) int {
	return func(table string) int { return count(t, d, "SELECT count(*) FROM "+table) }
}

func TestPages(t *testing.T) { storetest.Pages(t, open(t, Options{})) }

// spare are databases with empty tables. To empty one is ten times as quick as to make one.
var spare struct {
	mu  sync.Mutex
	all []string
}

// database is the address of an empty store.
func database(t testing.TB) string {
	t.Helper()
	spare.mu.Lock()
	defer spare.mu.Unlock()
	var dsn string
	if n := len(spare.all); n > 0 {
		dsn, spare.all = spare.all[n-1], spare.all[:n-1]
	} else {
		dsn = pgtest.Forever(t)
		d, err := Open(context.Background(), dsn, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		var empty []string
		for _, table := range tables {
			empty = append(empty, "DELETE FROM "+table)
		}
		pgtest.Exec(t, dsn, empty...)
		spare.mu.Lock()
		defer spare.mu.Unlock()
		spare.all = append(spare.all, dsn)
	})
	return dsn
}

// tables are those whose rows nothing refers to once the ones before are empty.
var tables = []string{
	"runs", "threads", "keys", "replies", "pages", "library_findings", "library_folders", "library_passages", "library_postings", "library_dead", "sources",
}

// open makes an empty store that is closed when the test ends.
func open(t testing.TB, o Options) *DB {
	t.Helper()
	return openAt(t, database(t), o)
}

func openAt(t testing.TB, dsn string, o Options) *DB {
	t.Helper()
	d, err := Open(context.Background(), dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
