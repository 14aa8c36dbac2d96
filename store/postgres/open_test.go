package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/form"
	"github.com/plumbresearch/plumb/store/postgres/pgtest"
)

// told fails unless err is of that kind and one line with all the words, and does not show the password of these tests.
func told(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	var e *Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		t.Fatalf("%v (%T), want %v", err, err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\t") || strings.Contains(err.Error(), secret) {
		t.Errorf("%q", err)
	}
}

const secret = "s3cr3t/pa#ss"

// changed is an address with other parts.
func changed(t *testing.T, dsn string, change func(u *url.URL)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

// refuses opens what can't be opened.
func refuses(t *testing.T, dsn string, o Options) error {
	t.Helper()
	d, err := Open(context.Background(), dsn, o)
	if err == nil {
		t.Error(d.Close())
		t.Fatalf("%s was opened", dsn)
	}
	return err
}

func TestAddressThatCantBeRead(t *testing.T) {
	for _, dsn := range []string{
		"", " ", "postgres://u:" + secret + "@host:port/db", "postgres://u:" + secret + "@host/db", "postgres://u:%zz" + secret + "@h/db", "mysql://u:" + secret + "@h/db",
		"host=h password='" + secret, "host=h password=" + secret + " port=x", "postgres://u:" + secret + "@h/db?sslmode=maybe", "plumb.db",
	} {
		told(t, refuses(t, dsn, Options{}), ErrAddress, "postgres://USER:PASSWORD@HOST:5432/DATABASE")
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	dsn := "postgres://u:" + url.QueryEscape(secret) + "@" + address + "/plumb?sslmode=disable"
	told(t, refuses(t, dsn, Options{}), ErrUnreachable, "the PostgreSQL database plumb at "+address, "connection refused", "see that the server runs")
}

func TestServerThatDoesNotSpeak(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dsn := "postgres://u:" + url.QueryEscape(secret) + "@" + l.Addr().String() + "/plumb?sslmode=disable&connect_timeout=1"
	told(t, refuses(t, dsn, Options{}), ErrUnreachable, "see that the server runs")
}

func TestDatabaseThatIsNotThere(t *testing.T) {
	told(t, refuses(t, pgtest.Named(t, pgtest.Database(t, ""), "nowhere"), Options{}), ErrMissing, "database nowhere", "createdb")
}

// role makes a user with a password, which goes when the test ends.
func role(t *testing.T, dsn, name string, also ...string) {
	t.Helper()
	statements := []string{"CREATE ROLE " + name + " LOGIN PASSWORD '" + secret + "'"}
	pgtest.Exec(t, dsn, append(statements, also...)...)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+name, "DROP ROLE "+name) })
}

// as is an address for another user.
func as(t *testing.T, dsn, user, password string) string {
	t.Helper()
	return changed(t, dsn, func(u *url.URL) { u.User = url.UserPassword(user, password) })
}

func TestWrongPassword(t *testing.T) {
	if os.Getenv(pgtest.Outside) != "" {
		t.Skip("whether a server asks for passwords is its own affair: the temporary cluster does")
	}
	dsn := pgtest.Database(t, "")
	pgtest.Exec(t, dsn, "CREATE ROLE "+pgtest.Guarded)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP ROLE "+pgtest.Guarded) })
	role(t, dsn, "mona", "GRANT "+pgtest.Guarded+" TO mona", "GRANT ALL ON SCHEMA public TO mona")
	told(t, refuses(t, as(t, dsn, "mona", secret+"x"), Options{}), ErrRefused, "refuses the user mona", "right user and password")
	d := openAt(t, as(t, dsn, "mona", secret), Options{})
	if strings.Contains(fmt.Sprintf("%s %v", d.Place(), d.o), secret) {
		t.Error(d.Place())
	}
}

func TestUserWithoutRights(t *testing.T) {
	dsn := pgtest.Database(t, "")
	pgtest.Exec(t, dsn, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	role(t, dsn, "rita")
	told(t, refuses(t, as(t, dsn, "rita", secret), Options{}), ErrRights, "the user rita", "GRANT CREATE, USAGE ON SCHEMA public TO rita")

	openAt(t, dsn, Options{})
	told(t, refuses(t, as(t, dsn, "rita", secret), Options{}), ErrRights, "the user rita")
	pgtest.Exec(t, dsn, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO rita")
	d := openAt(t, as(t, dsn, "rita", secret), Options{}) // the tables are there: no right to create is needed
	owned(t, d, "run", "me")
	pgtest.Exec(t, dsn, "DELETE FROM plumb_schema", "INSERT INTO plumb_schema VALUES (1)")
	told(t, refuses(t, as(t, dsn, "rita", secret), Options{}), ErrRights, "has schema 1", "open it once as the owner of its tables")
}

func TestNewerSchemaIsRefusedAndLeftAlone(t *testing.T) {
	dsn := pgtest.Database(t, "")
	openAt(t, dsn, Options{})
	pgtest.Exec(t, dsn, "UPDATE plumb_schema SET version = 99")
	told(t, refuses(t, dsn, Options{}), ErrNewer, "schema 99", "upgrade Plumb")
	told(t, refuses(t, dsn, Options{ReadOnly: true}), ErrNewer, "schema 99")
}

func TestOlderSchemaIsMigrated(t *testing.T) {
	scripts := form.Migrations(files)
	for known := 1; known < len(scripts); known++ {
		dsn := pgtest.Database(t, "")
		pgtest.Exec(t, dsn, strings.Join(scripts[:known], "\n"),
			fmt.Sprintf("CREATE TABLE plumb_schema (version BIGINT NOT NULL); INSERT INTO plumb_schema VALUES (%d)", known),
			`INSERT INTO runs (id, kind, thread, question, created_at, run) VALUES ('old', 'research', 'old', 'What?', 1, '{"id":"old"}')`,
			`INSERT INTO run_states (run, state, outcomes, usd, tokens, updated_at) SELECT n, 'queued', 0, 0, 0, 1 FROM runs`,
			`INSERT INTO ledger (run, at, usd, tokens, row) SELECT n, 1, 0.5, 10, '{"run":"old","step":"plan.1","usd":0.5,"input":10}' FROM runs`)
		told(t, refuses(t, dsn, Options{ReadOnly: true}), ErrOlder, fmt.Sprintf("has schema %d", known), "open it once for writing")
		d := openAt(t, dsn, Options{})
		spent, err := d.Spent(t.Context(), "old")
		if err != nil || spent != (plumb.Spent{USD: 0.5, Tokens: 10}) {
			t.Errorf("from schema %d: %v, %v", known, spent, err)
		}
		steps, err := read(t.Context(), d, plain[string], `SELECT step FROM ledger`)
		if err != nil || len(steps) != 1 || known < 3 && steps[0] != "plan.1" {
			t.Errorf("from schema %d: steps %v, %v", known, steps, err)
		}
	}
}

func TestTablesOfAnotherProgramAreLeftAlone(t *testing.T) {
	dsn := pgtest.Database(t, "")
	pgtest.Exec(t, dsn, "CREATE TABLE keys (theirs TEXT)", "INSERT INTO keys VALUES ('kept')")
	told(t, refuses(t, dsn, Options{}), ErrNotStore, "tables of another program", "a database of its own")
	pgtest.Exec(t, dsn, "DO $$ BEGIN IF (SELECT count(*) FROM keys) <> 1 OR to_regclass('runs') IS NOT NULL THEN RAISE 'changed'; END IF; END $$")
}

func TestManyProcessesOpenAnEmptyDatabaseAtOnce(t *testing.T) {
	dsn := pgtest.Database(t, "")
	parallel(t, 8, func(i int) error {
		d, err := Open(context.Background(), dsn, Options{})
		if err != nil {
			return err
		}
		if err := d.Renew(context.Background(), "me", asked); err != nil {
			return err
		}
		return d.Close()
	})
}

func TestReadOnlyStoreIsReadAndNotWritten(t *testing.T) {
	dsn := database(t)
	d := openAt(t, dsn, Options{})
	owned(t, d, "run", "me")
	r := openAt(t, dsn, Options{ReadOnly: true})
	if rec, err := r.LoadRun(t.Context(), "run"); err != nil || rec.Run.ID != "run" {
		t.Errorf("%v, %v", rec.Run.ID, err)
	}
	for what, err := range map[string]error{
		"commit":  r.Commit(t.Context(), outcome("run", "me", 1)),
		"release": r.Release(t.Context(), "run", "me"),
		"delete":  r.DeleteRun(t.Context(), "run"),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestStandbyIsNamedAsSuch(t *testing.T) {
	dsn := database(t)
	dsn = changed(t, dsn, func(u *url.URL) {
		q := u.Query()
		q.Set("default_transaction_read_only", "on")
		u.RawQuery = q.Encode()
	})
	d := openAt(t, dsn, Options{})
	_, err := d.Acquire(t.Context(), "run", "me", asked, asked)
	told(t, err, ErrReadOnly, "primary server")
}

func TestClosedStoreAnswersAtOnce(t *testing.T) {
	d, err := Open(context.Background(), database(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	_, load := d.LoadRun(t.Context(), "run")
	for what, err := range map[string]error{"commit": d.Commit(t.Context(), outcome("run", "me", 1)), "renew": d.Renew(t.Context(), "me", asked), "load": load} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	d.Listen(t.Context(), func(channel, run string) { t.Errorf("heard %s %s", channel, run) })
}

func TestCallsBeyondTheConnectionsWaitTheirTurn(t *testing.T) {
	d := open(t, Options{Connections: 2})
	parallel(t, 30, func(i int) error {
		id := fmt.Sprintf("run-%d", i)
		if err := d.CreateRun(context.Background(), plumb.NewRun(id, plumb.Question{Text: "What?", At: asked}, plumb.Limits{}), engine.Lease{}); err != nil {
			return err
		}
		_, err := d.LoadRun(context.Background(), id)
		return err
	})
	c, err := d.pool.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, err := d.pool.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := d.Renew(ctx, "me", asked); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("all connections are in use: %v", err)
	}
	d.pool.give(c)
	d.pool.give(other)
	if err := d.Renew(t.Context(), "me", asked); err != nil {
		t.Error(err)
	}
}

func TestRunThatSomebodyHoldsIsLocked(t *testing.T) {
	d := open(t, Options{Wait: 50 * time.Millisecond})
	owned(t, d, "run", "me")
	c, err := d.pool.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.pool.give(c)
	for _, q := range []string{"BEGIN", "UPDATE run_states SET state = state"} {
		if _, err := c.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	told(t, errors.Unwrap(d.Commit(t.Context(), outcome("run", "me", 1))), ErrLocked, "locked by another process")
	if _, err := c.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(t.Context(), outcome("run", "me", 1)); err != nil {
		t.Error(err)
	}
}

func TestVectorsSaysWhatThereIs(t *testing.T) {
	is, text := open(t, Options{}).Vectors()
	if !strings.HasPrefix(text, "PostgreSQL ") || is != strings.Contains(text, "with pgvector") {
		t.Errorf("%v %q", is, text)
	}
}
