package gather

// Supervise: an area that stayed thin is tried once more in other words; then research is complete.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
)

// enough findings for an area that the supervisor does not ask for more.
const enough = 2

// Supervise proposes one more unit, in other words, for each area with fewer than two findings, once an area and never a
// question that was asked before. It says complete when nothing sensible is left to try.
func (Extractive) Supervise(ctx context.Context, t SuperviseTask) (Proposal, error) {
	if err := ctx.Err(); err != nil {
		return Proposal{}, err
	}
	if len(t.Pending) > 0 {
		p := Proposal{Reason: fmt.Sprintf("%d planned units are still to be researched", len(t.Pending))}
		for _, id := range t.Pending {
			p.Units = append(p.Units, plumb.Unit{ID: id}) // known by its ID: the rules dispatch it as planned
		}
		return p, nil
	}
	var thin []string
	var out []plumb.Unit
	for _, a := range t.Brief.Areas {
		if findingsOf(a.Name, t.Units) >= enough {
			continue
		}
		thin = append(thin, a.Name)
		if u, ok := retry(a, t, out); ok && len(out) < t.Spare {
			out = append(out, u)
		}
	}
	if len(out) > 0 {
		return Proposal{Units: out, Reason: "little was found on: " + strings.Join(thin, "; ")}, nil
	}
	reason := "every part of the question has evidence"
	if len(thin) > 0 {
		reason = "nothing else is left to try on: " + strings.Join(thin, "; ")
	}
	return Proposal{Complete: true, Reason: reason}, nil
}

// findingsOf counts the citable findings that serve an area.
func findingsOf(area string, units []UnitReport) int {
	n := 0
	for _, u := range units {
		for _, f := range u.Findings {
			if f.Citable() && f.Reused == "" && f.Area == area {
				n++
			}
		}
	}
	return n
}

// retry asks for an area's key terms instead of its sentence, with synonyms as queries.
func retry(a plumb.Area, t SuperviseTask, more []plumb.Unit) (plumb.Unit, bool) {
	var ids, asked []string
	tries := 0
	kind := kindFor(a.Question, t.Question.Where, t.Limits)
	for _, r := range t.Units {
		ids, asked = append(ids, r.Unit.ID), append(asked, r.Unit.Question)
		if r.Unit.Area == a.Name {
			tries++
		}
	}
	if tries > 1 {
		return plumb.Unit{}, false
	}
	lang := language(a.Question)
	key := contentWords(a.Question, lang)
	q := strings.Join(key, " ")
	if len(key) == 0 || slices.ContainsFunc(asked, func(s string) bool { return strings.EqualFold(s, q) }) {
		return plumb.Unit{}, false
	}
	u := plumb.Unit{ID: nextID(more, ids), Question: q, Kind: kind, Area: a.Name}
	if other := inOtherWords(key, lang); other != "" {
		u.Queries = append(u.Queries, other)
	}
	return u, true
}
