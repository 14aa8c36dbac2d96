// Command plumb asks questions of your documents and publishes checked reports.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/plumbresearch/plumb/extract"
)

// pdfCommand is the hidden first argument under which the program parses one PDF for another process of itself.
const pdfCommand = "__pdf"

func main() {
	if len(os.Args) == 2 && os.Args[1] == pdfCommand {
		if err := extract.ServePDF(os.Stdin, os.Stdout, 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// A reader that went away shows as an error of the write: see progress and exitOf.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(context.Background(), os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Environ()))
}

// stdio is the terminal, or what stands in for it in tests.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// run is the program as a value: arguments and environment in, exit code out.
func run(ctx context.Context, args []string, io stdio, environ []string) int {
	ctx, stop := interruptible(ctx)
	defer stop(nil)
	r := newRoot(io, environ)
	r.stop = stop
	err := r.command(args).ExecuteContext(ctx)
	code, line := exitOf(ctx, err)
	if line != "" {
		if _, werr := fmt.Fprintln(io.err, "plumb: "+line); werr != nil {
			return 1
		}
	}
	return code
}

// Causes of a context that ended early.
var (
	errInterrupted = errors.New("interrupted") // by Ctrl-C or SIGTERM
	errUnread      = errors.New("standard output can't be written")
)

// echo is how long further signals count as the first one: timeout(1) and some supervisors signal the process and then
// its group.
const echo = 300 * time.Millisecond

// interruptible ends the context at the first Ctrl-C or SIGTERM, so that work in flight can stop in order. The second
// one ends the process.
func interruptible(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-c:
			cancel(errInterrupted)
			<-time.After(echo)
		case <-ctx.Done():
		}
		signal.Stop(c) // the next one has its default effect
	}()
	return ctx, cancel
}
