package gather

// What users are told of a unit that failed: never an address, a path or a trace.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
)

// limitReached finds the one detail worth keeping: how many steps a tool loop was allowed.
var limitReached = regexp.MustCompile(`(?i)(?:recursion|tool call|step) limit (?:of )?\(?(\d{1,6})`)

// SafeFailure says in one line why a unit failed, without internals.
func SafeFailure(err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "research unit timed out"
	case errors.Is(err, context.Canceled):
		return "research unit was stopped"
	}
	if m := limitReached.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Sprintf("hit tool call limit (%s steps)", m[1])
	}
	return "research unit execution failed"
}
