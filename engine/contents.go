package engine

import (
	"context"

	"github.com/plumbresearch/plumb"
)

// Contents is where steps keep what a run finds and makes. Every Put replaces what the same step had put there, so that a
// step that is done again after a crash leaves the same rows.
type Contents interface {
	Artefacts
	Sources
	Evidence
	Claims
	Verdicts
}

// Artefacts are the single things of a run, by reference: brief, plans, drafts. Values are JSON.
type Artefacts interface {
	PutArtefact(ctx context.Context, run, ref string, v any) error
	// Artefact fills v, or answers ErrNotFound.
	Artefact(ctx context.Context, run, ref string, v any) error
}

// Sources are texts by hash, and what a run knows of them.
type Sources interface {
	// PutSource stores the text once for all runs, and the source for this one. Hash must be that of the text.
	PutSource(ctx context.Context, run string, s plumb.Source, text string) error
	// Sources of a run, sorted by URL.
	Sources(ctx context.Context, run string) ([]plumb.Source, error)
	Text(ctx context.Context, hash string) (string, error)
}

// Evidence is what units found.
type Evidence interface {
	// PutFindings replaces the findings of a unit.
	PutFindings(ctx context.Context, run, unit string, fs []plumb.Finding) error
	// Findings of a run in the order of subtask and position.
	Findings(ctx context.Context, run string) ([]plumb.Finding, error)
	PutCitations(ctx context.Context, run string, cs []plumb.Citation) error
	Citations(ctx context.Context, run string) ([]plumb.Citation, error)
}

// Claims are the checkable statements of a run's draft, in order.
type Claims interface {
	PutClaims(ctx context.Context, run string, cs []plumb.Claim) error
	Claims(ctx context.Context, run string) ([]plumb.Claim, error)
}

// Verdicts are one per claim; a batch replaces only its own claims'.
type Verdicts interface {
	PutVerdicts(ctx context.Context, run string, vs []plumb.Verdict) error
	// Verdicts in the order of the claims.
	Verdicts(ctx context.Context, run string) ([]plumb.Verdict, error)
}

// Ledger is the bill.
type Ledger interface {
	AddLedgerRow(ctx context.Context, row plumb.LedgerRow) error
	// LedgerRows of a run in the order of their times.
	LedgerRows(ctx context.Context, run string) ([]plumb.LedgerRow, error)
	Spent(ctx context.Context, run string) (plumb.Spent, error)
}

// Tapes keep the recordings of a run: what was asked outside, of models, searches, pages and the library, and the answers.
type Tapes interface {
	// PutRecording keeps a recording. One that is there already under the same run, step, key and nth stays as it is.
	PutRecording(ctx context.Context, rec plumb.Recording) error
	// Recorded gives the nth recording under a key, from 0; nil when there is none.
	Recorded(ctx context.Context, run, step, key string, nth int) (*plumb.Recording, error)
	// Recordings calls f with those that a run has when it is called, in the order of their times, then as they were put.
	// One at a time is in memory, and f may use the store.
	Recordings(ctx context.Context, run string, f func(plumb.Recording) error) error
}
