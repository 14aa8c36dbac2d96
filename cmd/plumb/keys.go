package main

// plumb serve keys: who is let in.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

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
