package gather

// Invariant 7: every quote is a passage of a stored source.

import (
	"context"
	"fmt"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// Quoted keeps the findings whose quote stands in the stored text of their source. A quote that stands elsewhere than its
// offsets say gets the offsets, and the spelling, of the place where it does; one that stands nowhere is no finding. Rows of
// leads that could not be read quote nothing and stay.
func Quoted(ctx context.Context, fs []plumb.Finding, texts Texts) (kept []plumb.Finding, dropped int, err error) {
	folded := map[string]*text.Folded{}
	for _, f := range fs {
		if f.Depth == plumb.Snippet && !f.Verified && f.Quote == "" {
			kept = append(kept, f) // quotes nothing: a lead that could not be read, never counted and never cited
			continue
		}
		if f.Source == "" || f.Quote == "" {
			dropped++
			continue
		}
		source, err := texts.Text(ctx, f.Source)
		if err != nil {
			return nil, 0, fmt.Errorf("text of %s: %w", f.SourceURL, err)
		}
		if f.QuoteStart >= 0 && f.QuoteStart <= f.QuoteEnd && f.QuoteEnd <= len(source) && source[f.QuoteStart:f.QuoteEnd] == f.Quote {
			kept = append(kept, f)
			continue
		}
		if folded[f.Source] == nil {
			folded[f.Source] = text.NewFolded(source)
		}
		span, ok := folded[f.Source].Find(f.Quote)
		if !ok {
			dropped++
			continue
		}
		f.QuoteStart, f.QuoteEnd, f.Quote = span.Start, span.End, span.Of(source)
		kept = append(kept, f)
	}
	return kept, dropped, nil
}
