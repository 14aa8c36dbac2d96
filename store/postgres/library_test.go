package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
)

func TestPostingsRoundTrip(t *testing.T) {
	want := []library.Posting{
		{Passage: 1, Count: 1, Length: 1}, {Passage: 2, Count: 127, Length: 300, Head: true},
		{Passage: 1 << 20, Count: 0, Length: 0, Head: true}, {Passage: 1<<40 + 7, Count: 1 << 20, Length: 1 << 30},
	}
	data := encodePostings(want)
	got, err := decodePostings(nil, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got, err = decodePostings(got[:1], data, map[int64]bool{2: true, 1 << 20: true})
	if d := cmp.Diff([]library.Posting{want[0], want[0], want[3]}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	if _, err := decodePostings(nil, data[:len(data)-1], nil); err == nil {
		t.Error("a list that is cut off is read")
	}
}

func TestInvertGivesWhatAppendPostingsWould(t *testing.T) {
	docs := []library.Document{
		{Passages: []library.Passage{{Length: 3, Terms: []library.Term{{Stem: "a", Count: 2}, {Stem: "b", Count: 1, Head: true}}}, {Length: 1, Terms: []library.Term{{Stem: "b", Count: 1}}}}},
		{Passages: []library.Passage{{Length: 200, Terms: []library.Term{{Stem: "a", Count: 1}}}}},
	}
	base := int64(5) << numberBits
	want := map[string][]library.Posting{
		"a": {{Passage: base, Count: 2, Length: 3}, {Passage: base + 2, Count: 1, Length: 200}},
		"b": {{Passage: base, Count: 1, Length: 3, Head: true}, {Passage: base + 1, Count: 1, Length: 1}},
	}
	var terms []string
	for _, l := range invert(docs) {
		terms = append(terms, l.term)
		if got := l.data(base); !slices.Equal(got, encodePostings(want[l.term])) {
			t.Errorf("%s: %v", l.term, got)
		}
	}
	if !slices.Equal(terms, []string{"a", "b"}) {
		t.Errorf("terms %v", terms)
	}
}

func FuzzDecodePostings(f *testing.F) {
	f.Add(encodePostings([]library.Posting{{Passage: 9, Count: 1, Length: 80}, {Passage: 300, Count: 2, Length: 90, Head: true}}))
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		ps, err := decodePostings(nil, data, nil)
		if err == nil && len(ps)*3 > len(data) {
			t.Errorf("%d postings from %d bytes", len(ps), len(data))
		}
	})
}

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
	for range 10 * smallSegments {
		if err := d.WriteDocuments(ctx, "/docs", library.Batch{Put: []library.Document{note(t, "same", "pump", 2)}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 * smallSegments {
		if err := d.WriteDocuments(ctx, "/docs", library.Batch{Put: []library.Document{note(t, string(rune('a'+i%26))+string(rune('a'+i/26)), "pump", 2)}}); err != nil {
			t.Fatal(err)
		}
	}
	got := counted(t, d)
	if got["library_segments"] > smallSegments || got["library_dead"] > 0 || got["library_passages"] != 20*smallSegments+2 {
		t.Errorf("%v", got)
	}
	lists, err := d.Postings(ctx, []string{"/docs"}, []string{"pump"})
	if err != nil || len(lists[0]) != 20*smallSegments+2 {
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
