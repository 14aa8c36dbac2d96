package server

// The published report of a task, in the form that the client wants, and the texts of its sources.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/report"
	"github.com/plumbresearch/plumb/verify"
)

// formats of a report by their media types, in the order in which they are preferred.
var formats = []struct{ name, media, header string }{
	{"md", "text/markdown", "text/markdown; charset=utf-8"},
	{"json", "application/json", "application/json"},
	{"html", "text/html", "text/html; charset=utf-8"},
	{"pdf", "application/pdf", "application/pdf"},
}

type reportAsk struct {
	ByID
	Format   string `query:"format" enum:"md,html,json,pdf" doc:"wins over Accept; without both: md"`
	Evidence bool   `query:"evidence" doc:"with json: adds evidence, the passages and source texts that the page of the report shows"`
	Accept   string `header:"Accept"`
}

type reportAnswer struct {
	Type   string `header:"Content-Type"`
	Policy string `header:"Content-Security-Policy"`
	Vary   string `header:"Vary"`
	Body   []byte
}

// reportBody is the report as JSON.
type reportBody struct {
	TaskID string `json:"task_id"`
	report.Body
	Markdown     string           `json:"markdown"`
	Draft        string           `json:"draft" doc:"before the check; claims have byte offsets in it"`
	Claims       []plumb.Claim    `json:"claims"`
	Verdicts     []plumb.Verdict  `json:"verdicts" doc:"one per claim, in their order; none when checking was turned off"`
	Citations    []plumb.Citation `json:"citations"`
	Sources      []plumb.Source   `json:"sources"`
	Verification verification     `json:"verification"`
	Evidence     json.RawMessage  `json:"evidence,omitempty"`
}

// verification counts the verdicts of a report.
type verification struct {
	Claims int `json:"claims"`
	verify.Summary
	Disputed int     `json:"disputed"`
	Checked  bool    `json:"checked" doc:"false: checking was turned off"`
	Rate     float64 `json:"verification_rate" doc:"supported / claims, 0..1"`
}

func countVerdicts(p front.Published) verification {
	v := verification{Claims: len(p.Claims), Summary: p.Summary, Checked: len(p.Verdicts) == len(p.Claims)}
	for _, x := range p.Verdicts {
		if x.Disputed {
			v.Disputed++
		}
	}
	if len(p.Claims) > 0 {
		v.Rate = float64(v.Supported) / float64(len(p.Claims))
	}
	return v
}

func (s *Server) reportRoutes() {
	op := route(http.MethodGet, "/api/v1/tasks/{id}/report", "get-report", "The published report", http.StatusOK, 400, 404, 406, 501)
	schema := huma.SchemaFromType(s.api.OpenAPI().Components.Schemas, reflect.TypeFor[reportBody]())
	op.Responses = map[string]*huma.Response{"200": {Description: "The report in the format asked for", Content: map[string]*huma.MediaType{
		"application/json": {Schema: schema}, "text/markdown": {Schema: &huma.Schema{Type: "string"}}, "text/html": {Schema: &huma.Schema{Type: "string"}}}}}
	huma.Register(s.api, op, s.report)
	op = route(http.MethodGet, "/api/v1/tasks/{id}/sources/{hash}", "get-source", "A source's text as it was read", http.StatusOK, 400, 404)
	op.Responses = map[string]*huma.Response{"200": {Description: "The text", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}}}}
	huma.Register(s.api, op, s.source)
}

func (s *Server) report(ctx context.Context, in *reportAsk) (*reportAnswer, error) {
	format := in.Format
	if format == "" {
		if format = accepted(in.Accept); format == "" {
			return nil, fail(http.StatusNotAcceptable, "A report is there as text/markdown, text/html and application/json")
		}
	}
	if format == "pdf" {
		return nil, fail(http.StatusNotImplemented, "This server makes no PDF: ask for html and print it")
	}
	p, err := tenant(ctx).Report(ctx, in.ID)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, fail(http.StatusNotFound, "The task has no report yet")
	}
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &reportAnswer{Vary: "Accept"}
	switch format {
	case "html":
		out.Body = []byte(p.HTML)
		out.Policy = "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox" // a page of its own: nothing of this origin is open to it
	case "json":
		if out.Body, err = s.reportJSON(ctx, in, p); err != nil {
			return nil, s.explain(ctx, err)
		}
	default:
		out.Body = []byte(p.Markdown)
	}
	for _, f := range formats {
		if f.name == format {
			out.Type = f.header
		}
	}
	return out, nil
}

func (s *Server) reportJSON(ctx context.Context, in *reportAsk, p front.Published) ([]byte, error) {
	b := reportBody{TaskID: in.ID, Markdown: p.Markdown, Draft: p.Draft, Claims: list(p.Claims), Verdicts: list(p.Verdicts),
		Citations: list(p.Citations), Sources: list(p.Sources), Verification: countVerdicts(p)}
	var err error
	if b.Body, err = tenant(ctx).Body(ctx, in.ID); err != nil {
		return nil, err
	}
	if in.Evidence {
		b.Evidence = json.RawMessage(b.Body.Evidence)
	}
	return json.Marshal(b)
}

// list makes a missing list an empty one: [] in JSON.
func list[T any](xs []T) []T {
	if xs == nil {
		return []T{}
	}
	return xs
}

// accepted is the format that an Accept header prefers, "" when it wants none that there is.
func accepted(header string) string {
	if strings.TrimSpace(header) == "" {
		return formats[0].name
	}
	best, quality := "", 0.0
	for _, f := range formats {
		if q := weigh(header, f.media); q > quality {
			best, quality = f.name, q
		}
	}
	return best
}

// weigh gives the quality of a media type in an Accept header: that of the most specific range which covers it.
func weigh(header, media string) float64 {
	kind, _, _ := strings.Cut(media, "/")
	ranges := []string{"*/*", kind + "/*", media}
	found, quality := -1, 0.0
	for part := range strings.SplitSeq(header, ",") {
		name, params, err := mime.ParseMediaType(part)
		i := slices.Index(ranges, name)
		if err != nil || i < 0 || i <= found {
			continue
		}
		q, err := strconv.ParseFloat(cmp.Or(params["q"], "1"), 64)
		if err != nil {
			q = 0
		}
		found, quality = i, q
	}
	return quality
}

type sourceAsk struct {
	ByID
	Hash string `path:"hash" pattern:"^[0-9a-f]{64}$" doc:"SHA-256 of the text, in hex"`
}

type sourceAnswer struct {
	Type    string `header:"Content-Type"`
	Options string `header:"X-Content-Type-Options"`
	ETag    string `header:"ETag"`
	Body    []byte
}

func (s *Server) source(ctx context.Context, in *sourceAsk) (*sourceAnswer, error) {
	_, text, err := tenant(ctx).Source(ctx, in.ID, in.Hash)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, fail(http.StatusNotFound, "The task has no such source")
	}
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return &sourceAnswer{Type: "text/plain; charset=utf-8", Options: "nosniff", ETag: `"` + in.Hash + `"`, Body: []byte(text)}, nil
}
