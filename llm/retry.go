package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Retry says how often and how patiently a call is tried again.
type Retry struct {
	Tries    int           // in all; 0: 5; 1: never again
	First    time.Duration // wait before the second try, half of it more or less by chance; each further one doubles; 0: 500 ms
	Longest  time.Duration // wait that is chosen by us; 0: 30 s
	Patience time.Duration // longest wait that a provider may ask for, else the call fails; 0: 2 min
}

// unreachableTries is for what seldom passes: no connection at all.
const unreachableTries = 3

func (r Retry) withDefaults() Retry {
	if r.Tries <= 0 {
		r.Tries = 5
	}
	if r.First <= 0 {
		r.First = 500 * time.Millisecond
	}
	if r.Longest <= 0 {
		r.Longest = 30 * time.Second
	}
	if r.Patience <= 0 {
		r.Patience = 2 * time.Minute
	}
	return r
}

// retry tries again what may pass by itself, and shows that it waits.
func (s *Seat) retry(next runner) runner {
	return func(ctx context.Context, e *errand) error {
		rules := s.desk.Retry.withDefaults()
		wait := &backoff.ExponentialBackOff{
			InitialInterval: rules.First, MaxInterval: rules.Longest, RandomizationFactor: 0.5, Multiplier: 2,
		}
		for try := 1; ; try++ {
			err := next(ctx, e)
			var trouble *Error
			if err == nil || !errors.As(err, &trouble) {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err() // what a cancelled call says of itself is no trouble of the provider
			}
			tries := rules.Tries
			if trouble.Trouble == Unreachable {
				tries = min(tries, unreachableTries)
			}
			if !trouble.Passing() || try >= tries || trouble.RetryAfter > rules.Patience {
				return err
			}
			pause := max(min(wait.NextBackOff(), rules.Longest), trouble.RetryAfter)
			s.show("%s %s: trying again in %s", providerOf(e.name), trouble.Trouble.phrase(), seconds(pause))
			if err := sleep(ctx, pause); err != nil {
				return err
			}
			e.again()
		}
	}
}

// phrase says the trouble of a provider, for people.
func (t Trouble) phrase() string {
	switch t {
	case RateLimited:
		return "limits the rate"
	case Overloaded:
		return "is overloaded"
	case Stalled:
		return "did not answer in time"
	case Unreachable:
		return "can't be reached"
	}
	return "answered in a way that can't be used"
}

// seconds shows a wait, rounded up.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds()))
}

// sleep waits, or fails as soon as ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
