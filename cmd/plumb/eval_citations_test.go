package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/eval"
)

func TestEvalCitations(t *testing.T) {
	s := newShell(t)
	row := `{"system":"quill","report":"The port is very old [1].\n\n## Sources\n\n[1] https://a.example/one\n"}`
	if err := os.WriteFile("reports.jsonl", []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	var got eval.CitationScores
	r := s.must(exitDone, "eval", "citations", "--data", "reports.jsonl", "--json")
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatal(err)
	}
	if got.URLs != 1 || got.Markers != 1 || got.Resolved != 1 || got.Systems["quill"].Reports != 1 {
		t.Errorf("%s", r.out)
	}
	table := s.must(exitDone, "eval", "citations", "--data", "reports.jsonl").out
	if !strings.HasPrefix(table, "system  reports  urls  markers") || !strings.Contains(table, "\nall ") || !strings.Contains(table, "\nquill ") {
		t.Errorf("%s", table)
	}
	if r := s.must(exitUsage, "eval", "citations"); !strings.Contains(r.err, "--data") {
		t.Errorf("%s", r.err)
	}
}
