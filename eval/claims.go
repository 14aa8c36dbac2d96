package eval

// How well claims are checked, against labels that people gave.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/verify"
)

// Claims names a file of claims with what they cite and their labels.
type Claims struct {
	Data     string       // JSON lines: claim, evidence (sentences, or one text), label
	Embedded verify.Judge // as in verify.Checker
	Judge    verify.Judge
}

// ClaimScores are what checking the claims came to. All but ThreeWay hold
// supported against the rest. What can't be said of the labels is nil.
type ClaimScores struct {
	N                      int      `json:"n"`
	Accuracy               float64  `json:"accuracy"`
	BalancedAccuracy       *float64 `json:"balanced_accuracy"`
	MacroF1                float64  `json:"macro_f1"`
	ThreeWayAccuracy       float64  `json:"three_way_accuracy"` // supported, contradicted, neither
	RefutedTotal           int      `json:"refuted_total"`
	RefutedCalledSupported int      `json:"refuted_called_supported"`
	// ContradictedPrecision is how often contradicted was said of a refuted claim; where
	// no label says refuted, of one that is not supported.
	ContradictedPrecision *float64 `json:"contradicted_precision"`
	AUC                   *float64 `json:"auc"`
	// EvenOdds is the balanced accuracy of calling supported whatever is likelier so than not, which is less strict than the
	// checker; of rules alone the two are one.
	EvenOdds   *float64 `json:"even_odds_balanced_accuracy"`
	LetThrough *float64 `json:"let_through"` // share of the claims that are not supported which are called so
	// ConfirmedAt10 is the share of supported claims confirmed when at most 10 % of the rest are.
	ConfirmedAt10   *float64 `json:"confirmed_at_10"`
	ECE             float64  `json:"ece"` // expected calibration error of the support, ten bins
	ClaimsPerSecond float64  `json:"claims_per_second"`
}

// claimRow is a claim with its label.
type claimRow struct {
	Claim    string    `json:"claim"`
	Evidence sentences `json:"evidence"`
	Label    string    `json:"label"`
}

// sentences is a list of strings, or of objects with a text, or one string.
type sentences []string

// UnmarshalJSON takes all three.
func (s *sentences) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*s = sentences{one}
		return nil
	}
	var many []string
	if json.Unmarshal(b, &many) == nil {
		*s = many
		return nil
	}
	var objects []struct{ Text string }
	err := json.Unmarshal(b, &objects)
	for _, o := range objects {
		*s = append(*s, o.Text)
	}
	return err
}

// outcome is what a label says of a claim.
type outcome int

const (
	neither outcome = iota
	supported
	contradicted
)

var outcomes = map[string]outcome{
	"supported": supported, "refuted": contradicted, "contradicted": contradicted,
	"partially_supported": neither, "partial": neither, "not_supported": neither, "not_enough_info": neither,
}

// disputed rows have evidence for both; there is no right verdict on them.
const disputed = "disputed"

// Score checks every claim against its evidence.
func (c Claims) Score(ctx context.Context) (ClaimScores, error) {
	var claims []plumb.Claim
	var labels []string
	texts := stored{}
	err := eachRow(c.Data, func(n int, b []byte) error {
		var row claimRow
		if err := json.Unmarshal(b, &row); err != nil {
			return wrong("%s: row %d: %v", c.Data, n, err)
		}
		row.Label = strings.ToLower(strings.TrimSpace(row.Label))
		if row.Label == disputed {
			return nil
		}
		if _, known := outcomes[row.Label]; !known || row.Claim == "" {
			return wrong("%s: row %d: needs claim, evidence and a label that is supported, partially_supported, not_supported, not_enough_info or refuted", c.Data, n)
		}
		claims = append(claims, plumb.Claim{Text: row.Claim, Citations: []string{texts.put(strings.Join(row.Evidence, "\n"))}})
		labels = append(labels, row.Label)
		return nil
	})
	if err != nil {
		return ClaimScores{}, err
	}
	if len(claims) == 0 {
		return ClaimScores{}, wrong("%s has no rows", c.Data)
	}
	begin := time.Now()
	verdicts, err := verify.Checker{Sources: texts, Embedded: c.Embedded, Judge: c.Judge}.Check(ctx, claims, nil)
	if err != nil {
		return ClaimScores{}, err
	}
	s := ScoreVerdicts(labels, verdicts)
	s.ClaimsPerSecond = float64(len(claims)) / max(time.Since(begin).Seconds(), 1e-9)
	return s, nil
}

// stored is the evidence by address.
type stored map[string]string

func (s stored) put(text string) string {
	sum := sha256.Sum256([]byte(text))
	url := "doc:" + hex.EncodeToString(sum[:])
	s[url] = text
	return url
}

// Source gives the evidence as a source.
func (s stored) Source(_ context.Context, url string) (plumb.Source, string, error) {
	return plumb.Source{URL: url}, s[url], nil
}

// ScoreVerdicts holds verdicts against labels.
func ScoreVerdicts(labels []string, verdicts []plumb.Verdict) ClaimScores {
	s := ClaimScores{N: len(labels)}
	var t tally
	for i, v := range verdicts {
		t.add(outcomes[labels[i]], said(v.Status))
	}
	s.RefutedTotal, s.RefutedCalledSupported = t.of(contradicted), t[contradicted][supported]
	yes, no := t.of(supported), t.of(neither)+t.of(contradicted)
	tp, fp := t[supported][supported], t[neither][supported]+t[contradicted][supported]
	right := tp + no - fp
	s.Accuracy = part(right, s.N)
	s.ThreeWayAccuracy = part(t[supported][supported]+t[neither][neither]+t[contradicted][contradicted], s.N)
	s.MacroF1 = (f1(tp, fp, yes-tp) + f1(no-fp, yes-tp, fp)) / 2
	if named := t[supported][contradicted] + t[neither][contradicted] + t[contradicted][contradicted]; named > 0 {
		good := t[contradicted][contradicted]
		if s.RefutedTotal == 0 {
			good = t[neither][contradicted]
		}
		p := part(good, named)
		s.ContradictedPrecision = &p
	}
	ranked := rank(labels, verdicts)
	s.ECE = calibration(ranked)
	if yes > 0 && no > 0 {
		balanced := (part(tp, yes) + part(no-fp, no)) / 2
		auc, at10 := curve(ranked, yes, no)
		likelier, through := evenOdds(ranked, yes, no), part(fp, no)
		s.BalancedAccuracy, s.AUC, s.ConfirmedAt10, s.EvenOdds, s.LetThrough = &balanced, &auc, &at10, &likelier, &through
	}
	return s
}

// tally counts by label, then by verdict.
type tally [3][3]int

func (t *tally) add(label, verdict outcome) { t[label][verdict]++ }

func (t *tally) of(label outcome) int { return t[label][0] + t[label][1] + t[label][2] }

func said(s plumb.Status) outcome {
	switch s {
	case plumb.Supported:
		return supported
	case plumb.Contradicted:
		return contradicted
	}
	return neither
}

func part(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func f1(tp, fp, fn int) float64 { return part(2*tp, 2*tp+fp+fn) }

// weighed is how much a verdict speaks for a claim, and whether it is supported.
type weighed struct {
	support float64
	is      bool
}

// rank orders verdicts by support: the score of one that says supported, what is
// left of 1 of any other.
func rank(labels []string, verdicts []plumb.Verdict) []weighed {
	out := make([]weighed, len(verdicts))
	for i, v := range verdicts {
		out[i] = weighed{1 - v.Score, outcomes[labels[i]] == supported}
		if v.Status == plumb.Supported {
			out[i].support = v.Score
		}
	}
	slices.SortStableFunc(out, func(a, b weighed) int { return cmp.Compare(b.support, a.support) })
	return out
}

// curve gives the area under the curve, equals counting half, and the share of the
// supported that can be confirmed with at most a tenth of the others.
func curve(ranked []weighed, yes, no int) (auc, at10 float64) {
	above, wrongly := 0, 0
	for i := 0; i < len(ranked); {
		p, n, j := 0, 0, i
		for ; j < len(ranked) && ranked[j].support == ranked[i].support; j++ {
			if ranked[j].is {
				p++
			} else {
				n++
			}
		}
		auc += float64(n) * (float64(above) + float64(p)/2)
		above, wrongly, i = above+p, wrongly+n, j
		if wrongly*10 <= no {
			at10 = part(above, yes)
		}
	}
	return auc / (float64(yes) * float64(no)), at10
}

// evenOdds is the balanced accuracy of calling what has more than half of the support supported.
func evenOdds(ranked []weighed, yes, no int) float64 {
	right, wrong := 0, 0
	for _, r := range ranked {
		switch {
		case r.support > 0.5 && r.is:
			right++
		case r.support > 0.5:
			wrong++
		}
	}
	return (part(right, yes) + part(no-wrong, no)) / 2
}

const bins = 10

// calibration is the mean distance, by ten bins of equal width, between the
// support given and the share that is supported.
func calibration(ranked []weighed) float64 {
	var n, sum, right [bins]float64
	for _, r := range ranked {
		b := min(max(int(r.support*bins), 0), bins-1)
		n[b]++
		sum[b] += r.support
		if r.is {
			right[b]++
		}
	}
	total := 0.0
	for b := range n {
		total += math.Abs(sum[b] - right[b])
	}
	return total / float64(max(len(ranked), 1))
}
