package report

// The thinking that writing needs, and what it is given.

import (
	"context"

	"github.com/plumbresearch/plumb"
)

// Material is what a draft is written from.
type Material struct {
	Question  plumb.Question
	Brief     plumb.Brief
	Findings  []plumb.Finding
	Citations []plumb.Citation // what may be cited, as Cite numbered it
	Standing  plumb.Standing
	Limits    plumb.Limits
	Feedback  string     // of the review before
	Round     int        // from 1
	Emit      plumb.Emit // for writers that stream
}

// Writer writes a draft. Its markers [n] are numbers of the material's citations; Renumber closes the gaps.
type Writer interface {
	Write(ctx context.Context, m Material) (draft string, err error)
}

// Reviewer judges a draft.
type Reviewer interface {
	Review(ctx context.Context, m Material, draft string) (Review, error)
}

// Review is what a reviewer thinks of a draft.
type Review struct {
	Score    float64  `json:"score"`    // 0..1
	Feedback string   `json:"feedback"` // what to mend; empty when there is nothing
	Notes    []string `json:"notes"`
}

// Extractive writes and reviews without a model: a draft of verbatim sentences, each with its source. Its zero value is
// ready to use.
type Extractive struct{}

var (
	_ Writer   = Extractive{}
	_ Reviewer = Extractive{}
)

// style is how much the draft says.
func (m Material) style() plumb.Style {
	if m.Question.Style != "" {
		return m.Question.Style
	}
	return m.Limits.Style()
}
