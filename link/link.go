// Package link finds, normalises and compares URLs, DOIs and arXiv ids.
//
// It does no I/O and knows three kinds of address: web pages (http, https),
// papers (a DOI or an arXiv id, however written) and the user's own documents
// ("doc:" and a path relative to the folder they were given in).
//
// Which form serves what:
//
//	Normalize  an address that can still be fetched: scheme and www. stay
//	Identity   equal for addresses of the same page or work: scheme and www. go
//	Key        what diversity counts: registrable domain, work or document
package link

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// docScheme starts the URL of one of the user's own documents.
const docScheme = "doc:"

// Same reports whether a and b name the same page, document or work. It looks
// past http and https, a leading "www.", tracking parameters, the fragment, a
// trailing slash, and the many addresses of one DOI or arXiv paper.
func Same(a, b string) bool { return a == b || Identity(a) == Identity(b) }

// Identity returns the string that two addresses share exactly when Same holds,
// for use as a map key. It is not an address that can be fetched.
func Identity(url string) string {
	if isDoc(url) {
		return strings.TrimSpace(url)
	}
	if work, ok := workOf(url); ok {
		return work
	}
	n := Normalize(url)
	_, rest, ok := cutScheme(n)
	if !ok {
		return n
	}
	return strings.TrimSuffix(strings.TrimPrefix(rest, "www."), "/")
}

// Key returns what the diversity of sources is counted by: "doi:10…" or
// "arxiv:…" for a paper, the document itself for a doc: URL, the registrable
// domain for other pages.
func Key(url string) string {
	if isDoc(url) {
		return strings.TrimSpace(url)
	}
	if work, ok := workOf(url); ok {
		return work
	}
	if d := Domain(url); d != "" {
		return d
	}
	return Normalize(url)
}

// Host returns the host of a web address, lower-case and without the port, or
// "" when there is none, as for doc: URLs.
func Host(url string) string {
	p, ok := split(Normalize(url))
	if !ok {
		return ""
	}
	return p.host
}

// Domain returns the registrable domain of a web address ("bbc.co.uk",
// "someone.github.io"), the address itself for an IP or a single name such as
// localhost, and "" for doc: URLs.
func Domain(url string) string {
	h := Host(url)
	if h == "" {
		return ""
	}
	if _, err := netip.ParseAddr(strings.Trim(h, "[]")); err == nil {
		return h
	}
	d, err := publicsuffix.EffectiveTLDPlusOne(h)
	if err != nil {
		return h // the host is a public suffix itself, or has one label
	}
	return d
}

func isDoc(url string) bool { return strings.HasPrefix(strings.TrimSpace(url), docScheme) }

// workOf returns "arxiv:<id>" or "doi:<doi>" for an address of a paper.
func workOf(s string) (string, bool) {
	if id, ok := ArXiv(s); ok {
		return "arxiv:" + id, true
	}
	if d, ok := DOI(s); ok {
		return "doi:" + d, true
	}
	return "", false
}

// cutScheme splits off http:// or https://, in any case.
func cutScheme(s string) (scheme, rest string, ok bool) {
	for _, scheme := range []string{"https", "http"} {
		if n := len(scheme); hasFold(s, scheme) && strings.HasPrefix(s[n:], "://") {
			return scheme, s[n+3:], true
		}
	}
	return "", s, false
}

// hasFold is strings.HasPrefix without regard to the case of ASCII letters;
// prefix is lower-case.
func hasFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}
