package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/report"
	"github.com/plumbresearch/plumb/verify"
)

// evidence gathers the findings of the units that count, and those of the turn before when its evidence is kept.
func (s *Steps) evidence(ctx context.Context, t *Task) ([]plumb.Finding, []plumb.Source, error) {
	var out []plumb.Finding
	for _, u := range t.Step.In.Units {
		if u.Result == "" {
			continue
		}
		var rec unitRecord
		if err := s.Contents.Artefact(ctx, t.Run, u.Result, &rec); err != nil {
			return nil, nil, err
		}
		out = append(out, rec.Result.Findings...)
	}
	if t.Step.In.Kept != "" {
		kept, err := s.inherit(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, kept...)
	}
	sources, err := s.Contents.Sources(ctx, t.Run)
	return out, sources, err
}

// inherit takes over the evidence of the turn before, with its sources.
func (s *Steps) inherit(ctx context.Context, t *Task) ([]plumb.Finding, error) {
	run, before := t.Run, t.Step.In.Kept
	fs, err := s.Contents.Findings(ctx, before)
	if err != nil {
		return nil, err
	}
	sources, err := s.Contents.Sources(ctx, before)
	if err != nil {
		return nil, err
	}
	fs = slices.DeleteFunc(fs, func(f plumb.Finding) bool { return older(f.Date, t.Asked.Where.Since) })
	for i := range fs {
		f := &fs[i]
		f.Subtask = 0 // no unit of this run
		if f.Reused == "" {
			f.ID, f.Reused = before+"/"+f.ID, before
		}
	}
	if err := s.putSources(ctx, run, sources); err != nil {
		return nil, err
	}
	return fs, s.Contents.PutFindings(ctx, run, refKept, fs) // so that the turn after this one has them too
}

func (s *Steps) cite(ctx context.Context, t *Task) (plumb.Outcome, error) {
	fs, sources, err := s.evidence(ctx, t)
	if err != nil {
		return plumb.Outcome{}, err
	}
	var brief plumb.Brief
	if err := s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Brief, &brief); err != nil {
		return plumb.Outcome{}, err
	}
	o := report.CiteOptions{At: t.Asked.At, Max: t.Limits.Citations}
	if len(t.Asked.Where.Search)+len(t.Asked.Where.Papers) > 0 {
		o.Entity = brief.Entity // own documents were chosen by a person: a letter need not repeat what it is about
	}
	cs, left := report.Cite(fs, sources, o)
	if err := s.Contents.PutArtefact(ctx, t.Run, refCitations, cs); err != nil {
		return plumb.Outcome{}, err
	}
	news := plumb.CiteNews{Findings: len(fs), Sources: len(sources), Citations: len(cs), LeftOut: left}
	t.Emit(plumb.News(plumb.Cited, fmt.Sprintf("%s from %s, %d to cite", count(len(fs), "finding"), count(len(sources), "source"), len(cs)), news))
	return plumb.Outcome{Refs: plumb.Refs{Citations: refCitations}}, nil
}

// material fetches what a draft is written and reviewed from.
func (s *Steps) material(ctx context.Context, t *Task) (report.Material, error) {
	m := report.Material{Question: *t.Asked, Limits: *t.Limits, Standing: t.Step.In.Standing, Feedback: t.Step.In.Feedback, Round: t.Step.Round, Emit: t.Emit}
	var err error
	if m.Findings, _, err = s.evidence(ctx, t); err != nil {
		return m, err
	}
	if err := s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Brief, &m.Brief); err != nil {
		return m, err
	}
	return m, s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Citations, &m.Citations)
}

func (s *Steps) write(ctx context.Context, t *Task) (plumb.Outcome, error) {
	m, err := s.material(ctx, t)
	if err != nil {
		return plumb.Outcome{}, err
	}
	draft, err := think(ctx, s, t, func(ctx context.Context, mind Mind) (string, error) { return mind.Writer.Write(ctx, m) })
	if err != nil {
		return plumb.Outcome{}, err
	}
	draft, cited, unresolved := report.Renumber(draft, m.Citations)
	if unresolved > 0 {
		t.Emit(plumb.Event{Kind: plumb.Warning, Text: fmt.Sprintf("%d citation numbers that name no source were removed from the draft", unresolved)})
	}
	if err := s.Contents.PutArtefact(ctx, t.Run, t.Step.ID, draft); err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.Contents.PutCitations(ctx, t.Run, cited); err != nil {
		return plumb.Outcome{}, err
	}
	news := plumb.DraftNews{Chars: len([]rune(draft)), Citations: len(cited), Round: t.Step.Round}
	t.Emit(plumb.News(plumb.DraftWritten, fmt.Sprintf("%s, %s cited", count(news.Chars, "character"), count(news.Citations, "source")), news))
	return plumb.Outcome{Refs: plumb.Refs{Draft: t.Step.ID}}, nil
}

func (s *Steps) review(ctx context.Context, t *Task) (plumb.Outcome, error) {
	m, err := s.material(ctx, t)
	if err != nil {
		return plumb.Outcome{}, err
	}
	var draft string
	if err := s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Draft, &draft); err != nil {
		return plumb.Outcome{}, err
	}
	r, err := think(ctx, s, t, func(ctx context.Context, mind Mind) (report.Review, error) {
		return mind.Reviewer.Review(ctx, m, draft)
	})
	if err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.Contents.PutArtefact(ctx, t.Run, t.Step.ID, r); err != nil {
		return plumb.Outcome{}, err
	}
	t.Emit(plumb.News(plumb.DraftReviewed, fmt.Sprintf("score %.2f", r.Score), r))
	return plumb.Outcome{Refs: plumb.Refs{Review: t.Step.ID}, Score: r.Score, Reason: clip(r.Feedback, 4000)}, nil
}

func (s *Steps) claims(ctx context.Context, t *Task) (plumb.Outcome, error) {
	var draft string
	if err := s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Draft, &draft); err != nil {
		return plumb.Outcome{}, err
	}
	claims := verify.Split(draft)
	claims = claims[:min(len(claims), plumb.MaxClaims)]
	if err := s.Contents.PutClaims(ctx, t.Run, claims); err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.Contents.PutArtefact(ctx, t.Run, refMentions, verify.Mentions(draft)); err != nil {
		return plumb.Outcome{}, err
	}
	if t.Kind == plumb.Audit {
		read, err := s.audited(ctx, t.Run)
		if err != nil {
			return plumb.Outcome{}, err
		}
		if err := s.Contents.PutCitations(ctx, t.Run, read.fill(verify.Cited(draft))); err != nil {
			return plumb.Outcome{}, err
		}
	}
	t.Emit(plumb.News(plumb.ClaimsSplit, count(len(claims), "claim")+" to check", nil))
	return plumb.Outcome{Refs: plumb.Refs{Claims: t.Step.ID}, Counts: plumb.Counts{Claims: len(claims)}}, nil
}

func (s *Steps) check(ctx context.Context, t *Task) (plumb.Outcome, error) {
	claims, err := s.Contents.Claims(ctx, t.Run)
	if err != nil {
		return plumb.Outcome{}, err
	}
	sources, err := s.readSources(ctx, t)
	if err != nil {
		return plumb.Outcome{}, err
	}
	to := min(t.Step.In.To, len(claims))
	batch := claims[min(t.Step.In.From, to):to]
	checker := verify.NewChecker(sources, s.Mind.Judge)
	bench := &bench{}
	if t.sitting.asked {
		bench.judge, checker.Judge = t.sitting.mind.Judge, bench
	}
	verdicts, err := checker.Check(ctx, batch, t.Emit)
	if err != nil {
		return plumb.Outcome{}, err
	}
	bench.tell(t)
	return plumb.Outcome{}, s.Contents.PutVerdicts(ctx, t.Run, verdicts)
}

// readSources are the texts that the run has read.
func (s *Steps) readSources(ctx context.Context, t *Task) (verify.Sources, error) {
	if t.Kind == plumb.Audit {
		return s.audited(ctx, t.Run)
	}
	sources, err := s.Contents.Sources(ctx, t.Run)
	return read{contents: s.Contents, sources: sources}, err
}

// read gives a checker the texts that the run has read.
type read struct {
	contents Contents
	sources  []plumb.Source
}

func (r read) Source(ctx context.Context, url string) (plumb.Source, string, error) {
	for _, s := range r.sources {
		if s.URL == url || link.Same(s.URL, url) {
			text, err := r.contents.Text(ctx, s.Hash)
			return s, text, err
		}
	}
	return plumb.Source{}, "", fmt.Errorf("%s was not read by this run: %w", url, verify.ErrInaccessible)
}

func (s *Steps) publish(ctx context.Context, t *Task) (plumb.Outcome, error) {
	r, err := s.report(ctx, t)
	if err != nil {
		return plumb.Outcome{}, err
	}
	md, err := report.Compile(r)
	if err != nil {
		return plumb.Outcome{}, Permanent(err)
	}
	page, err := report.HTML(r)
	if err != nil {
		return plumb.Outcome{}, Permanent(err)
	}
	for ref, v := range map[string]any{refMarkdown: md, refHTML: string(page), refTimes: times{Generated: r.Generated, Checked: r.Checked}, refAbout: aboutOf(r)} {
		if err := s.Contents.PutArtefact(ctx, t.Run, ref, v); err != nil {
			return plumb.Outcome{}, err
		}
	}
	if t.Kind == plumb.Research {
		if err := s.remember(ctx, t.Run); err != nil {
			return plumb.Outcome{}, err
		}
	}
	sum := verify.Summarise(r.Verdicts)
	text := fmt.Sprintf("%d of %s supported", sum.Supported, count(len(r.Claims), "claim"))
	if !t.Limits.Check {
		text = "unchecked"
	}
	t.Emit(plumb.News(plumb.Published, text, sum))
	return plumb.Outcome{Refs: plumb.Refs{Report: refMarkdown}}, nil
}

// times of a published report, from which its files can be written again.
type times struct {
	Generated time.Time `json:"generated"`
	Checked   time.Time `json:"checked"`
}

// remember keeps the findings with the library, for runs that may reuse them.
func (s *Steps) remember(ctx context.Context, run string) error {
	fs, err := s.Contents.Findings(ctx, run)
	if err != nil {
		return err
	}
	fs = slices.DeleteFunc(fs, func(f plumb.Finding) bool { return f.Reused != "" || !f.Citable() })
	return s.Library.SaveFindings(ctx, run, fs)
}

// report collects what the published report is made from.
func (s *Steps) report(ctx context.Context, t *Task) (report.Report, error) {
	now, err := t.sitting.tape.clock(ctx)
	if err != nil {
		return report.Report{}, err
	}
	now = now.Truncate(time.Second)
	r := report.Report{Run: t.Run, Kind: t.Kind, Question: *t.Asked, Limits: *t.Limits, Standing: t.Step.In.Standing,
		Thinking: thinking(t.Asked.Models), Generated: now, Texts: map[string]string{}}
	if err := s.bill(ctx, t, &r); err != nil {
		return r, err
	}
	get := func(ref string, v any) {
		if err == nil && ref != "" {
			err = s.Contents.Artefact(ctx, t.Run, ref, v)
		}
	}
	get(t.Step.In.Refs.Brief, &r.Brief)
	get(t.Step.In.Refs.Draft, &r.Draft)
	if err != nil {
		return r, err
	}
	var errs [5]error
	r.Citations, errs[0] = s.Contents.Citations(ctx, t.Run)
	r.Claims, errs[1] = s.Contents.Claims(ctx, t.Run)
	r.Sources, errs[2] = s.Contents.Sources(ctx, t.Run)
	r.Verdicts, errs[3] = s.verdicts(ctx, t, r.Claims)
	fs, err := s.Contents.Findings(ctx, t.Run)
	errs[4] = err
	if err := errors.Join(errs[:]...); err != nil {
		return r, err
	}
	own := slices.DeleteFunc(slices.Clone(fs), func(f plumb.Finding) bool { return f.Reused != "" })
	r.Findings = len(own)
	if n := len(fs) - len(own); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s of earlier runs could be used as well; the quality gate does not count them.", count(n, "finding")))
	}
	if t.Limits.Check {
		r.Checked = now
	}
	if t.Asked.Via != "" {
		note, err := s.writtenBy(ctx, t)
		if err != nil {
			return r, err
		}
		r.Notes = append(r.Notes, note)
	}
	return r, texts(ctx, s.Contents, &r)
}

// thinking names who thinks, for the methodology.
func thinking(m plumb.Models) []string {
	if m.Orchestrator == "" {
		return []string{"extractive"}
	}
	out := []string{m.Orchestrator}
	for _, r := range []struct{ role, name string }{{"units", m.Worker}, {"judging", m.Judge}, {"ranking", m.Embed}} {
		if r.name != "" && r.name != m.Orchestrator {
			out = append(out, r.name+" ("+r.role+")")
		}
	}
	return out
}

// bill puts the cost and the hosts that were talked to into a report.
func (s *Steps) bill(ctx context.Context, t *Task, r *report.Report) error {
	var models []string
	if t.sitting.asked || t.Asked.Via != "" && s.Ledger != nil {
		rows, err := s.Ledger.LedgerRows(ctx, t.Run)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Role != roleRemote {
				models = append(models, row.Model)
			}
			if !row.Priced && !slices.Contains(r.Unpriced, row.Model) {
				r.Unpriced = append(r.Unpriced, row.Model)
			}
		}
		if r.Spent, err = s.Ledger.Spent(ctx, t.Run); err != nil {
			return err
		}
	}
	if len(models)+len(t.Asked.Where.Search)+len(t.Asked.Where.Papers) == 0 && !t.Asked.Where.Cited && t.Asked.Via == "" {
		return nil
	}
	var err error
	r.Hosts, err = taped(ctx, t.sitting.tape, "hosts", nil, func() ([]string, error) { return s.talkedTo(ctx, t, models) })
	return err
}

// talkedTo lists the hosts of models, searches and pages.
func (s *Steps) talkedTo(ctx context.Context, t *Task, models []string) ([]string, error) {
	var hosts []string
	for _, m := range models {
		hosts = append(hosts, s.Models.Host(m))
	}
	if t.Asked.Via != "" && s.Remote != nil {
		hosts = append(hosts, s.Remote.Host(t.Asked.Via))
	}
	if s.Tapes == nil || s.Outside == nil {
		slices.Sort(hosts)
		return slices.Compact(hosts), nil
	}
	searched := false
	err := s.Tapes.Recordings(ctx, t.Run, func(rec plumb.Recording) error {
		switch rec.Kind {
		case "search", "papers":
			searched = true
		case "page":
			var url string
			if err := json.Unmarshal(rec.Asked, &url); err != nil {
				return err
			}
			hosts = append(hosts, link.Host(url))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if searched {
		web, papers, err := s.Outside.Search(t.Asked.Where)
		if err != nil {
			return nil, err
		}
		for _, e := range []Searcher{web, papers} {
			if e != nil {
				hosts = append(hosts, e.Hosts()...)
			}
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), nil
}

// verdicts are one per claim. A claim whose batch failed could not be checked, which is never a refutation.
func (s *Steps) verdicts(ctx context.Context, t *Task, claims []plumb.Claim) ([]plumb.Verdict, error) {
	if !t.Limits.Check {
		return nil, nil
	}
	got, err := s.Contents.Verdicts(ctx, t.Run)
	if err != nil || len(got) == len(claims) {
		return got, err
	}
	byClaim := map[string]plumb.Verdict{}
	for _, v := range got {
		byClaim[v.ClaimID] = v
	}
	out := make([]plumb.Verdict, 0, len(claims))
	for _, c := range claims {
		v, ok := byClaim[c.ID]
		if !ok {
			v = plumb.Verdict{ClaimID: c.ID, ClaimText: c.Text, Status: plumb.Inaccessible, Notes: "check not made", Reason: "The check could not be made."}
		}
		out = append(out, v)
	}
	return out, s.Contents.PutVerdicts(ctx, t.Run, out)
}

// texts fetches the texts that a reader of the report may want to see.
func texts(ctx context.Context, c Contents, r *report.Report) error {
	var want []string
	for _, x := range r.Citations {
		want = append(want, x.Source)
	}
	for _, v := range r.Verdicts {
		want = append(want, v.Source)
		for _, o := range v.Others {
			want = append(want, o.Source)
		}
	}
	for _, hash := range want {
		if hash == "" || r.Texts[hash] != "" {
			continue
		}
		text, err := c.Text(ctx, hash)
		if err != nil {
			return err
		}
		r.Texts[hash] = text
	}
	return nil
}
