// One model from rows: trees and a linear part, each a part of the log odds, and
// the calibration of their sum.

package main

import (
	"math"
	"strconv"

	"github.com/plumbresearch/plumb/verify"
)

// recipe is all that decides about a model besides the rows.
type recipe struct {
	seed    uint64
	lexicon []byte
	signs   bool
	without string   // group or name of features that are not used
	linear  *float64 // nil: linearPart
}

const (
	ensembles = 3 // sets of trees, each of its own draw of rows and features
	penalty   = 30
	// linearPart is the share of the linear model in the log odds, the rest is the trees'.
	linearPart = 0.25
)

func (r recipe) options(k int) options {
	return options{Trees: 200, Depth: 3, Bins: 48, Rate: 0.06, Lambda: 5, MinHessian: 5, Rows: 0.7, Columns: 0.4,
		Seed: r.seed + uint64(k)*1000, Signs: r.signs}
}

func (r recipe) uses(f verify.Feature) bool {
	return r.without == "" || f.Group != r.without && f.Name != r.without
}

// fit trains on rows.
func (r recipe) fit(rows []row) *verify.Weights {
	fs := verify.Features()
	w := &verify.Weights{Lexicon: r.lexicon, Slope: 1, Linear: make([]float64, len(fs))}
	sign := make([]int, len(fs))
	for i, f := range fs {
		w.Features = append(w.Features, f.Name)
		sign[i] = f.Sign
	}
	use := func(i int) bool { return r.uses(fs[i]) }
	xs := make([][]float64, len(rows))
	for i := range rows {
		xs[i] = rows[i].x
	}
	ys, ws := labels(rows), balance(rows)
	share := linearPart
	if r.linear != nil {
		share = *r.linear
	}
	if share < 1 {
		for k := range ensembles {
			scale := (1 - share) / ensembles
			base, trees := boost(r.options(k), xs, ys, ws, sign, use)
			w.Base += scale * base
			for _, t := range trees {
				w.Trees = append(w.Trees, scaled(t, scale))
			}
		}
	}
	if share > 0 {
		l := fitLinear(xs, ys, ws, penalty, use)
		w.Base += share * l.bias
		for k, f := range l.use {
			w.Linear[f] = short(share * l.w[k] / l.scale[k])
			w.Base -= share * l.w[k] / l.scale[k] * l.mean[k]
		}
	}
	return w
}

// scaled is a tree whose leaves add less, without the places that no row reaches at
// its end.
func scaled(t verify.Tree, by float64) verify.Tree {
	out := verify.Tree{}
	for i, f := range t.Feature {
		v := t.Value[i]
		if f < 0 {
			v = short(v * by)
		}
		out.Feature, out.Value = append(out.Feature, f), append(out.Value, v)
	}
	return out
}

// short keeps five digits: more only make the file longer.
func short(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil {
		return v
	}
	return out
}

func labels(rows []row) []float64 {
	out := make([]float64, len(rows))
	for i := range rows {
		if rows[i].supported() {
			out[i] = 1
		}
	}
	return out
}

// balance gives the supported rows of a set as much weight as its others, so that a
// support of 0.5 is the line between them whatever the set.
func balance(rows []row) []float64 {
	count := map[*set][2]float64{}
	kind := func(r *row) int {
		if r.supported() {
			return 1
		}
		return 0
	}
	for i := range rows {
		n := count[rows[i].set]
		n[kind(&rows[i])]++
		count[rows[i].set] = n
	}
	out := make([]float64, len(rows))
	for i := range rows {
		n := count[rows[i].set]
		out[i] = (n[0] + n[1]) / 2 / n[kind(&rows[i])]
	}
	return out
}

// platt fits slope and offset of the log odds to labels.
func platt(raw, label, weight []float64) (slope, offset float64) {
	slope = 1
	for range 30 {
		var gs, g0, hss, hs0, h00 float64
		for i, z := range raw {
			p := 1 / (1 + math.Exp(-(slope*z + offset)))
			e, q := (label[i]-p)*weight[i], max(p*(1-p), 1e-9)*weight[i]
			gs += e * z
			g0 += e
			hss += q * z * z
			hs0 += q * z
			h00 += q
		}
		det := hss*h00 - hs0*hs0
		if det == 0 {
			break
		}
		slope += (gs*h00 - g0*hs0) / det
		offset += (g0*hss - gs*hs0) / det
	}
	return short(slope), short(offset)
}
