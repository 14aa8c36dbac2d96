package eval

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/verify"
)

func claimFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "claims.jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestClaims(t *testing.T) {
	name := claimFile(t,
		`{"claim":"The tower is 90 metres high.","evidence":"The tower is 90 metres high and old.","label":"supported"}`,
		`{"claim":"The tower is 90 metres high.","evidence":["The tower is 70 metres high."],"label":"refuted"}`,
		`{"claim":"Bread is baked at night.","evidence":[{"text":"The tower is old.","label":"x"}],"label":"not_enough_info"}`,
		`{"claim":"Nobody knows.","evidence":["Somebody does."],"label":"disputed"}`)
	for _, embedded := range []verify.Judge{nil, verify.Embedded{}} {
		s, err := Claims{Data: name, Embedded: embedded}.Score(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.N != 3 || s.Accuracy != 1 || *s.BalancedAccuracy != 1 || s.MacroF1 != 1 || s.ThreeWayAccuracy != 1 || s.RefutedTotal != 1 ||
			s.RefutedCalledSupported != 0 || *s.ContradictedPrecision != 1 || *s.AUC != 1 || *s.ConfirmedAt10 != 1 || s.ClaimsPerSecond <= 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestClaimsThatCannotBeScored(t *testing.T) {
	for want, line := range map[string]string{
		"label that is": `{"claim":"a","evidence":"b","label":"perhaps"}`,
		"needs claim":   `{"evidence":"b","label":"supported"}`,
		"row 1":         `{"claim":7}`,
		"no rows":       ``,
	} {
		_, err := Claims{Data: claimFile(t, line)}.Score(t.Context())
		if !errors.Is(err, ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestScoreVerdicts counts by hand: 4 supported of which 3 found, 6 others of which 2 let through.
func TestScoreVerdicts(t *testing.T) {
	rows := []struct {
		label  string
		status plumb.Status
		score  float64
	}{
		{"supported", plumb.Supported, 0.9}, {"supported", plumb.Supported, 0.8}, {"supported", plumb.Supported, 0.6}, {"supported", plumb.Partial, 0.7},
		{"refuted", plumb.Supported, 0.7}, {"refuted", plumb.Contradicted, 0.8}, {"refuted", plumb.NotFound, 0.9},
		{"partial", plumb.Supported, 0.55}, {"not_supported", plumb.Contradicted, 0.8}, {"not_enough_info", plumb.NotFound, 1},
	}
	var labels []string
	var verdicts []plumb.Verdict
	for _, r := range rows {
		labels, verdicts = append(labels, r.label), append(verdicts, plumb.Verdict{Status: r.status, Score: r.score})
	}
	s := ScoreVerdicts(labels, verdicts)
	for name, c := range map[string][2]float64{
		"accuracy": {s.Accuracy, 0.7}, "balanced": {*s.BalancedAccuracy, (0.75 + 4.0/6) / 2}, "three-way": {s.ThreeWayAccuracy, 0.5},
		"F1": {s.MacroF1, (6.0/9 + 8.0/11) / 2}, "contradicted": {*s.ContradictedPrecision, 0.5},
		// pairs in which the supported one is above: 6+6+5+4 of 24
		"AUC": {*s.AUC, 21.0 / 24}, "at 10": {*s.ConfirmedAt10, 0.5},
		// bins: .9 | .8 | .7: (.7) wrong | .6: right | .5: wrong | .3: right | .2 twice wrong | .1, 0 wrong
		"ECE": {s.ECE, (0.1 + 0.2 + 0.7 + 0.4 + 0.55 + 0.7 + 0.4 + 0.1 + 0) / 10},
	} {
		if math.Abs(c[0]-c[1]) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
	if s.RefutedTotal != 3 || s.RefutedCalledSupported != 1 {
		t.Errorf("%+v", s)
	}
	if one := ScoreVerdicts([]string{"supported"}, []plumb.Verdict{{Status: plumb.Supported, Score: 1}}); one.AUC != nil || one.BalancedAccuracy != nil || one.ContradictedPrecision != nil {
		t.Errorf("%+v", one)
	}
	if said := ScoreVerdicts([]string{"not_supported"}, []plumb.Verdict{{Status: plumb.Contradicted, Score: 0.8}}); *said.ContradictedPrecision != 1 {
		t.Errorf("%+v", said)
	}
}

// TestEvenOdds: what is likelier than not counts, also where the checker was stricter.
func TestEvenOdds(t *testing.T) {
	labels := []string{"supported", "supported", "refuted", "not_supported"}
	s := ScoreVerdicts(labels, []plumb.Verdict{
		{Status: plumb.Supported, Score: 0.9}, {Status: plumb.Partial, Score: 0.4}, {Status: plumb.Partial, Score: 0.3}, {Status: plumb.NotFound, Score: 0.8},
	})
	if *s.BalancedAccuracy != 0.75 || *s.EvenOdds != 0.75 || *s.LetThrough != 0 {
		t.Errorf("%v, %v, %v", *s.BalancedAccuracy, *s.EvenOdds, *s.LetThrough)
	}
	s = ScoreVerdicts(labels, []plumb.Verdict{
		{Status: plumb.Supported, Score: 0.9}, {Status: plumb.Partial, Score: 0.4}, {Status: plumb.Supported, Score: 0.8}, {Status: plumb.NotFound, Score: 0.8},
	})
	if *s.BalancedAccuracy != 0.5 || *s.EvenOdds != 0.75 || *s.LetThrough != 0.5 || s.RefutedCalledSupported != 1 {
		t.Errorf("%v, %v, %v", *s.BalancedAccuracy, *s.EvenOdds, *s.LetThrough)
	}
}
