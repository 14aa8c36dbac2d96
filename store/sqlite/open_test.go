package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/engine"
)

var ctx = context.Background()

func TestNewStoreIsOnlyForItsUser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are other things there")
	}
	path := filepath.Join(t.TempDir(), "new", "folder", "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "a", "me")
	for name, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has permissions %o, want %o", name, got, want)
		}
	}
}

func TestStoreMayHaveAnyName(t *testing.T) {
	for _, name := range []string{"with space.db", "what?.db", "50%20.db", "a#b.db", "ünïcode 研究.db", "a&mode=memory.db", "file:x.db"} {
		path := filepath.Join(t.TempDir(), name)
		d := openAt(t, path, Options{})
		owned(t, d, "a", "me")
		if _, err := os.Stat(path); err != nil || d.Path() != path {
			t.Errorf("%q became %q: %v", path, d.Path(), err)
		}
	}
}

func TestRelativePathIsMadeAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	d := openAt(t, "plumb.db", Options{})
	if !filepath.IsAbs(d.Path()) {
		t.Errorf("path %q", d.Path())
	}
}

func TestClosedStoreKeepsEverythingInOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "a", "me")
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second Close does nothing
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
	if err := d.Commit(ctx, outcome("a", "me", 2)); !errors.Is(err, ErrClosed) {
		t.Errorf("commit after close: %v", err)
	}
	rec, err := openAt(t, path, Options{}).LoadRun(ctx, "a")
	if err != nil || len(rec.Journal) != 1 || rec.LastSeq != 2 {
		t.Errorf("run after opening again: %d outcomes, %d events, %v", len(rec.Journal), rec.LastSeq, err)
	}
}

func TestSettingsReachTheConnections(t *testing.T) {
	for mode, want := range map[string]string{"": "1", "normal": "1", "FULL": "2"} {
		d := open(t, Options{Synchronous: mode})
		for pragma, want := range map[string]string{"synchronous": want, "journal_mode": "wal", "foreign_keys": "1"} {
			var got string
			if err := d.conn.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s with %q: %s, want %s (%v)", pragma, mode, got, want, err)
			}
		}
		if _, err := d.pool.Exec(`DELETE FROM runs`); err == nil {
			t.Error("a reader could write")
		}
	}
	if _, err := Open(ctx, filepath.Join(t.TempDir(), "x.db"), Options{Synchronous: "OFF"}); err == nil {
		t.Error("synchronous OFF was taken")
	}
}

// trouble fails unless err is of that kind, in one line with the path and the cure.
func trouble(t *testing.T, err, kind error, says ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a line: %q", err)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error %q does not say %q", err, s)
		}
	}
}

func TestNewerStoreIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	if _, err := d.conn.ExecContext(ctx, "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {ReadOnly: true}} {
		_, err := Open(ctx, path, o)
		trouble(t, err, ErrNewer, path, "schema 99", "upgrade Plumb", "PLUMB_HOME")
	}
}

func TestWhatIsNoStoreIsRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE recipes (name TEXT)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text := write("text.db", strings.Repeat("This is a letter, not a store. ", 100))
	for _, c := range []struct {
		name, path string
		o          Options
		kind       error
		says       string
	}{
		{"a folder", dir, Options{}, ErrNotStore, "is a folder"},
		{"under a file", filepath.Join(text, "plumb.db"), Options{}, ErrNotStore, "part of its path is a file"},
		{"a device", os.DevNull, Options{}, ErrNotStore, "not a file"},
		{"another program's", other, Options{}, ErrNotStore, "another program"},
		{"a text", text, Options{}, ErrCorrupt, "damaged"},
		{"a text, read-only", text, Options{ReadOnly: true}, ErrCorrupt, "damaged"},
		{"nothing, read-only", filepath.Join(dir, "none.db"), Options{ReadOnly: true}, ErrNotStore, "no store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, err := os.ReadFile(c.path)
			if err != nil {
				before = nil
			}
			_, err = Open(ctx, c.path, c.o)
			trouble(t, err, c.kind, c.path, c.says)
			if after, err := os.ReadFile(c.path); err == nil && !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a store was created although it was to be read only")
	}
}

func TestEmptyFileBecomesAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	owned(t, openAt(t, path, Options{}), "a", "me")
}

// damage overwrites pages of a closed store, from one on.
func damage(t *testing.T, path string, from int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	junk := bytes.Repeat([]byte{0xA5}, int(info.Size()-from*4096))
	if _, err := f.WriteAt(junk, from*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedStoreIsFoundOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "a", "me")
	if err := d.Check(ctx); err != nil {
		t.Errorf("a good store: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, path, 2)
	d, err := Open(ctx, path, Options{})
	if err == nil {
		t.Cleanup(func() { t.Log("close of a damaged store:", d.Close()) })
		trouble(t, d.Check(ctx), ErrCorrupt, path)
		_, err = d.Runs(ctx, engine.Filter{})
	}
	trouble(t, err, ErrCorrupt, path, "PLUMB_HOME")
	if err := os.Truncate(path, 1500); err != nil {
		t.Fatal(err)
	}
	_, err = Open(ctx, path, Options{})
	trouble(t, err, ErrCorrupt, path)
}

func TestReadOnlyStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "a", "me")
	ro := openAt(t, path, Options{ReadOnly: true})
	runs, err := ro.Runs(ctx, engine.Filter{})
	if err != nil || len(runs) != 1 {
		t.Errorf("runs: %v, %v", runs, err)
	}
	trouble(t, ro.Commit(ctx, outcome("a", "me", 1)), ErrReadOnly, path)
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Errorf("commit beside a reader: %v", err)
	}
	if rec, err := ro.LoadRun(ctx, "a"); err != nil || len(rec.Journal) != 1 {
		t.Errorf("a reader does not see what is written: %d outcomes, %v", len(rec.Journal), err)
	}
}

func TestLockedStoreNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{Wait: 50 * time.Millisecond})
	owned(t, d, "a", "me")
	other := openAt(t, path, Options{})
	if err := other.begin(ctx, time.Now().Add(time.Minute), nil); err != nil {
		t.Fatal(err)
	}
	trouble(t, d.Commit(ctx, outcome("a", "me", 1)), ErrLocked, path, "locked by another process", "wait")
	if rec, err := d.LoadRun(ctx, "a"); err != nil || len(rec.Journal) != 0 {
		t.Errorf("a locked store can't be read: %v", err)
	}
	if err := other.rollback(); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Errorf("commit after the lock: %v", err)
	}
}
