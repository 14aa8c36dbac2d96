package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/plumbresearch/plumb"
)

// Fitting is the outcome itself, or a failed one in place of one that is too large for a journal.
func Fitting(o *plumb.Outcome) *plumb.Outcome {
	if err := o.Check(); err != nil {
		return &plumb.Outcome{Step: o.Step, Kind: plumb.Failed, At: o.At, Fail: "the outcome was too large"}
	}
	return o
}

// Fold applies an outcome to a run and gives the outcome as it counts, and what users are told of it: events that have no
// number yet.
func Fold(run *plumb.Run, o *plumb.Outcome) (*plumb.Outcome, []plumb.Event) {
	o = Fitting(o)
	before := look(run)
	run.Apply(*o)
	return o, narrate(before, o, run)
}

// CheckRules refuses a run whose rules this program does not have.
func CheckRules(run *plumb.Run) error {
	if run.Rules == plumb.RulesVersion {
		return nil
	}
	return fmt.Errorf("run %s was started with version %d of the rules, this Plumb knows version %d: use the Plumb it was started with",
		run.ID, run.Rules, plumb.RulesVersion)
}

// Number gives an event its place after the last one of its run; one that is not stored has none.
func Number(e plumb.Event, run string, last *int64, now time.Time) plumb.Event {
	e.Run = run
	if !passing(e) {
		*last++
		e.Seq = *last
	}
	if e.At.IsZero() {
		e.At = now
	}
	return e
}

// passing events are shown and never stored: the completed text is.
func passing(e plumb.Event) bool { return e.Kind == plumb.DraftDelta }

// Staying are the events that are stored.
func Staying(events []plumb.Event) []plumb.Event {
	if !slices.ContainsFunc(events, passing) {
		return events
	}
	return slices.DeleteFunc(slices.Clone(events), passing)
}

// Lost is the outcome of a step that came to none, however often it was begun.
func Lost(step string, kind plumb.StepKind, at time.Time) *plumb.Outcome {
	return &plumb.Outcome{Step: step, Kind: plumb.Failed, At: at, Fail: sanitise(kind, errLost)}
}
