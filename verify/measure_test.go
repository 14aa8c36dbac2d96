package verify

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

const shared = "../../shared/data"

// rows reads a gzipped file of JSON lines of the shared data; absent data skips the test.
func rows[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("public data not there: %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

type claimRow struct {
	Claim    string   `json:"claim"`
	Label    string   `json:"label"`
	Evidence []string `json:"evidence"`
}

// stored is Sources over a map; a URL that is not there is inaccessible.
type stored map[string]string

func (s stored) Source(_ context.Context, url string) (plumb.Source, string, error) {
	text, ok := s[url]
	if !ok {
		return plumb.Source{}, "", ErrInaccessible
	}
	return plumb.Source{URL: url, Hash: "h:" + url}, text, nil
}

// TestMeasure logs how the rules alone do on public claim sets: balanced accuracy
// of supported against the rest, refuted claims called supported, and how often
// contradicted was right. The floors only catch a broken checker.
func TestMeasure(t *testing.T) {
	for _, set := range []struct {
		name  string
		floor float64
	}{{"wice-dev", 0.60}, {"attributionbench-dev", 0.60}, {"scifact-train", 0.58}, {"fm2-dev", 0.50}} {
		t.Run(set.name, func(t *testing.T) {
			data := rows[claimRow](t, "claims/"+set.name+".jsonl.gz")
			var tp, fn, tn, fp, refuted, refutedSupported, said, right int
			statuses := map[string]map[plumb.Status]int{}
			for _, row := range data {
				v := check(t, row.Claim, strings.Join(row.Evidence, "\n"))
				if statuses[row.Label] == nil {
					statuses[row.Label] = map[plumb.Status]int{}
				}
				statuses[row.Label][v.Status]++
				yes := v.Status == plumb.Supported
				switch {
				case row.Label == "supported" && yes:
					tp++
				case row.Label == "supported":
					fn++
				case yes:
					fp++
				default:
					tn++
				}
				if row.Label == "refuted" {
					refuted++
					if yes {
						refutedSupported++
					}
				}
				if v.Status == plumb.Contradicted {
					said++
					if row.Label != "supported" {
						right++
					}
					t.Logf("%s | %s | %s", row.Label, row.Claim, v.Reason)
				}
			}
			balanced := (ratio(tp, tp+fn) + ratio(tn, tn+fp)) / 2
			t.Logf("n %d, balanced accuracy %.1f (recall %.1f, specificity %.1f), refuted called supported %d of %d, contradicted right %d of %d", len(data), 100*balanced,
				100*ratio(tp, tp+fn), 100*ratio(tn, tn+fp), refutedSupported, refuted, right, said)
			t.Log(statuses)
			if balanced < set.floor {
				t.Errorf("balanced accuracy %.3f, floor %.2f", balanced, set.floor)
			}
		})
	}
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

func check(t *testing.T, claim, source string) plumb.Verdict {
	t.Helper()
	c := Checker{Sources: stored{"doc:a": source}}
	vs, err := c.Check(t.Context(), []plumb.Claim{{ID: "claim_001", Text: claim, Citations: []string{"doc:a"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return vs[0]
}
