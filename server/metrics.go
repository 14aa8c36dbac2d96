package server

import (
	"context"
	"net/http"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// Metrics count requests and show the numbers; watch.Metrics does.
type Metrics interface {
	http.Handler
	// Request counts an answer. The route is the pattern that answered; empty: none did.
	Request(route string, status int, took time.Duration)
	// Stream counts open event streams up and down.
	Stream(change int)
	// Read says what to ask when somebody looks; load may be nil.
	Read(runs func(ctx context.Context, s plumb.State) (int, error), load func() (queued, working int))
}

// noMetrics counts nothing and shows nothing.
type noMetrics struct{}

func (noMetrics) ServeHTTP(w http.ResponseWriter, r *http.Request)                        { http.NotFound(w, r) }
func (noMetrics) Request(string, int, time.Duration)                                      {}
func (noMetrics) Stream(int)                                                              {}
func (noMetrics) Read(func(context.Context, plumb.State) (int, error), func() (int, int)) {}

// countRuns counts the runs of all tenants in a state.
func (s *Server) countRuns(ctx context.Context, state plumb.State) (int, error) {
	return s.o.House.Store.CountRuns(ctx, engine.Filter{State: state})
}
