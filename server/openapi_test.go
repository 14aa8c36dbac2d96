package server_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/server"
)

// operation is what the test reads of an OpenAPI operation.
type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Parameters  []struct{ Name, In string }
	RequestBody *struct{ Content map[string]any }
	Responses   map[string]struct {
		Description string
		Content     map[string]struct{ Schema json.RawMessage }
	}
}

func openAPI(t *testing.T) (doc struct {
	OpenAPI string
	Info    struct{ Title, Version string }
	Paths   map[string]map[string]operation
}, raw []byte) {
	t.Helper()
	mcp := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	c := client{t, newHouse(t, nil).serve(func(o *server.Options) { o.MCP = mcp }).URL}
	got := c.get("/openapi.json").want(http.StatusOK)
	got.into(&doc)
	return doc, got.body
}

func TestOpenAPIDescribesItselfSoundly(t *testing.T) {
	doc, raw := openAPI(t)
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") || doc.Info.Title != "Plumb" || doc.Info.Version != "test" {
		t.Errorf("%s %+v", doc.OpenAPI, doc.Info)
	}
	ids := map[string]string{}
	param := regexp.MustCompile(`\{([^}]+)\}`)
	for path, ops := range doc.Paths {
		for method, op := range ops {
			name := strings.ToUpper(method) + " " + path
			if op.OperationID == "" || ids[op.OperationID] != "" || op.Summary == "" {
				t.Errorf("%s: operation id %q, summary %q, also %s", name, op.OperationID, op.Summary, ids[op.OperationID])
			}
			ids[op.OperationID] = name
			for _, m := range param.FindAllStringSubmatch(path, -1) {
				if !slices.ContainsFunc(op.Parameters, func(p struct{ Name, In string }) bool { return p.In == "path" && p.Name == m[1] }) {
					t.Errorf("%s: parameter %s is not described", name, m[1])
				}
			}
			good := false
			for status, r := range op.Responses {
				good = good || strings.HasPrefix(status, "2")
				if r.Description == "" {
					t.Errorf("%s: answer %s has no description", name, status)
				}
				if status >= "4" && strings.HasPrefix(path, "/api/v1/") {
					for media := range r.Content {
						if media != "application/json" {
							t.Errorf("%s: errors are %s", name, media)
						}
					}
				}
			}
			if !good {
				t.Errorf("%s: no answer of success: %v", name, op.Responses)
			}
		}
	}
	var all any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs(all) {
		if !resolves(all, ref) {
			t.Errorf("%s leads nowhere", ref)
		}
	}
}

// refs collects the references of a document.
func refs(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok && k == "$ref" {
				out = append(out, s)
			}
			out = append(out, refs(x)...)
		}
	case []any:
		for _, x := range v {
			out = append(out, refs(x)...)
		}
	}
	return out
}

func resolves(v any, ref string) bool {
	for key := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := v.(map[string]any)
		if !ok || m[key] == nil {
			return false
		}
		v = m[key]
	}
	return true
}

// The table of routes in docs/api.md and the OpenAPI document name the same routes, so that neither rots.
func TestDocsNameEveryRoute(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:GET|POST|PATCH|DELETE|PUT) /[^`]*)`").FindAllStringSubmatch(string(page), -1) {
		written = append(written, m[1])
	}
	doc, _ := openAPI(t)
	served := []string{"GET /openapi.json", "GET /metrics"} // the one does not describe itself, the other is there where numbers are wanted
	for path, ops := range doc.Paths {
		for method := range ops {
			served = append(served, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(written)
	slices.Sort(served)
	for _, r := range served {
		if !slices.Contains(written, r) {
			t.Errorf("docs/api.md does not name %s", r)
		}
	}
	for _, r := range written {
		if !slices.Contains(served, r) {
			t.Errorf("docs/api.md names %s, which /openapi.json does not", r)
		}
	}
}
