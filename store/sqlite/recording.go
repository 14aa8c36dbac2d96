package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
)

var _ engine.Tapes = (*DB)(nil)

// PutRecording keeps a recording, unless there is one under the same run, step, key and nth.
func (d *DB) PutRecording(ctx context.Context, rec plumb.Recording) error {
	tape := form.NewTape(&rec)
	return d.write(ctx, func(t *tx) error { return t.keep(tape) })
}

// keep adds a recording. The one that was there first stays.
func (t *tx) keep(r *form.Tape) error {
	n, err := t.number(r.Run)
	if err == nil {
		err = t.insertRecording(n, r)
	}
	return form.About(r.Run, "recording", err)
}

func (t *tx) insertRecording(n int64, r *form.Tape) error {
	var there int
	err := t.get(`SELECT 1 FROM recordings WHERE run = ? AND step = ? AND key = ? AND nth = ?`, []any{n, r.Step, r.Key, r.Nth}, &there)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var parts sql.NullString
	if r.Parts != nil {
		ids := make([]int64, len(r.Parts))
		for i, body := range r.Parts {
			if ids[i], err = t.part(n, body); err != nil {
				return err
			}
		}
		if parts.String, err = form.JSON(ids); err != nil {
			return err
		}
		parts.Valid = true
	}
	answer := r.Answer
	if answer == nil {
		answer = json.RawMessage{}
	}
	_, err = t.exec(`INSERT INTO recordings (run, step, key, nth, kind, at, asked, parts, answer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n, r.Step, r.Key, r.Nth, r.Kind, form.Micros(r.At), r.Whole, parts, []byte(answer))
	return err
}

// part is the id of a part of what was asked in a run. It is added if it is new.
func (t *tx) part(run int64, body []byte) (id int64, err error) {
	hash := sha256.Sum256(body)
	err = t.get(`SELECT id FROM recording_parts WHERE run = ? AND hash = ?`, []any{run, hash[:]}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		err = t.get(`INSERT INTO recording_parts (run, hash, body) VALUES (?, ?, ?) RETURNING id`, []any{run, hash[:], body}, &id)
	}
	return id, err
}

// Recorded gives the nth recording under a key, from 0; nil when there is none.
func (d *DB) Recorded(ctx context.Context, run, step, key string, nth int) (*plumb.Recording, error) {
	rec, err := d.recording(ctx, run, `run = `+runN+` AND step = ? AND key = ? AND nth = ?`, run, step, key, nth)
	return rec, form.About(run, "recording", err)
}

// Recordings calls f with those that a run has now, in the order of their times, then as they were put. None of the
// store's connections is in use while f runs. What is deleted meanwhile is left out.
func (d *DB) Recordings(ctx context.Context, run string, f func(plumb.Recording) error) error {
	ids, err := lists[int64](ctx, d, "recordings", run, `SELECT id FROM recordings WHERE run = `+runN+` ORDER BY at, id`, run)
	if err != nil {
		return err
	}
	for _, id := range ids {
		rec, err := d.recording(ctx, run, `id = ? AND run = `+runN, id, run)
		if err != nil {
			return form.About(run, "recordings", err)
		}
		if rec == nil {
			continue
		}
		if err := f(*rec); err != nil {
			return err
		}
	}
	return nil
}

// recording reads the one that the condition chooses, and puts what was asked together; nil when there is none.
func (d *DB) recording(ctx context.Context, run, where string, args ...any) (rec *plumb.Recording, err error) {
	err = d.snapshot(ctx, func(r reader) error {
		var parts sql.NullString
		if err := each(ctx, r, func(rows *sql.Rows) error {
			var at int64
			rec = &plumb.Recording{Run: run}
			err := rows.Scan(&rec.Step, &rec.Key, &rec.Nth, &rec.Kind, &at, (*[]byte)(&rec.Asked), &parts, (*[]byte)(&rec.Answer))
			rec.At = form.Time(at)
			return err
		}, `SELECT step, key, nth, kind, at, asked, parts, answer FROM recordings WHERE `+where, args...); err != nil || !parts.Valid {
			return err
		}
		var bodies [][]byte
		if err := each(ctx, r, func(rows *sql.Rows) error {
			var body []byte
			err := rows.Scan(&body)
			bodies = append(bodies, body)
			return err
		}, `SELECT p.body FROM json_each(?) i JOIN recording_parts p ON p.id = i.value ORDER BY i.key`, parts.String); err != nil {
			return err
		}
		rec.Asked = form.Join(bodies)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}
