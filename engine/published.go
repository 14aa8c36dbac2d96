package engine

import (
	"context"
	"errors"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/report"
)

// Published gives what a run's published report was made from, or ErrNotFound.
func Published(ctx context.Context, c Contents, run *plumb.Run) (report.Report, error) {
	var a About
	if err := c.Artefact(ctx, run.ID, refAbout, &a); err != nil {
		return report.Report{}, err
	}
	r := a.report()
	r.Texts = map[string]string{}
	for ref, v := range map[string]any{run.Refs.Brief: &r.Brief, run.Refs.Draft: &r.Draft} {
		if ref == "" {
			continue
		}
		if err := c.Artefact(ctx, run.ID, ref, v); err != nil {
			return r, err
		}
	}
	var errs [4]error
	r.Citations, errs[0] = c.Citations(ctx, run.ID)
	r.Claims, errs[1] = c.Claims(ctx, run.ID)
	r.Sources, errs[2] = c.Sources(ctx, run.ID)
	if r.Limits.Check {
		r.Verdicts, errs[3] = c.Verdicts(ctx, run.ID)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return r, err
	}
	return r, texts(ctx, c, &r)
}
