// Package report cites, writes, reviews, compiles and renders: it turns findings into a draft, and a checked draft into
// the published report.
package report

import (
	"time"

	"github.com/plumbresearch/plumb"
)

// Report is everything that a published report is made from. Compile and HTML are functions of it alone, so that the
// same run gives the same bytes.
type Report struct {
	Run       string
	Kind      plumb.Kind
	Question  plumb.Question
	Brief     plumb.Brief
	Limits    plumb.Limits
	Draft     string           // Markdown; claims and mentions have offsets in it
	Citations []plumb.Citation // numbered as the draft's own source list
	Claims    []plumb.Claim
	Verdicts  []plumb.Verdict // one per claim, in their order; none when checking was turned off
	Sources   []plumb.Source
	Texts     map[string]string // source texts by hash, of the cited sources
	Findings  int
	Standing  plumb.Standing
	Thinking  []string  // who did the thinking: "extractive", or model names
	FellBack  []string  // steps that fell back to extractive thinking, beside those that Standing names with a reason
	Hosts     []string  // hosts that the run talked to; none: nothing left the machine
	Generated time.Time // when the report was published
	Checked   time.Time // when the last claim was checked; zero when checking was turned off
	Spent     plumb.Spent
	Unpriced  []string // models that were used and have no known price
	Notes     []string // further sentences for the methodology
}
