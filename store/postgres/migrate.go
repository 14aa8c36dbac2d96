package postgres

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var files embed.FS

// Locks that processes take by number, beside those of tables and rows. Those of runs are base + the run's number.
const (
	lockBase      = 0x504C4D42 << 32 // "PLMB"
	lockMigration = lockBase - 1
	lockInbox     = lockBase - 2
)

// migrate brings the store to the schema of the scripts, all in one transaction. Of several processes that do so at once,
// one runs the scripts and the others wait and find them done.
func (d *DB) migrate(ctx context.Context, c *conn, scripts []string) error {
	version, err := d.version(ctx, c, len(scripts))
	if err != nil || version == len(scripts) {
		return err
	}
	if d.o.ReadOnly {
		return &Error{Is: ErrOlder, Text: fmt.Sprintf("%s has schema %d and must be brought to %d: open it once for writing", d.where, version, len(scripts))}
	}
	if err := pgx.BeginFunc(ctx, c, func(t pgx.Tx) error { return d.step(ctx, t, scripts) }); err != nil {
		return d.notMigrated(err, version, len(scripts))
	}
	return nil
}

// step runs the scripts that are missing, as soon as no other process does.
func (d *DB) step(ctx context.Context, t pgx.Tx, scripts []string) error {
	for _, q := range []string{"SET LOCAL lock_timeout = 0", "SET LOCAL statement_timeout = 0"} {
		if _, err := t.Exec(ctx, q); err != nil {
			return err
		}
	}
	if _, err := t.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockMigration)); err != nil {
		return err
	}
	version, err := d.version(ctx, t, len(scripts))
	if err != nil || version == len(scripts) {
		return err
	}
	all := "CREATE TABLE IF NOT EXISTS plumb_schema (version BIGINT NOT NULL); DELETE FROM plumb_schema;\n" +
		strings.Join(scripts[version:], "\n") + fmt.Sprintf(";\nINSERT INTO plumb_schema VALUES (%d)", len(scripts))
	_, err = t.Conn().PgConn().Exec(ctx, all).ReadAll()
	return err
}

// notMigrated explains what a script says.
func (d *DB) notMigrated(err error, version, known int) error {
	switch codeOf(err) {
	case "42501":
		if version > 0 {
			return &Error{Is: ErrRights, Text: fmt.Sprintf("%s has schema %d and must be brought to %d, which the user %s may not: open it once as the owner of its tables", d.where, version, known, d.user), Cause: err}
		}
	case "42P07", "42710", "42723": // duplicate_table, duplicate_object, duplicate_function
		return &Error{Is: ErrNotStore, Text: fmt.Sprintf("%s has tables of another program under names that Plumb uses: give Plumb a database of its own", d.where), Cause: err}
	}
	return err
}

// version reads the schema of the store, 0 if there is none, and refuses one that is too new.
func (d *DB) version(ctx context.Context, r reader, known int) (int, error) {
	there, err := collect(ctx, r, plain[bool], `SELECT to_regclass('plumb_schema') IS NOT NULL`)
	if err != nil || !there[0] {
		return 0, err
	}
	versions, err := collect(ctx, r, plain[int], `SELECT version FROM plumb_schema`)
	if err != nil || len(versions) == 0 {
		return 0, err
	}
	if versions[0] > known {
		return 0, &Error{Is: ErrNewer, Text: fmt.Sprintf("%s was written by a newer Plumb (schema %d, this one knows %d): upgrade Plumb, or use another database",
			d.where, versions[0], known)}
	}
	return versions[0], nil
}
