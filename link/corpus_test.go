package link

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// corpusRow is a text with the address that must be found first (FirstURL) or
// the links a Markdown renderer makes of it (URLs).
type corpusRow struct {
	Src      string   `json:"src"`
	Group    string   `json:"group"`
	Text     string   `json:"text"`
	FirstURL *string  `json:"first_url"`
	URLs     []string `json:"urls"`
}

// TestFindOnPublicCorpus measures Find on URLs in running text and Markdown. Only
// what Find is for is scored: rows whose expected addresses are http, https or
// www., and rows in which nothing may be found. Addresses are compared by Same,
// because renderers percent-encode.
func TestFindOnPublicCorpus(t *testing.T) {
	const path = "../../shared/data/text/url-extraction.jsonl"
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there: nothing to measure", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows, right := map[string]int{}, map[string]int{}
	total, good := 0, 0
	in := bufio.NewScanner(file)
	for in.Scan() {
		var r corpusRow
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		want, ok := r.expected()
		if !ok {
			continue
		}
		total++
		rows[r.Src]++
		got := urls(Find(r.Text))
		if r.FirstURL != nil && len(got) > 1 {
			got = got[:1]
		}
		if strings.HasPrefix(r.Text, "[") { // a link's text may repeat its target
			got, want = slices.Compact(got), slices.Compact(want)
		}
		if slices.EqualFunc(got, want, Same) {
			good++
			right[r.Src]++
		} else {
			t.Logf("miss: %s %q: got %q, want %q", r.Src, r.Text, got, want)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	for _, src := range slices.Sorted(maps.Keys(rows)) {
		t.Logf("%-40s %d of %d", src, right[src], rows[src])
	}
	share := float64(good) / float64(total)
	t.Logf("all: %d of %d (%.1f %%)", good, total, 100*share)
	if share < 0.9 {
		t.Errorf("found %.1f %%, want 90 %% at least", 100*share)
	}
}

// expected returns the addresses to find in a row, ok false when the row is
// about something else: other schemes, bare domains, relative links.
func (r corpusRow) expected() (want []string, ok bool) {
	if r.Src == "xurls" {
		if r.FirstURL == nil {
			return nil, true
		}
		return []string{*r.FirstURL}, isWeb(*r.FirstURL)
	}
	// What CommonMark leaves as text (a URL without brackets) is still an address.
	if len(r.URLs) == 0 {
		return nil, !strings.Contains(r.Text, "http") && !strings.Contains(r.Text, "www.")
	}
	for _, u := range r.URLs {
		if !isWeb(u) {
			return nil, false
		}
	}
	return r.URLs, true
}

func isWeb(u string) bool {
	_, _, ok := cutScheme(u)
	return ok || hasFold(u, "www.")
}
