package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/eval"
)

func TestEvalClaims(t *testing.T) {
	s := newShell(t)
	rows := `{"claim":"The tower is 90 metres high.","evidence":"The tower is 90 metres high.","label":"supported"}
{"claim":"The tower is 90 metres high.","evidence":["The tower is 70 metres high."],"label":"refuted"}`
	if err := os.WriteFile("claims.jsonl", []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, judge := range []string{"rules", "embedded", "auto"} {
		var got eval.ClaimScores
		r := s.must(exitDone, "eval", "claims", "--data", "claims.jsonl", "--judge", judge, "--json")
		if err := json.Unmarshal([]byte(r.out), &got); err != nil {
			t.Fatal(err)
		}
		if got.N != 2 || got.Accuracy != 1 || got.ThreeWayAccuracy != 1 || got.RefutedTotal != 1 {
			t.Errorf("%s: %s", judge, r.out)
		}
	}
	if r := s.must(exitDone, "eval", "claims", "--data", "claims.jsonl"); !strings.Contains(r.out, "2 claims") || !strings.Contains(r.out, "balanced accuracy") {
		t.Error(r.out)
	}
	for _, args := range [][]string{{}, {"--data", "none.jsonl"}, {"--data", "claims.jsonl", "--judge", "king"}, {"--data", "claims.jsonl", "--judge", "llm"},
		{"--data", "claims.jsonl", "--judge", "rules", "--model", "ollama:x"}, {"--data", "claims.jsonl", "--model", "x"}} {
		s.must(exitUsage, append([]string{"eval", "claims"}, args...)...)
	}
}
