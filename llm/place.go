package llm

import (
	"context"

	"github.com/plumbresearch/plumb"
)

// Place is where in a run calls are made: what they are billed to, budgeted by and recorded under. One is made for
// each attempt at a step.
type Place struct {
	Run     string
	Step    string
	Caps    plumb.Caps
	Share   float64    // of the run's caps that may be used up here; 0 or 1: all. Gathering leaves some for writing
	Tapes   []string   // runs whose recordings answer as well as this run's own
	Offline bool       // recordings alone answer
	Emit    plumb.Emit // shows waits and retries; nil: nobody looks
}

// Cap bounds money and tokens. A zero is no bound.
type Cap struct {
	USD    float64
	Tokens int64
}

// Reservation sets an estimate aside before a call, so that calls at the same time can't overshoot together.
type Reservation struct {
	ID        string // unique
	Run, Step string
	USD       float64
	Tokens    int64
	RunCap    Cap // for everything spent and set aside in the run
	StepCap   Cap // for everything spent and set aside in the step
}

// Ledger keeps the bill, what is set aside, and the recordings. Stores implement it.
type Ledger interface {
	// Reserve sets an estimate aside, or fails with ErrBudget and sets nothing aside.
	Reserve(ctx context.Context, r Reservation) error
	// Settle lets go of a reservation and, in the same durable write, puts the row on the bill and keeps the recording.
	// Reservation "" , row nil and rec nil are left out.
	Settle(ctx context.Context, reservation string, row *plumb.LedgerRow, rec *plumb.Recording) error
	// Forget drops what an attempt at a step that died had set aside.
	Forget(ctx context.Context, run, step string) error
	// Recorded gives the nth recording under a key, from 0; nil when there is none.
	Recorded(ctx context.Context, run, step, key string, nth int) (*plumb.Recording, error)
}
