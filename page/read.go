package page

// From an address to a page: cache, special sites, plain reading, walls, archive, browser, and what the source says of
// itself.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/text"
)

// Read reads what an address leads to; a DOI or an arXiv id is an address too. Its errors are of type *Error, unless ctx was
// cancelled. A page that is there but holds too little to be read comes back with the depth plumb.Snippet and no error.
func (r *Reader) Read(ctx context.Context, address string) (Page, error) {
	r.start()
	address = fetchable(address)
	if _, err := r.web.admit(address); err != nil {
		return Page{}, err
	}
	key := link.Normalize(address)
	p, err := r.flights.do(ctx, key, func(ctx context.Context) (Page, error) { return r.read(ctx, key, address) })
	p.Source.URL = address
	return p, err
}

// fetchable leaves web addresses as they are, since a normal form may lead elsewhere, and makes one of the rest.
func fetchable(address string) string {
	address = strings.TrimSpace(address)
	if strings.Contains(address, "://") {
		return address
	}
	return link.Normalize(address)
}

// read is one reading for all who asked for the page at the same time. Documents are hostile: what a parser panics on is
// one page that can't be read.
func (r *Reader) read(ctx context.Context, key, address string) (p Page, err error) {
	defer func() {
		if v := recover(); v != nil {
			p, err = Page{}, &Error{Kind: Unreadable, cause: fmt.Errorf("panic: %v", v)}
			r.trouble(fmt.Errorf("read %s: panic: %v", address, v))
		}
	}()
	k, fresh := r.kept(ctx, key)
	if fresh {
		return k.Page, nil
	}
	if p, known, err := r.spared.of(key, r.now()); known {
		return p, err
	}
	defer func() {
		if ctx.Err() == nil && (err != nil || p.Depth == plumb.Snippet) {
			r.spared.add(key, p, err, r.now())
		}
	}()
	t := task{r: r, address: address, known: k.validators()}
	p, err = t.site(ctx)
	if errors.Is(err, errUnchanged) {
		p, err = k.Page, nil
		p.Source.RetrievedAt = r.now()
		t.answered = k.validators()
	}
	if err != nil {
		return Page{}, err
	}
	r.keep(ctx, key, p, t.answered)
	return p, nil
}

// errUnchanged: the copy in the cache still holds.
var errUnchanged = errors.New("page has not changed")

// task is the reading of one address.
type task struct {
	r        *Reader
	address  string
	known    validators // of the copy in the cache
	answered validators // of what was read
}

// plain reads the address as it is: the page, or its copy in the archive.
func (t *task) plain(ctx context.Context) (Page, error) {
	f := t.r.newFetch(t.r.web)
	f.known, f.reuse = t.known, true
	doc, err := f.get(ctx, t.address)
	if err != nil {
		if vanished(err) {
			return t.archived(ctx, err)
		}
		return Page{}, err
	}
	if doc.kept != nil {
		return *doc.kept, nil
	}
	if doc.status == http.StatusNotModified && t.known != (validators{}) {
		return Page{}, errUnchanged
	}
	p, err := t.understand(ctx, f, doc)
	var e *Error
	if errors.As(err, &e) && e.Kind == Gone {
		return t.archived(ctx, err)
	}
	t.answered = validators{doc.header.Get("ETag"), doc.header.Get("Last-Modified")}
	return p, err
}

// understand makes a page of an answer, or says which wall it is.
func (t *task) understand(ctx context.Context, f *fetch, doc *document) (Page, error) {
	m := look(doc)
	if err := m.wall(doc); err != nil {
		return Page{}, err
	}
	if m.refresh != "" && m.visible < fullText && f.hops > 0 {
		f.hops--
		if to, err := doc.url.Parse(m.refresh); err == nil && to.String() != doc.url.String() {
			next, err := f.get(ctx, to.String())
			if err != nil {
				return Page{}, err
			}
			if next.kept != nil {
				return *next.kept, nil
			}
			return t.understand(ctx, f, next)
		}
	}
	d, err := t.extract(ctx, doc)
	if err != nil {
		return Page{}, err
	}
	p := t.page(doc, d, m)
	if m.needsScript(utf8.RuneCountInString(d.Text)) {
		p = t.rendered(ctx, doc, p)
	}
	return p, nil
}

// extract makes text of an answer. A document without text is no error: it makes a snippet.
func (t *task) extract(ctx context.Context, doc *document) (extract.Document, error) {
	d, err := t.r.Extract.Extract(ctx, doc.url.String(), doc.header.Get("Content-Type"), doc.body)
	e := &Error{Status: doc.status, cause: err}
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, extract.ErrEmpty):
		return extract.Document{Title: look(doc).title}, nil
	case ctx.Err() != nil:
		return d, failure(ctx, err)
	case errors.Is(err, extract.ErrUnsupported):
		e.Kind, e.Detail = Unsupported, "unsupported content"
		if kind := http.DetectContentType(doc.body); !strings.HasPrefix(kind, "text/") {
			e.Detail += ": " + kind
		}
	case errors.Is(err, extract.ErrEncrypted):
		e.Kind, e.Detail = Unreadable, extract.ErrEncrypted.Error()
	case errors.Is(err, extract.ErrTooLarge):
		e.Kind, e.Detail = TooLarge, extract.ErrTooLarge.Error()
	default:
		e.Kind = Unreadable
	}
	return d, e
}

// page is what the reader returns for an answer whose text is d.
func (t *task) page(doc *document, d extract.Document, m marks) Page {
	p := Page{Text: d.Text, Pages: d.Pages, Paywall: m.paywalled(utf8.RuneCountInString(d.Text))}
	p.Source = plumb.Source{
		URL: t.address, FinalURL: doc.url.String(), Status: doc.status, Title: d.Title, Authors: d.Authors, Date: d.Date,
		DOI: doiOf(t.address, doc.url.String(), m.doi), RetrievedAt: t.r.now(), Format: d.Format,
		Language: d.Language,
	}
	if p.Source.Language == "" {
		p.Source.Language = text.Language(d.Text)
	}
	p.Source.Key = keyOf(t.address, p.Source.FinalURL, p.Source.DOI)
	t.seal(&p, d.References)
	switch {
	case p.Paywall:
		p.Source.Paywall = true
		p.Note = "behind a paywall: only the part that is free was read"
		if p.Depth == plumb.FullScrape {
			p.Depth = plumb.PartialScrape
		}
	case p.Text == "":
		p.Note = "no text on the page"
	case p.Depth == plumb.Snippet:
		p.Note = "too little text on the page"
	case d.Truncated:
		p.Note = "only the beginning was read: the document is very long"
	}
	return p
}

// seal sets what follows from the text: hash, length, depth, and where the references stand.
func (t *task) seal(p *Page, refs *extract.Range) {
	p.Source.Chars = utf8.RuneCountInString(p.Text)
	p.Source.Hash, p.Source.References = "", nil
	if p.Text != "" {
		sum := sha256.Sum256([]byte(p.Text))
		p.Source.Hash = hex.EncodeToString(sum[:])
	}
	if refs != nil {
		p.Source.References = &plumb.Passage{Source: p.Source.Hash, Start: refs.Start, End: refs.End}
	}
	switch {
	case p.Source.Chars > fullText:
		p.Depth = plumb.FullScrape
	case p.Source.Chars > partText:
		p.Depth = plumb.PartialScrape
	default:
		p.Depth = plumb.Snippet
	}
}

// doiOf is the first DOI among the addresses and what the page declares.
func doiOf(candidates ...string) string {
	for _, c := range candidates {
		if d, ok := link.DOI(c); ok {
			return d
		}
	}
	return ""
}

// keyOf is the work for a paper, by whichever address names it or the DOI it declares, else the registrable domain of
// where it was found.
func keyOf(address, final, doi string) string {
	for _, a := range []string{address, final} {
		if k := link.Key(a); strings.HasPrefix(k, "arxiv:") || strings.HasPrefix(k, "doi:") {
			return k
		}
	}
	if doi != "" {
		return link.Key(doi)
	}
	return link.Key(final)
}

// knownInPublic reports whether a host is one of the public internet's by its name: an archive is asked for no other, since the
// question alone would tell it names of the user's network.
func (r *Reader) knownInPublic(address string) bool {
	u, err := r.web.admit(address)
	if err != nil {
		return false
	}
	host, port, err := hostPort(u)
	if err != nil || r.web.allows(host, port) {
		return false
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	return icann && suffix != host
}
