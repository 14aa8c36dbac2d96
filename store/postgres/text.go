package postgres

// Strings of Go in a database that takes neither NUL nor what is not UTF-8, and indexes nothing long.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// mark begins what stands for a byte that PostgreSQL refuses: SUB, which was made for this and sorts low, as NUL does.
// It is followed by the byte in hex, as is the mark itself.
const mark = 0x1a

const hexDigits = "0123456789abcdef"

// escape makes a string that PostgreSQL takes. Nearly every string is one already.
func escape(s string) string {
	if strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, mark) < 0 && utf8.ValidString(s) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if c := s[i]; c == 0 || c == mark || r == utf8.RuneError && n == 1 {
			b = append(b, mark, hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return string(b)
}

// unescape undoes escape. A mark that escape did not make stays as it is.
func unescape(s string) string {
	if strings.IndexByte(s, mark) < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == mark && i+2 < len(s) {
			if c, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				b = append(b, c[0])
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// maxKey bounds what is indexed, in bytes: an entry of a B-tree has 2,704 at most.
const maxKey = 1000

// short is a string that may be long as a key: its beginning, and the hash of the whole.
func short(s string) string {
	if len(s) <= maxKey {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return s[:maxKey-2*len(sum)-1] + " " + hex.EncodeToString(sum[:])
}

func shortAll(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = short(s)
	}
	return out
}

// escaped are arguments of a statement with all strings escaped. (A codec would not do: pgx gives plain strings past it.)
func escaped(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case string:
			out[i] = escape(a)
		case []string:
			out[i] = escapeAll(a)
		default:
			if out[i] = a; reflect.ValueOf(a).Kind() == reflect.String { // a type of ours
				out[i] = escape(reflect.ValueOf(a).String())
			}
		}
	}
	return out
}

func escapeAll(all []string) []string {
	out := make([]string, len(all)) // an empty list, not NULL, of none
	for i, s := range all {
		out[i] = escape(s)
	}
	return out
}

// scan reads a row and unescapes all strings of it.
func scan(row pgx.Row, to []any) error {
	if err := row.Scan(to...); err != nil {
		return err
	}
	for _, p := range to {
		if s, ok := p.(*string); ok {
			*s = unescape(*s)
		} else if v := reflect.ValueOf(p); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.String {
			v.Elem().SetString(unescape(v.Elem().String()))
		}
	}
	return nil
}

// row is one that unescapes.
type row struct{ pgx.Row }

func (r row) Scan(to ...any) error { return scan(r.Row, to) }

// rows are such that unescape.
type rows struct{ pgx.Rows }

func (r rows) Scan(to ...any) error { return scan(r.Rows, to) }

func (c *conn) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	return c.Conn.Exec(ctx, query, escaped(args)...)
}

func (c *conn) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	r, err := c.Conn.Query(ctx, query, escaped(args)...)
	return rows{r}, err
}

func (c *conn) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	return row{c.Conn.QueryRow(ctx, query, escaped(args)...)}
}
