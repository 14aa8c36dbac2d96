package postgres

// The library: what searches ask for.

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/form"
)

// Statistics of folders taken together.
func (d *DB) Statistics(ctx context.Context, folders []string) (library.Statistics, error) {
	var s library.Statistics
	err := d.snapshot(ctx, func(ctx context.Context, r reader) (err error) {
		if err := each(ctx, r, func(row pgx.Row) error { return row.Scan(&s.Passages, &s.Terms) },
			`SELECT coalesce(sum(passages), 0)::bigint, coalesce(sum(terms), 0)::bigint FROM library_folders WHERE path = ANY ($1::text[])`, folders); err != nil {
			return err
		}
		s.Languages, err = collect(ctx, r, plain[string], `SELECT language FROM library_languages l JOIN library_folders f ON f.id = l.folder
			WHERE f.path = ANY ($1::text[]) GROUP BY language HAVING sum(documents) > 0 ORDER BY sum(documents) DESC, language`, folders)
		return err
	})
	if err != nil {
		return library.Statistics{}, fmt.Errorf("library: statistics: %w", err)
	}
	return s, nil
}

// Postings says where terms stand in folders: a list for each term, in no particular order. The last query names its
// segments: a join with them would make the planner, who does not know how many terms are asked for, read all postings.
func (d *DB) Postings(ctx context.Context, folders, terms []string) ([][]library.Posting, error) {
	places := map[string][]int{}
	for i, t := range shortAll(terms) {
		places[t] = append(places[t], i)
	}
	var out [][]library.Posting
	err := d.snapshot(ctx, func(ctx context.Context, r reader) error {
		out = make([][]library.Posting, len(terms))
		segments, err := collect(ctx, r, plain[int64], `SELECT s.id FROM library_folders f JOIN library_segments s ON s.folder = f.id WHERE f.path = ANY ($1::text[])`, folders)
		if err != nil {
			return err
		}
		dead, err := deadIn(ctx, r, segments)
		if err != nil {
			return err
		}
		return each(ctx, r, func(row pgx.Row) error {
			var term string
			var data []byte
			if err := row.Scan(&term, &data); err != nil {
				return err
			}
			for _, i := range places[term] {
				if out[i], err = form.DecodePostings(out[i], data, dead); err != nil {
					return err
				}
			}
			return nil
		}, `SELECT term, data FROM library_postings WHERE segment = ANY ($1::bigint[]) AND term = ANY ($2::text[])`, segments, slices.Sorted(maps.Keys(places)))
	})
	if err != nil {
		return nil, fmt.Errorf("library: postings: %w", err)
	}
	return out, nil
}

// deadIn are the passages of segments that are gone.
func deadIn(ctx context.Context, r reader, segments []int64) (map[int64]bool, error) {
	ids, err := collect(ctx, r, plain[int64], `SELECT passage FROM library_dead WHERE segment = ANY ($1::bigint[])`, segments)
	dead := make(map[int64]bool, len(ids))
	for _, id := range ids {
		dead[id] = true
	}
	return dead, err
}

// Located tells the passages of folders with these ids; those that are gone are left out.
func (d *DB) Located(ctx context.Context, folders []string, ids []int64) ([]library.Located, error) {
	out, err := read(ctx, d, func(row pgx.Row, l *library.Located) error {
		var body string
		if err := row.Scan(&l.ID, &l.Folder, &l.Path, &body, &l.Start, &l.End, &l.Heading, &l.Shared); err != nil {
			return err
		}
		return json.Unmarshal([]byte(body), &l.Source)
	}, `WITH asked AS MATERIALIZED (SELECT id, path FROM library_folders WHERE path = ANY ($1::text[])),
			p AS MATERIALIZED (SELECT id, document, start, stop, heading FROM library_passages WHERE id = ANY ($2::bigint[]))
		SELECT p.id, f.path, d.path, d.json, p.start, p.stop, p.heading,
			EXISTS (SELECT 1 FROM asked g JOIN library_documents o ON o.folder = g.id AND o.path = d.path WHERE o.source <> d.source)
		FROM p JOIN library_documents d ON d.id = p.document JOIN asked f ON f.id = d.folder`, folders, ids)
	if err != nil {
		return nil, fmt.Errorf("library: passages: %w", err)
	}
	return out, nil
}

// SavedFindings of all runs of a run's tenant, but that one, whose sources' texts are still there, sorted by time, run and position.
func (d *DB) SavedFindings(ctx context.Context, folders []string, notRun string) ([]library.Saved, error) {
	out, err := read(ctx, d, func(row pgx.Row, s *library.Saved) error {
		var body string
		if err := row.Scan(&s.Run, &body); err != nil {
			return err
		}
		return json.Unmarshal([]byte(body), &s.Finding)
	}, `SELECT l.run, l.finding FROM library_findings l WHERE l.run <> $1
		AND coalesce((SELECT tenant FROM runs WHERE id = l.run), '') = coalesce((SELECT tenant FROM runs WHERE id = $1), '') AND CASE l.own
		WHEN 1 THEN EXISTS (SELECT 1 FROM library_documents d JOIN library_folders f ON f.id = d.folder
			WHERE d.source = l.source AND f.path = ANY ($2::text[]))
		ELSE EXISTS (SELECT 1 FROM sources s WHERE s.hash = l.source) END
		ORDER BY l.at, l.run, l.pos`, notRun, folders)
	if err != nil {
		return nil, fmt.Errorf("library: findings: %w", err)
	}
	return out, nil
}
