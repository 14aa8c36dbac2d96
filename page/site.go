package page

// Sites whose pages lead to something better to read: arXiv's abstracts to the full text, GitHub's repositories to
// README and releases.

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/link"
)

// site reads the address in the way that its site asks for.
func (t *task) site(ctx context.Context) (Page, error) {
	u, err := url.Parse(t.address)
	if err != nil {
		return t.plain(ctx)
	}
	switch strings.TrimPrefix(strings.ToLower(u.Host), "www.") {
	case "arxiv.org", "export.arxiv.org":
		if id, ok := strings.CutPrefix(u.Path, "/abs/"); ok {
			return t.arXiv(ctx, u, id)
		}
	case "doi.org", "dx.doi.org":
		if id, ok := link.ArXiv(t.address); ok {
			abstract := &url.URL{Scheme: u.Scheme, Host: "arxiv.org", Path: "/abs/" + id}
			return t.arXiv(ctx, abstract, id)
		}
	case "github.com":
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		switch {
		case len(parts) == 2 && !slices.Contains(notOwners, parts[0]):
			return t.repository(ctx, parts[0], parts[1])
		case len(parts) > 4 && (parts[2] == "blob" || parts[2] == "raw"):
			return t.instead(ctx, rawFile(parts[0], parts[1], strings.Join(parts[3:], "/")))
		}
	}
	return t.plain(ctx)
}

// at is a task for another address of the same reading.
func (t *task) at(address string) *task { return &task{r: t.r, address: address} }

// instead reads another address and falls back to the one that was asked for.
func (t *task) instead(ctx context.Context, address string) (Page, error) {
	p, err := t.at(address).direct(ctx)
	if err != nil || p.Depth == plumb.Snippet {
		return t.plain(ctx)
	}
	p.Source.URL = t.address
	p.Source.Key = keyOf(t.address, t.address, "")
	return p, nil
}

// direct reads without archive and cache.
func (t *task) direct(ctx context.Context) (Page, error) {
	f := t.r.newFetch(t.r.web)
	doc, err := f.get(ctx, t.address)
	if err != nil {
		return Page{}, err
	}
	return t.understand(ctx, f, doc)
}

var arXivHTML = regexp.MustCompile(`href="(?:https?://(?:export\.)?arxiv\.org)?(/html/[0-9a-zA-Z./-]+)"`)

// arXiv reads the abstract for title, authors and date, then the full text: as HTML if the abstract offers it, else as
// PDF. Without either the abstract is what was read.
func (t *task) arXiv(ctx context.Context, abstract *url.URL, id string) (Page, error) {
	f := t.r.newFetch(t.r.web)
	doc, err := f.get(ctx, abstract.String())
	if err != nil {
		return Page{}, err
	}
	about, err := t.understand(ctx, f, doc)
	if err != nil {
		return Page{}, err // a paper that never was: arXiv takes none away, so the archive is not asked
	}
	bare, _ := link.ArXiv(id)
	about.Source.DOI = either(about.Source.DOI, "10.48550/arxiv."+bare)
	about.Source.Key = keyOf(t.address, abstract.String(), about.Source.DOI)
	paths := []string{"/pdf/" + id}
	if m := arXivHTML.FindSubmatch(doc.body); m != nil {
		paths = append([]string{string(m[1])}, paths...)
	}
	for _, path := range paths {
		full := &url.URL{Scheme: abstract.Scheme, Host: abstract.Host, Path: path}
		p, err := t.at(full.String()).direct(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return Page{}, err
			}
			t.r.trouble(fmt.Errorf("full text of arXiv %s: %w", id, err))
			continue
		}
		if p.Depth == plumb.FullScrape {
			return withAbout(p, about), nil
		}
	}
	about.Note = "only the abstract could be read"
	if about.Depth == plumb.FullScrape {
		about.Depth = plumb.PartialScrape
	}
	return about, nil
}

// withAbout is a full text with what the page about it says of it.
func withAbout(p, about Page) Page {
	p.Source.URL, p.Source.DOI, p.Source.Key = about.Source.URL, about.Source.DOI, about.Source.Key
	p.Source.Title = either(about.Source.Title, p.Source.Title)
	p.Source.Date = either(about.Source.Date, p.Source.Date)
	if len(about.Source.Authors) > 0 {
		p.Source.Authors = about.Source.Authors
	}
	return p
}

// notOwners are first parts of GitHub's own pages.
var notOwners = []string{
	"about", "apps", "collections", "contact", "customer-stories", "enterprise", "events", "explore", "features", "login", "marketplace",
	"orgs", "pricing", "search", "security", "settings", "site", "sponsors", "stars", "team", "topics", "trending", "users",
}

// rawFile is where GitHub serves a file as it is; path begins with branch, tag or commit.
func rawFile(owner, repo, path string) string {
	return (&url.URL{Scheme: "https", Host: "raw.githubusercontent.com", Path: "/" + owner + "/" + repo + "/" + path}).String()
}

// repository reads the README as its author wrote it, with the latest releases below. Without one the page is read.
func (t *task) repository(ctx context.Context, owner, repo string) (Page, error) {
	p, err := t.at(rawFile(owner, repo, "HEAD/README.md")).direct(ctx)
	if err != nil || p.Depth == plumb.Snippet {
		if ctx.Err() != nil {
			return Page{}, failure(ctx, ctx.Err())
		}
		return t.plain(ctx)
	}
	name := owner + "/" + repo
	if p.Source.Title != "" {
		name += ": " + p.Source.Title
	}
	p.Source.URL, p.Source.Title, p.Source.Key = t.address, name, keyOf(t.address, t.address, "")
	feed := &url.URL{Scheme: "https", Host: "github.com", Path: "/" + owner + "/" + repo + "/releases.atom"}
	f := t.r.newFetch(t.r.web)
	doc, err := f.get(ctx, feed.String())
	if err != nil || !doc.ok() {
		t.r.trouble(err)
		return p, nil
	}
	if releases := t.releases(ctx, doc); releases != "" {
		p.Text = strings.TrimRight(p.Text, "\n") + "\n\n## Releases\n\n" + releases
		var refs *extract.Range
		if p.Source.References != nil {
			refs = &extract.Range{Start: p.Source.References.Start, End: p.Source.References.End}
		}
		t.seal(&p, refs)
		p.Note = "README and latest releases"
	}
	return p, nil
}

// maxReleases is how many releases are told of, newest first; maxRelease bounds the notes of each in bytes.
const (
	maxReleases = 3
	maxRelease  = 2000
)

type atomFeed struct {
	Entries []struct {
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Content string `xml:"content"`
	} `xml:"http://www.w3.org/2005/Atom entry"`
}

// releases is the text of a feed of releases, "" when it has none or is no feed.
func (t *task) releases(ctx context.Context, doc *document) string {
	var feed atomFeed
	if err := xml.Unmarshal(doc.body, &feed); err != nil || len(feed.Entries) == 0 {
		return ""
	}
	var b strings.Builder
	for _, e := range feed.Entries[:min(len(feed.Entries), maxReleases)] {
		day, _, _ := strings.Cut(e.Updated, "T")
		fmt.Fprintf(&b, "### %s (%s)\n\n", strings.Join(strings.Fields(e.Title), " "), day)
		notes, err := t.r.Extract.Extract(ctx, "", "text/html", []byte("<!doctype html><body>"+e.Content))
		if err != nil {
			continue // a release without notes
		}
		b.WriteString(strings.TrimSpace(notes.Text[:cutAt(notes.Text, maxRelease)]) + "\n\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
