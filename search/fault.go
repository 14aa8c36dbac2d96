package search

// What can go wrong with an engine, in words that may be shown to anyone: no address, no key, nothing the provider said.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Fault is an engine that could not be asked, or did not answer.
type Fault struct {
	Engine string
	What   string // follows the name: "refuses its key: set …"
	cause  error
}

// Error names the engine, what is wrong and, where there is one, the cure.
func (f *Fault) Error() string { return f.Engine + " " + f.What }

// Cause is what happened underneath, for the operator's own log. It may name addresses and keys: never show it. It is not
// unwrapped for that reason.
func (f *Fault) Cause() error { return f.cause }

func (s *service) fault(what string, cause error) *Fault {
	return &Fault{Engine: s.name, What: what, cause: cause}
}

// broken is the fault of a request that got no answer.
func (s *service) broken(err error) *Fault {
	var known *Fault
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errOtherHost):
		return s.fault("redirects to another host, which is not followed: check "+s.baseVar, err)
	case errors.Is(err, context.Canceled):
		return s.fault("was not waited for", err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return s.fault("did not answer in time", err)
	}
	return s.fault("could not be reached: check the connection and "+s.baseVar, err)
}

// refused is the fault of an answer that is no result.
func (s *service) refused(status int) *Fault {
	code := fmt.Sprintf(" (HTTP %d)", status)
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		if s.keyVar != "" {
			return s.fault("refuses its key: set "+s.keyVar, nil)
		}
		return s.fault("refuses to answer"+code, nil)
	case status == http.StatusPaymentRequired, status == 432, status == 433: // the latter two are Tavily's
		return s.fault("has no credit left for its key"+code, nil)
	case status == http.StatusTooManyRequests:
		return s.fault("is asked too often"+code+s.slower(), nil)
	case status == http.StatusNotFound:
		return s.fault("has nothing where it is looked for"+code+": check "+s.baseVar, nil)
	case status >= 500:
		return s.fault("is out of order"+code, nil)
	}
	return s.fault("does not accept the request"+code, nil)
}

// slower is the cure for too many requests without a key, where a key would help.
func (s *service) slower() string {
	if s.keyVar != "" && s.key == "" {
		return ": wait, or set " + s.keyVar
	}
	return ""
}

// garbled is the fault of an answer that is not in the provider's format.
func (s *service) garbled(err error) *Fault {
	return s.fault("sent an answer that could not be read", err)
}

// allFailed is a search that no engine answered.
type allFailed struct{ faults []string }

func (e *allFailed) Error() string {
	return "no search engine answered: " + strings.Join(e.faults, "; ")
}
