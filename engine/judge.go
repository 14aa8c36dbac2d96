package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/verify"
)

// bench counts how a judge does. A judge that fails leaves the verdict to the rules; one that fails more often than not
// is told of as a step that fell back.
type bench struct {
	judge verify.Judge

	mu            sync.Mutex
	asked, silent int
	why           string // of the first failure, by the order of claims within a batch that is not kept: any will do
}

func (b *bench) Judge(ctx context.Context, claim string, passages []string) (verify.Judgement, error) {
	j, err := b.judge.Judge(ctx, claim, passages)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if err != nil {
		b.silent++
		b.why = modelFailure(err)
	}
	return j, err
}

// tell shows what the judge could not do.
func (b *bench) tell(t *Task) {
	switch {
	case b.silent == 0:
	case 2*b.silent > b.asked:
		t.fallBack(b.why)
	default:
		t.Emit(plumb.Event{Kind: plumb.Warning, Text: fmt.Sprintf("%s judged by rules alone: %s", count(b.silent, "claim"), b.why)})
	}
}
