package main

// plumb serve: the same runs over HTTP.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/mcp"
	"github.com/plumbresearch/plumb/server"
)

func (r *root) serveCommand() *cobra.Command {
	var addr, driver string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP API, the web page, an OpenAI-compatible endpoint and MCP",
		Long: `Serves Plumb on this machine: a web page, the tasks API with its event stream, an endpoint for OpenAI clients at /v1, MCP at /mcp,
and metrics. Runs that were under way when it was stopped, however it was stopped, go on.

On a loopback address no key is needed. Any other address needs one: plumb serve keys add NAME.`,
		Example: `  plumb serve
  plumb serve keys add alice
  plumb serve --addr 0.0.0.0:8080
  plumb serve --engine temporal`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.serve(cmd.Context(), firstNonEmpty(addr, r.config.Server.Addr), firstNonEmpty(driver, r.config.Server.Engine))
		},
	}
	c.Flags().StringVar(&addr, "addr", "", "address to listen on (default 127.0.0.1:8080)")
	c.Flags().StringVar(&driver, "engine", "", "local: this process works on the runs; temporal: workers do (default local)")
	c.AddCommand(r.keysCommand())
	return c
}

// serve serves until the command is interrupted.
func (r *root) serve(ctx context.Context, addr, driver string) error {
	if err := r.config.Server.check(driver); err != nil {
		return err
	}
	return r.with(ctx, nil, func(a *app) (err error) {
		open, err := a.admits(ctx, addr)
		if err != nil {
			return err
		}
		w, err := r.watching(ctx, a)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.close()) }()
		feed := front.NewFeed()
		f, err := r.force(ctx, a, w, driver, w.show(feed.Show))
		if err != nil {
			return err
		}
		defer f.close()
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
		if err != nil {
			return usage("%s can't be listened on (%v): name another with --addr", addr, listenCause(err))
		}
		s := server.New(r.serving(a, f, w, feed, open))
		if _, err := fmt.Fprintf(r.io.err, "serving on http://%s; Ctrl-C stops it, and runs under way go on at the next start\n", l.Addr()); err != nil {
			return errors.Join(err, l.Close())
		}
		return together(ctx, f.work, func(ctx context.Context) error { return s.Serve(ctx, l) },
			func(ctx context.Context) error { return a.hear(ctx, feed) },
			func(ctx context.Context) error { return a.forget(ctx, r.config.Server.keepFor(), w.log) })
	})
}

// house is the program as front ends see it.
func (r *root) house(a *app, f force, feed *front.Feed) *front.House {
	return &front.House{Runs: f.runs, Store: a.db, Library: a.library, Prepare: prepare{r, a}, Feed: feed}
}

// serving are the options of the server.
func (r *root) serving(a *app, f force, w *watching, feed *front.Feed, open bool) server.Options {
	c := r.config.Server
	return server.Options{House: r.house(a, f, feed), Keys: a.db, Replies: a.db, Open: open, Hosts: list(c.Hosts), Origins: list(c.Origins), Rate: c.Rate,
		MCP: mcp.HTTP(server.TenantOf, mcp.Options{Version: versionLine(), Log: w.log}), Load: f.load, Metrics: w.metrics, Log: w.log, Version: versionLine(),
		Ready: func(ctx context.Context) error { _, err := a.db.CountRuns(ctx, engine.Filter{}); return err }}
}

// hear rings the feed when another process has stored events, where the store can tell; else followers look for themselves.
func (a *app) hear(ctx context.Context, feed *front.Feed) error {
	if l, ok := a.db.(interface {
		Listen(ctx context.Context, heard func(channel, run string))
	}); ok {
		l.Listen(ctx, func(_, run string) { feed.Ring(run) })
	}
	<-ctx.Done()
	return nil
}

// maxKeep is the most days that a time.Duration can be sure to hold.
const maxKeep = 36_500

// check refuses numbers that mean nothing.
func (c serverConfig) check(driver string) error {
	if driver != "local" && driver != "temporal" {
		return usage("--engine %s is unknown: use local or temporal", driver)
	}
	switch {
	case c.AtOnce < 1 || c.AtOnce > 10_000:
		return usage("RUNS_AT_ONCE is %d: use 1 to 10000", c.AtOnce)
	case c.Rate == 0 || c.Rate < -1:
		return usage("RATE_LIMIT is %d: use 1 or more requests a minute, or -1 for no limit", c.Rate)
	case c.KeepDays < 0 || c.KeepDays > maxKeep:
		return usage("KEEP_DAYS is %d: use 1 to %d, or 0 to keep runs for ever", c.KeepDays, maxKeep)
	case !(c.MaxBudget >= 0) || math.IsInf(c.MaxBudget, 1): // NaN is neither
		return usage("MAX_BUDGET is %v: use a number of dollars, 0 to let nothing be spent", c.MaxBudget)
	}
	return nil
}

// admits tells whether an address is open to requests without a key: loopback. Any other needs a key to be there.
func (a *app) admits(ctx context.Context, addr string) (open bool, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false, usage("--addr %s is no address: use host:port, as 127.0.0.1:8080", addr)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return true, nil
	}
	keys, err := a.db.Keys(ctx)
	if err == nil && len(keys) == 0 {
		err = usage("%s can be reached from other machines, and there is no key: make one with plumb serve keys add NAME, or listen on 127.0.0.1:8080", addr)
	}
	return false, err
}

// listenCause is what the system says, without the address that the caller names anyway.
func listenCause(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}

// together runs all of them until one fails or ctx is done, and waits for the others.
func together(ctx context.Context, all ...func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, len(all))
	for _, f := range all {
		go func() { ended <- f(ctx) }()
	}
	var err error
	for range all {
		if e := <-ended; err == nil && e != nil && !errors.Is(e, context.Canceled) {
			err = e
		}
		stop()
	}
	return err
}

// forget deletes ended runs that nobody has touched for so long, now and once an hour.
func (a *app) forget(ctx context.Context, keep time.Duration, log *slog.Logger) error {
	for {
		if keep > 0 {
			if n, err := a.forgetOnce(ctx, time.Now().Add(-keep)); err != nil && ctx.Err() == nil {
				log.Error("old runs can't be deleted", "error", err)
			} else if n > 0 {
				log.Info("old runs deleted", "runs", n)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Hour):
		}
	}
}

func (a *app) forgetOnce(ctx context.Context, before time.Time) (int, error) {
	n := 0
	for _, state := range []plumb.State{plumb.Finished, plumb.FailedState, plumb.CancelledState} {
		runs, err := a.db.Runs(ctx, engine.Filter{State: state, Before: before})
		if err != nil {
			return n, err
		}
		for _, s := range runs {
			switch err := a.db.DeleteRun(ctx, s.ID); {
			case errors.Is(err, engine.ErrNotOwner), errors.Is(err, engine.ErrNoRun):
			case err != nil:
				return n, err
			default:
				n++
			}
		}
	}
	return n, nil
}
