package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
)

func TestReportComesInTheFormatAskedFor(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 3)
	c := client{t, h.serve(nil).URL}
	path := "/api/v1/tasks/" + h.done(front.Ask{}) + "/report"
	for _, x := range []struct{ query, accept, media, begins string }{
		{"", "", "text/markdown; charset=utf-8", "# "},
		{"", "*/*", "text/markdown; charset=utf-8", "# "},
		{"?format=md", "text/html", "text/markdown; charset=utf-8", "# "},
		{"?format=html", "", "text/html; charset=utf-8", "<!DOCTYPE html>"},
		{"", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8", "<!DOCTYPE html>"},
		{"", "application/json", "application/json", `{"task_id":`},
		{"", "text/*;q=0.5, application/json;q=0.4", "text/markdown; charset=utf-8", "# "},
		{"", "text/markdown;q=0, */*", "application/json", `{"task_id":`},
	} {
		got := c.get(path+x.query, "Accept", x.accept).want(http.StatusOK)
		if got.header.Get("Content-Type") != x.media || !strings.HasPrefix(string(got.body), x.begins) {
			t.Errorf("%s with %s: %s, %.40q", x.query, x.accept, got.header.Get("Content-Type"), got.body)
		}
	}
	if p := c.get(path + "?format=html").header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "sandbox allow-scripts") {
		t.Errorf("the page of a report is not kept from this origin: %q", p)
	}
	c.get(path+"?format=pdf").refused(http.StatusNotImplemented, "PDF")
	c.get(path+"?format=docx").refused(http.StatusBadRequest, "format", "docx", "md", "html")
	c.get(path, "Accept", "image/png").refused(http.StatusNotAcceptable, "text/markdown")
	c.get("/api/v1/tasks/nobody/report").refused(http.StatusNotFound, "Task not found")
	c.get("/api/v1/tasks/a%20b/report").refused(http.StatusBadRequest, "id", "a b")
}

func TestReportAsJSONHasEverythingThatThePageShows(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 3)
	c := client{t, h.serve(nil).URL}
	path := "/api/v1/tasks/" + h.done(front.Ask{}) + "/report?format=json"
	has(t, "report", c.get(path).object(), "task_id", "title", "language", "direction", "headline", "notices", "html", "unplaced", "method",
		"markdown", "draft", "claims", "verdicts", "citations", "sources", "verification")
	var r struct {
		TaskID       string `json:"task_id"`
		HTML, Draft  string
		Claims       []plumb.Claim
		Verdicts     []plumb.Verdict
		Citations    []plumb.Citation
		Sources      []plumb.Source
		Verification struct {
			Claims    int
			Supported int
			Rate      float64 `json:"verification_rate"`
			Checked   bool
		}
		Evidence *struct{ Claims, Texts []any }
	}
	c.get(path + "&evidence=true").want(http.StatusOK).into(&r)
	if len(r.Claims) == 0 || len(r.Claims) != len(r.Verdicts) || len(r.Citations) == 0 || r.Evidence == nil || len(r.Evidence.Claims) != len(r.Claims) {
		t.Fatalf("%d claims, %d verdicts, %d citations, evidence %v", len(r.Claims), len(r.Verdicts), len(r.Citations), r.Evidence)
	}
	for i, x := range r.Claims {
		if !strings.Contains(r.HTML, `id="`+x.ID+`"`) {
			t.Errorf("%s is not marked in the text", x.ID)
		}
		if x.End > len(r.Draft) || x.Start >= x.End || r.Verdicts[i].ClaimID != x.ID {
			t.Errorf("%s stands nowhere in the draft, or its verdict is not with it", x.ID)
		}
	}
	v := r.Verification
	if !v.Checked || v.Claims != len(r.Claims) || v.Supported == 0 || v.Rate != float64(v.Supported)/float64(v.Claims) {
		t.Errorf("verification %+v", v)
	}
	src := c.get("/api/v1/tasks/" + r.TaskID + "/sources/" + r.Verdicts[0].Source).want(http.StatusOK)
	if x := r.Verdicts[0]; string(src.body[x.Start:x.End]) != x.Evidence || src.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("the passage is not where its offsets say: %s", src.header.Get("Content-Type"))
	}
	c.get("/api/v1/tasks/"+r.TaskID+"/sources/"+strings.Repeat("0", 64)).refused(http.StatusNotFound, "source")
	c.get("/api/v1/tasks/"+r.TaskID+"/sources/zz").refused(http.StatusBadRequest, "hash")
	c.get("/api/v1/tasks/nobody/sources/"+r.Sources[0].Hash).refused(http.StatusNotFound, "Task not found")
}
