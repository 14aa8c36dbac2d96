package verify

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/plumbresearch/plumb"
)

// labels reads a file of testdata/labels; its README.md says how they were made.
func labels[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open("testdata/labels/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
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

// labelledReports returns the texts of the public reports by id.
func labelledReports(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, r := range rows[struct {
		ID     string `json:"id"`
		Report string `json:"report"`
	}](t, "reports/deep-research-dev.jsonl.gz") {
		out[r.ID] = r.Report
	}
	return out
}

type citationLabel struct {
	Report  string   `json:"report"`
	Kind    string   `json:"kind"`
	Line    int      `json:"line"`
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Text    string   `json:"text"`
	URL     string   `json:"url"`
	Number  int      `json:"number"`
	Sources []string `json:"sources"`
}

// met says whether the extractor agrees with the label.
func (l citationLabel) met(ms []plumb.Mention, listed []Entry) bool {
	var urls []string
	for _, m := range ms {
		if m.Start < l.End && l.Start < m.End {
			if m.Line != l.Line {
				return false
			}
			urls = append(urls, m.URL)
		}
	}
	switch {
	case l.Kind == "none":
		return len(urls) == 0
	case l.Kind == "url" && l.Number > 0:
		return slices.ContainsFunc(listed, func(e Entry) bool { return e.Number == l.Number && e.URL == address(l.URL) })
	case l.Kind == "url":
		return slices.Contains(urls, address(l.URL))
	}
	want := []string{}
	for _, s := range l.Sources {
		want = append(want, address(s))
	}
	return slices.Equal(urls, want)
}

// TestLabelledCitations holds the extractor to hand-made labels of real reports:
// addresses and markers found and tied to the right source.
func TestLabelledCitations(t *testing.T) {
	reports := labelledReports(t)
	type found struct {
		ms     []plumb.Mention
		listed []Entry
	}
	read := map[string]found{}
	all, right := map[string]int{}, map[string]int{}
	for _, l := range labels[citationLabel](t, "citations.jsonl") {
		r, ok := read[l.Report]
		if !ok {
			r = found{Mentions(reports[l.Report]), Listed(reports[l.Report])}
			read[l.Report] = r
		}
		all[l.Kind]++
		if l.met(r.ms, r.listed) {
			right[l.Kind]++
		} else {
			t.Logf("missed: %s line %d: %s %s%s %q", l.Report, l.Line, l.Kind, l.Text, l.URL, l.Sources)
		}
	}
	for kind, floor := range map[string]float64{"url": 0.99, "marker": 0.97, "none": 1} {
		share := float64(right[kind]) / float64(all[kind])
		t.Logf("%s: %d of %d (%.2f %%)", kind, right[kind], all[kind], 100*share)
		if share < floor {
			t.Errorf("%s: %.2f %%, want %.0f %% at least", kind, 100*share, 100*floor)
		}
	}
}

type claimLabel struct {
	Report string `json:"report"`
	Line   int    `json:"line"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Claims []struct {
		Start      int              `json:"start"`
		End        int              `json:"end"`
		Type       plumb.ClaimType  `json:"type"`
		Confidence plumb.Confidence `json:"confidence"`
	} `json:"claims"`
}

// TestLabelledClaims scores the splitter on hand-labelled lines of real reports. A
// claim is found when its span and the label's share 80 % of what they cover.
func TestLabelledClaims(t *testing.T) {
	reports := labelledReports(t)
	read := map[string][]plumb.Claim{}
	var labelled, given, found, types, confidences int
	for _, l := range labels[claimLabel](t, "claims.jsonl") {
		draft := reports[l.Report]
		if _, ok := read[l.Report]; !ok {
			read[l.Report] = Split(draft)
		}
		labelled += len(l.Claims)
		for _, c := range read[l.Report] {
			if c.Start < l.Start || c.Start >= l.End {
				continue
			}
			given++
			hit := false
			for _, w := range l.Claims {
				both := min(c.End, w.End) - max(c.Start, w.Start)
				if hit = both*5 >= 4*(max(c.End, w.End)-min(c.Start, w.Start)); hit {
					found++
					if c.Type == w.Type {
						types++
					} else {
						t.Logf("type: %s, label %s: %s", c.Type, w.Type, c.Text)
					}
					if c.Confidence == w.Confidence {
						confidences++
					} else {
						t.Logf("confidence: %s, label %s: %s", c.Confidence, w.Confidence, c.Text)
					}
					break
				}
			}
			if !hit {
				t.Logf("no label: %s line %d: %s", l.Report, l.Line, c.Text)
			}
		}
	}
	precision, recall := float64(found)/float64(given), float64(found)/float64(labelled)
	f1 := 2 * precision * recall / (precision + recall)
	t.Logf("%d labelled, %d given, %d found: precision %.3f, recall %.3f, F1 %.3f; type %.3f, confidence %.3f", labelled, given, found,
		precision, recall, f1, float64(types)/float64(found), float64(confidences)/float64(found))
	if f1 < 0.95 || types*100 < 90*found || confidences*100 < 87*found {
		t.Errorf("below the floor: F1 0.95, type 0.9, confidence 0.87")
	}
}
