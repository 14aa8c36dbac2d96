package sqlite

// The library: what searches ask for.

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/library"
)

// Statistics of folders taken together.
func (d *DB) Statistics(ctx context.Context, folders []string) (library.Statistics, error) {
	var s library.Statistics
	in, err := encode(folders)
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
	in, err := encode(folders)
	if err != nil {
		return nil, err
	}
	asked, err := encode(terms)
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
			out[term], err = decodePostings(out[term], data, dead)
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
	in, err := encode(folders)
	if err != nil {
		return nil, err
	}
	asked, err := encode(ids)
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

// SavedFindings of all runs but one whose sources' texts are still there, sorted by time, run and position.
func (d *DB) SavedFindings(ctx context.Context, folders []string, notRun string) ([]library.Saved, error) {
	in, err := encode(folders)
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
	}, `SELECT l.run, l.finding FROM library_findings l WHERE l.run <> ? AND CASE l.own
		WHEN 1 THEN EXISTS (SELECT 1 FROM library_documents d JOIN library_folders f ON f.id = d.folder
			WHERE d.source = l.source AND f.path IN (SELECT value FROM json_each(?)))
		ELSE EXISTS (SELECT 1 FROM sources s WHERE s.hash = l.source) END
		ORDER BY l.at, l.run, l.pos`, notRun, in)
	if err != nil {
		return nil, fmt.Errorf("library: findings: %w", err)
	}
	return out, nil
}

func isOwn(url string) bool { return strings.HasPrefix(url, "doc:") }

// Segments are merged when there are many small ones, as changes of single files make. Large ones stay: to read a
// term in one more segment takes microseconds, to write a large one anew would keep other writers waiting.
const (
	smallSegment  = 1000 // passages
	smallSegments = 16   // so many small ones become one
)

// tidy drops what is dead when there is much of it, and merges small segments.
func (t *tx) tidy(folder int64) error {
	wasteful, err := t.segments(`SELECT id FROM library_segments WHERE folder = ? AND dead * 4 > passages`, folder)
	if err != nil {
		return err
	}
	for _, s := range wasteful {
		if err := t.merge(folder, []int64{s}); err != nil {
			return err
		}
	}
	small, err := t.segments(`SELECT id FROM library_segments WHERE folder = ? AND passages < ?`, folder, smallSegment)
	if err != nil || len(small) < smallSegments {
		return err
	}
	return t.merge(folder, small)
}

func (t *tx) segments(query string, args ...any) (out []int64, err error) {
	rows, err := t.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

// merge writes segments anew as one, without the dead.
func (t *tx) merge(folder int64, old []int64) error {
	in, err := encode(old)
	if err != nil {
		return err
	}
	lists, err := t.mergedLists(in)
	if err != nil {
		return err
	}
	var segment int64
	if err := t.get(`INSERT INTO library_segments (folder, passages)
		SELECT ?, coalesce(sum(passages - dead), 0) FROM library_segments WHERE id IN (SELECT value FROM json_each(?)) RETURNING id`,
		[]any{folder, in}, &segment); err != nil {
		return err
	}
	for _, q := range []string{
		`DELETE FROM library_postings WHERE segment IN (SELECT value FROM json_each(?))`,
		`DELETE FROM library_dead WHERE segment IN (SELECT value FROM json_each(?))`,
		`DELETE FROM library_segments WHERE id IN (SELECT value FROM json_each(?))`,
	} {
		if _, err := t.exec(q, in); err != nil {
			return err
		}
	}
	if _, err := t.exec(`UPDATE library_documents SET segment = ? WHERE segment IN (SELECT value FROM json_each(?))`, segment, in); err != nil {
		return err
	}
	if len(lists) == 0 {
		_, err := t.exec(`DELETE FROM library_segments WHERE id = ? AND passages = 0
			AND NOT EXISTS (SELECT 1 FROM library_documents WHERE segment = ?)`, segment, segment)
		return err
	}
	var buf []byte
	for _, l := range lists {
		buf = appendPostings(buf[:0], l.postings)
		if _, err := t.exec(`INSERT INTO library_postings (segment, term, data) VALUES (?, ?, ?)`, segment, l.term, buf); err != nil {
			return err
		}
	}
	return nil
}

type mergedList struct {
	term     string
	postings []library.Posting
}

// mergedLists reads the live postings of segments, a JSON array, sorted by term and passage.
func (t *tx) mergedLists(in string) (out []mergedList, err error) {
	dead := map[int64]bool{}
	ids, err := t.segments(`SELECT passage FROM library_dead WHERE segment IN (SELECT value FROM json_each(?))`, in)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		dead[id] = true
	}
	rows, err := t.query(`SELECT term, data FROM library_postings WHERE segment IN (SELECT value FROM json_each(?)) ORDER BY term`, in)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var term string
		var data sql.RawBytes
		if err := rows.Scan(&term, &data); err != nil {
			return nil, err
		}
		if n := len(out); n == 0 || out[n-1].term != term {
			out = append(out, mergedList{term: term})
		}
		last := &out[len(out)-1]
		if last.postings, err = decodePostings(last.postings, data, dead); err != nil {
			return nil, err
		}
	}
	for _, l := range out {
		slices.SortFunc(l.postings, func(a, b library.Posting) int { return int(a.Passage - b.Passage) })
	}
	return slices.DeleteFunc(out, func(l mergedList) bool { return len(l.postings) == 0 }), rows.Err()
}
