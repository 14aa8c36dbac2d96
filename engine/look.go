package engine

import (
	"context"

	"github.com/plumbresearch/plumb"
)

// Look gives a run as its journal has it now, whoever works on it.
func Look(ctx context.Context, j Journal, id string) (*plumb.Run, error) {
	rec, err := j.LoadRun(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, o := range rec.Journal {
		rec.Run.Apply(o)
	}
	return &rec.Run, nil
}
