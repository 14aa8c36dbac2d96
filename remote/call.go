package remote

// One request to a service, bounded in time and size.

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// UserAgent is how every request introduces itself.
const UserAgent = "plumb (https://github.com/plumbresearch/plumb)"

const (
	maxAnswer   = 10 << 20         // bytes
	callTimeout = 90 * time.Second // orders are accepted within seconds, answers of 10 MB take their time
	maxPause    = 10 * time.Minute
)

var errTooLarge = errors.New("the answer has more than 10 MB")

// result is what a service sent, whole.
type result struct {
	status int
	pause  time.Duration // it asks not to be asked before; 0: it does not say
	body   []byte
	sent   bool // a connection was there: the service may have read the request
}

// call makes one request.
func (s *Services) call(ctx context.Context, at service, method, path string, body []byte, header map[string]string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, at.root+path, content)
	if err != nil {
		return result{}, err
	}
	req.GetBody = nil // a request whose fate is unknown is not sent again unseen
	req.Header.Set("User-Agent", UserAgent)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	at.wire.sign(req.Header, at.key)
	res, err := s.client.Do(req)
	if err != nil {
		return result{sent: sent.Load()}, err
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return result{sent: true}, err
	}
	if len(b) > maxAnswer {
		return result{sent: true}, errTooLarge
	}
	return result{status: res.StatusCode, pause: pauseAsked(res.Header.Get("Retry-After")), body: b, sent: true}, nil
}

// pauseAsked reads a Retry-After: seconds, or a date.
func pauseAsked(raw string) time.Duration {
	raw = strings.TrimSpace(raw)
	if n, err := strconv.ParseUint(raw, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, maxPause)
	}
	if at, err := http.ParseTime(raw); err == nil {
		return min(max(0, time.Until(at)), maxPause)
	}
	return 0
}
