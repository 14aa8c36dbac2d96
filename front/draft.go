package front

// What a run has written down on its way: the brief with its clarifying question, and the drafts.

import (
	"context"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// Brief gives the scoped question of a run; engine.ErrNotFound before there is one. While the run waits for an answer its
// Ask is the question that a person should answer.
func (t *Tenant) Brief(ctx context.Context, id string) (plumb.Brief, error) {
	run, err := t.Run(ctx, id)
	if err != nil {
		return plumb.Brief{}, err
	}
	var b plumb.Brief
	if run.Refs.Brief == "" {
		return b, fmt.Errorf("brief of run %s: %w", id, engine.ErrNotFound)
	}
	return b, t.h.Store.Artefact(ctx, id, run.Refs.Brief, &b)
}

// Draft gives what a step of a run has written; the event draft.written names the step. engine.ErrNotFound: it wrote nothing.
func (t *Tenant) Draft(ctx context.Context, id, step string) (string, error) {
	if _, err := t.Run(ctx, id); err != nil {
		return "", err
	}
	var text string
	return text, t.h.Store.Artefact(ctx, id, step, &text)
}

// Markdown gives the text of the published report, or engine.ErrNotFound.
func (t *Tenant) Markdown(ctx context.Context, id string) (string, error) {
	if _, err := t.Run(ctx, id); err != nil {
		return "", err
	}
	return engine.Markdown(ctx, t.h.Store, id)
}
