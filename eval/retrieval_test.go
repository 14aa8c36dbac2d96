package eval

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
)

const (
	passages = `{"doc_id":"a","title":"Herons","text":"Herons stand in shallow water and wait for fish."}
{"doc_id":"b/ 2","title":"Otters","text":"Otters swim after trout in the cold stream."}
{"doc_id":3,"title":"Lighthouses","text":"A lighthouse warns ships of rocks."}
`
	questions = `{"id":"1","question":"Where do herons stand?","gold":["a"]}
{"id":"2","question":"What do otters swim after, and what do lighthouses warn of?","gold":["b/ 2","3","3"]}
{"id":"3","question":"Where do herons wait?","gold":["3","a"]}
`
)

func TestRetrieval(t *testing.T) {
	dir := folder(t, map[string]string{"corpus.jsonl.gz": passages, "queries.jsonl": questions})
	s, err := Retrieval{Corpus: []string{filepath.Join(dir, "corpus.jsonl.gz")}, Queries: filepath.Join(dir, "queries.jsonl")}.Score(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The third question finds one of two, in the first place.
	ndcg := (1 + 1 + 1/(1+1/math.Log2(3))) / 3
	if s.N != 3 || !near(s.AllGold, 2.0/3) || !near(s.Recall, 2.5/3) || !near(s.MRR, 1) || !near(s.NDCG, ndcg) || s.MSPerQuery <= 0 {
		t.Errorf("%+v, want nDCG %v", s, ndcg)
	}
}

func TestRetrievalFromCSV(t *testing.T) {
	dir := folder(t, map[string]string{
		"corpus.csv":  "\ufeffdoc_id,title,text\na,Herons,\"Herons stand in shallow water, and wait.\"\n",
		"noise.csv":   "text,doc_id\nOtters swim after trout.,o\n",
		"queries.csv": "id,question,gold\n1,Who stands in water?,\"a;o\"\n",
	})
	read := 0
	s, err := Retrieval{
		Corpus: []string{filepath.Join(dir, "corpus.csv"), filepath.Join(dir, "noise.csv")}, Queries: filepath.Join(dir, "queries.csv"),
		Progress: func(n plumb.DocumentsNews) { read = n.Total },
	}.Score(t.Context())
	if err != nil || s.N != 1 || !near(s.Recall, 0.5) || s.AllGold != 0 || !near(s.MRR, 1) || read != 2 {
		t.Errorf("%+v, %v, %d read", s, err, read)
	}
}

// at makes a search that gives the documents of addresses in an order.
func at(urls ...string) func(context.Context, *library.Library, library.Query) ([]plumb.Hit, error) {
	return func(_ context.Context, _ *library.Library, q library.Query) ([]plumb.Hit, error) {
		if q.Limit != Top || len(q.Folders) != 1 {
			return nil, errors.New("another question")
		}
		var hits []plumb.Hit
		for _, u := range urls {
			hits = append(hits, plumb.Hit{Source: plumb.Source{URL: u}})
		}
		return hits, nil
	}
}

func TestRanksCount(t *testing.T) {
	dir := folder(t, map[string]string{"corpus.jsonl": passages, "queries.jsonl": `{"id":"1","question":"x","gold":["a","3"]}`})
	const a, b, c, none = "doc:000/000000.md", "doc:000/000001.md", "doc:000/000002.md", "doc:x"
	log := func(rank float64) float64 { return 1 / math.Log2(rank+1) }
	cases := []struct {
		what string
		hits []string
		want RetrievalScores
	}{
		{"both first", []string{c, a}, RetrievalScores{1, 1, 1, 1, 1, 0}},
		{"second and fourth, with repetitions", []string{b, a, a, c}, RetrievalScores{1, (log(2) + log(4)) / (1 + log(2)), 1, 1, 0.5, 0}},
		{"one eleventh", []string{a, b, b, b, b, b, b, b, b, b, c}, RetrievalScores{1, 1 / (1 + log(2)), 0.5, 0, 1, 0}},
		{"none", []string{b, none}, RetrievalScores{1, 0, 0, 0, 0, 0}},
		{"nothing", nil, RetrievalScores{1, 0, 0, 0, 0, 0}},
	}
	for _, k := range cases {
		s, err := Retrieval{Corpus: []string{filepath.Join(dir, "corpus.jsonl")}, Queries: filepath.Join(dir, "queries.jsonl"), Search: at(k.hits...)}.Score(t.Context())
		s.MSPerQuery = 0
		if err != nil || s.N != 1 || !near(s.NDCG, k.want.NDCG) || !near(s.Recall, k.want.Recall) || s.AllGold != k.want.AllGold || !near(s.MRR, k.want.MRR) {
			t.Errorf("%s: %+v, want %+v (%v)", k.what, s, k.want, err)
		}
	}
}

func TestASearchThatFailsIsNamed(t *testing.T) {
	dir := folder(t, map[string]string{"corpus.jsonl": passages, "queries.jsonl": questions})
	broken := errors.New("broken")
	_, err := Retrieval{Corpus: []string{filepath.Join(dir, "corpus.jsonl")}, Queries: filepath.Join(dir, "queries.jsonl"),
		Search: func(context.Context, *library.Library, library.Query) ([]plumb.Hit, error) { return nil, broken }}.Score(t.Context())
	if !errors.Is(err, broken) || errors.Is(err, ErrData) || !strings.Contains(err.Error(), "Where do herons stand?") {
		t.Error(err)
	}
}

func TestRetrievalDataThatIsWrong(t *testing.T) {
	cases := []struct{ what, corpus, queries, message string }{
		{"no documents", "", questions, "no documents"},
		{"no id", `{"title":"x"}`, questions, "row 1 has no doc_id"},
		{"no text", `{"doc_id":"x"}`, questions, "no text"},
		{"an id twice", passages + `{"doc_id":"a","text":"x"}`, questions, "doc_id a is there twice"},
		{"not JSON", "doc_id,title\n", questions, "row 1"},
		{"no questions", passages, "\n", "has no questions"},
		{"no gold", passages, `{"question":"x"}`, "no gold"},
		{"gold elsewhere", passages, `{"question":"x","gold":["z"]}`, "--corpus"},
		{"gold that is no list", passages, `{"question":"x","gold":{}}`, "row 1"},
	}
	for _, c := range cases {
		dir := folder(t, map[string]string{"corpus.jsonl": c.corpus, "queries.jsonl": c.queries})
		_, err := Retrieval{Corpus: []string{filepath.Join(dir, "corpus.jsonl")}, Queries: filepath.Join(dir, "queries.jsonl")}.Score(t.Context())
		if !errors.Is(err, ErrData) || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func TestTheTemporaryStoreIsDeleted(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	dir := folder(t, map[string]string{"corpus.jsonl": passages, "queries.jsonl": questions})
	if _, err := (Retrieval{Corpus: []string{filepath.Join(dir, "corpus.jsonl")}, Queries: filepath.Join(dir, "queries.jsonl")}).Score(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "plumb-eval-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	if _, err := os.Stat(tmp); err != nil {
		t.Error(err)
	}
}
