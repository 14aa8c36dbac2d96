package report

// Citing: which sources a report may cite, joined, scored and numbered.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// CiteOptions bound and weigh the choice. The zero value cites all there is, at most 3 of a key.
type CiteOptions struct {
	At     time.Time    // recency counts back from here
	Max    int          // citations; 0: no bound
	PerKey int          // citations of one key; 0: 3
	Entity plumb.Entity // what the question is about: sources about something else are left out
}

const (
	defaultPerKey  = 3
	relevanceShare = 0.7
	recencyShare   = 0.3
	// Sites of the entity itself speak for it, whatever kind of address they have.
	officialCredibility = 0.9
	// Two sources whose findings share that much of their words say the same in the same words.
	reprintLikeness = 0.85
	minReprintTerms = 8
)

// Cite chooses and numbers the sources that a report may cite. Only findings that were read count. Sources with the same
// address, DOI or text are one citation with the best scores of its parts. The best source of each area comes first, so
// that a cap starves none; reprints of a source that is cited come last. leftOut counts the sources that are not cited.
func Cite(fs []plumb.Finding, ss []plumb.Source, o CiteOptions) (cs []plumb.Citation, leftOut int) {
	cs, omitted := CiteWhy(fs, ss, o)
	return cs, len(omitted)
}

// Omission is a source that was read and may not be cited, and why.
type Omission struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Why   string `json:"why"`
}

// CiteWhy is Cite with the reasons: the sources about something else first, then those that others were better than.
func CiteWhy(fs []plumb.Finding, ss []plumb.Source, o CiteOptions) (cs []plumb.Citation, omitted []Omission) {
	chosen, off := onEntity(joinSources(fs, ss), o.Entity)
	omit := func(g *cited, why string) {
		omitted = append(omitted, Omission{URL: g.URL, Title: markdown.OneLine(g.Title), Why: why})
	}
	for _, g := range off {
		omit(g, "nothing in it names "+markdown.OneLine(o.Entity.Name))
	}
	for _, g := range chosen {
		g.score(o)
	}
	slices.SortStableFunc(chosen, func(a, b *cited) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Credibility, a.Credibility), cmp.Compare(a.URL, b.URL))
	})
	chosen = reprintsLast(bestOfAreasFirst(chosen))
	perKey := o.PerKey
	if perKey <= 0 {
		perKey = defaultPerKey
	}
	used := map[string]int{}
	for _, g := range chosen {
		switch {
		case used[g.Key] >= perKey:
			omit(g, fmt.Sprintf("%s of %s cited already", count(perKey, "source"), g.Key))
			continue
		case o.Max > 0 && len(cs) >= o.Max:
			omit(g, fmt.Sprintf("%d more relevant sources are cited", o.Max))
			continue
		}
		used[g.Key]++
		g.Number = len(cs) + 1
		cs = append(cs, g.Citation)
	}
	return cs, omitted
}

// cited is a citation in the making.
type cited struct {
	plumb.Citation
	areas []string
	said  strings.Builder // contents of its findings
}

// joinSources makes one group of all findings whose sources share an address, a DOI or a text.
func joinSources(fs []plumb.Finding, ss []plumb.Source) []*cited {
	byHash := map[string]plumb.Source{}
	for _, s := range ss {
		byHash[s.Hash] = s
	}
	var groups []*cited
	at := map[string]*cited{}
	for _, f := range fs {
		if !f.Citable() {
			continue
		}
		s := byHash[f.Source]
		keys := []string{"hash:" + f.Source, "url:" + link.Identity(f.SourceURL)}
		if doi, ok := link.DOI(s.DOI); ok {
			keys = append(keys, "doi:"+doi)
		}
		var g *cited
		for _, k := range keys {
			switch o := at[k]; {
			case o == nil || o == g:
			case g == nil:
				g = o
			default: // this finding shows that two groups are one
				groups = slices.DeleteFunc(groups, func(x *cited) bool { return x == o })
				g.absorb(o)
				for key, x := range at {
					if x == o {
						at[key] = g
					}
				}
			}
		}
		if g == nil {
			g = &cited{}
			groups = append(groups, g)
		}
		g.add(f, s)
		for _, k := range keys {
			at[k] = g
		}
	}
	return groups
}

// add folds a finding in. The source of the most relevant finding gives the citation its face.
func (g *cited) add(f plumb.Finding, s plumb.Source) {
	face := plumb.Citation{
		Source: f.Source, URL: link.Normalize(f.SourceURL), Title: cmp.Or(s.Title, f.SourceTitle), Authors: s.Authors,
		DOI: s.DOI, Date: cmp.Or(s.Date, f.Date), Key: cmp.Or(s.Key, f.Key, link.Key(f.SourceURL)), Relevance: f.Relevance,
	}
	if doi, ok := link.DOI(s.DOI); ok {
		face.DOI = doi
	}
	g.take(face)
	if !slices.Contains(g.Findings, f.ID) {
		g.Findings = append(g.Findings, f.ID)
	}
	if !slices.Contains(g.areas, f.Area) {
		g.areas = append(g.areas, f.Area)
	}
	g.said.WriteString(f.Content + "\n")
}

// take keeps the better face, with the other's data where it has none.
func (g *cited) take(face plumb.Citation) {
	better, other := g.Citation, face
	if g.Source == "" || face.Relevance > g.Relevance {
		better, other = face, g.Citation
	}
	better.Title = cmp.Or(better.Title, other.Title)
	better.DOI = cmp.Or(better.DOI, other.DOI)
	better.Date = cmp.Or(better.Date, other.Date)
	better.Key = cmp.Or(better.Key, other.Key)
	if len(better.Authors) == 0 {
		better.Authors = other.Authors
	}
	better.Findings = g.Findings
	g.Citation = better
}

func (g *cited) absorb(o *cited) {
	findings, areas := o.Findings, o.areas
	g.take(o.Citation)
	for _, id := range findings {
		if !slices.Contains(g.Findings, id) {
			g.Findings = append(g.Findings, id)
		}
	}
	for _, a := range areas {
		if !slices.Contains(g.areas, a) {
			g.areas = append(g.areas, a)
		}
	}
	g.said.WriteString(o.said.String())
}

func (g *cited) score(o CiteOptions) {
	g.Recency = rank.Recency(g.Date, o.At)
	g.Score = relevanceShare*g.Relevance + recencyShare*g.Recency
	g.Credibility = rank.Authority(g.URL)
	if official(g.URL, o.Entity) {
		g.Credibility = max(g.Credibility, officialCredibility)
	}
}

// official says whether an address is of one of the entity's own sites.
func official(url string, e plumb.Entity) bool {
	d := link.Domain(url)
	return d != "" && slices.ContainsFunc(e.Domains, func(own string) bool { return strings.EqualFold(d, link.Domain("https://"+own)) })
}

// onEntity drops sources in which nothing names the entity: not their title, not their address, not what was found in
// them, and that are not the entity's own. It drops none when they would be the larger part, for then the sources use
// another name.
func onEntity(groups []*cited, e plumb.Entity) (on, off []*cited) {
	names := entityNames(e)
	for _, g := range groups {
		if len(names) > 0 && !official(g.URL, e) && !mentionsAny(g.Title+" "+g.URL+" "+g.said.String(), names) {
			off = append(off, g)
			continue
		}
		on = append(on, g)
	}
	if 2*len(on) < len(groups) {
		return slices.Clone(groups), nil
	}
	return on, off
}

// entityNames are the names of an entity, each as its tokens.
func entityNames(e plumb.Entity) [][]string {
	var out [][]string
	for _, n := range append([]string{e.Name}, e.Queries...) {
		var tokens []string
		for _, t := range text.Tokens(n) {
			tokens = append(tokens, t.Text)
		}
		if len(tokens) > 0 {
			out = append(out, tokens)
		}
	}
	return out
}

// mentionsAny says whether s has all words of one of the names.
func mentionsAny(s string, names [][]string) bool {
	has := map[string]bool{}
	for _, t := range text.Tokens(s) {
		has[t.Text] = true
	}
	return slices.ContainsFunc(names, func(name []string) bool {
		return !slices.ContainsFunc(name, func(t string) bool { return !has[t] })
	})
}

// bestOfAreasFirst moves the best source of each area to the front.
func bestOfAreasFirst(gs []*cited) []*cited {
	var first, rest []*cited
	seen := map[string]bool{}
	for _, g := range gs {
		leads := slices.ContainsFunc(g.areas, func(a string) bool { return !seen[a] })
		for _, a := range g.areas {
			seen[a] = true
		}
		if leads {
			first = append(first, g)
		} else {
			rest = append(rest, g)
		}
	}
	return append(first, rest...)
}

func reprintsLast(gs []*cited) []*cited {
	var first, last []*cited
	var terms [][]string
	for _, g := range gs {
		t := text.Terms(g.said.String(), "")
		reprint := len(t) >= minReprintTerms && slices.ContainsFunc(terms, func(o []string) bool {
			return len(o) >= minReprintTerms && rank.Jaccard(t, o) >= reprintLikeness
		})
		if reprint {
			last = append(last, g)
			continue
		}
		first, terms = append(first, g), append(terms, t)
	}
	return append(first, last...)
}
