package gather

// The thinking that gathering needs, and what each piece of it is given. A task
// carries everything its thinker may know: units see neither each other nor the run.

import (
	"context"
	"time"

	"github.com/plumbresearch/plumb"
)

// Thinker is the thinking that gathering needs; Extractive is the one that needs no model.
type Thinker interface {
	Scope(ctx context.Context, t ScopeTask) (plumb.Brief, error)
	Plan(ctx context.Context, t PlanTask) (plumb.Plan, error)
	Research(ctx context.Context, t UnitTask, tools Tools) (UnitResult, error)
	Supervise(ctx context.Context, t SuperviseTask) (Proposal, error)
}

// ScopeTask is a question to be scoped.
type ScopeTask struct {
	Question plumb.Question
	Answer   string // to the clarifying question, if one was asked
	Before   *Turn  // the run before in the thread; nil at first
	Emit     plumb.Emit
}

// Turn is an earlier question of a thread and what it was scoped to.
type Turn struct {
	Question string
	Brief    plumb.Brief
}

// PlanTask is a brief to be taken apart into units.
type PlanTask struct {
	Question plumb.Question
	Brief    plumb.Brief
	Limits   plumb.Limits
	Feedback string      // what a person wants changed in Previous
	Previous *plumb.Plan // of the round before
	Round    int
	Emit     plumb.Emit
}

// UnitTask is one unit to be researched.
type UnitTask struct {
	Run      string
	Unit     plumb.Unit
	Brief    plumb.Brief
	Question plumb.Question
	Limits   plumb.UnitLimits
	Number   int             // of the unit in the run, from 1
	Visited  []string        // URLs known from earlier units
	Earlier  []plumb.Finding // of the units it comes after
	Missing  []string        // units it needs that failed or were skipped
	At       time.Time       // stamped on every finding
	Emit     plumb.Emit
}

// UnitResult is all that a unit returns.
type UnitResult struct {
	Findings []plumb.Finding `json:"findings"`
	Sources  []plumb.Source  `json:"sources"`
	Visited  []string        `json:"visited"`
	Notes    []string        `json:"notes,omitempty"`
	Broke    bool            `json:"broke,omitempty"` // the budget ran out before the unit was through
}

// Tools are what a unit may look into.
type Tools struct {
	Library Passages
	Texts   Texts
	Earlier Earlier  // nil unless findings of earlier runs may be used
	Web     Searcher // nil: the web is not searched
	Papers  Searcher // nil: paper indexes are not searched
	Pages   Reader   // nil when neither is
}

// Searcher finds leads, best first: fused over its engines, deduplicated and cut already. The text of its errors is not
// shown; what its news say of engines that failed is, also beside an error.
type Searcher interface {
	Leads(ctx context.Context, q LeadQuery) (Leads, error)
}

// LeadQuery asks for leads.
type LeadQuery struct {
	Text     string
	Language string
	Limit    int
}

// Leads are what a search found, and how it went.
type Leads struct {
	Leads []plumb.Lead    `json:"leads"`
	News  plumb.LeadsNews `json:"news"`
}

// Reader reads what a lead leads to, whole, and keeps its text where Texts finds it. The text of its errors may be shown.
type Reader interface {
	Read(ctx context.Context, lead plumb.Lead) (Page, error)
}

// Page is a source that was read from outside. One whose Depth is Snippet could not be read: Note says why.
type Page struct {
	Source plumb.Source       `json:"source"`
	Text   string             `json:"-"`
	Depth  plumb.ContentDepth `json:"depth"`
	Note   string             `json:"note,omitempty"` // a paywall, an archived copy, a title that differs
}

// Passages searches the user's own documents, best passage first.
type Passages interface {
	Search(ctx context.Context, q Query) ([]plumb.Hit, error)
}

// Query asks for passages. Exclude names URLs of sources that are not wanted.
type Query struct {
	Text     string
	Language string
	Limit    int
	Exclude  []string
}

// Texts gives the stored text of a source by its hash.
type Texts interface {
	Text(ctx context.Context, hash string) (string, error)
}

// Earlier finds findings of earlier runs, best first.
type Earlier interface {
	EarlierFindings(ctx context.Context, query string, n int) ([]plumb.Finding, error)
}

// SuperviseTask is a wave that is over, to be judged.
type SuperviseTask struct {
	Question plumb.Question
	Brief    plumb.Brief
	Units    []UnitReport
	Standing plumb.Standing
	Pending  []string // planned units not dispatched yet
	Feedback string   // the gate's reason, when it rejected the proposal before
	Spare    int      // units that may still be asked for
	Wave     int
	Round    int
	Limits   plumb.Limits
	Emit     plumb.Emit
}

// UnitReport is a settled unit with what it found.
type UnitReport struct {
	Unit     plumb.Unit
	State    plumb.Phase
	Findings []plumb.Finding
}

// Proposal asks for more units, or says that research is complete.
type Proposal struct {
	Units    []plumb.Unit `json:"units,omitempty"` // none: research is complete
	Complete bool         `json:"complete"`
	Reason   string       `json:"reason"`
}

// Extractive thinks without a model: it takes questions apart by their words and quotes the sentences that answer them.
// Its zero value is ready to use.
type Extractive struct{}

var _ Thinker = Extractive{}

// by is the name under which Extractive signs briefs and plans.
const by = "extractive"

// show emits an event if anyone listens.
func show(emit plumb.Emit, unit string, e plumb.Event) {
	if emit == nil {
		return
	}
	e.Unit = unit
	emit(e)
}
