package sqlite

import (
	"context"
	"path/filepath"
	"testing"

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
