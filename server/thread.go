package server

// Sessions: a session is a thread of tasks.

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

func (s *Server) threadRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/api/v1/sessions", "list-sessions", "Sessions, the one touched last first", http.StatusOK, 400, 401), s.listSessions)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/sessions/{id}", "get-session", "A session", http.StatusOK, 400, 401, 404), s.getSession)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/sessions/{id}/history", "get-history", "The tasks of a session, oldest first", http.StatusOK, 400, 401, 404), s.history)
	huma.Register(s.api, route(http.MethodPatch, "/api/v1/sessions/{id}", "title-session", "Name a session", http.StatusOK, 400, 401, 404), s.titleSession)
	huma.Register(s.api, route(http.MethodDelete, "/api/v1/sessions/{id}", "delete-session", "Delete all tasks of a session", http.StatusNoContent, 400, 401, 404), s.deleteSession)
}

// session describes a thread.
type session struct {
	SessionID  string    `json:"session_id"`
	UserID     string    `json:"user_id" doc:"The tenant; local: the person at this machine"`
	Title      string    `json:"title" doc:"Empty: nobody named it"`
	Query      string    `json:"query" doc:"Its first question"`
	TaskCount  int       `json:"task_count"`
	TokensUsed int64     `json:"tokens_used"`
	CostUSD    float64   `json:"cost_usd"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

func newSession(t front.Thread) session {
	user := t.Tenant
	if user == "" {
		user = "local"
	}
	return session{SessionID: t.ID, UserID: user, Title: t.Title, Query: t.Question, TaskCount: t.Runs, TokensUsed: t.Spent.Tokens,
		CostUSD: t.Spent.USD, CreatedAt: t.CreatedAt.UTC(), UpdatedAt: t.UpdatedAt.UTC()}
}

type sessionsAsk struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Offset int `query:"offset" minimum:"0"`
}

type sessionsAnswer struct {
	Body struct {
		Sessions   []session `json:"sessions"`
		TotalCount int       `json:"total_count"`
	}
}

func (s *Server) listSessions(ctx context.Context, in *sessionsAsk) (*sessionsAnswer, error) {
	threads, total, err := tenant(ctx).Threads(ctx, in.Limit, in.Offset)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &sessionsAnswer{}
	out.Body.Sessions, out.Body.TotalCount = []session{}, total
	for _, t := range threads {
		out.Body.Sessions = append(out.Body.Sessions, newSession(t))
	}
	return out, nil
}

type sessionAnswer struct{ Body session }

func (s *Server) getSession(ctx context.Context, in *ByID) (*sessionAnswer, error) {
	t, _, err := s.thread(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &sessionAnswer{newSession(t)}, nil
}

// thread gives a thread with its runs, or a 404 that names it.
func (s *Server) thread(ctx context.Context, id string) (front.Thread, []engine.Summary, error) {
	t, runs, err := tenant(ctx).Thread(ctx, id)
	return t, runs, s.explain(ctx, noSession(err))
}

// noSession says in the words of sessions that there is none.
func noSession(err error) error {
	if errors.Is(err, engine.ErrNotFound) {
		return fail(http.StatusNotFound, "Session not found")
	}
	return err
}

type historyAnswer struct {
	Body struct {
		SessionID string        `json:"session_id"`
		Tasks     []historyTask `json:"tasks"`
		Total     int           `json:"total"`
	}
}

// historyTask is a turn of a session.
type historyTask struct {
	TaskID      string     `json:"task_id"`
	WorkflowID  string     `json:"workflow_id"`
	Kind        plumb.Kind `json:"kind"`
	Query       string     `json:"query"`
	Status      string     `json:"status"`
	Mode        string     `json:"mode"`
	Result      string     `json:"result"`
	CreatedAt   time.Time  `json:"created_at"`
	StartedAt   time.Time  `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
	TotalTokens int64      `json:"total_tokens"`
	CostUSD     float64    `json:"total_cost_usd"`
}

func (s *Server) history(ctx context.Context, in *ByID) (*historyAnswer, error) {
	_, runs, err := s.thread(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &historyAnswer{}
	out.Body.SessionID, out.Body.Tasks, out.Body.Total = in.ID, []historyTask{}, len(runs)
	for _, r := range runs {
		row, err := s.row(ctx, r)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		turn := historyTask{TaskID: r.ID, WorkflowID: r.ID, Kind: r.Kind, Query: r.Question, Status: row.Status, Mode: row.Mode, CreatedAt: row.CreatedAt,
			StartedAt: row.CreatedAt, CompletedAt: row.CompletedAt, TotalTokens: row.Usage.TotalTokens, CostUSD: row.Usage.CostUSD}
		if r.State == plumb.Finished {
			if turn.Result, err = tenant(ctx).Markdown(ctx, r.ID); err != nil && !errors.Is(err, engine.ErrNotFound) {
				return nil, s.explain(ctx, err)
			}
		}
		out.Body.Tasks = append(out.Body.Tasks, turn)
	}
	return out, nil
}

// maxTitle is the longest title, in characters.
const maxTitle = 60

type titleAsk struct {
	ByID
	Body struct {
		Title string `json:"title" required:"true" minLength:"1" maxLength:"60"`
	}
}

func (s *Server) titleSession(ctx context.Context, in *titleAsk) (*sessionAnswer, error) {
	title := strings.TrimSpace(in.Body.Title)
	if title == "" || utf8.RuneCountInString(title) > maxTitle || strings.ContainsAny(title, "\n\r") {
		return nil, fail(http.StatusBadRequest, "title: use one line of 1 to 60 characters")
	}
	if err := tenant(ctx).TitleThread(ctx, in.ID, title); err != nil {
		return nil, s.explain(ctx, noSession(err))
	}
	return s.getSession(ctx, &in.ByID)
}

func (s *Server) deleteSession(ctx context.Context, in *ByID) (*struct{}, error) {
	return nil, s.explain(ctx, noSession(tenant(ctx).DeleteThread(ctx, in.ID)))
}
