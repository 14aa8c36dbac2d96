package sqlite

// The library: documents of folders.

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/form"
)

var _ library.Index = (*DB)(nil)

// WriteDocuments applies a batch: all of it is durable when it returns, or nothing of it is.
func (d *DB) WriteDocuments(ctx context.Context, folder string, b library.Batch) error {
	n, err := form.Prepare(b.Put)
	if err == nil {
		err = d.write(ctx, func(t *tx) error { return t.writeDocuments(folder, b, n) })
	}
	return form.AboutFolder(folder, err)
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
		if _, err := t.exec(`UPDATE library_documents SET size = ?, mtime = ? WHERE folder = ? AND path = ? AND hash = ?`,
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
	if err := t.sweepAll(texts); err != nil {
		return err
	}
	_, err = t.exec(`DELETE FROM library_folders WHERE id = ? AND NOT EXISTS (SELECT 1 FROM library_documents WHERE folder = ?)`,
		folder, folder)
	return err
}

// folder is the id of a folder, which is made if there is none.
func (t *tx) folder(path string) (id int64, err error) {
	err = t.get(`INSERT INTO library_folders (path) VALUES (?) ON CONFLICT (path) DO UPDATE SET path = excluded.path RETURNING id`,
		[]any{path}, &id)
	return id, err
}

// putDocuments writes documents as a new segment.
func (t *tx) putDocuments(folder int64, n form.Documents) error {
	if len(n.Put) == 0 {
		return nil
	}
	var segment int64
	if err := t.get(`INSERT INTO library_segments (folder, passages) VALUES (?, ?) RETURNING id`,
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
	for _, p := range doc.Passages {
		terms += p.Length
	}
	var id int64
	f := doc.File
	if err := t.get(`INSERT INTO library_documents (folder, path, size, mtime, hash, source, language, segment, first, passages, terms, json)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, []any{folder, f.Path, f.Size, f.ModTime.UnixNano(), f.Hash,
		doc.Source.Hash, doc.Source.Language, segment, first, len(doc.Passages), terms, body}, &id); err != nil {
		return err
	}
	for i, p := range doc.Passages {
		if _, err := t.exec(`INSERT INTO library_passages (id, document, start, stop, heading) VALUES (?, ?, ?, ?, ?)`,
			first+int64(i), id, p.Start, p.End, p.Heading); err != nil {
			return err
		}
	}
	return t.count(folder, doc.Source.Language, 1, len(doc.Passages), terms)
}

// count keeps the statistics of a folder.
func (t *tx) count(folder int64, language string, documents, passages, terms int) error {
	if _, err := t.exec(`INSERT INTO library_languages (folder, language, documents) VALUES (?, ?, ?)
		ON CONFLICT (folder, language) DO UPDATE SET documents = documents + excluded.documents`, folder, language, documents); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE library_folders SET passages = passages + ?, terms = terms + ? WHERE id = ?`, passages, terms, folder)
	return err
}

// stored is a document as its row has it.
type stored struct {
	id, segment, first int64
	passages, terms    int
	language, source   string
}

// removeDocuments removes those of the paths that are there, and returns the hashes of their texts.
func (t *tx) removeDocuments(folder int64, paths []string) (texts []string, err error) {
	for _, p := range paths {
		var s stored
		err := t.get(`DELETE FROM library_documents WHERE folder = ? AND path = ?
			RETURNING id, segment, first, passages, terms, language, source`,
			[]any{folder, p}, &s.id, &s.segment, &s.first, &s.passages, &s.terms, &s.language, &s.source)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err == nil {
			err = t.bury(folder, s)
		}
		if err != nil {
			return nil, form.AboutDocument(p, err)
		}
		texts = append(texts, s.source)
	}
	return texts, nil
}

// bury takes the passages of a removed document out of all that counts.
func (t *tx) bury(folder int64, s stored) error {
	for _, q := range []string{
		`INSERT INTO library_dead (segment, passage) SELECT ?, id FROM library_passages WHERE id >= ? AND id < ?`,
		`UPDATE library_segments SET dead = dead + (SELECT count(*) FROM library_passages WHERE id >= ?2 AND id < ?3) WHERE id = ?1`,
		`DELETE FROM library_passages WHERE id >= ?2 AND id < ?3`,
	} {
		if _, err := t.exec(q, s.segment, s.first, s.first+int64(s.passages)); err != nil {
			return err
		}
	}
	return t.count(folder, s.language, -1, -s.passages, -s.terms)
}

func (t *tx) sweepAll(hashes []string) error {
	if len(hashes) == 0 {
		return nil
	}
	list, err := form.JSON(hashes)
	if err != nil {
		return err
	}
	return t.sweep(list)
}

// DropFolder removes a folder and says how many documents it held.
func (d *DB) DropFolder(ctx context.Context, folder string) (n int, err error) {
	err = d.write(ctx, func(t *tx) error {
		var hashes string
		if err := t.get(`SELECT count(*), json_group_array(source) FROM library_documents
			WHERE folder = (SELECT id FROM library_folders WHERE path = ?)`, []any{folder}, &n, &hashes); err != nil || n == 0 {
			return err
		}
		for _, q := range []string{
			`DELETE FROM library_passages WHERE document IN (SELECT id FROM library_documents
				WHERE folder = (SELECT id FROM library_folders WHERE path = ?))`,
			`DELETE FROM library_postings WHERE segment IN (SELECT id FROM library_segments
				WHERE folder = (SELECT id FROM library_folders WHERE path = ?))`,
			`DELETE FROM library_dead WHERE segment IN (SELECT id FROM library_segments
				WHERE folder = (SELECT id FROM library_folders WHERE path = ?))`,
			`DELETE FROM library_folders WHERE path = ?`,
		} {
			if _, err := t.exec(q, folder); err != nil {
				return err
			}
		}
		return t.sweep(hashes)
	})
	return n, form.AboutFolder(folder, err)
}

// Folders that hold documents, sorted.
func (d *DB) Folders(ctx context.Context) ([]string, error) {
	var out []string
	err := d.read(ctx, func(rows *sql.Rows) error {
		var path string
		err := rows.Scan(&path)
		out = append(out, path)
		return err
	}, `SELECT path FROM library_folders ORDER BY path`)
	if err != nil {
		return nil, fmt.Errorf("folders of the library: %w", err)
	}
	return out, nil
}

// Files of a folder, sorted by path; none of a folder that is unknown.
func (d *DB) Files(ctx context.Context, folder string) ([]library.File, error) {
	var out []library.File
	err := d.read(ctx, func(rows *sql.Rows) error {
		var f library.File
		var mtime int64
		err := rows.Scan(&f.Path, &f.Size, &mtime, &f.Hash)
		f.ModTime = time.Unix(0, mtime).UTC()
		out = append(out, f)
		return err
	}, `SELECT path, size, mtime, hash FROM library_documents
		WHERE folder = (SELECT id FROM library_folders WHERE path = ?) ORDER BY path`, folder)
	return out, form.AboutFolder(folder, err)
}

// Documents of a folder, sorted by path.
func (d *DB) Documents(ctx context.Context, folder string) ([]library.Entry, error) {
	var out []library.Entry
	err := d.read(ctx, func(rows *sql.Rows) error {
		e := library.Entry{Folder: folder}
		var body sql.RawBytes
		if err := rows.Scan(&e.Path, &e.Size, &e.Passages, &body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &e.Source); err != nil {
			return err
		}
		out = append(out, e)
		return nil
	}, `SELECT path, size, passages, json FROM library_documents
		WHERE folder = (SELECT id FROM library_folders WHERE path = ?) ORDER BY path`, folder)
	return out, form.AboutFolder(folder, err)
}

// SaveFindings replaces those of a run.
func (d *DB) SaveFindings(ctx context.Context, run string, fs []plumb.Finding) error {
	rows, err := form.JSONOfEach(fs)
	if err != nil {
		return form.About(run, "findings for the library", err)
	}
	return form.About(run, "findings for the library", d.write(ctx, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM library_findings WHERE run = ?`, run); err != nil {
			return err
		}
		for i, f := range fs {
			if _, err := t.exec(`INSERT INTO library_findings (run, pos, at, source, own, finding) VALUES (?, ?, ?, ?, ?, ?)`,
				run, i, form.Micros(f.At), f.Source, form.IsOwn(f.SourceURL), rows[i]); err != nil {
				return err
			}
		}
		return nil
	}))
}
