package report

// The sources at the foot of the page, and which claims each of them bears.

import (
	"net/url"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// sourceView is a cited source.
type sourceView struct {
	Number  int
	Title   string
	Authors string
	Href    string // empty for what no browser can open
	Place   string // site, or path of a document
	Date    string
	Read    string
	Bears   []bearing
	Counts  []segment
	Claims  string // how many cite it, in words
	Unread  string // why it could not be read
}

// bearing is a claim that cites a source, with what this source says of it.
type bearing struct {
	look
	ID     string
	Number int
}

// sourceViews lists the citations in their order.
func sourceViews(r Report, shown []claimView) []sourceView {
	bears, unread := map[string][]bearing{}, map[string]string{}
	for _, v := range shown {
		said := map[string]look{}
		for _, one := range others(v) {
			id := link.Identity(one.URL)
			if one.Status == plumb.Inaccessible || one.Status == plumb.Paywall {
				unread[id] = spoken(one.Reason)
			}
			if _, ok := said[id]; !ok {
				said[id] = lookOf(string(known(one.Status)))
			}
		}
		seen := map[string]bool{}
		for _, u := range v.Claim.Citations {
			id := link.Identity(u)
			if seen[id] {
				continue
			}
			seen[id] = true
			l, ok := said[id]
			if !ok {
				l = lookOf("unchecked")
			}
			bears[id] = append(bears[id], bearing{l, v.ID, v.Number})
		}
	}
	read := retrieved(r)
	out := make([]sourceView, len(r.Citations))
	for i, c := range r.Citations {
		s := sourceView{Number: c.Number, Title: titleOf(c), Authors: authors(c.Authors), Href: href(c.URL), Place: place(c.URL),
			Date: day(c.Date), Read: read.of(c.Source, c.URL), Bears: bears[link.Identity(c.URL)], Unread: unread[link.Identity(c.URL)]}
		s.Counts = countBearings(s.Bears)
		s.Claims = "cited by " + count(len(s.Bears), "claim")
		out[i] = s
	}
	return out
}

func countBearings(bs []bearing) []segment {
	var out []segment
	for _, l := range looks {
		n := 0
		for _, b := range bs {
			if b.Key == l.Key {
				n++
			}
		}
		if n > 0 {
			out = append(out, segment{look: l, Count: n})
		}
	}
	return out
}

// titleOf is a citation's title, or where it stands.
func titleOf(c plumb.Citation) string {
	if t := strings.Join(strings.Fields(c.Title), " "); t != "" {
		return clip(t, maxTitle)
	}
	return place(c.URL)
}

// href is an address that may be followed: http and https only.
func href(u string) string {
	p, err := url.Parse(u)
	if err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https" {
		return ""
	}
	return p.String()
}

// place is what a reader recognises an address by.
func place(u string) string {
	if path, ok := strings.CutPrefix(u, "doc:"); ok {
		return path
	}
	return strings.TrimPrefix(strings.TrimPrefix(u, "https://"), "http://")
}

// readings say when sources were read, by their text and by their address.
type readings map[string]time.Time

func retrieved(r Report) readings {
	out := readings{}
	for _, s := range r.Sources {
		for _, key := range []string{s.Hash + " " + link.Identity(s.URL), s.Hash, link.Identity(s.URL)} {
			if _, ok := out[key]; !ok {
				out[key] = s.RetrievedAt
			}
		}
	}
	return out
}

// of is the day on which a source was read, as a reader says it; empty when unknown.
func (d readings) of(hash, address string) string {
	for _, key := range []string{hash + " " + link.Identity(address), hash, link.Identity(address)} {
		if t, ok := d[key]; ok && key != "" && !t.IsZero() {
			return t.UTC().Format("2 January 2006")
		}
	}
	return ""
}
