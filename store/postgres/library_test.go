package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/form"
)

// counted is how many rows the tables of the library have.
func counted(t *testing.T, d *DB) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, table := range []string{"library_folders", "library_languages", "library_segments", "library_documents", "library_passages", "library_postings", "library_dead", "sources"} {
		n, err := read(t.Context(), d, plain[int], "SELECT count(*) FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		if n[0] > 0 {
			out[table] = n[0]
		}
	}
	return out
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// note is a document of n passages that all have the term.
func note(t *testing.T, path, term string, n int) library.Document {
	t.Helper()
	text := path + " " + term
	doc := library.Document{File: library.File{Path: path}, Text: text, Source: plumb.Source{URL: "doc:" + path, Hash: hashed(text)}}
	for range n {
		doc.Passages = append(doc.Passages, library.Passage{End: 1, Length: 1, Terms: []library.Term{{Stem: term, Count: 1}}})
	}
	return doc
}

func TestEmptiedFolderLeavesNothing(t *testing.T) {
	ctx := context.Background()
	for name, empty := range map[string]func(d *DB) error{
		"dropped": func(d *DB) error { _, err := d.DropFolder(ctx, "/docs"); return err },
		"removed": func(d *DB) error {
			return d.WriteDocuments(ctx, "/docs", library.Batch{Remove: []string{"a", "b", "c"}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, Options{})
			for _, b := range []library.Batch{
				{Put: []library.Document{note(t, "a", "pump", 3), note(t, "b", "valve", 5)}},
				{Put: []library.Document{note(t, "c", "pump", 2)}},
				{Put: []library.Document{note(t, "a", "pipe", 1)}},
			} {
				if err := d.WriteDocuments(ctx, "/docs", b); err != nil {
					t.Fatal(err)
				}
			}
			if err := empty(d); err != nil {
				t.Fatal(err)
			}
			if got := counted(t, d); len(got) != 0 {
				t.Errorf("left: %v", got)
			}
		})
	}
}

func TestSmallSegmentsAreMergedAndDeadPassagesDropped(t *testing.T) {
	ctx := context.Background()
	d := open(t, Options{})
	for range 10 * form.SmallSegments {
		if err := d.WriteDocuments(ctx, "/docs", library.Batch{Put: []library.Document{note(t, "same", "pump", 2)}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 * form.SmallSegments {
		if err := d.WriteDocuments(ctx, "/docs", library.Batch{Put: []library.Document{note(t, string(rune('a'+i%26))+string(rune('a'+i/26)), "pump", 2)}}); err != nil {
			t.Fatal(err)
		}
	}
	got := counted(t, d)
	if got["library_segments"] > form.SmallSegments || got["library_dead"] > 0 || got["library_passages"] != 20*form.SmallSegments+2 {
		t.Errorf("%v", got)
	}
	lists, err := d.Postings(ctx, []string{"/docs"}, []string{"pump"})
	if err != nil || len(lists[0]) != 20*form.SmallSegments+2 {
		t.Errorf("%d postings, %v", len(lists[0]), err)
	}
}

// newRun creates a run that nobody works on.
func newRun(t *testing.T, d *DB, id string) {
	t.Helper()
	if err := d.CreateRun(context.Background(), plumb.NewRun(id, plumb.Question{Text: "What is a pump for?"}, plumb.Limits{}), engine.Lease{}); err != nil {
		t.Fatal(err)
	}
}

func TestTextThatARunUsesOutlivesTheDocument(t *testing.T) {
	ctx := context.Background()
	d := open(t, Options{})
	doc := note(t, "a", "pump", 1)
	if err := d.WriteDocuments(ctx, "/docs", library.Batch{Put: []library.Document{doc}}); err != nil {
		t.Fatal(err)
	}
	newRun(t, d, "run-1")
	if err := d.PutSource(ctx, "run-1", doc.Source, doc.Text); err != nil {
		t.Fatal(err)
	}
	if _, err := d.DropFolder(ctx, "/docs"); err != nil {
		t.Fatal(err)
	}
	if text, err := d.Text(ctx, doc.Source.Hash); err != nil || text != doc.Text {
		t.Errorf("%q, %v", text, err)
	}
	if err := d.SaveFindings(ctx, "run-1", []plumb.Finding{{ID: "f", Source: doc.Source.Hash, SourceURL: "https://example.org"}}); err != nil {
		t.Fatal(err)
	}
	if saved, err := d.SavedFindings(ctx, nil, ""); err != nil || len(saved) != 1 {
		t.Errorf("%v, %v", saved, err)
	}
	if err := d.DeleteRun(ctx, "run-1"); err != nil {
		t.Fatal(err)
	}
	if got := counted(t, d); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	if saved, err := d.SavedFindings(ctx, nil, ""); err != nil || len(saved) != 0 {
		t.Errorf("findings of a deleted run: %v, %v", saved, err)
	}
}

func TestTextThatTheLibraryUsesOutlivesTheRun(t *testing.T) {
	ctx := context.Background()
	d := open(t, Options{})
	doc := note(t, "a", "pump", 1)
	newRun(t, d, "run-1")
	if err := d.PutSource(ctx, "run-1", doc.Source, doc.Text); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteDocuments(ctx, "/docs", library.Batch{Put: []library.Document{doc}}); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteRun(ctx, "run-1"); err != nil {
		t.Fatal(err)
	}
	if text, err := d.Text(ctx, doc.Source.Hash); err != nil || text != doc.Text {
		t.Errorf("%q, %v", text, err)
	}
}
