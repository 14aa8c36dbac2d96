package sqlite

import (
	"context"
	"database/sql"
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
			_, err := t.exec(`INSERT INTO artefacts (run, ref, value) VALUES (?, ?, ?)
				ON CONFLICT (run, ref) DO UPDATE SET value = excluded.value`, n, ref, body)
			return err
		})
	}
	return form.About(run, "artefact "+ref, err)
}

// Artefact fills v, or answers ErrNotFound.
func (d *DB) Artefact(ctx context.Context, run, ref string, v any) error {
	found := false
	err := d.read(ctx, func(rows *sql.Rows) error {
		var body sql.RawBytes
		if err := rows.Scan(&body); err != nil {
			return err
		}
		found = true
		return json.Unmarshal(body, v)
	}, `SELECT value FROM artefacts WHERE run = `+runN+` AND ref = ?`, run, ref)
	if err == nil && !found {
		err = engine.ErrNotFound
	}
	return form.About(run, "artefact "+ref, err)
}

// PutFindings replaces the findings of a unit.
func (d *DB) PutFindings(ctx context.Context, run, unit string, fs []plumb.Finding) error {
	bodies, err := form.JSONOfEach(fs)
	if err == nil {
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			if _, err := t.exec(`DELETE FROM findings WHERE run = ? AND unit = ?`, n, unit); err != nil {
				return err
			}
			for i, f := range fs {
				if _, err := t.exec(`INSERT INTO findings (run, unit, pos, subtask, finding) VALUES (?, ?, ?, ?, ?)`,
					n, unit, i, f.Subtask, bodies[i]); err != nil {
					return err
				}
			}
			return nil
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
			if _, err := t.exec(`DELETE FROM citations WHERE run = ?`, n); err != nil {
				return err
			}
			for i, body := range bodies {
				if _, err := t.exec(`INSERT INTO citations (run, pos, citation) VALUES (?, ?, ?)`, n, i, body); err != nil {
					return err
				}
			}
			return nil
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
	if err == nil {
		err = d.writeTo(ctx, run, func(t *tx, n int64) error {
			if _, err := t.exec(`DELETE FROM claims WHERE run = ?`, n); err != nil {
				return err
			}
			for i, c := range cs {
				_, err := t.exec(`INSERT INTO claims (run, id, pos, claim) VALUES (?, ?, ?, ?)`, n, c.ID, i, bodies[i])
				if duplicate(err) {
					return fmt.Errorf("claim %s: %w", c.ID, engine.ErrExists)
				}
				if err != nil {
					return err
				}
			}
			_, err := t.exec(`DELETE FROM verdicts WHERE run = ?1 AND claim NOT IN (SELECT id FROM claims WHERE run = ?1)`, n)
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
				put, err := t.exec(`INSERT INTO verdicts (run, claim, verdict) SELECT run, id, ? FROM claims WHERE run = ? AND id = ?
					ON CONFLICT (run, claim) DO UPDATE SET verdict = excluded.verdict`, bodies[i], n, v.ClaimID)
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
