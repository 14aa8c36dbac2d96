package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/llm"
)

// Steps does the steps of runs: it fetches what a step's references name, lets the stage think, keeps what came of it,
// and answers with references and counts. It never sees a Run.
type Steps struct {
	Contents Contents
	Library  *library.Library
	Outside  Outside       // nil: nothing but the user's documents is searched
	Mind     Mind          // thinks where no model is asked for, and where one fails; the zero Mind is extractive
	Models   *Models       // nil: questions that name models are refused
	Ledger   Ledger        // needed where there are models
	Remote   Remote        // nil: questions that go via a service are refused
	Look     time.Duration // the first pause between two looks at a service's job; 0: 2 s
	Tapes    Tapes         // nil: nothing is recorded, and a step that is done again asks again
	Now      func() time.Time
	// Failed is told the whole error of a model that was given up, for operators; nil: nobody is.
	Failed func(run, step string, err error)
	// Again makes it a replay: recordings alone answer, and what came of each step the first time is known.
	Again map[string]plumb.Outcome
}

// Names of a run's artefacts. Those that are made in rounds carry the round.
const (
	refQuestion  = "question"
	refBrief     = "brief"
	refCitations = "citations" // those that may be cited; the numbered ones of the draft are rows
	refMentions  = "mentions"
	refMarkdown  = "final.md"
	refHTML      = "final.html"
	refTimes     = "times"
	refAbout     = "run.json"
	refKept      = "kept" // in place of a unit: findings of the turn before
)

// Do does one step.
func (s *Steps) Do(ctx context.Context, t *Task) (*plumb.Outcome, error) {
	do, ok := map[plumb.StepKind]func(context.Context, *Task) (plumb.Outcome, error){
		plumb.StepOrder: s.order, plumb.StepCollect: s.collect,
		plumb.StepRead: s.read, plumb.StepScope: s.scope, plumb.StepPlan: s.plan, plumb.StepUnit: s.unit,
		plumb.StepSupervise: s.supervise, plumb.StepCite: s.cite, plumb.StepWrite: s.write, plumb.StepReview: s.review,
		plumb.StepClaims: s.claims, plumb.StepCheck: s.check, plumb.StepPublish: s.publish,
	}[t.Step.Kind]
	if !ok {
		return nil, Permanent(fmt.Errorf("step %s: nobody does steps of kind %s", t.Step.ID, t.Step.Kind))
	}
	own := *t
	var o plumb.Outcome
	var err error
	if own.sitting, err = s.sit(ctx, &own); err == nil {
		own.Emit = own.sitting.heed(t.Emit)
		o, err = do(ctx, &own)
	}
	if err == nil {
		err = s.close(ctx, &own, &o)
	}
	if err != nil {
		return nil, fmt.Errorf("step %s: %w", t.Step.ID, err)
	}
	return &o, nil
}

// read brings the library up to date with the folders of the question; an audit then reads what its draft cites.
func (s *Steps) read(ctx context.Context, t *Task) (plumb.Outcome, error) {
	open := s.ready
	if t.Asked.Via != "" {
		open = s.nameHosts // the models have answered before the draft was ordered
	}
	if err := open(ctx, t); err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.readFolders(ctx, t); err != nil {
		return plumb.Outcome{}, err
	}
	if t.Kind == plumb.Audit {
		return plumb.Outcome{}, s.readCited(ctx, t)
	}
	return plumb.Outcome{}, nil
}

func (s *Steps) readFolders(ctx context.Context, t *Task) error {
	if s.Again != nil {
		return nil // what was found in the folders is on tape
	}
	for _, folder := range t.Asked.Where.Folders {
		if library.OnShelf(folder) {
			continue // its documents are in the library and nowhere else
		}
		o := library.AddOptions{
			Progress: func(n plumb.DocumentsNews) {
				n.Folder = "" // a path of this machine: events may be shown elsewhere
				t.Emit(plumb.News(plumb.DocumentsRead, fmt.Sprintf("%d of %d documents", n.Done, n.Total), n))
			},
			Skipped: func(k library.Skip) {
				t.Emit(plumb.Event{Kind: plumb.FileSkipped, Text: k.Path + ": " + k.Reason})
			},
			Cut: func(path string) {
				t.Emit(plumb.Event{Kind: plumb.Warning, Text: path + ": too long, only its beginning is read"})
			},
		}
		if _, err := s.Library.Add(ctx, folder, o); err != nil {
			return Permanent(plain{err}) // names a folder that the user gave, and the cure
		}
	}
	return nil
}

func (s *Steps) scope(ctx context.Context, t *Task) (plumb.Outcome, error) {
	if len(t.Asked.Where.Folders) == 0 { // else the reading of the folders came first
		if err := s.ready(ctx, t); err != nil {
			return plumb.Outcome{}, err
		}
	}
	task := gather.ScopeTask{Question: *t.Asked, Answer: t.Step.In.Feedback, Emit: t.Emit}
	if kept := t.Step.In.Kept; kept != "" {
		var q plumb.Question
		var b plumb.Brief
		if err := s.Contents.Artefact(ctx, kept, refQuestion, &q); err != nil {
			return plumb.Outcome{}, err
		}
		if err := s.Contents.Artefact(ctx, kept, refBrief, &b); err != nil {
			return plumb.Outcome{}, err
		}
		task.Before = &gather.Turn{Question: q.Text, Brief: b}
	}
	brief, err := think(ctx, s, t, func(ctx context.Context, m Mind) (plumb.Brief, error) { return m.Thinker.Scope(ctx, task) })
	if err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.Contents.PutArtefact(ctx, t.Run, refQuestion, *t.Asked); err != nil {
		return plumb.Outcome{}, err
	}
	if err := s.Contents.PutArtefact(ctx, t.Run, refBrief, brief); err != nil {
		return plumb.Outcome{}, err
	}
	t.Emit(plumb.News(plumb.BriefReady, count(len(brief.Areas), "area")+" to cover", brief))
	o := plumb.Outcome{Refs: plumb.Refs{Brief: refBrief}, Shift: brief.Shifted}
	if brief.Ask != "" {
		o.Refs.Ask = refBrief
	}
	return o, nil
}

func (s *Steps) plan(ctx context.Context, t *Task) (plumb.Outcome, error) {
	task := gather.PlanTask{Question: *t.Asked, Limits: *t.Limits, Feedback: t.Step.In.Feedback, Round: t.Step.Round, Emit: t.Emit}
	if err := s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Brief, &task.Brief); err != nil {
		return plumb.Outcome{}, err
	}
	if ref := t.Step.In.Refs.Plan; ref != "" {
		task.Previous = &plumb.Plan{}
		if err := s.Contents.Artefact(ctx, t.Run, ref, task.Previous); err != nil {
			return plumb.Outcome{}, err
		}
	}
	plan, err := think(ctx, s, t, func(ctx context.Context, m Mind) (plumb.Plan, error) { return m.Thinker.Plan(ctx, task) })
	if err != nil {
		return plumb.Outcome{}, err
	}
	plan.Round, plan.Feedback = t.Step.Round, t.Step.In.Feedback
	o, err := s.propose(ctx, t, plan)
	if err != nil {
		return o, err
	}
	plan.Mode = plumb.Choose(firstOf(t.Asked.Mode, plan.Mode), plan.Complexity, o.Units)
	o.Refs.Plan, o.Score, o.Mode = t.Step.ID, plan.Complexity, plan.Mode
	if err := s.Contents.PutArtefact(ctx, t.Run, t.Step.ID, plan); err != nil {
		return plumb.Outcome{}, err
	}
	t.Emit(plumb.News(plumb.PlanReady, fmt.Sprintf("%s, %s", count(len(plan.Units), "unit"), plan.Mode), plan))
	if t.sitting.asked {
		s.estimate(t, len(plan.Units))
	}
	return o, nil
}

// estimate says what the run will probably cost, from its plan.
func (s *Steps) estimate(t *Task, units int) {
	e := llm.Forecast(s.Models.Desk.Prices, t.Asked.Models, units, *t.Limits)
	t.Emit(plumb.News(plumb.EstimateReady, estimateLine(e), e))
}

// estimateLine says it in one line. Where the low end is at a cap, the cap alone is certain.
func estimateLine(e plumb.Estimate) string {
	tokens := fmt.Sprintf("%s to %s tokens", roundly(e.LowTokens), roundly(e.HighTokens))
	if e.CapTokens > 0 && e.LowTokens >= e.CapTokens {
		return fmt.Sprintf("no more than %d tokens: that is less than the plan would take", e.CapTokens)
	}
	switch {
	case !e.Priced:
		return "about " + tokens + "; no price is known for a model, so the dollars are not"
	case e.HighUSD == 0:
		return "nothing: about " + tokens + " of models without a price"
	case e.CapUSD > 0 && e.LowUSD >= e.CapUSD:
		return fmt.Sprintf("no more than $%g: that is less than the plan would take, about %s", e.CapUSD, tokens)
	}
	return fmt.Sprintf("about $%.2f to $%.2f, %s", e.LowUSD, e.HighUSD, tokens)
}

// roundly writes a number of tokens to the thousand.
func roundly(n int64) string {
	if n = max(n/1000, 1); n >= 1000 {
		return fmt.Sprintf("%d,%03d,000", n/1000, n%1000)
	}
	return fmt.Sprintf("%d,000", n)
}

func firstOf(a, b plumb.Mode) plumb.Mode {
	if a != "" {
		return a
	}
	return b
}

// propose keeps a plan under the step's name and lists its units as the rules want them.
func (s *Steps) propose(ctx context.Context, t *Task, plan plumb.Plan) (plumb.Outcome, error) {
	var o plumb.Outcome
	for _, u := range plan.Units {
		o.Units = append(o.Units, plumb.Proposed{ID: u.ID, Topic: u.Question, Needs: u.Needs, Ref: t.Step.ID})
	}
	return o, s.Contents.PutArtefact(ctx, t.Run, t.Step.ID, plan)
}

func (s *Steps) supervise(ctx context.Context, t *Task) (plumb.Outcome, error) {
	in := t.Step.In
	task := gather.SuperviseTask{Question: *t.Asked, Standing: in.Standing, Pending: in.Pending, Feedback: in.Feedback,
		Spare: in.Spare, Wave: in.Wave, Round: t.Step.Round, Limits: *t.Limits, Emit: t.Emit}
	if err := s.Contents.Artefact(ctx, t.Run, in.Refs.Brief, &task.Brief); err != nil {
		return plumb.Outcome{}, err
	}
	for _, u := range in.Units {
		parts, result, err := s.settled(ctx, t.Run, task.Brief, u)
		if err != nil {
			return plumb.Outcome{}, err
		}
		for _, p := range parts {
			task.Units = append(task.Units, gather.UnitReport{Unit: p, State: u.State, Findings: ofUnit(result.Findings, p.ID)})
		}
	}
	p, err := think(ctx, s, t, func(ctx context.Context, m Mind) (gather.Proposal, error) { return m.Thinker.Supervise(ctx, task) })
	if err != nil {
		return plumb.Outcome{}, err
	}
	o, err := s.propose(ctx, t, plumb.Plan{Units: p.Units, Notes: []string{p.Reason}, Round: t.Step.Round})
	o.Reason = clip(p.Reason, 1000)
	return o, err
}

func ofUnit(fs []plumb.Finding, unit string) []plumb.Finding {
	var out []plumb.Finding
	for _, f := range fs {
		if f.Unit == unit {
			out = append(out, f)
		}
	}
	return out
}
