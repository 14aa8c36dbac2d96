package storetest

// What a store must do when several processes use it at once, and with values that only some databases find hard.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
)

// noise is n characters that don't compress.
func noise(n int) string {
	var out string
	for i := 0; len(out) < n; i++ {
		sum := sha256.Sum256(fmt.Append(nil, n, i))
		out += hex.EncodeToString(sum[:])
	}
	return out[:n]
}

var sharedCases = []testCase{
	{"whoever asks for letters after the last it saw misses none", func(t *testing.T, s Store) {
		const senders, letters = 8, 10
		create(t, s, "a", "b")
		seen := map[int64]bool{}
		var sending atomic.Int64
		sending.Store(senders)
		must(t, atOnce(senders+1, func(i int) error {
			if i < senders {
				defer sending.Add(-1)
			}
			for n := 0; i < senders && n < letters; n++ {
				if _, err := s.Send(ctx, []string{"a", "b"}[i%2], plumb.Signal{Kind: plumb.SigPause}, start); err != nil {
					return err
				}
			}
			for last, over := int64(0), false; i == senders && !over; {
				all := sending.Load() == 0 // before it asks: what is there by now is found
				found, err := s.Letters(ctx, "", last)
				if err != nil {
					return err
				}
				for _, l := range found {
					last, seen[l.ID] = l.ID, true
				}
				over = all && len(found) == 0
			}
			return nil
		}))
		equal(t, "letters", len(seen), senders*letters)
	}},
	{"of findings that are put for a unit at once those of one call stay", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, atOnce(12, func(i int) error {
			var fs []plumb.Finding
			for range i + 1 {
				fs = append(fs, plumb.Finding{ID: fmt.Sprint(i), Unit: "u1", Subtask: 1})
			}
			return s.PutFindings(ctx, "a", "u1", fs)
		}))
		fs := got(s.Findings(ctx, "a"))(t)
		for _, f := range fs {
			if want := fmt.Sprint(len(fs) - 1); f.ID != want {
				t.Errorf("%d findings, one of them of call %s", len(fs), f.ID)
			}
		}
	}},
	{"a text that is put while the last run with it goes is there", func(t *testing.T, s Store) {
		src := source("doc:x", "the same text")
		for i := range 20 {
			old, young := fmt.Sprint("old ", i), fmt.Sprint("young ", i)
			create(t, s, old, young)
			must(t, s.PutSource(ctx, old, src, "the same text"))
			must(t, atOnce(2, func(n int) error {
				if n == 0 {
					return s.DeleteRun(ctx, old)
				}
				return s.PutSource(ctx, young, src, "the same text")
			}))
			equal(t, "text", got(s.Text(ctx, src.Hash))(t), "the same text")
			must(t, s.DeleteRun(ctx, young))
		}
		_, err := s.Text(ctx, src.Hash)
		is(t, "after the last of them", err, engine.ErrNotFound)
	}},
	{"addresses may be long", func(t *testing.T, s Store) {
		create(t, s, "a")
		base := "https://example.org/" + noise(7900)
		var want []plumb.Source
		for _, end := range []string{"a", "b", "c"} {
			want = append(want, source(base+end, "text "+end))
		}
		for _, i := range []int{2, 0, 1, 1} {
			must(t, s.PutSource(ctx, "a", want[i], "text "+want[i].URL[len(base):]))
		}
		equal(t, "sources", got(s.Sources(ctx, "a"))(t), want)
	}},
}

// libraryLong holds an index to words that are longer than any word is, as files with encoded data have.
func libraryLong(t *testing.T, x library.Index) {
	word := noise(6000)
	for i := range 20 { // enough for a store to merge what it keeps
		put(t, x, "/docs", library.Batch{Put: []library.Document{document(fmt.Sprintf("n%d.md", i), "pump "+word+fmt.Sprint(i%2))}})
	}
	for i, list := range got(x.Postings(ctx, []string{"/docs"}, []string{word + "0", word + "1", word, word + "2", "pump"}))(t) {
		equal(t, fmt.Sprint("word ", i), len(list), []int{10, 10, 0, 0, 20}[i])
	}
}
