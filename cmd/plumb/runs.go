package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

func (r *root) runsCommand() *cobra.Command {
	var asJSON bool
	var limit int
	c := &cobra.Command{
		Use:     "runs",
		Short:   "List runs, newest first",
		Example: "  plumb runs\n  plumb runs --json | jq '.[0].id'\n  plumb runs rm 01k9",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.with(cmd.Context(), nil, func(a *app) error {
				runs, err := a.db.Runs(cmd.Context(), engine.Filter{Limit: limit})
				if err != nil {
					return err
				}
				if asJSON {
					return r.printJSON(nonNil(runs))
				}
				return r.listRuns(a, runs)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "a JSON list of objects with id, state, question, created_at")
	c.Flags().IntVar(&limit, "limit", 0, "at most this many (default all)")
	c.AddCommand(r.removeCommand())
	return c
}

// nonNil makes an empty list [] and not null.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (r *root) printJSON(v any) error {
	enc := json.NewEncoder(r.io.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (r *root) listRuns(a *app, runs []engine.Summary) error {
	if len(runs) == 0 {
		_, err := fmt.Fprintln(r.io.err, `no runs yet: plumb research --docs FOLDER "your question"`)
		return err
	}
	w := tabwriter.NewWriter(r.io.out, 0, 0, 2, ' ', 0)
	for _, s := range runs {
		state := string(s.State)
		if (s.State == plumb.Running || s.State == plumb.Queued) && !a.worked(s) {
			state = "stopped"
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.ID, state, s.CreatedAt.Local().Format(time.DateTime), cut(printable(oneLine(s.Question)), 70)); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (r *root) removeCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:     "rm RUN…",
		Short:   "Delete runs and what only they used; their folders stay",
		Example: "  plumb runs rm last\n  plumb runs rm --yes 01k9 01ka",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("plumb runs rm takes the runs to delete: see plumb runs")
			}
			return r.with(cmd.Context(), nil, func(a *app) error { return r.remove(cmd.Context(), a, args, yes) })
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "don't ask")
	return c
}

func (r *root) remove(ctx context.Context, a *app, names []string, yes bool) error {
	var ids []string
	for _, n := range names {
		id, err := a.find(ctx, n)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	p := newProgress(r, false, false)
	if !yes {
		if !p.interactive() {
			return usage("plumb runs rm deletes %s for good: say --yes", count(len(ids), "run"))
		}
		text, err := p.read(ctx, fmt.Sprintf("Delete %s for good? y/N ", strings.Join(ids, ", ")))
		if err != nil || !strings.HasPrefix(strings.ToLower(text), "y") {
			return errors.Join(err, exit{exitFailed, "nothing was deleted"})
		}
	}
	for _, id := range ids {
		// Taking the run first makes sure that nobody alive works on it.
		if _, err := a.engine.Settle(ctx, id); err != nil {
			return r.interrupted(ctx, id, err)
		}
		if err := a.db.DeleteRun(ctx, id); err != nil {
			return r.interrupted(ctx, id, err)
		}
		if _, err := fmt.Fprintln(r.io.err, "deleted", id); err != nil {
			return err
		}
	}
	return nil
}

func (r *root) showCommand() *cobra.Command {
	var asJSON, follow bool
	var out string
	c := &cobra.Command{
		Use:     "show RUN",
		Short:   "Show a run: its report, or how far it is",
		Example: "  plumb show last\n  plumb show --json 01k9\n  plumb show --follow last\n  plumb show --out copy last",
		Args:    exactly(1, "one run (its id, part of it, or last)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := newProgress(r, asJSON, false)
			return r.with(cmd.Context(), nil, func(a *app) error {
				id, err := a.find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return r.show(cmd.Context(), a, p, id, follow, out)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "its events as JSON lines")
	c.Flags().BoolVar(&follow, "follow", false, "go on showing events until the run ends or waits")
	c.Flags().StringVar(&out, "out", "", "also write the run's files into this folder")
	return c
}

// show replays the events of a run through the same eyes that watch a live one.
func (r *root) show(ctx context.Context, a *app, p *progress, id string, follow bool, out string) error {
	var seen int64
	for {
		events, err := a.db.Events(ctx, id, seen, 0)
		if err != nil {
			return err
		}
		for _, e := range events {
			p.show(e)
			seen = e.Seq
		}
		run, err := a.look(ctx, id)
		if err != nil {
			return err
		}
		if s := run.State(); !follow || s.Ended() || s == plumb.Waiting || s == plumb.PausedState {
			return r.shown(ctx, a, p, run, out)
		}
		if worked, err := a.workedOn(ctx, id); err != nil || !worked && len(events) == 0 {
			return errors.Join(err, r.shown(ctx, a, p, run, out))
		}
		select {
		case <-time.After(300 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// shown prints the report if there is one, and writes files if asked to.
func (r *root) shown(ctx context.Context, a *app, p *progress, run *plumb.Run, out string) error {
	if out != "" {
		var err error
		if out, err = outFolder(out); err != nil {
			return err
		}
		if err := engine.WriteFolder(ctx, a.db, run, out); err != nil {
			return err
		}
	}
	md, err := engine.Markdown(ctx, a.db, run.ID)
	switch {
	case err == nil:
		p.report(md)
	case !errors.Is(err, engine.ErrNotFound):
		return err
	}
	dir := out
	if dir == "" {
		if err := a.db.Artefact(ctx, run.ID, refOut, &dir); err != nil && !errors.Is(err, engine.ErrNotFound) {
			return err
		}
	}
	bill, err := a.db.LedgerRows(ctx, run.ID)
	if err != nil {
		return err
	}
	p.end(run, filepath.Clean(dir), bill)
	if s := run.State(); s == plumb.Running || s == plumb.Queued || s == plumb.FailedState {
		worked, err := a.workedOn(ctx, run.ID)
		if err != nil {
			return err
		}
		p.state(run, worked)
	}
	return p.lost()
}

// workedOn reports whether a living process works on a run.
func (a *app) workedOn(ctx context.Context, id string) (bool, error) {
	runs, err := a.db.Runs(ctx, engine.Filter{})
	i := slices.IndexFunc(runs, func(s engine.Summary) bool { return s.ID == id })
	return i >= 0 && a.worked(runs[i]), err
}

// look folds a run without taking it.
func (a *app) look(ctx context.Context, id string) (*plumb.Run, error) {
	return engine.Look(ctx, a.db, id)
}
