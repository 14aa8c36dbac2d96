package enginetest

import (
	"context"
	"errors"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// ErrCut is what a store answers that can't be reached.
var ErrCut = errors.New("connection refused by the secret database host")

// Cuttable is a store that can't be reached while Away says so.
type Cuttable struct {
	engine.Store
	Away func() bool
}

func (c Cuttable) reach() error {
	if c.Away() {
		return ErrCut
	}
	return nil
}

func (c Cuttable) CreateRun(ctx context.Context, run *plumb.Run, lease engine.Lease) error {
	if err := c.reach(); err != nil {
		return err
	}
	return c.Store.CreateRun(ctx, run, lease)
}

func (c Cuttable) LoadRun(ctx context.Context, id string) (engine.Record, error) {
	if err := c.reach(); err != nil {
		return engine.Record{}, err
	}
	return c.Store.LoadRun(ctx, id)
}

func (c Cuttable) Commit(ctx context.Context, m *engine.Commit) error {
	if err := c.reach(); err != nil {
		return err
	}
	return c.Store.Commit(ctx, m)
}

func (c Cuttable) Runs(ctx context.Context, f engine.Filter) ([]engine.Summary, error) {
	if err := c.reach(); err != nil {
		return nil, err
	}
	return c.Store.Runs(ctx, f)
}

func (c Cuttable) Acquire(ctx context.Context, run, owner string, now, until time.Time) (string, error) {
	if err := c.reach(); err != nil {
		return "", err
	}
	return c.Store.Acquire(ctx, run, owner, now, until)
}

func (c Cuttable) TakeOver(ctx context.Context, run, from, owner string, until time.Time) (bool, error) {
	if err := c.reach(); err != nil {
		return false, err
	}
	return c.Store.TakeOver(ctx, run, from, owner, until)
}

func (c Cuttable) Renew(ctx context.Context, owner string, until time.Time) error {
	if err := c.reach(); err != nil {
		return err
	}
	return c.Store.Renew(ctx, owner, until)
}

func (c Cuttable) Release(ctx context.Context, run, owner string) error {
	if err := c.reach(); err != nil {
		return err
	}
	return c.Store.Release(ctx, run, owner)
}

func (c Cuttable) Send(ctx context.Context, run string, s plumb.Signal, at time.Time) (int64, error) {
	if err := c.reach(); err != nil {
		return 0, err
	}
	return c.Store.Send(ctx, run, s, at)
}

func (c Cuttable) Letters(ctx context.Context, run string, after int64) ([]engine.Letter, error) {
	if err := c.reach(); err != nil {
		return nil, err
	}
	return c.Store.Letters(ctx, run, after)
}

func (c Cuttable) AppendEvents(ctx context.Context, events []plumb.Event) error {
	if err := c.reach(); err != nil {
		return err
	}
	return c.Store.AppendEvents(ctx, events)
}

func (c Cuttable) VoidEvents(ctx context.Context, run, step string, before int) error {
	if err := c.reach(); err != nil {
		return err
	}
	return c.Store.VoidEvents(ctx, run, step, before)
}
