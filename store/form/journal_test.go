package form

import (
	"errors"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

func TestRunNeedsAnID(t *testing.T) {
	if _, err := Run(&plumb.Run{}); err == nil {
		t.Error("a run without an id is taken")
	}
	if body, err := Run(plumb.NewRun("r", plumb.Question{Text: "Why?"}, plumb.Limits{})); err != nil || body == "" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestLeaseOfNobodyHasNoEnd(t *testing.T) {
	at := time.UnixMicro(77)
	if got := Until(engine.Lease{Until: at}); got != 0 {
		t.Errorf("of nobody: %d", got)
	}
	if got := Until(engine.Lease{Owner: "me", Until: at}); got != 77 {
		t.Errorf("of mine: %d", got)
	}
}

func TestCommitIsItsOwnersAndOfOneRun(t *testing.T) {
	c := engine.Commit{Run: "r", Events: []plumb.Event{{Run: "r", Seq: 1}}}
	if _, _, err := Commit(&c); !errors.Is(err, engine.ErrNotOwner) {
		t.Errorf("nobody's: %v", err)
	}
	c.Owner = "me"
	if outcome, events, err := Commit(&c); err != nil || outcome == "" || len(events) != 1 {
		t.Errorf("%q, %q, %v", outcome, events, err)
	}
	c.Events = append(c.Events, plumb.Event{Run: "other", Seq: 2})
	if _, _, err := Commit(&c); err == nil || err.Error() != `run r: event 2 is of run "other"` {
		t.Errorf("%v", err)
	}
}
