// What a judge may decide: only what the rules leave open, and never against a
// quotation or a number.

package verify

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

// bench asks a judge about the claims of one check.
type bench struct {
	judge Judge
	// down: no further call can succeed. Asking on would only take its time, once
	// for each claim.
	down atomic.Bool
}

// decisive is the probability from which on a judge decides.
const decisive = 0.5

// ask lets the judge decide. A judge that fails, for whatever reason, leaves the
// rules' decision: that is never a refutation.
func (b *bench) ask(ctx context.Context, claim string, f finding) finding {
	if b.down.Load() {
		return f.byRulesAlone("the judge could not be asked")
	}
	j, err := b.judge.Judge(ctx, claim, f.passages)
	switch {
	case errors.Is(err, llm.ErrBudget):
		return f.byRulesAlone("the budget left no room for the judge")
	case err != nil:
		if llm.Hopeless(err) {
			b.down.Store(true)
		}
		return f.byRulesAlone("the judge did not answer")
	}
	return f.judged(j.normal())
}

func (f finding) byRulesAlone(why string) finding {
	f.notes = plumb.RulesAlone + ": " + why
	return f
}

// normal makes three probabilities of whatever a judge gave. Nonsense is neither.
func (j Judgement) normal() Judgement {
	sum := 0.0
	for _, p := range []*float64{&j.Supported, &j.Contradicted, &j.Neither} {
		if math.IsNaN(*p) || math.IsInf(*p, 0) || *p < 0 {
			*p = 0
		}
		sum += *p
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return Judgement{Neither: 1, Reason: j.Reason}
	}
	j.Supported, j.Contradicted, j.Neither = j.Supported/sum, j.Contradicted/sum, j.Neither/sum
	return j
}

// judged is a finding after the judge spoke. What the rules saw missing, a number
// or the words of a quotation, keeps a claim from being supported. One that
// neither speaks for nor against a claim leaves it at most partly supported.
func (f finding) judged(j Judgement) finding {
	by := func(s plumb.Status, score float64) finding {
		reason := j.Reason
		if reason == "" {
			reason = map[plumb.Status]string{plumb.Supported: "a passage says this in other words", plumb.Contradicted: "a passage says otherwise"}[s]
		}
		f.span = f.near
		return f.is(s, score, reason)
	}
	switch {
	case j.Supported >= decisive && f.veto != "":
		f.span = f.near
		return f.is(plumb.Partial, 0.5, f.veto)
	case j.Supported >= decisive:
		return by(plumb.Supported, j.Supported)
	case j.Contradicted >= decisive:
		return by(plumb.Contradicted, j.Contradicted)
	case f.status == plumb.Supported && j.Reason != "":
		return f.is(plumb.Partial, 0.5, j.Reason)
	case f.status == plumb.Supported:
		return f.is(plumb.Partial, 0.5, "a passage is near, but does not say all of it")
	}
	return f
}
