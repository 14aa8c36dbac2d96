package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/sqlite"
)

func (r *root) replayCommand() *cobra.Command {
	var q asked
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "Do a finished run again from its recordings, offline; or with another model, asking only what changes",
		Long: `Every run records what it asked models, the library and the web, and what they answered.

Without --model the run is done again offline, and its report must come out the same, byte for byte.
With --model, --worker-model or --judge-model a new run is made: what is asked of the same model in the same words is
answered from the recordings and costs nothing, the rest is asked anew.`,
		Example: `  plumb replay last
  plumb replay --judge-model openai:gpt-5-mini last`,
		Args: exactly(1, "one run (its id, part of it, or last)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.model+q.worker+q.judge+q.embed == "" {
				return r.replay(cmd.Context(), q, args[0])
			}
			return r.replayWith(cmd.Context(), q, args[0])
		},
	}
	f := c.Flags()
	f.StringVar(&q.model, "model", "", "language model that thinks, as provider:model")
	f.StringVar(&q.worker, "worker-model", "", "language model of the researchers")
	f.StringVar(&q.judge, "judge-model", "", "language model that judges claims")
	f.StringVar(&q.embed, "embed-model", "", "model whose vectors help to rank passages")
	f.StringVar(&q.out, "out", "", "folder for the files of the replay (default runs/ID-replay)")
	f.BoolVar(&q.json, "json", false, "print events as JSON lines instead of the report")
	f.BoolVar(&q.quiet, "quiet", false, "no progress")
	return c
}

// finished finds a run that can be done again.
func (a *app) finished(ctx context.Context, name string) (engine.Record, error) {
	id, err := a.find(ctx, name)
	if err != nil {
		return engine.Record{}, err
	}
	run, err := a.look(ctx, id)
	if err != nil {
		return engine.Record{}, err
	}
	if run.State() == plumb.CancelledState {
		return engine.Record{}, usage("run %s was cancelled, so there is nothing to replay: name one that is done, see plumb runs", id)
	}
	if run.State() != plumb.Finished {
		return engine.Record{}, usage("run %s is not done, so there is nothing to replay: finish it with plumb resume %s", id, id)
	}
	return a.db.LoadRun(ctx, id)
}

// replay does a run again in a store of its own and compares the reports.
func (r *root) replay(ctx context.Context, q asked, name string) error {
	p := newProgress(r, q.json, q.quiet)
	return r.with(ctx, nil, func(a *app) (err error) {
		rec, err := a.finished(ctx, name)
		if err != nil {
			return err
		}
		out, err := outFolder(firstNonEmpty(q.out, filepath.Join("runs", rec.Run.ID+"-replay")))
		if err != nil {
			return err
		}
		dir, err := os.MkdirTemp("", "plumb-replay-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		db, err := sqlite.Open(ctx, filepath.Join(dir, "replay.db"), sqlite.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		p.replays(rec.Run.ID)
		run, err := a.again(ctx, db, rec, p.show)
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx) // interrupted, or nobody reads the events
		}
		if err != nil {
			return exit{exitFailed, err.Error()}
		}
		if err := engine.WriteFolder(ctx, db, run, out); err != nil {
			return err
		}
		return r.compare(ctx, a, db, p, run.ID, out)
	})
}

// again replays a run into a store of its own; texts, recordings and the bill are those of the first time.
func (a *app) again(ctx context.Context, db store, rec engine.Record, show func(plumb.Event)) (*plumb.Run, error) {
	steps := *a.steps
	steps.Contents = engine.Behind{Contents: db, Run: rec.Run.ID, From: a.db}
	steps.Again = rec.Outcomes()
	l := engine.NewLocal(db, &steps, engine.Options{Show: show})
	defer l.Close()
	return l.Replay(ctx, rec)
}

// compare holds the replayed report against the first one.
func (r *root) compare(ctx context.Context, a *app, db store, p *progress, id, out string) error {
	p.rest()
	first, err := engine.Markdown(ctx, a.db, id)
	if err != nil {
		return err
	}
	second, err := engine.Markdown(ctx, db, id)
	if err != nil {
		return err
	}
	if bytes.Equal([]byte(first), []byte(second)) {
		_, err := fmt.Fprintf(r.io.err, "the report came out the same, byte for byte; files in %s\n", out)
		return err
	}
	return exit{exitFailed, fmt.Sprintf("the report of the replay differs from the first one: compare %s with plumb show %s", filepath.Join(out, "final.md"), id)}
}

// replayWith asks a run's question again with other models, with the run's recordings at hand.
func (r *root) replayWith(ctx context.Context, q asked, name string) error {
	p := newProgress(r, q.json, q.quiet)
	return r.with(ctx, p.show, func(a *app) error {
		rec, err := a.finished(ctx, name)
		if err != nil {
			return err
		}
		was := rec.Run.Asked.Models
		q.model, q.worker = firstNonEmpty(q.model, was.Orchestrator), firstNonEmpty(q.worker, was.Worker)
		q.judge, q.embed = firstNonEmpty(q.judge, was.Judge), firstNonEmpty(q.embed, was.Embed)
		question := rec.Run.Asked
		if question.Models, err = r.models(q); err != nil {
			return err
		}
		if err := a.opens(question.Models); err != nil {
			return err
		}
		question.Tape = rec.Run.ID
		run := plumb.NewRun(strings.ToLower(ulid.Make().String()), question, rec.Run.Limits)
		if rec.Run.Kind == plumb.Audit {
			run = engine.NewAudit(run.ID, question, rec.Run.Limits)
		}
		run.Thread, run.Parent, run.Kept = rec.Run.Thread, rec.Run.Parent, rec.Run.Kept
		if err := a.begin(ctx, run, q.out); err != nil {
			return err
		}
		if run.Kind == plumb.Audit {
			if err := engine.GiveAgain(ctx, a.db, run.ID, rec.Run.ID); err != nil {
				return err
			}
		}
		for _, o := range rec.Journal { // what a person had said the first time holds again
			if o.Signal.Kind == plumb.SigAnswer || o.Signal.Kind == plumb.SigApprove {
				if err := a.engine.Send(ctx, run.ID, o.Signal); err != nil {
					return err
				}
			}
		}
		return r.work(ctx, a, p, run.ID)
	})
}
