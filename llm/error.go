package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Sentinels that callers ask for.
var (
	// ErrBudget says that the money or the tokens of a run or a unit leave no room for a call.
	ErrBudget = errors.New("the budget leaves no room for another model call")
	// ErrAnswer says that a model could not be brought to a valid answer.
	ErrAnswer = errors.New("the model gave no valid answer")
	// ErrNotRecorded says that a replay needed a call that was never recorded.
	ErrNotRecorded = errors.New("this call was not recorded")
)

// OverBudget is ErrBudget with which cap left no room.
type OverBudget struct {
	Unit   bool // the unit's own cap, not the run's
	Tokens bool // the cap in tokens, not in dollars
	Soon   bool // there would be room if calls under way cost nothing: some of what they set aside will come free
}

func (o *OverBudget) Error() string { return ErrBudget.Error() }

// Is makes it an ErrBudget.
func (o *OverBudget) Is(target error) bool { return target == ErrBudget }

// Safe is one line for users.
func (o *OverBudget) Safe() string { return ErrBudget.Error() }

// Trouble is the kind of an Error.
type Trouble string

const (
	BadKey       Trouble = "bad key"       // 401, 403
	UnknownModel Trouble = "unknown model" // 404
	Quota        Trouble = "quota"         // the account has nothing left
	Unreachable  Trouble = "unreachable"   // no connection
	RateLimited  Trouble = "rate limited"  // 429
	Overloaded   Trouble = "overloaded"    // 5xx
	Stalled      Trouble = "stalled"       // no answer in time
	TooLong      Trouble = "too long"      // more than the model's window
	Unsupported  Trouble = "unsupported"   // tools or schemas that the model can't do
	BadRequest   Trouble = "bad request"
	Garbled      Trouble = "garbled" // the answer is no answer of the protocol
)

// Error is a call that failed.
type Error struct {
	Trouble    Trouble
	Model      string // provider:model
	Host       string // where the call went
	Status     int    // of HTTP; 0: none
	RetryAfter time.Duration
	Usage      Usage  // what was billed all the same
	Text       string // what the provider said, without keys; for operators
	Cure       string // what the user can do, when the provider knows better than Safe
	Err        error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Model, e.Trouble)
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Text != "" {
		s += ": " + e.Text
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Safe is one line for users: what is wrong and the cure, no internals.
func (e *Error) Safe() string {
	provider, model, _ := strings.Cut(e.Model, ":")
	cure := map[Trouble]string{
		BadKey:       fmt.Sprintf("%s refuses the key: set another", provider),
		UnknownModel: fmt.Sprintf("%s does not know the model %s: name another with --model", provider, model),
		Quota:        fmt.Sprintf("the account at %s has no quota left: add credit there, or use another model", provider),
		Unreachable:  fmt.Sprintf("%s can't be reached: check the network and its base URL", provider),
		RateLimited:  fmt.Sprintf("%s limits the rate of calls: wait a little, then resume", provider),
		Overloaded:   fmt.Sprintf("%s is overloaded: wait a little, then resume", provider),
		Stalled:      fmt.Sprintf("%s did not answer in time: wait a little, then resume", provider),
		TooLong:      fmt.Sprintf("the prompt was too long for %s", model),
		Unsupported:  fmt.Sprintf("%s can't do what was asked of it", model),
	}[e.Trouble]
	if e.Cure != "" {
		cure = e.Cure
	}
	if cure == "" {
		cure = fmt.Sprintf("%s answered in a way that can't be used", provider)
	}
	return cure
}

// Passing reports whether the trouble may pass by itself.
func (e *Error) Passing() bool {
	switch e.Trouble {
	case RateLimited, Overloaded, Stalled, Unreachable, Garbled:
		return true
	}
	return false
}

// Hopeless reports whether no further call to this model can succeed until a person mends something.
func Hopeless(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Trouble {
	case BadKey, UnknownModel, Quota, Unreachable:
		return true
	}
	return false
}
