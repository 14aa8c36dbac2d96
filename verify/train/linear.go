// Logistic regression.

package main

import "math"

// linear is a model of standardised features.
type linear struct {
	mean, scale, w []float64
	bias           float64
	use            []int // features, by their number
}

// fitLinear fits by Newton steps, with a penalty on the squares of the weights.
func fitLinear(rows [][]float64, label, weight []float64, lambda float64, use func(int) bool) *linear {
	l := &linear{}
	for f := range rows[0] {
		if use(f) {
			l.use = append(l.use, f)
		}
	}
	n := len(l.use)
	l.mean, l.scale, l.w = make([]float64, n), make([]float64, n), make([]float64, n)
	var all float64
	for i, r := range rows {
		all += weight[i]
		for k, f := range l.use {
			l.mean[k] += weight[i] * r[f]
		}
	}
	for k := range l.mean {
		l.mean[k] /= all
	}
	for i, r := range rows {
		for k, f := range l.use {
			d := r[f] - l.mean[k]
			l.scale[k] += weight[i] * d * d
		}
	}
	for k := range l.scale {
		l.scale[k] = math.Sqrt(l.scale[k]/all) + 1e-6
	}
	x := make([][]float64, len(rows))
	for i, r := range rows {
		x[i] = l.row(r)
	}
	d := n + 1
	for range 8 {
		h := make([][]float64, d)
		for a := range h {
			h[a] = make([]float64, d)
		}
		g := make([]float64, d)
		for i, r := range x {
			z := l.bias
			for k, v := range r {
				z += v * l.w[k]
			}
			p := 1 / (1 + math.Exp(-z))
			e, q := (label[i]-p)*weight[i], max(p*(1-p), 1e-6)*weight[i]
			for a := range n {
				g[a] += e * r[a]
				qa := q * r[a]
				for b := 0; b <= a; b++ {
					h[a][b] += qa * r[b]
				}
				h[n][a] += qa
			}
			g[n] += e
			h[n][n] += q
		}
		for a := range n {
			g[a] -= lambda * l.w[a]
			h[a][a] += lambda
		}
		for a := range d {
			for b := a + 1; b < d; b++ {
				h[a][b] = h[b][a]
			}
		}
		s := solve(h, g)
		for a := range n {
			l.w[a] += s[a]
		}
		l.bias += s[n]
	}
	return l
}

func (l *linear) row(r []float64) []float64 {
	out := make([]float64, len(l.use))
	for k, f := range l.use {
		out[k] = (r[f] - l.mean[k]) / l.scale[k]
	}
	return out
}

// solve solves a·x = b by elimination; both are overwritten.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		p := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p], b[i], b[p] = a[p], a[i], b[p], b[i]
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < n; c++ {
				a[r][c] -= f * a[i][c]
			}
			b[r] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			b[i] -= a[i][c] * b[c]
		}
		b[i] /= a[i][i]
	}
	return b
}
