package sqlite

// The library: what searches ask for.

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/form"
)

// Statistics of folders taken together.
func (d *DB) Statistics(ctx context.Context, folders []string) (library.Statistics, error) {
	var s library.Statistics
	in, err := form.JSON(folders)
	if err != nil {
		return s, err
	}
	err = d.snapshot(ctx, func(r reader) error {
		err := each(ctx, r, func(rows *sql.Rows) error { return rows.Scan(&s.Passages, &s.Terms) },
			`SELECT coalesce(sum(passages), 0), coalesce(sum(terms), 0) FROM library_folders WHERE path IN (SELECT value FROM json_each(?))`, in)
		if err != nil {
			return err
		}
		return each(ctx, r, func(rows *sql.Rows) error {
			var language string
			err := rows.Scan(&language)
			s.Languages = append(s.Languages, language)
			return err
		}, `SELECT language FROM library_languages l JOIN library_folders f ON f.id = l.folder
			WHERE f.path IN (SELECT value FROM json_each(?)) GROUP BY language HAVING sum(documents) > 0
			ORDER BY sum(documents) DESC, language`, in)
	})
	if err != nil {
		return s, fmt.Errorf("library: statistics: %w", err)
	}
	return s, nil
}

// Postings says where terms stand in folders: a list for each term, in no particular order.
func (d *DB) Postings(ctx context.Context, folders, terms []string) ([][]library.Posting, error) {
	out := make([][]library.Posting, len(terms))
	in, err := form.JSON(folders)
	if err != nil {
		return nil, err
	}
	asked, err := form.JSON(terms)
	if err != nil {
		return nil, err
	}
	err = d.snapshot(ctx, func(r reader) error {
		dead := map[int64]bool{}
		err := each(ctx, r, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			dead[id] = true
			return err
		}, `SELECT d.passage FROM library_folders f CROSS JOIN library_segments s ON s.folder = f.id AND s.dead > 0
			CROSS JOIN library_dead d ON d.segment = s.id WHERE f.path IN (SELECT value FROM json_each(?))`, in)
		if err != nil {
			return err
		}
		var data sql.RawBytes
		return each(ctx, r, func(rows *sql.Rows) error {
			var term int
			if err := rows.Scan(&term, &data); err != nil {
				return err
			}
			out[term], err = form.DecodePostings(out[term], data, dead)
			return err
		}, `SELECT t.key, p.data FROM library_folders f CROSS JOIN library_segments s ON s.folder = f.id
			CROSS JOIN json_each(?) t CROSS JOIN library_postings p ON p.segment = s.id AND p.term = t.value
			WHERE f.path IN (SELECT value FROM json_each(?))`, asked, in)
	})
	if err != nil {
		return nil, fmt.Errorf("library: postings: %w", err)
	}
	return out, nil
}

// Located tells the passages of folders with these ids; those that are gone are left out.
func (d *DB) Located(ctx context.Context, folders []string, ids []int64) ([]library.Located, error) {
	in, err := form.JSON(folders)
	if err != nil {
		return nil, err
	}
	asked, err := form.JSON(ids)
	if err != nil {
		return nil, err
	}
	var out []library.Located
	err = d.read(ctx, func(rows *sql.Rows) error {
		var l library.Located
		var body sql.RawBytes
		if err := rows.Scan(&l.ID, &l.Folder, &l.Path, &body, &l.Start, &l.End, &l.Heading, &l.Shared); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &l.Source); err != nil {
			return err
		}
		out = append(out, l)
		return nil
	}, `WITH asked AS MATERIALIZED (SELECT id, path FROM library_folders WHERE path IN (SELECT value FROM json_each(?)))
		SELECT p.id, f.path, d.path, d.json, p.start, p.stop, p.heading,
			EXISTS (SELECT 1 FROM asked g CROSS JOIN library_documents o ON o.folder = g.id AND o.path = d.path WHERE o.source <> d.source)
		FROM json_each(?) j CROSS JOIN library_passages p ON p.id = j.value
		CROSS JOIN library_documents d ON d.id = p.document CROSS JOIN asked f ON f.id = d.folder`, in, asked)
	if err != nil {
		return nil, fmt.Errorf("library: passages: %w", err)
	}
	return out, nil
}

// SavedFindings of all runs of a run's tenant, but that one, whose sources' texts are still there, sorted by time, run and position.
func (d *DB) SavedFindings(ctx context.Context, folders []string, notRun string) ([]library.Saved, error) {
	in, err := form.JSON(folders)
	if err != nil {
		return nil, err
	}
	var out []library.Saved
	err = d.read(ctx, func(rows *sql.Rows) error {
		var s library.Saved
		var body sql.RawBytes
		if err := rows.Scan(&s.Run, &body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &s.Finding); err != nil {
			return err
		}
		out = append(out, s)
		return nil
	}, `SELECT l.run, l.finding FROM library_findings l WHERE l.run <> ?1
		AND coalesce((SELECT tenant FROM runs WHERE id = l.run), '') = coalesce((SELECT tenant FROM runs WHERE id = ?1), '') AND CASE l.own
		WHEN 1 THEN EXISTS (SELECT 1 FROM library_documents d JOIN library_folders f ON f.id = d.folder
			WHERE d.source = l.source AND f.path IN (SELECT value FROM json_each(?2)))
		ELSE EXISTS (SELECT 1 FROM sources s WHERE s.hash = l.source) END
		ORDER BY l.at, l.run, l.pos`, notRun, in)
	if err != nil {
		return nil, fmt.Errorf("library: findings: %w", err)
	}
	return out, nil
}
