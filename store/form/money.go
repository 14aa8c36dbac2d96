package form

// Money: what a run has spent, what is set aside, and whether more fits.

import (
	"fmt"
	"math"
	"math/big"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

// LedgerRow is a row of the bill as JSON. One whose cost is no number is refused.
func LedgerRow(row *plumb.LedgerRow) (string, error) {
	if math.IsNaN(row.USD) || math.IsInf(row.USD, 0) {
		return "", fmt.Errorf("a cost of %v dollars", row.USD)
	}
	return JSON(row)
}

// sumBits hold the sum of any number of amounts between 1e-60 and 1e60 dollars without rounding.
const sumBits = 512

// Sum adds up amounts without rounding before the end, so that their order does not matter. Its zero value is nothing.
type Sum struct {
	usd    big.Float
	tokens int64
}

// Add adds dollars, a finite number of them, and tokens.
func (s *Sum) Add(usd float64, tokens int64) {
	s.usd.SetPrec(sumBits).Add(&s.usd, big.NewFloat(usd))
	s.tokens += tokens
}

// Spent is the sum, in the float next to it.
func (s *Sum) Spent() plumb.Spent {
	usd, _ := s.usd.Float64()
	return plumb.Spent{USD: usd, Tokens: s.tokens}
}

// CheckReservation refuses what can't be set aside.
func CheckReservation(r *llm.Reservation) error {
	if r.ID == "" || math.IsNaN(r.USD) || math.IsInf(r.USD, 0) || r.USD < 0 || r.Tokens < 0 {
		return fmt.Errorf("%q: %v dollars and %d tokens can't be set aside", r.ID, r.USD, r.Tokens)
	}
	return nil
}

// closeBy is how near to a cap, as a share of it, a database's sum in floats is not trusted. It is right to the last few
// digits, depending on the order of the rows. In SQLite it takes 0.4 ms for 2,000 rows where the exact sum takes 3 ms, during
// which nobody else writes.
const closeBy = 1e-9

// Use is what is gone of a budget, in sums of floats.
type Use struct {
	All  plumb.Spent // spent or set aside
	Held plumb.Spent // the part that is set aside
}

// Exceed says how a reservation would exceed the cap of its run or step (noun); nil when it fits. It asks exact, for the sum
// of all with the reservation, where floats don't decide.
func Exceed(r *llm.Reservation, c llm.Cap, noun string, u Use, exact func() (plumb.Spent, error)) (refused, err error) {
	over := &llm.OverBudget{Unit: noun == "step"}
	if c.Tokens != 0 && u.All.Tokens > c.Tokens-r.Tokens {
		over.Tokens, over.Soon = true, u.All.Tokens-u.Held.Tokens <= c.Tokens-r.Tokens
		return fmt.Errorf("%d tokens of the %s are gone, %d more exceed its %d: %w", u.All.Tokens, noun, r.Tokens, c.Tokens, over), nil
	}
	with := u.All.USD + r.USD
	if math.Abs(with-c.USD) <= closeBy*math.Abs(c.USD) {
		sum, err := exact()
		if err != nil {
			return nil, err
		}
		with = sum.USD
	}
	if c.USD != 0 && with > c.USD {
		over.Soon = u.Held.USD > 0 && with-u.Held.USD <= c.USD*(1-closeBy)
		return fmt.Errorf("with %.4f dollars more the %s would come to %.4f, over its %.4f: %w", r.USD, noun, with, c.USD, over), nil
	}
	return nil, nil
}
