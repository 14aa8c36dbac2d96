package server_test

// Two tenants, one server: whatever one asks of the other's things is answered as if they were not there. The routes come
// from the OpenAPI document, so that a new one is not forgotten.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

// secretWord stands in everything that acme has.
const secretWord = "Quagmarle"

// estate is what acme has, and the clients of both.
type estate struct {
	h          *house
	acme, bolt []string // headers
	c          client
	done, wait string // runs
	hash       string // of a source
}

// letIn makes a key of a tenant and gives the header for it.
func (h *house) letIn(tenant string) []string {
	h.t.Helper()
	k, secret, err := front.NewKey(tenant, "", time.Now())
	if err == nil {
		err = h.db.AddKey(context.Background(), k)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return []string{"X-API-Key", secret}
}

func newEstate(t *testing.T) *estate {
	ctx := context.Background()
	h := newHouse(t, nil)
	e := &estate{h: h, acme: h.letIn("acme"), bolt: h.letIn("bolt"), c: client{t, h.serve(func(o *server.Options) { o.Open = false }).URL}}
	acme := h.Tenant("acme")
	text := "# The " + secretWord + " report\n\nThe " + secretWord + " pump was opened in 1999 at a cost of 12 million dollars. The " + secretWord + " pump failed in 2004 because a valve broke.\n"
	if _, err := acme.AddDocument(ctx, secretWord+".md", []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Tenant("bolt").AddDocument(ctx, "own.md", []byte("# Own\n\nThe bridge was built in 1888 of iron.\n")); err != nil {
		t.Fatal(err)
	}
	ask := front.Ask{Text: "What did the " + secretWord + " pump cost and why did it fail?", Thread: "shared-name"}
	for _, run := range []*string{&e.done, &e.wait} {
		got, err := acme.Ask(ctx, ask)
		if err != nil {
			t.Fatal(err)
		}
		*run = got.ID
		ask.Approve = true
	}
	h.await("acme", e.done, plumb.Finished)
	h.await("acme", e.wait, plumb.Waiting)
	if err := acme.TitleThread(ctx, "shared-name", secretWord); err != nil {
		t.Fatal(err)
	}
	sources, err := h.db.Sources(ctx, e.done)
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	e.hash = sources[0].Hash
	return e
}

// operations are those of the document, as "GET /path", what begins something (POST) last.
func (e *estate) operations() []string {
	e.h.t.Helper()
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	e.c.get("/openapi.json").want(200).into(&doc)
	var out []string
	for path, item := range doc.Paths {
		for method := range item {
			if method = strings.ToUpper(method); slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
				out = append(out, method+" "+path)
			}
		}
	}
	slices.Sort(out)
	return out
}

// What the other tenant gets from routes that have no id in their path. %s is a run of acme's.
var (
	named = map[string]string{ // 404
		"GET /api/v1/stream/sse":           "?workflow_id=%s",
		"POST /api/v1/approvals/decision":  "",
		"DELETE /api/v1/library/documents": "?name=" + secretWord + ".md",
	}
	listed = map[string]string{ // 200, and nothing of acme's in it
		"GET /api/v1/tasks":             "?session_id=shared-name",
		"GET /api/v1/sessions":          "",
		"GET /api/v1/approvals":         "",
		"GET /api/v1/library/documents": "",
		"GET /api/v1/library/search":    "?q=pump+cost+valve",
		"GET /api/v1/outlook":           "?query=pump",
		"GET /api/v1/presets":           "",
		"GET /v1/models":                "",
	}
	begun = map[string]string{ // begins something of the tenant's own, with this body
		"POST /api/v1/tasks":             `{"query":"When was the bridge built?","session_id":"shared-name"}`,
		"POST /api/v1/tasks/stream":      `{"query":"When was the bridge built?","session_id":"shared-name"}`,
		"POST /api/v1/audits":            `{"report":"# Bridge\n\nThe bridge was built in 1888 [1].\n\n## Sources\n\n[1] doc:own.md\n"}`,
		"POST /api/v1/library/documents": `{"name":"` + "new.md" + `","text":"The pump is new."}`,
		"POST /v1/chat/completions":      `{"model":"plumb-quick","messages":[{"role":"user","content":"When was the bridge built?"}]}`,
	}
	nobodys = []string{"GET /health", "GET /readiness", "GET /metrics", "POST /mcp", "GET /v1/models/{model}"}
)

// everything is a body that any route can read.
func (e *estate) everything(run string) string {
	return fmt.Sprintf(`{"text":"x","message":"x","reason":"x","title":"x","action":"approve","workflow_id":%q,"approval_id":"%s:plan:1","approved":true,"feedback":"x"}`, run, run)
}

// ask sends an operation about a run, as whoever the headers say.
func (e *estate) ask(op, run, thread string, who []string) answer {
	e.h.t.Helper()
	method, path, _ := strings.Cut(op, " ")
	id := run
	if strings.Contains(path, "/sessions/") {
		id = thread
	}
	path = strings.NewReplacer("{id}", id, "{hash}", e.hash).Replace(path)
	if query := named[op] + listed[op]; query != "" {
		if strings.Contains(query, "%s") {
			query = fmt.Sprintf(query, run)
		}
		path += query
	}
	var body any
	if method != "GET" && method != "DELETE" {
		body = e.everything(run)
	}
	if b, ok := begun[op]; ok {
		body = b
	}
	return e.c.do(method, path, body, who...)
}

func TestNoRouteTellsATenantOfAnothersThings(t *testing.T) {
	e := newEstate(t)
	for _, op := range e.operations() {
		if slices.Contains(nobodys, op) {
			continue
		}
		_, isNamed := named[op]
		_, isListed := listed[op]
		_, isBegun := begun[op]
		switch {
		case strings.Contains(op, "{") || isNamed:
			e.hidden(t, op)
		case isListed:
			a := e.ask(op, e.done, "", e.bolt).want(200)
			e.silent(t, op, a)
		case isBegun:
			a := e.ask(op, e.done, "", e.bolt)
			e.silent(t, op, a)
			if a.status/100 != 2 {
				t.Errorf("%s: %d %s", op, a.status, a.body)
			}
		default:
			t.Errorf("%s is new: say here what a tenant gets from it that asks for another's things", op)
		}
	}
	e.untouched(t)
}

// hidden holds that another's things and things that are not there look the same.
func (e *estate) hidden(t *testing.T, op string) {
	t.Helper()
	for _, run := range []string{e.done, e.wait} {
		a, none := e.ask(op, run, "shared-name", e.bolt), e.ask(op, "nobody", "nobody", e.bolt)
		if a.status != 404 || strings.ReplaceAll(string(a.body), run, "nobody") != string(none.body) {
			t.Errorf("%s of another's: %d %s\nof nobody's: %d %s", op, a.status, a.body, none.status, none.body)
		}
		e.silent(t, op, a)
	}
}

// silent holds that an answer says nothing of acme's.
func (e *estate) silent(t *testing.T, op string, a answer) {
	t.Helper()
	for _, word := range []string{secretWord, strings.ToLower(secretWord), e.done, e.wait} {
		if strings.Contains(string(a.body), word) {
			t.Errorf("%s tells of %s: %s", op, word, a.body)
		}
	}
}

// untouched holds that all that acme has is as it was, and that acme itself sees it: the test would else pass on a server
// that answers nobody.
func (e *estate) untouched(t *testing.T) {
	t.Helper()
	ctx, acme := context.Background(), e.h.Tenant("acme")
	e.h.await("acme", e.done, plumb.Finished)
	if run := e.h.await("acme", e.wait, plumb.Waiting); run.Wait.Kind != plumb.ForApproval || run.Paused {
		t.Errorf("the run that waits: %+v", run.Wait)
	}
	if runs, n, err := acme.Runs(ctx, engine.Filter{}); err != nil || n != 2 {
		t.Errorf("%d runs: %v %v", n, runs, err)
	}
	if docs, err := acme.Documents(ctx); err != nil || len(docs) != 1 {
		t.Errorf("documents: %v %v", docs, err)
	}
	if th, _, err := acme.Thread(ctx, "shared-name"); err != nil || th.Title != secretWord || th.Runs != 2 {
		t.Errorf("thread: %+v %v", th, err)
	}
	for _, op := range e.operations() {
		if !strings.HasPrefix(op, "GET /api/v1/") || strings.HasSuffix(op, "/review") || strings.HasSuffix(op, "/sse") {
			continue
		}
		if a := e.ask(op, e.done, "shared-name", e.acme); a.status != 200 {
			t.Errorf("%s by acme itself: %d %s", op, a.status, a.body)
		}
	}
	if a := e.c.get("/api/v1/tasks/"+e.wait+"/review", e.acme...); a.status != 200 {
		t.Errorf("review by acme itself: %d %s", a.status, a.body)
	}
}

// A turn in a thread of the same name keeps nothing of the other tenant's.
func TestThreadOfTheSameNameIsAnother(t *testing.T) {
	e := newEstate(t)
	run, err := e.h.Tenant("bolt").Ask(context.Background(), front.Ask{Text: "When was the bridge built?", Thread: "shared-name"})
	if err != nil {
		t.Fatal(err)
	}
	if run.Parent != "" || run.Kept != "" {
		t.Errorf("it follows %s, keeps %s", run.Parent, run.Kept)
	}
	e.h.await("bolt", run.ID, plumb.Finished)
	a := e.c.get("/api/v1/tasks/"+run.ID+"/report?format=json", e.bolt...).want(200)
	e.silent(t, "bolt's report", a)
}
