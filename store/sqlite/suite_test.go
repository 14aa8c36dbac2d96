package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store { return open(t, Options{}) })
}

func TestStoreThatWaitsForTheDisk(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store { return open(t, Options{Synchronous: "full"}) })
}

func TestStoreForFrontEnds(t *testing.T) {
	storetest.Front(t, func(t *testing.T) storetest.FrontStore { return open(t, Options{}) })
}

func TestLibraryIndex(t *testing.T) {
	storetest.Library(t, func(t *testing.T) library.Index { return open(t, Options{}) })
}

func TestRowsThatAreLeft(t *testing.T) {
	storetest.Rows(t, func(t *testing.T) (storetest.FrontStore, func(string) int) {
		d := open(t, Options{})
		return d, func(table string) int { return count(t, d, table) }
	})
}

func TestPages(t *testing.T) { storetest.Pages(t, open(t, Options{})) }

// open makes an empty store that is closed when the test ends.
func open(t testing.TB, o Options) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "plumb.db"), o)
}

func openAt(t testing.TB, path string, o Options) *DB {
	t.Helper()
	d, err := Open(context.Background(), path, o)
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
