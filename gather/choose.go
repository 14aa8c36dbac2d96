package gather

// Choosing: the best sentences, no two that say the same, both where two disagree.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// Floors below which a sentence is no finding. They were set on the questions of examples/questions.jsonl.
const (
	bestFloor  = 0.5  // of the coverage that the best sentence must reach for there to be any finding,
	topFloor   = 0.4  // of its score,
	ownTop     = 0.55 // and of what is asked, names left aside, that it has itself or by its heading
	coverFloor = 0.4  // of each sentence's coverage
	ownFloor   = 0.25 // of what is asked, names left aside, that each sentence itself must have
	ratioFloor = 0.45 // of each sentence's score to the best,
	ratioLow   = 0.4  // or where the best is what was known before: behind a reason, or when the state of today is asked for
	perSource  = 4    // findings a source and topic
	perTable   = 4    // rows a table and topic
	ratioWords = 0.6  // where a figure is asked for that the sentence does not have
	ratioRows  = 0.75 // of each row's score to the best: the rows of a table are much alike
	considered = 80   // sentences compared with each other
)

// pick is a sentence that was chosen.
type pick struct {
	candidate
	score float64
	cover float64
}

// same says whether two picks quote the same place.
func (p pick) same(o pick) bool { return overlaps(p.passage(), o.passage()) }

// relevance is the score as findings show it, 0..1 in steps of 0.001.
func (p pick) relevance() float64 { return math.Round(min(p.score, 1)*1000) / 1000 }

// confidence grades a pick by how much of the question it has and whether it states a figure.
func (p pick) confidence() plumb.Confidence {
	switch {
	case p.score >= 0.75 || p.score >= 0.65 && len(p.quantities) > 0:
		return plumb.High
	case p.score >= 0.45:
		return plumb.Medium
	}
	return plumb.Low
}

// found is what came of a topic.
type found struct {
	picked    []pick
	documents []plumb.Source // read, best first
	hits      []plumb.Hit
	lens      *lens
	passages  int
}

// look researches one topic; where a reason is asked for, also the reason of that reason.
func (r *result) look(ctx context.Context, tp topic) (found, error) {
	f, err := r.lookOnce(ctx, tp)
	if err != nil {
		return f, err
	}
	r.widen(ctx, tp, &f)
	return f, nil
}

// widen adds what documents have beside the answer itself: the reason of a reason, and the other side.
func (r *result) widen(ctx context.Context, tp topic, f *found) {
	if r.tools.Library == nil {
		return
	}
	if f.lens.want.reason {
		r.askOn(ctx, tp, f)
	}
	r.otherSides(ctx, f)
}

// languageOf is the language of a topic: a few words in a row may be of any.
func (r *result) languageOf(tp topic) string {
	return language(cmp.Or(r.task.Brief.Question, tp.question))
}

// askOn follows the reason that was found to the one behind it.
func (r *result) askOn(ctx context.Context, tp topic, f *found) {
	last, share := *f, 1.0
	for range behindDeep {
		behind, ok := last.reason(tp, r.task.Brief.Entity)
		if !ok || ctx.Err() != nil {
			break
		}
		next, err := r.lookOnce(ctx, behind)
		if err != nil {
			break // what answers the question itself is there
		}
		last = next
		share *= behindShare
		f.deepen(last, share)
	}
	byScore(f.picked)
}

// lookOnce retrieves, scores and chooses.
func (r *result) lookOnce(ctx context.Context, tp topic) (found, error) {
	lang := r.languageOf(tp)
	hits, err := r.retrieve(ctx, tp, lang)
	if err != nil {
		return found{}, err
	}
	return r.choose(ctx, tp, lang, hits), nil
}

// choose picks the sentences of passages that answer a topic.
func (r *result) choose(ctx context.Context, tp topic, lang string, hits []plumb.Hit) found {
	l := newLens(tp.question, lang, r.task.Brief.Entity, hits)
	f := found{lens: l, hits: hits, passages: len(hits)}
	var all []pick
	cands := candidates(hits, lang)
	if l.want.reason {
		cands = append(cands, withCause(cands)...)
	}
	for _, c := range cands {
		inDocument := func(phrase string) int { return r.mentions(ctx, hits, c.hit.Source, phrase) }
		if r.known(&c) || commands(c.quote, tp.question) {
			continue
		}
		all = append(all, pick{candidate: c, score: l.score(&c, r.task.Question, inDocument), cover: l.coverage(&c)})
	}
	all = l.relevant(all, tp.behind)
	f.picked = diverse(all, lang, r.findings(), r.documentsAtMost())
	byScore(f.picked)
	f.documents = documents(f.picked, hits, r.documentsAtMost())
	return f
}

// The last resort is taken by few, and counts little.
const (
	lastResort      = 3
	lastResortShare = 0.4
)

// orNearest picks, where nothing answers a topic, sentences that name what it is about and have a figure of the kind that
// is asked for: the words of a question need not be those of a page. Their confidence is low.
func (r *result) orNearest(tp topic, f found) found {
	l := f.lens
	if len(f.picked) > 0 || len(l.phrases) == 0 {
		return f
	}
	var all []pick
	for _, c := range candidates(f.hits, l.lang) {
		named := slices.ContainsFunc(l.phrases, func(p string) bool { return says(c.quote, p) })
		if !named || c.fitness < 0.75 || !l.want.typed(&c) || r.known(&c) || commands(c.quote, tp.question) {
			continue
		}
		all = append(all, pick{candidate: c, score: lastResortShare * max(l.coverage(&c), 0.5) * c.fitness, cover: l.coverage(&c)})
	}
	byScore(all)
	f.picked = diverse(all, l.lang, lastResort, r.documentsAtMost())
	byScore(f.picked)
	return f
}

// known says whether an earlier unit, whose findings this one sees, has the sentence already.
func (r *result) known(c *candidate) bool {
	return slices.ContainsFunc(r.task.Earlier, func(f plumb.Finding) bool { return overlaps(f.Passage(), c.passage()) })
}

// relevant sorts picks best first and cuts those that do not speak of what is asked.
func (l *lens) relevant(all []pick, behind bool) []pick {
	byScore(all)
	var out []pick
	top, answered := 0.0, false
	for _, p := range all {
		top = max(top, p.score)
		answered = answered || p.score >= topFloor && p.cover >= bestFloor && l.asked(&p.candidate) >= ownTop && l.want.formed(&p.candidate)
	}
	if !answered {
		return nil
	}
	ratio := ratioFloor
	if behind || l.want.now {
		ratio = ratioLow
	}
	for _, p := range all {
		least := ratio
		if p.hit.Source.Format == "csv" {
			least = ratioRows
		} else if !l.want.formed(&p.candidate) {
			least = ratioWords
		}
		if p.cover < coverFloor || p.score < least*top || l.own(&p.candidate) < ownFloor {
			continue
		}
		out = append(out, p)
	}
	return out
}

func byScore(ps []pick) {
	slices.SortStableFunc(ps, func(a, b pick) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.hit.Source.URL, b.hit.Source.URL), cmp.Compare(a.start, b.start))
	})
}

// diverse takes at most n picks from at most docs documents, no two alike, the disagreeing ones together.
func diverse(all []pick, lang string, n, docs int) []pick {
	all = distinct(all[:min(len(all), considered)], lang)
	cands := make([]rank.Candidate, len(all))
	for i, p := range all {
		cands[i] = rank.Candidate{Relevance: min(p.score, 1), Terms: p.terms}
	}
	count := map[string]int{}
	var out []pick
	taken := make([]bool, len(all))
	for _, i := range rank.Diversify(cands, rank.Lambda, 0) {
		key := all[i].hit.Source.Hash
		most := perSource
		if all[i].hit.Source.Format == "csv" {
			most = perTable
		}
		if len(out) >= n || count[key] >= most || count[key] == 0 && len(count) >= docs {
			continue
		}
		count[key]++
		out, taken[i] = append(out, all[i]), true
	}
	return opposed(out, all, taken, lang, n)
}

// opposed puts in, for each pick, the best sentence of another document that contradicts it, in place of the last picks
// when there is no room.
func opposed(out, all []pick, taken []bool, lang string, n int) []pick {
	for i := 0; i < len(out); i++ {
		for j := range all {
			if taken[j] || all[j].hit.Source.Hash == out[i].hit.Source.Hash || !clash(out[i], all[j], lang) {
				continue
			}
			taken[j] = true
			if len(out) >= n && len(out) > i+1 {
				out = out[:len(out)-1]
			}
			if len(out) < n {
				out = slices.Insert(out, i+1, all[j])
			}
			break
		}
	}
	return out
}

// clashing sentences speak of the same: they share at least this part of their terms.
const clashing = 0.3

func clash(a, b pick, lang string) bool {
	return rank.Jaccard(a.terms, b.terms) >= clashing && text.Compare(a.quote, b.quote, lang, nil).Clash != nil
}

// mentions counts a phrase in the stored text of a document, or, where it cannot be had, in its passages.
func (r *result) mentions(ctx context.Context, hits []plumb.Hit, s plumb.Source, phrase string) int {
	key := s.Hash + " " + phrase
	if m, ok := r.mentioned[key]; ok {
		return m
	}
	if r.mentioned == nil {
		r.mentioned = map[string]int{}
	}
	n, read := 0, false
	if r.tools.Texts != nil {
		if body, err := r.tools.Texts.Text(ctx, s.Hash); err == nil {
			n, read = timesSaid(body, phrase), true
		}
	}
	for _, h := range hits {
		if !read && h.Source.Hash == s.Hash {
			n += timesSaid(h.Text, phrase)
		}
	}
	r.mentioned[key] = n
	return n
}

// distinct drops sentences that another one says already, keeping the one of the older document: the reprint goes, not
// the original.
func distinct(ps []pick, lang string) []pick {
	var out []pick
next:
	for _, p := range ps {
		for i, o := range out {
			if o.same(p) {
				continue next
			}
			if !sameStatement(o, p, lang) {
				continue
			}
			if older(p.hit.Source, o.hit.Source) {
				p.score = max(p.score, o.score)
				out[i] = p
			}
			continue next
		}
		out = append(out, p)
	}
	return out
}

func older(a, b plumb.Source) bool {
	if d := rank.Authority(a.URL) - rank.Authority(b.URL); d != 0 {
		return d > 0
	}
	return a.Date != "" && (b.Date == "" || a.Date < b.Date)
}

// alike is the share of common terms from which two sentences are taken for the same.
const alike = 0.75

// sameStatement says whether two sentences state the same, word for word or nearly so. A different figure or a negation
// makes them different, however alike they are.
func sameStatement(a, b pick, lang string) bool {
	if rank.Jaccard(a.terms, b.terms) < alike {
		return false
	}
	c := text.Compare(a.quote, b.quote, lang, nil)
	if c.Clash != nil || negations(a.quote) != negations(b.quote) {
		return false
	}
	na, nb := figures(a.quote), figures(b.quote)
	return len(c.NumbersMissing) == 0 || within(na, nb) || within(nb, na)
}

// figures are the numbers of a sentence as written.
func figures(s string) []string {
	var out []string
	for _, t := range text.Tokens(s) {
		if strings.ContainsAny(t.Text, "0123456789") {
			out = append(out, t.Text)
		}
	}
	return out
}

// within says whether b has all of a: "14 February" says nothing that "14 February 2023" does not.
func within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

var negative = wordSet("not no never none nobody nothing neither nor cannot without isn't aren't wasn't weren't didn't doesn't don't hasn't haven't won't can't kein keine nicht nie pas jamais aucun ningún nunca")

func negations(s string) int {
	n := 0
	for _, w := range strings.Fields(s) {
		if negative[bare(w)] {
			n++
		}
	}
	return n
}

// documents are those of the picks, then those of the best passages, at most n.
func documents(picked []pick, hits []plumb.Hit, n int) []plumb.Source {
	var out []plumb.Source
	add := func(s plumb.Source) {
		if !slices.ContainsFunc(out, func(o plumb.Source) bool { return o.Hash == s.Hash }) {
			out = append(out, s)
		}
	}
	for _, p := range picked {
		add(p.hit.Source)
	}
	for _, h := range hits {
		if len(out) < n {
			add(h.Source)
		}
	}
	return out
}
