package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/store/postgres/pgtest"
)

type heard struct{ channel, run string }

// listening starts to listen and gives what is heard, until the test ends.
func listening(t *testing.T, d *DB) chan heard {
	t.Helper()
	out := make(chan heard, 100)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Listen(ctx, func(channel, run string) { out <- heard{channel, run} })
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return out
}

// next fails unless these are heard next.
func next(t *testing.T, from chan heard, want ...heard) {
	t.Helper()
	for _, w := range want {
		select {
		case h := <-from:
			if h != w {
				t.Fatalf("heard %q, want %q", h, w)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%q was not heard", w)
		}
	}
}

func TestOthersHearOfEventsAndLetters(t *testing.T) {
	dsn := database(t)
	d, other := openAt(t, dsn, Options{}), openAt(t, dsn, Options{})
	const odd = "a run with a space, ü and \x00"
	owned(t, d, "run", "me")
	owned(t, d, odd, "me")
	from := listening(t, other)
	next(t, from, heard{Events, ""}, heard{Letters, ""})
	if err := d.Commit(t.Context(), outcome("run", "me", 1)); err != nil {
		t.Fatal(err)
	}
	next(t, from, heard{Events, "run"})
	if err := d.AppendEvents(t.Context(), outcome(odd, "me", 1).Events); err != nil {
		t.Fatal(err)
	}
	next(t, from, heard{Events, odd})
	if _, err := d.Send(t.Context(), odd, plumb.Signal{Kind: plumb.SigPause}, asked); err != nil {
		t.Fatal(err)
	}
	next(t, from, heard{Letters, odd})
}

func TestListenerComesBack(t *testing.T) {
	dsn := database(t)
	p, address := through(t, dsn)
	d := openAt(t, address, Options{})
	owned(t, d, "run", "me")
	from := listening(t, d)
	next(t, from, heard{Events, ""}, heard{Letters, ""})
	pgtest.Exec(t, dsn, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	next(t, from, heard{Events, ""}, heard{Letters, ""})
	p.setDown(true)
	<-p.refused
	p.setDown(false)
	next(t, from, heard{Events, ""}, heard{Letters, ""})
	if err := d.Commit(t.Context(), outcome("run", "me", 1)); err != nil {
		t.Fatal(err)
	}
	next(t, from, heard{Events, "run"})
}

func TestClosingSendsTheLastHints(t *testing.T) {
	dsn := database(t)
	from := listening(t, openAt(t, dsn, Options{}))
	next(t, from, heard{Events, ""}, heard{Letters, ""})
	d, err := Open(t.Context(), dsn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	owned(t, d, "run", "me")
	if err := d.Commit(t.Context(), outcome("run", "me", 1)); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	next(t, from, heard{Events, "run"})
}
