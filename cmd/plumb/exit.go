package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/plumbresearch/plumb"
)

// Exit codes of every command.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWaiting     = 3 // for an answer or an approval, or paused
	exitCancelled   = 4
	exitBelow       = 5 // fewer claims supported than --fail-under wants
	exitInterrupted = 130
)

// exit is an error that knows its code. An empty line prints nothing: everything was said already.
type exit struct {
	code int
	line string
}

func (e exit) Error() string { return e.line }

// usage is wrong use, to be cured by the one who typed it.
func usage(format string, args ...any) error {
	return exit{exitUsage, fmt.Sprintf(format, args...)}
}

// exitOf gives the code and the one line that an error ends the program with.
func exitOf(ctx context.Context, err error) (int, string) {
	var e exit
	switch {
	case err == nil:
		return exitDone, ""
	case errors.As(err, &e):
		return e.code, oneLine(e.line)
	case errors.Is(context.Cause(ctx), errInterrupted):
		return exitInterrupted, "interrupted"
	case errors.Is(err, syscall.EPIPE):
		return exitFailed, "" // the reader has what it wanted: plumb runs | head -1
	}
	return exitFailed, oneLine(err.Error())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// exitOfState is how a command ends that worked on a run.
func exitOfState(run *plumb.Run) error {
	switch run.State() {
	case plumb.Finished:
		return nil
	case plumb.CancelledState:
		return exit{code: exitCancelled}
	case plumb.Waiting, plumb.PausedState:
		return exit{code: exitWaiting}
	case plumb.FailedState:
		return exit{exitFailed, fmt.Sprintf("run %s failed: %s. Try again with: plumb resume %s", run.ID, run.Fail, run.ID)}
	}
	return exit{exitFailed, fmt.Sprintf("run %s stopped while %s. Go on with: plumb resume %s", run.ID, run.State(), run.ID)}
}
