package llm

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Rate bounds the calls to one provider.
type Rate struct {
	AtOnce    int // 0: 8
	PerMinute int // evenly spread; 0: no bound
}

// shownWait is the shortest wait that is shown.
const shownWait = 2 * time.Second

// gate holds the calls to one provider.
type gate struct {
	places *semaphore.Weighted
	pace   *rate.Limiter // nil: no bound

	mu    sync.Mutex
	until time.Time // nobody calls before
}

func (d *Desk) gate(provider string) *gate {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g, ok := d.gates[provider]; ok {
		return g
	}
	atOnce := d.Rate.AtOnce
	if atOnce <= 0 {
		atOnce = 8
	}
	g := &gate{places: semaphore.NewWeighted(int64(atOnce))}
	if d.Rate.PerMinute > 0 {
		g.pace = rate.NewLimiter(rate.Limit(float64(d.Rate.PerMinute)/60), 1)
	}
	if d.gates == nil {
		d.gates = map[string]*gate{}
	}
	d.gates[provider] = g
	return g
}

// limit lets a call through when its provider has a free place and nobody was told to wait. When a provider names the
// time after which it may be asked again, all calls to it wait until then.
func (s *Seat) limit(next runner) runner {
	return func(ctx context.Context, e *errand) error {
		g := s.desk.gate(providerOf(e.name))
		if err := s.enter(ctx, g, providerOf(e.name)); err != nil {
			return err
		}
		defer g.places.Release(1)
		err := next(ctx, e)
		var trouble *Error
		if errors.As(err, &trouble) && trouble.Trouble == RateLimited {
			g.pause(min(trouble.RetryAfter, s.desk.Retry.withDefaults().Patience))
		}
		return err
	}
}

// enter takes a place, then keeps the pace, then waits for the end of a pause.
func (s *Seat) enter(ctx context.Context, g *gate, provider string) error {
	short, cancel := context.WithTimeout(ctx, shownWait)
	defer cancel()
	if err := g.places.Acquire(short, 1); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.show("waiting for a free place at %s", provider)
		if err := g.places.Acquire(ctx, 1); err != nil {
			return err
		}
	}
	err := s.keepPace(ctx, g, provider)
	for err == nil {
		left := g.left()
		if left <= 0 {
			return nil
		}
		if left > shownWait {
			s.show("%s %s: waiting %s", provider, RateLimited.phrase(), seconds(left))
		}
		err = sleep(ctx, left)
	}
	g.places.Release(1)
	return err
}

func (s *Seat) keepPace(ctx context.Context, g *gate, provider string) error {
	if g.pace == nil {
		return nil
	}
	turn := g.pace.Reserve()
	wait := turn.Delay()
	if wait > shownWait {
		s.show("keeping to the rate set for %s: waiting %s", provider, seconds(wait))
	}
	err := sleep(ctx, wait)
	if err != nil {
		turn.Cancel()
	}
	return err
}

// pause makes all calls wait.
func (g *gate) pause(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until) {
		g.until = until
	}
}

// left is how long calls must still wait.
func (g *gate) left() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}
