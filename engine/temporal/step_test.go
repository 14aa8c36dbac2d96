package temporal

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"
)

func TestOnlyTheClustersWordStopsAStep(t *testing.T) {
	late := func(ctx context.Context, _ time.Duration) error { // a cluster that is too busy
		<-ctx.Done()
		return serviceerror.NewDeadlineExceeded("context deadline exceeded")
	}
	gone := serviceerror.NewNotFound("no such activity")
	cancelled := temporal.NewCanceledError()
	for _, c := range []struct {
		name string
		beat func(ctx context.Context, since time.Duration) error
		want error
		at   time.Duration // when it was told
	}{
		{"it answers", func(context.Context, time.Duration) error { return nil }, nil, 0},
		{"it cancels", func(context.Context, time.Duration) error { return cancelled }, cancelled, pace},
		{"it knows nothing of the step", func(context.Context, time.Duration) error { return gone }, gone, pace},
		{"it takes two seconds for each answer", func(ctx context.Context, _ time.Duration) error {
			select {
			case <-time.After(2 * time.Second):
				return nil
			case <-ctx.Done():
				return late(ctx, 0)
			}
		}, nil, 0},
		{"it fails every other time", func(_ context.Context, since time.Duration) error {
			if since%(2*pace) == 0 {
				return serviceerror.NewUnavailable("no leader")
			}
			return nil
		}, nil, 0},
		{"it fails for three seconds and then cancels", func(_ context.Context, since time.Duration) error {
			if since <= 3*time.Second {
				return serviceerror.NewUnavailable("no leader")
			}
			return cancelled
		}, cancelled, 4 * time.Second},
		{"it never answers", late, errSilent, pace + heartbeat},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				begun, told := time.Now(), time.Duration(0)
				heard, tell := context.WithCancelCause(t.Context())
				context.AfterFunc(heard, func() { told = time.Since(begun) })
				a := &activities{beat: func(ctx context.Context) error { return c.beat(ctx, time.Since(begun)) }}
				a.pulse(ctx, tell)
				synctest.Wait()
				if got := context.Cause(heard); !errors.Is(got, c.want) || told != c.at {
					t.Errorf("told %v after %s, want %v after %s", got, told, c.want, c.at)
				}
				tell(nil)
			})
		})
	}
}
