package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

// Rule says how long a step may take and how often it is tried.
type Rule struct {
	Timeout time.Duration // of all attempts together; 0: none
	Tries   int           // in all; 0 counts as 1
	Backoff time.Duration // before the second attempt, doubled for each further one
}

// DefaultRules are the timeouts and retries of both drivers. Reading a folder has no timeout: it shows progress, and
// what it has read stays read. A unit that runs out of time keeps what it found. Services of others say that a report
// takes them up to an hour.
var DefaultRules = map[plumb.StepKind]Rule{
	plumb.StepOrder:     {Timeout: 10 * time.Minute, Tries: 5, Backoff: 2 * time.Second},
	plumb.StepCollect:   {Timeout: 2 * time.Hour, Tries: 3, Backoff: 2 * time.Second},
	plumb.StepRead:      {Tries: 2, Backoff: time.Second},
	plumb.StepScope:     {Timeout: 4 * time.Minute, Tries: 3, Backoff: time.Second},
	plumb.StepPlan:      {Timeout: 4 * time.Minute, Tries: 3, Backoff: time.Second},
	plumb.StepUnit:      {Timeout: 5 * time.Minute, Tries: 2, Backoff: time.Second},
	plumb.StepSupervise: {Timeout: 4 * time.Minute, Tries: 2, Backoff: time.Second},
	plumb.StepCite:      {Timeout: time.Minute, Tries: 3, Backoff: time.Second},
	plumb.StepWrite:     {Timeout: 10 * time.Minute, Tries: 3, Backoff: time.Second},
	plumb.StepReview:    {Timeout: 4 * time.Minute, Tries: 2, Backoff: time.Second},
	plumb.StepClaims:    {Timeout: time.Minute, Tries: 3, Backoff: time.Second},
	plumb.StepCheck:     {Timeout: 5 * time.Minute, Tries: 2, Backoff: time.Second},
	plumb.StepPublish:   {Timeout: 2 * time.Minute, Tries: 3, Backoff: time.Second},
}

// Why a step's context was cancelled.
var (
	ErrHurry     = errors.New("told to finish with what there is")
	ErrStopped   = errors.New("the run was stopped")
	errLost      = errors.New("came to no outcome")
	ErrCancelled = fmt.Errorf("the run was cancelled: %w", ErrStopped)
	errTimeout   = fmt.Errorf("took longer than allowed: %w", context.DeadlineExceeded) // of the step, not of its caller
)

// RuleOf is the rule of a kind of step, where some of the default ones may be overridden.
func RuleOf(k plumb.StepKind, overrides map[plumb.StepKind]Rule) Rule {
	if r, ok := overrides[k]; ok {
		return r
	}
	return DefaultRules[k]
}

// Waits tells which steps do nothing but wait, for an hour perhaps, and lose nothing when they are stopped: a pause does that.
func Waits(k plumb.StepKind) bool { return k == plumb.StepCollect }

// Permanent marks an error that trying again cannot mend.
func Permanent(err error) error { return permanent{err} }

type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// lasting reports whether another attempt is pointless.
func lasting(ctx context.Context, err error) bool {
	var p permanent
	return errors.As(err, &p) || ctx.Err() != nil
}

// plain is an error that speaks of the user's own things in words made for them.
type plain struct{ error }

func (p plain) Unwrap() error { return p.error }
func (p plain) Safe() string  { return p.Error() }

// Safe is an error whose text may be shown to users, models and reports: no address, path or internals.
type Safe interface{ Safe() string }

// sanitise gives the one line that users see of a failed step. Details stay with the operator.
func sanitise(kind plumb.StepKind, err error) string {
	var s Safe
	switch {
	case errors.As(err, &s):
		return clip(s.Safe(), 400)
	case errors.Is(err, ErrHurry):
		return "research unit was cut short"
	case kind == plumb.StepUnit:
		return gather.SafeFailure(err)
	case kind == plumb.StepCollect && errors.Is(err, context.DeadlineExceeded):
		return "the service has not finished its report in the time it was given: plumb resume goes on waiting for it"
	case errors.Is(err, context.DeadlineExceeded):
		return string(kind) + " step timed out"
	}
	return string(kind) + " step execution failed"
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
