package form

import (
	"fmt"
	"strings"
)

// Error is trouble with a store, as users are told: one line that names the store and the cure.
type Error struct {
	Is    error // the kind of trouble, one of the store's
	Text  string
	Cause error // nil when Plumb itself found the trouble
}

func (e *Error) Error() string { return e.Text }

// Unwrap gives the kind of trouble and its cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Is}
	}
	return []error{e.Is, e.Cause}
}

// OneLine is what an error says, without line ends.
func OneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Named adds a noun to an error.
func Named(noun string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", noun, err)
}

// AboutRun adds the run to an error.
func AboutRun(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run %s: %w", id, err)
}

// About adds the run and a noun to an error.
func About(run, noun string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run %s: %s: %w", run, noun, err)
}
