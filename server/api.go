package server

// What all JSON routes share: how requests are read, and how the framework's errors are said.

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// apiConfig is huma's, with errors as API clients know them and no links to schemas in the answers. Fields that are not
// known are ignored: clients that exist send more.
func apiConfig(version string) huma.Config {
	c := huma.DefaultConfig("Plumb", version)
	c.Info.Description = "Questions to checked reports: every claim of a report is compared with the text that it cites."
	c.DocsPath = ""
	c.SchemasPath = ""
	c.CreateHooks = nil
	c.AllowAdditionalPropertiesByDefault = true
	c.FieldsOptionalByDefault = true
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"key":    {Type: "apiKey", In: "header", Name: "X-API-Key"},
		"bearer": {Type: "http", Scheme: "bearer"},
	}
	c.Security = []map[string][]string{{"key": {}}, {"bearer": {}}, {}} // the last: from this machine alone
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: decode}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format}
	return c
}

// decode reads a JSON body. What is of the wrong type is named by its field.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: a JSON %s was sent, %s is expected", wrong.Field, wrong.Value, kindOf(wrong.Type.Kind().String()))
	case errors.As(err, &wrong):
		return fmt.Errorf("the body is a JSON %s, an object is expected", wrong.Value)
	}
	return errors.New("the body is not JSON: " + strings.TrimPrefix(err.Error(), "json: "))
}

// kindOf says in JSON's words what a Go kind takes.
func kindOf(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "an integer"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "a boolean"
	case kind == "slice":
		return "an array"
	case kind == "struct", kind == "map":
		return "an object"
	}
	return "a " + kind
}

func init() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		var parts []string
		for _, e := range errs {
			if e != nil {
				parts = append(parts, sentence(e))
			}
		}
		if status == 422 { // the framework's own validation
			status = 400
		}
		if len(parts) > 0 {
			msg = strings.Join(parts, "; ")
		}
		if media, ok := strings.CutPrefix(msg, "unknown content type: "); ok {
			status, msg = http.StatusUnsupportedMediaType, fmt.Sprintf("Content-Type %.60q is not allowed: send application/json", media)
		}
		return &failure{status: status, Sentence: msg}
	}
}

// sentence says what the framework found wrong with a field, by its name.
func sentence(e error) string {
	var d *huma.ErrorDetail
	if !errors.As(e, &d) {
		return e.Error()
	}
	_, name, ok := strings.Cut(d.Location, ".")
	if !ok {
		return d.Message
	}
	if value := fmt.Sprint(d.Value); d.Value != nil && value != "" {
		return fmt.Sprintf("%s %.60q is not allowed: %s", name, value, d.Message)
	}
	return name + ": " + d.Message
}

// ByID is an id of a task or a session in a path. The framework sees embedded structs only if they are exported.
type ByID struct {
	ID string `path:"id" pattern:"^[A-Za-z0-9:_.-]{1,128}$" doc:"of the task or the session"`
}

// route describes an operation for the OpenAPI document. status is what its success answers. The guard bounds bodies: a
// deadline of the framework would stand while the request is answered, and cancel what takes longer.
func route(method, path, id, summary string, status int, errs ...int) huma.Operation {
	return huma.Operation{Method: method, Path: path, OperationID: id, Summary: summary, DefaultStatus: status,
		Errors: errs, SkipValidateBody: true, BodyReadTimeout: -1, MaxBodyBytes: -1, Tags: []string{tag(path)}}
}

// describe finishes the OpenAPI document once every route is there.
func (s *Server) describe() {
	doc := s.api.OpenAPI()
	if s.o.MCP != nil {
		doc.AddOperation(&huma.Operation{Method: http.MethodPost, Path: "/mcp", OperationID: "mcp", Summary: "The Model Context Protocol over streamable HTTP",
			Tags: []string{"mcp"}, Responses: map[string]*huma.Response{"200": {Description: "JSON-RPC, or a stream of it"}}})
	}
	for _, path := range doc.Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post, path.Patch, path.Delete} {
			if op != nil {
				delete(op.Responses, "422") // the framework's own, which is a 400 here
			}
		}
	}
}

// tag groups operations by the part of the path that names their thing.
func tag(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/api/v1/"), "/")
	return parts[0]
}
