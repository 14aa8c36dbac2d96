package text

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

type claimRow struct {
	Claim    string   `json:"claim"`
	Evidence []string `json:"evidence"`
	Label    string   `json:"label"`
	Others   []string `json:"retrieved"` // sentences of the same page, mostly beside the point
}

// TestClashesOnPublicClaims counts on data outside the module how many claimed
// clashes fall on refuted claims: what is claimed must nearly always be true.
func TestClashesOnPublicClaims(t *testing.T) {
	const dir = "../../shared/data/claims/"
	if _, err := os.Stat(dir + "fm2-dev.jsonl.gz"); err != nil {
		t.Skipf("public claims are not there: %v", err)
	}
	right, wrong := 0, 0
	for _, name := range []string{"fm2-dev", "vitaminc-mini-dev", "scifact-train", "healthver-dev"} {
		claimed := map[string]int{}
		for _, row := range claimRows(t, dir+name+".jsonl.gz") {
			for _, e := range append(row.Evidence, row.Others...) {
				c := Compare(row.Claim, e, "en", nil)
				if c.Clash == nil {
					continue
				}
				claimed[row.Label]++
				t.Logf("%s %s\n  %s\n  %s\n  %s", row.Label, c.Clash.Kind, row.Claim, e, c.Clash.Reason)
				if row.Label == "supported" {
					wrong++
				} else {
					right++
				}
			}
		}
		t.Logf("%s: clashes claimed by label: %v", name, claimed)
	}
	if wrong > right/20 {
		t.Errorf("%d clashes claimed against supported claims, %d against others", wrong, right)
	}
}

func claimRows(t *testing.T, path string) []claimRow {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows []claimRow
	for d := json.NewDecoder(z); d.More(); {
		var row claimRow
		if err := d.Decode(&row); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		rows = append(rows, row)
	}
	return rows
}
