package search

// Several answers become one list: cleaned, the same page or work once, fused by reciprocal rank, weighed.

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// How much each ground counts in the score of a lead; they add up to 1. The engines' own order, and how many of them
// agree, count most; what a snippet shows can only be a hint.
const (
	weighFused       = 0.45
	weighRelevance   = 0.25
	weighAuthority   = 0.15
	weighRecency     = 0.10
	weighSpecificity = 0.05
)

// Fewer words than these are shared by pages that have nothing to do with each other.
const (
	minFingerprint = 12 // of title and snippet
	minWorkTitle   = 5  // of a paper's title
	minName        = 3  // letters of an author's name: less is an initial
)

// group is a page or work with all that was said of it.
type group struct {
	lead    plumb.Lead
	engines []string
	fused   float64
	snippet float64 // how good the snippet is
}

// said is a lead as one engine gave it.
type said struct {
	plumb.Lead
	engine int
}

// fuse makes one list of the engines' answers, best first. The answers stand in the engines' order, so that the same
// answers give the same list whoever was faster.
func fuse(answers [][]plumb.Lead, q Query, now time.Time) []plumb.Lead {
	var all []said
	for i, answer := range answers {
		for _, l := range answer[:min(len(answer), maxLimit)] {
			if l, ok := normal(l); ok && q.admits(l) {
				all = append(all, said{l, i})
			}
		}
	}
	terms := terms(q.Text, q.language())
	places := make([]int, len(answers))
	byRoot := map[int]*group{}
	var groups []*group
	for i, root := range same(all) {
		l := all[i]
		g := byRoot[root]
		if g == nil {
			g = &group{lead: l.Lead, snippet: -1}
			byRoot[root] = g
			groups = append(groups, g)
		}
		g.add(l.Lead, terms, q.language())
		if slices.Contains(g.engines, l.Engine) { // a page counts once in each engine, at its best place
			continue
		}
		places[l.engine]++
		g.fused += 1 / float64(rank.FuseK+places[l.engine])
		g.engines = append(g.engines, l.Engine)
	}
	return weigh(groups, terms, q.language(), now)
}

// same gives each lead the index of the first one of its page or work. Two that have nothing in common are the same
// when a third has something in common with both.
func same(all []said) []int {
	root := make([]int, len(all))
	find := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	first := map[string]int{}
	for i, l := range all {
		root[i] = i
		for _, k := range keys(l.Lead) {
			j, known := first[k]
			if !known {
				first[k] = i
				continue
			}
			a, b := find(i), find(j)
			root[max(a, b)] = min(a, b)
		}
	}
	for i := range root {
		root[i] = find(i)
	}
	return root
}

// add takes over what a lead knows better: the address that can be read, the fuller snippet, date and authors.
func (g *group) add(l plumb.Lead, terms []string, lang string) {
	if readable(l.URL) > readable(g.lead.URL) {
		g.lead.URL = l.URL
	}
	if s := relevance(l.Snippet, "", terms, lang) + specificity(l.Snippet); l.Snippet != "" && s > g.snippet {
		g.lead.Snippet, g.snippet = l.Snippet, s
	}
	if len(l.Date) > len(g.lead.Date) {
		g.lead.Date = l.Date
	}
	if len(l.Authors) > len(g.lead.Authors) {
		g.lead.Authors = l.Authors
	}
	if g.lead.DOI == "" {
		g.lead.DOI = l.DOI
	}
}

// readable grades the addresses of a work: arXiv has the text, a resolver leads to a page that may want money.
func readable(url string) int {
	if _, ok := link.ArXiv(url); ok {
		return 2
	}
	if link.Host(url) == "doi.org" {
		return 0
	}
	return 1
}

// keys are what a lead has in common with others of the same page or work.
func keys(l plumb.Lead) []string {
	out := []string{"url " + link.Identity(l.URL)}
	if l.DOI != "" {
		out = append(out, "url "+link.Identity("https://doi.org/"+l.DOI))
	}
	title := words(l.Title)
	if len(l.Authors) > 0 && len(title) >= minWorkTitle {
		for _, name := range words(l.Authors[0]) { // "Ada Lovelace" here is "Lovelace A" there
			if len(name) >= minName {
				out = append(out, "work "+name+" "+strings.Join(title, " "))
			}
		}
	}
	if all := append(title, words(l.Snippet)...); l.Snippet != "" && len(all) >= minFingerprint {
		out = append(out, "text "+strings.Join(all, " "))
	}
	return out
}

func words(s string) []string {
	var out []string
	for _, t := range text.Tokens(s) {
		out = append(out, t.Text)
	}
	return out
}

// weigh scores the groups and sorts them; equal ones stand in the order of their URLs and titles.
func weigh(groups []*group, terms []string, lang string, now time.Time) []plumb.Lead {
	best := 0.0
	for _, g := range groups {
		best = max(best, g.fused)
	}
	out := make([]plumb.Lead, 0, len(groups))
	for _, g := range groups {
		l := g.lead
		l.Engine, l.Agree = strings.Join(g.engines, ", "), len(g.engines)
		l.Score = weighFused*g.fused/best + weighRelevance*relevance(l.Title, l.Snippet, terms, lang) + weighAuthority*authority(l) +
			weighRecency*rank.Recency(l.Date, now) + weighSpecificity*specificity(l.Snippet)
		l.Score = math.Round(l.Score*1e6) / 1e6 // machines differ beyond that
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b plumb.Lead) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Title, b.Title))
	})
	return out
}

// authority is that of the address or, for a work, of its DOI, wherever it can be read.
func authority(l plumb.Lead) float64 {
	a := rank.Authority(l.URL)
	if l.DOI != "" {
		a = max(a, rank.Authority("https://doi.org/"+l.DOI))
	}
	return a
}
