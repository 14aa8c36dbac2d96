package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/postgres/pgtest"
	"github.com/plumbresearch/plumb/store/storetest"
)

func TestWithoutPgvectorThereAreNoVectors(t *testing.T) {
	d := open(t, Options{})
	if is, _ := d.Vectors(); is {
		t.Skip("this server has pgvector")
	}
	_, near := d.Nearest(t.Context(), "m", nil, []float32{1}, 1)
	_, without := d.Unembedded(t.Context(), "m", nil, 1)
	for _, err := range []error{d.PutVectors(t.Context(), "m", nil), near, without} {
		if !errors.Is(err, ErrNoVectors) {
			t.Error(err)
		}
	}
}

func TestPassagesAreFoundByTheirVectors(t *testing.T) {
	dsn := pgtest.WithVectors(t)
	d := openAt(t, dsn, Options{Connections: 1, Wait: time.Minute})
	if is, text := d.Vectors(); !is {
		t.Fatal(text)
	}
	ctx := t.Context()
	for folder, docs := range map[string][]library.Document{"/one": {storetest.Note("a", "pump", 2), storetest.Note("b", "valve", 1)}, "/two": {storetest.Note("c", "pipe", 1)}} {
		if err := d.WriteDocuments(ctx, folder, library.Batch{Put: docs}); err != nil {
			t.Fatal(err)
		}
	}
	missing := func(model string, folders ...string) (paths []string, ids []int64) {
		t.Helper()
		found, err := d.Unembedded(ctx, model, folders, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range found {
			paths, ids = append(paths, l.Path), append(ids, l.ID)
		}
		return paths, ids
	}
	paths, ids := missing("m", "/one")
	if diff := cmp.Diff([]string{"a", "a", "b"}, paths); diff != "" {
		t.Fatal(diff)
	}
	_, other := missing("m", "/two")
	vs := []Vector{{ids[0], []float32{1, 0, 0}}, {ids[1], []float32{0, 1, 0}}, {ids[2], []float32{0.9, 0.1, 0}}, {other[0], []float32{1, 0, 0}}, {1 << 40, []float32{1, 0, 0}}}
	for range 2 {
		if err := d.PutVectors(ctx, "m", vs); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.PutVectors(ctx, "longer", []Vector{{ids[1], []float32{1, 2, 3, 4}}}); err != nil {
		t.Fatal(err)
	}
	if paths, _ := missing("m", "/one", "/two"); len(paths) != 0 {
		t.Errorf("still without a vector: %v", paths)
	}
	near := func(limit int, folders ...string) []int64 {
		t.Helper()
		found, err := d.Nearest(ctx, "m", folders, []float32{2, 0, 0}, limit)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if diff := cmp.Diff([]int64{ids[0], ids[2], ids[1]}, near(10, "/one")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{ids[0], other[0]}, near(2, "/one", "/two")); diff != "" {
		t.Error(diff)
	}
	if found, err := d.Nearest(ctx, "m", []string{"/one"}, []float32{1, 0}, 10); err != nil || len(found) != 0 {
		t.Errorf("of another length: %v, %v", found, err)
	}
	if err := d.WriteDocuments(ctx, "/one", library.Batch{Remove: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{ids[2]}, near(10, "/one")); diff != "" {
		t.Errorf("after a document went: %s", diff)
	}
}
