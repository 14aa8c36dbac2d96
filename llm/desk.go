package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
)

// Desk is where models and embedders are got from, with the whole chain around them. A process has one: calls of all its
// runs share the limits of a provider. It is safe for concurrent use and must not be copied.
type Desk struct {
	Open         func(name string) (Model, error)    // a provider's model by its name
	OpenEmbedder func(name string) (Embedder, error) // nil: there are none
	Ledger       Ledger                              // nil: nothing is billed, bounded or recorded
	Prices       *Prices                             // nil: the table that comes with the program
	Now          func() time.Time                    // for the stamps of rows and recordings; nil: the clock
	Retry        Retry
	Rate         Rate // of each provider

	mu        sync.Mutex
	models    map[string]Model
	embedders map[string]Embedder
	gates     map[string]*gate   // by provider
	ratios    map[string]float64 // by model: the highest tokens reported for a token estimated
}

// At is the desk as one attempt at a step sees it.
func (d *Desk) At(p Place) *Seat { return &Seat{desk: d, place: p, asked: map[string]int{}} }

// Seat gives out models and embedders for one Place. What is asked twice at a seat is recorded twice, whichever of its
// models was asked.
type Seat struct {
	desk  *Desk
	place Place

	mu    sync.Mutex
	asked map[string]int // how often, by key
}

// Model gives a model whose calls are replayed, tried again, budgeted, limited, billed and recorded.
func (s *Seat) Model(name string, role Role) (Model, error) {
	m, err := opened(s.desk, &s.desk.models, name, s.desk.Open)
	if err != nil && !s.place.Offline { // recordings need no key
		return nil, err
	}
	traits, known := s.desk.prices().Traits(name)
	if !known && m != nil {
		traits = m.Traits()
	}
	return &seated{seat: s, name: name, role: role, traits: traits, model: m}, nil
}

// Embedder does the same for embeddings.
func (s *Seat) Embedder(name string) (Embedder, error) {
	m, err := opened(s.desk, &s.desk.embedders, name, s.desk.OpenEmbedder)
	if err != nil && !s.place.Offline {
		return nil, err
	}
	return &seatedEmbedder{seat: s, name: name, embedder: m}, nil
}

// opened opens each name once, so that its connections are used again.
func opened[M any](d *Desk, kept *map[string]M, name string, open func(string) (M, error)) (M, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m, ok := (*kept)[name]; ok {
		return m, nil
	}
	var none M
	if open == nil {
		return none, fmt.Errorf("model %s: none can be opened here", name)
	}
	m, err := open(name)
	if err != nil {
		return none, fmt.Errorf("model %s: %w", name, err)
	}
	if *kept == nil {
		*kept = map[string]M{}
	}
	(*kept)[name] = m
	return m, nil
}

func (d *Desk) prices() *Prices {
	if d.Prices == nil {
		return DefaultPrices()
	}
	return d.Prices
}

func (d *Desk) ledger() Ledger {
	if d.Ledger == nil {
		return noLedger{}
	}
	return d.Ledger
}

func (d *Desk) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}

// show emits that a call waits.
func (s *Seat) show(format string, args ...any) {
	if s.place.Emit != nil {
		s.place.Emit(plumb.Event{Kind: plumb.CallWaits, Text: fmt.Sprintf(format, args...)})
	}
}

// errand is one call on its way through the chain, of a model or an embedder. Each runner of the chain adds what the
// inner ones need.
type errand struct {
	name string // provider:model
	role Role
	kind string // of its recording: model or embed
	asks any    // what is asked, for the key
	note any    // what the recording shows of it; nil: nothing

	key      string // set by replay
	nth      int
	input    int         // tokens, estimated and not calibrated
	output   int         // tokens, at most
	bound    func(n int) // told the tokens of output that were reserved
	reserved string      // set by budget, until it is settled

	again  func() // before another try
	call   func(ctx context.Context) (Usage, error)
	heard  func() int // tokens of the answer, estimated: for providers that report nothing
	encode func() (json.RawMessage, error)
	decode func(json.RawMessage) error
}

// runner does an errand, or a part of it.
type runner func(ctx context.Context, e *errand) error

// run does an errand through the whole chain.
func (s *Seat) run(ctx context.Context, e *errand) error {
	return s.replay(s.retry(s.budget(s.limit(s.bill))))(ctx, e)
}

// seated is a model at a seat.
type seated struct {
	seat   *Seat
	name   string
	role   Role
	traits Traits
	model  Model // nil: offline, and no key for it
}

func (m *seated) Name() string   { return m.name }
func (m *seated) Traits() Traits { return m.traits }

func (m *seated) Complete(ctx context.Context, r *Request) (*Answer, error) {
	sent := *r // the chain bounds its output; the caller's request stays as it is
	input := r.Tokens()
	show := func(text string) {
		if r.Delta != nil {
			r.Delta(text)
		}
	}
	var answer *Answer
	e := &errand{
		name: m.name, role: m.role, kind: "model", asks: r, note: r,
		input: input, output: outputBound(r, m.traits, input),
		bound: func(n int) { sent.Output = n },
		again: func() { show("") },
		call: func(ctx context.Context) (u Usage, err error) {
			if answer, err = m.model.Complete(ctx, &sent); err != nil {
				return Usage{}, err
			}
			if answer == nil {
				return Usage{}, errors.New("model " + m.name + ": no answer and no error")
			}
			return answer.Usage, nil
		},
		heard:  func() int { return answer.tokens() },
		encode: func() (json.RawMessage, error) { return json.Marshal(answer) },
		decode: func(b json.RawMessage) error {
			answer = &Answer{}
			if err := json.Unmarshal(b, answer); err != nil {
				return err
			}
			if answer.Text != "" {
				show(answer.Text)
			}
			return nil
		},
	}
	if err := m.seat.run(ctx, e); err != nil {
		return nil, err
	}
	return answer, nil
}

// tokens estimates an answer.
func (a *Answer) tokens() int {
	n := Tokens(a.Text)
	for _, c := range a.Calls {
		n += Tokens(c.Name) + Tokens(c.Arguments)
	}
	return n
}
