package eval

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCitationsOfReports(t *testing.T) {
	dir := folder(t, map[string]string{"data.jsonl.gz": `{"system":"one","report":"The port is very old [1, 2]. It is [busy](https://c.example/x) as well [7].\n\n## Sources\n\n[1] A: https://a.example/one\n[2] A book of 1990\n"}
{"system":"two","report":"The port is old (https://d.example/x?utm_source=y), says https://d.example/x of it."}
{"report":"Nothing is cited in here."}
`, "none.jsonl": "\n", "bad.jsonl": "{}\n"})
	got, err := Citations{Data: filepath.Join(dir, "data.jsonl.gz")}.Score(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one := CitationCounts{Reports: 1, URLs: 2, Markers: 3, Resolved: 1, Unresolved: 2, Links: 1, Sources: 2, Claims: 2, Cited: 2}
	two := CitationCounts{Reports: 1, URLs: 1, Links: 2, Claims: 1, Cited: 1}
	want := CitationScores{
		CitationCounts: CitationCounts{Reports: 3, URLs: 3, Markers: 3, Resolved: 1, Unresolved: 2, Links: 3, Sources: 2, Claims: 4, Cited: 3},
		Systems:        map[string]CitationCounts{"one": one, "two": two},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, name := range []string{"none.jsonl", "bad.jsonl", "absent.jsonl"} {
		if _, err := (Citations{Data: filepath.Join(dir, name)}).Score(t.Context()); !errors.Is(err, ErrData) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
