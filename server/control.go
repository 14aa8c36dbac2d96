package server

// Telling a task something: cancel, pause, resume, finish, answer; and who told it what.

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
)

func (s *Server) controlRoutes() {
	errs := []int{400, 401, 404, 409}
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks/{id}/cancel", "cancel-task", "End a task without a report", http.StatusAccepted, errs...), s.cancel)
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks/{id}/pause", "pause-task", "Begin no further step", http.StatusAccepted, errs...), s.pause)
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks/{id}/resume", "resume-task", "Go on after a pause, or try a failed task again", http.StatusAccepted, errs...), s.resume)
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks/{id}/finish", "finish-task", "Stop gathering and write the report now", http.StatusAccepted, errs...), s.finish)
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks/{id}/answer", "answer-task", "Answer the clarifying question", http.StatusAccepted, errs...), s.answer)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/tasks/{id}/control-state", "get-control-state", "Who has paused or cancelled a task, when and why", http.StatusOK, 400, 401, 404), s.controlState)
}

type controlAsk struct {
	ByID
	Body *struct {
		Reason string `json:"reason,omitempty" doc:"Kept with the task"`
	} `required:"false"`
}

// reason is why, or a 400: what a run could not keep would be lost with what it is told.
func (in *controlAsk) reason() (string, error) {
	if in.Body == nil {
		return "", nil
	}
	if len(in.Body.Reason) > maxAnswer {
		return "", fail(http.StatusBadRequest, "reason: use at most 4000 bytes")
	}
	return in.Body.Reason, nil
}

type controlAnswer struct {
	Body struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
		TaskID  string `json:"task_id,omitempty"`
	}
}

func accept(id, message string) *controlAnswer {
	out := &controlAnswer{}
	out.Body.Success, out.Body.Message, out.Body.TaskID = true, message, id
	return out
}

// order tells a run what to do, in the name of the visitor and with the reason that came with it.
func (s *Server) order(ctx context.Context, in *controlAsk, kind plumb.SignalKind) error {
	reason, err := in.reason()
	if err != nil {
		return err
	}
	return s.tell(ctx, in.ID, kind, reason)
}

// tell sends a signal in the name of the visitor.
func (s *Server) tell(ctx context.Context, id string, kind plumb.SignalKind, text string) error {
	return s.explain(ctx, tenant(ctx).Tell(ctx, id, plumb.Signal{Kind: kind, Text: text, By: by(ctx)}))
}

func (s *Server) cancel(ctx context.Context, in *controlAsk) (*controlAnswer, error) {
	if err := s.order(ctx, in, plumb.SigCancel); err != nil {
		return nil, err
	}
	return accept("", "The task is being cancelled"), nil
}

func (s *Server) pause(ctx context.Context, in *controlAsk) (*controlAnswer, error) {
	if err := s.order(ctx, in, plumb.SigPause); err != nil {
		return nil, err
	}
	return accept(in.ID, "The task pauses once its steps under way are done"), nil
}

func (s *Server) resume(ctx context.Context, in *controlAsk) (*controlAnswer, error) {
	run, err := tenant(ctx).Run(ctx, in.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	kind, message := plumb.SigResume, "The task goes on"
	switch state := run.State(); {
	case state == plumb.FailedState:
		kind, message = plumb.SigRetry, "The step that failed is tried again"
	case !state.Ended() && !run.Paused:
		out := accept(in.ID, "The task is not paused")
		out.Body.Success = false
		return out, nil
	}
	if err := s.order(ctx, in, kind); err != nil {
		return nil, err
	}
	return accept(in.ID, message), nil
}

func (s *Server) finish(ctx context.Context, in *controlAsk) (*controlAnswer, error) {
	if err := s.order(ctx, in, plumb.SigFinish); err != nil {
		return nil, err
	}
	return accept(in.ID, "The task writes its report with what it has"), nil
}

type answerAsk struct {
	ByID
	Body struct {
		Text string `json:"text" required:"true" minLength:"1" maxLength:"4000"`
	}
}

// maxAnswer is what a run keeps of an answer, a reason or a wish for its plan, in bytes.
const maxAnswer = 4000

func (s *Server) answer(ctx context.Context, in *answerAsk) (*controlAnswer, error) {
	text := strings.TrimSpace(in.Body.Text)
	if text == "" || len(text) > maxAnswer {
		return nil, fail(http.StatusBadRequest, "text: the answer is required, with at most 4000 bytes")
	}
	run, err := tenant(ctx).Run(ctx, in.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	if run.Wait.Kind != plumb.ForAnswer {
		return nil, fail(http.StatusConflict, "The task waits for no answer")
	}
	if err := s.tell(ctx, in.ID, plumb.SigAnswer, text); err != nil {
		return nil, err
	}
	return accept(in.ID, "The task goes on with the answer"), nil
}

type controlStateAnswer struct {
	Body controlState
}

// controlState says who stopped a task. Fields that do not apply are empty.
type controlState struct {
	IsPaused     bool       `json:"is_paused"`
	IsCancelled  bool       `json:"is_cancelled"`
	PausedAt     *time.Time `json:"paused_at"`
	PauseReason  string     `json:"pause_reason"`
	PausedBy     string     `json:"paused_by"`
	CancelReason string     `json:"cancel_reason"`
	CancelledBy  string     `json:"cancelled_by"`
	CancelledAt  *time.Time `json:"cancelled_at"`
}

func (s *Server) controlState(ctx context.Context, in *ByID) (*controlStateAnswer, error) {
	run, journal, err := tenant(ctx).Journal(ctx, in.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return &controlStateAnswer{controlOf(run, journal)}, nil
}

// controlOf folds a journal and remembers who stopped the run last.
func controlOf(run *plumb.Run, journal []plumb.Outcome) controlState {
	var out controlState
	for _, o := range journal {
		still := run.Paused || run.Wait.Kind != ""
		cancelled := run.Cancelled
		run.Apply(o)
		at := o.At.UTC()
		who := ""
		if o.Kind == plumb.Signaled {
			who = o.Signal.By
		}
		if now := run.Paused || run.Wait.Kind != ""; now && (!still || o.Kind == plumb.Signaled && o.Signal.Kind == plumb.SigPause) {
			out.PausedAt, out.PausedBy = &at, cmp.Or(who, "plumb")
		}
		if run.Cancelled && !cancelled {
			out.CancelledAt, out.CancelledBy, out.CancelReason = &at, who, run.Reason
		}
	}
	out.IsCancelled = run.Cancelled
	if state := run.State(); state == plumb.Waiting || state == plumb.PausedState {
		out.IsPaused, out.PauseReason = true, pauseReason(run)
		return out
	}
	out.PausedAt, out.PausedBy = nil, ""
	return out
}
