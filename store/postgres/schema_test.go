package postgres

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb/store/sqlite"
)

// differences are those of this schema from SQLite's, by table.column, or by table.
var differences = map[string]string{
	"plumb_schema":     "SQLite keeps the number of its schema in the file's head",
	"library_vectors":  "SQLite has no vectors; PostgreSQL only with pgvector",
	"recordings.parts": "an array, where SQLite has JSON",
}

// column is a column in both stores' words.
type column struct {
	Type    string
	NotNull bool
	Key     bool
}

// types of SQLite for those of PostgreSQL.
var types = map[string]string{"bigint": "INTEGER", "text": "TEXT", "double precision": "REAL", "bytea": "BLOB"}

func TestSchemaIsThatOfSQLite(t *testing.T) {
	ours, theirs := postgresColumns(t), sqliteColumns(t)
	for name := range differences {
		delete(ours, name)
		delete(theirs, name)
		for c := range ours {
			if strings.HasPrefix(c, name+".") {
				delete(ours, c)
			}
		}
	}
	if len(theirs) < 100 {
		t.Errorf("only %d columns", len(theirs))
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("(-SQLite +PostgreSQL)\n%s", diff)
	}
}

func TestMigrationsHaveSQLitesNames(t *testing.T) {
	ours, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := filepath.Glob("../sqlite/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range theirs {
		theirs[i] = strings.TrimPrefix(filepath.ToSlash(name), "../sqlite/")
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("(-SQLite +PostgreSQL)\n%s", diff)
	}
}

func postgresColumns(t *testing.T) map[string]column {
	t.Helper()
	d := open(t, Options{})
	out := map[string]column{}
	err := d.ask(t.Context(), func(ctx context.Context, r reader) error {
		return each(ctx, r, func(row pgx.Row) error {
			var name string
			var c column
			err := row.Scan(&name, &c.Type, &c.NotNull, &c.Key)
			if t, ok := types[c.Type]; ok {
				c.Type = t
			}
			out[name] = c
			return err
		}, `SELECT c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
				EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey))
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sqliteColumns(t *testing.T) map[string]column {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plumb.db")
	d, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := db.Query(`SELECT m.name || '.' || c.name, c.type, c."notnull" OR c.pk, c.pk > 0 FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	out := map[string]column{}
	for found.Next() {
		var name string
		var c column
		if err := found.Scan(&name, &c.Type, &c.NotNull, &c.Key); err != nil {
			t.Fatal(err)
		}
		out[name] = c
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryTextSortsByBytes(t *testing.T) {
	d := open(t, Options{})
	others, err := read(t.Context(), d, plain[string], `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C' AND table_name NOT IN ('source_users', 'used')`)
	if err != nil || len(others) > 0 {
		t.Errorf("%v, %v", others, err)
	}
}
