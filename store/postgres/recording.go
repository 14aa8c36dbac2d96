package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

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
	err := t.get(`SELECT 1 FROM recordings WHERE run = $1 AND step = $2 AND key = $3 AND nth = $4`, []any{n, r.Step, r.Key, r.Nth}, &there)
	if !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	var parts []int64 // nil is NULL
	if r.Parts != nil {
		if parts, err = t.putParts(n, r.Parts); err != nil {
			return err
		}
	}
	answer := r.Answer
	if answer == nil {
		answer = json.RawMessage{}
	}
	_, err = t.exec(`INSERT INTO recordings (run, step, key, nth, kind, at, asked, parts, answer) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (run, step, key, nth) DO NOTHING`,
		n, r.Step, r.Key, r.Nth, r.Kind, form.Micros(r.At), r.Whole, parts, []byte(answer))
	return err
}

// putParts adds those parts of what was asked that the run does not have yet, and gives the ids of all.
func (t *tx) putParts(run int64, bodies [][]byte) ([]int64, error) {
	hashes := make([][]byte, len(bodies))
	for i, body := range bodies {
		sum := sha256.Sum256(body)
		hashes[i] = sum[:]
	}
	ids, err := t.parts(run, hashes)
	if err != nil {
		return nil, err
	}
	var newHashes, newBodies [][]byte
	for i, h := range hashes {
		if _, there := ids[string(h)]; !there {
			newHashes, newBodies = append(newHashes, h), append(newBodies, bodies[i])
		}
	}
	if len(newHashes) > 0 { // in the order of their hashes, so that two that add the same don't wait for each other
		if _, err := t.exec(`INSERT INTO recording_parts (run, hash, body)
			SELECT DISTINCT ON (hash) $1::bigint, hash, body FROM unnest($2::bytea[], $3::bytea[]) p (hash, body) ORDER BY hash
			ON CONFLICT (run, hash) DO NOTHING`, run, newHashes, newBodies); err != nil {
			return nil, err
		}
		if ids, err = t.parts(run, hashes); err != nil {
			return nil, err
		}
	}
	out := make([]int64, len(hashes))
	for i, h := range hashes {
		out[i] = ids[string(h)]
	}
	return out, nil
}

// parts are the ids of those that a run has, by hash.
func (t *tx) parts(run int64, hashes [][]byte) (map[string]int64, error) {
	ids := map[string]int64{}
	err := each(t.ctx, t, func(row pgx.Row) error {
		var hash []byte
		var id int64
		err := row.Scan(&hash, &id)
		ids[string(hash)] = id
		return err
	}, `SELECT hash, id FROM recording_parts WHERE run = $1 AND hash = ANY ($2::bytea[])`, run, hashes)
	return ids, err
}

// Recorded gives the nth recording under a key, from 0; nil when there is none.
func (d *DB) Recorded(ctx context.Context, run, step, key string, nth int) (*plumb.Recording, error) {
	rec, err := d.recording(ctx, run, `run = `+runN+` AND step = $2 AND key = $3 AND nth = $4`, run, step, key, nth)
	return rec, form.About(run, "recording", err)
}

// Recordings calls f with those that a run has now, in the order of their times, then as they were put. None of the
// store's connections is in use while f runs. What is deleted meanwhile is left out.
func (d *DB) Recordings(ctx context.Context, run string, f func(plumb.Recording) error) error {
	ids, err := read(ctx, d, plain[int64], `SELECT id FROM recordings WHERE run = `+runN+` ORDER BY at, id`, run)
	if err != nil {
		return form.About(run, "recordings", err)
	}
	for _, id := range ids {
		rec, err := d.recording(ctx, run, `run = `+runN+` AND id = $2`, run, id)
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

// recording reads the one that the condition chooses, and puts what was asked together; nil when there is none. Its parts
// are in the same row: a part is never changed, and goes with the run only.
func (d *DB) recording(ctx context.Context, run, where string, args ...any) (*plumb.Recording, error) {
	found, err := read(ctx, d, func(row pgx.Row, rec *plumb.Recording) error {
		var at int64
		var parts [][]byte
		rec.Run = run
		if err := row.Scan(&rec.Step, &rec.Key, &rec.Nth, &rec.Kind, &at, (*[]byte)(&rec.Asked), &parts, (*[]byte)(&rec.Answer)); err != nil {
			return err
		}
		if rec.At = form.Time(at); len(parts) > 0 {
			rec.Asked = form.Join(parts)
		}
		return nil
	}, `SELECT step, key, nth, kind, at, asked,
		(SELECT array_agg(p.body ORDER BY i.i) FROM unnest(parts) WITH ORDINALITY i (id, i) JOIN recording_parts p ON p.id = i.id), answer
		FROM recordings WHERE `+where, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
