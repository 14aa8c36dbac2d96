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
	labelled := map[string][]citationLabel{}
	for _, l := range labels[citationLabel](t, "citations.jsonl") {
		labelled[l.Report] = append(labelled[l.Report], l)
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
	for report, ls := range labelled {
		if len(ls) >= 60 { // every n-th only
			continue
		}
		for _, m := range read[report].ms {
			if !slices.ContainsFunc(ls, func(l citationLabel) bool { return m.Start < l.End && l.Start < m.End }) {
				t.Errorf("%s line %d: %s is no citation", report, m.Line, reports[report][m.Start:m.End])
			}
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
	Report string          `json:"report"`
	Line   int             `json:"line"`
	Start  int             `json:"start"`
	End    int             `json:"end"`
	Claims []labelledClaim `json:"claims"`
}

type labelledClaim struct {
	Start      int              `json:"start"`
	End        int              `json:"end"`
	Type       plumb.ClaimType  `json:"type"`
	Confidence plumb.Confidence `json:"confidence"`
}

// TestLabelledClaims scores the splitter on hand-labelled lines of real reports,
// those it was tuned on and those it was not.
func TestLabelledClaims(t *testing.T) {
	reports := labelledReports(t)
	for _, set := range []struct {
		file                 string
		f1, types, confident float64 // floors
	}{{"claims.jsonl", 0.97, 0.94, 0.94}, {"claims-unseen.jsonl", 0.9, 0.8, 0.85}} {
		t.Run(set.file, func(t *testing.T) {
			s := claimScore{t: t}
			for _, l := range labels[claimLabel](t, set.file) {
				s.line(l, Split(reports[l.Report]))
			}
			precision, recall := float64(s.found)/float64(s.given), float64(s.found)/float64(s.labelled)
			f1 := 2 * precision * recall / (precision + recall)
			types, confident := float64(s.types)/float64(s.found), float64(s.confident)/float64(s.found)
			t.Logf("%d labelled, %d given, %d found: precision %.3f, recall %.3f, F1 %.3f; type %.3f, confidence %.3f",
				s.labelled, s.given, s.found, precision, recall, f1, types, confident)
			if f1 < set.f1 || types < set.types || confident < set.confident {
				t.Errorf("want F1 %.2f, type %.2f, confidence %.2f at least", set.f1, set.types, set.confident)
			}
		})
	}
}

type claimScore struct {
	t                                        *testing.T
	labelled, given, found, types, confident int
}

// line counts the claims of one labelled line. A claim is found when its span
// and the label's share 80 % of what they cover.
func (s *claimScore) line(l claimLabel, claims []plumb.Claim) {
	s.labelled += len(l.Claims)
	for _, c := range claims {
		if c.Start < l.Start || c.Start >= l.End {
			continue
		}
		s.given++
		i := slices.IndexFunc(l.Claims, func(w labelledClaim) bool {
			return 5*(min(c.End, w.End)-max(c.Start, w.Start)) >= 4*(max(c.End, w.End)-min(c.Start, w.Start))
		})
		if i < 0 {
			s.t.Logf("no label: %s line %d: %s", l.Report, l.Line, c.Text)
			continue
		}
		s.found++
		if w := l.Claims[i]; c.Type == w.Type {
			s.types++
		} else {
			s.t.Logf("type: %s, label %s: %s", c.Type, w.Type, c.Text)
		}
		if w := l.Claims[i]; c.Confidence == w.Confidence {
			s.confident++
		} else {
			s.t.Logf("confidence: %s, label %s: %s", c.Confidence, w.Confidence, c.Text)
		}
	}
}
