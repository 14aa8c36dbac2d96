package llm

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/plumbresearch/plumb"
)

// Script is a model for tests: a function answers. It is safe for concurrent use if the function is.
type Script struct {
	ID     string // provider:model; empty: script:model
	Can    Traits // zero: a window of 32,000, an output of 4,096, tools and schemas
	Answer func(r *Request) (*Answer, error)

	mu    sync.Mutex
	asked []Request
}

// Name is the model's name.
func (s *Script) Name() string { return cmp.Or(s.ID, "script:model") }

// Traits are what the script is said to be able to do.
func (s *Script) Traits() Traits {
	return cmp.Or(s.Can, Traits{Window: 32_000, Output: 4096, Tools: true, Schema: true})
}

// Complete lets the function answer. An answer without a usage gets an estimated one, one without a stop its end.
func (s *Script) Complete(ctx context.Context, r *Request) (*Answer, error) {
	s.mu.Lock()
	s.asked = append(s.asked, *r)
	s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	got, err := s.Answer(r)
	if err != nil {
		return nil, err
	}
	a := *got
	if a.Stop == "" {
		a.Stop = End
		if len(a.Calls) > 0 {
			a.Stop = ForTool
		}
	}
	if a.Usage == (Usage{}) {
		a.Usage = Usage{Input: int64(r.Tokens()), Output: int64(a.tokens())}
	}
	if r.Delta != nil && a.Text != "" {
		r.Delta(a.Text)
	}
	return &a, nil
}

// Asked are the requests that came, in the order in which they came.
func (s *Script) Asked() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Says scripts the same text for every request.
func Says(text string) *Script {
	return &Script{Answer: func(*Request) (*Answer, error) { return &Answer{Text: text}, nil }}
}

// WordEmbedder is an embedder for tests: texts with the same words have near vectors, the same on every machine.
type WordEmbedder struct{ ID string } // provider:model; empty: script:embed

// Name is the embedder's name.
func (w WordEmbedder) Name() string { return cmp.Or(w.ID, "script:embed") }

// Embed counts words into 64 buckets, to a length of 1.
func (w WordEmbedder) Embed(ctx context.Context, texts []string) (*Vectors, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &Vectors{Vectors: make([][]float32, len(texts))}
	for i, t := range texts {
		v := make([]float32, 64)
		sum := 0.0
		for word := range strings.FieldsSeq(strings.ToLower(t)) {
			h := fnv.New32a()
			h.Write([]byte(strings.Trim(word, ".,;:!?\"'()"))) //nolint:errcheck // a hash takes everything
			v[h.Sum32()%64]++
		}
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(max(math.Sqrt(sum), 1))
		}
		out.Vectors[i] = v
		out.Usage.Input += int64(Tokens(t))
	}
	return out, nil
}

// MemoryLedger is a Ledger that forgets everything when the process ends. Its zero value is empty. It is safe for
// concurrent use.
type MemoryLedger struct {
	mu       sync.Mutex
	rows     []plumb.LedgerRow
	held     map[string]Reservation
	recorded map[recordKey]plumb.Recording
}

type recordKey struct {
	run, step, key string
	nth            int
}

// Reserve implements Ledger.
func (l *MemoryLedger) Reserve(ctx context.Context, r Reservation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.held[r.ID]; ok {
		return fmt.Errorf("reservation %s exists", r.ID)
	}
	want := Cap{USD: r.USD, Tokens: r.Tokens}
	if over(l.used(r.Run, "", true), want, r.RunCap) {
		return &OverBudget{Soon: !over(l.used(r.Run, "", false), want, r.RunCap)}
	}
	if over(l.used(r.Run, r.Step, true), want, r.StepCap) {
		return &OverBudget{Unit: true, Soon: !over(l.used(r.Run, r.Step, false), want, r.StepCap)}
	}
	if l.held == nil {
		l.held = map[string]Reservation{}
	}
	l.held[r.ID] = r
	return nil
}

// over reports whether what is used and what is wanted together break a cap. A billionth of a dollar is rounding.
func over(used, want, c Cap) bool {
	return c.USD > 0 && used.USD+want.USD > c.USD+1e-9 || c.Tokens > 0 && used.Tokens+want.Tokens > c.Tokens
}

// used is what a run, or one step of it, has spent and, with held, set aside.
func (l *MemoryLedger) used(run, step string, held bool) Cap {
	var c Cap
	for _, row := range l.rows {
		if row.Run == run && (step == "" || row.Step == step) {
			c.USD += row.USD
			c.Tokens += row.Input + row.Output
		}
	}
	for _, r := range l.held {
		if held && r.Run == run && (step == "" || r.Step == step) {
			c.USD += r.USD
			c.Tokens += r.Tokens
		}
	}
	return c
}

// Settle implements Ledger.
func (l *MemoryLedger) Settle(ctx context.Context, reservation string, row *plumb.LedgerRow, rec *plumb.Recording) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, open := l.held[reservation]
	delete(l.held, reservation)
	if row != nil && (open || reservation == "") { // settled already: not billed twice
		l.rows = append(l.rows, *row)
	}
	if rec != nil {
		if l.recorded == nil {
			l.recorded = map[recordKey]plumb.Recording{}
		}
		l.recorded[recordKey{rec.Run, rec.Step, rec.Key, rec.Nth}] = *rec
	}
	return nil
}

// Forget implements Ledger.
func (l *MemoryLedger) Forget(_ context.Context, run, step string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, r := range l.held {
		if r.Run == run && r.Step == step {
			delete(l.held, id)
		}
	}
	return nil
}

// Recorded implements Ledger.
func (l *MemoryLedger) Recorded(_ context.Context, run, step, key string, nth int) (*plumb.Recording, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if rec, ok := l.recorded[recordKey{run, step, key, nth}]; ok {
		return &rec, nil
	}
	return nil, nil
}

// Rows is the bill of all runs.
func (l *MemoryLedger) Rows() []plumb.LedgerRow {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.rows)
}

// Recordings counts what was recorded.
func (l *MemoryLedger) Recordings() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.recorded)
}

// Held is what is set aside for calls under way, of all runs.
func (l *MemoryLedger) Held() Cap {
	l.mu.Lock()
	defer l.mu.Unlock()
	var c Cap
	for _, r := range l.held {
		c.USD += r.USD
		c.Tokens += r.Tokens
	}
	return c
}
