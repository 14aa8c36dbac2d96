package lab

// Genres: how a press release, a newspaper, an office, a blogger … write about a subject. They tell the same facts in
// different words; some repeat figures that the record does not bear out.

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// genre writes one document about a subject.
type genre struct {
	name  string
	host  string // "": the topic's press site
	path  string
	title []string
	days  int // after the subject was finished
	body  func(*composer)
}

var genres = []genre{
	{"press", "", "/press/{year}/{slug}", []string{"{name}: the facts", "{name}: where we stand", "{press} on the {name}"}, 380, press},
	{"wiki", wikiHost, "/wiki/{wiki}", []string{"{name}"}, 700, wiki},
	{"news", "www.velmark-courier.test", "/{year}/{month}/{slug}", []string{"What became of the {name}", "{name}: the bill is on the table", "The {name} after the speeches"}, 382, news},
	{"paper", papersHost, "/articles/{slug}", nil, 520, study},
	{"statistics", "stats.velmark.test", "/tables/{slug}", []string{"Key figures: {name}"}, 400, statistics},
	{"early", "www.northshore-observer.test", "/news/{slug}-{year}", []string{"{name}: what is known so far", "Doubts about the {name}"}, 60, early},
	{"faq", "answers.velmark.test", "/faq/{slug}", []string{"{name}: questions and answers"}, 420, questions},
	{"audit", "www.audit-office.test", "/reports/{year}/{slug}.pdf", []string{"Special report on the {name}"}, 600, audit},
	{"check", "www.second-look.test", "/checks/{slug}", []string{"{name}: which figures are right?"}, 500, secondLook},
	{"blog", "www.tidewater-notes.test", "/{year}/{slug}", []string{"Some notes on the {name}", "Reading about the {name}"}, 430, blog},
	{"minutes", "minutes.council.test", "/{year}/{month}/{slug}", []string{"Minutes: hearing on the {name}"}, 395, minutes},
	{"trade", "www.trade-gazette.test", "/features/{slug}", []string{"Lessons from the {name}", "{name}: a look at the numbers"}, 450, trade},
	{"campaign", "www.greenwatch.test", "/dossiers/{slug}", []string{"Dossier: {name}"}, 470, campaign},
	{"local", "bulletin.example.org", "/{year}/{slug}", []string{"Our neighbours and the {name}"}, 383, local},
	{"reprint", "gazette.example.net", "/wire/{year}/{slug}", nil, 380, press},
	{"data", "data.velmark.test", "/sets/{slug}.csv", []string{"Data: {name}"}, 410, data},
}

func (g genre) write(w *world, s *subject, k int) *doc {
	host := g.host
	if host == "" {
		host = s.topic.press[0]
	}
	d := &doc{site: w.sites[host], genre: g.name, subject: s, date: s.end.AddDate(0, 0, g.days), format: formatHTML}
	fill := strings.NewReplacer("{name}", s.name, "{press}", s.topic.press[1], "{slug}", s.slug, "{year}", d.date.Format("2006"),
		"{month}", d.date.Format("01"), "{wiki}", strings.ReplaceAll(s.name, " ", "_"))
	d.path = fill.Replace(g.path)
	switch g.name {
	case "audit":
		d.format = formatPDF
	case "data":
		d.format = formatCSV
	case "paper":
		d.paper = paperOf(s, k, d.date)
		d.title = s.fill(s.topic.papers[0].text)
	case "reprint":
		d.title = w.docs[len(w.docs)-slices.IndexFunc(genres, func(o genre) bool { return o.name == "reprint" })].title
	}
	if d.title == "" {
		d.title = capital(fill.Replace(pick(s.rng, g.title)))
	}
	d.author = d.site.byline
	if d.author == "" {
		d.author = pick(s.rng, given) + " " + pick(s.rng, family)
	}
	c := &composer{doc: d, s: s}
	g.body(c)
	return d
}

// composer puts a document together.
type composer struct {
	doc *doc
	s   *subject
}

func (c *composer) add(kind, text string)  { c.doc.blocks = append(c.doc.blocks, piece{kind, text}) }
func (c *composer) h(text string)          { c.add("h2", text) }
func (c *composer) p(sentences ...string)  { c.add("p", strings.Join(sentences, " ")) }
func (c *composer) li(sentences ...string) { c.add("li", strings.Join(sentences, " ")) }

// fills are n sentences that say nothing of weight, each once.
func (c *composer) fills(n int) string {
	order := c.s.rng.Perm(len(c.s.topic.fills))
	var out []string
	for _, i := range order[:min(n, len(order))] {
		out = append(out, c.s.topic.fills[i])
	}
	return strings.Join(out, " ")
}

func (c *composer) day() string { return c.doc.date.Format("2 January 2006") }

func press(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("Velmark, %s.", c.day()), s.say(0, 0), s.say(1, 0))
	c.p(s.say(2, 0), s.say(3, 0))
	c.p(s.quotes[0])
	c.h("Background")
	c.p(s.say(4, 0), s.say(7, 0), s.topic.fills[0], s.topic.fills[1])
	c.p(s.quotes[2], "Journalists can ask the press office for photographs and for the underlying tables.")
}

func wiki(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("The %s is one of the best documented undertakings of its kind in Velmark.", s.name), s.say(0, 0), s.say(2, 0))
	c.h("History")
	c.p(s.say(1, 0), s.say(4, 0), s.topic.fills[2])
	c.h("Figures")
	c.p(s.say(3, 0), s.say(5, 0))
	c.p(s.say(6, 0), s.say(7, 0), s.topic.fills[3])
	c.h("Dispute")
	for _, f := range s.disputed() {
		c.p(f.err, "The record says otherwise: "+lower(f.says[0]))
	}
	c.p(s.quotes[1])
}

func news(c *composer) {
	s := c.s
	c.p(s.say(0, 1), "That is the result of a story which has kept the district busy for years.")
	c.p(s.quotes[1], s.say(1, 1))
	c.p(s.say(2, 1), c.fills(2))
	c.h("What else is known")
	c.p(s.say(4, 1), s.say(5, 0), s.quotes[0])
	c.p(s.say(6, 0), "The next report to parliament is due in autumn.")
}

func early(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("The last word on the %s has not been spoken, but some figures are doing the rounds.", s.name))
	for _, f := range s.disputed() {
		c.p(f.err, "Official confirmation was not to be had before this paper went to press.")
	}
	c.p(s.quotes[1], c.fills(2))
	c.p(s.say(4, 1), s.say(3, 1))
	c.p("Readers who know more are asked to write to the editors.", c.fills(1))
}

func statistics(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("This table brings together the key figures of the %s. It was last checked on %s.", s.name, c.day()))
	for _, r := range s.rows {
		c.add("tr", r[0]+"\t"+r[1])
	}
	c.h("Notes")
	c.p(s.say(0, 0), s.say(3, 0))
	c.p(s.say(5, 0), s.say(6, 0), "Figures are rounded. Earlier estimates that were published in the press have not been used.")
	c.p("The sources are the registers of the offices in charge; definitions have not changed since the first edition of this table.")
}

func questions(c *composer) {
	for _, f := range c.s.facts[:7] {
		c.h(f.ask)
		c.p(f.says[0])
	}
	c.h("Whom can I ask?")
	c.p("The Citizens' Service answers by telephone from eight to six on working days.", c.fills(1))
}

func audit(c *composer) {
	s := c.s
	c.h("Summary")
	c.p(fmt.Sprintf("The Audit Office examined the %s between two sittings of parliament.", s.name), s.say(0, 0), s.say(1, 0))
	for i, heading := range []string{"Time and money", "What was delivered", "Effects", "Open points"} {
		c.h(fmt.Sprintf("%d. %s", i+1, heading))
		c.p(s.say(2*i, 0), s.say(2*i+1, 0), c.fills(2))
		c.p("The Audit Office has seen the files of all offices involved and has no reason to doubt the figures that they contain.", c.fills(3))
	}
	c.h("Recommendation")
	c.p("Offices should publish the figures of such undertakings in one place and correct them there.", s.quotes[1])
}

func secondLook(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("Two sets of figures about the %s are in circulation. We asked for the documents behind both.", s.name))
	for _, f := range s.disputed() {
		c.h(f.ask)
		c.p("One claim goes like this.", f.err)
		c.p("The register has another figure.", f.says[0], "We rate the first claim as misleading.")
	}
	c.h("How we work")
	c.p("A claim is checked against the oldest document that bears on it, and whoever made it is asked before we publish.", c.fills(1))
}

func blog(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("It was a wet Saturday, so I read everything about the %s that I could find.", s.name), c.fills(2))
	for i, f := range s.disputed() {
		c.p([]string{"One number I give as I heard it.", "Another came up in the bar, and I pass it on for what it is worth."}[i%2], f.err)
	}
	c.p("I am no expert, and I did not take notes, so treat all of this with care.", s.say(7, 1))
	c.p("The leaflet that came with the newspaper has this.", s.say(4, 1), "More next week, if the weather stays as it is.")
}

func minutes(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("Hearing of the district council on the %s, held on %s in the small hall. Present: eleven members, two guests, the secretary.", s.name, c.day()))
	c.h("Item 1: report of the office in charge")
	c.p(s.say(1, 1), s.say(5, 1))
	c.h("Item 2: questions of the members")
	c.p(s.say(6, 1), "The chair asked for the figure in writing.", s.say(3, 1))
	c.p(s.quotes[1], "The remark was noted at the speaker's wish.")
	c.h("Item 3: any other business")
	c.p(c.fills(3), "The hearing closed at ten minutes to nine.")
}

func trade(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("What can the trade learn from the %s? Less than the brochures promise, and more than the critics admit.", s.name))
	c.p(s.say(0, 2), s.say(3, 1))
	c.p(s.quotes[2], s.say(1, 2))
	c.h("The numbers behind it")
	c.p(s.say(6, 1), s.say(7, 1), c.fills(1))
	c.p("Suppliers who were not paid in time tell a different story, but none of them wanted to be named.")
}

func campaign(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("Greenwatch has followed the %s from the first application to the last appeal. This dossier collects what we know.", s.name))
	last := s.disputed()[len(s.disputed())-1]
	c.p(last.err, "We ask for a recount by somebody independent.")
	c.p(s.say(5, 0), s.say(6, 0))
	c.p(s.quotes[1], s.say(7, 0), c.fills(2))
	c.p("Members can order the files at cost price. Donations are welcome and do not buy influence.")
}

func local(c *composer) {
	s := c.s
	c.p(fmt.Sprintf("The %s was the talk of the market this week.", s.name), s.say(2, 2), c.fills(2))
	c.p(s.say(0, 2), s.quotes[2])
	c.p(s.say(1, 0), "The baker sold out of his commemorative buns by ten o'clock.")
	c.p("The choir rehearses on Thursdays as usual.", c.fills(2), "Found: one glove, left, brown, at the bus stop.")
}

func data(c *composer) {
	c.add("tr", "Subject\tFigure\tValue")
	for _, r := range c.s.rows {
		c.add("tr", c.s.name+"\t"+r[0]+"\t"+r[1])
	}
	c.add("tr", c.s.name+"\tChecked on\t"+c.doc.date.Format(time.DateOnly))
}

func study(c *composer) {
	s := c.s
	var results []string
	for _, key := range s.topic.papers[0].keys {
		results = append(results, s.fact(key).says[0])
	}
	c.doc.author = strings.Join(c.doc.paper.authors, ", ")
	c.doc.paper.abstract = fmt.Sprintf("The %s is often described with figures that nobody has measured. We report what we measured. %s What this means for similar cases is discussed.",
		s.name, strings.Join(results, " "))
	c.h("Abstract")
	c.p(c.doc.paper.abstract)
	c.h("1 Introduction")
	c.p(s.fact("opened", "period").says[0], fmt.Sprintf("Since then the %s has been described many times, but seldom measured.", s.name), s.say(0, 1))
	c.h("2 Methods")
	c.p("Data were collected by two observers who did not know each other's records, and compared at the end of each season.",
		"Missing values were not replaced. Intervals are given at the level of 95 percent where the sample allows it.")
	c.h("3 Results")
	for _, r := range results {
		c.p(r, "The two observers agreed within the precision of their instruments.")
	}
	c.h("4 Discussion")
	for _, f := range s.disputed() {
		c.p("A different figure has been published elsewhere. "+f.err, "Our data do not support it.")
	}
	c.p("The study has limits: it covers one site, and its period was mild.", c.fills(1))
	c.h("References")
	for i, a := range c.doc.paper.authors {
		c.li(fmt.Sprintf("[%d] %s. Notes on method in %s. %s %d.", i+1, a, s.topic.field, c.doc.paper.journal, c.doc.date.Year()-2-i))
	}
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
