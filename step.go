package plumb

import (
	"encoding/json"
	"fmt"
	"time"
)

// Step is a piece of work that an engine must do. Whoever does it sees the step and never the Run.
type Step struct {
	ID    string    `json:"id"` // unique in its run: kind.round or unit.<id>
	Kind  StepKind  `json:"kind"`
	Unit  string    `json:"unit,omitempty"`
	Round int       `json:"round,omitempty"`
	In    In        `json:"in"`
	Until time.Time `json:"until,omitzero"` // of a wait: when the driver answers with a timer outcome
	Hurry bool      `json:"hurry,omitempty"`
}

// StepKind is a stage's piece of work.
type StepKind string

const (
	StepOrder     StepKind = "order"   // somebody else's service is asked for a report
	StepCollect   StepKind = "collect" // until it has written it
	StepRead      StepKind = "read"    // the user's folders into the library; in an audit also what the report cites
	StepScope     StepKind = "scope"
	StepPlan      StepKind = "plan"
	StepUnit      StepKind = "unit"
	StepSupervise StepKind = "supervise"
	StepCite      StepKind = "cite"
	StepWrite     StepKind = "write"
	StepReview    StepKind = "review"
	StepClaims    StepKind = "claims"
	StepCheck     StepKind = "check"
	StepPublish   StepKind = "publish"
	StepWait      StepKind = "wait"
)

// In is what a step is given: references into the store and a few words.
type In struct {
	Refs     Refs       `json:"refs"`
	Feedback string     `json:"feedback,omitempty"` // an answer, a person's wish for the plan, the gate's reason, the review's
	Units    []UnitRef  `json:"units,omitempty"`    // whose findings the step may see
	Visited  []UnitRef  `json:"visited,omitempty"`  // whose sources are known already; their findings stay unseen
	Parts    []string   `json:"parts,omitempty"`    // planned units that were merged into this one
	Number   int        `json:"number,omitempty"`   // of the unit in the run, from 1
	From     int        `json:"from,omitempty"`     // first claim of a batch, from 0
	To       int        `json:"to,omitempty"`       // after its last
	Kept     string     `json:"kept,omitempty"`     // the run before in the thread, whose evidence is kept
	Wave     int        `json:"wave,omitempty"`
	Standing Standing   `json:"standing,omitzero"` // how the gathering stands or ended
	Spare    int        `json:"spare,omitempty"`   // units that may still be asked for
	Pending  []string   `json:"pending,omitempty"` // planned units not dispatched yet
	Gate     GateLimits `json:"gate,omitzero"`
}

// UnitRef names a unit and where its result stands. A unit that failed or was skipped has no result.
type UnitRef struct {
	ID     string    `json:"id"`
	State  UnitPhase `json:"state"`
	Plan   string    `json:"plan,omitempty"` // where its words stand
	Result string    `json:"result,omitempty"`
}

// Standing is how gathering stands, for the supervisor and for the report's methodology.
type Standing struct {
	Stopped    Stop   `json:"stopped,omitempty"`
	Gate       Gate   `json:"gate"`
	Records    int    `json:"records"`
	Cited      int    `json:"cited"`
	Keys       int    `json:"keys"`
	Waves      int    `json:"waves"`
	Units      int    `json:"units"`
	Failed     int    `json:"failed"`
	Skipped    int    `json:"skipped"`
	Mode       Mode   `json:"scheduling,omitempty"`
	CheckFails int    `json:"check_fails,omitempty"` // batches of claims that could not be checked
	Review     string `json:"review,omitempty"`      // score of the last review, or that it failed
	FellBack   []Fall `json:"fell_back,omitempty"`
}

// Fall is a step in which extractive thinking took over from a model.
type Fall struct {
	Step string `json:"step"`
	Why  string `json:"why"`
}

// Refs are names of things in the store. Steps make them; the rules only carry them.
type Refs struct {
	Order     string `json:"order,omitempty"` // the name of a job at the service that was asked: it is never asked twice
	Brief     string `json:"brief,omitempty"`
	Ask       string `json:"ask,omitempty"` // set by a scope step whose question needs an answer first
	Plan      string `json:"plan,omitempty"`
	Result    string `json:"result,omitempty"` // of a unit
	Citations string `json:"citations,omitempty"`
	Draft     string `json:"draft,omitempty"`
	Review    string `json:"review,omitempty"`
	Claims    string `json:"claims,omitempty"`
	Report    string `json:"report,omitempty"`
}

// take overlays what an outcome brought.
func (r *Refs) take(o Refs) {
	for _, p := range []struct{ to, from *string }{
		{&r.Order, &o.Order}, {&r.Brief, &o.Brief}, {&r.Ask, &o.Ask}, {&r.Plan, &o.Plan}, {&r.Citations, &o.Citations},
		{&r.Draft, &o.Draft}, {&r.Review, &o.Review}, {&r.Claims, &o.Claims}, {&r.Report, &o.Report},
	} {
		if *p.from != "" {
			*p.to = *p.from
		}
	}
}

// Outcome is what came of a step, a timer or a signal.
type Outcome struct {
	Step   string      `json:"step,omitempty"` // empty for signals
	Kind   OutcomeKind `json:"kind"`
	At     time.Time   `json:"at"`
	Fail   string      `json:"fail,omitempty"` // one line for users: no internals
	Refs   Refs        `json:"refs,omitzero"`
	Units  []Proposed  `json:"units,omitempty"`
	Counts Counts      `json:"counts,omitzero"`
	Keys   []string    `json:"keys,omitempty"`  // distinct keys of a unit's citable findings
	Spent  Spent       `json:"spent,omitzero"`  // the run's ledger total so far
	Score  float64     `json:"score,omitempty"` // of a review, or a plan's complexity
	Mode   Mode        `json:"mode,omitempty"`
	Reason string      `json:"reason,omitempty"`
	Shift  bool        `json:"shift,omitempty"`  // a follow-up turn left the topic: the evidence before is dropped
	Capped Stop        `json:"capped,omitempty"` // money, tokens or unit: the cap that left no room for a model call; time: it ran out
	// FellBack says why extractive thinking took over in the step, in one line.
	FellBack string `json:"fell_back,omitempty"`
	Signal   Signal `json:"signal,omitzero"`
}

// OutcomeKind tells outcomes apart.
type OutcomeKind string

const (
	Done     OutcomeKind = "done"
	Failed   OutcomeKind = "failed"
	Timer    OutcomeKind = "timer"
	Signaled OutcomeKind = "signal"
)

// Counts are numbers that a step reports.
type Counts struct {
	Findings int `json:"findings,omitempty"`
	Cited    int `json:"cited,omitempty"` // findings with a source that was read
	Claims   int `json:"claims,omitempty"`
}

// Spent is money and tokens, from the ledger.
type Spent struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// Proposed is a unit as a plan or a supervisor proposes it; its words stand in the store under Ref.
type Proposed struct {
	ID    string   `json:"id"`
	Topic string   `json:"topic,omitempty"` // clipped to 120 bytes
	Needs []string `json:"needs,omitempty"`
	Ref   string   `json:"ref,omitempty"`
}

// Sizes that keep a journal readable and a Run small.
const (
	MaxOutcome = 64 << 10  // bytes, as JSON
	MaxRun     = 256 << 10 // bytes, as JSON
	maxTopic   = 120
	maxKey     = 64
	maxWords   = 4000 // bytes of a signal's or a gate's text
	maxNeeds   = 20
	maxID      = 40
	maxInbox   = 8
	maxFalls   = 200
)

// Check refuses an outcome that is too large to be journalled.
func (o Outcome) Check() error {
	if o.roughSize() < MaxOutcome/8 { // JSON makes at most six bytes of one
		return nil
	}
	b, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("outcome of %s: %w", o.Step, err)
	}
	if len(b) > MaxOutcome {
		return fmt.Errorf("outcome of %s: %d bytes, at most %d are allowed: store the content and return its reference", o.Step, len(b), MaxOutcome)
	}
	return nil
}

// roughSize counts the bytes of text in an outcome, and some for its numbers.
func (o Outcome) roughSize() int {
	n := 1000 + len(o.Step) + len(o.Fail) + len(o.Reason) + len(o.Signal.Text) + len(o.Signal.Plan) + len(o.Signal.By)
	for _, k := range o.Keys {
		n += len(k) + 4
	}
	for _, units := range [][]Proposed{o.Units, o.Signal.Units} {
		for _, u := range units {
			n += len(u.ID) + len(u.Topic) + len(u.Ref) + 50
			for _, need := range u.Needs {
				n += len(need) + 4
			}
		}
	}
	return n
}

// clip cuts s to at most n bytes at a rune boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
