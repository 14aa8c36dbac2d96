package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
)

// planned starts a task whose plan waits.
func (h *house) planned(ask front.Ask) string {
	h.t.Helper()
	ask.Text, ask.Approve = question, true
	run, err := h.Tenant("").Ask(context.Background(), ask)
	if err != nil {
		h.t.Fatal(err)
	}
	h.await("", run.ID, plumb.Waiting)
	return run.ID
}

// reviewView is what GET review answers.
type reviewView struct {
	Status      string
	Round       int
	Version     int
	CurrentPlan string `json:"current_plan"`
	Plan        plumb.Plan
	Rounds      []struct {
		Role, Message, By string
		Round             int
		Timestamp         time.Time
	}
	Query      string
	ApprovalID string `json:"approval_id"`
}

func TestPlanIsReviewedUntilItIsApproved(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	id := h.planned(front.Ask{})
	path := "/api/v1/tasks/" + id + "/review"
	if task := c.get("/api/v1/tasks/" + id).object(); task["status"] != "TASK_STATUS_PAUSED" || task["pause_reason"] != "review" {
		t.Errorf("%v %v", task["status"], task["pause_reason"])
	}
	got := c.get(path).want(http.StatusOK)
	has(t, "review", got.object(), "status", "round", "version", "current_plan", "plan", "rounds", "query", "approval_id")
	var r reviewView
	got.into(&r)
	if got.header.Get("ETag") != `"1"` || r.Status != "reviewing" || r.Round != 1 || r.Version != 1 || r.Query != question || len(r.Plan.Units) == 0 {
		t.Fatalf("%s %s", got.header.Get("ETag"), got.body)
	}
	if !strings.HasPrefix(r.CurrentPlan, "1. "+r.Plan.Units[0].Question) || r.ApprovalID != id+":plan:1" {
		t.Errorf("%q", r.CurrentPlan)
	}

	changed := c.post(path, map[string]string{"action": "feedback", "message": "Look at the costs only"}, "If-Match", `"1"`).want(http.StatusOK)
	plan := changed.object()["plan"].(map[string]any)
	if changed.header.Get("ETag") != `"2"` || plan["round"] != 2.0 || plan["version"] != 2.0 || plan["intent"] != "ready" {
		t.Errorf("%s", changed.body)
	}
	c.get(path).into(&r)
	if r.Round != 2 || len(r.Rounds) != 3 || r.Rounds[0].Role != "assistant" || r.Rounds[1].Role != "user" ||
		r.Rounds[1].Message != "Look at the costs only" || r.Rounds[1].By != "local" || r.Rounds[2].Round != 2 {
		t.Errorf("%+v", r.Rounds)
	}

	for _, tag := range []string{`"1"`, "1", `W/"1"`, `"7"`} { // somebody who still sees the first plan
		c.post(path, map[string]string{"action": "approve"}, "If-Match", tag).refused(http.StatusConflict, "version 2")
	}
	c.post(path, map[string]string{"action": "approve"}).refused(http.StatusPreconditionRequired, "If-Match")
	approved := c.post(path, map[string]string{"action": "approve"}, "If-Match", "2").want(http.StatusOK).object()
	if approved["status"] != "approved" || approved["success"] != true {
		t.Errorf("%v", approved)
	}
	h.await("", id, plumb.Finished)
	c.get(path).refused(http.StatusNotFound, "review")
	c.post(path, map[string]string{"action": "approve"}, "If-Match", "*").refused(http.StatusNotFound, "review")
}

func TestPlanIsEditedOrRejected(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	id := h.planned(front.Ask{})
	path := "/api/v1/tasks/" + id + "/review"
	own := plumb.Plan{Units: []plumb.Unit{{Question: "What did the repair of the Marrowgate Bridge cost?"}}}
	c.post(path, map[string]any{"action": "edit", "plan": plumb.Plan{}}, "If-Match", "1").refused(http.StatusBadRequest, "units")
	wide := plumb.Plan{Units: []plumb.Unit{{Question: "Why?", Needs: make([]string, 30_000)}}}
	c.post(path, map[string]any{"action": "edit", "plan": wide}, "If-Match", "1").refused(http.StatusBadRequest, "too large")
	got := c.post(path, map[string]any{"action": "edit", "plan": own}, "If-Match", "1").want(http.StatusOK).object()
	if got["status"] != "approved" {
		t.Errorf("%v", got)
	}
	if run := h.await("", id, plumb.Finished); len(run.Units) == 0 || run.Units[0].Topic != own.Units[0].Question {
		t.Errorf("%+v", run.Units)
	}

	id = h.planned(front.Ask{})
	path = "/api/v1/tasks/" + id + "/review"
	if got := c.post(path, map[string]string{"action": "reject", "message": "Too broad"}, "If-Match", "1").want(http.StatusOK).object(); got["status"] != "rejected" {
		t.Errorf("%v", got)
	}
	if run := h.await("", id, plumb.CancelledState); run.Reason != "Too broad" {
		t.Errorf("%q", run.Reason)
	}
	if s := c.get("/api/v1/tasks/" + id + "/control-state").object(); s["cancel_reason"] != "Too broad" || s["cancelled_by"] != "local" {
		t.Errorf("%v", s)
	}
}

func TestWrongReviewsAreRefused(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	id := h.planned(front.Ask{})
	path := "/api/v1/tasks/" + id + "/review"
	for body, words := range map[string][]string{
		`{}`:                                   {"action", "approve"},
		`{"action":"dance"}`:                   {"action", `"dance"`, "feedback, approve, edit, reject"},
		`{"action":"feedback"}`:                {"message"},
		`{"action":"edit"}`:                    {"plan"},
		`{"action":"edit","plan":[]}`:          {"plan", "array"},
		`{"action":"edit","plan":{"units":5}}`: {"plan.units", "number", "array"},
		`{"action":1}`:                         {"action", "number"},
		`{"action":"feedback","message":"` + strings.Repeat("x", 4001) + `"}`: {"message", "4000"},
	} {
		c.post(path, body, "If-Match", "1").refused(http.StatusBadRequest, words...)
	}
	for round := range plumb.MaxPlanRounds - 1 {
		c.post(path, map[string]any{"action": "feedback", "message": "Again"}, "If-Match", "*").want(http.StatusOK)
		var r reviewView
		if c.get(path).into(&r); r.Round != round+2 {
			t.Fatalf("round %d", r.Round)
		}
	}
	c.post(path, map[string]any{"action": "feedback", "message": "Again"}, "If-Match", "*").refused(http.StatusConflict, "approve")
	c.get("/api/v1/tasks/nobody/review").refused(http.StatusNotFound, "Task not found")
	c.get("/api/v1/tasks/"+h.done(front.Ask{})+"/review").refused(http.StatusNotFound, "review")
}

func TestApprovalsAreListedAndDecided(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	if got := string(c.get("/api/v1/approvals").want(http.StatusOK).body); strings.TrimSpace(got) != `{"approvals":[],"total_count":0}` {
		t.Error(got)
	}
	id := h.planned(front.Ask{Patience: time.Hour})
	var list struct {
		Approvals []map[string]any
		Total     int `json:"total_count"`
	}
	c.get("/api/v1/approvals").want(http.StatusOK).into(&list)
	if list.Total != 1 || list.Approvals[0]["workflow_id"] != id {
		t.Fatalf("%+v", list)
	}
	approval, _ := list.Approvals[0]["approval_id"].(string)
	has(t, "approval", list.Approvals[0], "approval_id", "workflow_id", "task_id", "session_id", "query", "round", "plan", "requested_at", "expires_at")

	const path = "/api/v1/approvals/decision"
	for body, words := range map[string][]string{
		`{}`:                    {"workflow_id"},
		`{"workflow_id":"a b"}`: {"workflow_id", "a b"},
		`{"workflow_id":"` + id + `","approved":true}`:                                                             {"approval_id"},
		`{"workflow_id":"` + id + `","approval_id":"` + approval + `"}`:                                            {"approved"},
		`{"workflow_id":"` + id + `","approval_id":"` + approval + `","approved":"yes"}`:                           {"approved", "boolean"},
		`{"workflow_id":"` + id + `","approval_id":"` + approval + `","approved":true,"modified_action":"faster"}`: {"modified_action", "units"},
	} {
		c.post(path, body).refused(http.StatusBadRequest, words...)
	}
	c.post(path, map[string]any{"workflow_id": "nobody", "approval_id": approval, "approved": true}).refused(http.StatusNotFound, "Task not found")
	c.post(path, map[string]any{"workflow_id": id, "approval_id": "something", "approved": true}).refused(http.StatusNotFound, "Approval not found")
	c.post(path, map[string]any{"workflow_id": id, "approval_id": id + ":plan:7", "approved": true}).refused(http.StatusConflict)
	got := c.post(path, map[string]any{"workflow_id": id, "approval_id": approval, "approved": true, "feedback": "Looks good", "run_id": "x", "approved_by": "Ada"}).want(http.StatusOK).object()
	if got["status"] != "sent" || got["success"] != true || got["workflow_id"] != id || got["approval_id"] != approval {
		t.Errorf("%v", got)
	}
	has(t, "decision", got, "status", "success", "message", "workflow_id", "approval_id")
	h.await("", id, plumb.Finished)
	c.post(path, map[string]any{"workflow_id": id, "approval_id": approval, "approved": true}).refused(http.StatusConflict, "decided")
	_, journal, err := h.Tenant("").Journal(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	var by string
	for _, o := range journal {
		if o.Signal.Kind == plumb.SigApprove {
			by = o.Signal.By
		}
	}
	if by != "Ada (local)" {
		t.Errorf("approved by %q", by)
	}

	id = h.planned(front.Ask{})
	c.post(path, map[string]any{"workflow_id": id, "approval_id": id + ":plan:1", "approved": true,
		"modified_action": plumb.Plan{Units: []plumb.Unit{{Question: "Is it safe?"}}}}).want(http.StatusOK)
	if run := h.await("", id, plumb.Finished); run.Units[0].Topic != "Is it safe?" {
		t.Errorf("%+v", run.Units)
	}
	id = h.planned(front.Ask{})
	c.post(path, map[string]any{"workflow_id": id, "approval_id": id + ":plan:1", "approved": false, "feedback": "No"}).want(http.StatusOK)
	if run := h.await("", id, plumb.CancelledState); run.Reason != "No" {
		t.Errorf("%q", run.Reason)
	}
}
