// Package pgtest gives tests a real PostgreSQL: a temporary cluster on a socket, one for the process that tests, and a
// database of its own for each test. PLUMB_TEST_POSTGRES names a server to use instead; its user must be allowed to
// create databases.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Outside names the variable for a server that is there already.
const Outside = "PLUMB_TEST_POSTGRES"

// Guarded is a role whose members need a password to connect to the temporary cluster, which believes all others.
const Guarded = "guarded"

// server is the one that all tests of the process use.
var server struct {
	once    sync.Once
	address string // of the database that others are made from
	broken  error
	alive   io.WriteCloser // a cluster stops when this closes, which the end of the process does
	number  atomic.Int64
}

// Database makes a database that goes when the test ends, and gives its address. It is a copy of the one that template
// names, to which nobody may be connected; empty if that is "".
func Database(t testing.TB, template string) string {
	t.Helper()
	dsn, name := create(t, template)
	t.Cleanup(func() { Exec(t, server.address, "DROP DATABASE "+name+" WITH (FORCE)") })
	return dsn
}

// Forever makes an empty database that stays while the process tests, as a template needs to.
func Forever(t testing.TB) string {
	t.Helper()
	dsn, _ := create(t, "")
	return dsn
}

func create(t testing.TB, template string) (dsn, name string) {
	t.Helper()
	server.once.Do(func() { server.address, server.broken = start() })
	if server.broken != nil {
		t.Fatal(server.broken)
	}
	name = fmt.Sprintf("plumb_test_%d_%d", os.Getpid(), server.number.Add(1))
	query := "CREATE DATABASE " + name
	if template != "" {
		u, err := url.Parse(template)
		if err != nil {
			t.Fatal(err)
		}
		query += " TEMPLATE " + strings.TrimPrefix(u.Path, "/")
	}
	Exec(t, server.address, query)
	return Named(t, server.address, name), name
}

// Named is the address of another database of the same server.
func Named(t testing.TB, dsn, name string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// Exec runs statements, one at a time, on a connection of their own.
func Exec(t testing.TB, dsn string, statements ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := c.Exec(ctx, s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
}

// start finds a server or starts one, and gives the address of its first database.
func start() (string, error) {
	if dsn := os.Getenv(Outside); dsn != "" {
		if _, err := url.Parse(dsn); err != nil || !strings.Contains(dsn, "://") {
			return "", fmt.Errorf("%s must be a URL: postgres://user:password@host:5432/database", Outside)
		}
		return dsn, reachable(dsn, time.Second)
	}
	bin, err := programs()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "plumb-pg-")
	if err != nil {
		return "", err
	}
	if err := run(bin, dir); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	dsn := "postgres://plumb@/postgres?sslmode=disable&host=" + url.QueryEscape(dir)
	if err := reachable(dsn, time.Minute); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log")) //nolint:errcheck // it only adds to the error
		return "", fmt.Errorf("PostgreSQL in %s does not answer: %w\n%s", dir, err, log)
	}
	return dsn, nil
}

// programs is the folder with initdb and postgres.
func programs() (string, error) {
	if p, err := exec.LookPath("initdb"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			return filepath.Dir(p), nil
		}
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin"} {
		found, err := filepath.Glob(filepath.Join(pattern, "initdb"))
		if err == nil && len(found) > 0 {
			return filepath.Dir(slices.Max(found)), nil
		}
	}
	return "", fmt.Errorf("these tests need PostgreSQL 13 or newer: install it (apt-get install postgresql), or set %s to the address of a server", Outside)
}

// access lets all in but the members of Guarded, who need their password.
const access = "local all +" + Guarded + " scram-sha-256\nlocal all all trust\n"

// settings of a cluster that nobody will miss. ALTER SYSTEM overrides them, for whoever measures.
const settings = "fsync = off\nfull_page_writes = off\nmax_connections = 200\n"

// serve makes a cluster and runs it until its input ends, as it does when the process that tests is gone, however that
// happened. Then it removes the folder.
const serve = `bin=$1 dir=$2
"$bin/initdb" -D "$dir/data" -U plumb -A trust -E UTF8 --locale=C --no-sync --no-instructions >"$dir/log" 2>&1 &&
	printf %s "$3" >"$dir/data/pg_hba.conf" && printf %s "$4" >>"$dir/data/postgresql.conf" &&
	{ "$bin/postgres" -D "$dir/data" -k "$dir" -h '' >>"$dir/log" 2>&1 & }
cat >/dev/null # not INT below: a shell lets what runs in the background ignore it until it says otherwise
kill $!; wait $!; rm -rf "$dir"`

func run(bin, dir string) error {
	if err := give(dir); err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), "sh", "-c", serve, "sh", bin, dir, access, settings)
	cmd.Dir, cmd.SysProcAttr = "/", unprivileged()
	var err error
	if server.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	return cmd.Start()
}

// reachable waits until the server lets us in.
func reachable(dsn string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for {
		c, err := pgx.Connect(ctx, dsn)
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
