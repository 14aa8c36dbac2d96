package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/plumbresearch/plumb"
)

// Replay does a run again from its recordings, step by step in the order of its journal, into the driver's store, and
// gives it as it is then. Signals, timers and steps that failed are taken over as they were; steps that were done are done
// again, at the times and with the totals of the first time. The driver's Steps must have Again and the recordings.
func (l *Local) Replay(ctx context.Context, rec Record) (*plumb.Run, error) {
	run := rec.Run
	if err := l.Start(ctx, &run); err != nil {
		return nil, err
	}
	return l.with(ctx, run.ID, func(d *drive, ctx context.Context) error {
		for _, o := range rec.Journal {
			if err := d.redo(ctx, o); err != nil {
				return err
			}
		}
		return d.store(ctx)
	})
}

// Outcomes are what came of the steps of a journal, by step: what Steps.Again wants. A step that was tried again after the
// run had failed counts with its last outcome.
func (r Record) Outcomes() map[string]plumb.Outcome {
	out := map[string]plumb.Outcome{}
	for _, o := range r.Journal {
		if o.Step != "" {
			out[o.Step] = o
		}
	}
	return out
}

// redo folds one outcome of a journal into the run, doing its step again if it was done.
func (d *drive) redo(ctx context.Context, o plumb.Outcome) error {
	if o.Kind != plumb.Done {
		return d.commit(ctx, &o, 0)
	}
	next := d.run.Next()
	i := slices.IndexFunc(next, func(s plumb.Step) bool { return s.ID == o.Step })
	if i < 0 {
		return d.commit(ctx, &o, 0) // came when it was no longer awaited
	}
	t := &Task{Run: d.id, Kind: d.run.Kind, Asked: &d.run.Asked, Limits: &d.run.Limits, Step: next[i], Attempt: 1}
	got, err := d.attempt.once(ctx, t)
	if err != nil {
		return fmt.Errorf("replay of run %s: %w", d.id, err)
	}
	got.At, got.Spent, got.FellBack, got.Capped = o.At, o.Spent, o.FellBack, o.Capped
	return d.commit(ctx, got, 0)
}

// Behind is a store's contents with another's behind them: texts, and everything of other runs, are read from there. A
// replay writes to the one and reads what was there before from the other.
type Behind struct {
	Contents
	Run  string
	From Contents
}

// Text is that of either.
func (b Behind) Text(ctx context.Context, hash string) (string, error) { return b.From.Text(ctx, hash) }

// Artefact of the run itself stands in front, but for what it was given before it began.
func (b Behind) Artefact(ctx context.Context, run, ref string, v any) error {
	if ref == refGiven || ref == refGivenSources {
		return b.From.Artefact(ctx, run, ref, v)
	}
	return b.of(run).Artefact(ctx, run, ref, v)
}

// Sources of the run itself stand in front.
func (b Behind) Sources(ctx context.Context, run string) ([]plumb.Source, error) {
	return b.of(run).Sources(ctx, run)
}

// Findings of the run itself stand in front.
func (b Behind) Findings(ctx context.Context, run string) ([]plumb.Finding, error) {
	return b.of(run).Findings(ctx, run)
}

func (b Behind) of(run string) Contents {
	if run == b.Run {
		return b.Contents
	}
	return b.From
}
