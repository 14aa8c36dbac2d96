package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/plumbresearch/plumb/store/form"
)

// What can be wrong with a store. The errors that Open and all other calls answer with are one line that names the
// file and the cure; errors.Is tells them apart.
var (
	ErrNewer    = errors.New("written by a newer Plumb")
	ErrCorrupt  = errors.New("damaged")
	ErrReadOnly = errors.New("read-only")
	ErrLocked   = errors.New("locked")
	ErrFull     = errors.New("disk full")
	ErrNotStore = errors.New("not a store of Plumb")
	ErrClosed   = errors.New("the store is closed")
)

// Error is trouble with the file, as users are told.
type Error = form.Error

const elsewhere = "set PLUMB_HOME to another folder"

// explain turns what SQLite says about the file into an Error, and leaves every other error as it is.
func (d *DB) explain(err error) error {
	var told *Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC) {
		return d.explainFile(err)
	}
	code := codeOf(err)
	switch code & 0xff {
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return d.explainLocked(err)
	case codes.SQLITE_FULL:
		return d.full(err)
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return d.damaged(err)
	case codes.SQLITE_READONLY:
		return d.readOnly(d.path, err)
	case codes.SQLITE_CANTOPEN:
		return d.explainCantOpen(err)
	case codes.SQLITE_IOERR:
		if code == codes.SQLITE_IOERR_SHMSIZE { // the index of the log could not grow
			return d.full(err)
		}
	}
	return err
}

// explainFile does the same for what the operating system says.
func (d *DB) explainFile(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return d.readOnly(filepath.Dir(d.path), err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return d.full(err)
	case errors.Is(err, syscall.ENOTDIR):
		return &Error{Is: ErrNotStore, Text: fmt.Sprintf("the store %s can't be there: a part of its path is a file; %s", d.path, elsewhere), Cause: err}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Is: ErrNotStore, Text: fmt.Sprintf("there is no store %s: start a run first, or %s", d.path, elsewhere), Cause: err}
	}
	return fmt.Errorf("store %s: %w", d.path, err)
}

func (d *DB) damaged(err error) error {
	return &Error{Is: ErrCorrupt, Text: fmt.Sprintf("the store %s is damaged, or no store of Plumb (%s): move it away or bring back a copy, or %s",
		d.path, form.OneLine(err), elsewhere), Cause: err}
}

func (d *DB) readOnly(what string, err error) error {
	return &Error{Is: ErrReadOnly, Text: fmt.Sprintf("the store %s can't be written (%s is read-only): change its permissions, or %s",
		d.path, what, elsewhere), Cause: err}
}

func (d *DB) full(err error) error {
	return &Error{Is: ErrFull, Text: fmt.Sprintf("the disk of the store %s is full: free some space and do it again; nothing that was stored is lost",
		d.path), Cause: err}
}

// explainLocked names the process that holds the store, where the system tells.
func (d *DB) explainLocked(err error) error {
	who := "another process"
	if h := holder(d.path); h != "" {
		who = h
	}
	return &Error{Is: ErrLocked, Text: fmt.Sprintf("the store %s is locked by %s: wait until it is done or stop it, then try again", d.path, who), Cause: err}
}

// explainCantOpen asks the folder: SQLite says the same of a folder that is read-only, full or gone.
func (d *DB) explainCantOpen(err error) error {
	f, ferr := os.CreateTemp(filepath.Dir(d.path), ".plumb-*")
	if ferr != nil {
		return d.explainFile(fmt.Errorf("%w (%w)", ferr, err))
	}
	if ferr := errors.Join(f.Close(), os.Remove(f.Name())); ferr != nil {
		return d.explainFile(fmt.Errorf("%w (%w)", ferr, err))
	}
	return d.readOnly(filepath.Base(d.path), err)
}

// codeOf is SQLite's extended result code, 0 for errors of others.
func codeOf(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// duplicate reports whether err says that a row of that key exists already.
func duplicate(err error) bool {
	c := codeOf(err)
	return c == codes.SQLITE_CONSTRAINT_PRIMARYKEY || c == codes.SQLITE_CONSTRAINT_UNIQUE
}
