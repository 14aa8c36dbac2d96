package plumb

import "time"

// RulesVersion is the version of Next and Apply that new runs carry. Old rules stay as long as runs of theirs may live.
const RulesVersion = 1

// Run is one question on its way to a report: everything the rules need and nothing else. Content stands in the
// store, under the references that the run carries, so that a Run stays under MaxRun bytes whatever it finds.
type Run struct {
	ID     string   `json:"id"`
	Rules  int      `json:"rules"`
	Kind   Kind     `json:"kind"`
	Tenant string   `json:"tenant,omitempty"` // whose it is; empty: the person's at this machine
	Thread string   `json:"thread,omitempty"`
	Parent string   `json:"parent,omitempty"` // the run before in the thread
	Kept   string   `json:"kept,omitempty"`   // the parent whose evidence is kept, unless the topic shifted
	Asked  Question `json:"asked"`
	Limits Limits   `json:"limits"`

	Stage    Stage       `json:"stage"`
	Refs     Refs        `json:"refs"`
	Round    int         `json:"round,omitempty"` // of scope, then of the plan, then of the supervisor
	Feedback string      `json:"feedback,omitempty"`
	Mode     Mode        `json:"mode,omitempty"`
	Units    []UnitState `json:"units,omitempty"`
	Wave     int         `json:"wave,omitempty"`
	Gate     Gate        `json:"gate"`
	Rewrites int         `json:"rewrites,omitempty"`
	Score    float64     `json:"score,omitempty"` // of the last review; -1 when it failed
	Claims   int         `json:"claims,omitempty"`
	Checked  []Phase     `json:"checked,omitempty"` // one per batch

	Spent     Spent     `json:"spent,omitzero"`
	Latest    time.Time `json:"latest,omitzero"`   // latest At that was folded in
	Deadline  time.Time `json:"deadline,omitzero"` // of gathering
	Moved     int       `json:"moved,omitempty"`   // how often the deadline was put off
	TimeUp    bool      `json:"time_up,omitempty"`
	Finish    bool      `json:"finish,omitempty"` // told to write with what there is
	Paused    bool      `json:"paused,omitempty"`
	PausedAt  time.Time `json:"paused_at,omitzero"`
	Cancelled bool      `json:"cancelled,omitempty"`
	Reason    string    `json:"reason,omitempty"` // of a pause, a cancellation
	Fail      string    `json:"fail,omitempty"`
	Stopped   Stop      `json:"stopped,omitempty"`
	Capped    Stop      `json:"capped,omitempty"`    // a cap that left no room for a model call, before it was reached
	FellBack  []Fall    `json:"fell_back,omitempty"` // sorted by step
	Wait      Wait      `json:"wait,omitzero"`
	Inbox     []Signal  `json:"inbox,omitempty"` // came before the run waited for them
	Folded    int       `json:"folded,omitempty"`
}

// Kind tells research from an audit of somebody else's report.
type Kind string

const (
	Research Kind = "research"
	Audit    Kind = "audit"
)

// Stage is where on the path a run is.
type Stage string

const (
	AtOrder     Stage = "order"
	AtCollect   Stage = "collect"
	AtRead      Stage = "read"
	AtScope     Stage = "scope"
	AtPlan      Stage = "plan"
	AtGather    Stage = "gather"
	AtSupervise Stage = "supervise"
	AtCite      Stage = "cite"
	AtWrite     Stage = "write"
	AtReview    Stage = "review"
	AtClaims    Stage = "claims"
	AtCheck     Stage = "check"
	AtPublish   Stage = "publish"
	AtEnd       Stage = "end"
)

// State is what a run is doing, as users are told.
type State string

const (
	Queued         State = "queued"
	Running        State = "running"
	Waiting        State = "waiting"
	PausedState    State = "paused"
	Finished       State = "done"
	FailedState    State = "failed"
	CancelledState State = "cancelled"
)

// Ended reports whether a state is final.
func (s State) Ended() bool { return s == Finished || s == FailedState || s == CancelledState }

// Phase is how far a piece of work is.
type Phase string

// UnitPhase is the Phase of a unit.
type UnitPhase = Phase

const (
	Pending    Phase = "pending" // planned, not in a wave yet
	Dispatched Phase = "dispatched"
	Succeeded  Phase = "done"
	Broke      Phase = "failed" // an outcome like any other
	Skipped    Phase = "skipped"
)

func settled(p Phase) bool { return p == Succeeded || p == Broke || p == Skipped }

// UnitState is what the rules know of a unit.
type UnitState struct {
	ID       string    `json:"id"`
	Topic    string    `json:"topic,omitempty"`
	Ref      string    `json:"ref,omitempty"` // where its words stand; empty: the brief's question as it is
	Parts    []string  `json:"parts,omitempty"`
	Needs    []string  `json:"needs,omitempty"`
	Wave     int       `json:"wave,omitempty"`
	State    UnitPhase `json:"state"`
	Result   string    `json:"result,omitempty"`
	Findings int       `json:"findings,omitempty"`
	Cited    int       `json:"cited,omitempty"`
	Keys     []string  `json:"keys,omitempty"`
	Fail     string    `json:"fail,omitempty"`
	At       time.Time `json:"at,omitzero"` // when it settled
}

// Wait is what a run waits for a person to do.
type Wait struct {
	Kind  WaitKind  `json:"kind,omitempty"`
	Round int       `json:"round,omitempty"`
	Until time.Time `json:"until,omitzero"` // zero: as long as it takes
}

// WaitKind tells waits apart.
type WaitKind string

const (
	ForAnswer   WaitKind = "answer"
	ForApproval WaitKind = "approval"
)

// Stop says which cap, or who, ended the gathering.
type Stop string

const (
	StopWaves  Stop = "waves"
	StopUnits  Stop = "units"
	StopMoney  Stop = "money"
	StopTokens Stop = "tokens"
	StopTime   Stop = "time"
	StopFinish Stop = "finish"
	StopGate   Stop = "gate" // rejected MaxRejections times
	StopUnit   Stop = "unit" // a unit's own cap, which ends nothing but its calls
)

// NewRun starts a run at the beginning of its path. A follow-up turn names the run before in the same thread.
func NewRun(id string, q Question, l Limits) *Run {
	r := &Run{ID: id, Rules: RulesVersion, Kind: Research, Thread: id, Asked: q, Limits: l, Stage: AtScope, Round: 1}
	if len(q.Where.Folders) > 0 {
		r.Stage = AtRead
	}
	return r
}

// Follow makes the run a follow-up turn of the one before: same thread, evidence kept unless its scope step finds that
// the topic shifted.
func (r *Run) Follow(before *Run) {
	r.Thread, r.Parent, r.Kept = before.Thread, before.ID, before.ID
}

// NewAudit starts a run that enters the path at a draft which somebody else wrote: first what it cites is read. One that
// goes via a service begins earlier: the draft is ordered there and collected.
func NewAudit(id string, q Question, l Limits, draft string) *Run {
	r := NewRun(id, q, l)
	r.Kind, r.Stage, r.Refs.Draft, r.Round = Audit, AtRead, draft, 1
	if q.Via != "" {
		r.Stage, r.Refs.Draft = AtOrder, ""
	}
	return r
}

// State is what the run is doing.
func (r *Run) State() State {
	switch {
	case r.Cancelled:
		return CancelledState
	case r.Fail != "":
		return FailedState
	case r.Stage == AtEnd:
		return Finished
	case r.Paused:
		return PausedState
	case r.Wait.Kind != "":
		return Waiting
	case r.Folded == 0:
		return Queued
	}
	return Running
}

// Standing sums up the gathering.
func (r *Run) Standing() Standing {
	s := Standing{Stopped: r.Stopped, Gate: r.Gate, Waves: r.Wave, Units: len(r.Units), Mode: r.Mode, FellBack: r.FellBack}
	s.Records, s.Cited, s.Keys = r.evidence()
	for _, u := range r.Units {
		switch u.State {
		case Broke:
			s.Failed++
		case Skipped:
			s.Skipped++
		}
	}
	for _, p := range r.Checked {
		if p == Broke {
			s.CheckFails++
		}
	}
	return s
}
