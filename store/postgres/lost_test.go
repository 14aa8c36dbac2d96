package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

// count is the one number that a query gives.
func count(t *testing.T, d *DB, query string, args ...any) int {
	t.Helper()
	n, err := read(t.Context(), d, plain[int], query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n[0]
}

// A call whose connection is cut at any of its messages has the effect of one call.
var cutCalls = []struct {
	name  string
	do    func(ctx context.Context, d *DB, run string) error
	count string // what it leaves of the run with the number $1, once
}{
	{"commit", func(ctx context.Context, d *DB, run string) error { return d.Commit(ctx, outcome(run, "me", 1)) },
		`SELECT (SELECT count(*) FROM outcomes WHERE run = $1) * 2 + (SELECT count(*) FROM events WHERE run = $1) - 3`},
	{"events", func(ctx context.Context, d *DB, run string) error {
		return d.AppendEvents(ctx, outcome(run, "me", 1).Events)
	},
		`SELECT count(*) / 2 FROM events WHERE run = $1`},
	{"ledger", func(ctx context.Context, d *DB, run string) error {
		return d.AddLedgerRow(ctx, plumb.LedgerRow{Run: run, At: asked, USD: 1})
	}, `SELECT count(*) FROM ledger WHERE run = $1`},
	{"reserve", func(ctx context.Context, d *DB, run string) error {
		return d.Reserve(ctx, llm.Reservation{ID: run, Run: run, USD: 1, RunCap: llm.Cap{USD: 1}})
	}, `SELECT count(*) FROM reservations WHERE run = $1`},
	{"send", func(ctx context.Context, d *DB, run string) error {
		_, err := d.Send(ctx, run, plumb.Signal{Kind: plumb.SigPause}, asked)
		return err
	}, `SELECT count(*) FROM inbox WHERE run = $1`},
	{"take over", func(ctx context.Context, d *DB, run string) error {
		taken, err := d.TakeOver(ctx, run, "me", "you", asked)
		if err == nil && !taken {
			err = errors.New("not taken over")
		}
		return err
	}, `SELECT count(*) FROM run_states WHERE run = $1 AND owner = 'you'`},
	{"findings", func(ctx context.Context, d *DB, run string) error {
		return d.PutFindings(ctx, run, "u1", []plumb.Finding{{ID: "f"}})
	}, `SELECT count(*) FROM findings WHERE run = $1`},
	{"load", func(ctx context.Context, d *DB, run string) error {
		rec, err := d.LoadRun(ctx, run)
		if err == nil && rec.Run.ID != run {
			err = fmt.Errorf("run %s", rec.Run.ID)
		}
		return err
	}, `SELECT 1 WHERE $1::bigint > 0`},
	{"list", func(ctx context.Context, d *DB, run string) error {
		list, err := d.Runs(ctx, engine.Filter{})
		if err == nil && slices.ContainsFunc(list, func(s engine.Summary) bool { return s.ID == run }) {
			return nil
		}
		return errors.Join(err, errors.New("not in the list"))
	}, `SELECT 1 WHERE $1::bigint > 0`},
}

func TestCallsThatAreCutAnywhereCountOnce(t *testing.T) {
	dsn := database(t)
	direct := openAt(t, dsn, Options{})
	p, address := through(t, dsn)
	d := openAt(t, address, Options{Connections: 2})
	for _, c := range cutCalls {
		t.Run(c.name, func(t *testing.T) {
			owned(t, direct, c.name, "me")
			if err := c.do(t.Context(), d, c.name); err != nil { // statements are prepared now
				t.Fatal(err)
			}
			for _, how := range []cut{request, reply, silent} {
				made := 0
				for n := 1; n <= 6; n++ {
					run := fmt.Sprintf("%s, %s %d", c.name, how, n)
					owned(t, direct, run, "me")
					p.at(how, n)
					if err := c.do(t.Context(), d, run); err != nil {
						t.Errorf("%s: %v", run, err)
					}
					if p.spent() {
						made++
					}
					p.at(nothing, 0)
					if n := count(t, direct, strings.ReplaceAll(c.count, "$1", runN), run); n != 1 {
						t.Errorf("%s: counts %d times", run, n)
					}
				}
				if made == 0 {
					t.Errorf("%s: nothing was cut", how)
				}
			}
		})
	}
}

func TestServerThatComesBackIsWaitedFor(t *testing.T) {
	dsn := database(t)
	p, address := through(t, dsn)
	d := openAt(t, address, Options{Wait: time.Minute})
	owned(t, d, "run", "me")
	p.setDown(true)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.Commit(context.Background(), outcome("run", "me", 1)); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		if _, err := d.LoadRun(context.Background(), "run"); err != nil {
			t.Error(err)
		}
	})
	<-p.refused
	<-p.refused
	p.setDown(false)
	wg.Wait()
	if rec, err := d.LoadRun(t.Context(), "run"); err != nil || len(rec.Journal) != 1 {
		t.Errorf("%d outcomes, %v", len(rec.Journal), err)
	}
}

func TestServerThatStaysAwayIsNamed(t *testing.T) {
	dsn := database(t)
	p, address := through(t, dsn)
	d := openAt(t, address, Options{Wait: 30 * time.Millisecond})
	owned(t, d, "run", "me")
	p.setDown(true)
	told(t, errors.Unwrap(d.Commit(t.Context(), outcome("run", "me", 1))), ErrUnreachable, "can't be reached", "see that the server runs")
	_, err := d.LoadRun(t.Context(), "run")
	told(t, errors.Unwrap(err), ErrUnreachable, "can't be reached")
	p.setDown(false)
	if err := d.Commit(t.Context(), outcome("run", "me", 1)); err != nil {
		t.Error(err)
	}
}

// A commit that neither counts for sure nor can be done again is told as such.
func TestFateThatNobodyTellsIsUnknown(t *testing.T) {
	dsn := database(t)
	p, address := through(t, dsn)
	d := openAt(t, address, Options{Wait: 30 * time.Millisecond, Connections: 1})
	owned(t, d, "run", "me")
	row := plumb.LedgerRow{Run: "run", At: asked, USD: 1}
	if err := d.AddLedgerRow(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	p.at(reply, 4) // BEGIN, the run's number, the row, COMMIT
	p.downAfter = true
	told(t, d.AddLedgerRow(t.Context(), row), ErrUnreachable, "whether that counts is unknown", "see that the server runs")
	p.setDown(false)
	if n := count(t, d, `SELECT count(*) FROM ledger`); n != 2 {
		t.Errorf("%d rows", n)
	}
}

func TestTrafficSurvivesKilledConnections(t *testing.T) {
	d := open(t, Options{Wait: time.Minute})
	const runs, steps = 6, 25
	done, killed := make(chan struct{}, 1), make(chan int)
	go func() { killed <- killAll(t, d, done) }()
	parallel(t, runs, func(i int) error {
		run := fmt.Sprintf("run-%d", i)
		owned(t, d, run, "me")
		for seq := 1; seq <= steps; seq++ {
			if err := work(context.Background(), d, run, seq); err != nil {
				return err
			}
			select {
			case done <- struct{}{}:
			default:
			}
		}
		return nil
	})
	close(done)
	if n := <-killed; n < 10 {
		t.Errorf("only %d connections were killed", n)
	}
	for i := range runs {
		run := fmt.Sprintf("run-%d", i)
		rec, err := d.LoadRun(t.Context(), run)
		if err != nil || len(rec.Journal) != steps || rec.LastSeq != 2*steps {
			t.Errorf("%s: %d outcomes, %d events, %v", run, len(rec.Journal), rec.LastSeq, err)
		}
		if spent, err := d.Spent(t.Context(), run); err != nil || spent != (plumb.Spent{USD: steps, Tokens: steps}) {
			t.Errorf("%s: %v, %v", run, spent, err)
		}
	}
	if n := count(t, d, `SELECT count(*) FROM reservations`); n != 0 {
		t.Errorf("%d reservations are left", n)
	}
}

// work is what a step does to a store.
func work(ctx context.Context, d *DB, run string, seq int) error {
	id := fmt.Sprint(run, "/", seq)
	if err := d.Reserve(ctx, llm.Reservation{ID: id, Run: run, Step: "x", USD: 1, RunCap: llm.Cap{USD: 1000}}); err != nil {
		return err
	}
	if err := d.Settle(ctx, id, &plumb.LedgerRow{Run: run, Step: "x", At: asked, USD: 1, Input: 1}, nil); err != nil {
		return err
	}
	if err := d.PutArtefact(ctx, run, "draft", seq); err != nil {
		return err
	}
	return d.Commit(ctx, outcome(run, "me", seq))
}

// killAll ends all connections of a store each time that something was done, and says how many.
func killAll(t *testing.T, d *DB, done chan struct{}) (n int) {
	config := d.pool.config.Copy()
	config.RuntimeParams["application_name"] = "killer"
	c, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer c.Close(context.Background())
	for range done {
		tag, err := c.Exec(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'plumb'`)
		if err != nil {
			t.Error(err)
		}
		n += int(tag.RowsAffected())
	}
	return n
}
