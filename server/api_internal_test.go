package server

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
)

func TestErrorsOfTheFrameworkAreSentences(t *testing.T) {
	for _, x := range []struct {
		err  error
		want string
	}{
		{&huma.ErrorDetail{Message: "expected number <= 50", Location: "query.limit", Value: 51}, `limit "51" is not allowed: expected number <= 50`},
		{&huma.ErrorDetail{Message: "required query parameter is missing", Location: "query.q", Value: ""}, "q: required query parameter is missing"},
		{&huma.ErrorDetail{Message: "the body is not JSON", Location: "body", Value: "{"}, "the body is not JSON"},
		{&huma.ErrorDetail{Message: "no", Location: "path.id", Value: strings.Repeat("x", 100)}, `id "` + strings.Repeat("x", 60) + `" is not allowed: no`},
		{errors.New("plain"), "plain"},
	} {
		err := huma.NewError(http.StatusUnprocessableEntity, "validation failed", x.err)
		if err.GetStatus() != http.StatusBadRequest || err.Error() != x.want {
			t.Errorf("%d %q, want %q", err.GetStatus(), err.Error(), x.want)
		}
	}
}

// The framework's deadline for bodies stands while the request is answered: what takes longer would be cancelled.
func TestNoDeadlineStandsWhileARequestIsAnswered(t *testing.T) {
	for path, ops := range New(Options{House: &front.House{}}).api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{ops.Post, ops.Patch} {
			if op != nil && op.RequestBody != nil && strings.HasPrefix(path, "/api/v1/") && op.BodyReadTimeout >= 0 {
				t.Errorf("%s has a deadline of %v", path, op.BodyReadTimeout)
			}
		}
	}
}

func TestMatchOfAReview(t *testing.T) {
	for header, status := range map[string]int{`"2"`: 0, `2`: 0, ` W/"2" `: 0, `"1", "2"`: 0, `*`: 0, `"1"`: 409, `"x"`: 409, `22`: 409, ``: 428, ` `: 428} {
		err := match(header, 2)
		var known huma.StatusError
		if got := errors.As(err, &known); got != (status != 0) || got && known.GetStatus() != status {
			t.Errorf("%q: %v, want %d", header, err, status)
		}
	}
}

func TestStatusesOfStates(t *testing.T) {
	for _, x := range []struct {
		state plumb.State
		fail  string
		want  string
	}{
		{plumb.Queued, "", "QUEUED"}, {plumb.Running, "", "RUNNING"}, {plumb.Waiting, "", "PAUSED"}, {plumb.PausedState, "", "PAUSED"},
		{plumb.Finished, "", "COMPLETED"}, {plumb.CancelledState, "", "CANCELLED"}, {plumb.FailedState, "write: no", "FAILED"},
		{plumb.FailedState, "nobody answered in time", "TIMEOUT"}, {plumb.FailedState, "scope: the model timed out", "TIMEOUT"},
	} {
		if got := status(x.state, x.fail); got != statusPrefix+x.want {
			t.Errorf("%s %s: %s", x.state, x.fail, got)
		}
	}
}

func FuzzAccepted(f *testing.F) {
	for _, s := range []string{"", "*/*", "text/html,application/xml;q=0.9,*/*;q=0.8", "text/markdown;q=0", "application/json;q=x", ";;,,", "text/*;q=1e309"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := accepted(header)
		if strings.TrimSpace(header) == "" && got != "md" {
			t.Errorf("%q", got)
		}
		if got != "" && got != "md" && got != "html" && got != "json" && got != "pdf" {
			t.Errorf("%q", got)
		}
	})
}

// Whatever is sent, a question is refused in one line that a client may see, or stays within its bounds.
func FuzzTaskAsk(f *testing.F) {
	for _, s := range []string{`{"query":"Q?"}`, `{"query":"Q?","context":{"review_timeout":1e9}}`, `{"query":"Q?","context":{"review_timeout":-0.0,"budget_usd":1e400}}`,
		`{"query":"Q?","context":{"raw":[{}]},"mode":"x"}`, `{"query":null}`, `[]`, `{"query":"\ud800"}`, `{"Query":"Q","CONTEXT":{"Strict":true}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var in taskAsk
		err := decode(body, &in)
		var ask front.Ask
		if err == nil {
			ask, err = in.ask()
		}
		if err != nil {
			if s := err.Error(); s == "" || len(s) > 1000 {
				t.Errorf("%d bytes: %.100s", len(s), s)
			}
			return
		}
		if ask.Text == "" || ask.Waves < 0 || ask.Waves > 50 || ask.AtOnce > 20 || ask.Patience < 0 || ask.Tokens < 0 || ask.USD != nil && !(*ask.USD >= 0) {
			t.Errorf("%+v", ask)
		}
	})
}
