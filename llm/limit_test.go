package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
)

// together does n errands of a provider at once and gives the times at which they were let through, sorted.
func together(t *testing.T, s *Seat, provider string, n int, next runner) []time.Duration {
	t.Helper()
	start := time.Now()
	var mu sync.Mutex
	var at []time.Duration
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			e := trip(nil)
			e.name = provider + ":m"
			err := s.limit(func(ctx context.Context, e *errand) error {
				mu.Lock()
				at = append(at, time.Since(start))
				mu.Unlock()
				return next(ctx, e)
			})(t.Context(), e)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.Sort(at)
	return at
}

func takes(d time.Duration) runner {
	return func(context.Context, *errand) error {
		time.Sleep(d)
		return nil
	}
}

func TestSoManyCallsAtOnce(t *testing.T) {
	for _, c := range []struct{ set, want int }{{0, 8}, {3, 3}, {1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			d := &Desk{Rate: Rate{AtOnce: c.set}}
			together(t, d.At(Place{}), "openai", 20, func(context.Context, *errand) error {
				n := now.Add(1)
				defer now.Add(-1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(time.Second)
				return nil
			})
			if int(most.Load()) != c.want {
				t.Errorf("%d at once, want %d", most.Load(), c.want)
			}
		})
	}
}

func TestSeatsAndModelsShareAProvidersPlacesAndOtherProvidersDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Desk{Rate: Rate{AtOnce: 1}}
		var wg sync.WaitGroup
		start := time.Now()
		for _, provider := range []string{"openai", "openai", "anthropic", "ollama"} {
			wg.Go(func() { together(t, d.At(Place{}), provider, 1, takes(time.Second)) })
		}
		wg.Wait()
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("%s, want 2 s for the two of one provider", took)
		}
	})
}

func TestSoManyCallsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown atomic.Int64
		d := &Desk{Rate: Rate{PerMinute: 30}}
		s := d.At(Place{Emit: func(plumb.Event) { shown.Add(1) }})
		at := together(t, s, "openai", 4, takes(0))
		want := []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}
		for i := range at {
			if d := (at[i] - want[i]).Abs(); d > time.Millisecond {
				t.Errorf("let through at %v, want %v", at, want)
			}
		}
		if shown.Load() != 2 {
			t.Errorf("%d waits shown, want those above 2 s", shown.Load())
		}
	})
}

func TestALimitedProviderIsLeftAloneByEveryone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Desk{}
		var mu sync.Mutex
		var shown []string
		s := d.At(Place{Emit: func(e plumb.Event) {
			mu.Lock()
			defer mu.Unlock()
			shown = append(shown, e.Text)
		}})
		err := s.limit(func(context.Context, *errand) error { return trouble(RateLimited, 20*time.Second) })(t.Context(), trip(nil))
		var e *Error
		if !errors.As(err, &e) || e.Trouble != RateLimited {
			t.Fatal(err)
		}
		if at := together(t, s, "anthropic", 1, takes(0)); at[0] != 0 {
			t.Errorf("another provider waited %v", at)
		}
		if at := together(t, s, "openai", 3, takes(0)); at[0] != 20*time.Second || at[2] != 20*time.Second {
			t.Errorf("called again after %v", at)
		}
		if want := slices.Repeat([]string{"openai limits the rate: waiting 20 s"}, 3); !slices.Equal(shown, want) {
			t.Errorf("%q", shown)
		}
		if at := together(t, s, "openai", 1, takes(0)); at[0] != 0 {
			t.Errorf("still waiting %v", at)
		}
	})
}

func TestALongWaitForAPlaceIsShownOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var shown []string
		d := &Desk{Rate: Rate{AtOnce: 1}}
		s := d.At(Place{Emit: func(e plumb.Event) {
			mu.Lock()
			defer mu.Unlock()
			shown = append(shown, fmt.Sprint(e.Kind, ": ", e.Text))
		}})
		together(t, s, "openai", 2, takes(10*time.Second))
		if want := []string{"call.waits: waiting for a free place at openai"}; !slices.Equal(shown, want) {
			t.Errorf("%q", shown)
		}
	})
}

func TestWaitingEndsWithTheContextAndLeavesThePlaceFree(t *testing.T) {
	for _, c := range []struct {
		name  string
		rate  Rate
		first runner        // is there before us
		free  time.Duration // when the next one is let through, from the beginning
	}{
		{"for a place", Rate{AtOnce: 1}, takes(30 * time.Second), 30 * time.Second},
		{"for a turn", Rate{AtOnce: 1, PerMinute: 1}, takes(0), 60 * time.Second},
		{"for a pause", Rate{AtOnce: 1}, func(context.Context, *errand) error { return trouble(RateLimited, 40*time.Second) }, 40 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := (&Desk{Rate: c.rate}).At(Place{})
				start := time.Now()
				var wg sync.WaitGroup
				wg.Go(func() {
					if err := s.limit(c.first)(t.Context(), trip(nil)); (err != nil) != (c.name == "for a pause") {
						t.Error(err)
					}
				})
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				err := s.limit(takes(0))(ctx, trip(nil))
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
					t.Errorf("%v after %s", err, time.Since(start))
				}
				together(t, s, "openai", 1, takes(0)) // would wait for ever if our place was lost
				if at := time.Since(start); (at - c.free).Abs() > time.Millisecond {
					t.Errorf("the next was let through after %s, want %s", at, c.free)
				}
				wg.Wait()
			})
		})
	}
}
