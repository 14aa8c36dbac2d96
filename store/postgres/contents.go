package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

var _ engine.Contents = (*DB)(nil)

// PutArtefact stores a value as JSON under a reference.
func (d *DB) PutArtefact(ctx context.Context, run, ref string, v any) error {
	body, err := form.JSON(v)
	if err == nil {
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			_, err := t.exec(`INSERT INTO artefacts (run, ref, value) VALUES ($1, $2, $3)
				ON CONFLICT (run, ref) DO UPDATE SET value = excluded.value`, n, ref, body)
			return err
		})
	}
	return form.About(run, "artefact "+ref, err)
}

// Artefact fills v, or answers ErrNotFound.
func (d *DB) Artefact(ctx context.Context, run, ref string, v any) error {
	found, err := read(ctx, d, plain[string], `SELECT value FROM artefacts WHERE run = `+runN+` AND ref = $2`, run, ref)
	switch {
	case err == nil && len(found) == 0:
		err = engine.ErrNotFound
	case err == nil:
		err = json.Unmarshal([]byte(found[0]), v)
	}
	return form.About(run, "artefact "+ref, err)
}

// PutFindings replaces the findings of a unit.
func (d *DB) PutFindings(ctx context.Context, run, unit string, fs []plumb.Finding) error {
	bodies, err := form.JSONOfEach(fs)
	if err == nil {
		subtasks := make([]int64, len(fs))
		for i, f := range fs {
			subtasks[i] = int64(f.Subtask)
		}
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			if _, err := t.exec(`DELETE FROM findings WHERE run = $1 AND unit = $2`, n, unit); err != nil {
				return err
			}
			_, err := t.exec(`INSERT INTO findings (run, unit, pos, subtask, finding)
				SELECT $1, $2, i - 1, subtask, finding FROM unnest($3::bigint[], $4::text[]) WITH ORDINALITY f (subtask, finding, i)`, n, unit, subtasks, bodies)
			return err
		})
	}
	return form.About(run, "findings of unit "+unit, err)
}

// Findings of a run in the order of subtask and position.
func (d *DB) Findings(ctx context.Context, run string) ([]plumb.Finding, error) {
	return lists[plumb.Finding](ctx, d, "findings", run, `SELECT finding FROM findings WHERE run = `+runN+` ORDER BY subtask, unit, pos`, run)
}

// PutCitations replaces the citations of a run.
func (d *DB) PutCitations(ctx context.Context, run string, cs []plumb.Citation) error {
	bodies, err := form.JSONOfEach(cs)
	if err == nil {
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			if _, err := t.exec(`DELETE FROM citations WHERE run = $1`, n); err != nil {
				return err
			}
			_, err := t.exec(`INSERT INTO citations (run, pos, citation)
				SELECT $1, i - 1, citation FROM unnest($2::text[]) WITH ORDINALITY c (citation, i)`, n, bodies)
			return err
		})
	}
	return form.About(run, "citations", err)
}

// Citations of a run in the order in which they were put.
func (d *DB) Citations(ctx context.Context, run string) ([]plumb.Citation, error) {
	return lists[plumb.Citation](ctx, d, "citations", run, `SELECT citation FROM citations WHERE run = `+runN+` ORDER BY pos`, run)
}

// PutClaims replaces the claims of a run. Verdicts on claims that are no longer there go.
func (d *DB) PutClaims(ctx context.Context, run string, cs []plumb.Claim) error {
	bodies, err := form.JSONOfEach(cs)
	ids, used := make([]string, len(cs)), map[string]bool{}
	for i, c := range cs {
		if ids[i] = c.ID; used[c.ID] {
			err = fmt.Errorf("claim %s: %w", c.ID, engine.ErrExists)
		}
		used[c.ID] = true
	}
	if err == nil {
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			if _, err := t.exec(`DELETE FROM claims WHERE run = $1`, n); err != nil {
				return err
			}
			if _, err := t.exec(`INSERT INTO claims (run, id, pos, claim)
				SELECT $1, id, i - 1, claim FROM unnest($2::text[], $3::text[]) WITH ORDINALITY c (id, claim, i)`, n, ids, bodies); err != nil {
				return err
			}
			_, err := t.exec(`DELETE FROM verdicts WHERE run = $1 AND claim <> ALL ($2::text[])`, n, ids)
			return err
		})
	}
	return form.About(run, "claims", err)
}

// Claims of a run in the order of the draft.
func (d *DB) Claims(ctx context.Context, run string) ([]plumb.Claim, error) {
	return lists[plumb.Claim](ctx, d, "claims", run, `SELECT claim FROM claims WHERE run = `+runN+` ORDER BY pos`, run)
}

// PutVerdicts replaces the verdicts on the claims that they speak of. A claim that the run does not have is refused
// with ErrNotFound.
func (d *DB) PutVerdicts(ctx context.Context, run string, vs []plumb.Verdict) error {
	bodies, err := form.JSONOfEach(vs)
	if err == nil {
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			for i, v := range vs {
				put, err := t.exec(`INSERT INTO verdicts (run, claim, verdict) SELECT run, id, $3 FROM claims WHERE run = $1 AND id = $2
					ON CONFLICT (run, claim) DO UPDATE SET verdict = excluded.verdict`, n, v.ClaimID, bodies[i])
				if err != nil {
					return err
				}
				if put == 0 {
					return fmt.Errorf("claim %s: %w", v.ClaimID, engine.ErrNotFound)
				}
			}
			return nil
		})
	}
	return form.About(run, "verdicts", err)
}

// Verdicts in the order of the claims.
func (d *DB) Verdicts(ctx context.Context, run string) ([]plumb.Verdict, error) {
	return lists[plumb.Verdict](ctx, d, "verdicts", run,
		`SELECT v.verdict FROM claims c JOIN verdicts v ON v.run = c.run AND v.claim = c.id WHERE c.run = `+runN+` ORDER BY c.pos`, run)
}
