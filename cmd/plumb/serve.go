package main

// plumb serve: the same runs over HTTP.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

func (r *root) serveCommand() *cobra.Command {
	var addr string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP API, the web page, an OpenAI-compatible endpoint and MCP",
		Long: `Serves Plumb on this machine: a web page, the tasks API with its event stream, an endpoint for OpenAI clients at /v1, MCP at /mcp,
and metrics. Runs that were under way when it was stopped, however it was stopped, go on.

On a loopback address no key is needed. Any other address needs one: plumb serve keys add NAME.`,
		Example: `  plumb serve
  plumb serve keys add alice
  plumb serve --addr 0.0.0.0:8080`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.serve(cmd.Context(), firstNonEmpty(addr, r.config.Server.Addr))
		},
	}
	c.Flags().StringVar(&addr, "addr", "", "address to listen on (default 127.0.0.1:8080)")
	c.AddCommand(r.keysCommand())
	return c
}

// serve serves until the command is interrupted.
func (r *root) serve(ctx context.Context, addr string) error {
	if err := r.config.Server.check(); err != nil {
		return err
	}
	feed := front.NewFeed()
	return r.with(ctx, nil, func(a *app) (err error) {
		open, err := a.admits(ctx, addr)
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return usage("%s can't be listened on (%v): name another with --addr", addr, listenCause(err))
		}
		log := slog.New(slog.NewTextHandler(r.io.err, nil))
		o := r.options(a, feed.Show)
		o.Yield = true
		local := engine.NewLocal(a.db, a.steps, o)
		defer local.Close()
		crew := engine.NewCrew(local, engine.CrewOptions{AtOnce: r.config.Server.AtOnce,
			Failed: func(run string, err error) { log.Error("run can't be worked on", "run", run, "error", err) }})
		s := server.New(r.serving(a, crew, feed, open, log))
		if _, err := fmt.Fprintf(r.io.err, "serving on http://%s; Ctrl-C stops it, and runs under way go on at the next start\n", l.Addr()); err != nil {
			return errors.Join(err, l.Close())
		}
		return a.together(ctx, crew, func(ctx context.Context) error { return serveUntil(ctx, s, l) }, func(ctx context.Context) error { return a.forget(ctx, r.config.Server.keepFor(), log) })
	})
}

// serveUntil answers requests until ctx is done.
func serveUntil(ctx context.Context, s *server.Server, l net.Listener) error {
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = h.Close() })()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serving are the options of the server.
func (r *root) serving(a *app, crew *engine.Crew, feed *front.Feed, open bool, log *slog.Logger) server.Options {
	c := r.config.Server
	house := &front.House{Runs: crew, Store: a.db, Library: a.library, Prepare: prepare{r, a}, Feed: feed}
	return server.Options{House: house, Keys: a.db, Replies: a.db, Open: open, Hosts: list(c.Hosts), Origins: list(c.Origins), Rate: c.Rate,
		Load: crew.Load, Log: log, Version: versionLine(),
		Ready: func(ctx context.Context) error { _, err := a.db.CountRuns(ctx, engine.Filter{}); return err }}
}

// check refuses numbers that mean nothing.
func (c serverConfig) check() error {
	if c.AtOnce < 1 || c.AtOnce > 10_000 || c.KeepDays < 0 || !(c.MaxBudget >= 0) {
		return usage("RUNS_AT_ONCE is 1 to 10000, KEEP_DAYS and MAX_BUDGET 0 or more")
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

// together runs the crew beside the others until one fails or ctx is done, and waits for all.
func (a *app) together(ctx context.Context, crew *engine.Crew, others ...func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all := append([]func(context.Context) error{crew.Run}, others...)
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

func (r *root) keysCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "keys",
		Short: "Add, list and remove the API keys of the server",
		Example: `  plumb serve keys add alice
  plumb serve keys add alice-laptop --tenant alice
  plumb serve keys list
  plumb serve keys remove alice-laptop`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("plumb serve keys has add, list and remove, not %q", args[0])
			}
			return cmd.Help()
		},
	}
	var tenant string
	add := &cobra.Command{Use: "add NAME", Short: "Make a key and print it: it is not shown again", Example: "  plumb serve keys add alice",
		Args: exactly(1, "a name"), RunE: func(cmd *cobra.Command, args []string) error { return r.addKey(cmd.Context(), args[0], tenant) }}
	add.Flags().StringVar(&tenant, "tenant", "", "whose runs and documents it opens (default: a tenant of the key's name)")
	list := &cobra.Command{Use: "list", Short: "List the keys, without their secrets", Example: "  plumb serve keys list",
		Args: exactly(0, "no arguments"), RunE: func(cmd *cobra.Command, _ []string) error { return r.listKeys(cmd.Context()) }}
	remove := &cobra.Command{Use: "remove NAME", Short: "Remove a key: it stops working within half a minute", Example: "  plumb serve keys remove alice",
		Args: exactly(1, "a name"), RunE: func(cmd *cobra.Command, args []string) error { return r.removeKey(cmd.Context(), args[0]) }}
	c.AddCommand(add, list, remove)
	return c
}

func (r *root) addKey(ctx context.Context, name, tenant string) error {
	k, secret, err := front.NewKey(name, tenant, time.Now())
	if err != nil {
		return usage("%v", err)
	}
	return r.with(ctx, nil, func(a *app) error {
		if err := a.db.AddKey(ctx, k); errors.Is(err, engine.ErrExists) {
			return usage("a key named %s is there already: remove it with plumb serve keys remove %s, or choose another name", name, name)
		} else if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(r.io.err, "key %s of tenant %s; keep it, it is not shown again:\n", k.Name, k.Tenant); err != nil {
			return err
		}
		_, err := fmt.Fprintln(r.io.out, secret)
		return err
	})
}

func (r *root) listKeys(ctx context.Context) error {
	return r.with(ctx, nil, func(a *app) error {
		keys, err := a.db.Keys(ctx)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			_, err := fmt.Fprintln(r.io.err, "no keys yet: plumb serve keys add NAME")
			return err
		}
		for _, k := range keys {
			if _, err := fmt.Fprintf(r.io.out, "%-24s %-24s %s\n", k.Name, k.Tenant, k.CreatedAt.Format(time.DateOnly)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *root) removeKey(ctx context.Context, name string) error {
	return r.with(ctx, nil, func(a *app) error {
		if err := a.db.DropKey(ctx, name); errors.Is(err, engine.ErrNotFound) {
			return usage("there is no key named %s: see plumb serve keys list", name)
		} else if err != nil {
			return err
		}
		_, err := fmt.Fprintf(r.io.err, "key %s removed\n", name)
		return err
	})
}
