package sqlite

// The library: segments of the inverted index, how they are written and merged.

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/plumbresearch/plumb/store/form"
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
	small, err := t.segments(`SELECT id FROM library_segments WHERE folder = ? AND passages < ?`, folder, form.SmallSegment)
	if err != nil || len(small) < form.SmallSegments {
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
	in, err := form.JSON(old)
	if err != nil {
		return err
	}
	merged, err := t.merged(in)
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
	left := merged.End()
	if left == 0 {
		_, err := t.exec(`DELETE FROM library_segments WHERE id = ? AND passages = 0
			AND NOT EXISTS (SELECT 1 FROM library_documents WHERE segment = ?)`, segment, segment)
		return err
	}
	return t.putPostings(segment, left, merged.List)
}

// rowsAtOnce are inserted by one statement, which takes a third off the time of single ones.
const rowsAtOnce = 40

var (
	putOne  = `INSERT INTO library_postings (segment, term, data) VALUES (?, ?, ?)`
	putMany = putOne + strings.Repeat(", (?, ?, ?)", rowsAtOnce-1)
)

// putPostings writes the n lists of a segment, which are sorted by term.
func (t *tx) putPostings(segment int64, n int, list func(i int) (term string, data []byte)) error {
	args := make([]any, 0, 3*rowsAtOnce)
	for i := 0; i < n; {
		rows, query := 1, putOne
		if n-i >= rowsAtOnce {
			rows, query = rowsAtOnce, putMany
		}
		args = args[:0]
		for range rows {
			term, data := list(i)
			args = append(args, segment, term, data)
			i++
		}
		if _, err := t.exec(query, args...); err != nil {
			return err
		}
	}
	return nil
}

// merged reads the live postings of segments, a JSON array.
func (t *tx) merged(in string) (out form.Merged, err error) {
	dead := map[int64]bool{}
	ids, err := t.segments(`SELECT passage FROM library_dead WHERE segment IN (SELECT value FROM json_each(?))`, in)
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		dead[id] = true
	}
	rows, err := t.query(`SELECT term, data FROM library_postings WHERE segment IN (SELECT value FROM json_each(?)) ORDER BY term`, in)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var term string
		var data sql.RawBytes
		if err := rows.Scan(&term, &data); err != nil {
			return out, err
		}
		if err := out.Add(term, data, dead); err != nil {
			return out, err
		}
	}
	return out, rows.Err()
}
