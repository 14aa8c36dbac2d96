package gather

// Retrieval: several phrasings of a question, fused into one list of passages.

import (
	"context"
	"fmt"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/rank"
)

// passagesAtMost bounds the passages that a topic reads.
const passagesAtMost = 40

// retrieve searches with every phrasing and fuses the lists.
func (r *result) retrieve(ctx context.Context, tp topic, lang string) ([]plumb.Hit, error) {
	return r.search(ctx, phrasings(tp, r.task.Brief), lang, r.readBefore())
}

// search fuses what several queries find in the library, documents that are known by their URLs left aside.
func (r *result) search(ctx context.Context, queries []string, lang string, aside []string) ([]plumb.Hit, error) {
	if r.tools.Library == nil {
		return nil, nil
	}
	hits := map[string]plumb.Hit{}
	var lists [][]string
	for _, q := range queries {
		found, err := r.tools.Library.Search(ctx, Query{Text: q, Language: lang, Limit: passagesAtMost, Exclude: aside})
		if err != nil && ctx.Err() != nil && len(lists) > 0 {
			break // in a hurry: what the phrasings before found must do
		}
		if err != nil {
			return nil, fmt.Errorf("library search: %w", err)
		}
		var ids []string
		for _, h := range found {
			id := fmt.Sprintf("%s:%09d:%09d", h.Passage.Source, h.Passage.Start, h.Passage.End)
			if _, ok := hits[id]; !ok {
				hits[id] = h
			}
			ids = append(ids, id)
		}
		lists = append(lists, ids)
	}
	var out []plumb.Hit
	for _, f := range rank.Fuse(0, lists...) {
		h := hits[f.ID]
		if tooOld(h.Source.Date, r.task.Question.Where.Since) || len(out) == passagesAtMost {
			continue
		}
		h.Score = f.Score
		out = append(out, h)
	}
	return out, nil
}

// readBefore are the documents that a unit leaves aside. One that asks for an area in other words, because little was
// found, goes to documents that were not read yet; any other may find in a known document what others did not look for.
func (r *result) readBefore() []string {
	for _, a := range r.task.Brief.Areas {
		if a.Name == r.task.Unit.Area && a.Question != r.task.Unit.Question {
			return r.task.Visited
		}
	}
	return nil
}

// phrasings are the question, its own queries and the exact names in it, without repetitions.
func phrasings(tp topic, b plumb.Brief) []string {
	seen := map[string]bool{}
	var out []string
	all := append([]string{tp.question}, tp.queries...)
	if len(tp.queries) == 0 {
		all = append(all, queriesOf(tp.question, b)...)
	}
	if other := inOtherWords(contentWords(tp.question, language(tp.question)), language(tp.question)); other != "" {
		all = append(all, other)
	}
	for _, q := range all {
		key := words(q)
		if strings.TrimSpace(q) == "" || seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, q)
	}
	return out
}

// tooOld compares ISO 8601 dates at the coarser one's precision. A document without a date is never too old.
func tooOld(date, since string) bool {
	n := min(len(date), len(since))
	return n > 0 && date[:n] < since[:n]
}
