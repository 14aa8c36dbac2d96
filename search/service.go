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

// UserAgent is how every request introduces itself, with the address that Wikimedia and others ask for.
const UserAgent = "plumb (https://github.com/plumbresearch/plumb; searches for a person's question)"

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

// post sends a query as JSON to /search, where all who take JSON want it.
func (s *service) post(ctx context.Context, query any, header http.Header) ([]byte, error) {
	b, err := json.Marshal(query)
	if err != nil {
		return nil, s.garbled(err)
	}
	header.Set("Content-Type", "application/json")
	body, _, err := s.ask(ctx, http.MethodPost, s.at("/search"), b, header)
	return body, err
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
		answer, err := s.once(ctx, method, u, body, header)
		if err != nil {
			return nil, 0, s.broken(err)
		}
		if answer.status/100 == 2 {
			return answer.body, answer.status, nil
		}
		pause, asked := pauseAsked(answer)
		if !asked {
			return nil, answer.status, s.refused(answer.status)
		}
		s.hush(pause)
		if !first || pause > maxPause {
			return nil, answer.status, s.refused(answer.status)
		}
	}
}

// answer is what a provider sent, whole.
type answer struct {
	status     int
	retryAfter string
	body       []byte
}

func (s *service) once(ctx context.Context, method string, u *url.URL, body []byte, header http.Header) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return answer{}, err
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
		return answer{}, err
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return answer{}, err
	}
	if len(b) > maxBody {
		return answer{}, s.fault("sent more than 5 MB", nil)
	}
	return answer{res.StatusCode, strings.TrimSpace(res.Header.Get("Retry-After")), b}, nil
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
func pauseAsked(a answer) (time.Duration, bool) {
	switch {
	case a.status == http.StatusServiceUnavailable && a.retryAfter == "", a.status != http.StatusServiceUnavailable && a.status != http.StatusTooManyRequests:
		return 0, false
	case a.retryAfter == "":
		return usualPause, true
	}
	if n, err := strconv.ParseUint(a.retryAfter, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(a.retryAfter); err == nil {
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
	from := via[len(via)-1].URL
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
