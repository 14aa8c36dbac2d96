package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

// asking is a house whose scope steps have a question of their own the first time.
func asking(t *testing.T) *house {
	t.Helper()
	var h *house
	h = newHouse(t, func(ctx context.Context, task *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		o, err := do(ctx, task)
		if err != nil || task.Step.Kind != plumb.StepScope || task.Step.Round > 1 {
			return o, err
		}
		var brief plumb.Brief
		if err := h.db.Artefact(ctx, task.Run, o.Refs.Brief, &brief); err != nil {
			return nil, err
		}
		brief.Ask = "Which bridge?"
		o.Refs.Ask = o.Refs.Brief
		return o, h.db.PutArtefact(ctx, task.Run, o.Refs.Brief, brief)
	})
	h.shelve("", 2)
	return h
}

func TestClarifyingQuestionIsAnswered(t *testing.T) {
	h := asking(t)
	c := client{t, h.serve(nil).URL}
	ask := func() string {
		t.Helper()
		id := c.post("/api/v1/tasks", map[string]string{"query": question, "session_id": "talk"}).want(http.StatusOK).header.Get("X-Workflow-ID")
		h.await("", id, plumb.Waiting)
		return id
	}
	id := ask()
	task := c.get("/api/v1/tasks/" + id).object()
	if task["status"] != "TASK_STATUS_PAUSED" || task["pause_reason"] != "clarify" || task["clarification"] != "Which bridge?" || task["result"] != "" {
		t.Errorf("%v %v %v", task["status"], task["pause_reason"], task["clarification"])
	}
	if s := c.get("/api/v1/tasks/" + id + "/control-state").object(); s["is_paused"] != true || s["pause_reason"] != "clarify" {
		t.Errorf("%v", s)
	}
	c.post("/api/v1/tasks/"+id+"/answer", map[string]string{"text": " "}).refused(http.StatusBadRequest, "text")
	c.post("/api/v1/tasks/"+id+"/answer", map[string]string{"text": strings.Repeat("x", 4001)}).refused(http.StatusBadRequest, "text", "4000")
	c.post("/api/v1/tasks/"+id+"/answer", `{"text":1}`).refused(http.StatusBadRequest, "text", "string")
	got := c.post("/api/v1/tasks/"+id+"/answer", map[string]string{"text": "The one at Marrowgate"}).want(http.StatusAccepted).object()
	if got["success"] != true || got["task_id"] != id {
		t.Errorf("%v", got)
	}
	h.await("", id, plumb.Finished)
	c.post("/api/v1/tasks/"+id+"/answer", map[string]string{"text": "Or another"}).refused(http.StatusConflict, "no answer")
	c.post("/api/v1/tasks/nobody/answer", map[string]string{"text": "x"}).refused(http.StatusNotFound, "Task not found")

	second := ask()
	c.post("/api/v1/tasks", map[string]string{"query": strings.Repeat("x", 4001), "session_id": "talk"}).refused(http.StatusBadRequest, "query", "4000")
	answered := c.post("/api/v1/tasks", map[string]string{"query": "The one at Marrowgate", "session_id": "talk"}).want(http.StatusOK)
	if answered.header.Get("X-Workflow-ID") != second || answered.object()["task_id"] != second {
		t.Errorf("the session's question was not answered: %s", answered.body)
	}
	h.await("", second, plumb.Finished)
	var brief plumb.Brief
	run := h.await("", second, plumb.Finished)
	if err := h.db.Artefact(context.Background(), second, run.Refs.Brief, &brief); err != nil || !strings.Contains(brief.Answer, "Marrowgate") {
		t.Errorf("%v %+v", err, brief)
	}
}

// gated is a house that begins no unit before the gate is opened.
func gated(t *testing.T) (h *house, open func()) {
	t.Helper()
	gate := make(chan struct{})
	h = newHouse(t, func(ctx context.Context, task *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if task.Step.Kind == plumb.StepUnit {
			select {
			case <-gate:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return do(ctx, task)
	})
	h.shelve("", 2)
	return h, func() { close(gate) }
}

// reach polls until a run has come to a stage.
func (h *house) reach(id string, stage plumb.Stage) {
	h.t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for {
		run, err := h.Tenant("").Run(context.Background(), id)
		if err != nil || time.Now().After(deadline) || run.State().Ended() {
			h.t.Fatal(err, "run has not come to", stage)
		}
		if run.Stage == stage {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestPauseResumeFinishAndCancel(t *testing.T) {
	h, open := gated(t)
	c := client{t, h.serve(nil).URL}
	run, err := h.Tenant("").Ask(context.Background(), front.Ask{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	h.reach(run.ID, plumb.AtGather)
	path := "/api/v1/tasks/" + run.ID
	state := func() map[string]any { t.Helper(); return c.get(path + "/control-state").want(http.StatusOK).object() }
	free := state()
	if free["is_paused"] != false || free["paused_at"] != nil || free["paused_by"] != "" {
		t.Errorf("%v", free)
	}
	has(t, "control-state", free, "is_paused", "is_cancelled", "paused_at", "pause_reason", "paused_by", "cancel_reason", "cancelled_by", "cancelled_at")

	if got := c.post(path+"/resume", nil).want(http.StatusAccepted).object(); got["success"] != false {
		t.Errorf("%v", got)
	}
	paused := c.post(path+"/pause", map[string]string{"reason": "lunch"}).want(http.StatusAccepted).object()
	if paused["success"] != true || paused["task_id"] != run.ID {
		t.Errorf("%v", paused)
	}
	has(t, "pause", paused, "success", "message", "task_id")
	h.await("", run.ID, plumb.PausedState)
	if s := state(); s["is_paused"] != true || s["pause_reason"] != "lunch" || s["paused_by"] != "local" || s["paused_at"] == nil {
		t.Errorf("%v", s)
	}
	if task := c.get(path).object(); task["status"] != "TASK_STATUS_PAUSED" || task["pause_reason"] != "lunch" {
		t.Errorf("%v", task["status"])
	}
	has(t, "resume", c.post(path+"/resume", "{}").want(http.StatusAccepted).object(), "success", "message", "task_id")
	h.await("", run.ID, plumb.Running)
	if s := state(); s["is_paused"] != false || s["paused_at"] != nil {
		t.Errorf("%v", s)
	}
	has(t, "finish", c.post(path+"/finish", nil).want(http.StatusAccepted).object(), "success", "message", "task_id")
	open()
	if done := h.await("", run.ID, plumb.Finished); done.Stopped != plumb.StopFinish {
		t.Errorf("stopped by %q", done.Stopped)
	}
	for _, what := range []string{"cancel", "pause", "resume", "finish"} {
		c.post(path+"/"+what, nil).refused(http.StatusConflict, "ended")
		c.post("/api/v1/tasks/nobody/"+what, nil).refused(http.StatusNotFound, "Task not found")
		c.post("/api/v1/tasks/a%20b/"+what, nil).refused(http.StatusBadRequest, "id")
		c.post(path+"/"+what, `{"reason":1}`).refused(http.StatusBadRequest, "reason", "string")
	}
	c.get("/api/v1/tasks/nobody/control-state").refused(http.StatusNotFound, "Task not found")
}

func TestCancelledTaskSaysWhoAndWhy(t *testing.T) {
	h, open := gated(t)
	defer open()
	c := client{t, h.serve(nil).URL}
	run, err := h.Tenant("").Ask(context.Background(), front.Ask{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/tasks/" + run.ID
	c.post(path+"/cancel", map[string]string{"reason": strings.Repeat("x", 100_000)}).refused(http.StatusBadRequest, "reason", "4000")
	has(t, "cancel", c.post(path+"/cancel", map[string]string{"reason": "no longer needed"}).want(http.StatusAccepted).object(), "success", "message")
	h.await("", run.ID, plumb.CancelledState)
	s := c.get(path + "/control-state").object()
	if s["is_cancelled"] != true || s["cancel_reason"] != "no longer needed" || s["cancelled_by"] != "local" || s["cancelled_at"] == nil || s["is_paused"] != false {
		t.Errorf("%v", s)
	}
	task := c.get(path).object()
	if task["status"] != "TASK_STATUS_CANCELLED" || task["error"] != "no longer needed" || task["unified_response"].(map[string]any)["status"] != "cancelled" {
		t.Errorf("%v %v", task["status"], task["error"])
	}
}

func TestFailedTaskIsTriedAgain(t *testing.T) {
	tries := make(chan bool, 1)
	tries <- true
	h := newHouse(t, func(ctx context.Context, task *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if task.Step.Kind == plumb.StepWrite {
			select {
			case <-tries:
				return &plumb.Outcome{Step: task.Step.ID, Kind: plumb.Failed, At: time.Now().UTC(), Fail: "the pen broke"}, nil
			default:
			}
		}
		return do(ctx, task)
	})
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	run, err := h.Tenant("").Ask(context.Background(), front.Ask{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	h.await("", run.ID, plumb.FailedState)
	path := "/api/v1/tasks/" + run.ID
	if task := c.get(path).object(); task["status"] != "TASK_STATUS_FAILED" || task["error"] != "write: the pen broke" {
		t.Errorf("%v %v", task["status"], task["error"])
	}
	c.get(path+"/report").refused(http.StatusNotFound, "no report")
	c.post(path+"/pause", nil).refused(http.StatusConflict, "ended")
	c.post(path+"/resume", nil).want(http.StatusAccepted)
	deadline := time.Now().Add(3 * time.Minute)
	for c.get(path).object()["status"] != "TASK_STATUS_COMPLETED" {
		if time.Now().After(deadline) {
			t.Fatal("it was not tried again")
		}
		time.Sleep(5 * time.Millisecond)
	}
	var line struct {
		Steps []struct{ ID, Outcome, Error string }
	}
	c.get(path + "/timeline").want(http.StatusOK).into(&line)
	var writes []string
	for _, s := range line.Steps {
		if s.ID == "write.1" {
			writes = append(writes, s.Outcome+s.Error)
		}
	}
	if strings.Join(writes, " ") != "failedthe pen broke done" {
		t.Errorf("%v", writes)
	}
}

func TestTimelineHasEveryStep(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 3)
	c := client{t, h.serve(nil).URL}
	run, err := h.Tenant("").Ask(context.Background(), front.Ask{Text: question, Approve: true})
	if err != nil {
		t.Fatal(err)
	}
	h.await("", run.ID, plumb.Waiting)
	type step struct {
		ID, Kind, Unit, Outcome string
		Start                   time.Time
		End                     *time.Time
	}
	var line struct {
		Status string
		Steps  []step
		Count  int
		Ended  *time.Time `json:"ended_at"`
	}
	path := "/api/v1/tasks/" + run.ID
	c.get(path + "/timeline").want(http.StatusOK).into(&line)
	if last := line.Steps[len(line.Steps)-1]; last.Kind != "wait" || last.Outcome != "running" || last.End != nil || line.Ended != nil {
		t.Errorf("%+v", last)
	}
	c.post(path+"/review", map[string]string{"action": "approve"}, "If-Match", "*").want(http.StatusOK)
	h.await("", run.ID, plumb.Finished)
	c.get(path + "/timeline").want(http.StatusOK).into(&line)
	var kinds []string
	before := run.Asked.At
	for _, s := range line.Steps {
		if len(kinds) == 0 || kinds[len(kinds)-1] != s.Kind {
			kinds = append(kinds, s.Kind)
		}
		if s.Outcome != "done" || s.End == nil || s.End.Before(s.Start) || s.Start.Before(before) {
			t.Errorf("%+v", s)
		}
		before = s.Start
	}
	if got := strings.Join(kinds, " "); got != "read scope plan wait unit cite write claims check publish" {
		t.Error(got)
	}
	if line.Status != "TASK_STATUS_COMPLETED" || line.Count != len(line.Steps) || line.Ended == nil {
		t.Errorf("%s, %d steps", line.Status, line.Count)
	}
	c.get("/api/v1/tasks/nobody/timeline").refused(http.StatusNotFound, "Task not found")
}
