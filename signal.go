package plumb

import (
	"slices"
	"time"
)

// Signal is what a person, or another process for them, tells a run.
type Signal struct {
	Kind  SignalKind `json:"kind,omitempty"`
	Text  string     `json:"text,omitempty"`  // answer, feedback or reason
	Round int        `json:"round,omitempty"` // of the plan it speaks of; 0: the first
	Plan  string     `json:"plan,omitempty"`  // reference of an edited plan
	Units []Proposed `json:"units,omitempty"` // of the edited plan
	By    string     `json:"by,omitempty"`
}

// SignalKind tells signals apart.
type SignalKind string

const (
	SigAnswer   SignalKind = "answer"
	SigApprove  SignalKind = "approve"
	SigFeedback SignalKind = "feedback" // plan again with this in mind
	SigEdit     SignalKind = "edit"     // approve this plan instead
	SigReject   SignalKind = "reject"   // cancels the run, reason kept
	SigPause    SignalKind = "pause"
	SigResume   SignalKind = "resume"
	SigFinish   SignalKind = "finish"
	SigCancel   SignalKind = "cancel"
	SigRetry    SignalKind = "retry" // a failed run goes on at the step that failed
	SigWoken    SignalKind = "woken" // from a driver that took up a run: the time nobody worked on it does not count
)

// signal folds a signal in. Signals don't commute with each other or with outcomes: they count in the order of the journal.
func (r *Run) signal(o Outcome) {
	s := o.Signal
	s.Text = clip(s.Text, maxWords)
	if r.State().Ended() {
		if s.Kind == SigRetry && r.Fail != "" {
			r.Fail = ""
		}
		return
	}
	switch s.Kind {
	case SigCancel:
		r.Cancelled, r.Reason = true, s.Text
	case SigPause:
		if !r.Paused {
			r.Paused, r.PausedAt, r.Reason = true, o.At, s.Text
		}
	case SigResume:
		if r.Paused {
			r.putOff(o.At.Sub(r.PausedAt))
			r.Paused, r.Reason = false, ""
		}
	case SigWoken:
		if !r.Paused {
			r.putOff(o.At.Sub(r.Latest))
		}
	case SigFinish:
		r.finishNow()
	case SigAnswer, SigApprove, SigFeedback, SigEdit, SigReject:
		if len(r.Inbox) < maxInbox {
			r.Inbox = append(r.Inbox, s)
		}
		r.heed(o)
	}
}

// heed gives the run the first signal of its inbox that it waits for, and drops those that speak of rounds gone by.
func (r *Run) heed(o Outcome) {
	for r.Wait.Kind != "" {
		i := r.awaited()
		if i < 0 {
			return
		}
		s := r.Inbox[i]
		r.Inbox = append(r.Inbox[:i:i], r.Inbox[i+1:]...)
		r.obey(s, o)
	}
}

// awaited finds the first signal that the present wait can use.
func (r *Run) awaited() int {
	for i, s := range r.Inbox {
		if r.Wait.Kind == ForAnswer && s.Kind == SigAnswer {
			return i
		}
		if r.Wait.Kind == ForApproval && s.Kind != SigAnswer && max(s.Round, 1) == r.Wait.Round {
			return i
		}
	}
	return -1
}

// obey does what an awaited signal says.
func (r *Run) obey(s Signal, o Outcome) {
	switch s.Kind {
	case SigAnswer:
		r.Wait = Wait{}
		r.Round++
		r.Feedback = s.Text
	case SigApprove:
		r.Wait = Wait{}
		r.startGathering(o)
	case SigEdit:
		r.Wait = Wait{}
		r.Refs.Plan = s.Plan
		r.setUnits(s.Units, r.Asked.Mode, 1)
		r.startGathering(o)
	case SigFeedback:
		if r.Round >= MaxPlanRounds {
			return // no rounds left: the plan still waits, to be approved or rejected
		}
		r.Wait = Wait{}
		r.Round++
		r.Feedback = s.Text
	case SigReject:
		r.Wait = Wait{}
		r.Cancelled, r.Reason = true, s.Text
	}
}

// finishNow ends the gathering: units under way are hurried, those not begun are skipped, a wait is over.
func (r *Run) finishNow() {
	r.Finish = true
	switch r.Stage {
	case AtScope:
		if r.Wait.Kind == ForAnswer { // the brief is still needed, without the answer
			r.Wait = Wait{}
			r.Round++
		}
	case AtPlan, AtSupervise:
		r.Wait = Wait{}
		r.stopGathering(StopFinish)
	case AtGather:
		under := r.ready()
		for i := range r.Units {
			if !settled(r.Units[i].State) && !slices.Contains(under, i) {
				r.Units[i].State = Skipped
			}
		}
	}
}

// putOff moves the deadline by the time in which nobody worked.
func (r *Run) putOff(idle time.Duration) {
	if idle <= 0 || r.Deadline.IsZero() {
		return
	}
	r.Deadline = r.Deadline.Add(idle)
	r.Moved++
}
