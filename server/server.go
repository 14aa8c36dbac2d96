// Package server is Plumb over HTTP: the tasks API with its event stream, the web page, and the OpenAI-compatible
// endpoint. It talks to runs through package front alone, as the tenant that a request's key belongs to.
package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/plumbresearch/plumb/front"
)

// Options of a Server. House, Keys and Replies are needed, the rest has useful zero values.
type Options struct {
	House   *front.House
	Keys    front.Keys
	Replies front.Replies

	Open    bool     // requests without a key come from the person at this machine: loopback only
	Hosts   []string // names that a browser may use for this server beside loopback's, against DNS rebinding; none: any, where keys are needed
	Origins []string // of other sites whose scripts may call the API; none: CORS is off
	Rate    int      // requests a minute and key; default 600, -1: no limit

	MCP     http.Handler                    // at /mcp; nil: there is none
	Load    func() (queued, working int)    // of the engine, for metrics and readiness
	Ready   func(ctx context.Context) error // whether the store can be read and written
	Metrics Metrics                         // at /metrics; nil: there are none
	Log     *slog.Logger                    // default: nothing is logged
	Version string
	Now     func() time.Time // default time.Now
}

// Server answers requests. Make it with New.
type Server struct {
	o   Options
	api huma.API
	mux *http.ServeMux

	serving  context.Context // until Stop
	stop     context.CancelFunc
	stopping <-chan struct{} // closed by Stop
}

// New makes a server. Handler answers its requests.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = slog.New(requestHandler{o.Log.Handler()})
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Metrics == nil {
		o.Metrics = noMetrics{}
	}
	s := &Server{o: o, mux: http.NewServeMux()}
	s.serving, s.stop = context.WithCancel(context.Background())
	s.stopping = s.serving.Done()
	s.api = humago.New(s.mux, apiConfig(o.Version))
	s.taskRoutes()
	s.controlRoutes()
	s.reviewRoutes()
	s.threadRoutes()
	s.libraryRoutes()
	s.streamRoutes()
	s.chatRoutes()
	s.pageRoutes()
	s.healthRoutes()
	if o.MCP != nil {
		s.mux.Handle("/mcp", o.MCP)
	}
	s.describe()
	return s
}

// Handler answers requests: the guard lets them in, the routes answer.
func (s *Server) Handler() http.Handler { return s.guard(s.mux) }

// visitor is who asks.
type visitor struct {
	tenant *front.Tenant
	key    string // its name; "" for the person at this machine
}

type visitorKey struct{}

// let puts the visitor into a request's context.
func let(ctx context.Context, v visitor) context.Context {
	return context.WithValue(ctx, visitorKey{}, v)
}

// tenant is whose data a request may see. The guard has let it in, so that there is one.
func tenant(ctx context.Context) *front.Tenant { return ctx.Value(visitorKey{}).(visitor).tenant }

// by names the visitor for the record: the key, or the person at this machine.
func by(ctx context.Context) string {
	if v := ctx.Value(visitorKey{}).(visitor); v.key != "" {
		return v.key
	}
	return "local"
}

// TenantOf is whose data a request may see, for Options.MCP: the guard has let it in.
func TenantOf(r *http.Request) *front.Tenant { return tenant(r.Context()) }
