package postgres

// Vectors of passages, where the database has pgvector. Today the program embeds the passages that a question's words
// find, each time it is asked, and lets their nearness to the question count too (engine.Near). With the vectors kept
// here they are made once, and passages are found that share no word with the question.

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/form"
)

// ErrNoVectors is what is answered without pgvector.
var ErrNoVectors = errors.New("the database has no pgvector")

// Vector is a passage as an embedding model sees it.
type Vector struct {
	Passage int64
	Values  []float32
}

// vectorTable stands beside the numbered scripts, because not every server can have it. Vectors go with their passages.
// They are compared one by one: an index would need one length for all, and gives only most of what is near.
const vectorTable = `CREATE TABLE IF NOT EXISTS library_vectors (
  passage BIGINT NOT NULL REFERENCES library_passages (id) ON DELETE CASCADE,
  model   TEXT COLLATE "C" NOT NULL,
  vector  vector NOT NULL,
  PRIMARY KEY (model, passage)
);
CREATE INDEX IF NOT EXISTS library_vectors_passage ON library_vectors (passage)`

// findVectors sees whether the database has pgvector, adds it if it may, and makes the table. None of that is needed for
// anything else, so that what goes wrong only says why there are no vectors.
func (d *DB) findVectors(ctx context.Context, c *conn) error {
	const installed = `SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), '')`
	var available bool
	if err := c.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')`).Scan(&available); err != nil {
		return err
	}
	if !available {
		d.vectors.why = "the server does not have it: install pgvector there"
		return nil
	}
	if !d.o.ReadOnly {
		err := pgx.BeginFunc(ctx, c.Conn, func(t pgx.Tx) error {
			if _, err := t.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockMigration)); err != nil {
				return err
			}
			_, err := t.Conn().PgConn().Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector;\n"+vectorTable).ReadAll()
			return err
		})
		if err != nil && codeOf(err) == "" {
			return err
		}
	}
	var there bool
	if err := c.QueryRow(ctx, `SELECT to_regclass('library_vectors') IS NOT NULL`).Scan(&there); err != nil {
		return err
	}
	if !there {
		d.vectors.why = "the user " + d.user + " may not add it: let an administrator do CREATE EXTENSION vector"
		return nil
	}
	return c.QueryRow(ctx, installed).Scan(&d.vectors.version)
}

// Vectors reports whether the database keeps vectors, and says so for users.
func (d *DB) Vectors() (bool, string) {
	if d.vectors.version != "" {
		return true, "PostgreSQL " + d.server + " with pgvector " + d.vectors.version
	}
	return false, "PostgreSQL " + d.server + " without pgvector: " + d.vectors.why
}

// PutVectors keeps what a model made of passages. Passages that are gone are left out.
func (d *DB) PutVectors(ctx context.Context, model string, vs []Vector) error {
	if d.vectors.version == "" {
		return ErrNoVectors
	}
	ids, values := make([]int64, len(vs)), make([]string, len(vs))
	for i, v := range vs {
		ids[i], values[i] = v.Passage, literal(v.Values)
	}
	err := d.write(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO library_vectors (passage, model, vector)
			SELECT p.id, $1, v.vector::vector FROM unnest($2::bigint[], $3::text[]) v (passage, vector) JOIN library_passages p ON p.id = v.passage
			ON CONFLICT (model, passage) DO UPDATE SET vector = excluded.vector`, model, ids, values)
		return err
	})
	return form.Named("library: vectors", err)
}

// literal is a vector as pgvector reads it.
func literal(values []float32) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatFloat(float64(v), 'g', -1, 32))
	}
	b.WriteByte(']')
	return b.String()
}

// Unembedded are passages of folders that have no vector of a model yet, in the order of their ids; at most limit.
func (d *DB) Unembedded(ctx context.Context, model string, folders []string, limit int) ([]library.Located, error) {
	if d.vectors.version == "" {
		return nil, ErrNoVectors
	}
	ids, err := read(ctx, d, plain[int64], `SELECT p.id FROM library_folders f JOIN library_documents d ON d.folder = f.id JOIN library_passages p ON p.document = d.id
		WHERE f.path = ANY ($2::text[]) AND NOT EXISTS (SELECT 1 FROM library_vectors v WHERE v.model = $1 AND v.passage = p.id)
		ORDER BY p.id LIMIT $3`, model, folders, limit)
	if err != nil {
		return nil, fmt.Errorf("library: vectors: %w", err)
	}
	return d.Located(ctx, folders, ids)
}

// Nearest are the ids of the passages of folders whose vectors of a model are nearest to one, by the angle between them.
// Those of another length are left out.
func (d *DB) Nearest(ctx context.Context, model string, folders []string, to []float32, limit int) ([]int64, error) {
	if d.vectors.version == "" {
		return nil, ErrNoVectors
	}
	ids, err := read(ctx, d, plain[int64], `SELECT v.passage FROM library_folders f JOIN library_documents d ON d.folder = f.id
			JOIN library_passages p ON p.document = d.id JOIN library_vectors v ON v.passage = p.id AND v.model = $1
		WHERE f.path = ANY ($2::text[]) AND vector_dims(v.vector) = $4
		ORDER BY v.vector <=> $3::text::vector, v.passage LIMIT $5`, model, folders, literal(to), len(to), limit)
	if err != nil {
		return nil, fmt.Errorf("library: vectors: %w", err)
	}
	return ids, nil
}
