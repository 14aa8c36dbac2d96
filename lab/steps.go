package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// Steps does steps by a script. The zero value plans one unit, finds nothing and takes no time.
type Steps struct {
	Latency    time.Duration
	Units      []string // of the plan: "a", or "b:a" for a unit b that needs a
	Complexity float64
	Findings   int // of each unit
	Claims     int
	Ask        bool                                // scope asks one clarifying question
	Talk       bool                                // every attempt emits an event
	Fail       map[string]int                      // how many attempts at a step fail
	Hang       map[string]bool                     // steps that go on until they are stopped
	Panic      map[string]bool                     // steps that panic
	Started    func(*engine.Task)                  // is told of every attempt
	Think      func(*engine.Task) []plumb.Proposed // what a supervisor proposes; nil: complete

	mu       sync.Mutex
	attempts map[string]int
	done     []string
}

var _ engine.Doer = (*Steps)(nil)

// ErrScripted is what a scripted failure answers with.
var ErrScripted = errors.New("secret detail of a scripted failure")

// Done lists the steps that were finished, sorted, each as often as it was.
func (s *Steps) Done() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.done))
}

// Do follows the script.
func (s *Steps) Do(ctx context.Context, t *engine.Task) (*plumb.Outcome, error) {
	if s.Started != nil {
		s.Started(t)
	}
	if s.Talk {
		t.Emit(plumb.News(plumb.Warning, fmt.Sprintf("attempt %d", t.Attempt), nil))
	}
	if err := s.suffer(ctx, t.Step.ID); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.done = append(s.done, t.Step.ID)
	s.mu.Unlock()
	return s.answer(t), nil
}

// suffer takes the time and the mishaps that the script has for a step.
func (s *Steps) suffer(ctx context.Context, id string) error {
	if s.Hang[id] {
		<-ctx.Done()
		return ctx.Err()
	}
	if s.Latency > 0 {
		timer := time.NewTimer(s.Latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if s.Panic[id] {
		panic("scripted")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attempts == nil {
		s.attempts = map[string]int{}
	}
	if s.attempts[id]++; s.attempts[id] <= s.Fail[id] {
		return ErrScripted
	}
	return nil
}

func (s *Steps) answer(t *engine.Task) *plumb.Outcome {
	o := &plumb.Outcome{}
	switch t.Step.Kind {
	case plumb.StepScope:
		o.Refs.Brief = "brief"
		if s.Ask && t.Step.Round == 1 {
			o.Refs.Ask = "brief"
		}
	case plumb.StepPlan:
		o.Refs.Plan, o.Score = t.Step.ID, s.Complexity
		o.Units = Proposals(t.Step.ID, s.Units...)
	case plumb.StepUnit:
		o.Counts = plumb.Counts{Findings: s.Findings, Cited: s.Findings}
		for i := range s.Findings {
			o.Keys = append(o.Keys, fmt.Sprintf("%s/%d", t.Step.Unit, i))
		}
		o.Refs.Result = t.Step.ID
	case plumb.StepSupervise:
		if s.Think != nil {
			o.Units = s.Think(t)
		}
	case plumb.StepReview:
		o.Score = 1
	case plumb.StepClaims:
		o.Counts.Claims = s.Claims
	}
	return o
}

// Proposals makes units from "a" or "b:a,c", a unit b that needs a and c.
func Proposals(ref string, units ...string) []plumb.Proposed {
	var out []plumb.Proposed
	for _, u := range units {
		id, needs, _ := strings.Cut(u, ":")
		p := plumb.Proposed{ID: id, Ref: ref, Topic: "about " + id}
		if needs != "" {
			p.Needs = strings.Split(needs, ",")
		}
		out = append(out, p)
	}
	return out
}
