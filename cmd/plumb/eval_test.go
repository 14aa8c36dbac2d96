package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plumbresearch/plumb/eval"
)

// evalFiles writes data into the present folder.
func evalFiles(t *testing.T) {
	t.Helper()
	for name, body := range map[string]string{
		"pages.jsonl":  `{"html":"a.html","title":"Tides","with":["rises twice"],"without":["Menu"]}`,
		"a.html":       `<html><head><title>Tides</title></head><body><p>The tide rises twice a day.</p></body></html>`,
		"corpus.csv":   "doc_id,title,text\nh,Herons,Herons stand in water.\no,Otters,Otters swim after trout.\n",
		"queries.csv":  "id,question,gold\n1,Where do herons stand?,h\n",
		"broken.jsonl": "{\n",
	} {
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEvalPages(t *testing.T) {
	s := newShell(t)
	evalFiles(t)
	var got eval.PageScores
	r := s.must(exitDone, "eval", "pages", "--data", "pages.jsonl", "--html", ".", "--json")
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatal(err)
	}
	if got.N != 1 || got.F1 != 1 || got.TitleAccuracy == nil || *got.TitleAccuracy != 1 || got.MBPerSecond <= 0 {
		t.Errorf("%s", r.out)
	}
	for _, field := range []string{`"n"`, `"f1"`, `"precision"`, `"recall"`, `"title_accuracy"`, `"date_accuracy": null`, `"mb_per_second"`} {
		if !strings.Contains(r.out, field) {
			t.Errorf("no %s in %s", field, r.out)
		}
	}
	table := s.must(exitDone, "eval", "pages", "--data", "pages.jsonl", "--html", ".").out
	if !strings.HasPrefix(table, "1 page\n") || !strings.Contains(table, "F1              1.000\n") || !strings.Contains(table, "date accuracy   no labels\n") {
		t.Errorf("%s", table)
	}
}

func TestEvalRetrieval(t *testing.T) {
	s := newShell(t)
	evalFiles(t)
	r := s.must(exitDone, "eval", "retrieval", "--corpus", "corpus.csv", "--queries", "queries.csv", "--json")
	var got map[string]float64
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]float64{"n": 1, "ndcg_at_10": 1, "recall_at_10": 1, "all_gold_at_10": 1, "mrr_at_10": 1} {
		if v, ok := got[field]; !ok || v != want {
			t.Errorf("%s is %v in %s", field, v, r.out)
		}
	}
	if got["ms_per_query"] <= 0 || len(got) != 6 {
		t.Errorf("%s", r.out)
	}
	table := s.must(exitDone, "eval", "retrieval", "--corpus", "corpus.csv", "--queries", "queries.csv").out
	if !strings.HasPrefix(table, "1 question\n") || !strings.Contains(table, "all gold in the first 10  1.000\n") {
		t.Errorf("%s", table)
	}
	if _, err := os.Stat(s.home); !os.IsNotExist(err) {
		t.Errorf("the user's own store was opened: %v", err)
	}
}

func TestEvalThatIsWrongUse(t *testing.T) {
	s := newShell(t)
	evalFiles(t)
	for _, c := range []struct {
		args    string
		message string
	}{
		{"eval nothing", "is not a command: use pages"},
		{"eval pages", "--data FILE and --html FOLDER"},
		{"eval pages --data pages.jsonl --html none", "none is no folder"},
		{"eval pages --data none.jsonl --html .", "name a file that is there"},
		{"eval pages --data broken.jsonl --html .", "row 1"},
		{"eval retrieval --corpus corpus.csv", "--queries FILE"},
		{"eval retrieval --corpus corpus.csv --queries none.csv", "name a file that is there"},
		{"eval retrieval --corpus corpus.csv --queries queries.csv --embed-model x", "--embed-model"},
		{"eval retrieval --corpus corpus.csv --queries queries.csv --embed-model openai:m", "OPENAI_API_KEY"},
	} {
		r := s.must(exitUsage, strings.Fields(c.args)...)
		if !strings.Contains(r.err, c.message) || strings.Count(strings.TrimSpace(r.err), "\n") > 0 || r.out != "" {
			t.Errorf("%s: %q", c.args, r.err)
		}
	}
}

// With an embedder the measurement ranks by meaning too, and ends where the embedder does.
func TestEvalRetrievalByMeaning(t *testing.T) {
	s := newShell(t)
	evalFiles(t)
	if err := os.WriteFile("queries.csv", []byte("id,question,gold\n1,Do herons and otters swim?,h;o\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var refused atomic.Bool
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !strings.HasSuffix(r.URL.Path, "/embeddings") {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		asked.Add(int64(len(in.Input)))
		w.Header().Set("Content-Type", "application/json")
		if refused.Load() {
			w.WriteHeader(http.StatusUnauthorized)
		}
		type vector struct {
			Object    string    `json:"object"`
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Object string   `json:"object"`
			Data   []vector `json:"data"`
		}
		for i := range in.Input {
			out.Data = append(out.Data, vector{"embedding", i, []float32{1, float32(i)}})
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	s.env = []string{"OPENAI_API_KEY=key", "OPENAI_BASE_URL=" + server.URL + "/v1"}
	args := []string{"eval", "retrieval", "--corpus", "corpus.csv", "--queries", "queries.csv", "--embed-model", "openai:m", "--json"}
	if r := s.must(exitDone, args...); !strings.Contains(r.out, `"all_gold_at_10": 1`) || asked.Load() != 3 {
		t.Errorf("%s, %d texts embedded", r.out, asked.Load())
	}
	refused.Store(true)
	if r := s.must(exitFailed, args...); r.out != "" || !strings.Contains(r.err, "openai:m") {
		t.Errorf("an embedder that fails: %q, %q", r.out, r.err)
	}
}
