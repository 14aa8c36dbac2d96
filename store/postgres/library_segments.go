package postgres

// The library: segments of the inverted index, how they are written and merged.

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/form"
)

// Segments are merged when there are many small ones, as changes of single files make. Large ones stay: to read a
// term in one more segment takes microseconds, to write a large one anew would keep other writers waiting.
const (
	smallSegment  = 1000 // passages
	smallSegments = 16   // so many small ones become one
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
	small, err := t.numbers(`SELECT id FROM library_segments WHERE folder = $1 AND passages < $2`, folder, smallSegment)
	if err != nil || len(small) < smallSegments {
		return err
	}
	return t.merge(folder, small)
}

// merge writes segments anew as one, without the dead.
func (t *tx) merge(folder int64, old []int64) error {
	lists, err := t.mergedLists(old)
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
	if len(lists) == 0 {
		_, err := t.exec(`DELETE FROM library_segments WHERE id = $1 AND passages = 0
			AND NOT EXISTS (SELECT 1 FROM library_documents WHERE segment = $1)`, segment)
		return err
	}
	return t.putPostings(segment, len(lists), func(i int) (string, []byte) {
		return lists[i].term, form.EncodePostings(lists[i].postings)
	})
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

type mergedList struct {
	term     string
	postings []library.Posting
}

// mergedLists reads the live postings of segments, sorted by term and passage.
func (t *tx) mergedLists(segments []int64) (out []mergedList, err error) {
	dead, err := deadIn(t.ctx, t, segments)
	if err != nil {
		return nil, err
	}
	err = each(t.ctx, t, func(row pgx.Row) error {
		var term string
		var data []byte
		if err := row.Scan(&term, &data); err != nil {
			return err
		}
		if n := len(out); n == 0 || out[n-1].term != term {
			out = append(out, mergedList{term: term})
		}
		last := &out[len(out)-1]
		last.postings, err = form.DecodePostings(last.postings, data, dead)
		return err
	}, `SELECT term, data FROM library_postings WHERE segment = ANY ($1::bigint[]) ORDER BY term`, segments)
	if err != nil {
		return nil, err
	}
	for _, l := range out {
		slices.SortFunc(l.postings, func(a, b library.Posting) int { return int(a.Passage - b.Passage) })
	}
	return slices.DeleteFunc(out, func(l mergedList) bool { return len(l.postings) == 0 }), nil
}
