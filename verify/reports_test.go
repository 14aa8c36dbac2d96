package verify

import "testing"

// TestRealReports runs over public deep-research reports: no panic, offsets in
// order, and most of what is cited resolved.
func TestRealReports(t *testing.T) {
	data := rows[struct {
		ID     string `json:"id"`
		System string `json:"system"`
		Report string `json:"report"`
	}](t, "reports/deep-research-dev.jsonl.gz")
	var claims, cited, mentions, unresolved, listed int
	for _, row := range data {
		cs, ms := valid(t, row.Report)
		claims += len(cs)
		for _, c := range cs {
			if len(c.Citations) > 0 {
				cited++
			}
		}
		mentions += len(ms)
		for _, m := range ms {
			if m.URL == "" {
				unresolved++
			}
		}
		listed += len(Listed(row.Report))
		if len(cs) == 0 {
			t.Errorf("%s: no claims", row.ID)
		}
	}
	t.Logf("%d reports: %d claims, %d of them cited; %d mentions, %d unresolved; %d sources listed", len(data), claims, cited, mentions, unresolved, listed)
	if unresolved*10 > mentions {
		t.Errorf("%d of %d mentions unresolved", unresolved, mentions)
	}
}
