package report

// Shrinking: a window is only estimated before a call. When a model says that a prompt is too long, it gets fewer notes.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

// shares of the notes that fit by estimate, one attempt each.
var shares = []float64{1, 0.75, 0.5, 0.25}

// shrink writes from as many notes as the model takes. When even a quarter is too long, the notes themselves are the
// draft, quoted as the extractive writer does; that writer says so plainly when it has nothing.
func (w *writing) shrink(ctx context.Context) (string, error) {
	empty, _, err := w.request(0)
	if err != nil {
		return "", err
	}
	fits := max(w.digest.fit(llm.Room(w.model.Traits(), empty, empty.Output)), 1)
	last := 0
	for _, share := range shares {
		n := max(int(math.Ceil(share*float64(fits))), 1)
		if n == last {
			continue
		}
		last = n
		draft, err := w.draft(ctx, n)
		if !tooLong(err) {
			return draft, err
		}
	}
	why := fmt.Sprintf("even the shortest notes were too long for %s: sentences of the sources are quoted instead", w.model.Name())
	if w.m.Emit != nil {
		w.m.Emit(plumb.Event{Kind: plumb.StepFellBack, Text: why})
	}
	return Extractive{}.Write(ctx, w.m)
}

func tooLong(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Trouble == llm.TooLong
}
