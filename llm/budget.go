package llm

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
)

const (
	// plainOutput bounds an answer for which the caller set no bound, in tokens: a reservation must be an upper bound, and
	// what a model would allow (128,000) would use up most budgets at once.
	plainOutput = 4096
	// firstFactor makes the estimate of a prompt err on the high side until the model's own count is known.
	firstFactor = 1.2
	// laterFactor is for the spread around the highest ratio seen.
	laterFactor = 1.1
	// steadyPrompt is the smallest estimate, in tokens, that teaches a ratio: what is around a short prompt weighs too much.
	steadyPrompt = 200
)

// outputBound is how many tokens an answer may have: what the caller set, else at most a quarter of the window as Room
// leaves it, and what the model may think before; never more than its limit or what the prompt leaves of the window.
// Servers refuse such calls.
func outputBound(r *Request, t Traits, input int) int {
	n := r.Output
	if n <= 0 {
		n = min(plainOutput, cmp.Or(t.Window, smallWindow)/4)
	}
	n += t.Thinking
	if t.Output > 0 {
		n = min(n, t.Output)
	}
	if left := t.Window - input; left > 0 {
		n = min(n, left)
	}
	return max(n, 1)
}

// budget sets the estimate of a call aside before it is made, and lets go of it if it was never billed.
func (s *Seat) budget(next runner) runner {
	return func(ctx context.Context, e *errand) error {
		e.bound(e.output)
		r := s.reservation(e)
		if err := s.reserve(ctx, r); err != nil {
			return err
		}
		e.reserved = r.ID
		err := next(ctx, e)
		if e.reserved == "" {
			return err
		}
		if free := s.desk.ledger().Settle(context.WithoutCancel(ctx), e.reserved, nil, nil); free != nil {
			return errors.Join(err, fmt.Errorf("ledger: %w", free))
		}
		e.reserved = ""
		return err
	}
}

// freeEvery is how often a call looks whether others have come free of what they set aside.
const freeEvery = 100 * time.Millisecond

// reserve sets an estimate aside. Where only calls under way leave no room, it waits for them: they cost less than what
// they set aside.
func (s *Seat) reserve(ctx context.Context, r Reservation) error {
	for {
		err := s.desk.ledger().Reserve(ctx, r)
		var over *OverBudget
		switch {
		case err == nil, errors.Is(err, ErrBudget) && (!errors.As(err, &over) || !over.Soon):
			return err
		case over == nil:
			return fmt.Errorf("ledger: %w", err)
		}
		select {
		case <-time.After(freeEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reservation is the estimate with the caps that hold here.
func (s *Seat) reservation(e *errand) Reservation {
	u := Usage{Input: int64(math.Ceil(float64(e.input) * s.desk.factor(e.name))), Output: int64(e.output)}
	usd, _ := s.desk.prices().Cost(e.name, u) // without a price the tokens alone are bounded
	return Reservation{
		ID: rand.Text(), Run: s.place.Run, Step: s.place.Step,
		USD: usd, Tokens: u.Sum(),
		RunCap: runCap(s.place), StepCap: stepCap(s.place),
	}
}

// runCap is the share of the run's caps that may be used up here.
func runCap(p Place) Cap {
	c := Cap{USD: p.Caps.USD, Tokens: p.Caps.Tokens}
	if p.Share > 0 && p.Share < 1 {
		c.USD *= p.Share
		if c.Tokens > 0 {
			c.Tokens = max(1, int64(float64(c.Tokens)*p.Share)) // 0 would be no cap
		}
	}
	return c
}

// stepCap is for units alone: other steps have the run's cap.
func stepCap(p Place) Cap {
	if !strings.HasPrefix(p.Step, string(plumb.StepUnit)+".") {
		return Cap{}
	}
	return Cap{USD: p.Caps.UnitUSD, Tokens: p.Caps.UnitToks}
}

// factor is what an estimate of a model's prompt is multiplied with.
func (d *Desk) factor(model string) float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ratio := d.ratios[model]; ratio > 0 {
		return ratio * laterFactor
	}
	return firstFactor
}

// learn takes note of what a provider counted for a prompt.
func (d *Desk) learn(model string, estimated int, reported int64) {
	if estimated < steadyPrompt || reported <= 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ratios == nil {
		d.ratios = map[string]float64{}
	}
	d.ratios[model] = max(d.ratios[model], float64(reported)/float64(estimated))
}
