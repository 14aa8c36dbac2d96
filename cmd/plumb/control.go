package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

func (r *root) resumeCommand() *cobra.Command {
	var asJSON, quiet bool
	c := &cobra.Command{
		Use:     "resume RUN",
		Short:   "Go on with a run that was interrupted, paused or failed",
		Example: "  plumb resume last",
		Args:    exactly(1, "one run (its id, part of it, or last)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := newProgress(r, asJSON, quiet)
			return r.with(cmd.Context(), p.show, func(a *app) error {
				id, err := a.find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return r.resume(cmd.Context(), a, p, id)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print events as JSON lines instead of the report")
	c.Flags().BoolVar(&quiet, "quiet", false, "no progress")
	return c
}

// resume wakes a paused or failed run first.
func (r *root) resume(ctx context.Context, a *app, p *progress, id string) error {
	run, err := a.look(ctx, id)
	if err != nil {
		return err
	}
	switch run.State() {
	case plumb.PausedState:
		err = r.send(ctx, a, id, plumb.Signal{Kind: plumb.SigResume})
	case plumb.FailedState:
		if err = r.send(ctx, a, id, plumb.Signal{Kind: plumb.SigRetry}); err == nil {
			_, err = a.engine.Settle(ctx, id)
		}
	}
	if err != nil {
		return r.interrupted(ctx, id, err)
	}
	return r.work(ctx, a, p, id)
}

func (r *root) answerCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "answer RUN TEXT",
		Short:   "Answer the clarifying question of a run, and go on with it",
		Example: `  plumb answer last "the bridge in Halvermouth"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || strings.TrimSpace(strings.Join(args[1:], " ")) == "" {
				return usage("plumb answer takes a run and your answer: plumb answer last \"…\"")
			}
			return r.tell(cmd.Context(), args[0], plumb.Signal{Kind: plumb.SigAnswer, Text: strings.Join(args[1:], " ")})
		},
	}
}

func (r *root) approveCommand() *cobra.Command {
	var feedback, reason string
	var reject bool
	var round int
	c := &cobra.Command{
		Use:   "approve RUN",
		Short: "Approve the plan of a run, ask for another, or reject it; then go on with it",
		Example: `  plumb approve last
  plumb approve --feedback "also look at the costs" last
  plumb approve --reject --reason "too broad" last`,
		Args: exactly(1, "one run (its id, part of it, or last)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := plumb.Signal{Kind: plumb.SigApprove, Round: round}
			switch {
			case reject && feedback != "":
				return usage("--reject and --feedback exclude each other")
			case reject:
				s.Kind, s.Text = plumb.SigReject, reason
			case feedback != "":
				s.Kind, s.Text = plumb.SigFeedback, feedback
			}
			return r.tell(cmd.Context(), args[0], s)
		},
	}
	c.Flags().StringVar(&feedback, "feedback", "", "plan again with this in mind")
	c.Flags().BoolVar(&reject, "reject", false, "cancel the run")
	c.Flags().StringVar(&reason, "reason", "", "why it is rejected")
	c.Flags().IntVar(&round, "round", 0, "the round of the plan that is meant (default: the one that waits)")
	return c
}

// tell sends a signal and goes on with the run, unless another process works on it: then that one does.
func (r *root) tell(ctx context.Context, name string, s plumb.Signal) error {
	p := newProgress(r, false, false)
	return r.with(ctx, p.show, func(a *app) error {
		run, err := a.unended(ctx, name)
		if err != nil {
			return err
		}
		id := run.ID
		if s.Round == 0 && run.Wait.Kind == plumb.ForApproval {
			s.Round = run.Wait.Round
		}
		if err := r.send(ctx, a, id, s); err != nil {
			return err
		}
		if _, err := a.engine.Settle(ctx, id); errors.Is(err, engine.ErrNotOwner) {
			_, err = fmt.Fprintf(r.io.err, "sent to the process that works on run %s\n", id)
			return err
		}
		p.answered()
		return r.work(ctx, a, p, id)
	})
}

// signalCommand makes pause, finish and cancel.
func (r *root) signalCommand(name string) *cobra.Command {
	about := map[string]struct {
		short string
		kind  plumb.SignalKind
	}{
		"pause":  {"Pause a run: steps in flight finish, then it stops until plumb resume", plumb.SigPause},
		"finish": {"Stop gathering and write the report with what there is", plumb.SigFinish},
		"cancel": {"Cancel a run for good", plumb.SigCancel},
	}[name]
	var reason string
	c := &cobra.Command{
		Use:     name + " RUN",
		Short:   about.short,
		Example: "  plumb " + name + " last",
		Args:    exactly(1, "one run (its id, part of it, or last)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.with(cmd.Context(), nil, func(a *app) error {
				return r.signal(cmd.Context(), a, args[0], plumb.Signal{Kind: about.kind, Text: reason})
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

// signal sends, and sees to it that it counts even when nobody works on the run.
func (r *root) signal(ctx context.Context, a *app, name string, s plumb.Signal) error {
	run, err := a.unended(ctx, name)
	if err != nil {
		return err
	}
	id := run.ID
	if err := r.send(ctx, a, id, s); err != nil {
		return err
	}
	run, err = a.engine.Settle(ctx, id)
	switch {
	case errors.Is(err, engine.ErrNotOwner):
		_, err = fmt.Fprintf(r.io.err, "%s sent to the process that works on run %s\n", s.Kind, id)
		return err
	case err != nil:
		return err
	}
	if err := a.callOff(ctx, run); err != nil {
		if _, err := fmt.Fprintf(r.io.err, "the service that writes its report could not be told: %v\n", err); err != nil {
			return err
		}
	}
	hint := ""
	if run.State() == plumb.Running || run.State() == plumb.PausedState {
		hint = "; go on with: plumb resume " + id
	}
	_, err = fmt.Fprintf(r.io.err, "run %s is %s%s\n", id, run.State(), hint)
	return err
}

// unended finds a run that can still be told something.
func (a *app) unended(ctx context.Context, name string) (*plumb.Run, error) {
	id, err := a.find(ctx, name)
	if err != nil {
		return nil, err
	}
	run, err := a.look(ctx, id)
	if err != nil {
		return nil, err
	}
	if run.State().Ended() {
		return nil, usage("run %s is %s already", id, run.State())
	}
	return run, nil
}

// send tells a run a signal, where it is worked on: through the store, or through the cluster that carries it.
func (r *root) send(ctx context.Context, a *app, id string, s plumb.Signal) error {
	runs, err := a.db.Runs(ctx, engine.Filter{})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(runs, func(s engine.Summary) bool { return s.ID == id && s.Owner == engine.Cluster }) {
		return a.engine.Send(ctx, id, s)
	}
	c, err := r.dial(ctx, a, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Send(ctx, id, s)
}
