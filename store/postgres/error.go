package postgres

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/plumbresearch/plumb/store/form"
)

// What can be wrong with a store. The errors that Open and all other calls answer with are one line that names the
// database and the cure; errors.Is tells them apart. None shows a password.
var (
	ErrAddress     = errors.New("address can't be read")
	ErrUnreachable = errors.New("server unreachable")
	ErrRefused     = errors.New("user refused")
	ErrMissing     = errors.New("no such database")
	ErrRights      = errors.New("no right")
	ErrNewer       = errors.New("written by a newer Plumb")
	ErrOlder       = errors.New("schema too old")
	ErrReadOnly    = errors.New("read-only")
	ErrLocked      = errors.New("locked")
	ErrFull        = errors.New("server full")
	ErrNotStore    = errors.New("not a store of Plumb")
	ErrClosed      = errors.New("the store is closed")
)

// Error is trouble with the database, as users are told.
type Error = form.Error

// explain turns what PostgreSQL says about itself into an Error, and leaves every other error as it is.
func (d *DB) explain(err error) error {
	var told *Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	if code := codeOf(err); code != "" {
		if text, is := d.trouble(code); is != nil {
			return &Error{Is: is, Text: text, Cause: err}
		}
	}
	var slow *tooLate
	switch {
	case errors.Is(err, errUnknown):
		return &Error{Is: ErrUnreachable, Text: fmt.Sprintf("the connection to %s broke while it stored something, and whether that counts is unknown (%s): see that the server runs, then look at the run",
			d.where, form.OneLine(err)), Cause: err}
	case errors.As(err, &slow):
		return &Error{Is: ErrUnreachable, Text: fmt.Sprintf("%s did not answer within %s: see that the server runs and is not overloaded", d.where, callTime), Cause: err}
	case lost(err):
		return &Error{Is: ErrUnreachable, Text: fmt.Sprintf("%s can't be reached (%s): see that the server runs and that its address is right", d.where, reason(err)), Cause: err}
	}
	return err
}

// trouble is what an SQLSTATE says about the database, with the cure; nil for those that speak of a statement.
func (d *DB) trouble(code string) (text string, is error) {
	switch code {
	case "28P01", "28000": // invalid_password, invalid_authorization_specification
		return fmt.Sprintf("%s refuses the user %s: put the right user and password into its address, and see that pg_hba.conf lets them in", d.where, d.user), ErrRefused
	case "3D000": // invalid_catalog_name
		return fmt.Sprintf("there is no database for %s: create it with createdb, or put the right name into the address", d.where), ErrMissing
	case "42501": // insufficient_privilege
		return fmt.Sprintf("the user %s may not work in %s: let an administrator do GRANT CREATE, USAGE ON SCHEMA public TO %s, or make that user the owner of the database", d.user, d.where, d.user), ErrRights
	case "53100", "53200", "58030": // disk_full, out_of_memory, io_error
		return fmt.Sprintf("the server of %s has no disk or memory left: free some and do it again; nothing that was stored is lost", d.where), ErrFull
	case "53300": // too_many_connections
		return fmt.Sprintf("the server of %s has no connection left: raise its max_connections, or let each Plumb use fewer", d.where), ErrFull
	case "55P03": // lock_not_available
		return fmt.Sprintf("%s is locked by another process for more than %s: wait until it is done, then try again", d.where, d.o.Wait), ErrLocked
	case "57014": // query_canceled
		return fmt.Sprintf("%s took more than %s for a statement, or an administrator stopped it: see that it is not overloaded", d.where, callTime), ErrUnreachable
	case "25006": // read_only_sql_transaction
		return fmt.Sprintf("%s is read-only, as standbys are: put the primary server into the address", d.where), ErrReadOnly
	case "42P01", "42703": // undefined_table, undefined_column
		return fmt.Sprintf("%s lacks tables of Plumb: bring back a copy, or use an empty database", d.where), ErrNotStore
	}
	return "", nil
}

func (d *DB) readOnly(err error) error {
	return &Error{Is: ErrReadOnly, Text: fmt.Sprintf("%s was opened for reading only", d.where), Cause: err}
}

// reason is the end of a chain of errors, in one line: what stands before it repeats the address.
func reason(err error) string {
	s := form.OneLine(err)
	if i := strings.LastIndex(s, ": "); i >= 0 && i+2 < len(s) {
		return s[i+2:]
	}
	return s
}

// codeOf is the SQLSTATE of an error, empty for errors of others.
func codeOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// duplicate reports whether err says that a row of that key exists already.
func duplicate(err error) bool { return codeOf(err) == "23505" }
