package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

const audited = `# The bridge

The Marrowgate Bridge was repaired for 48.2 million euros in 2024 [1]. The repair cost 99 million euros [1].

## Sources

1. [Notes of March](doc:notes/march.md)
`

func TestAuditIsATask(t *testing.T) {
	h := newHouse(t, nil)
	c := client{t, h.serve(nil).URL}
	asked := c.post("/api/v1/audits", map[string]any{"report": audited, "name": "bridge.md",
		"documents": []map[string]string{{"name": "notes/march.md", "text": notes}}}).want(http.StatusOK)
	body := asked.object()
	id, _ := body["task_id"].(string)
	if asked.header.Get("X-Workflow-ID") != id || body["status"] != "STATUS_CODE_OK" {
		t.Fatalf("%s", asked.body)
	}
	has(t, "audit", body, "task_id", "status", "message", "created_at")
	h.await("", id, plumb.Finished)
	var r struct {
		Verdicts     []plumb.Verdict
		Verification struct{ Claims, Supported int }
	}
	c.get("/api/v1/tasks/" + id + "/report?format=json").want(http.StatusOK).into(&r)
	if r.Verification.Claims != 2 || r.Verification.Supported != 1 || r.Verdicts[0].Status != plumb.Supported || !strings.Contains(r.Verdicts[0].Evidence, "48.2 million") {
		t.Errorf("%+v", r)
	}
	if task := c.get("/api/v1/tasks/" + id).object(); task["kind"] != "audit" || task["status"] != "TASK_STATUS_COMPLETED" {
		t.Errorf("%v", task["kind"])
	}
	if list := c.get("/api/v1/library/documents").object(); list["total_count"] != 0.0 {
		t.Errorf("a document that came with a report stands in the library: %v", list)
	}
}

func TestWrongAuditsAreRefused(t *testing.T) {
	c := client{t, newHouse(t, nil).serve(nil).URL}
	for body, words := range map[string][]string{
		`{}`:                            {"report"},
		`{"report":" "}`:                {"report"},
		`{"report":5}`:                  {"report", "number", "string"},
		`{"report":"x","documents":{}}`: {"documents", "object", "array"},
		`{"report":"x","documents":[{"name":"a.md"}]}`:                                            {"documents[0].text"},
		`{"report":"x","documents":[{"text":"a"}]}`:                                               {"documents[0].name"},
		`{"report":"x","documents":[{"name":"../a","text":"a"}]}`:                                 {"relative path"},
		`{"report":"x","documents":[` + strings.TrimSuffix(strings.Repeat(`{},`, 51), ",") + `]}`: {"documents", "51", "50"},
		`{"report":"x","budget_usd":-1}`:                                                          {"budget_usd", "-1"},
		`{"report":"x","name":"` + strings.Repeat("x", 201) + `"}`:                                {"name", "200"},
		`{"report":"x","provider_override":"openai"}`:                                             {"provider_override"},
	} {
		c.post("/api/v1/audits", body).refused(http.StatusBadRequest, words...)
	}
	c.post("/api/v1/audits", `{"report":"x","documents":[{"name":"a.pdf","text":"no PDF"}]}`).refused(http.StatusUnsupportedMediaType, "a.pdf")
}

func TestOutlookAndPresets(t *testing.T) {
	h := newHouse(t, nil)
	c := client{t, h.serve(nil).URL}
	c.get("/api/v1/outlook").refused(http.StatusBadRequest, "nothing to search")
	presets := c.get("/api/v1/presets").want(http.StatusOK).object()
	if first := presets["presets"].([]any)[0].(map[string]any); first["name"] != "quick" || first["max_usd"] != 0.25 || first["max_seconds"] != 300.0 || first["estimate"] != nil {
		t.Errorf("%v", first)
	}
	h.shelve("", 3)
	o := c.get("/api/v1/outlook?research_strategy=deep&query=Why").want(http.StatusOK).object()
	if o["extractive"] != true || o["documents"] != 3.0 || o["limits"].(map[string]any)["preset"] != "deep" {
		t.Errorf("%v", o)
	}
	has(t, "outlook", o, "models", "extractive", "search", "papers", "hosts", "estimate", "limits", "documents")
	presets = c.get("/api/v1/presets").want(http.StatusOK).object()
	if list := presets["presets"].([]any); len(list) != 4 || presets["default"] != "quick" || list[0].(map[string]any)["estimate"] == nil {
		t.Errorf("%v", presets)
	}
	has(t, "preset", presets["presets"].([]any)[3].(map[string]any), "name", "limits", "style", "max_usd", "max_seconds", "estimate")
	for query, words := range map[string][]string{"?research_strategy=huge": {"research_strategy", "huge"}, "?model_tier=x": {"model_tier"},
		"?use_library=perhaps": {"use_library"}, "?use_library=false": {"nothing to search"}, "?provider_override=openai": {"provider_override"}} {
		c.get("/api/v1/outlook"+query).refused(http.StatusBadRequest, words...)
	}
}
