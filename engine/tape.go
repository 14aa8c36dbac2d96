package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/llm"
)

// tape records what one attempt at a step learns from outside, library and clock included, and plays it back when the
// step is done again: after a kill the models are shown the same, so that what they had answered answers again.
type tape struct {
	tapes   Tapes
	runs    []string // whose recordings answer: the run's own first
	step    string
	offline bool
	late    bool // in a replay: time had run out in the step, so that what is not recorded was never answered
	now     func() time.Time

	mu  sync.Mutex
	nth map[string]int
}

func (s *Steps) newTape(t *Task) *tape {
	tp := &tape{tapes: s.Tapes, runs: []string{t.Run}, step: t.Step.ID, offline: s.Again != nil, now: s.Now, nth: map[string]int{}}
	tp.late = s.Again[t.Step.ID].Capped == plumb.StopTime
	if t.Asked.Tape != "" {
		tp.runs = append(tp.runs, t.Asked.Tape)
	}
	if tp.now == nil {
		tp.now = time.Now
	}
	return tp
}

// taped answers from the tape what was asked before, else asks and records. Failures are not recorded.
func taped[T any](ctx context.Context, tp *tape, kind string, asked any, ask func() (T, error)) (T, error) {
	var answer T
	if tp.tapes == nil {
		return ask()
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return answer, fmt.Errorf("recording of %s: %w", kind, err)
	}
	sum := sha256.Sum256(append([]byte(kind+"\n"), body...))
	key := kind + "." + hex.EncodeToString(sum[:])
	nth := tp.count(key)
	for _, run := range tp.runs {
		rec, err := tp.tapes.Recorded(ctx, run, tp.step, key, nth)
		if err != nil {
			return answer, fmt.Errorf("recording of %s: %w", kind, err)
		}
		if rec != nil {
			return answer, json.Unmarshal(rec.Answer, &answer)
		}
	}
	if tp.offline {
		return answer, fmt.Errorf("%s: %w", kind, tp.missing())
	}
	if answer, err = ask(); err != nil {
		return answer, err
	}
	said, err := json.Marshal(answer)
	if err != nil {
		return answer, fmt.Errorf("recording of %s: %w", kind, err)
	}
	rec := plumb.Recording{Run: tp.runs[0], Step: tp.step, Key: key, Nth: nth, Kind: kind, At: tp.now().UTC(), Asked: body, Answer: said}
	return answer, tp.tapes.PutRecording(context.WithoutCancel(ctx), rec)
}

// missing is what a replay makes of a call that is not on tape.
func (tp *tape) missing() error {
	if tp.late {
		return context.DeadlineExceeded
	}
	return llm.ErrNotRecorded
}

func (tp *tape) count(key string) int {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	n := tp.nth[key]
	tp.nth[key]++
	return n
}

// clock reads the time, once for each place in a step that is done again.
func (tp *tape) clock(ctx context.Context) (time.Time, error) {
	return taped(ctx, tp, "clock", nil, func() (time.Time, error) { return tp.now().UTC().Truncate(time.Microsecond), nil })
}

// tapedPassages records searches of the library.
type tapedPassages struct {
	gather.Passages
	tape *tape
}

func (p tapedPassages) Search(ctx context.Context, q gather.Query) ([]plumb.Hit, error) {
	return taped(ctx, p.tape, "library", q, func() ([]plumb.Hit, error) { return p.Passages.Search(ctx, q) })
}

// tapedEarlier records searches in the findings of earlier runs.
type tapedEarlier struct {
	gather.Earlier
	tape *tape
}

func (e tapedEarlier) EarlierFindings(ctx context.Context, query string, n int) ([]plumb.Finding, error) {
	asked := struct {
		Query string
		N     int
	}{query, n}
	return taped(ctx, e.tape, "earlier", asked, func() ([]plumb.Finding, error) { return e.Earlier.EarlierFindings(ctx, query, n) })
}
