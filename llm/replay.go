package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbresearch/plumb"
)

// replay answers from the recordings of the run and of its tapes. Such an answer costs nothing and is not on the bill.
func (s *Seat) replay(next runner) runner {
	return func(ctx context.Context, e *errand) error {
		var err error
		if e.key, err = keyOf(e); err != nil {
			return fmt.Errorf("model %s: %w", e.name, err)
		}
		e.nth = s.count(e.key)
		for _, run := range slices.Concat([]string{s.place.Run}, s.place.Tapes) {
			rec, err := s.desk.ledger().Recorded(ctx, run, s.place.Step, e.key, e.nth)
			if err != nil {
				return fmt.Errorf("recording of %s: %w", s.place.Step, err)
			}
			if rec == nil {
				continue
			}
			if err := e.decode(rec.Answer); err != nil {
				return fmt.Errorf("recording of %s: %w", s.place.Step, err)
			}
			return nil
		}
		if s.place.Offline {
			return s.failedBefore(ctx, e)
		}
		err = next(ctx, e)
		var trouble *Error
		if ctx.Err() == nil && errors.As(err, &trouble) {
			if rerr := s.recordFailure(ctx, e, trouble); rerr != nil {
				return errors.Join(err, rerr)
			}
		}
		return err
	}
}

// failed is what is recorded of a call that was given up: enough for those who asked to do the same again.
type failed struct {
	Trouble Trouble `json:"trouble"`
	Cure    string  `json:"cure,omitempty"`
}

// failedKey is where failures are recorded, beside the answers: whoever goes on with a run asks again.
func failedKey(e *errand) string { return e.key + ".failed" }

func (s *Seat) recordFailure(ctx context.Context, e *errand, trouble *Error) error {
	body, err := json.Marshal(failed{trouble.Trouble, trouble.Cure})
	if err != nil {
		return fmt.Errorf("recording of %s: %w", s.place.Step, err)
	}
	rec := &plumb.Recording{Run: s.place.Run, Step: s.place.Step, Key: failedKey(e), Nth: e.nth, Kind: e.kind, At: s.desk.now(), Answer: body}
	return s.desk.ledger().Settle(context.WithoutCancel(ctx), "", nil, rec)
}

// failedBefore fails as the call did the first time, if it did.
func (s *Seat) failedBefore(ctx context.Context, e *errand) error {
	rec, err := s.desk.ledger().Recorded(ctx, s.place.Run, s.place.Step, failedKey(e), e.nth)
	if err != nil {
		return fmt.Errorf("recording of %s: %w", s.place.Step, err)
	}
	if rec == nil {
		return fmt.Errorf("step %s, model %s: %w", s.place.Step, e.name, ErrNotRecorded)
	}
	var f failed
	if err := json.Unmarshal(rec.Answer, &f); err != nil {
		return fmt.Errorf("recording of %s: %w", s.place.Step, err)
	}
	return &Error{Trouble: f.Trouble, Model: e.name, Cure: f.Cure}
}

// count says how often the key was asked here before.
func (s *Seat) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.asked[key]
	s.asked[key] = n + 1
	return n
}

// keyOf is the SHA-256 of what is asked, of whom and as what, in JSON whose objects are sorted: schemas and parameters
// are JSON that came from elsewhere.
func keyOf(e *errand) (string, error) {
	b, err := json.Marshal(struct {
		Role  Role   `json:"role"`
		Model string `json:"model"`
		Asks  any    `json:"asks"`
	}{e.role, e.name, e.asks})
	if err != nil {
		return "", err
	}
	var sorted any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&sorted); err != nil {
		return "", err
	}
	if b, err = json.Marshal(sorted); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
