package postgres

// The library: segments of the inverted index, how they are written and merged.

import (
	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb/store/form"
)

// tidy drops what is dead when there is much of it, and merges small segments.
func (t *tx) tidy(folder int64) error {
	wasteful, err := t.numbers(`SELECT id FROM library_segments WHERE folder = $1 AND dead * 4 > passages`, folder)
	if err != nil {
		return err
	}
	for _, s := range wasteful {
		if err := t.merge(folder, []int64{s}); err != nil {
			return err
		}
	}
	small, err := t.numbers(`SELECT id FROM library_segments WHERE folder = $1 AND passages < $2`, folder, form.SmallSegment)
	if err != nil || len(small) < form.SmallSegments {
		return err
	}
	return t.merge(folder, small)
}

// merge writes segments anew as one, without the dead.
func (t *tx) merge(folder int64, old []int64) error {
	merged, err := t.merged(old)
	if err != nil {
		return err
	}
	var segment int64
	if err := t.get(`INSERT INTO library_segments (folder, passages)
		SELECT $1::bigint, coalesce(sum(passages - dead), 0)::bigint FROM library_segments WHERE id = ANY ($2::bigint[]) RETURNING id`,
		[]any{folder, old}, &segment); err != nil {
		return err
	}
	for _, q := range []string{
		`DELETE FROM library_postings WHERE segment = ANY ($1::bigint[])`,
		`DELETE FROM library_dead WHERE segment = ANY ($1::bigint[])`,
		`DELETE FROM library_segments WHERE id = ANY ($1::bigint[])`,
	} {
		if _, err := t.exec(q, old); err != nil {
			return err
		}
	}
	if _, err := t.exec(`UPDATE library_documents SET segment = $1 WHERE segment = ANY ($2::bigint[])`, segment, old); err != nil {
		return err
	}
	left := merged.End()
	if left == 0 {
		_, err := t.exec(`DELETE FROM library_segments WHERE id = $1 AND passages = 0
			AND NOT EXISTS (SELECT 1 FROM library_documents WHERE segment = $1)`, segment)
		return err
	}
	return t.putPostings(segment, left, merged.List)
}

// rowsAtOnce are inserted by one statement.
const rowsAtOnce = 5000

// putPostings writes the n lists of a segment, which are sorted by term.
func (t *tx) putPostings(segment int64, n int, list func(i int) (term string, data []byte)) error {
	for i := 0; i < n; {
		var terms []string
		var data [][]byte
		for ; i < n && len(terms) < rowsAtOnce; i++ {
			term, postings := list(i)
			terms, data = append(terms, short(term)), append(data, postings)
		}
		if _, err := t.exec(`INSERT INTO library_postings (segment, term, data) SELECT $1, term, data FROM unnest($2::text[], $3::bytea[]) l (term, data)`,
			segment, terms, data); err != nil {
			return err
		}
	}
	return nil
}

// merged reads the live postings of segments.
func (t *tx) merged(segments []int64) (out form.Merged, err error) {
	dead, err := deadIn(t.ctx, t, segments)
	if err != nil {
		return out, err
	}
	err = each(t.ctx, t, func(row pgx.Row) error {
		var term string
		var data []byte
		if err := row.Scan(&term, &data); err != nil {
			return err
		}
		return out.Add(term, data, dead)
	}, `SELECT term, data FROM library_postings WHERE segment = ANY ($1::bigint[]) ORDER BY term`, segments)
	return out, err
}
