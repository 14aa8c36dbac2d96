package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/front"
)

func TestSessionIsAThreadOfTasks(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	if got := strings.TrimSpace(string(c.get("/api/v1/sessions").want(http.StatusOK).body)); got != `{"sessions":[],"total_count":0}` {
		t.Error(got)
	}
	first := h.done(front.Ask{Thread: "bridge"})
	second := h.done(front.Ask{Thread: "bridge", Text: "What did the repair cost?"})
	h.done(front.Ask{Thread: "other"})
	var list struct {
		Sessions []map[string]any
		Total    int `json:"total_count"`
	}
	c.get("/api/v1/sessions?limit=1").want(http.StatusOK).into(&list)
	if list.Total != 2 || len(list.Sessions) != 1 || list.Sessions[0]["session_id"] != "other" {
		t.Errorf("%+v", list)
	}
	c.get("/api/v1/sessions?offset=1").want(http.StatusOK).into(&list)
	if len(list.Sessions) != 1 || list.Sessions[0]["session_id"] != "bridge" {
		t.Errorf("%+v", list)
	}
	one := c.get("/api/v1/sessions/bridge").want(http.StatusOK).object()
	if one["task_count"] != 2.0 || one["query"] != question || one["title"] != "" || one["user_id"] != "local" {
		t.Errorf("%v", one)
	}
	has(t, "session", one, "session_id", "user_id", "title", "query", "task_count", "tokens_used", "cost_usd", "created_at", "updated_at")

	var history struct {
		SessionID string `json:"session_id"`
		Tasks     []map[string]any
		Total     int
	}
	c.get("/api/v1/sessions/bridge/history").want(http.StatusOK).into(&history)
	if history.SessionID != "bridge" || history.Total != 2 || len(history.Tasks) != 2 {
		t.Fatalf("%+v", history)
	}
	for i, id := range []string{first, second} {
		x := history.Tasks[i]
		if result, _ := x["result"].(string); x["task_id"] != id || x["status"] != "TASK_STATUS_COMPLETED" || !strings.HasPrefix(result, "# ") {
			t.Errorf("%v", x["task_id"])
		}
		has(t, "turn", x, "task_id", "workflow_id", "kind", "query", "status", "mode", "result", "created_at", "started_at", "completed_at", "total_tokens", "total_cost_usd")
	}
}

func TestSessionIsNamedAndDeleted(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	id := h.done(front.Ask{Thread: "bridge"})
	named := c.do(http.MethodPatch, "/api/v1/sessions/bridge", map[string]string{"title": " The bridge "}).want(http.StatusOK).object()
	if named["title"] != "The bridge" || c.get("/api/v1/sessions/bridge").object()["title"] != "The bridge" {
		t.Errorf("%v", named)
	}
	for _, body := range []string{`{}`, `{"title":" "}`, `{"title":5}`, `{"title":"a\nb"}`, `{"title":"` + strings.Repeat("x", 61) + `"}`} {
		c.do(http.MethodPatch, "/api/v1/sessions/bridge", body).refused(http.StatusBadRequest, "title")
	}
	for _, x := range []struct {
		method, path string
		body         any
	}{{"GET", "", nil}, {"GET", "/history", nil}, {"PATCH", "", map[string]string{"title": "x"}}, {"DELETE", "", nil}} {
		c.do(x.method, "/api/v1/sessions/nobody"+x.path, x.body).refused(http.StatusNotFound, "Session not found")
		c.do(x.method, "/api/v1/sessions/a%20b"+x.path, x.body).refused(http.StatusBadRequest, "id")
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?offset=-1", "?limit=x"} {
		c.get("/api/v1/sessions"+query).refused(http.StatusBadRequest, strings.Trim(strings.Split(query, "=")[0], "?"))
	}
	c.do(http.MethodDelete, "/api/v1/sessions/bridge", nil).want(http.StatusNoContent)
	c.get("/api/v1/sessions/bridge").refused(http.StatusNotFound, "Session not found")
	c.get("/api/v1/tasks/"+id).refused(http.StatusNotFound, "Task not found")
}
