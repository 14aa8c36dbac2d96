// Package sqlite keeps everything in one SQLite file: runs with their journals, events, inbox, contents and recordings,
// the ledger and the library. One goroutine writes, and puts whatever waits into one transaction; several connections read.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // registers the driver

	"github.com/plumbresearch/plumb/store/form"
)

// Options of a store. The zero value is what most users want.
type Options struct {
	// Synchronous is NORMAL (the default: what was committed survives a killed process, not always a power cut) or
	// FULL (survives a power cut; every group of commits waits for the disk).
	Synchronous string
	// ReadOnly opens an existing store without changing anything on disk. Every write answers ErrReadOnly.
	ReadOnly bool
	// Wait is how long a write waits for another process that is writing, before it answers ErrLocked. Default 5 s.
	Wait time.Duration
	// Readers is the number of connections that read. Default: one per CPU, at least 4.
	Readers int
}

// DB is an open store.
type DB struct {
	path  string
	o     Options
	pool  *sql.DB // readers
	stmts sync.Map

	home    *sql.DB // of the one connection that writes
	conn    *sql.Conn
	tx      *tx
	jobs    chan *job
	closing sync.RWMutex // guards closed, and jobs against a send after it was closed
	closed  bool
	stopped chan struct{} // closed when the writer has returned
}

// Open opens the store, creates it if there is none, and brings it up to the present schema.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	if o, err = o.filled(); err != nil {
		return nil, err
	}
	d := &DB{path: abs, o: o, jobs: make(chan *job, maxBatch), stopped: make(chan struct{})}
	if err := d.create(); err != nil {
		return nil, err
	}
	if err := d.start(ctx); err != nil {
		return nil, errors.Join(d.explain(err), d.disconnect())
	}
	if o.ReadOnly {
		close(d.stopped)
	} else {
		go d.writeAll()
	}
	return d, nil
}

func (o Options) filled() (Options, error) {
	switch o.Synchronous = strings.ToUpper(o.Synchronous); o.Synchronous {
	case "":
		o.Synchronous = "NORMAL"
	case "NORMAL", "FULL":
	default:
		return o, fmt.Errorf("synchronous %q is unknown: use NORMAL or FULL", o.Synchronous)
	}
	if o.Wait <= 0 {
		o.Wait = 5 * time.Second
	}
	if o.Readers <= 0 {
		o.Readers = max(4, runtime.GOMAXPROCS(0))
	}
	return o, nil
}

// Path is where the store is, absolute.
func (d *DB) Path() string { return d.path }

// Place is the same, for people.
func (d *DB) Place() string { return d.path }

// Close finishes the writes that wait, moves the log into the file and closes it. Further calls do nothing.
func (d *DB) Close() error {
	d.closing.Lock()
	was := d.closed
	if d.closed = true; !was {
		close(d.jobs)
	}
	d.closing.Unlock()
	<-d.stopped
	if was {
		return nil
	}
	var err error
	if !d.o.ReadOnly { // also without this the next process finds everything: it reads the log
		_, err = d.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
		err = d.explain(err)
	}
	return errors.Join(err, d.disconnect())
}

// creating keeps two calls of Open in one process from creating the same file: the one that closes its descriptor last
// would take away the locks that SQLite got in between.
var creating sync.Mutex

// create makes an empty file that only the user can read, as SQLite would let everybody.
func (d *DB) create() error {
	creating.Lock()
	defer creating.Unlock()
	info, err := os.Stat(d.path)
	switch {
	case err == nil && info.IsDir():
		return &Error{Is: ErrNotStore, Text: fmt.Sprintf("the store %s is a folder: name a file in it", d.path)}
	case err == nil && !info.Mode().IsRegular():
		return &Error{Is: ErrNotStore, Text: fmt.Sprintf("the store %s is not a file", d.path)}
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist) || d.o.ReadOnly:
		return d.explainFile(err)
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return d.explainFile(err)
	}
	f, err := os.OpenFile(d.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // another process was quicker
		return nil
	}
	if err != nil {
		return d.explainFile(err)
	}
	return f.Close()
}

// start connects and migrates.
func (d *DB) start(ctx context.Context) error {
	var err error
	if d.pool, err = sql.Open("sqlite", d.address(true)); err != nil {
		return err
	}
	d.pool.SetMaxOpenConns(d.o.Readers)
	d.pool.SetMaxIdleConns(d.o.Readers)
	if d.o.ReadOnly {
		return d.checkSchema(ctx)
	}
	if d.home, err = sql.Open("sqlite", d.address(false)); err != nil {
		return err
	}
	if err := retry(ctx, time.Now().Add(d.o.Wait), nil, func() error { // settings read the file
		d.conn, err = d.home.Conn(ctx)
		return err
	}); err != nil {
		return err
	}
	d.tx = &tx{ctx: context.WithoutCancel(ctx), conn: d.conn, stmts: map[string]*sql.Stmt{}, numbers: map[string]int64{}}
	scripts := form.Migrations(files)
	if _, err := d.version(ctx, len(scripts)); err != nil { // before anything is changed
		return err
	}
	if err := d.checkWritable(); err != nil {
		return err
	}
	if err := d.setWAL(ctx); err != nil {
		return err
	}
	return d.migrate(ctx, scripts)
}

// disconnect closes all connections.
func (d *DB) disconnect() error {
	var errs []error
	if d.tx != nil {
		errs = append(errs, d.tx.close(), d.conn.Close())
	}
	if d.home != nil {
		errs = append(errs, d.home.Close())
	}
	if d.pool != nil {
		errs = append(errs, d.pool.Close())
	}
	return errors.Join(errs...)
}

// Sizes of a connection. Pages are 4 KB.
const (
	readCacheKB    = 8 << 10  // at most, per connection
	writeCacheKB   = 32 << 10 // at most
	checkpoint     = 4000     // pages of the log after which it is moved into the file
	logAfterwards  = 64 << 20 // bytes to which a log that grew under a long read is cut
	waitOfReadsMS  = 5000     // for a process that recovers the log
	applicationID  = 0x504C4D42
	applicationHex = "0x504C4D42" // "PLMB"
)

// address is the URI of the file with the settings of a connection.
func (d *DB) address(read bool) string {
	q := url.Values{"_error_rc": {"1"}}
	pragma := func(format string, a ...any) { q.Add("_pragma", fmt.Sprintf(format, a...)) }
	pragma("temp_store(MEMORY)")
	if read {
		pragma("busy_timeout(%d)", waitOfReadsMS)
		pragma("query_only(1)")
		pragma("cache_size(-%d)", readCacheKB)
	} else { // its own loop waits: see begin
		pragma("busy_timeout(0)")
		pragma("cache_size(-%d)", writeCacheKB)
		pragma("synchronous(%s)", d.o.Synchronous)
		pragma("foreign_keys(1)")
		pragma("wal_autocheckpoint(%d)", checkpoint)
		pragma("journal_size_limit(%d)", logAfterwards)
	}
	if d.o.ReadOnly {
		q.Set("mode", "ro")
	}
	p := filepath.ToSlash(d.path)
	if !strings.HasPrefix(p, "/") { // C:/…
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p, RawQuery: q.Encode()}).String()
}

// Check reads the whole file and answers ErrCorrupt if its structure is damaged.
func (d *DB) Check(ctx context.Context) error {
	var found string
	err := d.read(ctx, func(rows *sql.Rows) error { return rows.Scan(&found) }, "PRAGMA quick_check(1)")
	if err == nil && found != "ok" {
		err = d.damaged(errors.New(found))
	}
	return err
}
