package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/plumbresearch/plumb"
)

// Store is what a driver keeps its runs in.
type Store interface {
	Journal
	Leases
	Inbox
	EventLog
}

// Errors that a store answers with, wrapped with the thing they speak of.
var (
	ErrNoRun    = errors.New("no such run")
	ErrExists   = errors.New("exists already")
	ErrNotOwner = errors.New("another process works on this run")
	ErrNotFound = errors.New("not found")
)

// Journal is the durable list of outcomes of every run.
type Journal interface {
	// CreateRun stores a run at the beginning of its path, owned by whoever the lease names. The zero lease: by nobody.
	CreateRun(ctx context.Context, run *plumb.Run, lease Lease) error
	// LoadRun gives a run as it was created, with its journal.
	LoadRun(ctx context.Context, id string) (Record, error)
	// Commit makes an outcome count: all of c is durable when it returns, or nothing of it is.
	Commit(ctx context.Context, c *Commit) error
	Runs(ctx context.Context, f Filter) ([]Summary, error)
	// CountRuns is how many runs a filter chooses, whatever its Limit and Offset.
	CountRuns(ctx context.Context, f Filter) (int, error)
	// DeleteRun removes the run and what only it used. A run that is owned is refused with ErrNotOwner.
	DeleteRun(ctx context.Context, id string) error
}

// Record is a run on disk.
type Record struct {
	Run      plumb.Run // as created: fold Journal into it
	Journal  []plumb.Outcome
	LastSeq  int64          // of its events
	Attempts map[string]int // highest attempt of each step that has events
}

// Commit is one outcome with everything that must become durable with it.
type Commit struct {
	Run     string
	Owner   string // must hold the lease, else ErrNotOwner
	Seq     int    // position in the journal, from 1
	Outcome plumb.Outcome
	State   plumb.State // of the run after the outcome
	Spent   plumb.Spent
	Events  []plumb.Event // with their Seq
	Letter  int64         // inbox letter that this outcome is, 0 if none

	outcome string   // JSON, once it was made
	events  []string // JSON
}

// JSON gives the outcome and the events as stores keep them. It is made once.
func (c *Commit) JSON() (outcome string, events []string, err error) {
	if c.outcome != "" {
		return c.outcome, c.events, nil
	}
	b, err := json.Marshal(&c.Outcome)
	if err != nil {
		return "", nil, err
	}
	for i := range c.Events {
		e, err := json.Marshal(&c.Events[i])
		if err != nil {
			return "", nil, err
		}
		c.events = append(c.events, string(e))
	}
	c.outcome = string(b)
	return c.outcome, c.events, nil
}

// Filter chooses runs for a list, newest first.
type Filter struct {
	Limit, Offset int // Limit 0: all
	State         plumb.State
	Thread        string
	Tenant        *string   // nil: everybody's
	Before        time.Time // last touched before; zero: whenever
}

// Summary is a run in a list.
type Summary struct {
	ID        string      `json:"id"`
	State     plumb.State `json:"state"`
	Question  string      `json:"question"`
	Kind      plumb.Kind  `json:"kind"`
	Thread    string      `json:"thread"`
	Tenant    string      `json:"tenant,omitempty"`
	CreatedAt time.Time   `json:"created_at"`
	UpdatedAt time.Time   `json:"updated_at"`
	Spent     plumb.Spent `json:"spent"`
	Owner     string      `json:"-"` // empty when nobody works on it
}

// Lease says who owns a run, and until when.
type Lease struct {
	Owner string
	Until time.Time
}

// Leases give a run one owner at a time. The times come from the callers' clocks.
type Leases interface {
	// Acquire takes the run if it is free, its lease is over at now, or owner has it already, and says who holds it.
	Acquire(ctx context.Context, run, owner string, now, until time.Time) (holder string, err error)
	// TakeOver takes the run from an owner that is known to be dead; false when somebody else was quicker.
	TakeOver(ctx context.Context, run, from, owner string, until time.Time) (bool, error)
	// Renew prolongs all leases of the owner.
	Renew(ctx context.Context, owner string, until time.Time) error
	Release(ctx context.Context, run, owner string) error
}

// Inbox carries signals to a run's owner from any process.
type Inbox interface {
	Send(ctx context.Context, run string, s plumb.Signal, at time.Time) (id int64, err error)
	// Letters are the signals not yet in a journal, in the order sent, with an id above after; of every run if run is empty.
	Letters(ctx context.Context, run string, after int64) ([]Letter, error)
}

// Letter is a signal on its way.
type Letter struct {
	ID     int64
	Run    string
	At     time.Time
	Signal plumb.Signal
}

// EventLog keeps what users are shown.
type EventLog interface {
	AppendEvents(ctx context.Context, events []plumb.Event) error
	// Events are those of a run after a seq, in order, without voided ones. Limit 0: all.
	Events(ctx context.Context, run string, after int64, limit int) ([]plumb.Event, error)
	// VoidEvents hides what attempts of a step before the given one had shown.
	VoidEvents(ctx context.Context, run, step string, before int) error
}
