package form

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
)

// document is one of n passages that have the term.
func document(path, term string, n int) library.Document {
	sum := sha256.Sum256([]byte(path))
	doc := library.Document{File: library.File{Path: path}, Text: path, Source: plumb.Source{URL: "doc:" + path, Hash: hex.EncodeToString(sum[:])}}
	for range n {
		doc.Passages = append(doc.Passages, library.Passage{Length: 1, Terms: []library.Term{{Stem: term, Count: 1}}})
	}
	return doc
}

func TestPreparedDocumentsBecomeASegment(t *testing.T) {
	n, err := Prepare([]library.Document{document("a", "pump", 2), document("b", "axle", 1)})
	if err != nil || n.Passages != 3 || len(n.Sources) != 2 || !strings.Contains(n.Sources[1], "doc:b") {
		t.Fatalf("%+v, %v", n, err)
	}
	const segment = 7
	list := n.List(segment)
	for i, want := range []struct {
		term     string
		passages []int64
	}{{"axle", []int64{2}}, {"pump", []int64{0, 1}}} {
		term, data := list(i)
		ps, err := DecodePostings(nil, data, nil)
		var got []int64
		for _, p := range ps {
			got = append(got, p.Passage-segment<<NumberBits)
		}
		if err != nil || term != want.term || !slices.Equal(got, want.passages) {
			t.Errorf("%s %v, %v", term, got, err)
		}
	}
}

func TestDocumentsThatCantBeASegmentAreRefused(t *testing.T) {
	wrong := document("a", "pump", 1)
	wrong.Text += "!"
	if _, err := Prepare([]library.Document{wrong}); err == nil || !strings.HasPrefix(err.Error(), "document a: hash") {
		t.Errorf("%v", err)
	}
	if _, err := Prepare([]library.Document{{File: wrong.File, Text: "a", Source: document("a", "", 0).Source, Passages: make([]library.Passage, 1<<NumberBits)}}); err == nil {
		t.Error("more passages than a segment has numbers are taken")
	}
}

func TestReplacedDocumentsAreGoneToo(t *testing.T) {
	remove := append(make([]string, 0, 8), "old")
	got := Gone(library.Batch{Remove: remove, Put: []library.Document{document("a", "", 0)}})
	if !slices.Equal(got, []string{"old", "a"}) || remove[:2][1] != "" {
		t.Errorf("%v, and the batch has %v", got, remove[:2])
	}
}

func TestMergedListsAreSortedAndLive(t *testing.T) {
	var m Merged
	posting := func(passage int64) library.Posting { return library.Posting{Passage: passage, Count: 1, Length: 5} }
	dead := map[int64]bool{4: true, 9: true}
	for _, l := range []struct {
		term string
		ps   []library.Posting
	}{
		{"axle", []library.Posting{posting(8), posting(9)}}, {"axle", []library.Posting{posting(3), posting(4)}},
		{"bolt", []library.Posting{posting(4)}}, {"pump", []library.Posting{posting(1)}},
	} {
		if err := m.Add(l.term, EncodePostings(l.ps), dead); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string][]library.Posting{}
	for i := range m.End() {
		term, data := m.List(i)
		ps, err := DecodePostings(nil, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		got[term] = ps
	}
	if d := cmp.Diff(map[string][]library.Posting{"axle": {posting(3), posting(8)}, "pump": {posting(1)}}, got); d != "" {
		t.Error(d)
	}
	if m.Add("pump", []byte{1}, nil) == nil {
		t.Error("a damaged list is taken")
	}
}
