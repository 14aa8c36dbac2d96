package server

// A task as it is now: its status in the words of the tasks API, its result, its bill and what was found out about it.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

const statusPrefix = "TASK_STATUS_"

// status says how a run stands in the words of the tasks API.
func status(state plumb.State, fail string) string {
	switch state {
	case plumb.Queued:
		return statusPrefix + "QUEUED"
	case plumb.Waiting, plumb.PausedState:
		return statusPrefix + "PAUSED"
	case plumb.Finished:
		return statusPrefix + "COMPLETED"
	case plumb.CancelledState:
		return statusPrefix + "CANCELLED"
	case plumb.FailedState:
		if outOfTime(fail) {
			return statusPrefix + "TIMEOUT"
		}
		return statusPrefix + "FAILED"
	}
	return statusPrefix + "RUNNING"
}

// outOfTime tells failures of time from others.
func outOfTime(fail string) bool {
	return fail == "nobody answered in time" || strings.Contains(fail, "timed out") || strings.Contains(fail, "out of time")
}

// statusOf is the status of a run in a list, which does not say why one failed.
func (s *Server) statusOf(ctx context.Context, r engine.Summary) (string, error) {
	if r.State != plumb.FailedState {
		return status(r.State, ""), nil
	}
	run, err := tenant(ctx).Run(ctx, r.ID)
	if err != nil {
		return "", err
	}
	return status(run.State(), run.Fail), nil
}

// pauseReason says what a run that stands still waits for.
func pauseReason(run *plumb.Run) string {
	switch {
	case run.Paused:
		return run.Reason
	case run.Wait.Kind == plumb.ForAnswer:
		return "clarify"
	case run.Wait.Kind == plumb.ForApproval:
		return "review"
	}
	return ""
}

type taskAnswer struct {
	Workflow string `header:"X-Workflow-ID"`
	Body     taskState
}

// taskState is a task.
type taskState struct {
	TaskID        string          `json:"task_id"`
	WorkflowID    string          `json:"workflow_id"`
	Status        string          `json:"status" enum:"TASK_STATUS_QUEUED,TASK_STATUS_RUNNING,TASK_STATUS_PAUSED,TASK_STATUS_COMPLETED,TASK_STATUS_FAILED,TASK_STATUS_CANCELLED,TASK_STATUS_TIMEOUT"`
	PauseReason   string          `json:"pause_reason,omitempty" doc:"clarify: it waits for an answer; review: for its plan to be approved; else why somebody paused it"`
	Clarification string          `json:"clarification,omitempty" doc:"The question that it waits with"`
	Stage         plumb.Stage     `json:"stage" doc:"Where on its path it is"`
	Kind          plumb.Kind      `json:"kind" doc:"research or audit"`
	Result        string          `json:"result" doc:"The published report as Markdown, once there is one"`
	Response      string          `json:"response" doc:"The same"`
	Error         string          `json:"error,omitempty"`
	CreatedAt     time.Time       `json:"created_at"`
	UpdatedAt     time.Time       `json:"updated_at"`
	CompletedAt   *time.Time      `json:"completed_at,omitempty"`
	Query         string          `json:"query"`
	SessionID     string          `json:"session_id"`
	Mode          string          `json:"mode"`
	Context       json.RawMessage `json:"context" doc:"As it was sent"`
	ModelUsed     string          `json:"model_used" doc:"extractive: no language model"`
	Provider      string          `json:"provider"`
	Usage         usage           `json:"usage"`
	Metadata      metadata        `json:"metadata"`
	Unified       *unified        `json:"unified_response,omitempty" doc:"Once the task has ended"`
}

// usage is the bill: the sums of the ledger's rows.
type usage struct {
	TotalTokens  int64   `json:"total_tokens"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	Cost         float64 `json:"estimated_cost" doc:"Dollars; models without a known price count nothing"`
}

type metadata struct {
	Citations      []plumb.Citation `json:"citations"`
	Verification   *verification    `json:"verification,omitempty"`
	ModelBreakdown []spending       `json:"model_breakdown"`
	RoleBreakdown  []spending       `json:"role_breakdown"`
	Stopped        plumb.Stop       `json:"stopped,omitempty" doc:"Which cap, or who, ended the gathering"`
}

// spending is the part of a bill that one model, or one role, has.
type spending struct {
	Model      string  `json:"model,omitempty"`
	Provider   string  `json:"provider,omitempty"`
	Role       string  `json:"role,omitempty"`
	Executions int     `json:"executions"`
	Tokens     int64   `json:"tokens"`
	CostUSD    float64 `json:"cost_usd"`
	Priced     bool    `json:"priced" doc:"false: the price of a model is not known"`
	Percentage int     `json:"percentage" doc:"Of the dollars"`
}

// unified is the one form of result that clients get of any kind of task.
type unified struct {
	TaskID      string      `json:"task_id"`
	SessionID   string      `json:"session_id"`
	Status      string      `json:"status" enum:"completed,failed,cancelled,timeout"`
	Result      string      `json:"result"`
	Metadata    metadata    `json:"metadata"`
	Usage       usage       `json:"usage"`
	Performance performance `json:"performance"`
	StopReason  string      `json:"stop_reason"`
	Error       *string     `json:"error"`
	Timestamp   time.Time   `json:"timestamp"`
}

type performance struct {
	ExecutionTimeMS int64 `json:"execution_time_ms"`
}

func (s *Server) getTask(ctx context.Context, in *ByID) (*taskAnswer, error) {
	state, err := s.state(ctx, tenant(ctx), in.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return &taskAnswer{Workflow: in.ID, Body: state}, nil
}

// state puts together what there is to say of a task.
func (s *Server) state(ctx context.Context, t *front.Tenant, id string) (taskState, error) {
	run, err := t.Run(ctx, id)
	if err != nil {
		return taskState{}, err
	}
	out := taskState{TaskID: id, WorkflowID: id, Status: status(run.State(), run.Fail), PauseReason: pauseReason(run), Stage: run.Stage, Kind: run.Kind,
		CreatedAt: run.Asked.At.UTC(), UpdatedAt: run.Asked.At.UTC(), Query: run.Asked.Text, SessionID: run.Thread, Context: json.RawMessage("{}")}
	if run.Latest.After(out.UpdatedAt) {
		out.UpdatedAt = run.Latest.UTC()
	}
	out.Provider, out.ModelUsed = named(cmp.Or(run.Asked.Models.Orchestrator, "plumb:extractive"))
	if run.State() == plumb.FailedState {
		out.Error = run.Fail
	}
	if run.State() == plumb.CancelledState {
		out.Error = cmp.Or(run.Reason, "cancelled")
	}
	left, err := t.Remark(ctx, id)
	if err != nil {
		return out, err
	}
	note, err := readRemark(left)
	if err != nil {
		return out, err
	}
	if out.Mode = note.Mode; len(note.Context) > 0 {
		out.Context = note.Context
	}
	if run.Wait.Kind == plumb.ForAnswer {
		brief, err := t.Brief(ctx, id)
		if err != nil {
			return out, err
		}
		out.Clarification = brief.Ask
	}
	if err := spent(ctx, t, run, &out); err != nil {
		return out, err
	}
	if err := published(ctx, t, run, &out); err != nil {
		return out, err
	}
	if run.State().Ended() {
		out.CompletedAt = &out.UpdatedAt
		out.Unified = unify(run, out)
	}
	return out, nil
}

// spent adds the bill.
func spent(ctx context.Context, t *front.Tenant, run *plumb.Run, out *taskState) error {
	rows, err := t.Bill(ctx, run.ID)
	if err != nil {
		return err
	}
	out.Usage = addUp(rows)
	out.Metadata = metadata{Citations: []plumb.Citation{}, Stopped: run.Stopped,
		ModelBreakdown: breakDown(rows, func(r plumb.LedgerRow) spending {
			provider, model := named(r.Model)
			return spending{Provider: provider, Model: model}
		}),
		RoleBreakdown: breakDown(rows, func(r plumb.LedgerRow) spending { return spending{Role: r.Role} })}
	return nil
}

// published adds the report, once there is one.
func published(ctx context.Context, t *front.Tenant, run *plumb.Run, out *taskState) error {
	if run.State() != plumb.Finished {
		return nil
	}
	p, err := t.Report(ctx, run.ID)
	if errors.Is(err, engine.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	out.Result, out.Response = p.Markdown, p.Markdown
	out.Metadata.Citations = list(p.Citations)
	v := countVerdicts(p)
	out.Metadata.Verification = &v
	return nil
}

func unify(run *plumb.Run, t taskState) *unified {
	name := strings.ToLower(strings.TrimPrefix(t.Status, statusPrefix))
	u := &unified{TaskID: t.TaskID, SessionID: t.SessionID, Status: name, Result: t.Result, Metadata: t.Metadata, Usage: t.Usage,
		Performance: performance{t.UpdatedAt.Sub(t.CreatedAt).Milliseconds()}, StopReason: cmp.Or(string(run.Stopped), name), Timestamp: t.UpdatedAt}
	if t.Error != "" {
		u.Error = &t.Error
	}
	return u
}

// named takes provider:model apart.
func named(model string) (provider, name string) {
	provider, name, ok := strings.Cut(model, ":")
	if !ok {
		return "", model
	}
	return provider, name
}

// sumBits hold the sum of any number of amounts between 1e-60 and 1e60 dollars without rounding.
const sumBits = 512

// dollars adds amounts up without rounding before the end, so that their order does not matter.
func dollars(rows []plumb.LedgerRow) float64 {
	sum := new(big.Float).SetPrec(sumBits)
	for _, r := range rows {
		sum.Add(sum, big.NewFloat(r.USD))
	}
	out, _ := sum.Float64()
	return out
}

// addUp sums the ledger's rows.
func addUp(rows []plumb.LedgerRow) usage {
	u := usage{Cost: dollars(rows)}
	for _, r := range rows {
		u.InputTokens += r.Input
		u.OutputTokens += r.Output
	}
	u.TotalTokens = u.InputTokens + u.OutputTokens
	return u
}

// breakDown sums the rows of each group, the dearest first.
func breakDown(rows []plumb.LedgerRow, group func(plumb.LedgerRow) spending) []spending {
	parts := map[spending][]plumb.LedgerRow{}
	for _, r := range rows {
		parts[group(r)] = append(parts[group(r)], r)
	}
	all := dollars(rows)
	out := []spending{}
	for g, rows := range parts {
		u := addUp(rows)
		g.Executions, g.Tokens, g.CostUSD = len(rows), u.TotalTokens, u.Cost
		g.Priced = !slices.ContainsFunc(rows, func(r plumb.LedgerRow) bool { return !r.Priced })
		if all > 0 {
			g.Percentage = int(100*u.Cost/all + 0.5)
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b spending) int {
		return cmp.Or(cmp.Compare(b.CostUSD, a.CostUSD), cmp.Compare(b.Tokens, a.Tokens), strings.Compare(a.Role+a.Provider+a.Model, b.Role+b.Provider+b.Model))
	})
	return out
}
