package gather

// Opening: what becomes of a lead that is read. Its text is quoted from, or it leaves a row that only a snippet was seen, or
// the reason why it was skipped.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

const (
	fullDepth    = 500 // more characters than this: read in full
	partialDepth = 100 // more than this: in part
)

var errNoTexts = errors.New("texts of documents can't be had")

// load fetches the text of a source. It changes nothing but the reading, so that several may be loaded at once.
func (r *result) load(ctx context.Context, t target, p *reading) {
	if t.doc != nil {
		p.source, p.depth = *t.doc, plumb.FullScrape // it is the author's own, whole however short
		if p.err = errNoTexts; r.tools.Texts != nil {
			p.text, p.err = r.tools.Texts.Text(ctx, t.doc.Hash)
		}
		return
	}
	page, err := r.tools.Pages.Read(ctx, t.lead)
	p.source, p.text, p.depth, p.note, p.err = page.Source, page.Text, page.Depth, page.Note, err
	p.source.URL = orElse(p.source.URL, t.lead.URL)
	p.source.Title = orElse(p.source.Title, line(t.lead.Title, maxQuery))
	p.source.Key = orElse(p.source.Key, link.Key(orElse(p.source.FinalURL, p.source.URL)))
	if p.source.Chars == 0 {
		p.source.Chars = utf8.RuneCountInString(p.text)
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(p.text)); n <= partialDepth || p.source.Hash == "" {
		p.depth = plumb.Snippet
	} else if n <= fullDepth && p.depth != plumb.Snippet {
		p.depth = plumb.PartialScrape
	} else if p.depth == "" {
		p.depth = plumb.FullScrape
	}
	if p.differs = otherTitle(t.lead.Title, p.source.Title); p.differs && p.depth != plumb.Snippet {
		p.note = strings.TrimPrefix(p.note+"; its title differs from that of the search result", "; ")
	}
}

// titleShared is the part of the shorter title's words that the other one has at least, if both are of one page.
const titleShared = 0.34

// otherTitle says whether a page has quite another title than the lead to it: the page may have been replaced. An address
// is no title, and a title of one word tells nothing.
func otherTitle(lead, page string) bool {
	if strings.Contains(lead, "://") || strings.EqualFold(lead, page) {
		return false
	}
	a, b := text.Terms(lead, ""), text.Terms(page, "")
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 2 {
		return false
	}
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return float64(n) < titleShared*float64(len(a))
}

// differing is the factor for the relevance of what a page with another title says.
const differing = 0.95

// row is a finding with all that its unit and its source say of it.
func (r *result) row(s plumb.Source) plumb.Finding {
	f := plumb.Finding{
		SourceURL: s.URL, SourceTitle: title(s), Subtask: r.task.Number, Worker: "researcher-" + r.task.Unit.ID, At: r.task.At, Verified: true,
		SearchType: internal, Verification: "verified", Status: s.Status, Depth: plumb.FullScrape, Chars: s.Chars, Source: s.Hash,
		Unit: r.task.Unit.ID, Area: r.area(), Key: s.Key, Date: s.Date,
	}
	return f
}

// rowOf is a row of a source that was opened.
func (r *result) rowOf(p *reading) plumb.Finding {
	f := r.row(p.source)
	f.SearchType, f.Depth = p.kind, p.depth
	if p.depth == plumb.PartialScrape {
		f.Verification = "partial"
	}
	return f
}

// nextFinding is the name of the unit's next finding.
func (r *result) nextFinding() string {
	return fmt.Sprintf("%s-f%02d", r.task.Unit.ID, len(r.out.Findings)+1)
}

func (r *result) area() string {
	if r.task.Unit.Area == "" && len(r.task.Brief.Areas) == 1 {
		return r.task.Brief.Areas[0].Name
	}
	return r.task.Unit.Area
}

// readAll reads leads at once; what came of them stands in the order of the leads.
func (r *result) readAll(ctx context.Context, leads []target) []*reading {
	out := make([]*reading, len(leads))
	var wg sync.WaitGroup
	for i, t := range leads {
		out[i] = &reading{kind: t.kind, snippet: t.lead.Snippet}
		wg.Go(func() { r.load(ctx, t, out[i]) })
	}
	wg.Wait()
	return out
}

// arrived keeps what came of a lead and says whether there is a text to quote from.
func (r *result) arrived(t target, p *reading) bool {
	if p.err != nil || p.depth == plumb.Snippet {
		r.gone(t, p)
		return false
	}
	r.visitAll(t, p)
	if r.pages[p.source.Hash] != nil {
		r.skip(t, "it has the same text as another source")
		return false
	}
	if r.pages == nil {
		r.pages = map[string]*reading{}
	}
	r.pages[p.source.Hash] = p
	r.read([]plumb.Source{p.source})
	r.remark(p)
	return true
}

// visitAll records all addresses of a source, so that nothing is opened twice.
func (r *result) visitAll(t target, p *reading) {
	for _, url := range []string{t.lead.URL, p.source.URL, p.source.FinalURL} {
		r.visit(url)
	}
}

// visit records an address that need not be opened again.
func (r *result) visit(url string) {
	if url != "" && !slices.Contains(r.task.Visited, url) && !slices.Contains(r.out.Visited, url) {
		r.out.Visited = append(r.out.Visited, url)
	}
}

// remark keeps what whoever read a page noted on it: a paywall, an archived copy, another title than the lead's.
func (r *result) remark(p *reading) {
	if p.note != "" {
		r.note(line(title(p.source), maxHeading) + ": " + line(p.note, maxQuery))
	}
}

// gone deals with a lead that could not be read and says why. A page that is there, but shows too little of itself, leaves
// its search result as a row that is never counted; one that is not there, or lets nobody in, leaves nothing.
func (r *result) gone(t target, p *reading) (why string) {
	if errors.Is(p.err, context.Canceled) || errors.Is(p.err, context.DeadlineExceeded) {
		why = "time ran out"
		r.skip(t, why)
		return why
	}
	why = p.note
	if p.err != nil {
		why = ""
		if t.doc == nil {
			why = p.err.Error()
		}
	}
	why = line(why, maxReasonShown)
	r.visit(t.lead.URL)
	r.skip(t, why)
	r.note("Not read: " + strings.TrimSuffix(line(orElse(t.lead.Title, t.lead.URL), maxHeading)+": "+why, ": "))
	if snippet := line(t.lead.Snippet, maxQuestion); snippet != "" && p.err == nil && t.doc == nil {
		f := r.row(plumb.Source{URL: t.lead.URL, Title: line(t.lead.Title, maxQuery), Status: p.source.Status, Key: link.Key(t.lead.URL), Date: t.lead.Date})
		f.Content, f.Confidence = snippet, plumb.Low
		f.SearchType, f.Verification, f.Verified, f.Depth = t.kind, "failed", false, plumb.Snippet
		r.rows = append(r.rows, f)
	}
	return why
}

// keepRows puts the rows of pages that could not be read behind the findings.
func (r *result) keepRows() {
	for _, f := range r.rows {
		f.ID = r.nextFinding()
		r.out.Findings = append(r.out.Findings, f)
	}
	r.rows = nil
}

// nearestPassages are the passages of a page that are nearest to a topic's phrasings, in the order of the page.
func nearestPassages(p *reading, queries []string) []plumb.Hit {
	all := hitsOf(p.source, p.text)
	if len(all) <= pagePassages {
		return all
	}
	docs := make([][]string, len(all))
	lang := language(queries[0])
	for i, h := range all {
		docs[i] = text.Terms(h.Heading+"\n"+h.Text, lang)
	}
	index := rank.NewBM25(docs)
	var lists [][]string
	for _, q := range queries {
		var ids []string
		for _, s := range index.Search(text.Terms(q, lang), pagePassages) {
			ids = append(ids, fmt.Sprintf("%06d", s.Index))
		}
		lists = append(lists, ids)
	}
	best := rank.Fuse(0, lists...)
	var at []string
	for _, f := range best[:min(len(best), pagePassages)] {
		at = append(at, f.ID)
	}
	var out []plumb.Hit
	for i, h := range all {
		if slices.Contains(at, fmt.Sprintf("%06d", i)) {
			out = append(out, h)
		}
	}
	return out
}
