package server

// Errors under /v1/, as OpenAI's clients know them.

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type chatFailure struct {
	Error chatError `json:"error"`
}

type chatError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// chatErrors are the types and codes that clients tell errors apart by. An empty code is null on the wire.
var chatErrors = map[int][2]string{
	http.StatusUnauthorized:    {"authentication_error", "invalid_api_key"},
	http.StatusForbidden:       {"permission_error", ""},
	http.StatusNotFound:        {"invalid_request_error", "not_found"},
	http.StatusTooManyRequests: {"rate_limit_error", "rate_limit_exceeded"},
}

// openAIError is the body of an error under /v1/.
func openAIError(status int, sentence string) chatFailure {
	kind, ok := chatErrors[status]
	switch {
	case ok:
	case status >= http.StatusInternalServerError:
		kind = [2]string{"server_error", ""}
	default:
		kind = [2]string{"invalid_request_error", ""}
	}
	return chatFailure{Error: chatError{Message: sentence, Type: kind[0], Code: orNull(kind[1])}}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// wrongChat is an error that says more than its sentence: the parameter that is wrong, a code.
type wrongChat struct {
	status               int
	param, code, message string
}

func (e *wrongChat) Error() string { return e.message }

func (e *wrongChat) body() chatFailure {
	f := openAIError(e.status, e.message)
	f.Error.Param = orNull(e.param)
	if e.code != "" {
		f.Error.Code = &e.code
	}
	return f
}

// chatBody is any error as its body.
func (s *Server) chatBody(ctx context.Context, err error) (status int, body chatFailure) {
	var wrong *wrongChat
	var known huma.StatusError
	switch {
	case errors.As(err, &wrong):
		return wrong.status, wrong.body()
	case errors.As(s.explain(ctx, err), &known):
		return known.GetStatus(), openAIError(known.GetStatus(), known.Error())
	}
	return http.StatusInternalServerError, openAIError(http.StatusInternalServerError, "Internal error")
}

// refuseChat answers with an error. A run that came to nothing is not worth asking for again without a look: OpenAI's
// clients would do so by themselves.
func (s *Server) refuseChat(w http.ResponseWriter, r *http.Request, err error) {
	status, body := s.chatBody(r.Context(), err)
	if status != http.StatusServiceUnavailable {
		w.Header().Set("X-Should-Retry", "false")
	}
	s.answerJSON(w, r, status, body)
}

// answerJSON writes a body where the framework is not used.
func (s *Server) answerJSON(w http.ResponseWriter, r *http.Request, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.o.Log.DebugContext(r.Context(), "the client went away", "error", err)
	}
}
