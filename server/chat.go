package server

// The OpenAI-compatible endpoint: a chat whose model is a whole run. The last message is the question, the answer is the
// published report. What a chat asks for in other parameters (temperature, tools, seeds) means nothing here and is ignored.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
)

// modelPrefix comes before a preset in the name of a model.
const modelPrefix = "plumb-"

func (s *Server) chatRoutes() {
	s.mux.HandleFunc("GET /v1/models", s.listModels)
	s.mux.HandleFunc("GET /v1/models/{model}", s.getModel)
	s.mux.HandleFunc("POST /v1/chat/completions", s.chat)
	doc := s.api.OpenAPI()
	body := func(what string, t reflect.Type) map[string]*huma.Response {
		return map[string]*huma.Response{
			"200":     {Description: what, Content: map[string]*huma.MediaType{"application/json": {Schema: huma.SchemaFromType(doc.Components.Schemas, t)}}},
			"default": {Description: "An error", Content: map[string]*huma.MediaType{"application/json": {Schema: huma.SchemaFromType(doc.Components.Schemas, reflect.TypeFor[chatFailure]())}}},
		}
	}
	doc.AddOperation(&huma.Operation{OperationID: "list-models", Method: http.MethodGet, Path: "/v1/models", Tags: []string{"chat"},
		Summary: "The presets, as models of OpenAI's API", Responses: body("The models", reflect.TypeFor[chatModels]())})
	doc.AddOperation(&huma.Operation{OperationID: "get-model", Method: http.MethodGet, Path: "/v1/models/{model}", Tags: []string{"chat"},
		Summary: "A preset, as a model of OpenAI's API", Responses: body("The model", reflect.TypeFor[chatModel]()),
		Parameters: []*huma.Param{{Name: "model", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}}}})
	doc.AddOperation(&huma.Operation{OperationID: "chat", Method: http.MethodPost, Path: "/v1/chat/completions", Tags: []string{"chat"},
		Summary: "Ask a question as a chat, and wait for its report", Responses: body("The report, or chunks of it as server-sent events", reflect.TypeFor[chatAnswer]()),
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: huma.SchemaFromType(doc.Components.Schemas, reflect.TypeFor[chatAsk]())}}}})
}

type chatModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

type chatModels struct {
	Object string      `json:"object"`
	Data   []chatModel `json:"data"`
}

// modelOf is a preset as a model. Presets are as old as the first of them, in seconds since 1970.
func modelOf(preset string) chatModel {
	return chatModel{ID: modelPrefix + preset, Object: "model", Created: 1767225600, OwnedBy: "plumb"}
}

func (s *Server) listModels(w http.ResponseWriter, r *http.Request) {
	list := chatModels{Object: "list"}
	for _, p := range plumb.Presets {
		list.Data = append(list.Data, modelOf(p))
	}
	s.answerJSON(w, r, http.StatusOK, list)
}

func (s *Server) getModel(w http.ResponseWriter, r *http.Request) {
	preset, err := presetOf(r.PathValue("model"))
	if err != nil {
		s.refuseChat(w, r, err)
		return
	}
	s.answerJSON(w, r, http.StatusOK, modelOf(preset))
}

func presetOf(model string) (string, error) {
	for _, p := range plumb.Presets {
		if model == modelPrefix+p {
			return p, nil
		}
	}
	if model == "" {
		return "", &wrongChat{http.StatusBadRequest, "model", "", "model is required: use " + modelPrefix + strings.Join(plumb.Presets, ", "+modelPrefix)}
	}
	return "", &wrongChat{http.StatusNotFound, "model", "model_not_found",
		fmt.Sprintf("model %.60q does not exist: use %s", model, modelPrefix+strings.Join(plumb.Presets, ", "+modelPrefix))}
}

// chatAsk is what is heeded of a request.
type chatAsk struct {
	Model         string            `json:"model" enum:"plumb-quick,plumb-standard,plumb-deep,plumb-academic"`
	Messages      []chatMessage     `json:"messages" doc:"The last one is the question, of role user"`
	Stream        bool              `json:"stream,omitempty"`
	StreamOptions *chatStreaming    `json:"stream_options,omitempty"`
	N             *int              `json:"n,omitempty" doc:"1"`
	User          string            `json:"user,omitempty" doc:"Tells conversations with the same first message apart"`
	Metadata      map[string]string `json:"metadata,omitempty" doc:"session_id names the thread of the conversation"`
	Format        *chatFormat       `json:"response_format,omitempty" doc:"text"`
}

type chatStreaming struct {
	IncludeUsage bool `json:"include_usage,omitempty"`
}

type chatFormat struct {
	Type string `json:"type"`
}

type chatMessage struct {
	Role    string   `json:"role"`
	Content chatText `json:"content" doc:"A string, or parts of type text"`
}

// chatText is the text of a message, which comes as a string or in parts. What is no text is counted.
type chatText struct {
	Text  string
	Other string // the type of a part that is no text
}

// Schema describes a text for the OpenAPI document.
func (chatText) Schema(huma.Registry) *huma.Schema {
	part := &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{"type": {Type: "string"}, "text": {Type: "string"}}}
	return &huma.Schema{OneOf: []*huma.Schema{{Type: "string"}, {Type: "array", Items: part}}}
}

// UnmarshalJSON reads both forms. Null, which assistant messages may have, is no text.
func (t *chatText) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '[' {
		return json.Unmarshal(data, &t.Text)
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" || p.Type == "input_text" {
			texts = append(texts, p.Text)
		} else {
			t.Other = p.Type
		}
	}
	t.Text = strings.Join(texts, "\n")
	return nil
}

// question is the last message.
func (a chatAsk) question() string {
	return strings.TrimSpace(a.Messages[len(a.Messages)-1].Content.Text)
}

// readChat reads a request and refuses what can't be answered.
func readChat(r *http.Request) (ask chatAsk, preset string, err error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return ask, "", unread(err)
	}
	if err := decode(data, &ask); err != nil {
		param, _, _ := strings.Cut(err.Error(), ":")
		if strings.Contains(param, " ") {
			param = ""
		}
		return ask, "", &wrongChat{http.StatusBadRequest, param, "", err.Error()}
	}
	if preset, err = presetOf(ask.Model); err != nil {
		return ask, "", err
	}
	return ask, preset, ask.check()
}

func (a chatAsk) check() error {
	wrong := func(param, format string, args ...any) error {
		return &wrongChat{http.StatusBadRequest, param, "", fmt.Sprintf(format, args...)}
	}
	if len(a.Messages) == 0 {
		return wrong("messages", "messages is required: the last one is the question")
	}
	last := a.Messages[len(a.Messages)-1]
	switch n := utf8.RuneCountInString(a.question()); {
	case last.Role != "user":
		return wrong("messages", "the last message is of role %.20q: the question is of role \"user\"", last.Role)
	case last.Content.Other != "":
		return wrong("messages", "a message has a part of type %.20q: use text", last.Content.Other)
	case n == 0:
		return wrong("messages", "the last message is empty: it is the question")
	case n > plumb.MaxQuestion:
		return wrong("messages", "the question has %d characters: at most %d are allowed", n, plumb.MaxQuestion)
	case a.N != nil && *a.N != 1:
		return wrong("n", "n %d is not allowed: use 1", *a.N)
	case a.Format != nil && a.Format.Type != "text":
		return wrong("response_format", "response_format %.20q is not allowed: reports are text, use \"text\"", a.Format.Type)
	}
	if id := a.Metadata["session_id"]; id != "" && !validID.MatchString(id) {
		return wrong("metadata", "metadata.session_id %.60q is not allowed: use 1 to 128 letters, digits and : _ . -", id)
	}
	return nil
}

// chat answers a conversation.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	ask, preset, err := readChat(r)
	if err != nil {
		s.refuseChat(w, r, err)
		return
	}
	turn, err := s.turn(r.Context(), ask, preset)
	if err != nil {
		s.refuseChat(w, r, err)
		return
	}
	w.Header().Set("X-Workflow-ID", turn.run.ID)
	w.Header().Set("X-Session-ID", turn.run.Thread)
	if ask.Stream {
		s.chatStream(w, r, ask, turn)
		return
	}
	said, err := s.await(r.Context(), turn)
	if err != nil {
		s.refuseChat(w, r, err)
		return
	}
	s.answerJSON(w, r, http.StatusOK, said.whole(ask.Model, turn.run))
}
