package gather

// Outside: the web and papers, for units that the documents do not answer. Both are searched at once, the best leads are
// read at once, and one that can't be read makes room for the next best.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/text"
)

// Kinds of source, as findings name them.
const (
	internal = "internal"
	web      = "web"
	paper    = "paper"
)

const (
	libraryTime     = 30 * time.Second // for the documents, where there is an outside to turn to
	searchTime      = 60 * time.Second // for each search
	leadsAsked      = 10               // of each search
	academicSources = 5                // read by an academic unit, whatever the preset reads
	pagePassages    = 16               // of a page, nearest to the question, that sentences are picked from
)

// sources is how many a unit reads.
func (r *result) sources() int {
	n := orDefault(r.task.Limits.Sources, 3)
	if r.task.Unit.Kind == plumb.Academic {
		n = max(n, academicSources)
	}
	return n
}

// Good findings that make a search elsewhere unnecessary. A unit that asks the documents stays with them sooner.
const (
	goodFindings  = 3
	goodDocuments = 2
)

// answered says whether the documents answer a unit's question by themselves: with three sentences that surely do, or
// with such sentences in two documents.
func (r *result) answered(f found) bool {
	good, docs := 0, map[string]bool{}
	for _, p := range f.picked {
		if p.confidence() == plumb.High {
			good++
			docs[p.hit.Source.Hash] = true
		}
	}
	return good >= goodFindings || len(docs) >= goodDocuments || good > 0 && r.task.Unit.Kind == plumb.Internal
}

// lookOutside adds to what the documents say on a topic what the web and papers say. Where the documents answer, only
// the addresses that the question names are read.
func (r *result) lookOutside(ctx context.Context, tp topic, inside found) found {
	leads := r.named()
	if r.answered(inside) {
		const why = "The documents answer this: the outside is not searched."
		show(r.task.Emit, r.task.Unit.ID, plumb.Event{Kind: plumb.Thought, Text: why})
		r.note(why)
	} else {
		leads = append(leads, r.leads(ctx, tp)...)
	}
	leads = r.fresh(leads)
	f, hits := inside, inside.hits
	n, read := r.sources(), 0
	for tried, most := 0, min(len(leads), 2*n); tried < most && ctx.Err() == nil && (read < n || len(f.picked) == 0); {
		batch := leads[tried:min(tried+max(n-read, 1), most)]
		tried += len(batch)
		for i, p := range r.readAll(ctx, batch) {
			if r.arrived(batch[i], p) {
				read++
				hits = append(hits, nearestPassages(p, phrasings(tp, r.task.Brief))...)
			}
		}
		f = r.choose(ctx, tp, inside.lens.lang, hits)
	}
	if read == 0 {
		return f
	}
	r.widen(ctx, tp, &f)
	return r.orNearest(tp, f)
}

// named are the addresses in the question's own words. Links in what is read are not followed: a page could send a reader
// anywhere. What they lead to is read when a search finds it.
func (r *result) named() []target {
	var out []target
	if r.tools.Pages == nil {
		return nil
	}
	for _, f := range link.Find(r.task.Question.Text) {
		out = append(out, target{lead: plumb.Lead{URL: f.URL, Title: f.URL}, kind: web})
	}
	return out
}

// leads searches the web and papers at once and puts what they find in order.
func (r *result) leads(ctx context.Context, tp topic) []target {
	n := mostOutside
	if s := r.task.Limits.Searches; s > 0 {
		n = max(1, min(n, s/2)) // both are searched
	}
	var all []*outsideSearch
	for _, s := range []outsideSearch{{kind: web, in: r.tools.Web}, {kind: paper, in: r.tools.Papers}} {
		if s.in == nil {
			continue
		}
		for _, q := range outsideQueries(tp, r.task.Brief, s.kind, n) {
			all = append(all, &outsideSearch{kind: s.kind, in: s.in, query: q})
		}
	}
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(func() { s.run(ctx, r.task.Brief.Language) })
	}
	wg.Wait()
	var lists [][]target
	for _, s := range all {
		if !r.heard(s) {
			continue
		}
		var list []target
		for _, l := range s.found.Leads {
			list = append(list, target{lead: l, kind: s.kind})
		}
		lists = append(lists, list)
	}
	return lineUp(lists, tp.question, r.task.Question.At, r.task.Unit.Kind == plumb.Academic)
}

// outsideSearch is one search of the web or of papers.
type outsideSearch struct {
	kind, query string
	in          Searcher
	found       Leads
	err         error
}

func (s *outsideSearch) run(ctx context.Context, lang string) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	s.found, s.err = s.in.Leads(ctx, LeadQuery{Text: s.query, Language: orElse(text.Language(s.query), lang), Limit: leadsAsked})
}

// heard tells of a search and says whether it could be made. The words of an error are not shown: what failed, and why,
// is in the news of the search.
func (r *result) heard(s *outsideSearch) bool {
	failed := strings.Join(s.found.News.Failed, "; ")
	if s.err == nil {
		said := fmt.Sprintf("%d leads: %s", len(s.found.Leads), s.query)
		if failed != "" {
			said += " (" + line(failed, maxReasonShown) + ")"
		}
		show(r.task.Emit, r.task.Unit.ID, plumb.News(plumb.LeadsFound, said, s.found.News))
		return true
	}
	why := map[string]string{web: "The web", paper: "Papers"}[s.kind] + " could not be searched"
	switch {
	case errors.Is(s.err, context.DeadlineExceeded):
		why += ": the search timed out"
	case failed != "":
		why += ": " + failed
	}
	why = line(why, maxReasonShown) + "."
	r.note(why)
	show(r.task.Emit, r.task.Unit.ID, plumb.News(plumb.Warning, why, nil))
	return false
}

// maxReasonShown is the length of a reason that users are shown, in characters.
const maxReasonShown = 180

// fresh leaves out leads to what this unit or an earlier one has opened already.
func (r *result) fresh(leads []target) []target {
	known := map[string]bool{}
	for _, v := range slices.Concat(r.task.Visited, r.out.Visited) {
		known[link.Identity(v)] = true
	}
	var out []target
	for _, t := range leads {
		ids := identities(t.lead)
		if slices.ContainsFunc(ids, func(id string) bool { return known[id] }) {
			r.skip(t, "it was opened before")
			continue
		}
		for _, id := range ids {
			known[id] = true
		}
		out = append(out, t)
	}
	return out
}

// skip tells of a lead that came to nothing.
func (r *result) skip(t target, why string) {
	news := plumb.LeadNews{URL: line(t.lead.URL, maxAddress), Title: line(orElse(t.lead.Title, t.lead.URL), maxQuery), Reason: line(orElse(why, "it could not be read"), maxReasonShown)}
	show(r.task.Emit, r.task.Unit.ID, plumb.News(plumb.LeadSkipped, "Not used: "+line(news.Title, maxHeading)+": "+news.Reason, news))
}

// maxAddress is the length of an address that is shown, in characters.
const maxAddress = 2000
