// Package postgres keeps everything in a PostgreSQL database that several processes share: what package sqlite keeps in
// a file, in tables of the same names. Every write is a transaction of its own. Connections that break are replaced, and
// what was under way is done again.
package postgres

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/plumbresearch/plumb/store/form"
)

// Options of a store. The zero value is what most users want.
type Options struct {
	// ReadOnly opens an existing store without changing anything. Every write answers ErrReadOnly.
	ReadOnly bool
	// Wait is how long a call waits for a server that is gone, or for another process that is in the way, before it
	// answers ErrUnreachable or ErrLocked. Default 5 s.
	Wait time.Duration
	// Connections is how many this process uses at most, without the one that listens. Default 16. All processes
	// together must stay below the server's max_connections.
	Connections int
}

// DB is an open store.
type DB struct {
	o       Options
	pool    *pool
	where   string // the database, for users: without a password
	user    string
	server  string // its version
	vectors struct {
		version string // of pgvector; empty: there are none
		why     string // there are none
	}
	hints hints
}

// Open connects to the database that dsn names, a postgres:// URL or key=value pairs, makes the tables if there are none,
// and brings them up to the present schema. What dsn leaves out comes from the PG… variables, as with all of
// PostgreSQL's programs.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	if o.Wait <= 0 {
		o.Wait = 5 * time.Second
	}
	if o.Connections <= 0 {
		o.Connections = 16
	}
	config, err := configure(dsn, o)
	if err != nil {
		return nil, err
	}
	pool, err := newPool(config)
	if err != nil {
		return nil, err
	}
	d := &DB{o: o, user: config.ConnConfig.User, where: place(config.ConnConfig), pool: pool}
	if err := d.start(ctx); err != nil {
		if e := d.pool.close(); e != nil {
			return nil, e
		}
		return nil, d.explain(err)
	}
	d.hints.start(d)
	return d, nil
}

// connectTime is for one try to connect, unless the address says connect_timeout.
const connectTime = 10 * time.Second

// configure reads the address. Its errors don't repeat it: what is malformed may be the password.
func configure(dsn string, o Options) (*pgxpool.Config, error) {
	pooled, err := pgxpool.ParseConfig(dsn)
	if err != nil || strings.TrimSpace(dsn) == "" {
		return nil, &Error{Is: ErrAddress, Text: "the address of the PostgreSQL store can't be read: write postgres://USER:PASSWORD@HOST:5432/DATABASE, " +
			"with %XX for special characters in the password and nothing behind it but ?sslmode=… and such"}
	}
	pooled.MaxConns = int32(min(o.Connections, math.MaxInt32))
	config := pooled.ConnConfig
	if config.ConnectTimeout <= 0 {
		config.ConnectTimeout = connectTime
	}
	millis := func(t time.Duration) string { return strconv.FormatInt(t.Milliseconds(), 10) }
	for name, value := range map[string]string{
		"application_name":                    "plumb",
		"lock_timeout":                        millis(o.Wait),
		"statement_timeout":                   millis(callTime),
		"idle_in_transaction_session_timeout": millis(callTime),
	} {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	if o.ReadOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	return pooled, nil
}

// place names the database for users.
func place(c *pgx.ConnConfig) string {
	name := c.Database
	if name == "" {
		name = c.User
	}
	return fmt.Sprintf("the PostgreSQL database %s at %s:%d", name, c.Host, c.Port)
}

// start connects, migrates and looks at what the server can.
func (d *DB) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c, err := d.pool.take(ctx)
	if err != nil {
		return err
	}
	defer d.pool.give(c)
	d.server = c.PgConn().ParameterStatus("server_version")
	if n, err := strconv.Atoi(strings.Split(d.server, ".")[0]); err == nil && n < oldest {
		return &Error{Is: ErrNotStore, Text: fmt.Sprintf("%s is PostgreSQL %s: Plumb needs %d or newer", d.where, d.server, oldest)}
	}
	if err := d.migrate(ctx, c, form.Migrations(files)); err != nil {
		return err
	}
	return d.findVectors(ctx, c)
}

const (
	startTime = 10 * time.Minute // for all that Open does; most of it for migrations, its own or those it waits for
	oldest    = 13               // of PostgreSQL: the first that tells what became of a transaction by an id that does not wrap around
)

// Place names the database for users, without the password.
func (d *DB) Place() string { return d.where }

// Close waits for the calls under way and closes all connections. Further calls do nothing.
func (d *DB) Close() error {
	d.hints.stop()
	return d.pool.close()
}
