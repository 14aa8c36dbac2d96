package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Times of connections.
const (
	headerTime   = 10 * time.Second
	idleTime     = 2 * time.Minute
	shutdownTime = 10 * time.Second // for requests under way when the server stops
	maxHeader    = 64 << 10
)

// Serve answers requests until ctx is done. Then nobody new is let in, streams end (their clients take them up again at
// the next server), and requests under way have 10 seconds. The listener is closed in any case. A server that other
// machines can reach and that nobody needs a key for, or nobody has a key for, does not start.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if err := s.safe(ctx, l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn)}
	over := make(chan struct{})
	keep := context.AfterFunc(ctx, func() {
		defer close(over)
		s.Stop()
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if err := h.Shutdown(wait); err != nil {
			s.o.Log.Warn("requests under way were cut off", "error", errors.Join(err, h.Close()))
		}
	})
	err := h.Serve(l)
	if !keep() {
		<-over
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve %s: %w", l.Addr(), err)
}

// safe refuses to serve other machines without keys.
func (s *Server) safe(ctx context.Context, addr net.Addr) error {
	if at, err := netip.ParseAddrPort(addr.String()); err == nil && at.Addr().Unmap().IsLoopback() {
		return nil
	}
	if s.o.Open {
		return fmt.Errorf("serve %s: other machines can reach this address, and no key would be needed: listen on 127.0.0.1", addr)
	}
	keys, err := s.o.Keys.Keys(ctx)
	if err != nil {
		return fmt.Errorf("serve %s: %w", addr, err)
	}
	if len(keys) == 0 {
		return fmt.Errorf("serve %s: other machines can reach this address, and there is no key: make one with plumb serve keys add NAME", addr)
	}
	return nil
}
