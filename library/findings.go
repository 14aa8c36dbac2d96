package library

// Findings of earlier runs, for those who ask for them.

import (
	"context"
	"slices"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// SaveFindings keeps what a run found, in place of what was kept of it before.
// Those that can't be cited are left out: they would be no evidence later either.
func (l *Library) SaveFindings(ctx context.Context, run string, fs []plumb.Finding) error {
	var keep []plumb.Finding
	for _, f := range fs {
		if f.Citable() && f.Reused == "" {
			keep = append(keep, f)
		}
	}
	return l.Index.SaveFindings(ctx, run, keep)
}

// MaxEarlier is how many findings of other runs a query is compared with: the
// latest. A comparison takes some 20 µs.
const MaxEarlier = 5000

// EarlierFindings returns the n findings of other runs that fit a query best, all
// of the latest MaxEarlier that fit when n is 0. Each carries in Reused the run it
// came from. Findings in documents count only if one of the folders (none given:
// any) still has that text.
func (l *Library) EarlierFindings(ctx context.Context, query string, folders []string, notRun string, n int) ([]plumb.Finding, error) {
	folders, err := l.folders(ctx, folders...)
	if err != nil {
		return nil, err
	}
	saved, err := l.Index.SavedFindings(ctx, folders, notRun)
	if err != nil {
		return nil, err
	}
	saved = withoutRepetition(saved)
	saved = saved[:min(len(saved), MaxEarlier)]
	docs := make([][]string, len(saved))
	for i, s := range saved {
		f := s.Finding
		docs[i] = text.Terms(f.SourceTitle+"\n"+f.Content+"\n"+f.Quote, stemLanguage(text.Language(f.Quote)))
	}
	terms := text.Terms(query, stemLanguage(text.Language(query)))
	var out []plumb.Finding
	for _, s := range rank.NewBM25(docs).Search(terms, n) {
		f := saved[s.Index].Finding
		f.Reused = saved[s.Index].Run
		out = append(out, f)
	}
	return out, nil
}

// withoutRepetition keeps the latest of the findings with the same quote, latest
// first.
func withoutRepetition(saved []Saved) []Saved {
	seen := map[plumb.Passage]bool{}
	slices.Reverse(saved)
	return slices.DeleteFunc(saved, func(s Saved) bool {
		p := s.Finding.Passage()
		again := seen[p]
		seen[p] = true
		return again
	})
}
