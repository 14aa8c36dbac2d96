package server

// Review of plans: a plan waits for a person, who approves it, wants it changed, changes it, or rejects it.

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

func (s *Server) reviewRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/api/v1/tasks/{id}/review", "get-review", "The plan that waits for a person", http.StatusOK, 400, 401, 404), s.getReview)
	huma.Register(s.api, route(http.MethodPost, "/api/v1/tasks/{id}/review", "post-review", "Approve the plan that waits, or have it changed", http.StatusOK, 400, 401, 404, 409, 428), s.postReview)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/approvals", "list-approvals", "Plans that wait for a person", http.StatusOK, 401), s.listApprovals)
	huma.Register(s.api, route(http.MethodPost, "/api/v1/approvals/decision", "decide-approval", "Approve or reject a plan that waits", http.StatusOK, 400, 401, 404, 409), s.decide)
}

type reviewAnswer struct {
	ETag string `header:"ETag"`
	Body struct {
		Status      string        `json:"status" enum:"reviewing"`
		Round       int           `json:"round" doc:"From 1; feedback begins another"`
		Version     int           `json:"version" doc:"What If-Match must name: the round"`
		CurrentPlan string        `json:"current_plan" doc:"As Markdown"`
		Plan        plumb.Plan    `json:"plan" doc:"The same, as it can be edited"`
		Rounds      []reviewRound `json:"rounds"`
		Query       string        `json:"query"`
		ApprovalID  string        `json:"approval_id"`
		ExpiresAt   *time.Time    `json:"expires_at,omitempty"`
	}
}

// reviewRound is one thing that was said about the plan.
type reviewRound struct {
	Role      string    `json:"role" enum:"assistant,user"`
	Message   string    `json:"message"`
	Timestamp time.Time `json:"timestamp"`
	Round     int       `json:"round"`
	By        string    `json:"by,omitempty"`
}

// waiting gives a run whose plan waits for a person, or a 404.
func (s *Server) waiting(ctx context.Context, id string) (*plumb.Run, error) {
	run, err := tenant(ctx).Run(ctx, id)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	if run.State().Ended() || run.Wait.Kind != plumb.ForApproval {
		return nil, fail(http.StatusNotFound, "No plan of this task waits for a review")
	}
	return run, nil
}

func (s *Server) getReview(ctx context.Context, in *ByID) (*reviewAnswer, error) {
	run, err := s.waiting(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.review(ctx, run)
}

// review tells what waits in a run, and what was said of it before.
func (s *Server) review(ctx context.Context, run *plumb.Run) (*reviewAnswer, error) {
	t := tenant(ctx)
	plans, err := t.Plans(ctx, run.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	_, journal, err := t.Journal(ctx, run.ID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &reviewAnswer{ETag: strconv.Quote(strconv.Itoa(run.Wait.Round))}
	b := &out.Body
	b.Status, b.Round, b.Version, b.Query = "reviewing", run.Wait.Round, run.Wait.Round, run.Asked.Text
	b.ApprovalID, b.Rounds = approvalID(run.ID, run.Wait.Round), rounds(journal, plans)
	if !run.Wait.Until.IsZero() {
		at := run.Wait.Until.UTC()
		b.ExpiresAt = &at
	}
	if len(plans) > 0 {
		b.Plan = plans[len(plans)-1]
		b.CurrentPlan = outline(b.Plan)
	}
	b.Plan.Units = list(b.Plan.Units)
	return out, nil
}

// rounds is the conversation about the plan so far.
func rounds(journal []plumb.Outcome, plans []plumb.Plan) []reviewRound {
	out := []reviewRound{}
	round := 0
	for _, o := range journal {
		switch {
		case o.Refs.Plan != "" && round < len(plans):
			out = append(out, reviewRound{Role: "assistant", Message: outline(plans[round]), Timestamp: o.At.UTC(), Round: round + 1})
			round++
		case o.Kind == plumb.Signaled && o.Signal.Kind == plumb.SigFeedback:
			out = append(out, reviewRound{Role: "user", Message: o.Signal.Text, Timestamp: o.At.UTC(), Round: max(o.Signal.Round, 1), By: o.Signal.By})
		}
	}
	return out
}

// outline writes a plan as a numbered list.
func outline(p plumb.Plan) string {
	var b strings.Builder
	numbers := map[string]int{}
	for i, u := range p.Units {
		numbers[u.ID] = i + 1
	}
	for i, u := range p.Units {
		fmt.Fprintf(&b, "%d. %s", i+1, u.Question)
		var after []string
		for _, n := range u.Needs {
			if numbers[n] > 0 {
				after = append(after, strconv.Itoa(numbers[n]))
			}
		}
		if len(after) > 0 {
			fmt.Fprintf(&b, " (after %s)", strings.Join(after, ", "))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type reviewAsk struct {
	ByID
	Match string `header:"If-Match" doc:"The ETag of the review, or * for whichever plan waits"`
	Body  struct {
		Action  string      `json:"action" required:"true" enum:"feedback,approve,edit,reject"`
		Message string      `json:"message,omitempty" maxLength:"4000" doc:"With feedback: what should change; with reject: why"`
		Plan    *plumb.Plan `json:"plan,omitempty" doc:"With edit: the plan that is approved instead"`
	}
}

type reviewed struct {
	Status int
	ETag   string `header:"ETag"`
	Body   struct {
		Status  string       `json:"status" enum:"approved,reviewing,planning,rejected"`
		Success bool         `json:"success"`
		Message string       `json:"message"`
		TaskID  string       `json:"task_id"`
		Plan    *changedPlan `json:"plan,omitempty" doc:"After feedback: the next plan"`
	}
}

// changedPlan is a plan after feedback.
type changedPlan struct {
	Message string `json:"message" doc:"As Markdown"`
	Round   int    `json:"round"`
	Version int    `json:"version"`
	Intent  string `json:"intent" enum:"ready"`
}

func (s *Server) postReview(ctx context.Context, in *reviewAsk) (*reviewed, error) {
	action := plain(in.Body.Action)
	if action == "" {
		return nil, fail(http.StatusBadRequest, "action: use feedback, approve, edit or reject")
	}
	if err := oneOf("action", action, "feedback", "approve", "edit", "reject"); err != nil {
		return nil, s.explain(ctx, err)
	}
	message := strings.TrimSpace(in.Body.Message)
	switch {
	case len(message) > maxAnswer:
		return nil, fail(http.StatusBadRequest, "message: use at most 4000 bytes")
	case action == "feedback" && message == "":
		return nil, fail(http.StatusBadRequest, "message: say what should change")
	case action == "edit" && in.Body.Plan == nil:
		return nil, fail(http.StatusBadRequest, "plan: the edited plan is required")
	}
	run, err := s.waiting(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := match(in.Match, run.Wait.Round); err != nil {
		return nil, err
	}
	if action == "feedback" && run.Wait.Round >= plumb.MaxPlanRounds {
		return nil, fail(http.StatusConflict, fmt.Sprintf("A plan is changed %d times at most: approve, edit or reject this one", plumb.MaxPlanRounds-1))
	}
	if err := s.decideOn(ctx, run, action, message, in.Body.Plan, by(ctx)); err != nil {
		return nil, s.explain(ctx, err)
	}
	return s.reviewedAs(ctx, run, action)
}

// match refuses a decision on a plan that is not the one which waits.
func match(header string, round int) error {
	tags := strings.Split(header, ",")
	for i := range tags {
		tags[i] = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tags[i]), "W/"), `"`)
	}
	switch {
	case strings.TrimSpace(header) == "":
		return fail(http.StatusPreconditionRequired, "If-Match is required: the ETag of the review that you decide on")
	case slices.Contains(tags, "*"), slices.Contains(tags, strconv.Itoa(round)):
		return nil
	}
	return fail(http.StatusConflict, fmt.Sprintf("The plan has changed: version %d waits now", round))
}

// decideOn tells a run what a person decided on its plan.
func (s *Server) decideOn(ctx context.Context, run *plumb.Run, action, message string, plan *plumb.Plan, who string) error {
	if action == "edit" {
		return tenant(ctx).Edit(ctx, run.ID, run.Wait.Round, *plan, who)
	}
	kind := map[string]plumb.SignalKind{"approve": plumb.SigApprove, "feedback": plumb.SigFeedback, "reject": plumb.SigReject}[action]
	return tenant(ctx).Tell(ctx, run.ID, plumb.Signal{Kind: kind, Text: message, Round: run.Wait.Round, By: who})
}

// planWait is how long an answer to feedback waits for the next plan, for clients that expect it there.
const planWait = 20 * time.Second

// reviewedAs answers a decision. After feedback it waits a while for the next plan.
func (s *Server) reviewedAs(ctx context.Context, run *plumb.Run, action string) (*reviewed, error) {
	out := &reviewed{Status: http.StatusOK}
	b := &out.Body
	b.Success, b.TaskID = true, run.ID
	switch action {
	case "approve":
		b.Status, b.Message = "approved", "Research started"
	case "edit":
		b.Status, b.Message = "approved", "Research started with the edited plan"
	case "reject":
		b.Status, b.Message = "rejected", "The task is being cancelled"
	case "feedback":
		next, err := s.nextPlan(ctx, run)
		if err != nil {
			return nil, err
		}
		if next == nil {
			out.Status, b.Status, b.Message = http.StatusAccepted, "planning", "The plan is being changed"
			return out, nil
		}
		r, err := s.review(ctx, next)
		if err != nil {
			return nil, err
		}
		out.ETag, b.Status, b.Message = r.ETag, "reviewing", "The plan was changed"
		b.Plan = &changedPlan{r.Body.CurrentPlan, r.Body.Round, r.Body.Version, "ready"}
	}
	return out, nil
}

// nextPlan waits until a plan of a later round waits; nil when none does in time.
func (s *Server) nextPlan(ctx context.Context, before *plumb.Run) (*plumb.Run, error) {
	over := time.NewTimer(planWait)
	defer over.Stop()
	for {
		run, err := tenant(ctx).Run(ctx, before.ID)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		if run.Wait.Kind == plumb.ForApproval && run.Wait.Round > before.Wait.Round {
			return run, nil
		}
		if run.State().Ended() || run.Paused {
			return nil, nil
		}
		select {
		case <-over.C:
			return nil, nil
		case <-ctx.Done():
			return nil, s.explain(ctx, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

type approvalsAnswer struct {
	Body struct {
		Approvals  []approval `json:"approvals"`
		TotalCount int        `json:"total_count"`
	}
}

// approval is a plan that waits.
type approval struct {
	ApprovalID  string     `json:"approval_id"`
	WorkflowID  string     `json:"workflow_id"`
	TaskID      string     `json:"task_id"`
	SessionID   string     `json:"session_id"`
	Query       string     `json:"query"`
	Round       int        `json:"round"`
	Plan        plumb.Plan `json:"plan"`
	RequestedAt time.Time  `json:"requested_at"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
}

func (s *Server) listApprovals(ctx context.Context, _ *struct{}) (*approvalsAnswer, error) {
	t := tenant(ctx)
	runs, _, err := t.Runs(ctx, engine.Filter{State: plumb.Waiting})
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &approvalsAnswer{}
	out.Body.Approvals = []approval{}
	for _, r := range runs {
		run, err := t.Run(ctx, r.ID)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		if run.Wait.Kind != plumb.ForApproval {
			continue
		}
		a := approval{ApprovalID: approvalID(run.ID, run.Wait.Round), WorkflowID: run.ID, TaskID: run.ID, SessionID: run.Thread,
			Query: run.Asked.Text, Round: run.Wait.Round, RequestedAt: run.Latest.UTC()}
		if !run.Wait.Until.IsZero() {
			at := run.Wait.Until.UTC()
			a.ExpiresAt = &at
		}
		if run.Refs.Plan != "" {
			if a.Plan, err = t.Plan(ctx, run.ID); err != nil {
				return nil, s.explain(ctx, err)
			}
		}
		a.Plan.Units = list(a.Plan.Units)
		out.Body.Approvals = append(out.Body.Approvals, a)
	}
	out.Body.TotalCount = len(out.Body.Approvals)
	return out, nil
}

type decisionAsk struct {
	Body struct {
		WorkflowID     string          `json:"workflow_id" required:"true"`
		ApprovalID     string          `json:"approval_id" required:"true"`
		Approved       *bool           `json:"approved" required:"true" doc:"false cancels the task"`
		Feedback       string          `json:"feedback,omitempty" maxLength:"4000" doc:"Kept as the reason"`
		ModifiedAction json.RawMessage `json:"modified_action,omitempty" doc:"A plan that is approved instead: an object with units"`
		RunID          string          `json:"run_id,omitempty" doc:"Not used: a workflow has one run"`
		ApprovedBy     string          `json:"approved_by,omitempty" maxLength:"100" doc:"Kept beside the key's name"`
	}
}

type decisionAnswer struct {
	Body struct {
		Status     string `json:"status" enum:"sent"`
		Success    bool   `json:"success"`
		Message    string `json:"message"`
		WorkflowID string `json:"workflow_id"`
		ApprovalID string `json:"approval_id"`
	}
}

func (s *Server) decide(ctx context.Context, in *decisionAsk) (*decisionAnswer, error) {
	b := in.Body
	action, plan, err := decision(in)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	run, err := tenant(ctx).Run(ctx, b.WorkflowID)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	if run.Wait.Kind != plumb.ForApproval || run.State().Ended() || b.ApprovalID != approvalID(run.ID, run.Wait.Round) {
		if strings.HasPrefix(b.ApprovalID, run.ID+":plan:") {
			return nil, fail(http.StatusConflict, "This approval was decided already, or another plan waits now")
		}
		return nil, fail(http.StatusNotFound, "Approval not found")
	}
	who := by(ctx)
	if b.ApprovedBy != "" {
		who = b.ApprovedBy + " (" + who + ")"
	}
	if err := s.decideOn(ctx, run, action, strings.TrimSpace(b.Feedback), plan, who); err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &decisionAnswer{}
	out.Body.Status, out.Body.Success, out.Body.Message = "sent", true, "Decision sent"
	out.Body.WorkflowID, out.Body.ApprovalID = b.WorkflowID, b.ApprovalID
	return out, nil
}

// decision reads what was decided.
func decision(in *decisionAsk) (action string, plan *plumb.Plan, err error) {
	b := in.Body
	switch {
	case !validID.MatchString(b.WorkflowID):
		return "", nil, wrong("workflow_id", b.WorkflowID, "the task that waits is required")
	case b.ApprovalID == "":
		return "", nil, wrong("approval_id", "", "the approval that waits is required")
	case b.Approved == nil:
		return "", nil, wrong("approved", "", "true or false is required")
	case len(b.Feedback) > maxAnswer:
		return "", nil, wrong("feedback", "", "use at most 4000 bytes")
	case len(b.ApprovedBy) > 100:
		return "", nil, wrong("approved_by", b.ApprovedBy, "use at most 100 bytes")
	case !*b.Approved:
		return "reject", nil, nil
	}
	if s := string(b.ModifiedAction); s == "" || s == "null" || s == `""` {
		return "approve", nil, nil
	}
	plan = &plumb.Plan{}
	if json.Unmarshal(b.ModifiedAction, plan) != nil || len(plan.Units) == 0 {
		return "", nil, wrong("modified_action", "", "a plan with units is expected, as GET review has it")
	}
	return "edit", plan, nil
}
