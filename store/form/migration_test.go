package form

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestMigrationsAreInTheOrderOfTheirNumbers(t *testing.T) {
	got := Migrations(fstest.MapFS{
		"migrations/002_b.sql": {Data: []byte("second")},
		"migrations/001_a.sql": {Data: []byte("first")},
		"migrations/notes.txt": {Data: []byte("no script")},
	})
	if !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("%q", got)
	}
}

func TestMigrationsWithAGapAreRefused(t *testing.T) {
	for _, names := range [][]string{{"002_b.sql"}, {"001_a.sql", "003_c.sql"}, {"001_a.sql", "001_b.sql"}, {"1_a.sql"}} {
		files := fstest.MapFS{}
		for _, name := range names {
			files["migrations/"+name] = &fstest.MapFile{}
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v are taken", names)
				}
			}()
			Migrations(files)
		}()
	}
}
