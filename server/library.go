package server

// The user's documents: put on the shelf, listed, searched and taken off.

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
)

const documentsPath = "/api/v1/library/documents"

func (s *Server) libraryRoutes() {
	huma.Register(s.api, route(http.MethodGet, documentsPath, "list-documents", "Your documents, by name", http.StatusOK, 401), s.listDocuments)
	huma.Register(s.api, route(http.MethodDelete, documentsPath, "remove-document", "Remove a document", http.StatusNoContent, 400, 401, 404), s.removeDocument)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/library/search", "search-documents", "Passages of your documents", http.StatusOK, 400, 401), s.searchDocuments)
	s.mux.HandleFunc("POST "+documentsPath, s.addDocument)
	s.describeAdd()
}

// describeAdd tells the OpenAPI document of a route that takes bodies of any kind.
func (s *Server) describeAdd() {
	schemas := s.api.OpenAPI().Components.Schemas
	binary := &huma.Schema{Type: "string", Format: "binary"}
	op := route(http.MethodPost, documentsPath, "add-document", "Add a document, in place of one with the same name", http.StatusCreated)
	op.Parameters = []*huma.Param{{Name: "name", In: "query", Description: "Of a document that is sent as it is", Schema: &huma.Schema{Type: "string"}}}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json":         {Schema: huma.SchemaFromType(schemas, reflect.TypeFor[documentAsk]())},
		"multipart/form-data":      {Schema: &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{"file": binary}}},
		"application/octet-stream": {Schema: binary},
	}}
	answer := func(what string, t reflect.Type) *huma.Response {
		return &huma.Response{Description: what, Content: map[string]*huma.MediaType{"application/json": {Schema: huma.SchemaFromType(schemas, t)}}}
	}
	op.Responses = map[string]*huma.Response{"201": answer("The document", reflect.TypeFor[document]())}
	for status, what := range map[string]string{"400": "Wrong input", "401": "No key", "415": "A document that cannot be read"} {
		op.Responses[status] = answer(what, reflect.TypeFor[failure]())
	}
	s.api.OpenAPI().AddOperation(&op)
}

// document is one of the user's.
type document struct {
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	Size     int64     `json:"size" doc:"Bytes"`
	Chars    int       `json:"chars"`
	Passages int       `json:"passages"`
	Format   string    `json:"format"`
	Language string    `json:"language"`
	Date     string    `json:"date,omitempty"`
	Source   string    `json:"source" doc:"SHA-256 of its text"`
	AddedAt  time.Time `json:"added_at"`
}

func newDocument(e library.Entry) document {
	d := e.Source
	return document{Name: e.Path, Title: d.Title, Size: e.Size, Chars: d.Chars, Passages: e.Passages, Format: d.Format, Language: d.Language,
		Date: d.Date, Source: d.Hash, AddedAt: d.RetrievedAt.UTC()}
}

type documentsAnswer struct {
	Body struct {
		Documents  []document `json:"documents"`
		TotalCount int        `json:"total_count"`
	}
}

func (s *Server) listDocuments(ctx context.Context, _ *struct{}) (*documentsAnswer, error) {
	entries, err := tenant(ctx).Documents(ctx)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &documentsAnswer{}
	out.Body.Documents, out.Body.TotalCount = []document{}, len(entries)
	for _, e := range entries {
		out.Body.Documents = append(out.Body.Documents, newDocument(e))
	}
	return out, nil
}

// documentAsk is a document in JSON.
type documentAsk struct {
	Name          string `json:"name" required:"true" doc:"A relative path, as notes/march.md; its ending tells the format"`
	Text          string `json:"text,omitempty"`
	ContentBase64 string `json:"content_base64,omitempty" doc:"In place of text"`
}

// document decodes what was sent. field is its name in the request.
func (d documentAsk) document(field string) (front.Document, error) {
	switch {
	case strings.TrimSpace(d.Name) == "":
		return front.Document{}, wrong(field+"name", "", library.ErrName.Error())
	case d.Text != "" && d.ContentBase64 != "":
		return front.Document{}, wrong(field+"text", "", "send text or content_base64, not both")
	case d.ContentBase64 == "":
		if strings.TrimSpace(d.Text) == "" {
			return front.Document{}, wrong(field+"text", "", "text or content_base64 is required")
		}
		return front.Document{Name: d.Name, Data: []byte(d.Text)}, nil
	}
	data, err := base64.StdEncoding.DecodeString(d.ContentBase64)
	if err != nil {
		return front.Document{}, wrong(field+"content_base64", "", "the bytes of the document in standard base64 are expected")
	}
	return front.Document{Name: d.Name, Data: data}, nil
}

// addDocument takes a document in JSON, as a file of a form, or as it is with its name in the query.
func (s *Server) addDocument(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	doc, err := handedIn(r)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	e, err := tenant(ctx).AddDocument(ctx, doc.Name, doc.Data)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.reply(w, r, http.StatusCreated, newDocument(e))
}

// handedIn reads a document from a request, whose body the guard bounds.
func handedIn(r *http.Request) (front.Document, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	if media == "multipart/form-data" {
		return formFile(r)
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return front.Document{}, unread(err)
	}
	if media != "application/json" || r.URL.Query().Get("name") != "" {
		doc := front.Document{Name: r.URL.Query().Get("name"), Data: data}
		if doc.Name == "" {
			return doc, wrong("name", "", "?name= is required where the document is the body")
		}
		return doc, nil
	}
	var ask documentAsk
	if err := decode(data, &ask); err != nil {
		return front.Document{}, fail(http.StatusBadRequest, err.Error())
	}
	return ask.document("")
}

// formFile is the first file of a form. Its name may be given in the field name.
func formFile(r *http.Request) (front.Document, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return front.Document{}, wrong("body", "", "the form cannot be read")
	}
	name := r.URL.Query().Get("name")
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return front.Document{}, wrong("file", "", "a form with a file is expected")
		}
		if err != nil {
			return front.Document{}, unread(err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return front.Document{}, unread(err)
		}
		switch {
		case part.FileName() != "":
			if name == "" {
				name = part.FileName()
			}
			return front.Document{Name: name, Data: data}, nil
		case part.FormName() == "name":
			name = string(data)
		}
	}
}

type removeAsk struct {
	Name string `query:"name" doc:"Of the document"`
}

func (s *Server) removeDocument(ctx context.Context, in *removeAsk) (*struct{}, error) {
	if in.Name == "" {
		return nil, fail(http.StatusBadRequest, "name: the document's name is required")
	}
	return nil, s.explain(ctx, tenant(ctx).RemoveDocument(ctx, in.Name))
}

type searchAsk struct {
	Query string `query:"q" maxLength:"10000" doc:"What to look for"`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"10"`
}

type searchAnswer struct {
	Body struct {
		Results []hit `json:"results"`
		Count   int   `json:"count"`
	}
}

// hit is a passage that a search found.
type hit struct {
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Heading string  `json:"heading,omitempty" doc:"The nearest above it"`
	Text    string  `json:"text"`
	Score   float64 `json:"score" doc:"Higher is better; comparable within one search only"`
	Source  string  `json:"source"`
	Start   int     `json:"start" doc:"Byte offset in the document's text"`
	End     int     `json:"end"`
}

func (s *Server) searchDocuments(ctx context.Context, in *searchAsk) (*searchAnswer, error) {
	if strings.TrimSpace(in.Query) == "" {
		return nil, fail(http.StatusBadRequest, "q: what to look for is required")
	}
	hits, err := tenant(ctx).SearchDocuments(ctx, in.Query, in.Limit)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	out := &searchAnswer{}
	out.Body.Results, out.Body.Count = []hit{}, len(hits)
	for _, h := range hits {
		out.Body.Results = append(out.Body.Results, newHit(h))
	}
	return out, nil
}

func newHit(h plumb.Hit) hit {
	return hit{Name: strings.TrimPrefix(h.Source.URL, "doc:"), Title: h.Source.Title, Heading: h.Heading, Text: h.Text, Score: h.Score,
		Source: h.Passage.Source, Start: h.Passage.Start, End: h.Passage.End}
}
