package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
)

// ErrPlan: a person's plan that can't be followed.
type ErrPlan string

func (e ErrPlan) Error() string { return string(e) }

// maxUnitQuestion is the longest question of a unit, in bytes.
const maxUnitQuestion = 2000

// EditPlan keeps a plan that a person made of the one that waits in a round, and gives the signal that approves it. A unit
// without an id gets one; dependencies on units that are gone are dropped by the rules.
func EditPlan(ctx context.Context, a Artefacts, run string, round int, p plumb.Plan) (plumb.Signal, error) {
	if len(p.Units) == 0 || len(p.Units) > plumb.MaxUnits {
		return plumb.Signal{}, ErrPlan(fmt.Sprintf("a plan has 1 to %d units, this one %d", plumb.MaxUnits, len(p.Units)))
	}
	s := plumb.Signal{Kind: plumb.SigEdit, Round: round, Plan: fmt.Sprintf("plan.edit.%d", round)}
	p.Units = slices.Clone(p.Units)
	var ids []string
	for i := range p.Units {
		u := &p.Units[i]
		u.Question = strings.TrimSpace(u.Question)
		switch {
		case u.Question == "" || len(u.Question) > maxUnitQuestion:
			return plumb.Signal{}, ErrPlan(fmt.Sprintf("unit %d needs a question of at most %d bytes", i+1, maxUnitQuestion))
		case u.ID == "":
			u.ID = freshID(p.Units)
		case len(u.ID) > 64 || slices.Contains(ids, u.ID):
			return plumb.Signal{}, ErrPlan(fmt.Sprintf("unit %d: id %q is too long or used twice", i+1, clip(u.ID, 64)))
		}
		if u.Kind == "" {
			u.Kind = plumb.General
		}
		ids = append(ids, u.ID)
		s.Units = append(s.Units, plumb.Proposed{ID: u.ID, Topic: clip(u.Question, 300), Needs: u.Needs, Ref: s.Plan})
	}
	if (plumb.Outcome{Kind: plumb.Signaled, Signal: s}).Check() != nil {
		return plumb.Signal{}, ErrPlan("the plan is too large: its units name too many others")
	}
	p.Round = round
	return s, a.PutArtefact(ctx, run, s.Plan, p)
}

// freshID is an id that no unit has.
func freshID(units []plumb.Unit) string {
	for n := len(units) + 1; ; n++ {
		id := fmt.Sprintf("u%d", n)
		if !slices.ContainsFunc(units, func(u plumb.Unit) bool { return u.ID == id }) {
			return id
		}
	}
}
