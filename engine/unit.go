package engine

import (
	"context"
	"slices"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/llm"
)

// unitRecord is what is kept of a unit: the planned units it was made of, and what they found together.
type unitRecord struct {
	Parts  []plumb.Unit      `json:"parts"`
	Result gather.UnitResult `json:"result"`
}

// unit researches a unit. Merged units are researched one after the other, each knowing what those before it found.
func (s *Steps) unit(ctx context.Context, t *Task) (plumb.Outcome, error) {
	var brief plumb.Brief
	if err := s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Brief, &brief); err != nil {
		return plumb.Outcome{}, err
	}
	rec := unitRecord{}
	var err error
	if rec.Parts, err = s.parts(ctx, t.Run, brief, t.Step.In.Refs.Plan, t.Step.Unit, t.Step.In.Parts); err != nil {
		return plumb.Outcome{}, err
	}
	earlier, missing, visited, err := s.seen(ctx, t, brief)
	if err != nil {
		return plumb.Outcome{}, err
	}
	at, err := t.sitting.tape.clock(ctx)
	if err != nil {
		return plumb.Outcome{}, err
	}
	for _, part := range rec.Parts {
		task := gather.UnitTask{Run: t.Run, Unit: part, Brief: brief, Question: *t.Asked, Limits: t.Limits.Unit, Number: t.Step.In.Number,
			Visited: slices.Concat(visited, rec.Result.Visited), Earlier: slices.Concat(earlier, rec.Result.Findings), Missing: missing, At: at, Emit: t.Emit}
		r, err := think(ctx, s, t, func(ctx context.Context, m Mind) (gather.UnitResult, error) {
			tools, err := s.tools(t, m)
			if err != nil {
				return gather.UnitResult{}, err
			}
			r, err := m.Thinker.Research(ctx, task, tools)
			if err == nil && r.Broke && len(r.Findings) == 0 {
				err = llm.ErrBudget // what costs nothing may still find something
			}
			return r, err
		})
		if err != nil {
			if len(rec.Result.Findings) > 0 && ctx.Err() != nil {
				break // out of time: what the parts before found is kept
			}
			return plumb.Outcome{}, err
		}
		if r.Broke {
			t.Emit(plumb.Event{Kind: plumb.Warning, Text: "unit " + part.ID + ": the budget ran out on the way; what was found by then is kept"})
		}
		rec.Result.Findings = append(rec.Result.Findings, r.Findings...)
		rec.Result.Sources = append(rec.Result.Sources, r.Sources...)
		rec.Result.Visited = append(rec.Result.Visited, r.Visited...)
		rec.Result.Notes = append(rec.Result.Notes, r.Notes...)
	}
	return s.keep(context.WithoutCancel(ctx), t, rec)
}

// keep stores what a unit found. A finding whose quote is not in the stored text is not a finding.
func (s *Steps) keep(ctx context.Context, t *Task, rec unitRecord) (plumb.Outcome, error) {
	kept, dropped, err := gather.Quoted(ctx, rec.Result.Findings, s.Contents)
	if err != nil {
		return plumb.Outcome{}, err
	}
	if dropped > 0 {
		t.Emit(plumb.Event{Kind: plumb.Warning, Text: count(dropped, "finding") + " dropped: the quotes are not in the sources"})
	}
	rec.Result.Findings = kept[:min(len(kept), max(t.Limits.Unit.Findings, 1)*len(rec.Parts))]
	if err := s.putSources(ctx, t.Run, rec.Result.Sources); err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.Contents.PutFindings(ctx, t.Run, t.Step.Unit, rec.Result.Findings); err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.Contents.PutArtefact(ctx, t.Run, t.Step.ID, rec); err != nil {
		return plumb.Outcome{}, err
	}
	o := plumb.Outcome{Refs: plumb.Refs{Result: t.Step.ID}}
	for _, f := range rec.Result.Findings {
		if f.Reused != "" || f.Depth == plumb.Snippet {
			continue // findings of earlier runs never satisfy the gate, and snippets were not read
		}
		o.Counts.Findings++
		if f.Citable() {
			o.Counts.Cited++
			o.Keys = append(o.Keys, f.Key)
		}
	}
	slices.Sort(o.Keys)
	o.Keys = slices.Compact(o.Keys)
	return o, nil
}

// putSources gives the run its own record of sources whose texts are stored already.
func (s *Steps) putSources(ctx context.Context, run string, sources []plumb.Source) error {
	for _, src := range sources {
		text, err := s.Contents.Text(ctx, src.Hash)
		if err != nil {
			return err
		}
		if err := s.Contents.PutSource(ctx, run, src, text); err != nil {
			return err
		}
	}
	return nil
}

// parts finds the words of a unit, or of the units that were merged into it. Without a plan the brief is the unit.
func (s *Steps) parts(ctx context.Context, run string, brief plumb.Brief, plan, id string, merged []string) ([]plumb.Unit, error) {
	whole := plumb.Unit{ID: id, Question: brief.Question, Kind: plumb.General}
	if len(brief.Areas) > 0 {
		whole.Area = brief.Areas[0].Name
	}
	if plan == "" {
		return []plumb.Unit{whole}, nil
	}
	var p plumb.Plan
	if err := s.Contents.Artefact(ctx, run, plan, &p); err != nil {
		return nil, err
	}
	want := merged
	if len(want) == 0 {
		want = []string{id}
	}
	var out []plumb.Unit
	for _, u := range p.Units {
		if slices.Contains(want, u.ID) {
			out = append(out, u)
		}
	}
	if len(out) == 0 {
		return []plumb.Unit{whole}, nil
	}
	return out, nil
}

// settled gives the words and the result of a unit that is over; one that failed or was skipped has found nothing.
func (s *Steps) settled(ctx context.Context, run string, brief plumb.Brief, u plumb.UnitRef) ([]plumb.Unit, gather.UnitResult, error) {
	if u.Result == "" {
		parts, err := s.parts(ctx, run, brief, u.Plan, u.ID, nil)
		return parts, gather.UnitResult{}, err
	}
	var rec unitRecord
	err := s.Contents.Artefact(ctx, run, u.Result, &rec)
	return rec.Parts, rec.Result, err
}

// seen gathers what a unit may know of others: findings of those it comes after, sources of earlier ones.
func (s *Steps) seen(ctx context.Context, t *Task, brief plumb.Brief) (earlier []plumb.Finding, missing, visited []string, err error) {
	for _, u := range t.Step.In.Units {
		_, r, err := s.settled(ctx, t.Run, brief, u)
		if err != nil {
			return nil, nil, nil, err
		}
		if u.State != plumb.Succeeded {
			missing = append(missing, u.ID)
		}
		earlier = append(earlier, r.Findings...)
	}
	for _, u := range t.Step.In.Visited {
		_, r, err := s.settled(ctx, t.Run, brief, u)
		if err != nil {
			return nil, nil, nil, err
		}
		visited = append(visited, r.Visited...)
	}
	slices.Sort(visited)
	return earlier, missing, slices.Compact(visited), nil
}

func (s *Steps) tools(t *Task, m Mind) (gather.Tools, error) {
	shelf := shelf{library: s.Library, run: t.Run, folders: t.Asked.Where.Folders, since: t.Asked.Where.Since}
	tools := gather.Tools{Texts: s.Contents}
	switch {
	case len(t.Asked.Where.Folders) == 0 && !t.Asked.Where.Library: // nobody said that the documents may be read
	case m.Embedder != nil:
		tools.Library = tapedPassages{near{shelf, m.Embedder}, t.sitting.tape}
	default:
		tools.Library = tapedPassages{shelf, t.sitting.tape}
	}
	if t.Asked.Reuse {
		tools.Earlier = tapedEarlier{shelf, t.sitting.tape}
	}
	return tools, s.outside(t, &tools)
}

// shelf is the part of the library that a question may look into.
type shelf struct {
	library *library.Library
	run     string
	folders []string
	since   string // ISO 8601 date, or empty
}

// Search looks for passages. Documents that are known to be older than wanted are left out; those without a date stay.
func (s shelf) Search(ctx context.Context, q gather.Query) ([]plumb.Hit, error) {
	lq := library.Query{Text: q.Text, Language: q.Language, Folders: s.folders, Limit: q.Limit, Exclude: q.Exclude}
	if s.since != "" {
		lq.Limit *= 4 // room for what is too old
	}
	hits, err := s.library.Search(ctx, lq)
	hits = slices.DeleteFunc(hits, func(h plumb.Hit) bool { return older(h.Source.Date, s.since) })
	return hits[:min(len(hits), max(q.Limit, 0))], err
}

// older compares dates of any exactness: 2024 is not older than 2024-03.
func older(date, since string) bool {
	n := min(len(date), len(since))
	return n > 0 && date[:n] < since[:n]
}

func (s shelf) EarlierFindings(ctx context.Context, query string, n int) ([]plumb.Finding, error) {
	fs, err := s.library.EarlierFindings(ctx, query, s.folders, s.run, n)
	return slices.DeleteFunc(fs, func(f plumb.Finding) bool { return older(f.Date, s.since) }), err
}
