package search

// One provider on the wire: its base URL, key and rate limit, and requests that are bounded in time and size.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// UserAgent is how every request introduces itself.
const UserAgent = "plumb (research search; asks for a person's question)"

const (
	maxBody      = 5 << 20
	maxRedirects = 3
	// A provider that asks for a longer pause is left alone that long, and named.
	maxPause = 5 * time.Second
	// The pause after "too many requests" that comes without a Retry-After.
	usualPause = time.Second
	// How long a provider is left alone at most, whatever it asks for.
	maxSilence = time.Hour
)

var errOtherHost = errors.New("redirect to another host")

type service struct {
	name            string
	key             string
	keyVar, baseVar string
	base            *url.URL
	contact         string
	client          *http.Client
	pace            *rate.Limiter
	now             func() time.Time

	mu     sync.Mutex
	silent time.Time // it wants no requests before
}

// Name is the provider's.
func (s *service) Name() string { return s.name }

// host is whom the user is told of.
func (s *service) host() string {
	if s.base == nil {
		return ""
	}
	if _, ok := wikipediaHost(s.base.Hostname()); ok {
		return "wikipedia.org" // in whatever language
	}
	return s.base.Host
}

// get asks path with parameters.
func (s *service) get(ctx context.Context, path string, query url.Values, header http.Header) ([]byte, int, error) {
	u := s.at(path)
	u.RawQuery = query.Encode()
	return s.ask(ctx, http.MethodGet, u, nil, header)
}

// post sends a body as JSON.
func (s *service) post(ctx context.Context, path string, body any, header http.Header) ([]byte, int, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, 0, s.garbled(err)
	}
	header.Set("Content-Type", "application/json")
	return s.ask(ctx, http.MethodPost, s.at(path), b, header)
}

// at is a path under the base URL.
func (s *service) at(path string) *url.URL {
	u := *s.base
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	u.RawPath, u.RawQuery, u.Fragment = "", "", ""
	return &u
}

// ask makes a request when it is its turn, and once more when the provider asks for a short pause. It gives the body and
// status of an answer in the 200s, and a Fault for any other.
func (s *service) ask(ctx context.Context, method string, u *url.URL, body []byte, header http.Header) ([]byte, int, error) {
	for first := true; ; first = false {
		if err := s.turn(ctx); err != nil {
			return nil, 0, err
		}
		answer, res, err := s.once(ctx, method, u, body, header)
		if err != nil {
			return nil, 0, s.broken(err)
		}
		if res.StatusCode/100 == 2 {
			return answer, res.StatusCode, nil
		}
		pause, asked := s.pauseAsked(res)
		if !asked {
			return nil, res.StatusCode, s.refused(res.StatusCode)
		}
		s.hush(pause)
		if !first || pause > maxPause {
			return nil, res.StatusCode, s.refused(res.StatusCode)
		}
	}
}

func (s *service) once(ctx context.Context, method string, u *url.URL, body []byte, header http.Header) ([]byte, *http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", UserAgent)
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return nil, nil, err
	}
	if len(answer) > maxBody {
		return nil, nil, s.fault("sent more than 5 MB", nil)
	}
	return answer, res, nil
}

// turn waits until a request may be made.
func (s *service) turn(ctx context.Context) error {
	s.mu.Lock()
	silence := time.Until(s.silent)
	s.mu.Unlock()
	if silence > maxPause {
		return s.fault("asked not to be asked for a while"+s.slower(), nil)
	}
	if silence > 0 {
		t := time.NewTimer(silence)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return s.broken(ctx.Err())
		}
	}
	if err := s.pace.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return s.broken(ctx.Err())
		}
		return s.fault("has too many requests waiting for its rate limit", err) // the limiter sees that the time won't do
	}
	return nil
}

// pauseAsked says how long the provider wants to be left alone.
func (s *service) pauseAsked(res *http.Response) (time.Duration, bool) {
	after := strings.TrimSpace(res.Header.Get("Retry-After"))
	switch {
	case res.StatusCode == http.StatusTooManyRequests && after == "":
		return usualPause, true
	case res.StatusCode != http.StatusTooManyRequests && (res.StatusCode != http.StatusServiceUnavailable || after == ""):
		return 0, false
	}
	if n, err := strconv.ParseUint(after, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, time.Until(at)), true
	}
	return usualPause, true
}

func (s *service) hush(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until := time.Now().Add(min(d, maxSilence)); until.After(s.silent) {
		s.silent = until
	}
}

// sameHost follows redirects on the host that was configured, from http to https but not back.
func sameHost(req *http.Request, via []*http.Request) error {
	from := via[0].URL
	upgrade := from.Scheme == "http" && req.URL.Scheme == "https" && req.URL.Hostname() == from.Hostname()
	if !upgrade && (req.URL.Scheme != from.Scheme || req.URL.Host != from.Host) {
		return errOtherHost
	}
	if len(via) > maxRedirects {
		return errors.New("too many redirects")
	}
	return nil
}

// read decodes an answer in JSON.
func read[T any](s *service, body []byte) (T, error) {
	var answer T
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, s.garbled(err)
	}
	return answer, nil
}
