package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	codes "modernc.org/sqlite/lib"

	"github.com/plumbresearch/plumb/store/form"
)

//go:embed migrations/*.sql
var files embed.FS

// migrate brings the store to the schema of the scripts, one transaction each. Of several processes that do so at
// once, one runs a script and the others find it done.
func (d *DB) migrate(ctx context.Context, scripts []string) error {
	for {
		version, err := d.version(ctx, len(scripts))
		if err != nil || version == len(scripts) {
			return err
		}
		if err := d.begin(ctx, time.Now().Add(d.o.Wait), nil); err != nil {
			return err
		}
		if err := d.step(ctx, version, scripts); err != nil {
			return errors.Join(err, d.rollback())
		}
		if _, err := d.tx.exec("COMMIT"); err != nil {
			return errors.Join(err, d.rollback())
		}
	}
}

// step runs the next script inside a transaction, unless another process has meanwhile.
func (d *DB) step(ctx context.Context, version int, scripts []string) error {
	now, err := d.version(ctx, len(scripts))
	if err != nil || now != version {
		return err
	}
	script := fmt.Sprintf("%s;\nPRAGMA user_version = %d; PRAGMA application_id = %s", scripts[version], version+1, applicationHex)
	if _, err := d.conn.ExecContext(ctx, script); err != nil {
		return fmt.Errorf("store %s: migration %d: %w", d.path, version+1, err)
	}
	return nil
}

// version reads the schema of the store and refuses one that is not ours or too new.
func (d *DB) version(ctx context.Context, known int) (int, error) {
	query := d.pool.QueryRowContext
	if d.conn != nil {
		query = d.conn.QueryRowContext
	}
	var version, id, tables int
	err := retry(ctx, time.Now().Add(d.o.Wait), nil, func() error {
		return query(ctx, `SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id),
			(SELECT count(*) FROM sqlite_schema)`).Scan(&version, &id, &tables)
	})
	switch {
	case err != nil:
		return 0, err
	case id != applicationID && (id != 0 || version != 0 || tables != 0):
		return 0, &Error{Is: ErrNotStore, Text: fmt.Sprintf("%s is a database of another program: %s", d.path, elsewhere)}
	case version > known:
		return 0, &Error{Is: ErrNewer, Text: fmt.Sprintf("the store %s was written by a newer Plumb (schema %d, this one knows %d): upgrade Plumb, or %s",
			d.path, version, known, elsewhere)}
	}
	return version, nil
}

// checkSchema is what is left of migrate when nothing may be written.
func (d *DB) checkSchema(ctx context.Context) error {
	known := len(form.Migrations(files))
	version, err := d.version(ctx, known)
	if err == nil && version < known {
		return &Error{Is: ErrReadOnly, Text: fmt.Sprintf("the store %s has schema %d and must be brought to %d: open it once for writing",
			d.path, version, known)}
	}
	return err
}

// checkWritable finds a file that SQLite could open for reading only.
func (d *DB) checkWritable() error {
	return d.conn.Raw(func(c any) error {
		r, ok := c.(interface{ IsReadOnly(string) (bool, error) })
		if !ok {
			return nil
		}
		if is, err := r.IsReadOnly("main"); err != nil || is {
			return d.readOnly(d.path, err)
		}
		return nil
	})
}

// setWAL turns on the write-ahead log, which the file remembers. It needs the file for itself for a moment.
func (d *DB) setWAL(ctx context.Context) error {
	return retry(ctx, time.Now().Add(d.o.Wait), nil, func() error {
		var mode string
		err := d.conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode != "wal" {
			return fmt.Errorf("store %s: its file system can't hold a write-ahead log (journal_mode is %s): %s", d.path, mode, elsewhere)
		}
		return err
	})
}

// retry does f until it no longer finds the store locked. Every millisecond, because a process that writes all the
// time leaves gaps of microseconds only, and SQLite's own waiting (up to 100 ms between tries) would starve beside it.
func retry(ctx context.Context, until time.Time, given <-chan struct{}, f func() error) error {
	for {
		err := f()
		if codeOf(err)&0xff != codes.SQLITE_BUSY || time.Now().After(until) {
			return err
		}
		t := time.NewTimer(time.Millisecond)
		select {
		case <-t.C:
		case <-given:
			t.Stop()
			return err
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}
