package form

import (
	"errors"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// Run is a run as JSON, as it is when it is created.
func Run(run *plumb.Run) (string, error) {
	if run.ID == "" {
		return "", errors.New("a run needs an id")
	}
	body, err := JSON(run)
	return body, AboutRun(run.ID, err)
}

// Until is the end of a lease; 0 of none.
func Until(l engine.Lease) int64 {
	if l.Owner == "" {
		return 0
	}
	return Micros(l.Until)
}

// Commit is the outcome and the events of a commit as JSON. One without an owner, or with events of another run, is refused.
func Commit(c *engine.Commit) (outcome string, events []string, err error) {
	if c.Owner == "" {
		return "", nil, AboutRun(c.Run, fmt.Errorf("a commit needs an owner: %w", engine.ErrNotOwner))
	}
	if outcome, events, err = c.JSON(); err != nil {
		return "", nil, AboutRun(c.Run, err)
	}
	for _, e := range c.Events {
		if e.Run != c.Run {
			return "", nil, AboutRun(c.Run, fmt.Errorf("event %d is of run %q", e.Seq, e.Run))
		}
	}
	return outcome, events, nil
}
