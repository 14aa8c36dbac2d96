package postgres

// The library: documents of folders.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/form"
)

var _ library.Index = (*DB)(nil)

// WriteDocuments applies a batch: all of it is durable when it returns, or nothing of it is. One batch is written to a
// folder at a time.
func (d *DB) WriteDocuments(ctx context.Context, folder string, b library.Batch) error {
	n, err := form.Prepare(b.Put)
	if err == nil {
		err = checkPaths(b.Put)
	}
	if err == nil {
		err = d.write(ctx, func(t *tx) error { return t.writeDocuments(folder, b, n) })
	}
	return form.AboutFolder(folder, err)
}

// maxPath bounds the path of a document in bytes: it is shown whole, and indexed.
const maxPath = 2600

func checkPaths(docs []library.Document) error {
	for _, doc := range docs {
		if n := len(doc.File.Path); n > maxPath {
			return form.AboutDocument(doc.File.Path, fmt.Errorf("its path has %d bytes: more than %d can't be indexed", n, maxPath))
		}
	}
	return nil
}

func (t *tx) writeDocuments(path string, b library.Batch, n form.Documents) error {
	folder, err := t.folder(path)
	if err != nil {
		return err
	}
	texts, err := t.removeDocuments(folder, form.Gone(b))
	if err != nil {
		return err
	}
	for _, f := range b.Touch {
		if _, err := t.exec(`UPDATE library_documents SET size = $1, mtime = $2 WHERE folder = $3 AND path = $4 AND hash = $5`,
			f.Size, f.ModTime.UnixNano(), folder, f.Path, f.Hash); err != nil {
			return err
		}
	}
	if err := t.putDocuments(folder, n); err != nil {
		return err
	}
	if err := t.tidy(folder); err != nil {
		return err
	}
	if err := t.sweep(texts); err != nil {
		return err
	}
	_, err = t.exec(`DELETE FROM library_folders WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM library_documents WHERE folder = $1)`, folder)
	return err
}

// folder is the id of a folder, which is made if there is none. Nobody else writes to it until the transaction ends.
func (t *tx) folder(path string) (id int64, err error) {
	err = t.get(`INSERT INTO library_folders (path) VALUES ($1) ON CONFLICT (path) DO UPDATE SET path = excluded.path RETURNING id`,
		[]any{path}, &id)
	return id, err
}

// putDocuments writes documents as a new segment.
func (t *tx) putDocuments(folder int64, n form.Documents) error {
	if len(n.Put) == 0 {
		return nil
	}
	var segment int64
	if err := t.get(`INSERT INTO library_segments (folder, passages) VALUES ($1, $2) RETURNING id`,
		[]any{folder, n.Passages}, &segment); err != nil {
		return err
	}
	first := segment << form.NumberBits
	for i, doc := range n.Put {
		if err := t.putDocument(folder, segment, first, doc, n.Sources[i]); err != nil {
			return form.AboutDocument(doc.File.Path, err)
		}
		first += int64(len(doc.Passages))
	}
	return t.putPostings(segment, len(n.Lists), n.List(segment))
}

func (t *tx) putDocument(folder, segment, first int64, doc library.Document, body string) error {
	if err := t.putText(doc.Source.Hash, doc.Text); err != nil {
		return err
	}
	terms := 0
	starts, stops, headings := make([]int64, len(doc.Passages)), make([]int64, len(doc.Passages)), make([]string, len(doc.Passages))
	for i, p := range doc.Passages {
		terms += p.Length
		starts[i], stops[i], headings[i] = int64(p.Start), int64(p.End), p.Heading
	}
	f := doc.File
	if _, err := t.exec(`WITH document AS (
			INSERT INTO library_documents (folder, path, size, mtime, hash, source, language, segment, first, passages, terms, json)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id)
		INSERT INTO library_passages (id, document, start, stop, heading)
			SELECT $9 + p.i - 1, document.id, p.start, p.stop, p.heading
			FROM document, unnest($13::bigint[], $14::bigint[], $15::text[]) WITH ORDINALITY p (start, stop, heading, i)`,
		folder, f.Path, f.Size, f.ModTime.UnixNano(), f.Hash, doc.Source.Hash, doc.Source.Language, segment, first, len(doc.Passages), terms, body,
		starts, stops, headings); err != nil {
		return err
	}
	return t.count(folder, doc.Source.Language, 1, len(doc.Passages), terms)
}

// count keeps the statistics of a folder.
func (t *tx) count(folder int64, language string, documents, passages, terms int) error {
	if _, err := t.exec(`INSERT INTO library_languages (folder, language, documents) VALUES ($1, $2, $3)
		ON CONFLICT (folder, language) DO UPDATE SET documents = library_languages.documents + excluded.documents`, folder, language, documents); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE library_folders SET passages = passages + $1, terms = terms + $2 WHERE id = $3`, passages, terms, folder)
	return err
}

// stored is a document as its row has it.
type stored struct {
	segment, first         int64
	passages, terms        int
	path, language, source string
}

// removeDocuments removes those of the paths that are there, and returns the hashes of their texts.
func (t *tx) removeDocuments(folder int64, paths []string) (texts []string, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	gone, err := collect(t.ctx, t, func(row pgx.Row, s *stored) error {
		return row.Scan(&s.path, &s.segment, &s.first, &s.passages, &s.terms, &s.language, &s.source)
	}, `DELETE FROM library_documents WHERE folder = $1 AND path = ANY ($2::text[])
		RETURNING path, segment, first, passages, terms, language, source`, folder, paths)
	if err != nil {
		return nil, err
	}
	for _, s := range gone {
		if err := t.bury(folder, s); err != nil {
			return nil, form.AboutDocument(s.path, err)
		}
		texts = append(texts, s.source)
	}
	return texts, nil
}

// bury takes the passages of a removed document out of all that counts.
func (t *tx) bury(folder int64, s stored) error {
	if _, err := t.exec(`WITH gone AS (DELETE FROM library_passages WHERE id >= $2 AND id < $3 RETURNING id),
			dead AS (INSERT INTO library_dead (segment, passage) SELECT $1, id FROM gone)
		UPDATE library_segments SET dead = dead + (SELECT count(*) FROM gone) WHERE id = $1`,
		s.segment, s.first, s.first+int64(s.passages)); err != nil {
		return err
	}
	return t.count(folder, s.language, -1, -s.passages, -s.terms)
}

// DropFolder removes a folder and says how many documents it held.
func (d *DB) DropFolder(ctx context.Context, folder string) (n int, err error) {
	err = d.write(ctx, func(t *tx) error {
		n = 0
		var id int64
		err := t.get(`SELECT id FROM library_folders WHERE path = $1 FOR UPDATE`, []any{folder}, &id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		hashes, err := collect(t.ctx, t, plain[string], `SELECT source FROM library_documents WHERE folder = $1`, id)
		if err != nil {
			return err
		}
		for _, q := range []string{
			`DELETE FROM library_passages WHERE document IN (SELECT id FROM library_documents WHERE folder = $1)`,
			`DELETE FROM library_postings WHERE segment IN (SELECT id FROM library_segments WHERE folder = $1)`,
			`DELETE FROM library_dead WHERE segment IN (SELECT id FROM library_segments WHERE folder = $1)`,
			`DELETE FROM library_folders WHERE id = $1`,
		} {
			if _, err := t.exec(q, id); err != nil {
				return err
			}
		}
		n = len(hashes)
		return t.sweep(hashes)
	})
	return n, form.AboutFolder(folder, err)
}

// Folders that hold documents, sorted.
func (d *DB) Folders(ctx context.Context) ([]string, error) {
	out, err := read(ctx, d, plain[string], `SELECT path FROM library_folders ORDER BY path`)
	if err != nil {
		return nil, fmt.Errorf("folders of the library: %w", err)
	}
	return out, nil
}

// inFolder is a condition on documents of the folder whose path is the first parameter.
const inFolder = ` WHERE folder = (SELECT id FROM library_folders WHERE path = $1) ORDER BY path`

// Files of a folder, sorted by path; none of a folder that is unknown.
func (d *DB) Files(ctx context.Context, folder string) ([]library.File, error) {
	out, err := read(ctx, d, func(row pgx.Row, f *library.File) error {
		var mtime int64
		err := row.Scan(&f.Path, &f.Size, &mtime, &f.Hash)
		f.ModTime = time.Unix(0, mtime).UTC()
		return err
	}, `SELECT path, size, mtime, hash FROM library_documents`+inFolder, folder)
	return out, form.AboutFolder(folder, err)
}

// Documents of a folder, sorted by path.
func (d *DB) Documents(ctx context.Context, folder string) ([]library.Entry, error) {
	out, err := read(ctx, d, func(row pgx.Row, e *library.Entry) error {
		e.Folder = folder
		var body string
		if err := row.Scan(&e.Path, &e.Size, &e.Passages, &body); err != nil {
			return err
		}
		return json.Unmarshal([]byte(body), &e.Source)
	}, `SELECT path, size, passages, json FROM library_documents`+inFolder, folder)
	return out, form.AboutFolder(folder, err)
}

// SaveFindings replaces those of a run.
func (d *DB) SaveFindings(ctx context.Context, run string, fs []plumb.Finding) error {
	bodies, err := form.JSONOfEach(fs)
	if err != nil {
		return form.About(run, "findings for the library", err)
	}
	ats, sources, own := make([]int64, len(fs)), make([]string, len(fs)), make([]int64, len(fs))
	for i, f := range fs {
		ats[i], sources[i] = form.Micros(f.At), f.Source
		if form.IsOwn(f.SourceURL) {
			own[i] = 1
		}
	}
	return form.About(run, "findings for the library", d.write(ctx, func(t *tx) error {
		if _, err := t.exec(`SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`, run, int64(lockBase)); err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM library_findings WHERE run = $1`, run); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO library_findings (run, pos, at, source, own, finding)
			SELECT $1, f.i - 1, f.at, f.source, f.own, f.finding
			FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY f (at, source, own, finding, i)`, run, ats, sources, own, bodies)
		return err
	}))
}
