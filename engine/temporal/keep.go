package temporal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// kept is what a workflow puts into the journal of its run.
type kept struct {
	Run      string          `json:"run"`
	Seq      int             `json:"seq"` // outcomes before these
	Outcomes []plumb.Outcome `json:"outcomes,omitempty"`
	Release  bool            `json:"release,omitempty"` // the run has ended: the cluster no longer owns it
}

// forever is when the cluster's leases end.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Keep puts outcomes into the journal, with the events that tell of them. It may be called again with the same ones: what
// is in the journal already is passed over. The workflow has fixed the order, so nothing else can stand there.
func (a *activities) Keep(ctx context.Context, k kept) error {
	book := a.books.take(k.Run)
	defer a.books.giveBack(book)
	before := [2]int64{-1, -1}
	for {
		seen, err := a.keep(ctx, book, k)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, engine.ErrNoRun):
			return goneError(err)
		case !errors.Is(err, engine.ErrNotOwner):
			return err
		case seen != before:
			before = seen // others have written in between: look again
			continue
		}
		holder, e := a.store.Acquire(ctx, k.Run, engine.Cluster, a.now(), forever)
		if e != nil {
			return e
		}
		if holder != engine.Cluster {
			return goneError(err)
		}
	}
}

// keep tries once, and tells how many outcomes and events it saw.
func (a *activities) keep(ctx context.Context, book *book, k kept) (seen [2]int64, err error) {
	rec, err := a.store.LoadRun(ctx, k.Run)
	if err != nil {
		return seen, err
	}
	seen = [2]int64{int64(len(rec.Journal)), rec.LastSeq}
	run := &rec.Run
	if err := engine.CheckRules(run); err != nil {
		return seen, err // another worker may know them
	}
	if len(rec.Journal) < k.Seq {
		return seen, goneError(fmt.Errorf("run %s: its journal has %d outcomes where the cluster knows %d", k.Run, len(rec.Journal), k.Seq))
	}
	for _, o := range rec.Journal {
		run.Apply(o)
	}
	book.mu.Lock()
	defer book.mu.Unlock()
	book.last = max(book.last, rec.LastSeq)
	for i := range k.Outcomes {
		seq := k.Seq + i + 1
		if seq <= len(rec.Journal) {
			if err := same(k.Run, seq, &rec.Journal[seq-1], &k.Outcomes[i]); err != nil {
				return seen, err
			}
			continue
		}
		if err := a.commit(ctx, book, run, seq, &k.Outcomes[i]); err != nil {
			return seen, err
		}
	}
	if k.Release {
		return seen, a.store.Release(ctx, k.Run, engine.Cluster)
	}
	return seen, nil
}

// commit folds one outcome and makes it count. The caller holds the book.
func (a *activities) commit(ctx context.Context, book *book, run *plumb.Run, seq int, o *plumb.Outcome) error {
	o, told := engine.Fold(run, o)
	last, events := book.number(told, a.now())
	c := &engine.Commit{Run: run.ID, Owner: engine.Cluster, Seq: seq, Outcome: *o, State: run.State(), Spent: run.Spent, Events: engine.Staying(events)}
	if err := a.store.Commit(ctx, c); err != nil {
		return err
	}
	book.last = last
	a.books.tell(events)
	return nil
}

// same makes sure that the journal has the outcome that is kept again.
func same(run string, seq int, there, here *plumb.Outcome) error {
	a, err := json.Marshal(there)
	if err != nil {
		return err
	}
	b, err := json.Marshal(engine.Fitting(here))
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return goneError(fmt.Errorf("run %s: outcome %d of its journal is another than the cluster's", run, seq))
	}
	return nil
}

func goneError(err error) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), gone, temporal.ApplicationErrorOptions{NonRetryable: true, Cause: err})
}
