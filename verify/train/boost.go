// Gradient-boosted trees for the logistic loss, with signs that features keep to.

package main

import (
	"math"
	"slices"

	"github.com/plumbresearch/plumb/verify"
)

// options of boosting.
type options struct {
	Trees, Depth, Bins int
	Rate, Lambda       float64
	MinHessian         float64 // in a leaf
	Rows, Columns      float64 // shares drawn for each tree
	Seed               uint64
	Signs              bool
}

type booster struct {
	options
	bins   [][]uint8   // by feature, then row
	edges  [][]float64 // by feature: upper ends of the bins
	sign   []int
	weight []float64
	label  []float64
	sum    []float64
	g, h   []float64
	random uint64
}

func (b *booster) draw() float64 {
	b.random += 0x9e3779b97f4a7c15
	z := b.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// boost fits trees to rows with labels 0 or 1 and weights. use says which features
// may be used.
func boost(o options, rows [][]float64, label, weight []float64, sign []int, use func(int) bool) (float64, []verify.Tree) {
	b := &booster{options: o, sign: sign, weight: weight, label: label, random: o.Seed}
	b.sum = make([]float64, len(rows))
	b.g, b.h = make([]float64, len(rows)), make([]float64, len(rows))
	b.quantise(rows)
	var pos, all float64
	for i, y := range label {
		pos += y * weight[i]
		all += weight[i]
	}
	base := math.Log(pos / (all - pos))
	for i := range b.sum {
		b.sum[i] = base
	}
	var usable []int
	for f := range b.bins {
		if len(b.edges[f]) > 0 && use(f) {
			usable = append(usable, f)
		}
	}
	trees := make([]verify.Tree, 0, o.Trees)
	for range o.Trees {
		t := b.tree(usable)
		for i, r := range rows {
			b.sum[i] += t.Sum(r)
		}
		trees = append(trees, t)
	}
	return base, trees
}

func (b *booster) quantise(rows [][]float64) {
	nf := len(rows[0])
	b.bins, b.edges = make([][]uint8, nf), make([][]float64, nf)
	values := make([]float64, len(rows))
	for f := range nf {
		for i, r := range rows {
			values[i] = r[f]
		}
		slices.Sort(values)
		var edges []float64
		for k := 1; k < b.Bins; k++ {
			at := k * len(values) / b.Bins
			if e := short(values[at-1]); values[at] > e && (len(edges) == 0 || e > edges[len(edges)-1]) {
				edges = append(edges, e)
			} else if len(edges) == 0 || values[at] > edges[len(edges)-1] {
				// the bin ends inside a run of equal values: split above the run
				j, _ := slices.BinarySearch(values, math.Nextafter(values[at], math.Inf(1)))
				if e := short(values[at]); j < len(values) && values[j] > e && (len(edges) == 0 || e > edges[len(edges)-1]) {
					edges = append(edges, e)
				}
			}
		}
		b.edges[f] = edges
		b.bins[f] = make([]uint8, len(rows))
		for i, r := range rows {
			k, _ := slices.BinarySearch(edges, r[f])
			b.bins[f][i] = uint8(k)
		}
	}
}

// node is a leaf in the making.
type node struct {
	at        int
	rows      []int32
	low, high float64 // bounds of its value that signs above it set
	g, h      float64
}

func (b *booster) tree(usable []int) verify.Tree {
	var rows []int32
	for i := range b.sum {
		p := 1 / (1 + math.Exp(-b.sum[i]))
		b.g[i], b.h[i] = (p-b.label[i])*b.weight[i], max(p*(1-p), 1e-6)*b.weight[i]
		if b.Rows >= 1 || b.draw() < b.Rows {
			rows = append(rows, int32(i))
		}
	}
	var columns []int
	for _, f := range usable {
		if b.Columns >= 1 || b.draw() < b.Columns {
			columns = append(columns, f)
		}
	}
	size := 1<<(b.Depth+1) - 1
	t := verify.Tree{Feature: make([]int, size), Value: make([]float64, size)}
	for i := range t.Feature {
		t.Feature[i] = -1
	}
	root := node{rows: rows, low: math.Inf(-1), high: math.Inf(1)}
	for _, i := range rows {
		root.g += b.g[i]
		root.h += b.h[i]
	}
	b.grow(&t, root, b.Depth, columns)
	return t
}

func (b *booster) value(g, h, low, high float64) float64 {
	return min(max(-g/(h+b.Lambda), low), high)
}

// gain of giving rows with these sums the value v, up to a constant factor.
func (b *booster) gain(g, h, v float64) float64 { return -(2*g*v + (h+b.Lambda)*v*v) }

type cut struct {
	gain    float64
	feature int
	bin     int
	gl, hl  float64
}

func (b *booster) grow(t *verify.Tree, n node, depth int, columns []int) {
	v := b.value(n.g, n.h, n.low, n.high)
	best := cut{feature: -1}
	if depth > 0 {
		best = b.best(n, b.gain(n.g, n.h, v), columns)
	}
	if best.feature < 0 {
		t.Feature[n.at], t.Value[n.at] = -1, b.Rate*v
		return
	}
	f := best.feature
	t.Feature[n.at], t.Value[n.at] = f, b.edges[f][best.bin]
	left := node{at: 2*n.at + 1, low: n.low, high: n.high, g: best.gl, h: best.hl}
	right := node{at: 2*n.at + 2, low: n.low, high: n.high, g: n.g - best.gl, h: n.h - best.hl}
	for _, i := range n.rows {
		if int(b.bins[f][i]) <= best.bin {
			left.rows = append(left.rows, i)
		} else {
			right.rows = append(right.rows, i)
		}
	}
	if b.Signs && b.sign[f] != 0 {
		middle := (b.value(left.g, left.h, n.low, n.high) + b.value(right.g, right.h, n.low, n.high)) / 2
		if b.sign[f] > 0 {
			left.high, right.low = middle, middle
		} else {
			left.low, right.high = middle, middle
		}
	}
	b.grow(t, left, depth-1, columns)
	b.grow(t, right, depth-1, columns)
}

// best is the cut of a node that gains most.
func (b *booster) best(n node, before float64, columns []int) cut {
	best := cut{gain: 1e-6, feature: -1}
	var hg, hh [256]float64
	for _, f := range columns {
		k := len(b.edges[f]) + 1
		clear(hg[:k])
		clear(hh[:k])
		bins := b.bins[f]
		for _, i := range n.rows {
			hg[bins[i]] += b.g[i]
			hh[bins[i]] += b.h[i]
		}
		var gl, hl float64
		for c := range k - 1 {
			gl += hg[c]
			hl += hh[c]
			if hl < b.MinHessian || n.h-hl < b.MinHessian {
				continue
			}
			vl, vr := b.value(gl, hl, n.low, n.high), b.value(n.g-gl, n.h-hl, n.low, n.high)
			if b.Signs && (b.sign[f] > 0 && vl > vr || b.sign[f] < 0 && vl < vr) {
				continue
			}
			if gain := b.gain(gl, hl, vl) + b.gain(n.g-gl, n.h-hl, vr) - before; gain > best.gain {
				best = cut{gain, f, c, gl, hl}
			}
		}
	}
	return best
}
