package form

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb/library"
)

func TestPostingsRoundTrip(t *testing.T) {
	want := []library.Posting{
		{Passage: 1, Count: 1, Length: 1}, {Passage: 2, Count: 127, Length: 300, Head: true},
		{Passage: 1 << 20, Count: 0, Length: 0, Head: true}, {Passage: 1<<40 + 7, Count: 1 << 20, Length: 1 << 30},
	}
	data := EncodePostings(want)
	got, err := DecodePostings(nil, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got, err = DecodePostings(got[:1], data, map[int64]bool{2: true, 1 << 20: true})
	if d := cmp.Diff([]library.Posting{want[0], want[0], want[3]}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	if _, err := DecodePostings(nil, data[:len(data)-1], nil); err == nil {
		t.Error("a list that is cut off is read")
	}
}

func TestInvertGivesWhatEncodePostingsWould(t *testing.T) {
	docs := []library.Document{
		{Passages: []library.Passage{{Length: 3, Terms: []library.Term{{Stem: "a", Count: 2}, {Stem: "b", Count: 1, Head: true}}}, {Length: 1, Terms: []library.Term{{Stem: "b", Count: 1}}}}},
		{Passages: []library.Passage{{Length: 200, Terms: []library.Term{{Stem: "a", Count: 1}}}}},
	}
	base := int64(5) << NumberBits
	want := map[string][]library.Posting{
		"a": {{Passage: base, Count: 2, Length: 3}, {Passage: base + 2, Count: 1, Length: 200}},
		"b": {{Passage: base, Count: 1, Length: 3, Head: true}, {Passage: base + 1, Count: 1, Length: 1}},
	}
	var terms []string
	for _, l := range Invert(docs) {
		terms = append(terms, l.Term)
		if got := l.Data(base); !slices.Equal(got, EncodePostings(want[l.Term])) {
			t.Errorf("%s: %v", l.Term, got)
		}
	}
	if !slices.Equal(terms, []string{"a", "b"}) {
		t.Errorf("terms %v", terms)
	}
}

func FuzzDecodePostings(f *testing.F) {
	f.Add(EncodePostings([]library.Posting{{Passage: 9, Count: 1, Length: 80}, {Passage: 300, Count: 2, Length: 90, Head: true}}))
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		ps, err := DecodePostings(nil, data, nil)
		if err == nil && len(ps)*3 > len(data) {
			t.Errorf("%d postings from %d bytes", len(ps), len(data))
		}
	})
}
