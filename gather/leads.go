package gather

// Leads: what several searches found, put together and put in order. A lead is worth reading, and proves nothing.

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// How much each ground counts in the order of leads; they add up to 1. A search's own score is comparable within that
// search only, so that it counts little; being found by several searches and speaking of the unit's question count most.
const (
	byRelevance   = 0.35
	bySearch      = 0.20
	byAgreement   = 0.15
	byAuthority   = 0.15
	byRecency     = 0.10
	bySpecificity = 0.05
)

const (
	paperFloor   = 0.3 // relevance of a paper that comes before any page in an academic unit: indexes always find something
	perSite      = 2   // leads of one site, or pages of one work, before the others have had their turn
	halfSpecific = 3   // figures that make a snippet half as specific as one can be
)

// prospect is a lead with what speaks for it.
type prospect struct {
	target
	relevance, agreement, value float64
}

// lineUp makes one list of what several searches found, each page or work once, best first.
func lineUp(lists [][]target, question string, at time.Time, papersFirst bool) []target {
	all := merged(lists)
	lang := language(question)
	most := 0.0
	for _, p := range all {
		most = max(most, p.agreement)
	}
	for _, p := range all {
		p.relevance = text.Compare(question, p.lead.Title+"\n"+p.lead.Snippet, lang, nil).Recall
		p.value = byRelevance*p.relevance + bySearch*min(max(p.lead.Score, 0), 1) + byAgreement*p.agreement/most +
			byAuthority*rank.Authority(p.lead.URL) + byRecency*rank.Recency(p.lead.Date, at) + bySpecificity*specificity(p.lead.Snippet)
	}
	first := func(p *prospect) int {
		if papersFirst && p.kind == paper && p.relevance >= paperFloor {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b *prospect) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(b.value, a.value), strings.Compare(a.lead.URL, b.lead.URL))
	})
	return spread(all)
}

// merged puts leads to the same page or work together and counts by reciprocal rank how far the searches agree on them.
func merged(lists [][]target) []*prospect {
	var all []*prospect
	known := map[string]*prospect{}
	for _, list := range lists {
		counted := map[*prospect]bool{}
		for i, t := range list {
			var p *prospect
			for _, id := range identities(t.lead) {
				p = cmp.Or(p, known[id])
			}
			if p == nil {
				p = &prospect{target: t}
				all = append(all, p)
			} else {
				p.target = sameWork(p.target, t)
			}
			for _, id := range identities(t.lead) {
				if known[id] == nil {
					known[id] = p
				}
			}
			if !counted[p] {
				counted[p] = true
				p.agreement += float64(max(t.lead.Agree, 1)) / float64(rank.FuseK+i+1)
			}
		}
	}
	return all
}

// identities are what a lead's page or work is known by.
func identities(l plumb.Lead) []string {
	out := []string{link.Identity(l.URL)}
	if l.DOI != "" {
		out = append(out, link.Identity(l.DOI))
	}
	return out
}

// sameWork is a lead with what another one to the same work knows besides.
func sameWork(t, o target) target {
	if o.kind == paper {
		t.kind = paper
	}
	if len(o.lead.Snippet) > len(t.lead.Snippet) {
		t.lead.Snippet = o.lead.Snippet
	}
	if len(t.lead.Authors) == 0 {
		t.lead.Authors = o.lead.Authors
	}
	t.lead.Date, t.lead.DOI = cmp.Or(t.lead.Date, o.lead.Date), cmp.Or(t.lead.DOI, o.lead.DOI)
	t.lead.Score = max(t.lead.Score, o.lead.Score)
	return t
}

// spread puts the third and later leads of a site behind those of others.
func spread(all []*prospect) []target {
	var front, back []target
	count := map[string]int{}
	for _, p := range all {
		key := link.Key(p.lead.URL)
		if count[key]++; count[key] <= perSite {
			front = append(front, p.target)
		} else {
			back = append(back, p.target)
		}
	}
	return append(front, back...)
}

// specificity grades a snippet by the figures and dates in it, 0..1: data are worth more than vague words.
func specificity(snippet string) float64 {
	n := float64(len(text.Quantities(snippet)))
	return n / (n + halfSpecific)
}

// mostOutside is how many searches a unit without a model makes of the web, and of papers.
const mostOutside = 3

// outsideQueries are a topic's phrasings as the outside is asked: each with the name it is about, no two of the same
// words, at most n. The question itself comes first for the web, the key terms for papers, whose indexes match words.
func outsideQueries(tp topic, b plumb.Brief, kind string, n int) []string {
	all := append([]string{tp.question}, tp.queries...)
	if len(tp.queries) == 0 {
		all = append(all, queriesOf(tp.question, b)...)
	}
	if kind == paper && len(all) > 1 {
		all = append(all[1:], all[0])
	}
	var out []string
	seen := map[string]bool{}
	for _, q := range all {
		q = line(strings.TrimRight(q, " ?？"), maxQuery)
		if name := b.Entity.Name; name != "" && !says(q, words(name)) {
			q = line(name+" "+q, maxQuery)
		}
		lang := language(q)
		terms := text.Terms(strings.Join(contentWords(q, lang), " "), lang)
		slices.Sort(terms)
		if key := strings.Join(slices.Compact(terms), " "); key != "" && !seen[key] && len(out) < n {
			seen[key] = true
			out = append(out, q)
		}
	}
	return out
}
