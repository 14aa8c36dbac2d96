package form

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

func TestSumDoesNotDependOnTheOrder(t *testing.T) {
	amounts := []float64{1e16, 0.1, 1, 0.2, -1e16, 0.3}
	var there, back Sum
	for i := range amounts {
		there.Add(amounts[i], 1)
		back.Add(amounts[len(amounts)-1-i], 2)
	}
	if a, b := there.Spent(), back.Spent(); a.USD != b.USD || math.Abs(a.USD-1.6) > 1e-15 || a.Tokens != 6 || b.Tokens != 12 {
		t.Errorf("%v and %v", a, b)
	}
	var none Sum
	if got := none.Spent(); got != (plumb.Spent{}) {
		t.Errorf("nothing is %v", got)
	}
}

func TestCostsThatAreNoNumbersAreRefused(t *testing.T) {
	for _, usd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := LedgerRow(&plumb.LedgerRow{USD: usd}); err == nil {
			t.Errorf("a row with %v dollars is taken", usd)
		}
		if CheckReservation(&llm.Reservation{ID: "a", USD: usd}) == nil {
			t.Errorf("%v dollars are set aside", usd)
		}
	}
	for _, r := range []llm.Reservation{{USD: 1}, {ID: "a", USD: -1}, {ID: "a", Tokens: -1}} {
		if CheckReservation(&r) == nil {
			t.Errorf("%+v is taken", r)
		}
	}
	if err := CheckReservation(&llm.Reservation{ID: "a"}); err != nil {
		t.Error(err)
	}
}

func TestReservationFitsOrIsRefused(t *testing.T) {
	for _, c := range []struct {
		name      string
		cap, more llm.Cap
		use       Use
		exact     float64 // 0: is not asked for
		refused   string  // empty: it fits
		soon      bool
	}{
		{name: "no cap on either", more: llm.Cap{USD: 9, Tokens: 9}},
		{name: "the last cent", cap: llm.Cap{USD: 1}, more: llm.Cap{USD: 0.1}, use: Use{All: plumb.Spent{USD: 0.9}}, exact: 1},
		{name: "a hair more", cap: llm.Cap{USD: 1}, more: llm.Cap{USD: 0.1}, use: Use{All: plumb.Spent{USD: 0.9}}, exact: math.Nextafter(1, 2), refused: "0.1000 dollars more"},
		{name: "spent", cap: llm.Cap{USD: 1}, more: llm.Cap{USD: 0.5}, use: Use{All: plumb.Spent{USD: 0.9}}, refused: "over its 1.0000"},
		{name: "held", cap: llm.Cap{USD: 1}, more: llm.Cap{USD: 0.5}, use: Use{All: plumb.Spent{USD: 0.9}, Held: plumb.Spent{USD: 0.8}}, refused: "over its 1.0000", soon: true},
		{name: "the last token", cap: llm.Cap{Tokens: 10}, more: llm.Cap{Tokens: 4}, use: Use{All: plumb.Spent{Tokens: 6}}},
		{name: "a token more", cap: llm.Cap{Tokens: 10}, more: llm.Cap{Tokens: 5}, use: Use{All: plumb.Spent{Tokens: 6}}, refused: "5 more exceed its 10"},
		{name: "a token that is held", cap: llm.Cap{Tokens: 10}, more: llm.Cap{Tokens: 5}, use: Use{All: plumb.Spent{Tokens: 6}, Held: plumb.Spent{Tokens: 1}}, refused: "5 more exceed its 10", soon: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := llm.Reservation{ID: "a", USD: c.more.USD, Tokens: c.more.Tokens}
			refused, err := Exceed(&r, c.cap, "step", c.use, func() (plumb.Spent, error) {
				if c.exact == 0 && c.cap.USD != 0 {
					t.Error("floats decide here")
				}
				return plumb.Spent{USD: c.exact}, nil
			})
			if err != nil || (refused == nil) != (c.refused == "") {
				t.Fatalf("%v, %v", refused, err)
			}
			if refused == nil {
				return
			}
			over, ok := errors.AsType[*llm.OverBudget](refused)
			if !ok || !over.Unit || over.Soon != c.soon || over.Tokens != (c.cap.Tokens != 0) || !strings.Contains(refused.Error(), c.refused) {
				t.Errorf("%v: %+v", refused, over)
			}
		})
	}
}

func TestSumThatCantBeReadIsNoRefusal(t *testing.T) {
	broken := errors.New("broken")
	refused, err := Exceed(&llm.Reservation{ID: "a", USD: 1}, llm.Cap{USD: 1}, "run", Use{}, func() (plumb.Spent, error) { return plumb.Spent{}, broken })
	if refused != nil || !errors.Is(err, broken) {
		t.Errorf("%v, %v", refused, err)
	}
}
