package temporal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
)

// watcher follows one run from one gateway after the other, as a browser does: when its stream breaks off it goes to the
// next and names the last event that it has.
type watcher struct {
	gateways []*node
	run      string
	seen     []seen
	returns  int   // after a break
	after    int   // events seen after the last return
	over     error // why it stopped; nil: the stream said that it is complete
	done     chan struct{}
}

// seen is an event as it came.
type seen struct {
	seq     int64
	step    string
	attempt int
	data    string
}

func watch(run string, gateways ...*node) *watcher {
	w := &watcher{run: run, gateways: gateways, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.over = w.follow()
	}()
	return w
}

var errBroke = errors.New("the stream broke off")

func (w *watcher) follow() error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for i := 0; ; i++ {
		err := w.read(ctx, w.gateways[i%len(w.gateways)].url)
		if !errors.Is(err, errBroke) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(50 * time.Millisecond):
			w.returns++
			w.after = 0
		}
	}
}

// read reads a stream on from where the last one broke off.
func (w *watcher) read(ctx context.Context, gateway string) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, gateway+"/api/v1/stream/sse?workflow_id="+w.run, nil)
	if err != nil {
		return err
	}
	if n := len(w.seen); n > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(w.seen[n-1].seq, 10))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return errors.Join(errBroke, err)
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	var id, data string
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "id: "):
			id = line[len("id: "):]
		case line == "data: [DONE]":
			return nil
		case strings.HasPrefix(line, "data: "):
			data = line[len("data: "):]
		case line == "" && id != "": // an event counts once it is whole
			if err := w.see(id, data); err != nil {
				return err
			}
			id = ""
		}
	}
	return errBroke
}

// see notes an event, which must come after those before it.
func (w *watcher) see(id, data string) error {
	var e struct {
		Payload struct {
			Step    string `json:"step"`
			Attempt int    `json:"attempt"`
		} `json:"payload"`
	}
	seq, err := strconv.ParseInt(id, 10, 64)
	if err := errors.Join(err, json.Unmarshal([]byte(data), &e)); err != nil {
		return fmt.Errorf("event %s: %w in %.200s", id, err, data)
	}
	if n := len(w.seen); n > 0 && w.seen[n-1].seq >= seq {
		return fmt.Errorf("event %d came after %d", seq, w.seen[n-1].seq)
	}
	w.seen = append(w.seen, seen{seq, e.Payload.Step, e.Payload.Attempt, data})
	w.after++
	return nil
}

// counts are the events that count for a client: those of an attempt at a step are void once a later one shows anything.
func (w *watcher) counts() []seen {
	last := map[string]int{}
	for _, e := range w.seen {
		last[e.step] = max(last[e.step], e.attempt)
	}
	return slices.DeleteFunc(slices.Clone(w.seen), func(e seen) bool { return e.step != "" && e.attempt < last[e.step] })
}

// audit holds what the watcher saw against what is stored: each event that counts, once and in its place, and no number
// is missing but those of events that are void.
func (w *watcher) audit(t *testing.T, stored []plumb.Event) {
	t.Helper()
	if w.over != nil {
		t.Errorf("stream of %s: %v", w.run, w.over)
		return
	}
	got := w.counts()
	for i, e := range stored {
		if i >= len(got) || got[i].seq != e.Seq {
			t.Errorf("run %s: event %d of %d (seq %d, %s of %s) was not seen in its place", w.run, i, len(stored), e.Seq, e.Kind, e.Step)
			return
		}
	}
	if len(got) != len(stored) {
		t.Errorf("run %s: %d events are stored, %d were seen that count", w.run, len(stored), len(got))
	}
}
