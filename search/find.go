package search

// A search: all chosen engines at once, their answers made into one list.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
)

const (
	// searchTime and engineTime bound a whole search and the part of each engine in it, waiting for its turn included.
	searchTime = 60 * time.Second
	engineTime = 15 * time.Second
	// defaultKeep is how many leads a reader of them can weigh.
	defaultKeep = 8
)

// Search is a choice of engines of one kind.
type Search struct {
	engines []Engine
	hosts   []string
	keep    int
	now     func() time.Time
}

// Names are the chosen engines.
func (s *Search) Names() []string {
	var out []string
	for _, e := range s.engines {
		out = append(out, e.Name())
	}
	return out
}

// Hosts are whom the query is sent to.
func (s *Search) Hosts() []string { return append([]string(nil), s.hosts...) }

// Find asks all engines at once and gives the best leads, best first. It is an error when no engine answered, not when
// nothing was found; news says which engines failed and why.
func (s *Search) Find(ctx context.Context, q Query) ([]plumb.Lead, plumb.LeadsNews, error) {
	news := plumb.LeadsNews{Query: q.Text, Engines: s.Names()}
	q, err := q.checked()
	if err != nil {
		return nil, news, fmt.Errorf("search: %w", err)
	}
	news.Query = q.Text
	answers, faults := s.askAll(ctx, q)
	if err := ctx.Err(); err != nil {
		return nil, news, err
	}
	for i := range s.engines {
		news.Found += len(answers[i])
		if faults[i] != nil {
			news.Failed = append(news.Failed, faults[i].Error())
		}
	}
	if len(news.Failed) == len(s.engines) {
		return nil, news, &allFailed{news.Failed}
	}
	leads := fuse(answers, q, s.now())
	leads = leads[:min(len(leads), s.keep)]
	news.Kept = len(leads)
	return leads, news, nil
}

// askAll gives the answer or the fault of each engine, in their order.
func (s *Search) askAll(ctx context.Context, q Query) ([][]plumb.Lead, []error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	answers, faults := make([][]plumb.Lead, len(s.engines)), make([]error, len(s.engines))
	var wait sync.WaitGroup
	for i, e := range s.engines {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, engineTime)
			defer cancel()
			answers[i], faults[i] = e.Search(ctx, q)
			var known *Fault
			if faults[i] != nil && !errors.As(faults[i], &known) {
				faults[i] = &Fault{Engine: e.Name(), What: "failed", cause: faults[i]}
			}
		})
	}
	wait.Wait()
	return answers, faults
}
