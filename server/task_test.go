package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

// kept remembers what was asked, and prepares like prepare.
type kept struct {
	prepare
	ask *front.Ask
}

func (k kept) Question(a front.Ask, documents int) (plumb.Question, plumb.Limits, error) {
	*k.ask = a
	return k.prepare.Question(a, documents)
}

func TestTaskFieldsMeanWhatTheyMeantElsewhere(t *testing.T) {
	h := newHouse(t, func(ctx context.Context, _ *engine.Task, _ func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		<-ctx.Done() // nothing is worked on
		return nil, ctx.Err()
	})
	h.shelve("", 1)
	var got front.Ask
	h.Prepare = kept{ask: &got}
	c := client{t, h.serve(nil).URL}
	yes, half := true, 0.5
	for _, x := range []struct {
		body string
		want front.Ask
	}{
		{`{"query":"Q?"}`, front.Ask{Text: "Q?"}},
		{`{"query":"Q?","session_id":null,"context":null,"mode":null,"max_iterations":null,"skill":"x","nobody":{"knows":1}}`, front.Ask{Text: "Q?"}},
		{`{"query":"Q?","research_strategy":"Deep","max_iterations":12,"max_concurrent_agents":20,"enable_verification":true,"report_mode":true,"model_tier":"SMALL"}`,
			front.Ask{Text: "Q?", Preset: "deep", Waves: 12, AtOnce: 20, Tier: "small"}},
		{`{"query":"Q?","enable_verification":false,"report_mode":false}`, front.Ask{Text: "Q?", Unchecked: true, Style: "concise"}},
		{`{"query":"Q?","report_mode":false,"context":{"synthesis_style":"comprehensive"}}`, front.Ask{Text: "Q?", Style: "comprehensive"}},
		{`{"query":"Q?","provider_override":"OpenAI","model_override":"gpt-x"}`, front.Ask{Text: "Q?", Model: "openai:gpt-x"}},
		{`{"query":"Q?","provider_override":"ollama","model_override":"ollama:q:7b"}`, front.Ask{Text: "Q?", Model: "ollama:q:7b"}},
		{`{"query":"Q?","model_override":"anthropic:c"}`, front.Ask{Text: "Q?", Model: "anthropic:c"}},
		{`{"query":"Q?","context":{"force_research":true,"review_plan":"manual","review_timeout":90,"budget_agent_max":5000,"enable_citations":true}}`,
			front.Ask{Text: "Q?", Approve: true, Patience: 90 * time.Second, UnitMax: 5000}},
		{`{"query":"Q?","context":{"require_review":true,"review_plan":"auto"}}`, front.Ask{Text: "Q?", Approve: true}},
		{`{"query":"Q?","max_iterations":3,"context":{"research_strategy":"academic","max_iterations":4,"max_concurrent_agents":2,"enable_verification":false,"model_tier":"large"}}`,
			front.Ask{Text: "Q?", Preset: "academic", Waves: 3, AtOnce: 2, Unchecked: true, Tier: "large"}},
		{`{"query":"Q?","session_id":"s:1","context":{"search":"auto","papers":"none","include_domains":["a.org"],"exclude_domains":["b.org"],"since":"2024-05",
			"language":"de","use_library":true,"strict":true,"reuse":true,"budget_usd":0.5,"max_tokens":9000,"scheduling":"hybrid"}}`,
			front.Ask{Text: "Q?", Thread: "s:1", Search: "auto", Papers: "none", Include: []string{"a.org"}, Exclude: []string{"b.org"}, Since: "2024-05",
				Language: "de", Library: &yes, Strict: true, Reuse: true, USD: &half, Tokens: 9000, Mode: "hybrid"}},
	} {
		c.post("/api/v1/tasks", x.body).want(http.StatusOK)
		got.Remark = nil
		if !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s\n got %+v\nwant %+v", x.body, got, x.want)
		}
	}
}

func TestWrongTasksAreRefusedByTheNameOfTheField(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 1)
	c := client{t, h.serve(nil).URL}
	for _, x := range []struct {
		body  string
		words []string
	}{
		{``, []string{"body"}},
		{`{`, []string{"JSON"}},
		{`[]`, []string{"array", "object"}},
		{`{}`, []string{"query"}},
		{`{"query":"  "}`, []string{"query"}},
		{`{"query":5}`, []string{"query", "number", "string"}},
		{`{"query":"` + strings.Repeat("é", 10_001) + `"}`, []string{"query", "10001", "10000"}},
		{`{"query":"Q?","research_strategy":"huge"}`, []string{"research_strategy", `"huge"`, "quick, standard, deep, academic"}},
		{`{"query":"Q?","model_tier":"tiny"}`, []string{"model_tier", `"tiny"`, "small, medium, large"}},
		{`{"query":"Q?","max_iterations":0}`, []string{"max_iterations", `"0"`, "1 to 50"}},
		{`{"query":"Q?","max_iterations":51}`, []string{"max_iterations", `"51"`, "1 to 50"}},
		{`{"query":"Q?","max_iterations":"5"}`, []string{"max_iterations", "string", "integer"}},
		{`{"query":"Q?","max_iterations":1.5}`, []string{"max_iterations", "1.5", "integer"}},
		{`{"query":"Q?","max_concurrent_agents":21}`, []string{"max_concurrent_agents", `"21"`, "1 to 20"}},
		{`{"query":"Q?","enable_verification":"yes"}`, []string{"enable_verification", "boolean"}},
		{`{"query":"Q?","session_id":"a b"}`, []string{"session_id", `"a b"`}},
		{`{"query":"Q?","session_id":"` + strings.Repeat("x", 129) + `"}`, []string{"session_id"}},
		{`{"query":"Q?","provider_override":"openai"}`, []string{"provider_override", "model_override"}},
		{`{"query":"Q?","mode":"` + strings.Repeat("x", 65) + `"}`, []string{"mode"}},
		{`{"query":"Q?","context":"x"}`, []string{"context", "string", "object"}},
		{`{"query":"Q?","context":{"review_timeout":"soon"}}`, []string{"context.review_timeout", "string", "number"}},
		{`{"query":"Q?","context":{"review_timeout":-1}}`, []string{"context.review_timeout", `"-1"`}},
		{`{"query":"Q?","context":{"review_plan":"perhaps"}}`, []string{"context.review_plan", `"perhaps"`, "manual"}},
		{`{"query":"Q?","context":{"synthesis_style":"epic"}}`, []string{"context.synthesis_style", `"epic"`, "concise"}},
		{`{"query":"Q?","context":{"scheduling":"never"}}`, []string{"context.scheduling", `"never"`, "hybrid"}},
		{`{"query":"Q?","context":{"include_domains":"a.org"}}`, []string{"context.include_domains", "string", "array"}},
		{`{"query":"Q?","context":{"budget_usd":-2}}`, []string{"context.budget_usd", `"-2"`}},
		{`{"query":"Q?","context":{"max_tokens":-2}}`, []string{"context.max_tokens", `"-2"`}},
		{`{"query":"Q?","context":{"research_strategy":"huge"}}`, []string{"context.research_strategy", `"huge"`}},
		{`{"query":"Q?","context":{"use_library":false}}`, []string{"search", "library"}},
	} {
		for _, path := range []string{"/api/v1/tasks", "/api/v1/tasks/stream"} {
			c.post(path, x.body).refused(http.StatusBadRequest, x.words...)
		}
	}
	c.post("/api/v1/tasks", `{"query":"Q?"}`, "Content-Type", "text/plain").refused(http.StatusUnsupportedMediaType, "text/plain", "application/json")
	c.post("/api/v1/tasks", `{"query":"`+strings.Repeat("x", 1<<20)+`"}`).refused(http.StatusRequestEntityTooLarge, "1 MB")
	var l struct {
		Total int `json:"total_count"`
	}
	c.get("/api/v1/tasks").into(&l)
	if l.Total != 0 {
		t.Errorf("%d tasks were started all the same", l.Total)
	}
}

func TestTaskFromQuestionToResult(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 3)
	c := client{t, h.serve(nil).URL}
	asked := c.post("/api/v1/tasks", `{"query":"`+question+`","session_id":"bridge","mode":"supervisor","context":{"force_research":true,"mine":[1,2]}}`).want(http.StatusOK)
	body := asked.object()
	id, _ := body["task_id"].(string)
	if body["status"] != "STATUS_CODE_OK" || asked.header.Get("X-Workflow-ID") != id || asked.header.Get("X-Session-ID") != "bridge" || id == "" {
		t.Fatalf("%s %v", asked.body, asked.header)
	}
	created := body["created_at"]
	has(t, "answer", body, "task_id", "status", "message", "created_at")
	h.await("", id, plumb.Finished)

	got := c.get("/api/v1/tasks/" + id).want(http.StatusOK)
	if got.header.Get("X-Workflow-ID") != id {
		t.Error("no X-Workflow-ID")
	}
	task := got.object()
	for field, want := range map[string]any{"task_id": id, "workflow_id": id, "status": "TASK_STATUS_COMPLETED", "query": question, "session_id": "bridge",
		"mode": "supervisor", "created_at": created, "model_used": "extractive", "provider": "plumb", "kind": "research", "stage": "end"} {
		if task[field] != want {
			t.Errorf("%s is %v, want %v", field, task[field], want)
		}
	}
	if x, err := json.Marshal(task["context"]); err != nil || string(x) != `{"force_research":true,"mine":[1,2]}` {
		t.Errorf("context %s", x)
	}
	md := string(c.get("/api/v1/tasks/" + id + "/report").want(http.StatusOK).body)
	if task["result"] != md || task["response"] != md || !strings.HasPrefix(md, "# ") {
		t.Errorf("the result is not the report")
	}
	meta := task["metadata"].(map[string]any)
	if len(meta["citations"].([]any)) == 0 {
		t.Error("no citations")
	}
	has(t, "verification", meta["verification"].(map[string]any), "claims", "supported", "partial", "not_found", "contradicted", "inaccessible", "paywall", "disputed", "checked", "verification_rate")
	u := task["unified_response"].(map[string]any)
	if u["status"] != "completed" || u["result"] != md || u["error"] != nil || u["task_id"] != id {
		t.Errorf("unified response %v", u["status"])
	}
	has(t, "unified_response", u, "task_id", "session_id", "status", "result", "metadata", "usage", "performance", "stop_reason", "error", "timestamp")
	has(t, "task", task, "task_id", "workflow_id", "status", "stage", "kind", "result", "response", "created_at", "updated_at", "completed_at", "query", "session_id", "mode", "context",
		"model_used", "provider", "usage", "metadata", "unified_response")

	var list struct {
		Tasks []map[string]any
		Total int `json:"total_count"`
	}
	c.get("/api/v1/tasks").want(http.StatusOK).into(&list)
	if list.Total != 1 || len(list.Tasks) != 1 || list.Tasks[0]["mode"] != "supervisor" || list.Tasks[0]["status"] != "TASK_STATUS_COMPLETED" {
		t.Fatalf("%+v", list)
	}
	has(t, "row", list.Tasks[0], "task_id", "query", "status", "kind", "mode", "session_id", "created_at", "completed_at", "total_token_usage")
}

func TestTaskAndStreamInOneRequest(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	got := c.post("/api/v1/tasks/stream", map[string]string{"query": question}).want(http.StatusCreated)
	body := got.object()
	id := got.header.Get("X-Workflow-ID")
	url := "/api/v1/stream/sse?workflow_id=" + id
	if body["workflow_id"] != id || body["task_id"] != id || body["stream_url"] != url || got.header.Get("Link") != "<"+url+">; rel=stream" || got.header.Get("X-Session-ID") != id {
		t.Errorf("%s %v", got.body, got.header)
	}
	has(t, "answer", body, "workflow_id", "task_id", "stream_url")
	h.await("", id, plumb.Finished)
	var events struct {
		Events []map[string]any
		Count  int
	}
	c.get("/api/v1/tasks/" + id + "/events").want(http.StatusOK).into(&events)
	if events.Count == 0 || events.Count != len(events.Events) || events.Events[0]["type"] != "WORKFLOW_STARTED" || events.Events[events.Count-1]["type"] != "WORKFLOW_COMPLETED" {
		t.Fatalf("%d events, the first %v", events.Count, events.Events[0])
	}
	all := events.Count
	c.get("/api/v1/tasks/" + id + "/events?limit=2&offset=1").want(http.StatusOK).into(&events)
	if events.Count != 2 || events.Events[0]["seq"] != 2.0 {
		t.Errorf("%+v", events)
	}
	c.get("/api/v1/tasks/" + id + "/events?after=1").want(http.StatusOK).into(&events)
	if events.Count != all-1 {
		t.Errorf("%d events after the first of %d", events.Count, all)
	}
	c.get("/api/v1/tasks/"+id+"/events?limit=0").refused(http.StatusBadRequest, "limit")
	c.get("/api/v1/tasks/nobody/events").refused(http.StatusNotFound, "Task not found")
}

func TestListIsPagedAndFiltered(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	first, second := h.done(front.Ask{Thread: "one"}), h.done(front.Ask{Thread: "two"})
	waits, err := h.Tenant("").Ask(context.Background(), front.Ask{Text: question, Approve: true})
	if err != nil {
		t.Fatal(err)
	}
	h.await("", waits.ID, plumb.Waiting)
	late, err := h.Tenant("").Ask(context.Background(), front.Ask{Text: question, Approve: true, Patience: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h.await("", late.ID, plumb.FailedState)
	for query, want := range map[string][]string{
		"":                             {late.ID, waits.ID, second, first},
		"?limit=1":                     {late.ID},
		"?limit=2&offset=2":            {second, first},
		"?offset=10":                   nil,
		"?session_id=one":              {first},
		"?status=COMPLETED":            {second, first},
		"?status=completed&offset=1":   {first},
		"?status=TASK_STATUS_PAUSED":   {waits.ID},
		"?status=TIMEOUT":              {late.ID},
		"?status=FAILED":               nil,
		"?status=RUNNING":              nil,
		"?status=CANCELLED":            nil,
		"?status=PAUSED&session_id=no": nil,
	} {
		var list struct {
			Tasks []struct {
				TaskID string `json:"task_id"`
			}
		}
		c.get("/api/v1/tasks" + query).want(http.StatusOK).into(&list)
		var got []string
		for _, x := range list.Tasks {
			got = append(got, x.TaskID)
		}
		if !sameSet(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if task := c.get("/api/v1/tasks/" + late.ID).object(); task["status"] != "TASK_STATUS_TIMEOUT" || task["error"] != "nobody answered in time" {
		t.Errorf("%v %v", task["status"], task["error"])
	}
	for query, words := range map[string][]string{"?limit=0": {"limit", "0"}, "?limit=101": {"limit", "101"}, "?limit=x": {"limit"}, "?offset=-1": {"offset"},
		"?status=DREAMING": {"status", "DREAMING", "QUEUED"}, "?session_id=a%20b": {"session_id"}} {
		c.get("/api/v1/tasks"+query).refused(http.StatusBadRequest, words...)
	}
}

// sameSet compares lists whose order is that of times which may be the same.
func sameSet(a, b []string) bool {
	in := map[string]int{}
	for _, x := range a {
		in[x]++
	}
	for _, x := range b {
		in[x]--
	}
	for _, n := range in {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestOthersTasksDoNotExist(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	id := h.done(front.Ask{Thread: "mine"})
	key, secret, err := front.NewKey("eve", "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.db.AddKey(context.Background(), key); err != nil {
		t.Fatal(err)
	}
	c := client{t, h.serve(func(o *server.Options) { o.Open = false }).URL}
	for _, x := range []struct{ method, path, body string }{
		{"GET", "", ""}, {"GET", "/events", ""}, {"GET", "/timeline", ""}, {"GET", "/report", ""}, {"GET", "/control-state", ""}, {"GET", "/review", ""},
		{"POST", "/cancel", "{}"}, {"POST", "/pause", "{}"}, {"POST", "/resume", "{}"}, {"POST", "/finish", "{}"}, {"POST", "/answer", `{"text":"x"}`},
		{"POST", "/review", `{"action":"approve"}`}, {"DELETE", "", ""},
	} {
		var body any
		if x.body != "" {
			body = x.body
		}
		c.do(x.method, "/api/v1/tasks/"+id+x.path, body, "X-API-Key", secret, "If-Match", "*").refused(http.StatusNotFound, "Task not found")
	}
	for _, x := range []string{"", "/history"} {
		c.get("/api/v1/sessions/mine"+x, "X-API-Key", secret).refused(http.StatusNotFound, "Session not found")
	}
	if list := c.get("/api/v1/tasks", "X-API-Key", secret).want(http.StatusOK).object(); list["total_count"] != 0.0 {
		t.Errorf("%v", list)
	}
}

func TestDeletedTaskIsGone(t *testing.T) {
	held := make(chan struct{})
	h := newHouse(t, func(ctx context.Context, task *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if task.Step.Kind == plumb.StepWrite {
			select {
			case <-held:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return do(ctx, task)
	})
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	var asked struct {
		TaskID string `json:"task_id"`
	}
	c.post("/api/v1/tasks", map[string]string{"query": question}).want(http.StatusOK).into(&asked)
	path := "/api/v1/tasks/" + asked.TaskID
	c.do(http.MethodDelete, path, nil).want(http.StatusNoContent) // under way
	c.get(path).refused(http.StatusNotFound, "Task not found")
	c.do(http.MethodDelete, path, nil).refused(http.StatusNotFound, "Task not found")
	close(held)
	id := h.done(front.Ask{})
	if got := c.do(http.MethodDelete, "/api/v1/tasks/"+id, nil).want(http.StatusNoContent); len(got.body) != 0 {
		t.Errorf("%s", got.body)
	}
	if list := c.get("/api/v1/tasks").object(); list["total_count"] != 0.0 {
		t.Errorf("%v", list)
	}
	c.do(http.MethodDelete, "/api/v1/tasks/a%2Fb", nil).refused(http.StatusBadRequest, "id")
}

func TestUsageIsTheSumOfTheLedger(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	c := client{t, h.serve(nil).URL}
	id := h.done(front.Ask{})
	at := time.Now().UTC()
	for i, r := range []plumb.LedgerRow{
		{Step: "write.1", Role: "orchestrator", Model: "openai:big", Input: 1000, Output: 200, USD: 0.25, Priced: true},
		{Step: "write.1", Role: "orchestrator", Model: "openai:big", Input: 10, Output: 2, USD: 0.125, Priced: true},
		{Step: "unit.u1", Role: "worker", Model: "ollama:small:7b", Input: 5, Output: 5, Priced: false},
	} {
		r.Run, r.At = id, at.Add(time.Duration(i)*time.Second)
		if err := h.db.AddLedgerRow(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	var task struct {
		Usage    json.RawMessage
		Metadata struct {
			ModelBreakdown json.RawMessage `json:"model_breakdown"`
			RoleBreakdown  json.RawMessage `json:"role_breakdown"`
		}
	}
	c.get("/api/v1/tasks/" + id).want(http.StatusOK).into(&task)
	for _, x := range []struct{ got, want string }{
		{string(task.Usage), `{"total_tokens":1222,"input_tokens":1015,"output_tokens":207,"estimated_cost":0.375}`},
		{string(task.Metadata.ModelBreakdown), `[{"model":"big","provider":"openai","executions":2,"tokens":1212,"cost_usd":0.375,"priced":true,"percentage":100},` +
			`{"model":"small:7b","provider":"ollama","executions":1,"tokens":10,"cost_usd":0,"priced":false,"percentage":0}]`},
		{string(task.Metadata.RoleBreakdown), `[{"role":"orchestrator","executions":2,"tokens":1212,"cost_usd":0.375,"priced":true,"percentage":100},` +
			`{"role":"worker","executions":1,"tokens":10,"cost_usd":0,"priced":false,"percentage":0}]`},
	} {
		if x.got != x.want {
			t.Errorf("got %s\nwant %s", x.got, x.want)
		}
	}
	var list struct {
		Tasks []struct {
			Usage json.RawMessage `json:"total_token_usage"`
		}
	}
	c.get("/api/v1/tasks").into(&list)
	if got := string(list.Tasks[0].Usage); got != `{"total_tokens":1222,"cost_usd":0.375,"prompt_tokens":1015,"completion_tokens":207}` {
		t.Error(got)
	}
}
