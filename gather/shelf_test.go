package gather_test

// A small library in memory: paragraphs as passages, BM25 as search.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// The test binary is its own child process for reading PDFs.
const pdfChild = "GATHER_TEST_PDF"

func TestMain(m *testing.M) {
	if os.Getenv(pdfChild) == "" {
		os.Exit(m.Run())
	}
	if err := extract.ServePDF(os.Stdin, os.Stdout, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type shelf struct {
	hits  []plumb.Hit
	texts map[string]string
	index *rank.BM25
	// hurry, if set, is called before each search.
	hurry func()
}

// put adds a document.
func (s *shelf) put(source plumb.Source, body string) {
	sum := sha256.Sum256([]byte(body))
	source.Hash = hex.EncodeToString(sum[:])
	source.FinalURL, source.Key, source.Chars = source.URL, source.URL, len([]rune(body))
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	s.texts[source.Hash] = body
	if source.References != nil {
		source.References.Source = source.Hash
	}
	heading := ""
	for _, c := range chunks(body) {
		t := c.Of(body)
		if h := strings.TrimLeft(strings.SplitN(t, "\n", 2)[0], "# "); strings.HasPrefix(t, "#") || len(h) < 60 && !strings.Contains(t, "\n") && !strings.HasSuffix(h, ".") {
			heading = h
		}
		s.hits = append(s.hits, plumb.Hit{Source: source, Passage: plumb.Passage{Source: source.Hash, Start: c.Start, End: c.End}, Text: t, Heading: heading})
	}
	s.index = nil
}

// chunks are paragraphs, put together up to 800 bytes.
func chunks(s string) []text.Span {
	var out []text.Span
	at := 0
	for _, p := range strings.SplitAfter(s, "\n\n") {
		if t := strings.TrimSpace(p); t != "" {
			from := at + strings.Index(p, t)
			if n := len(out); n > 0 && from+len(t)-out[n-1].Start < 800 && !strings.HasPrefix(t, "#") {
				out[n-1].End = from + len(t)
			} else {
				out = append(out, text.Span{Start: from, End: from + len(t)})
			}
		}
		at += len(p)
	}
	return out
}

func (s *shelf) Search(ctx context.Context, q gather.Query) ([]plumb.Hit, error) {
	if s.hurry != nil {
		s.hurry()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.index == nil {
		docs := make([][]string, len(s.hits))
		for i, h := range s.hits {
			docs[i] = text.Terms(h.Source.Title+" "+h.Heading+" "+h.Text, "en")
		}
		s.index = rank.NewBM25(docs)
	}
	var out []plumb.Hit
	for _, r := range s.index.Search(text.Terms(q.Text, "en"), 0) {
		h := s.hits[r.Index]
		if h.Score = r.Score; len(out) < q.Limit && !slices.Contains(q.Exclude, h.Source.URL) {
			out = append(out, h)
		}
	}
	return out, nil
}

func (s *shelf) Text(_ context.Context, hash string) (string, error) {
	if t, ok := s.texts[hash]; ok {
		return t, nil
	}
	return "", fmt.Errorf("no text %s", hash)
}
