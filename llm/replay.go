package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
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
			return fmt.Errorf("step %s, model %s: %w", s.place.Step, e.name, ErrNotRecorded)
		}
		return next(ctx, e)
	}
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
