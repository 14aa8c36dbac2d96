package server

// The timeline of a task: every step with when it could begin, when it ended and what came of it, from the journal alone.

import (
	"context"
	"slices"
	"time"

	"github.com/plumbresearch/plumb"
)

type timelineAnswer struct {
	Body struct {
		TaskID     string     `json:"task_id"`
		WorkflowID string     `json:"workflow_id"`
		Status     string     `json:"status"`
		StartedAt  time.Time  `json:"started_at"`
		EndedAt    *time.Time `json:"ended_at,omitempty"`
		Steps      []stepTime `json:"steps"`
		Count      int        `json:"count"`
	}
}

// stepTime is a step in time.
type stepTime struct {
	ID         string         `json:"id"`
	Kind       plumb.StepKind `json:"kind"`
	Unit       string         `json:"unit,omitempty"`
	Topic      string         `json:"topic,omitempty" doc:"Of the unit"`
	Round      int            `json:"round" doc:"Of the step; of a unit: its wave"`
	Start      time.Time      `json:"start" doc:"When it could begin"`
	End        *time.Time     `json:"end,omitempty"`
	DurationMS int64          `json:"duration_ms"`
	Outcome    string         `json:"outcome" enum:"running,done,failed,timeout,stopped" doc:"stopped: the task went on or ended without it"`
	Error      string         `json:"error,omitempty"`
	FellBack   string         `json:"fell_back,omitempty" doc:"Why extractive thinking took over from a model"`
	Tokens     int64          `json:"tokens"`
	CostUSD    float64        `json:"cost_usd"`
}

func (s *Server) timeline(ctx context.Context, in *ByID) (*timelineAnswer, error) {
	run, journal, err := tenant(ctx).Journal(ctx, in.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	rows, err := tenant(ctx).Bill(ctx, in.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &timelineAnswer{}
	b := &out.Body
	b.TaskID, b.WorkflowID, b.StartedAt = in.ID, in.ID, run.Asked.At.UTC()
	b.Steps = list(trace(run, journal, s.o.Now()))
	b.Status, b.Count = status(run.State(), run.Fail), len(b.Steps)
	if run.State().Ended() {
		at := run.Latest.UTC()
		b.EndedAt = &at
	}
	bill := map[string][]plumb.LedgerRow{}
	for _, r := range rows {
		bill[r.Step] = append(bill[r.Step], r)
	}
	for i := range b.Steps {
		x := &b.Steps[i]
		u := addUp(bill[x.ID])
		x.Tokens, x.CostUSD = u.TotalTokens, u.Cost
	}
	return out, nil
}

// tracer follows a run from outcome to outcome.
type tracer struct {
	run   *plumb.Run
	steps []stepTime
	open  map[string]int // by id of the step
}

// trace folds a journal into a run and tells when each of its steps was under way.
func trace(run *plumb.Run, journal []plumb.Outcome, now time.Time) []stepTime {
	t := tracer{run: run, open: map[string]int{}}
	t.look(run.Asked.At)
	for _, o := range journal {
		if i, ok := t.open[o.Step]; ok && o.Kind != plumb.Signaled {
			t.steps[i].Error, t.steps[i].FellBack = o.Fail, o.FellBack
			t.end(i, o.At, map[plumb.OutcomeKind]string{plumb.Done: "done", plumb.Failed: "failed", plumb.Timer: "timeout"}[o.Kind])
		}
		run.Apply(o)
		t.look(o.At)
	}
	for _, i := range t.open {
		t.steps[i].DurationMS = max(now.Sub(t.steps[i].Start), 0).Milliseconds()
	}
	return t.steps
}

// look notes which steps may be under way now, and which no longer are.
func (t *tracer) look(at time.Time) {
	if t.run.Paused {
		return // nobody works, nothing is given up
	}
	next := t.run.Next()
	if w := t.run.Wait; w.Kind != "" && len(next) == 0 && !t.run.State().Ended() { // for a person, as long as it takes
		next = []plumb.Step{{ID: "wait." + string(w.Kind), Kind: plumb.StepWait, Round: w.Round}}
	}
	for id, i := range t.open {
		if !slices.ContainsFunc(next, func(s plumb.Step) bool { return s.ID == id }) {
			t.end(i, at, ended(t.steps[i], t.run))
		}
	}
	for _, s := range next {
		if _, ok := t.open[s.ID]; ok || s.Kind == plumb.StepWait && t.run.Wait.Kind == "" { // a deadline is no step of the path
			continue
		}
		x := stepTime{ID: s.ID, Kind: s.Kind, Unit: s.Unit, Round: s.Round, Start: at.UTC(), Outcome: "running"}
		for _, u := range t.run.Units {
			if u.ID == s.Unit {
				x.Topic = u.Topic
			}
		}
		t.open[s.ID] = len(t.steps)
		t.steps = append(t.steps, x)
	}
}

// ended is what came of a step that left the list without an outcome of its own: a wait that a person ended is done.
func ended(x stepTime, run *plumb.Run) string {
	if x.Kind == plumb.StepWait && !run.State().Ended() {
		return "done"
	}
	return "stopped"
}

func (t *tracer) end(i int, at time.Time, outcome string) {
	x := &t.steps[i]
	at = at.UTC()
	x.End, x.Outcome = &at, outcome
	x.DurationMS = max(at.Sub(x.Start), 0).Milliseconds()
	delete(t.open, x.ID)
}
