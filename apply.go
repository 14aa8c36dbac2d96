package plumb

import (
	"slices"
	"strings"
)

// Apply folds what came of a step, a timer or a signal into the run. Outcomes of steps that were outstanding together
// may be applied in any order; an outcome that is no longer awaited changes nothing.
func (r *Run) Apply(o Outcome) {
	if r.Rules != RulesVersion {
		return
	}
	r.Folded++
	if o.At.After(r.Latest) {
		defer func() { r.Latest = o.At }() // a woken signal needs the one before
	}
	switch o.Kind {
	case Signaled:
		r.signal(o)
	case Timer:
		r.timer(o)
	default:
		r.Spent.USD = max(r.Spent.USD, o.Spent.USD)
		r.Spent.Tokens = max(r.Spent.Tokens, o.Spent.Tokens)
		if r.State().Ended() {
			return
		}
		if s, ok := r.awaitedStep(o.Step); ok {
			r.note(o)
			r.fold(s, o)
		}
	}
}

// note keeps what an outcome says of its model calls. Whatever the order, the same is kept: of two caps, money.
func (r *Run) note(o Outcome) {
	if o.Capped == StopMoney || (o.Capped == StopTokens && r.Capped == "") {
		r.Capped = o.Capped
	}
	if o.FellBack == "" {
		return
	}
	f := Fall{Step: clip(o.Step, maxTopic), Why: clip(o.FellBack, 180)}
	i, _ := slices.BinarySearchFunc(r.FellBack, f, func(a, b Fall) int { return strings.Compare(a.Step, b.Step) })
	r.FellBack = slices.Insert(slices.Clone(r.FellBack), i, f)
	r.FellBack = r.FellBack[:min(len(r.FellBack), maxFalls)]
}

// awaitedStep tells whether a step is outstanding, from its name: what it was given does not matter any more.
func (r *Run) awaitedStep(id string) (Step, bool) {
	if r.Wait.Kind != "" {
		return Step{}, false // only a timer or a person ends a wait
	}
	switch r.Stage {
	case AtGather:
		for _, i := range r.ready() {
			if unit, ok := strings.CutPrefix(id, unitPrefix); ok && unit == r.Units[i].ID {
				return Step{ID: id, Kind: StepUnit, Unit: unit}, true
			}
		}
		return Step{}, false
	case AtCheck:
		for _, i := range r.unchecked() {
			if checkID(i) == id {
				return Step{ID: id, Kind: StepCheck, Round: i + 1}, true
			}
		}
		return Step{}, false
	case AtEnd:
		return Step{}, false
	}
	s := r.named()
	return s, s.ID == id
}

// timer folds in a deadline. That of the gathering only hurries the units under way: see cap for the decision.
func (r *Run) timer(o Outcome) {
	if o.Step == r.deadlineID() && !r.Deadline.IsZero() {
		r.TimeUp = true
		return
	}
	if r.State().Ended() || r.Wait.Kind == "" {
		return
	}
	if out := r.outstanding(); len(out) == 1 && out[0].ID == o.Step {
		r.Fail = "nobody answered in time"
	}
}

// fold takes an awaited outcome.
func (r *Run) fold(s Step, o Outcome) {
	if s.Kind == StepUnit {
		r.settle(s.Unit, o)
		return
	}
	if s.Kind == StepCheck {
		r.checked(s.Round-1, o)
		return
	}
	if o.Kind == Failed && !forgiven(s.Kind) {
		r.Fail = clip(string(s.Kind)+": "+o.Fail, maxWords)
		return
	}
	r.Refs.take(o.Refs)
	switch s.Kind {
	case StepOrder:
		r.Stage = AtCollect
	case StepCollect:
		r.Stage = AtRead
	case StepRead:
		r.Stage = AtScope
		if r.Kind == Audit {
			r.Stage = AtClaims
		}
	case StepScope:
		r.scoped(o)
	case StepPlan:
		r.planned(o)
	case StepSupervise:
		r.supervised(o)
	case StepCite:
		r.Stage = AtWrite
	case StepWrite:
		r.written()
	case StepReview:
		r.reviewed(o)
	case StepClaims:
		r.split(o)
	case StepPublish:
		r.Stage = AtEnd
	}
}

// forgiven kinds of steps may fail without failing the run: without a plan the brief is researched as it is, without a
// supervisor there is no further wave, without a review the draft stands.
func forgiven(k StepKind) bool {
	return k == StepPlan || k == StepSupervise || k == StepReview
}

// scoped follows a scope step: wait for an answer (asked for once), or plan.
func (r *Run) scoped(o Outcome) {
	if o.Shift {
		r.Kept = ""
	}
	if o.Refs.Ask != "" && r.Round == 1 && !r.Finish {
		r.Wait = Wait{Kind: ForAnswer, Round: 1}
		r.heed(o)
		return
	}
	r.Stage, r.Round, r.Feedback = AtPlan, 1, ""
	if r.Finish {
		r.stopGathering(StopFinish)
	}
}

// planned follows a plan step: wait for approval, or gather.
func (r *Run) planned(o Outcome) {
	units := o.Units
	if o.Kind == Failed {
		units, r.Refs.Plan = nil, ""
	}
	asked := r.Asked.Mode
	if asked == "" {
		asked = o.Mode
	}
	r.setUnits(units, asked, o.Score)
	if !r.Limits.Approve {
		r.startGathering(o)
		return
	}
	r.Wait = Wait{Kind: ForApproval, Round: r.Round}
	if t := r.Limits.Caps.Approval; t > 0 {
		r.Wait.Until = o.At.Add(t)
	}
	r.Inbox = slices.DeleteFunc(r.Inbox, func(s Signal) bool {
		return s.Kind != SigAnswer && max(s.Round, 1) < r.Round // speaks of a plan that is gone
	})
	r.heed(o)
}

// settle takes a unit's outcome. A failed unit is an outcome like any other; it may still bring findings.
func (r *Run) settle(id string, o Outcome) {
	u := &r.Units[r.unit(id)]
	u.State, u.At, u.Result = Succeeded, o.At, clip(o.Refs.Result, maxTopic)
	if o.Kind == Failed {
		u.State, u.Fail = Broke, clip(o.Fail, 180)
	}
	n := max(r.Limits.Unit.Findings, 0) * max(len(u.Parts), 1)
	u.Findings = min(max(o.Counts.Findings, 0), n)
	u.Cited = min(max(o.Counts.Cited, 0), u.Findings)
	u.Keys = distinct(o.Keys, u.Cited)
	if !slices.ContainsFunc(r.Units, func(u UnitState) bool { return u.State == Dispatched }) {
		r.waveDone()
	}
}

// distinct sorts keys, clips them and keeps at most n.
func distinct(keys []string, n int) []string {
	var out []string
	for _, k := range keys {
		if k != "" {
			out = append(out, strings.Clone(clip(k, maxKey)))
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(n, len(out))]
}

// written follows a draft: review it, if there is a reviewer and patience.
func (r *Run) written() {
	r.Feedback = ""
	r.Stage = AtClaims
	if r.Limits.Review.Threshold > 0 {
		r.Stage = AtReview
	}
}

// reviewed follows a review: write again, or go on.
func (r *Run) reviewed(o Outcome) {
	r.Stage, r.Score = AtClaims, o.Score
	if o.Kind == Failed {
		r.Score = -1
		return
	}
	if o.Score < r.Limits.Review.Threshold && r.Rewrites < min(r.Limits.Review.Rewrites, MaxRewrites) && !r.Finish {
		r.Rewrites++
		r.Stage, r.Feedback = AtWrite, clip(o.Reason, maxWords)
	}
}

// split follows the splitting of the draft into claims: check them in batches, or publish.
func (r *Run) split(o Outcome) {
	r.Claims = min(max(o.Counts.Claims, 0), MaxClaims)
	r.Stage = AtPublish
	if batches := (r.Claims + ClaimsPerCheck - 1) / ClaimsPerCheck; batches > 0 && r.Limits.Check {
		r.Stage, r.Checked = AtCheck, make([]Phase, batches)
		for i := range r.Checked {
			r.Checked[i] = Dispatched
		}
	}
}

// checked takes a batch's outcome. A batch that failed leaves its claims unchecked, which is never a refutation.
func (r *Run) checked(batch int, o Outcome) {
	r.Checked[batch] = Succeeded
	if o.Kind == Failed {
		r.Checked[batch] = Broke
	}
	if !slices.Contains(r.Checked, Dispatched) {
		r.Stage = AtPublish
	}
}
