package lab

// The sites of the simulated web and the documents on them.

import (
	"fmt"
	"strings"
	"time"
)

// site is a host.
type site struct {
	host, name string
	layout     int    // how its pages look: see web/*.html
	byline     string // who writes there; "": people, by name
}

// The hosts that are more than sites with pages. Those without .test are how search indexes name papers, and names that
// the public web archive is asked about: example.org and example.net are nobody's.
const (
	wikiHost      = "wiki.lab.test"
	papersHost    = "papers.lab.test"
	archiveHost   = "archive.lab.test"
	trapsHost     = "traps.lab.test"
	collectorHost = "collector.lab.test" // where injection pages want secrets sent
	innerHost     = "intranet.lab.test"  // whose address is private
	arxivHost     = "arxiv.org"
	doiHost       = "doi.org"
	pubmedHost    = "pubmed.ncbi.nlm.nih.gov"
)

// sites are those that every topic is written about on; each topic's own press site comes besides.
var sites = []site{
	{host: wikiHost, name: "Velmark Wiki", layout: 2, byline: "Velmark Wiki contributors"},
	{host: "www.velmark-courier.test", name: "Velmark Courier", layout: 0},
	{host: "www.northshore-observer.test", name: "Northshore Observer", layout: 1},
	{host: "stats.velmark.test", name: "Statistics Velmark", layout: 1, byline: "Statistics Velmark"},
	{host: "answers.velmark.test", name: "Velmark Citizens' Service", layout: 2, byline: "Citizens' Service"},
	{host: "www.tidewater-notes.test", name: "Tidewater Notes", layout: 0},
	{host: "minutes.council.test", name: "District Council", layout: 2, byline: "Council secretariat"},
	{host: "www.trade-gazette.test", name: "The Trade Gazette", layout: 1},
	{host: "www.greenwatch.test", name: "Greenwatch", layout: 0, byline: "Greenwatch"},
	{host: "www.second-look.test", name: "Second Look", layout: 1},
	{host: "www.audit-office.test", name: "Audit Office", layout: 2, byline: "Audit Office of Velmark"},
	{host: "data.velmark.test", name: "Velmark Open Data", layout: 1, byline: "Statistics Velmark"},
	{host: "bulletin.example.org", name: "The Valley Bulletin", layout: 0},
	{host: "gazette.example.net", name: "The Evening Gazette", layout: 1, byline: "Gazette staff"},
	{host: papersHost, name: "Velmark Journal of Applied Research", layout: 1},
}

// Formats of documents.
const (
	formatHTML = "html"
	formatPDF  = "pdf"
	formatCSV  = "csv"
)

// doc is a document of the web.
type doc struct {
	site    *site
	path    string
	genre   string
	subject *subject
	title   string
	author  string
	date    time.Time
	format  string
	blocks  []piece
	paper   *paper // nil: none
	bad     string // "": it is served as it is
}

// piece of a document: "h2", "p", "li", or "tr" with cells apart by tabs.
type piece struct{ kind, text string }

// paper is what indexes know of a paper.
type paper struct {
	doi, arxiv, pmid string // the last two may be ""
	journal          string
	authors          []string
	abstract         string
}

func (d *doc) url() string { return "http://" + d.site.host + d.path }

// text is all that a document says.
func (d *doc) text() string {
	var b strings.Builder
	for _, p := range d.blocks {
		b.WriteString(strings.ReplaceAll(p.text, "\t", " ") + "\n")
	}
	return b.String()
}

// world is everything that there is.
type world struct {
	sites    map[string]*site
	docs     []*doc
	subjects []*subject
	byURL    map[string]*doc // without scheme
	byPaper  map[string]*doc // by DOI, arXiv id and PubMed id
}

// newWorld makes n documents: subject after subject, each with a page of every genre.
func newWorld(seed uint64, n int, bad float64) *world {
	w := &world{sites: map[string]*site{}, byURL: map[string]*doc{}, byPaper: map[string]*doc{}}
	for i := range sites {
		w.sites[sites[i].host] = &sites[i]
	}
	all := topics()
	for i := range all {
		press := all[i].press
		w.sites[press[0]] = &site{host: press[0], name: press[1], layout: i % 3, byline: press[1]}
	}
	for k := 0; len(w.docs) < n; k++ {
		s := newSubject(&all[k%len(all)], seed, k/len(all))
		w.subjects = append(w.subjects, s)
		for _, g := range genres {
			if len(w.docs) == n {
				break
			}
			w.add(g.write(w, s, k))
		}
	}
	for _, d := range w.docs {
		d.bad = badKind(seed, d, bad)
	}
	return w
}

func (w *world) add(d *doc) {
	w.docs = append(w.docs, d)
	w.byURL[d.site.host+d.path] = d
	if p := d.paper; p != nil {
		w.byPaper[p.doi], w.byPaper[p.arxiv], w.byPaper[p.pmid] = d, d, d
		w.byURL[d.site.host+pdfPath(d)] = d
	}
}

// pdfPath is where the PDF of a paper is, whose page is HTML.
func pdfPath(d *doc) string { return strings.Replace(d.path, "/articles/", "/pdf/", 1) + ".pdf" }

// hosts are all names that the lab answers for.
func (w *world) hosts() []string {
	out := []string{archiveHost, trapsHost, collectorHost, arxivHost, "export." + arxivHost, doiHost, "dx." + doiHost, pubmedHost}
	for h := range w.sites {
		out = append(out, h)
	}
	return out
}

// has reports whether the lab answers for a name.
func (w *world) has(host string) bool {
	switch host {
	case archiveHost, trapsHost, collectorHost, arxivHost, "export." + arxivHost, doiHost, "dx." + doiHost, pubmedHost:
		return true
	}
	return w.sites[host] != nil
}

// related are other documents of the same site, for its pages to link to.
func (w *world) related(d *doc, n int) []*doc {
	var out []*doc
	start := int(hashOf(d.url()) % uint64(len(w.docs)))
	for i := range w.docs {
		o := w.docs[(start+i)%len(w.docs)]
		if o.site == d.site && o != d {
			out = append(out, o)
		}
		if len(out) == n {
			break
		}
	}
	return out
}

// paperOf numbers a paper. Its identifiers are none of the real ones: 10.5555 is the prefix for tests, and no month of
// arXiv has ninety thousand papers.
func paperOf(s *subject, k int, published time.Time) *paper {
	p := &paper{doi: fmt.Sprintf("10.5555/lab.%d.%d", published.Year(), 1000+k), journal: "Velmark Journal of Applied Research"}
	if hashOf(p.doi)%4 != 0 {
		p.arxiv = fmt.Sprintf("%s.%05d", published.AddDate(0, -3, 0).Format("0601"), 90000+k)
	}
	if s.topic.field == "medicine" || s.topic.field == "ecology" {
		p.pmid = fmt.Sprint(990000000 + k)
	}
	p.authors = []string{s.people["scholar"], pick(s.rng, given) + " " + pick(s.rng, family), pick(s.rng, given) + " " + pick(s.rng, family)}
	return p
}
