package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plumbresearch/plumb/llm"
)

const (
	maxAnswer  = 32 << 20 // bytes of an answer; the longest known are a hundredth of it
	maxRefusal = 64 << 10 // bytes that are read of a refusal
)

var (
	errLate     = errors.New("no whole answer in time")
	errSilent   = errors.New("the answer stopped coming")
	errTooLarge = errors.New("the answer is larger than 32 MB")
)

// call is one exchange over HTTP. It hangs in the SDK's chain of middleware, so that both SDKs get only whole answers and
// every failure is judged in one place.
type call struct {
	p      *Providers
	at     *endpoint
	ctx    context.Context // ends for the reasons of the caller, or for errLate or errSilent
	asked  context.Context // the caller's
	stream bool
	extras bool        // tools or a schema were asked for
	stall  *time.Timer // of a stream
	end    func()

	reached  atomic.Bool // there was a connection
	answered bool        // there was a response
	broken   error       // of reading it
}

// begin starts the clocks of a call. The caller calls end when everything is read.
func (p *Providers) begin(ctx context.Context, at *endpoint, r *llm.Request) *call {
	c := &call{p: p, at: at, asked: ctx, stream: r.Delta != nil, extras: len(r.Tools) > 0 || r.Schema != nil}
	timed, stop := context.WithTimeoutCause(ctx, p.o.Timeout, errLate)
	timed, cancel := context.WithCancelCause(timed)
	c.ctx = httptrace.WithClientTrace(timed, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { c.reached.Store(true) },
	})
	c.stall = time.AfterFunc(p.o.Timeout, func() { cancel(errSilent) })
	if c.stream && at.provider != "ollama" {
		c.stall.Reset(3 * p.o.Stall)
	}
	c.end = func() {
		c.stall.Stop()
		cancel(nil)
		stop()
	}
	return c
}

// middleware sees the response before the SDK does.
func (c *call) middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, err
	}
	c.answered = true
	res.Body = &answerBody{call: c, body: res.Body, left: maxAnswer}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		raw, err := readAll(res.Body, maxRefusal)
		e := c.refusal(res.StatusCode, res.Header, raw) // its status says enough, even when its text breaks off
		e.Err = c.scrubbed(err)
		return nil, e
	}
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	if c.stream && kind != "text/html" && kind != "application/json" {
		return res, nil
	}
	raw, err := readAll(res.Body, maxAnswer)
	if err != nil {
		return nil, err
	}
	said := readComplaint(raw)
	switch {
	case !json.Valid(raw):
		return nil, c.garbled(res.StatusCode, said.text)
	case said.is:
		return nil, c.refusal(said.status, res.Header, raw)
	case c.stream:
		return nil, c.garbled(res.StatusCode, "a whole answer where a stream was asked for")
	}
	res.Header.Set("Content-Type", "application/json") // some servers say text/plain, which the SDKs refuse
	res.Body = io.NopCloser(bytes.NewReader(raw))
	return res, nil
}

func readAll(body io.ReadCloser, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(body, limit))
	return raw, errors.Join(err, body.Close())
}

// answerBody bounds an answer and keeps its stall clock.
type answerBody struct {
	call *call
	body io.ReadCloser
	left int64
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if n > 0 && b.call.stream {
		b.call.stall.Reset(b.call.p.o.Stall)
	}
	b.left -= int64(n)
	if b.left < 0 {
		return 0, errTooLarge
	}
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		b.call.broken = err
	}
	return n, err
}

func (b *answerBody) Close() error { return b.body.Close() }

// trouble is what the caller is told of a call that failed: its own context's error, or an *llm.Error.
func (c *call) trouble(err error, used llm.Usage) error {
	if own := c.asked.Err(); own != nil {
		return fmt.Errorf("%s: %w", c.at.name, own)
	}
	var e *llm.Error
	if !errors.As(err, &e) {
		e = c.judge(err)
	}
	e.Usage = used
	return e
}

// judge tells from how far the call came what an error without a status means.
func (c *call) judge(err error) *llm.Error {
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		err = urlErr.Err // without the URL
	}
	if cause := context.Cause(c.ctx); errors.Is(cause, errLate) || errors.Is(cause, errSilent) {
		return c.fail(llm.Stalled, 0, cause.Error())
	}
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &timeout) && timeout.Timeout() && c.reached.Load():
		return c.fail(llm.Stalled, 0, err.Error())
	case !c.answered && !c.reached.Load():
		e := c.fail(llm.Unreachable, 0, err.Error())
		e.Cure = c.at.unreachable()
		if errors.Is(err, http.ErrSchemeMismatch) {
			e.Cure = fmt.Sprintf("what answers for %s speaks http, not https: begin %s with http://", c.at.provider, c.at.urlVar)
		}
		return e
	case c.broken != nil || !c.answered:
		return c.fail(llm.Stalled, 0, "the connection broke: "+err.Error())
	}
	return c.garbled(0, err.Error())
}

func (c *call) garbled(status int, text string) *llm.Error { return c.fail(llm.Garbled, status, text) }

// fail makes an error that holds no keys. The cause is kept as text alone, because causes quote what was sent.
func (c *call) fail(t llm.Trouble, status int, text string) *llm.Error {
	return &llm.Error{Trouble: t, Model: c.at.name, Host: c.at.host(), Status: status, Text: c.p.clean.text(text)}
}

// scrubbed is an error of which only the text is left, without keys.
func (c *call) scrubbed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(c.p.clean.text(err.Error()))
}

// unreachable is the cure where nothing listens.
func (e *endpoint) unreachable() string {
	if e.provider == "ollama" {
		return "Ollama does not answer: start it with `ollama serve`, or check OLLAMA_HOST"
	}
	return fmt.Sprintf("%s can't be reached: check the network and %s", e.provider, e.urlVar)
}
