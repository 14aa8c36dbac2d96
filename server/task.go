package server

// Tasks: a task is a run. Asking, listing, looking at one, and deleting it.

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

func (s *Server) taskRoutes() {
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks", "create-task", "Ask a question", http.StatusOK, 400, 401, 409, 429), s.createTask)
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks/stream", "create-task-stream", "Ask a question and be told where its events are", http.StatusCreated, 400, 401, 409, 429), s.createTaskStream)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/tasks", "list-tasks", "Tasks, newest first", http.StatusOK, 400, 401), s.listTasks)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/tasks/{id}", "get-task", "A task as it is now, with its result once there is one", http.StatusOK, 400, 401, 404), s.getTask)
	huma.Register(s.api, route(http.MethodDelete, "/api/v1/tasks/{id}", "delete-task", "Delete a task and what only it used", http.StatusNoContent, 400, 401, 404), s.deleteTask)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/tasks/{id}/events", "list-events", "The events of a task so far", http.StatusOK, 400, 401, 404), s.listEvents)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/tasks/{id}/timeline", "get-timeline", "The steps of a task with their times", http.StatusOK, 400, 401, 404), s.timeline)
	s.reportRoutes()
	s.outlookRoutes()
	s.auditRoutes()
}

type created struct {
	Workflow string `header:"X-Workflow-ID"`
	Session  string `header:"X-Session-ID"`
	Body     struct {
		TaskID    string    `json:"task_id"`
		Status    string    `json:"status" enum:"STATUS_CODE_OK"`
		Message   string    `json:"message"`
		CreatedAt time.Time `json:"created_at"`
	}
}

func newCreated(run *plumb.Run, message string) *created {
	out := &created{Workflow: run.ID, Session: run.Thread}
	out.Body.TaskID, out.Body.Status, out.Body.Message, out.Body.CreatedAt = run.ID, "STATUS_CODE_OK", message, run.Asked.At.UTC()
	return out
}

func (s *Server) createTask(ctx context.Context, in *struct{ Body taskAsk }) (*created, error) {
	run, message, err := s.ask(ctx, in.Body)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return newCreated(run, message), nil
}

// ask starts a task, or answers the clarifying question that the session's last task waits with.
func (s *Server) ask(ctx context.Context, body taskAsk) (*plumb.Run, string, error) {
	ask, err := body.ask()
	if err != nil {
		return nil, "", err
	}
	if ask.Thread != "" {
		run, err := s.asking(ctx, ask.Thread)
		if err != nil {
			return nil, "", err
		}
		if run != nil && len(ask.Text) > maxAnswer {
			return nil, "", wrong("query", "", "the session's last task waits for an answer, which has at most 4000 bytes")
		}
		if run != nil {
			return run, "Answer received, the task goes on", tenant(ctx).Tell(ctx, run.ID, plumb.Signal{Kind: plumb.SigAnswer, Text: ask.Text, By: by(ctx)})
		}
	}
	run, err := tenant(ctx).Ask(ctx, ask)
	return run, "Task submitted", err
}

// asking finds the last task of a session if it waits for an answer.
func (s *Server) asking(ctx context.Context, session string) (*plumb.Run, error) {
	runs, _, err := tenant(ctx).Runs(ctx, engine.Filter{Thread: session, Limit: 1})
	if err != nil || len(runs) == 0 || runs[0].State != plumb.Waiting {
		return nil, err
	}
	run, err := tenant(ctx).Run(ctx, runs[0].ID)
	if err != nil || run.Wait.Kind != plumb.ForAnswer {
		return nil, err
	}
	return run, nil
}

type createdStream struct {
	Workflow string `header:"X-Workflow-ID"`
	Session  string `header:"X-Session-ID"`
	Link     string `header:"Link"`
	Body     struct {
		WorkflowID string `json:"workflow_id"`
		TaskID     string `json:"task_id"`
		StreamURL  string `json:"stream_url" doc:"Relative to this server"`
	}
}

func (s *Server) createTaskStream(ctx context.Context, in *struct{ Body taskAsk }) (*createdStream, error) {
	run, _, err := s.ask(ctx, in.Body)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	url := "/api/v1/stream/sse?workflow_id=" + run.ID
	out := &createdStream{Workflow: run.ID, Session: run.Thread, Link: "<" + url + ">; rel=stream"}
	out.Body.WorkflowID, out.Body.TaskID, out.Body.StreamURL = run.ID, run.ID, url
	return out, nil
}

type listAsk struct {
	Limit     int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Offset    int    `query:"offset" minimum:"0"`
	Status    string `query:"status" doc:"QUEUED, RUNNING, PAUSED, COMPLETED, FAILED, CANCELLED or TIMEOUT"`
	SessionID string `query:"session_id" pattern:"^[A-Za-z0-9:_.-]{1,128}$"`
}

type listAnswer struct {
	Body struct {
		Tasks      []taskRow `json:"tasks"`
		TotalCount int       `json:"total_count"`
	}
}

// taskRow is a task in a list.
type taskRow struct {
	TaskID      string     `json:"task_id"`
	Query       string     `json:"query"`
	Status      string     `json:"status"`
	Kind        plumb.Kind `json:"kind" doc:"research or audit"`
	Mode        string     `json:"mode"`
	SessionID   string     `json:"session_id"`
	CreatedAt   time.Time  `json:"created_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
	Usage       rowUsage   `json:"total_token_usage"`
}

type rowUsage struct {
	TotalTokens      int64   `json:"total_tokens"`
	CostUSD          float64 `json:"cost_usd"`
	PromptTokens     int64   `json:"prompt_tokens"`
	CompletionTokens int64   `json:"completion_tokens"`
}

func (s *Server) listTasks(ctx context.Context, in *listAsk) (*listAnswer, error) {
	rows, total, err := s.choose(ctx, in)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &listAnswer{}
	out.Body.TotalCount = total
	out.Body.Tasks = []taskRow{}
	for _, r := range rows {
		row, err := s.row(ctx, r)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		out.Body.Tasks = append(out.Body.Tasks, row)
	}
	return out, nil
}

// statuses are the states that the bare name of a status stands for.
var statuses = map[string][]plumb.State{
	"": {""}, "QUEUED": {plumb.Queued}, "RUNNING": {plumb.Running}, "PAUSED": {plumb.Waiting, plumb.PausedState}, "COMPLETED": {plumb.Finished},
	"FAILED": {plumb.FailedState}, "CANCELLED": {plumb.CancelledState}, "CANCELED": {plumb.CancelledState}, "TIMEOUT": {plumb.FailedState},
}

// choose lists the tasks that a client wants to see, and counts them all.
func (s *Server) choose(ctx context.Context, in *listAsk) ([]engine.Summary, int, error) {
	name := strings.TrimPrefix(strings.ToUpper(in.Status), statusPrefix)
	states, ok := statuses[name]
	if !ok {
		return nil, 0, wrong("status", in.Status, "use QUEUED, RUNNING, PAUSED, COMPLETED, FAILED, CANCELLED or TIMEOUT")
	}
	f := engine.Filter{Thread: in.SessionID, Limit: in.Limit, Offset: in.Offset, State: states[0]}
	if len(states) == 1 && states[0] != plumb.FailedState {
		return tenant(ctx).Runs(ctx, f)
	}
	f.Limit, f.Offset = 0, 0
	var all []engine.Summary
	for _, f.State = range states {
		runs, _, err := tenant(ctx).Runs(ctx, f)
		if err != nil {
			return nil, 0, err
		}
		for _, r := range runs {
			if status, err := s.statusOf(ctx, r); err != nil {
				return nil, 0, err
			} else if status == statusPrefix+name {
				all = append(all, r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b engine.Summary) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID))
	})
	from := min(in.Offset, len(all))
	return all[from:min(from+in.Limit, len(all))], len(all), nil
}

// row describes a task in a list.
func (s *Server) row(ctx context.Context, r engine.Summary) (taskRow, error) {
	row := taskRow{TaskID: r.ID, Query: r.Question, Kind: r.Kind, SessionID: r.Thread, CreatedAt: r.CreatedAt.UTC()}
	var err error
	if row.Status, err = s.statusOf(ctx, r); err != nil {
		return row, err
	}
	if r.State.Ended() {
		at := r.UpdatedAt.UTC()
		row.CompletedAt = &at
	}
	left, bill, err := tenant(ctx).Notes(ctx, r)
	if err != nil {
		return row, err
	}
	note, err := readRemark(left)
	if err != nil {
		return row, err
	}
	row.Mode = note.Mode
	u := addUp(bill)
	row.Usage = rowUsage{TotalTokens: u.TotalTokens, CostUSD: u.Cost, PromptTokens: u.InputTokens, CompletionTokens: u.OutputTokens}
	return row, nil
}

// readRemark reads what the client left with its question.
func readRemark(data json.RawMessage) (remark, error) {
	var out remark
	if len(data) == 0 {
		return out, nil
	}
	return out, json.Unmarshal(data, &out)
}

func (s *Server) deleteTask(ctx context.Context, in *ByID) (*struct{}, error) {
	return nil, s.explain(ctx, tenant(ctx).Delete(ctx, in.ID))
}

type eventsAsk struct {
	ByID
	Limit  int   `query:"limit" minimum:"1" maximum:"10000" default:"10000"`
	Offset int   `query:"offset" minimum:"0" doc:"Events to skip"`
	After  int64 `query:"after" minimum:"0" doc:"Only events after this seq"`
}

type eventsAnswer struct {
	Body struct {
		Events []wireEvent `json:"events"`
		Count  int         `json:"count"`
	}
}

func (s *Server) listEvents(ctx context.Context, in *eventsAsk) (*eventsAnswer, error) {
	events, err := tenant(ctx).Events(ctx, in.ID, in.After, in.Offset+in.Limit)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &eventsAnswer{}
	out.Body.Events = []wireEvent{}
	for _, e := range events[min(in.Offset, len(events)):] {
		told, err := s.told(ctx, tenant(ctx), in.ID, e)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		out.Body.Events = append(out.Body.Events, told...)
	}
	out.Body.Count = len(out.Body.Events)
	return out, nil
}
