package gather

// Disputes: what other documents say against a sentence that was chosen, although it answers the question less directly.

import (
	"context"
	"slices"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/rank"
)

// Bounds of the search for the other side: it costs a search a sentence.
const (
	disputable   = 16  // picks that are held against other documents
	disputeLimit = 12  // passages looked at for each
	disputeShare = 0.9 // of the score of the sentence it disputes
	disputeAlike = 0.3 // share of terms that two sentences on the same thing have in common
	surelyAbout  = 0.6 // see lens.about
)

// otherSides adds, behind each of the best picks, the sentence of another document that contradicts it, if there is one.
func (r *result) otherSides(ctx context.Context, f *found) {
	var more []pick
	for i, p := range f.picked {
		if i == disputable || ctx.Err() != nil {
			break
		}
		if slices.ContainsFunc(f.picked, func(o pick) bool { return o.hit.Source.Hash != p.hit.Source.Hash && clash(p, o, f.lens.lang) }) {
			continue
		}
		o, ok := r.against(ctx, p, f.lens)
		if ok && !slices.ContainsFunc(f.picked, o.same) && !slices.ContainsFunc(more, func(m pick) bool { return m.same(o) || sameStatement(m, o, f.lens.lang) }) {
			more = append(more, o)
		}
	}
	f.picked = append(f.picked, more...)
	for _, o := range more {
		if !slices.ContainsFunc(f.documents, func(s plumb.Source) bool { return s.Hash == o.hit.Source.Hash }) {
			f.documents = append(f.documents, o.hit.Source)
		}
	}
	byScore(f.picked)
}

// against finds the best sentence of another document that contradicts p. A search that fails finds none.
func (r *result) against(ctx context.Context, p pick, l *lens) (pick, bool) {
	hits, err := r.tools.Library.Search(ctx, Query{Text: p.quote, Language: l.lang, Limit: disputeLimit})
	if err != nil {
		return pick{}, false
	}
	var best pick
	for _, c := range candidates(hits, l.lang) {
		if c.hit.Source.Hash == p.hit.Source.Hash || c.fitness < 0.7 || tooOld(c.hit.Source.Date, r.task.Question.Where.Since) {
			continue
		}
		like := rank.Jaccard(p.terms, c.terms)
		o := pick{candidate: c, score: p.score * disputeShare * like, cover: like}
		inDocument := func(phrase string) int { return r.mentions(ctx, hits, c.hit.Source, phrase) }
		if like > best.cover && like >= disputeAlike && clash(p, o, l.lang) && l.about(&c, inDocument) >= surelyAbout {
			best = o
		}
	}
	return best, best.hit != nil
}
