// Figures: what the judge reaches on rows that it was not trained on.

package main

import (
	"fmt"
	"sync"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/eval"
	"github.com/plumbresearch/plumb/verify"
)

const folds = 5

// job trains on some rows and judges others.
type job struct {
	train   []row
	test    []int // rows of all
	weights *verify.Weights
}

// jobs makes the folds of the trained sets, or leaves each set out; sets that are never
// trained on are judged by what all others teach.
func jobs(all []row, leaveOut bool) []*job {
	var out []*job
	add := func(train, test func(*row) bool) {
		j := &job{train: pick(all, func(r *row) bool { return r.set.trained && train(r) && !test(r) })}
		for i := range all {
			if test(&all[i]) {
				j.test = append(j.test, i)
			}
		}
		if len(j.test) > 0 {
			out = append(out, j)
		}
	}
	every := func(*row) bool { return true }
	for k := range uint64(folds) {
		if !leaveOut {
			add(every, func(r *row) bool { return r.set.trained && r.group%folds == k })
		}
	}
	for i := range sets {
		if leaveOut && sets[i].trained {
			add(every, func(r *row) bool { return r.set == &sets[i] })
		}
	}
	add(every, func(r *row) bool { return !r.set.trained })
	return out
}

// raw trains each job's model and gives every row its log odds from the model that did not see it.
func (r recipe) raw(all []row, js []*job) []float64 {
	out := make([]float64, len(all))
	next := make(chan *job, len(js))
	for _, j := range js {
		next <- j
	}
	close(next)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for j := range next {
				j.weights = r.fit(j.train)
				for _, i := range j.test {
					out[i] = j.weights.Raw(all[i].x)
				}
			}
		})
	}
	wg.Wait()
	return out
}

// calibrate sets each job's calibration from the log odds of the trained rows that it
// does not judge, and returns that of all.
func calibrate(all []row, js []*job, raw []float64) (slope, offset float64) {
	fitted := func(skip func(i int) bool) (float64, float64) {
		var rows []row
		var zs []float64
		for i := range all {
			if all[i].set.trained && !skip(i) {
				rows, zs = append(rows, all[i]), append(zs, raw[i])
			}
		}
		return platt(zs, labels(rows), balance(rows))
	}
	for _, j := range js {
		judged := map[int]bool{}
		for _, i := range j.test {
			judged[i] = true
		}
		j.weights.Slope, j.weights.Offset = fitted(func(i int) bool { return judged[i] })
	}
	return fitted(func(int) bool { return false })
}

// measured is what figures find besides themselves: the calibration and the lines of the final model.
type measured struct {
	slope, offset float64
	lines         lines
}

// figures prints what the judge reaches, and returns lines for the weights file.
func (r recipe) figures(all []row, say *printer) (about []string, made measured) {
	tell := func(format string, args ...any) {
		about = append(about, fmt.Sprintf(format, args...))
		say.line("%s", about[len(about)-1])
	}
	tell("Embedded judge of Plumb, seed %d. Figures: balanced accuracy as checked / at even odds / AUC / confirmed with at most 10%% of the rest, on rows not trained on.", r.seed)
	for i := range sets {
		if sets[i].trained {
			tell("Trained on %s (%s), %d rows.", sets[i].name, sets[i].licence, len(pick(all, func(x *row) bool { return x.set == &sets[i] })))
		}
	}
	for _, leaveOut := range []bool{false, true} {
		js := jobs(all, leaveOut)
		raw := r.raw(all, js)
		s, o := calibrate(all, js, raw)
		kind := "set left out"
		if !leaveOut {
			kind = "cross-validated"
			made = measured{slope: s, offset: o, lines: choose(draw(all, js))}
			tell("Supported from %.2f on where rules say so, from %.2f on where they leave it open.", made.lines.keep, made.lines.lift)
		}
		vs := check(all, js, &made.lines)
		for i := range sets {
			if sets[i].trained || !leaveOut {
				tell("%s, %s", kind, describe(&sets[i], all, vs))
			}
		}
	}
	return about, made
}

func describe(s *set, all []row, vs []plumb.Verdict) string {
	var names []string
	var mine []plumb.Verdict
	for i := range all {
		if all[i].set == s {
			names, mine = append(names, all[i].label), append(mine, vs[i])
		}
	}
	c := eval.ScoreVerdicts(names, mine)
	if c.BalancedAccuracy == nil {
		return s.name + ": no rows"
	}
	out := fmt.Sprintf("%s: %.1f / %.1f / %.1f / %.0f, let through %.1f%%, ECE %.3f, three-way %.1f", s.name, 100**c.BalancedAccuracy, 100**c.EvenOdds, 100**c.AUC, 100**c.ConfirmedAt10, 100**c.LetThrough, c.ECE, 100*c.ThreeWayAccuracy)
	if c.RefutedTotal > 0 {
		out += fmt.Sprintf(", refuted called supported %d of %d", c.RefutedCalledSupported, c.RefutedTotal)
	}
	if c.ContradictedPrecision != nil {
		out += fmt.Sprintf(", contradicted right %.0f%%", 100**c.ContradictedPrecision)
	}
	return out
}

// ablations prints the model's own figures, without rules, with parts of it left out.
func (r recipe) ablations(all []row, say *printer) {
	none, whole := 0.0, 1.0
	kinds := []struct {
		name string
		r    recipe
	}{{"all", r}, {"trees alone", r}, {"linear alone", r}, {"trees kept to signs", r}}
	kinds[1].r.linear, kinds[2].r.linear, kinds[3].r.signs = &none, &whole, true
	seen := map[string]bool{}
	for _, f := range verify.Features() {
		if !seen[f.Group] {
			seen[f.Group] = true
			k := kinds[0]
			k.name, k.r.without = "without "+f.Group, f.Group
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		line := k.name
		js := jobs(all, false)
		raw := k.r.raw(all, js)
		calibrate(all, js, raw)
		vs := make([]plumb.Verdict, len(all))
		for _, j := range js {
			for _, i := range j.test {
				vs[i] = plumb.Verdict{Status: plumb.NotFound, Score: 1 - j.weights.Support(all[i].x)}
				if vs[i].Score <= 0.5 {
					vs[i].Status, vs[i].Score = plumb.Supported, 1-vs[i].Score
				}
			}
		}
		for i := range sets {
			line += "; " + describe(&sets[i], all, vs)
		}
		say.line("%s", line)
	}
}
