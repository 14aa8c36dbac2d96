package page

// What can go wrong, in words that may be shown to anyone: no address, path or name of the user's network is in them.

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Kind says what kept a page from being read.
type Kind string

const (
	Address     Kind = "address"     // the URL, or where it leads, may not be read
	Timeout     Kind = "timeout"     // no answer, or not all of it, in time
	Network     Kind = "network"     // no connection, or it broke
	TLS         Kind = "tls"         // the server could not prove who it is
	Gone        Kind = "gone"        // 404 or 410
	Status      Kind = "status"      // any other answer that is no page
	Forbidden   Kind = "forbidden"   // 401, 403 or 451 without a sign of what kind of wall it is
	Throttled   Kind = "throttled"   // 429, or a host that asked to be left alone
	Paywall     Kind = "paywall"     // for subscribers only
	BotWall     Kind = "botwall"     // wants proof that the reader is human
	Robots      Kind = "robots"      // robots.txt does not allow it
	Redirects   Kind = "redirects"   // too many of them, or one that leads nowhere
	TooLarge    Kind = "too_large"   // more than Limits.Body
	Unsupported Kind = "unsupported" // an image, a video, an archive …
	Unreadable  Kind = "unreadable"  // a document that is broken or locked
)

// Error is a page that could not be read. Its text may be shown to anyone.
type Error struct {
	Kind   Kind
	Status int    // of HTTP, 0 when there was no answer
	Detail string // replaces the words of the kind; safe to show
	cause  error
}

// Error is Safe.
func (e *Error) Error() string { return e.Safe() }

// Safe says what went wrong without naming any address, path or resolver.
func (e *Error) Safe() string {
	if e.Detail != "" {
		return e.Detail
	}
	switch e.Kind {
	case Timeout:
		return "request timed out"
	case Forbidden:
		return fmt.Sprintf("remote server returned HTTP %d (access refused, likely a paywall)", e.Status)
	case Gone, Status, Throttled:
		return fmt.Sprintf("remote server returned HTTP %d", e.Status)
	case TLS:
		return "secure connection could not be made"
	case Paywall:
		return "page is behind a paywall"
	case BotWall:
		return "site asks for proof that its reader is human"
	case Robots:
		return "robots.txt of the site does not allow reading this page"
	case Redirects:
		return "too many redirects"
	case Address:
		return "address is not public"
	case Unreadable:
		return "document could not be read"
	}
	return "network error while fetching URL"
}

// Paywalled reports whether the page is there, but for subscribers only; any other error means inaccessible.
func (e *Error) Paywalled() bool { return e.Kind == Paywall }

// Cause is what happened underneath, for the operator's own log. It may name inner addresses: never show it. It is not
// unwrapped for that reason.
func (e *Error) Cause() error { return e.cause }

// failure turns what a request died of into an Error. A caller that gave up gets its own context's error.
func failure(ctx context.Context, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return &Error{Kind: Timeout, cause: err}
	}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return &Error{Kind: TLS, Detail: "secure connection could not be made: the server's certificate is not valid", cause: err}
	}
	if isTLS(err) {
		return &Error{Kind: TLS, cause: err}
	}
	return &Error{Kind: Network, cause: err}
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &alert) || strings.Contains(err.Error(), "tls: ")
}

// statusError is the Error for an answer that is no page and shows no wall.
func statusError(status int) *Error {
	e := &Error{Kind: Status, Status: status}
	switch status {
	case http.StatusNotFound, http.StatusGone:
		e.Kind = Gone
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		e.Kind = Forbidden
	case http.StatusPaymentRequired:
		e.Kind = Paywall
	case http.StatusTooManyRequests:
		e.Kind = Throttled
	}
	return e
}

// vanished reports whether the name of a host is unknown to the resolver.
func vanished(err error) bool {
	var e *Error
	var dns *net.DNSError
	return errors.As(err, &e) && errors.As(e.cause, &dns) && dns.IsNotFound
}
