package plumb

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Next lists every step that may be under way now, sorted by ID. A driver skips those it has started, and stops those
// it has started that are no longer listed once the run has ended.
func (r *Run) Next() []Step {
	if r.Paused || r.State().Ended() || r.Rules != RulesVersion {
		return nil
	}
	steps := r.outstanding()
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.ID, b.ID) })
	return steps
}

// outstanding lists the steps whose outcome the run awaits, paused or not.
func (r *Run) outstanding() []Step {
	if r.Wait.Kind != "" {
		if r.Wait.Until.IsZero() {
			return nil
		}
		return []Step{{ID: fmt.Sprintf("wait.%s.%d", r.Wait.Kind, r.Wait.Round), Kind: StepWait, Round: r.Wait.Round, Until: r.Wait.Until}}
	}
	switch r.Stage {
	case AtGather:
		return r.unitSteps()
	case AtCheck:
		return r.checkSteps()
	case AtEnd:
		return nil
	}
	return []Step{r.single()}
}

// named is the step of a stage that has one at a time, without what it is given.
func (r *Run) named() Step {
	s := Step{Kind: StepKind(r.Stage), Round: 1}
	switch r.Stage {
	case AtScope, AtPlan, AtSupervise:
		s.Round = r.Round
	case AtWrite, AtReview:
		s.Round = r.Rewrites + 1
	}
	s.ID = string(s.Kind) + "." + strconv.Itoa(s.Round)
	return s
}

// single is the step of a stage that has one at a time.
func (r *Run) single() Step {
	s := r.named()
	s.In = In{Refs: r.Refs, Kept: r.Kept, Feedback: r.Feedback}
	switch r.Stage {
	case AtSupervise:
		s.In.Wave, s.In.Pending, s.In.Gate = r.Wave, r.pending(), r.Limits.Gate
		s.In.Spare = max(min(r.Limits.InAll, MaxUnits)-len(r.Units), 0)
		s.In.Units, s.In.Standing = r.results(), r.Standing()
	case AtCite, AtWrite, AtReview, AtPublish:
		s.In.Units, s.In.Standing = r.results(), r.Standing()
	}
	return s
}

// results names every settled unit, in the order of the plan.
func (r *Run) results() []UnitRef {
	var out []UnitRef
	for _, u := range r.Units {
		if settled(u.State) {
			out = append(out, UnitRef{ID: u.ID, State: u.State, Plan: u.Ref, Result: u.Result})
		}
	}
	return out
}

// unitPrefix begins the names of unit steps; the unit's own name follows.
const unitPrefix = "unit."

// unitSteps are the units under way and the deadline that hurries them.
func (r *Run) unitSteps() []Step {
	ready := r.ready()
	out := make([]Step, 0, len(ready)+1)
	for _, i := range ready {
		u := r.Units[i]
		s := Step{ID: unitPrefix + u.ID, Kind: StepUnit, Unit: u.ID, Round: u.Wave, Hurry: r.Finish || r.TimeUp}
		s.In = In{Refs: Refs{Brief: r.Refs.Brief, Plan: u.Ref}, Parts: u.Parts, Number: i + 1, Wave: u.Wave}
		s.In.Units, s.In.Visited = r.seen(i)
		out = append(out, s)
	}
	if !r.Deadline.IsZero() && !r.TimeUp && !r.Finish {
		out = append(out, Step{ID: r.deadlineID(), Kind: StepWait, Round: r.Moved, Until: r.Deadline})
	}
	return out
}

func (r *Run) deadlineID() string { return fmt.Sprintf("wait.time.%d", r.Moved) }

// checkSteps are the batches of claims that are not checked yet, at most AtOnce together.
func (r *Run) checkSteps() []Step {
	batches := r.unchecked()
	out := make([]Step, 0, len(batches))
	for _, i := range batches {
		from := i * ClaimsPerCheck
		in := In{Refs: r.Refs, Kept: r.Kept, From: from, To: min(from+ClaimsPerCheck, r.Claims)}
		out = append(out, Step{ID: checkID(i), Kind: StepCheck, Round: i + 1, In: in})
	}
	return out
}

// unchecked are the batches that may be under way now.
func (r *Run) unchecked() []int {
	var out []int
	for i, p := range r.Checked {
		if !settled(p) && len(out) < max(r.Limits.AtOnce, 1) {
			out = append(out, i)
		}
	}
	return out
}

func checkID(batch int) string { return fmt.Sprintf("check.%04d", batch+1) }
