package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// readyTime is how long the store may take to answer before the server counts as not ready.
const readyTime = 2 * time.Second

type health struct {
	Body healthBody
}

type healthBody struct {
	Status  string    `json:"status" doc:"healthy or ready"`
	Version string    `json:"version,omitempty"`
	Time    time.Time `json:"time"`
	Queued  int       `json:"queued" doc:"tasks that wait for a place"`
	Working int       `json:"working" doc:"tasks under way"`
}

// healthRoutes tell whether the server runs, whether it can do its work, and what it has done.
func (s *Server) healthRoutes() {
	huma.Register(s.api, huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/health", Summary: "Whether the server runs", Tags: []string{"health"}},
		func(context.Context, *struct{}) (*health, error) { return s.health("healthy"), nil })
	huma.Register(s.api, huma.Operation{OperationID: "readiness", Method: http.MethodGet, Path: "/readiness", Summary: "Whether the server can do its work",
		Tags: []string{"health"}, Errors: []int{http.StatusServiceUnavailable}},
		func(ctx context.Context, _ *struct{}) (*health, error) {
			if err := s.ready(ctx); err != nil {
				return nil, err
			}
			return s.health("ready"), nil
		})
	if _, none := s.o.Metrics.(noMetrics); none {
		return
	}
	s.o.Metrics.Read(s.countRuns, s.o.Load)
	s.mux.Handle("GET /metrics", s.o.Metrics)
	s.api.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "metrics", Method: http.MethodGet, Path: "/metrics", Summary: "Numbers for Prometheus", Tags: []string{"health"},
		Responses: map[string]*huma.Response{"200": {Description: "The numbers", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}}}},
	})
}

func (s *Server) health(status string) *health {
	b := healthBody{Status: status, Version: s.o.Version, Time: s.o.Now().UTC()}
	if s.o.Load != nil {
		b.Queued, b.Working = s.o.Load()
	}
	return &health{Body: b}
}

// ready asks the store. Clients are told in words that say nothing of the inside.
func (s *Server) ready(ctx context.Context) error {
	select {
	case <-s.stopping:
		return fail(http.StatusServiceUnavailable, "The server is stopping")
	default:
	}
	if s.o.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	err := s.o.Ready(ctx)
	if err == nil {
		return nil
	}
	s.o.Log.ErrorContext(ctx, "not ready", "error", err)
	if errors.Is(err, context.DeadlineExceeded) {
		return fail(http.StatusServiceUnavailable, fmt.Sprintf("The store did not answer within %s", readyTime))
	}
	return fail(http.StatusServiceUnavailable, "The store can't be used")
}
