package verify_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/verify"
)

// examples are the texts of the example corpus by address.
func examples(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir("../examples/corpus", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".md", ".txt"}, filepath.Ext(path)) {
			return err
		}
		b, err := os.ReadFile(path)
		body := string(b)
		if rest, headed := strings.CutPrefix(body, "---\n"); headed {
			_, body, _ = strings.Cut(rest, "\n---\n")
		}
		out["https://halvermouth.example.org/"+strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))] = body
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// texts is Sources over texts by address; what is not there can't be read.
type texts map[string]string

func (x texts) Source(_ context.Context, url string) (plumb.Source, string, error) {
	s, ok := x[url]
	if !ok {
		return plumb.Source{}, "", verify.ErrInaccessible
	}
	return plumb.Source{URL: url}, s, nil
}

// planted are claims with their texts, and the claims as a report that makes them is read.
func planted(t *testing.T, each int, seed uint64) ([]lab.Planted, []plumb.Claim, texts) {
	t.Helper()
	all := examples(t)
	maps.Copy(all, lab.TrueTexts(seed, 18))
	ps := lab.Plant(all, each, seed)
	claims := verify.Split(lab.PlantedReport(ps))
	if len(claims) != len(ps) {
		t.Fatalf("%d claims planted, %d read", len(ps), len(claims))
	}
	for i, c := range claims {
		if strings.TrimRight(c.Text, ".") != strings.TrimRight(ps[i].Claim, ".") || len(c.Citations) != 1 {
			t.Fatalf("%q is read as %q, which cites %v", ps[i].Claim, c.Text, c.Citations)
		}
	}
	return ps, claims, all
}

// share is how many of some claims were judged wrongly.
type share struct{ wrong, n int }

func (s share) percent() float64 { return 100 * float64(s.wrong) / float64(max(s.n, 1)) }

// TestLiesPlantedInReports holds the percentage of planted lies that are called supported, and of truths that are
// not, a little above what docs/verification.md says.
func TestLiesPlantedInReports(t *testing.T) {
	most := map[lab.Lie]float64{lab.Truth: 1, lab.NumberChanged: 4, lab.NameFromSource: 6, lab.NameFromElsewhere: 2,
		lab.Negated: 1, lab.WrongSource: 0.5, lab.InventedSource: 0, lab.Invented: 2}
	for _, c := range []struct {
		name    string
		checker verify.Checker
	}{
		{"rules alone", verify.Checker{}},
		{"as audits check", verify.NewChecker(nil, nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := map[lab.Lie]share{}
			for seed := range uint64(2) {
				ps, claims, all := planted(t, 110, seed+1)
				c.checker.Sources = all
				vs, err := c.checker.Check(t.Context(), claims, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range ps {
					s := got[p.Lie]
					s.n++
					if (vs[i].Status == plumb.Supported) != (p.Lie == lab.Truth) {
						s.wrong++
						t.Logf("%s: %q, from %q: %s, %s", p.Lie, p.Claim, p.From, vs[i].Status, vs[i].Reason)
					}
					got[p.Lie] = s
				}
			}
			for _, kind := range append([]lab.Lie{lab.Truth}, lab.Lies...) {
				s := got[kind]
				t.Logf("%-32s %3d of %4d, %.1f %%", kind, s.wrong, s.n, s.percent())
				if s.percent() > most[kind] || s.n < 200 {
					t.Errorf("%s: %d of %d, at most %.1f %%", kind, s.wrong, s.n, most[kind])
				}
			}
		})
	}
}
