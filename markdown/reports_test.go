package markdown

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

type reportRow struct {
	ID     string `json:"id"`
	System string `json:"system"`
	Report string `json:"report"`
}

func readReports(t *testing.T) []reportRow {
	t.Helper()
	const path = "../../shared/data/reports/deep-research-dev.jsonl.gz"
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there: nothing to measure", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []reportRow
	in := bufio.NewScanner(unzipped)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var r reportRow
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRealReports runs everything over reports of four systems, half of them
// Chinese, and says how many of their markers resolve to an entry.
func TestRealReports(t *testing.T) {
	type tally struct{ reports, lists, entries, withURL, numbers, resolved, links int }
	sum := map[string]*tally{"all": {}}
	for _, r := range readReports(t) {
		checkAll(t, r.Report)
		d := Parse(r.Report)
		entries, _, ok := SourceList(d)
		one := tally{reports: 1, entries: len(entries)}
		known := map[int]bool{}
		for _, e := range entries {
			known[e.Number] = true
			if e.URL != "" {
				one.withURL++
			}
		}
		if ok {
			one.lists = 1
		} else {
			t.Logf("no source list: %s", r.ID)
		}
		missing := map[int]int{}
		for _, m := range d.Markers(entries) {
			if m.URL != "" && m.URL[0] != '#' {
				one.links++
				continue
			}
			for _, n := range m.Numbers {
				one.numbers++
				if known[n] {
					one.resolved++
				} else {
					missing[n]++
				}
			}
		}
		if len(missing) > 0 {
			t.Logf("%s: %d entries, unresolved %v", r.ID, len(entries), missing)
		}
		if sum[r.System] == nil {
			sum[r.System] = &tally{}
		}
		for _, s := range []*tally{sum[r.System], sum["all"]} {
			s.reports += one.reports
			s.lists += one.lists
			s.entries += one.entries
			s.withURL += one.withURL
			s.numbers += one.numbers
			s.resolved += one.resolved
			s.links += one.links
		}
	}
	for _, system := range slices.Sorted(maps.Keys(sum)) {
		s := sum[system]
		t.Logf("%-40s %3d reports, %3d with a list, %5d entries (%d with an address), %5d numbers cited, %5d resolved (%.2f %%), %d linked markers",
			system, s.reports, s.lists, s.entries, s.withURL, s.numbers, s.resolved, 100*float64(s.resolved)/float64(max(s.numbers, 1)), s.links)
	}
	if all := sum["all"]; float64(all.resolved) < 0.97*float64(all.numbers) {
		t.Errorf("%d of %d numbers resolve, want 97 %% at least", all.resolved, all.numbers)
	}
}

// TestPlainAgreesWithHTML compares the plain text of real reports with the text
// of their rendering, block by block: two ways to what a reader sees.
func TestPlainAgreesWithHTML(t *testing.T) {
	blocks, differ := 0, 0
	for _, r := range readReports(t) {
		d := Parse(r.Report)
		for _, b := range d.Blocks {
			if b.Kind != Paragraph && b.Kind != Heading {
				continue
			}
			src := d.Text(b)
			if b.Kind == Heading { // "1. Title" is no list item there
				src = "# " + src
			}
			blocks++
			plain, _ := Plain(src)
			if shown := renderedText(t, src); squeeze(plain) != squeeze(shown) {
				if differ++; differ < 5 {
					t.Logf("%s line %d: plain %s, shown %s", r.ID, b.Line, short(plain), short(shown))
				}
			}
		}
	}
	t.Logf("%d of %d blocks differ", differ, blocks)
	if differ*200 > blocks {
		t.Errorf("%d of %d blocks differ, want 0.5 %% at most", differ, blocks)
	}
}

func renderedText(t *testing.T, src string) string {
	t.Helper()
	out, err := HTML(src)
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// squeeze drops white space, which Plain and a rendering set differently.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
