package page

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestTwoAtOnceAndAGapBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := hosts{limits: Limits{}.withDefaults()}
		h := all.of("http://a.test")
		start := time.Now()
		var began []time.Duration
		release := make(chan struct{})
		entered := make(chan struct{}, 10)
		for range 4 {
			go func() {
				leave, err := h.enter(context.Background(), time.Second)
				if err != nil {
					t.Error(err)
					return
				}
				entered <- struct{}{}
				<-release
				leave()
			}()
		}
		time.Sleep(10 * time.Second)
		if len(entered) != 2 {
			t.Errorf("%d at once", len(entered))
		}
		close(release)
		synctest.Wait()
		if len(entered) != 4 {
			t.Errorf("%d in the end", len(entered))
		}
		for range 4 { // one after the other: only the gap counts
			leave, err := h.enter(context.Background(), time.Second)
			if err != nil {
				t.Fatal(err)
			}
			began = append(began, time.Since(start))
			leave()
		}
		if gap := (began[3] - began[1]) / 2; gap < 199*time.Millisecond || gap > 201*time.Millisecond {
			t.Errorf("a gap of %v: %v", gap, began)
		}
	})
}

func TestWaitingInLineEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := hosts{limits: Limits{AtOnce: 1}.withDefaults()}
		h := all.of("http://a.test")
		leave, err := h.enter(context.Background(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := h.enter(ctx, time.Second); kindOf(failure(ctx, err)) != Timeout {
			t.Error(err)
		}
	})
}

func TestAHostThatWantsSilenceGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := hosts{limits: Limits{}.withDefaults()}
		h := all.of("http://a.test")
		h.hush(time.Minute)
		if _, err := h.enter(context.Background(), 5*time.Second); kindOf(err) != Throttled {
			t.Error(err)
		}
		time.Sleep(57 * time.Second)
		start := time.Now()
		leave, err := h.enter(context.Background(), 5*time.Second)
		if err != nil || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		leave()
	})
}

func TestIdleHostsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := hosts{limits: Limits{}.withDefaults()}
		busy := all.of("http://busy.test")
		leave, err := busy.enter(context.Background(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		for i := range maxHosts {
			all.of(fmt.Sprintf("http://%d.test", i))
		}
		time.Sleep(idleHost + time.Second)
		all.of("http://new.test")
		if len(all.byName) != 2 || all.of("http://busy.test") != busy {
			t.Errorf("%d hosts are known", len(all.byName))
		}
	})
}
