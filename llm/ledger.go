package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb"
)

// bill makes the call, then puts its row on the bill and keeps its answer in one durable write, also when ctx has ended
// meanwhile. A call that failed is on the bill if it was billed all the same; its failure is recorded by replay, once it is given up.
func (s *Seat) bill(ctx context.Context, e *errand) error {
	began := s.desk.now()
	usage, failed := e.call(ctx)
	row := s.row(e, began, usage, failed)
	var rec *plumb.Recording
	if failed == nil {
		s.desk.learn(e.name, e.input, usage.Input)
		if rec, failed = s.recording(e); failed == nil {
			row.Reference = fmt.Sprintf("%s.%d", rec.Key, rec.Nth)
		}
	}
	reserved := e.reserved
	e.reserved = "" // what can't be written stays set aside: it was spent
	if err := s.desk.ledger().Settle(context.WithoutCancel(ctx), reserved, row, rec); err != nil {
		return errors.Join(failed, fmt.Errorf("ledger: %w", err))
	}
	return failed
}

// row is the call on the bill; nil when nothing was billed.
func (s *Seat) row(e *errand, began time.Time, u Usage, failed error) *plumb.LedgerRow {
	row := &plumb.LedgerRow{Run: s.place.Run, Step: s.place.Step, Role: string(e.role), Model: e.name, At: began}
	if failed != nil {
		var trouble *Error
		if !errors.As(failed, &trouble) || trouble.Usage.Sum() == 0 {
			return nil
		}
		u, row.Error = trouble.Usage, trouble.Safe()
	}
	u, row.Split = u.apart()
	if u.Sum() == 0 { // a server that reports nothing: the estimate, so that caps hold there too
		u, row.Split = Usage{Input: int64(e.input), Output: int64(e.heard())}, true
	}
	row.Input, row.Cached, row.Output = u.Input, u.Cached, u.Output
	row.USD, row.Priced = s.desk.prices().Cost(e.name, u)
	row.Duration = s.desk.now().Sub(began)
	return row
}

func (s *Seat) recording(e *errand) (*plumb.Recording, error) {
	answer, err := e.encode()
	if err != nil {
		return nil, fmt.Errorf("recording of %s: %w", s.place.Step, err)
	}
	rec := &plumb.Recording{
		Run: s.place.Run, Step: s.place.Step, Key: e.key, Nth: e.nth, Kind: e.kind, At: s.desk.now(), Answer: answer,
	}
	if e.note != nil {
		if rec.Asked, err = json.Marshal(e.note); err != nil {
			return nil, fmt.Errorf("recording of %s: %w", s.place.Step, err)
		}
	}
	return rec, nil
}

// noLedger keeps nothing.
type noLedger struct{}

func (noLedger) Reserve(context.Context, Reservation) error { return nil }
func (noLedger) Settle(context.Context, string, *plumb.LedgerRow, *plumb.Recording) error {
	return nil
}
func (noLedger) Forget(context.Context, string, string) error { return nil }
func (noLedger) Recorded(context.Context, string, string, string, int) (*plumb.Recording, error) {
	return nil, nil
}
