// Where the lines are drawn: from which support on a claim is called supported.

package main

import (
	"context"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/verify"
)

// drawn is a row as the lines see it.
type drawn struct {
	row     *row
	support float64 // by a model that did not see it
	rules   bool    // the rules alone call it supported
	free    bool    // no rule stands against it, however high the support is
	fixed   bool    // the rules decide, however low the support is
}

// lines are the supports from which on a claim is supported: one that rules call so, and one that they leave open.
type lines struct{ keep, lift float64 }

func (d drawn) supported(l lines) bool {
	switch {
	case d.fixed:
		return d.rules
	case !d.free:
		return false
	case d.rules:
		return d.support >= l.keep
	}
	return d.support >= l.lift
}

// check gives the verdicts of the trained rows of all jobs by a judge of the job's weights with these lines; none: by rules
// alone.
func check(all []row, js []*job, l *lines) []plumb.Verdict {
	out := make([]plumb.Verdict, len(all))
	for _, j := range js {
		claims := make([]plumb.Claim, len(j.test))
		texts := evidence{}
		for k, i := range j.test {
			url := fmt.Sprintf("doc:%016x", all[i].group)
			texts[url] = all[i].evidence
			claims[k] = plumb.Claim{Text: all[i].claim, Citations: []string{url}}
		}
		c := verify.Checker{Sources: texts}
		if l != nil {
			w := *j.weights
			w.Keep, w.Lift = l.keep, l.lift
			c.Embedded = verify.Embedded{Weights: &w}
		}
		vs, err := c.Check(context.Background(), claims, nil)
		if err != nil {
			panic(err) // only a context that ends is an error
		}
		for k, i := range j.test {
			out[i] = vs[k]
		}
	}
	return out
}

type evidence map[string]string

// Source gives the evidence as a source.
func (e evidence) Source(_ context.Context, url string) (plumb.Source, string, error) {
	return plumb.Source{URL: url}, e[url], nil
}

// draw lays all trained rows before the lines.
func draw(all []row, js []*job) []drawn {
	rules, most, least := check(all, js, nil), check(all, js, &lines{0, 0}), check(all, js, &lines{2, 2})
	var out []drawn
	for _, j := range js {
		for _, i := range j.test {
			if !all[i].set.trained {
				continue
			}
			out = append(out, drawn{row: &all[i], support: j.weights.Support(all[i].x), rules: rules[i].Status == plumb.Supported,
				free: most[i].Status == plumb.Supported, fixed: least[i].Status == plumb.Supported || rules[i].Status == plumb.Contradicted})
		}
	}
	return out
}

// passed counts, of a set, the supported claims that are called so, the others that are, and among those the refuted.
type passed struct{ yes, right, no, through, refutedThrough int }

func (p passed) balanced() float64 {
	return (float64(p.right)/float64(max(p.yes, 1)) + 1 - p.letThrough()) / 2
}

func (p passed) letThrough() float64 { return float64(p.through) / float64(max(p.no, 1)) }

func count(ds []drawn, s *set, is func(drawn) bool) passed {
	var p passed
	for _, d := range ds {
		if d.row.set != s {
			continue
		}
		said := 0
		if is(d) {
			said = 1
		}
		if d.row.supported() {
			p.yes++
			p.right += said
			continue
		}
		p.no++
		p.through += said
		if d.row.label == "refuted" {
			p.refutedThrough += said
		}
	}
	return p
}

// over is what lines come to over the sets, each counting the same.
func over(ds []drawn, is func(drawn) bool) (balanced, through float64, refuted int) {
	n := 0.0
	for i := range sets {
		if sets[i].trained {
			p := count(ds, &sets[i], is)
			balanced, through, refuted, n = balanced+p.balanced(), through+p.letThrough(), refuted+p.refutedThrough, n+1
		}
	}
	return balanced / n, through / n, refuted
}

// choose draws the lines that give the best balanced accuracy without letting more of the refuted claims, nor more of all that
// are not supported, through than the rules alone do.
func choose(ds []drawn) lines {
	_, mostThrough, mostRefuted := over(ds, func(d drawn) bool { return d.rules })
	best, found := lines{1, 1}, -1.0
	for keep := 0; keep <= 100; keep += 5 {
		for lift := keep; lift <= 100; lift += 5 {
			l := lines{float64(keep) / 100, float64(lift) / 100}
			b, through, refuted := over(ds, func(d drawn) bool { return d.supported(l) })
			if b > found && through <= mostThrough && refuted <= mostRefuted {
				best, found = l, b
			}
		}
	}
	return best
}
