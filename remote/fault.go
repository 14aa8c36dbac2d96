package remote

// What can go wrong with a service, in words that may be shown to anyone, and what it means for the next call.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/plumbresearch/plumb"
)

// Fault is a service that could not be asked, or will not deliver.
type Fault struct {
	Service string
	What    string // follows the name: "refuses the key: set another"
	hitch   plumb.Hitch
	cause   error
}

// Error is Safe, and what happened underneath, for operators.
func (f *Fault) Error() string {
	if f.cause != nil {
		return f.Safe() + " (" + f.cause.Error() + ")"
	}
	return f.Safe()
}

// Safe is one line for users: what is wrong and the cure, no internals.
func (f *Fault) Safe() string { return f.Service + " " + f.What }

// Hitch says what the fault means for the next call.
func (f *Fault) Hitch() plumb.Hitch { return f.hitch }

func (at service) fault(what string, cause error) *Fault {
	if cause != nil {
		cause = errors.New(at.clean(cause.Error()))
	}
	return &Fault{Service: at.name, What: what, cause: cause}
}

func (f *Fault) again(r result) *Fault {
	f.hitch.Again, f.hitch.Pause = true, r.pause
	return f
}

// doubtful is an order that the service may have taken. Where it knows orders by their key it can be sent again.
func (at service) doubtful(what string, cause error) *Fault {
	f := at.fault(what+": look into your account there whether it is at work; plumb resume asks again", cause)
	f.hitch = plumb.Hitch{Again: at.repeats, Doubtful: !at.repeats}
	return f
}

// unordered is an order that got no answer.
func (at service) unordered(err error, sent bool) *Fault {
	if sent {
		return at.doubtful("did not answer, and may have taken the order", err)
	}
	return at.fault("can't be reached: check the network and "+at.urlVar, err).again(result{})
}

// refused is an order that was answered, but not taken.
func (at service) refused(r result) *Fault {
	said := said(r.body)
	cause := fmt.Errorf("status %d: %s", r.status, said)
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return at.fault("refuses the key: set another in "+at.keyVar, cause)
	case http.StatusPaymentRequired:
		return at.fault("has no credit left: add some there", cause)
	case http.StatusNotFound:
		return at.fault(fmt.Sprintf("does not know %s there: name another model with --via %s:MODEL, or check %s", at.model, at.name, at.urlVar), cause)
	case http.StatusTooManyRequests:
		if strings.Contains(string(r.body), "insufficient_quota") {
			return at.fault("has no credit left: add some there", cause)
		}
		return at.fault("limits the rate of orders: wait a little, then plumb resume", cause).again(r)
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		return at.fault("is out of order: wait a little, then plumb resume", cause).again(r)
	}
	switch {
	case r.status >= 500:
		return at.doubtful(fmt.Sprintf("is out of order (HTTP %d), and may have taken the order", r.status), cause)
	case r.status/100 == 3:
		return at.fault("redirects elsewhere, which is not followed: check "+at.urlVar, cause)
	}
	return at.fault(fmt.Sprintf("does not take the order (HTTP %d): %s", r.status, at.clean(said)), cause)
}

// unseen is a job that could not be looked at this time.
func (at service) unseen(err error) *Fault {
	switch {
	case errors.Is(err, errTooLarge):
		return at.fault("sent more than 10 MB, which is not read", err)
	case errors.Is(err, context.DeadlineExceeded):
		return at.fault("did not answer in time", err).again(result{})
	}
	return at.fault("can't be reached: check the network and "+at.urlVar, err).again(result{})
}

// lost is a job about which the service gives no answer.
func (at service) lost(r result, job string) *Fault {
	cause := fmt.Errorf("status %d: %s", r.status, said(r.body))
	switch {
	case r.status == http.StatusNotFound || r.status == http.StatusGone:
		f := at.fault(fmt.Sprintf("no longer knows the job %s: ask the question again", at.clean(job)), cause)
		f.hitch.Gone = true
		return f
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
		return at.fault("refuses the key: set another in "+at.keyVar+", then plumb resume", cause)
	case r.status == http.StatusTooManyRequests || r.status == http.StatusRequestTimeout || r.status >= 500:
		return at.fault(fmt.Sprintf("does not say how the job stands (HTTP %d)", r.status), cause).again(r)
	}
	return at.fault(fmt.Sprintf("does not say how the job stands (HTTP %d)", r.status), cause)
}

// garbled is an answer that is not in the service's format. It may be a proxy's: the job is looked at again.
func (at service) garbled(err error) *Fault {
	return at.fault("sent an answer that can't be read", err).again(result{})
}

// gaveUp is a job that came to nothing.
func (at service) gaveUp(why string) *Fault {
	return at.fault("did not finish the report: "+at.clean(why), nil)
}

// said is what an error answer says, in any of the three formats.
func said(body []byte) string {
	var e struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &e) != nil {
		return "no reason given"
	}
	for _, raw := range []json.RawMessage{e.Error, e.Detail} {
		if text := message(raw); text != "" {
			return text
		}
	}
	return "no reason given"
}

// message reads a string, or the message of an object.
func message(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &object) == nil {
		return object.Message
	}
	return ""
}

// maxSaid is how much of a service's words is shown, in bytes.
const maxSaid = 200

// keyLike are strings that look like keys, also those of others.
var keyLike = regexp.MustCompile(`\b(?:sk|pplx|AIza|ya29|Bearer)[-_. ]?[A-Za-z0-9_*.-]{12,}`)

// clean makes words of a service one line without keys and control characters.
func (at service) clean(raw string) string {
	if len(at.key) >= 4 { // a shorter one would eat words
		raw = strings.ReplaceAll(raw, at.key, "[key]")
	}
	raw = keyLike.ReplaceAllString(strings.ToValidUTF8(raw, "\uFFFD"), "[key]")
	raw = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, raw)
	raw = strings.Join(strings.Fields(raw), " ")
	if len(raw) <= maxSaid {
		return raw
	}
	n := maxSaid
	for n > 0 && raw[n]&0xC0 == 0x80 {
		n--
	}
	return raw[:n] + "…"
}
