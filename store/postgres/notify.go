package postgres

// Hints to other processes, so that they need not wait for their next poll: that a run has new events, or mail. A hint
// may get lost; whoever relies on them polls too.

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Channels that processes listen on. A message is the number of the last event, or of the letter, a space and the run.
const (
	Events  = "plumb_events"
	Letters = "plumb_letters"
)

// maxHint bounds a message in bytes; PostgreSQL takes 7,999.
const maxHint = 7000

// hints tells others of events, after they are stored. Inside the transactions it would put them all in a row:
// PostgreSQL lets one that notifies commit at a time, so that they could not share their waits for the disk.
type hints struct {
	mu   sync.Mutex
	last map[string]int64 // number of the last event, by run
	wake chan struct{}
	quit context.CancelFunc
	done chan struct{}
}

func (h *hints) start(d *DB) {
	if d.o.ReadOnly {
		return
	}
	ctx, quit := context.WithCancel(context.Background())
	h.last, h.wake, h.quit, h.done = map[string]int64{}, make(chan struct{}, 1), quit, make(chan struct{})
	go func() {
		defer close(h.done)
		for {
			select {
			case <-h.wake:
				d.hint()
			case <-ctx.Done():
				d.hint()
				return
			}
		}
	}()
}

// stop sends what waits and returns when no hint is on its way.
func (h *hints) stop() {
	if h.quit != nil {
		h.quit()
		<-h.done
	}
}

// tell notes that a run has events up to seq.
func (h *hints) tell(run string, seq int64) {
	if h.wake == nil || len(run) > maxHint/3 { // escaping makes three bytes of one at most
		return
	}
	h.mu.Lock()
	h.last[run] = max(h.last[run], seq)
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// take gives the messages that wait.
func (h *hints) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for run, seq := range h.last {
		out = append(out, fmt.Sprint(seq, " ", run))
	}
	clear(h.last)
	return out
}

// hint sends what waits, in one statement. An error loses hints and nothing else.
func (d *DB) hint() {
	messages := d.hints.take()
	if len(messages) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.o.Wait)
	defer cancel()
	c, err := d.pool.take(ctx)
	if err != nil {
		return
	}
	defer d.pool.give(c)
	if _, err := c.Exec(ctx, `SELECT pg_notify($1, message) FROM unnest($2::text[]) message`, Events, messages); err != nil {
		return
	}
}

// Times of a connection that listens.
const (
	quiet     = 30 * time.Second // after so long without a word it is asked whether it still lives
	soon      = 100 * time.Millisecond
	maxListen = 10 * time.Second // between tries to connect
)

// Listen calls heard with the channel and the run of every hint, until ctx is over or the store is closed. After it
// connected, also again, it calls heard for each channel without a run: anything may have happened before. It has a
// connection of its own; heard must not block for long.
func (d *DB) Listen(ctx context.Context, heard func(channel, run string)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-d.pool.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	for pause := soon; ctx.Err() == nil; {
		if pause = min(2*pause, maxListen); d.listen(ctx, heard) {
			pause = soon
		}
		rest(ctx, pause)
	}
}

// listen does so on one connection until it breaks, and reports whether it ever listened.
func (d *DB) listen(ctx context.Context, heard func(channel, run string)) bool {
	c, err := connect(ctx, d.pool.config)
	if err != nil {
		return false
	}
	defer c.hangUp()
	for _, channel := range []string{Events, Letters} {
		if _, err := c.Exec(ctx, "LISTEN "+channel); err != nil {
			return false
		}
	}
	heard(Events, "")
	heard(Letters, "")
	for ctx.Err() == nil {
		waiting, cancel := context.WithTimeout(ctx, quiet)
		n, err := c.WaitForNotification(waiting)
		cancel()
		if err == nil {
			if _, run, ok := strings.Cut(n.Payload, " "); ok {
				heard(n.Channel, unescape(run))
			}
			continue
		}
		if c.IsClosed() || ctx.Err() != nil || !c.answers(ctx) {
			break
		}
	}
	return true
}
