package engine

// Where a cited source is looked for: among the sources that came with the report, in the user's documents, on the web.

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/verify"
)

// Finder finds the sources that a report cites. It is a verify.Sources.
type Finder struct {
	Given     []plumb.Source // came with the report
	Documents []plumb.Source // the user's own
	Text      func(ctx context.Context, hash string) (string, error)
	Outside   Outside // nil: nothing is fetched
}

// Source looks in all places, nearest first.
func (f Finder) Source(ctx context.Context, url string) (plumb.Source, string, error) {
	if s := f.near(url); s.Hash != "" {
		text, err := f.Text(ctx, s.Hash)
		return s, text, err
	}
	if f.Outside == nil || !onWeb(url) {
		return plumb.Source{}, "", reading{Fail: f.missing(url)}.err()
	}
	r, text, err := f.fetch(ctx, url)
	if err == nil {
		err = r.err()
	}
	return r.Source, text, err
}

func onWeb(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// near finds a source without leaving the machine; the zero Source when there is none. Documents that are not at the
// path a report gives are found by their name, if only one has it.
func (f Finder) near(url string) plumb.Source {
	for _, of := range [][]plumb.Source{f.Given, f.Documents} {
		for _, same := range []func(plumb.Source) bool{
			func(s plumb.Source) bool { return s.URL == url },
			func(s plumb.Source) bool { return link.Same(s.URL, url) },
			func(s plumb.Source) bool { return s.FinalURL != "" && link.Same(s.FinalURL, url) },
		} {
			for _, s := range of {
				if same(s) {
					return s
				}
			}
		}
	}
	return f.named(url)
}

// named finds the one document with the file name of a doc: address.
func (f Finder) named(url string) plumb.Source {
	name, ok := strings.CutPrefix(url, docScheme)
	if !ok {
		return plumb.Source{}
	}
	var found plumb.Source
	for _, of := range [][]plumb.Source{f.Given, f.Documents} {
		for _, s := range of {
			if path.Base(strings.TrimPrefix(s.URL, docScheme)) != path.Base(name) || s.Hash == found.Hash {
				continue
			}
			if found.Hash != "" {
				return plumb.Source{} // two of that name: either may be meant
			}
			found = s
		}
	}
	return found
}

// docScheme begins the address of one of the user's own documents.
const docScheme = "doc:"

// missing says why a source that is not near was not looked for elsewhere.
func (f Finder) missing(url string) string {
	switch {
	case strings.HasPrefix(url, docScheme):
		return "none of the documents given is called that"
	case !onWeb(url):
		return "its address is none that can be read"
	}
	return "nothing was fetched from the web, and it is not among the sources given"
}

// fetch reads a page. One that can't be read is an answer too, unless the run was stopped.
func (f Finder) fetch(ctx context.Context, url string) (reading, string, error) {
	own, cancel := context.WithTimeout(ctx, citedTimeout)
	defer cancel()
	p, err := f.Outside.Read(own, url)
	switch {
	case ctx.Err() != nil:
		return reading{}, "", ctx.Err()
	case err != nil:
		return unreadable(url, err), "", nil
	case p.Source.Hash == "" || strings.TrimSpace(p.Text) == "":
		return reading{URL: url, Fail: "the page has no text"}, "", nil
	}
	return reading{URL: url, Source: p.Source}, p.Text, nil
}

// unreadable is a page that could not be read, with the reason: the text of errors from outside may be shown.
func unreadable(url string, err error) reading {
	r := reading{URL: url, Fail: clip(err.Error(), 180)}
	if errors.Is(err, context.DeadlineExceeded) {
		r.Fail = fmt.Sprintf("no answer within %v", citedTimeout)
	}
	var wall interface{ Paywalled() bool }
	r.Paywall = errors.Is(err, verify.ErrPaywall) || errors.As(err, &wall) && wall.Paywalled()
	return r
}
