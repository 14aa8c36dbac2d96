package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/link"
)

// Outside is the world beyond the user's documents.
type Outside interface {
	// Search gives what a question may search: nil for what it may not.
	Search(w plumb.Where) (web, papers Searcher, err error)
	// Read reads a page whole. The text of its errors may be shown to anyone.
	Read(ctx context.Context, url string) (gather.Page, error)
}

// Searcher finds leads in the engines that a question named, within its domains and dates.
type Searcher interface {
	gather.Searcher
	Hosts() []string // whom queries are sent to
}

// outside gives a unit's tools the world that the question may look at. What comes from there is on tape, failures
// included: a page that could not be read is part of what the models were told.
func (s *Steps) outside(t *Task, tools *gather.Tools) error {
	w := t.Asked.Where
	if s.Outside == nil || len(w.Search)+len(w.Papers) == 0 {
		return nil
	}
	web, papers, err := s.Outside.Search(w)
	if err != nil {
		return Permanent(plain{err})
	}
	if web != nil {
		tools.Web = tapedLeads{web, "search", t.sitting.tape}
	}
	if papers != nil {
		tools.Papers = tapedLeads{papers, "papers", t.sitting.tape}
	}
	tools.Pages = reader{steps: s, task: t}
	return nil
}

// tapedLeads records searches, also those that failed.
type tapedLeads struct {
	gather.Searcher
	kind string
	tape *tape
}

// heard is what came of a search.
type heard struct {
	gather.Leads
	Fail string `json:"fail,omitempty"`
}

func (l tapedLeads) Leads(ctx context.Context, q gather.LeadQuery) (gather.Leads, error) {
	h, err := taped(ctx, l.tape, l.kind, q, func() (heard, error) {
		found, err := l.Searcher.Leads(ctx, q)
		if err != nil && ctx.Err() == nil {
			return heard{Leads: found, Fail: err.Error()}, nil
		}
		return heard{Leads: found}, err
	})
	if err == nil && h.Fail != "" {
		err = plain{errors.New(h.Fail)}
	}
	return h.Leads, err
}

// reader reads pages for one unit: each is kept as a source of the run before anybody quotes it.
type reader struct {
	steps *Steps
	task  *Task
}

// seen is what came of reading a page. Its text is stored by hash.
type seen struct {
	gather.Page
	Fail string `json:"fail,omitempty"`
}

func (r reader) Read(ctx context.Context, lead plumb.Lead) (gather.Page, error) {
	if why := unwanted(r.task.Asked.Where, lead.URL); why != "" {
		return gather.Page{}, plain{errors.New(why)}
	}
	p, err := taped(ctx, r.task.sitting.tape, "page", lead.URL, func() (seen, error) { return r.fetch(ctx, lead.URL) })
	if err != nil {
		return gather.Page{}, err
	}
	if p.Fail != "" {
		return gather.Page{}, plain{errors.New(p.Fail)}
	}
	if p.Source.Hash != "" {
		if p.Text, err = r.steps.Contents.Text(ctx, p.Source.Hash); err != nil {
			return gather.Page{}, err
		}
	}
	return p.Page, nil
}

// fetch reads a page and keeps its text. A page that can't be read is an answer too, unless the run was stopped.
func (r reader) fetch(ctx context.Context, url string) (seen, error) {
	p, err := r.steps.Outside.Read(ctx, url)
	switch {
	case ctx.Err() != nil:
		return seen{}, ctx.Err()
	case err != nil:
		return seen{Fail: clip(err.Error(), 180)}, nil
	}
	w := r.task.Asked.Where
	if why := unwanted(w, p.Source.FinalURL); why != "" && p.Source.FinalURL != "" {
		return seen{Fail: "leads elsewhere: " + why}, nil
	}
	if older(p.Source.Date, w.Since) {
		return seen{Fail: fmt.Sprintf("is of %s: older than %s is left out", p.Source.Date, w.Since)}, nil
	}
	if p.Source.Hash == "" || p.Text == "" {
		p.Source.Hash = ""
		return seen{Page: p}, nil
	}
	return seen{Page: p}, r.steps.Contents.PutSource(context.WithoutCancel(ctx), r.task.Run, p.Source, p.Text)
}

// unwanted says why a question leaves an address out; "" when it does not.
func unwanted(w plumb.Where, url string) string {
	host := link.Host(url)
	within := func(domains []string) bool {
		for _, d := range domains {
			d = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(d)), ".")
			if d != "" && (host == d || strings.HasSuffix(host, "."+d)) {
				return true
			}
		}
		return false
	}
	switch {
	case within(w.Exclude):
		return "the site is left out on request"
	case len(w.Include) > 0 && !within(w.Include):
		return "the site is not among those that were asked for"
	}
	return ""
}

// outsideHosts says who hears of the question when it is searched for.
func (s *Steps) outsideHosts(w plumb.Where) ([]plumb.Host, error) {
	if s.Outside == nil || len(w.Search)+len(w.Papers) == 0 {
		return nil, nil
	}
	web, papers, err := s.Outside.Search(w)
	if err != nil {
		return nil, Permanent(plain{err})
	}
	var out []plumb.Host
	for _, e := range []Searcher{web, papers} {
		if e == nil {
			continue
		}
		for _, name := range e.Hosts() {
			h := plumb.Host{Name: name, Gets: "search queries made from your question"}
			if !slices.Contains(out, h) {
				out = append(out, h)
			}
		}
	}
	return append(out, plumb.Host{Name: "sites that the searches find", Gets: "requests for their pages"}), nil
}
