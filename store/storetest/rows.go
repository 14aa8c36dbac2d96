package storetest

// What a store leaves behind: rows that none of its methods shows.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
)

// Rows holds a store to keeping no more than it must. Open gives an empty one for each test, and a function that counts the
// rows of a table.
func Rows(t *testing.T, open func(t *testing.T) (FrontStore, func(table string) int)) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, s FrontStore, rows func(table string) int)
	}{
		{"a folder that is dropped leaves nothing", func(t *testing.T, s FrontStore, rows func(string) int) {
			fillFolder(t, s)
			equal(t, "dropped", got(s.DropFolder(ctx, "/docs"))(t), 3)
			LibraryIsEmpty(t, rows)
		}},
		{"a folder whose documents go leaves nothing", func(t *testing.T, s FrontStore, rows func(string) int) {
			fillFolder(t, s)
			put(t, s, "/docs", library.Batch{Remove: []string{"a", "b", "c"}})
			LibraryIsEmpty(t, rows)
		}},
		{"small segments are merged, and dead passages go", rowsMerged},
		{"a text that a run uses outlives the document", rowsRunKeepsText},
		{"a text that the library uses outlives the run", rowsLibraryKeepsText},
		{"a recording that is there leaves nothing of another", rowsRecording},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, rows := open(t)
			c.run(t, s, rows)
		})
	}
}

// Note is a document of n passages that all have the term. Its text is no other's.
func Note(path, term string, n int) library.Document {
	return document(path, slices.Repeat([]string{term + " in:" + path}, n)...)
}

// fillFolder writes three documents, one of them twice.
func fillFolder(t *testing.T, s FrontStore) {
	t.Helper()
	for _, docs := range [][]library.Document{{Note("a", "pump", 3), Note("b", "valve", 5)}, {Note("c", "pump", 2)}, {Note("a", "pipe", 1)}} {
		put(t, s, "/docs", library.Batch{Put: docs})
	}
}

// LibraryIsEmpty finds rows that the library has left.
func LibraryIsEmpty(t *testing.T, rows func(table string) int) {
	t.Helper()
	for _, table := range []string{"library_folders", "library_languages", "library_segments", "library_documents", "library_passages", "library_postings", "library_dead", "sources"} {
		equal(t, table, rows(table), 0)
	}
}

// segments is how many small ones a folder may have.
const segments = 16

func rowsMerged(t *testing.T, s FrontStore, rows func(table string) int) {
	const docs = 10 * segments
	for range docs {
		put(t, s, "/docs", library.Batch{Put: []library.Document{Note("same", "pump", 2)}})
	}
	for i := range docs {
		put(t, s, "/docs", library.Batch{Put: []library.Document{Note(fmt.Sprint("n", i), "pump", 2)}})
	}
	if n := rows("library_segments"); n > segments {
		t.Errorf("%d segments", n)
	}
	equal(t, "dead", rows("library_dead"), 0)
	equal(t, "passages", rows("library_passages"), 2*docs+2)
	equal(t, "postings", len(got(s.Postings(ctx, []string{"/docs"}, []string{"pump"}))(t)[0]), 2*docs+2)
}

func rowsRunKeepsText(t *testing.T, s FrontStore, rows func(table string) int) {
	doc := Note("a", "pump", 1)
	put(t, s, "/docs", library.Batch{Put: []library.Document{doc}})
	create(t, s, "a")
	must(t, s.PutSource(ctx, "a", doc.Source, doc.Text))
	got(s.DropFolder(ctx, "/docs"))(t)
	equal(t, "text", got(s.Text(ctx, doc.Source.Hash))(t), doc.Text)
	must(t, s.SaveFindings(ctx, "a", []plumb.Finding{{ID: "f", Source: doc.Source.Hash, SourceURL: "https://example.org"}}))
	equal(t, "findings", len(got(s.SavedFindings(ctx, nil, ""))(t)), 1)
	must(t, s.DeleteRun(ctx, "a"))
	LibraryIsEmpty(t, rows)
	equal(t, "findings of a deleted run", len(got(s.SavedFindings(ctx, nil, ""))(t)), 0)
}

func rowsLibraryKeepsText(t *testing.T, s FrontStore, rows func(table string) int) {
	doc := Note("a", "pump", 1)
	create(t, s, "a")
	must(t, s.PutSource(ctx, "a", doc.Source, doc.Text))
	put(t, s, "/docs", library.Batch{Put: []library.Document{doc}})
	must(t, s.DeleteRun(ctx, "a"))
	equal(t, "text", got(s.Text(ctx, doc.Source.Hash))(t), doc.Text)
	equal(t, "texts", rows("sources"), 1)
}

func rowsRecording(t *testing.T, s FrontStore, rows func(table string) int) {
	create(t, s, "a")
	talk := Conversation("a", 3, 100)
	talk[0].Answer, talk[2].Answer = []byte("1"), []byte("2")
	must(t, s.PutRecording(ctx, talk[0]))
	equal(t, "parts", rows("recording_parts"), 4) // two messages, and what is around them
	talk[2].Key = talk[0].Key
	must(t, s.PutRecording(ctx, talk[2]))
	equal(t, "parts with another", rows("recording_parts"), 4)
	must(t, s.DeleteRun(ctx, "a"))
	for _, table := range []string{"recordings", "recording_parts"} {
		equal(t, table, rows(table), 0)
	}
}
