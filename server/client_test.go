package server_test

// A client of the JSON API: every route over real HTTP, with status codes, headers and field names as docs/api.md has them.

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
)

// question is one that the example documents answer.
const question = "Why was the Marrowgate Bridge closed in 2023, what did the repair cost, and is it safe now?"

// client asks a server.
type client struct {
	t    *testing.T
	base string
}

// answer is what came back.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
}

// do sends a request. The body is sent as it is when it is a string, else as JSON. Headers come in pairs.
func (c client) do(method, path string, body any, headers ...string) answer {
	c.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, c.base+path, r)
	if err != nil {
		c.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		c.t.Fatal(err)
	}
	return answer{c.t, method + " " + path, res.StatusCode, res.Header, data}
}

func (c client) get(path string, headers ...string) answer {
	c.t.Helper()
	return c.do(http.MethodGet, path, nil, headers...)
}

func (c client) post(path string, body any, headers ...string) answer {
	c.t.Helper()
	return c.do(http.MethodPost, path, body, headers...)
}

// want fails the test unless the status is the one expected.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.what, a.status, status, a.body)
	}
	return a
}

// into decodes the body.
func (a answer) into(v any) {
	a.t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		a.t.Fatalf("%s: %v: %s", a.what, err, a.body)
	}
}

// object decodes the body as an object of whatever.
func (a answer) object() map[string]any {
	a.t.Helper()
	var v map[string]any
	a.into(&v)
	return v
}

// refused fails the test unless the answer is an error with this status and one sentence that has all the words.
func (a answer) refused(status int, words ...string) {
	a.t.Helper()
	a.want(status)
	var e struct {
		Error string `json:"error"`
	}
	a.into(&e)
	if e.Error == "" || strings.Contains(e.Error, "\n") {
		a.t.Fatalf("%s: no sentence: %s", a.what, a.body)
	}
	for _, w := range words {
		if !strings.Contains(e.Error, w) {
			a.t.Errorf("%s: %q says nothing of %q", a.what, e.Error, w)
		}
	}
}

// has fails the test unless the object has exactly these fields.
func has(t *testing.T, what string, v map[string]any, fields ...string) {
	t.Helper()
	for _, f := range fields {
		if _, ok := v[f]; !ok {
			t.Errorf("%s: no field %s", what, f)
		}
		delete(v, f)
	}
	for f := range v {
		t.Errorf("%s: unexpected field %s", what, f)
	}
}

// await polls a run until it is in a state.
func (h *house) await(tenant, id string, state plumb.State) *plumb.Run {
	h.t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for {
		run, err := h.Tenant(tenant).Run(context.Background(), id)
		if err != nil {
			h.t.Fatal(err)
		}
		if run.State() == state {
			return run
		}
		if run.State().Ended() || time.Now().After(deadline) {
			h.t.Fatalf("run %s is %s (%s%s), want %s", id, run.State(), run.Fail, run.Reason, state)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// done asks a question and waits for its report.
func (h *house) done(ask front.Ask) string {
	h.t.Helper()
	if ask.Text == "" {
		ask.Text = question
	}
	run, err := h.Tenant("").Ask(context.Background(), ask)
	if err != nil {
		h.t.Fatal(err)
	}
	h.await("", run.ID, plumb.Finished)
	return run.ID
}
