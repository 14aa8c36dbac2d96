package verify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
)

var at = time.Date(2026, 1, 22, 11, 30, 0, 5e8, time.FixedZone("CET", 3600))

func marshal[F CitationsFile | ClaimsFile | VerificationFile](t *testing.T, f F) string {
	t.Helper()
	b, err := Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCitationsFile(t *testing.T) {
	draft := "# R\n\nA rose [1]. B & <b> fell (https://www.bbc.co.uk/x). C stood [9]. D (doc:d.md).\n\n## Sources\n\n[1] One https://news.bbc.co.uk/a\n"
	got := marshal(t, NewCitationsFile("", Mentions(draft), []plumb.Citation{{Number: 1, URL: "https://news.bbc.co.uk/a"}}, at))
	want := `{
  "extracted_at": "2026-01-22T10:30:00Z",
  "source_file": "report.md",
  "total_citations": 4,
  "unique_domains": 2,
  "unresolved": 1,
  "citations": [
    {
      "url": "https://news.bbc.co.uk/a",
      "section": "R",
      "context": "A rose [1]. B & <b> fell (https://www.bbc.co.uk/x). C stood ",
      "line_number": 3,
      "claim_text": "A rose.",
      "number": 1,
      "start": 12,
      "end": 15,
      "cover_start": 5,
      "cover_end": 16
    },
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
	for _, part := range []string{"\"by_section\": {\n    \"R\": 4\n  }", "\"by_domain\": {\n    \"bbc.co.uk\": 2,\n    \"doc:d.md\": 1\n  }", `"sources": [`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
}

func TestFilesOfNothing(t *testing.T) {
	for _, s := range []string{
		marshal(t, NewCitationsFile("a.md", nil, nil, at)), marshal(t, NewClaimsFile(nil, at)), marshal(t, NewVerificationFile(nil, at)),
	} {
		if strings.Contains(s, "null") || !strings.HasSuffix(s, "}\n") {
			t.Errorf("%s", s)
		}
	}
}

func TestClaimsFile(t *testing.T) {
	claims := []plumb.Claim{
		{ID: "claim_001", Confidence: plumb.High, Type: plumb.Factual},
		{ID: "claim_002", Confidence: plumb.Uncertain, Type: plumb.Prediction, Citations: []string{"doc:a"}},
	}
	got := marshal(t, NewClaimsFile(claims, at))
	for _, part := range []string{`"total_claims": 2`, `"citations": []`, "\"by_confidence\": {\n    \"high\": 1,\n    \"medium\": 0,\n    \"low\": 0,\n    \"uncertain\": 1\n  }",
		"\"by_type\": {\n    \"factual\": 1,\n    \"prediction\": 1,\n    \"opinion\": 0,\n    \"definition\": 0\n  }"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	if claims[0].Citations != nil {
		t.Error("the claims given were changed")
	}
}

func TestVerificationFileAddsUp(t *testing.T) {
	var vs []plumb.Verdict
	for i, s := range plumb.Statuses {
		for range i + 1 {
			vs = append(vs, plumb.Verdict{Status: s, Disputed: i == 0, Others: []plumb.Verdict{{Status: plumb.Contradicted}}})
		}
	}
	text := marshal(t, NewVerificationFile(vs, at))
	var f struct {
		At      string         `json:"verified_at"`
		File    string         `json:"claims_file"`
		Total   int            `json:"total_verified"`
		Rate    float64        `json:"verification_rate"`
		Summary map[string]int `json:"summary"`
		Results []struct {
			Others *[]plumb.Verdict `json:"others"`
		} `json:"results"`
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for i, s := range plumb.Statuses {
		n, ok := f.Summary[string(s)]
		if !ok || n != i+1 {
			t.Errorf("%s: %d", s, n)
		}
		sum += n
	}
	if sum != f.Total || f.Total != 21 || len(f.Results) != 21 || f.Rate != 0.0476 || f.At != "2026-01-22T10:30:00Z" || f.File != "claims.json" {
		t.Errorf("%+v", f)
	}
	if strings.Contains(text, "null") {
		t.Error("null in verification.json")
	}
}
