package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
	"github.com/plumbresearch/plumb/store/storetest"
)

func TestLibraryIndex(t *testing.T) {
	storetest.Library(t, func(t *testing.T) library.Index {
		d, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "plumb.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		return d
	})
}
