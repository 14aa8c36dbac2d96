package llm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
)

// trip is an errand of openai:m that nothing was done for yet. Its Delta is collected in said.
func trip(said *[]string) *errand {
	return &errand{
		name: "openai:m", role: Worker, kind: "model", asks: "hello", input: 100, output: 50,
		bound: func(int) {}, heard: func() int { return 7 },
		again: func() {
			if said != nil {
				*said = append(*said, "")
			}
		},
	}
}

// fails is a runner that fails with these errors, one after the other, and then succeeds.
func fails(at *[]time.Duration, errs ...error) runner {
	start, n := time.Now(), 0
	return func(context.Context, *errand) error {
		*at = append(*at, time.Since(start))
		if n++; n > len(errs) {
			return nil
		}
		return errs[n-1]
	}
}

func trouble(t Trouble, after time.Duration) error {
	return &Error{Trouble: t, Model: "openai:m", Host: "10.0.0.1", Text: "key sk-123 on 10.0.0.1", RetryAfter: after}
}

func repeat(err error, n int) []error { return slices.Repeat([]error{err}, n) }

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		rules Retry
		errs  []error
		tries int
		want  Trouble // empty: it worked
	}{
		{"nothing wrong", Retry{}, nil, 1, ""},
		{"overloaded twice", Retry{}, repeat(trouble(Overloaded, 0), 2), 3, ""},
		{"overloaded for good", Retry{}, repeat(trouble(Overloaded, 0), 9), 5, Overloaded},
		{"stalled, then garbled", Retry{}, []error{trouble(Stalled, 0), trouble(Garbled, 0)}, 3, ""},
		{"unreachable", Retry{}, repeat(trouble(Unreachable, 0), 9), 3, Unreachable},
		{"a bad key", Retry{}, repeat(trouble(BadKey, 0), 9), 1, BadKey},
		{"no quota left, said with a time", Retry{}, repeat(trouble(Quota, time.Second), 9), 1, Quota},
		{"too long a prompt", Retry{}, repeat(trouble(TooLong, 0), 9), 1, TooLong},
		{"two tries are enough", Retry{Tries: 2}, repeat(trouble(RateLimited, 0), 9), 2, RateLimited},
		{"asked to wait too long", Retry{}, repeat(trouble(RateLimited, 3*time.Minute), 9), 1, RateLimited},
		{"asked to wait within patience", Retry{Patience: time.Hour}, repeat(trouble(RateLimited, 3*time.Minute), 1), 2, ""},
		{"no trouble of a provider", Retry{}, repeat(broken, 9), 1, "broken"},
		{"no budget", Retry{}, repeat(ErrBudget, 9), 1, "budget"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Duration
				var said []string
				d := &Desk{Retry: c.rules}
				err := d.At(Place{}).retry(fails(&at, c.errs...))(t.Context(), trip(&said))
				if len(at) != c.tries || len(said) != c.tries-1 {
					t.Errorf("%d tries, %d new beginnings, want %d tries", len(at), len(said), c.tries)
				}
				var e *Error
				switch {
				case c.want == "" && err != nil, c.want != "" && err == nil:
					t.Error(err)
				case c.want == "broken" && !errors.Is(err, broken), c.want == "budget" && !errors.Is(err, ErrBudget):
					t.Error(err)
				case errors.As(err, &e) && e.Trouble != c.want:
					t.Error(err)
				}
			})
		})
	}
}

func TestWaitsDoubleAndStayWithinBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		d := &Desk{Retry: Retry{Tries: 10, First: time.Second, Longest: 8 * time.Second}}
		if err := d.At(Place{}).retry(fails(&at, repeat(trouble(Overloaded, 0), 9)...))(t.Context(), trip(nil)); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(at); i++ {
			wait, plain := at[i]-at[i-1], min(time.Second<<(i-1), 8*time.Second)
			if wait < plain/2-1 || wait > min(plain*3/2+1, 8*time.Second) {
				t.Errorf("wait %d: %s around %s", i, wait, plain)
			}
		}
	})
}

func TestRetryAfterIsObeyedAndShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		var shown []plumb.Event
		d := &Desk{}
		s := d.At(Place{Emit: func(e plumb.Event) { shown = append(shown, e) }})
		if err := s.retry(fails(&at, trouble(RateLimited, 90*time.Second), trouble(Overloaded, 3500*time.Millisecond)))(t.Context(), trip(nil)); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{0, 90 * time.Second, 93500 * time.Millisecond}; !slices.Equal(at, want) {
			t.Errorf("tried at %v, want %v", at, want)
		}
		var texts []string
		for _, e := range shown {
			texts = append(texts, e.Text)
			if e.Kind != plumb.CallWaits || strings.Contains(e.Text, "sk-") || strings.Contains(e.Text, "10.") {
				t.Errorf("%+v", e)
			}
		}
		if want := []string{"openai limits the rate: trying again in 90 s", "openai is overloaded: trying again in 4 s"}; !slices.Equal(texts, want) {
			t.Errorf("%q", texts)
		}
	})
}

func TestTheEndOfTheContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		var at []time.Duration
		err := (&Desk{}).At(Place{}).retry(fails(&at, repeat(trouble(RateLimited, time.Minute), 5)...))(ctx, trip(nil))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Second || len(at) != 1 {
			t.Errorf("%v after %s and %d tries", err, time.Since(start), len(at))
		}
	})
}

func TestACancelledCallIsNoTrouble(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := (&Desk{}).At(Place{}).retry(func(context.Context, *errand) error {
		cancel()
		return trouble(Stalled, 0)
	})(ctx, trip(nil))
	if err != context.Canceled { //nolint:errorlint // nothing else may be around it
		t.Error(err)
	}
}
