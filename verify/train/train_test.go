package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/verify"
)

// town writes sets of claims about towns: true ones repeat the evidence in another
// order, false ones speak of something else.
func town(t *testing.T, rows int) string {
	t.Helper()
	dir := t.TempDir()
	for k, s := range sets {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for i := range rows {
			claim, label := fmt.Sprintf("The bridge of town%d is crossed by trams.", i), "supported"
			if i%2 == k%2 {
				claim, label = fmt.Sprintf("The mayor of town%d sells old paintings.", i), "not_supported"
			}
			row := map[string]string{"claim": claim, "label": label}
			line := fmt.Sprintf(`,"evidence":["Trams cross the bridge of town%d every hour.","The set is %s."]}`, i, s.file)
			head, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(z, strings.TrimSuffix(string(head), "}")+line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.file+".jsonl.gz"), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTrain(t *testing.T) {
	dir := town(t, 40)
	out := filepath.Join(t.TempDir(), "weights")
	read := func() []byte {
		var said strings.Builder
		if err := train(dir, out, 3, false, &said); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said.String(), "cross-validated, WiCE: 100.0 / 100.0 / 100.0 / 100") || !strings.Contains(said.String(), "set left out, FM2: 100.0") {
			t.Error(said.String())
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := read()
	if !bytes.Equal(first, read()) {
		t.Error("the same data and seed gave other bytes")
	}
	w, err := verify.ReadWeights(first)
	if err != nil {
		t.Fatal(err)
	}
	about := strings.Join(w.About, "\n")
	if !strings.Contains(about, "seed 3") || !strings.Contains(about, "Trained on VitaminC (CC BY-SA 3.0), 40 rows.") || strings.Contains(about, "Trained on HealthVer") {
		t.Error(about)
	}
	e := verify.Embedded{Weights: w}
	for claim, want := range map[string]bool{"The bridge is crossed by trams every hour.": true, "The mayor sells paintings of the bridge.": false} {
		j, err := e.Judge(t.Context(), claim, []string{"Trams cross the bridge every hour."})
		if err != nil || (j.Supported >= 0.5) != want {
			t.Errorf("%s: %+v, %v", claim, j, err)
		}
	}
}

func TestDataThatIsNotThere(t *testing.T) {
	if err := train("", "", 1, false, io.Discard); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Error(err)
	}
	if err := train(t.TempDir(), "", 1, false, io.Discard); err == nil || !strings.Contains(err.Error(), "wice-dev") {
		t.Error(err)
	}
}

// TestFoldsShareNoEvidence: no row is judged by a model that saw its evidence, nor any
// of a set that is left out.
func TestFoldsShareNoEvidence(t *testing.T) {
	rows, err := readSets(town(t, 30))
	if err != nil {
		t.Fatal(err)
	}
	for _, leaveOut := range []bool{false, true} {
		judged := map[int]int{}
		for _, j := range jobs(rows, leaveOut) {
			seen, trained := map[uint64]bool{}, map[*set]bool{}
			for _, r := range j.train {
				seen[r.group], trained[r.set] = true, true
				if !r.set.trained {
					t.Fatalf("trained on %s", r.set.name)
				}
			}
			for _, i := range j.test {
				judged[i]++
				if seen[rows[i].group] || leaveOut && trained[rows[i].set] {
					t.Fatalf("row %d was trained on", i)
				}
			}
		}
		for i := range rows {
			if judged[i] != 1 {
				t.Fatalf("row %d judged %d times", i, judged[i])
			}
		}
	}
}

// TestSignsHold: with signs, trees never fall where a feature grows.
func TestSignsHold(t *testing.T) {
	var xs [][]float64
	var ys, ws []float64
	for i := range 400 {
		x, y := float64(i%20)/20, 0.0
		if i%20 > 8 && i%7 != 0 || i%20 == 3 { // 3 breaks the rule
			y = 1
		}
		xs, ys, ws = append(xs, []float64{x}), append(ys, y), append(ws, 1)
	}
	o := recipe{seed: 1, signs: true}.options(0)
	o.Columns = 1
	base, trees := boost(o, xs, ys, ws, []int{1}, func(int) bool { return true })
	last := math.Inf(-1)
	for i := range 20 {
		sum := base
		for _, tree := range trees {
			sum += tree.Sum([]float64{float64(i) / 20})
		}
		if sum < last-1e-9 {
			t.Errorf("falls at %d: %v after %v", i, sum, last)
		}
		last = sum
	}
	if last < 0.5 {
		t.Errorf("nothing learned: %v", last)
	}
}

// TestLinesLetNoMoreThrough: the lines confirm more than rules do, and let no more of the rest through.
func TestLinesLetNoMoreThrough(t *testing.T) {
	var ds []drawn
	for i := range 400 {
		r := &row{set: &sets[i%4], label: []string{"supported", "refuted"}[i%2]}
		d := drawn{row: r, support: float64(i%97) / 100, rules: i%5 == 0, free: i%11 != 0}
		if i%2 == 0 {
			d.support = min(d.support+0.25, 1)
		}
		d.rules = d.rules && d.free
		ds = append(ds, d)
	}
	was, wasThrough, wasRefuted := over(ds, func(d drawn) bool { return d.rules })
	l := choose(ds)
	b, through, refuted := over(ds, func(d drawn) bool { return d.supported(l) })
	if b <= was || through > wasThrough || refuted > wasRefuted || l.keep > l.lift {
		t.Errorf("%+v: %.3f, %.3f, %d; by rules %.3f, %.3f, %d", l, b, through, refuted, was, wasThrough, wasRefuted)
	}
	for _, c := range []struct {
		d    drawn
		want bool
	}{
		{drawn{support: 0.99, free: false}, false},
		{drawn{support: 0, rules: true, fixed: true}, true},
		{drawn{support: 1, fixed: true, free: true}, false},
		{drawn{support: 0.5, rules: true, free: true}, true},
		{drawn{support: 0.5, free: true}, false},
		{drawn{support: 0.8, free: true}, true},
	} {
		if got := c.d.supported(lines{0.4, 0.7}); got != c.want {
			t.Errorf("%+v: %v", c.d, got)
		}
	}
}

func TestPlattFindsTheScale(t *testing.T) {
	var raw, label, weight []float64
	for i := range 2000 {
		z := float64(i%41-20) / 5
		p := 1 / (1 + math.Exp(-(0.5*z + 1)))
		for _, y := range []float64{0, 1} {
			raw, label, weight = append(raw, z), append(label, y), append(weight, y*p+(1-y)*(1-p))
		}
	}
	if s, o := platt(raw, label, weight); math.Abs(s-0.5) > 1e-3 || math.Abs(o-1) > 1e-3 {
		t.Error(s, o)
	}
}
