package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
)

// failure is an error as clients get it: one sentence.
type failure struct {
	status   int
	Sentence string `json:"error"`
}

func (f *failure) Error() string  { return f.Sentence }
func (f *failure) GetStatus() int { return f.status }

// fail makes an error for clients.
func fail(status int, sentence string) error { return &failure{status: status, Sentence: sentence} }

// explain makes an error for clients of one from behind. Whatever is not known is logged, and clients learn nothing of it.
func (s *Server) explain(ctx context.Context, err error) error {
	var field *front.FieldError
	var plan engine.ErrPlan
	var known huma.StatusError
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.As(err, &large):
		return tooLarge
	case errors.As(err, &field):
		return fail(http.StatusBadRequest, field.Error())
	case errors.As(err, &plan):
		return fail(http.StatusBadRequest, plan.Error())
	case errors.Is(err, engine.ErrNoRun):
		return fail(http.StatusNotFound, "Task not found")
	case errors.Is(err, library.ErrNotInLibrary):
		return fail(http.StatusNotFound, "Document not found")
	case errors.Is(err, engine.ErrNotFound):
		return fail(http.StatusNotFound, "Not found")
	case errors.Is(err, front.ErrEnded):
		return fail(http.StatusConflict, "The task has ended")
	case errors.Is(err, library.ErrName):
		return fail(http.StatusBadRequest, library.ErrName.Error())
	case errors.Is(err, library.ErrUnreadable):
		return fail(http.StatusUnsupportedMediaType, err.Error())
	case errors.Is(err, context.Canceled):
		return fail(499, "The client went away")
	}
	s.o.Log.ErrorContext(ctx, "request failed", "error", err)
	return fail(http.StatusInternalServerError, "Internal error")
}

// reply answers with JSON where the framework is not used.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.o.Log.DebugContext(r.Context(), "the client went away", "error", err)
	}
}

// refuse answers with an error where the framework is not used; under /v1/ as OpenAI's clients know it.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, sentence := http.StatusInternalServerError, "Internal error"
	var known huma.StatusError
	if errors.As(s.explain(r.Context(), err), &known) {
		status, sentence = known.GetStatus(), known.Error()
	}
	var body any = &failure{Sentence: sentence}
	var many limited
	if errors.As(err, &many) {
		body = many.body()
	}
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		body = openAIError(status, sentence)
	}
	s.reply(w, r, status, body)
}
