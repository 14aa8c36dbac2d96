package report

// Writing without a model: a draft in which every factual sentence is a finding's, word for word, with its source.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/text"
)

// Write writes the draft. Sentences of its own are blocks emphasised as a whole, which are no claims.
func (Extractive) Write(ctx context.Context, m Material) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	d := drafter{m: m, say: phrasesOf(m.Brief.Language)}
	all := statements(m)
	d.block("# " + inert(title(m.Brief, m.Question)))
	if len(all) == 0 {
		d.noEvidence()
	} else {
		d.write(plan(m, all))
	}
	return strings.Join(d.blocks, "\n\n") + "\n", nil
}

const maxQuestionTitle = 200 // characters

// title is the question as a heading.
func title(b plumb.Brief, q plumb.Question) string {
	t := markdown.OneLine(b.Question)
	if t == "" {
		t = markdown.OneLine(q.Text)
	}
	t = clip(t, maxQuestionTitle)
	r, n := utf8.DecodeRuneInString(t)
	return string(unicode.ToUpper(r)) + t[n:]
}

// drafter puts a layout into words.
type drafter struct {
	m      Material
	say    phrases
	blocks []string
	cited  []int
}

func (d *drafter) block(s string)             { d.blocks = append(d.blocks, s) }
func (d *drafter) heading(n int, s string)    { d.block(strings.Repeat("#", n) + " " + inert(s)) }
func (d *drafter) note(f string, args ...any) { d.block(note(fmt.Sprintf(f, args...))) }

func (d *drafter) noEvidence() {
	s := d.m.Standing
	d.heading(2, d.say.summary)
	d.block(note(d.say.noAnswer + " " + fmt.Sprintf(d.say.searched, s.Units, s.Waves, s.Records, s.Cited) + " " + d.say.advice))
}

func (d *drafter) write(l layout) {
	d.heading(2, d.say.summary)
	d.block(d.quotes(l.summary))
	d.caveats(l)
	d.heading(2, d.say.key)
	var bullets []string
	for _, s := range l.key {
		bullets = append(bullets, "- "+d.quote(s))
	}
	if len(bullets) == 0 {
		bullets = append(bullets, note(d.say.above))
	}
	d.block(strings.Join(bullets, "\n"))
	if d.m.style() != plumb.Concise {
		d.heading(2, d.say.analysis)
		for i, area := range d.m.Brief.Areas {
			d.area(area, l.areas[i], l.known[i], l.clashes)
		}
		if len(d.m.Brief.Areas) == 0 {
			d.sources(plumb.Area{}, l.areas[0])
		}
	}
	d.disagreements(l.clashes)
	d.open(l)
	d.heading(2, d.say.sources)
	d.block(strings.TrimRight(sourceList(d.used()), "\n"))
}

// caveats says what a reader of the summary alone must know: that sources disagree, and that some are old.
func (d *drafter) caveats(l layout) {
	switch {
	case l.disputed:
		d.note(d.say.seeDisagree, d.say.disagree)
	case l.outdated:
		d.note(d.say.older, d.say.disagree)
	}
	oldest, newest := "", ""
	for _, s := range l.summary {
		if oldest == "" || compareDates(s.date, oldest) < 0 {
			oldest = s.date
		}
	}
	for _, c := range d.m.Citations {
		if newest == "" || c.Date != "" && compareDates(c.Date, newest) > 0 {
			newest = c.Date
		}
	}
	old, okOld := parseDate(oldest)
	latest, okLatest := parseDate(newest)
	if okOld && okLatest && latest.Sub(old) > superseding {
		d.note(d.say.oldest, d.say.date(oldest), d.say.date(newest))
	}
}

func (d *drafter) area(area plumb.Area, of, known []*statement, clashes []disagreement) {
	d.heading(3, area.Name)
	switch {
	case len(known) == 0:
		d.note("%s", d.say.noPartHere)
		return
	case len(of) == 0 && slices.ContainsFunc(known, func(s *statement) bool { return inAny(clashes, s) }):
		d.note(d.say.seeDisagree, d.say.disagree)
		return
	case len(of) == 0:
		d.note("%s", d.say.above)
		return
	}
	d.sources(area, of)
	if slices.ContainsFunc(known, func(s *statement) bool { return inAny(clashes, s) }) {
		d.note(d.say.seeDisagree, d.say.disagree)
	}
}

func inAny(clashes []disagreement, s *statement) bool {
	return slices.ContainsFunc(clashes, func(c disagreement) bool {
		return slices.Contains(c.sides[0], s) || slices.Contains(c.sides[1], s)
	})
}

// maxOfParagraph is how many quotations a paragraph has at most.
const maxOfParagraph = 4

// sources writes what each source says of an area: its title and date as a line of their own, then the quotations.
func (d *drafter) sources(area plumb.Area, of []*statement) {
	for _, g := range groups(area, of) {
		head := g.of[0].title
		if g.of[0].date != "" && !dates(head, g.of[0].date) {
			head += ", " + d.say.date(g.of[0].date)
		}
		d.block(note(head + ":"))
		for part := range slices.Chunk(g.of, maxOfParagraph) {
			d.block(d.quotes(part))
		}
	}
}

// dates says whether a title has the date of its document already, to the month at least.
func dates(title, date string) bool {
	for _, q := range text.Quantities(title) {
		for _, o := range text.Quantities(day(date)) {
			if q.Kind == text.KindDate && o.Kind == text.KindDate && q.Admits(o) && int(q.Value)%10000 >= 100 {
				return true
			}
		}
	}
	return false
}

func (d *drafter) disagreements(clashes []disagreement) {
	if len(clashes) == 0 {
		return
	}
	d.heading(2, d.say.disagree)
	for _, c := range clashes {
		lead := fmt.Sprintf(d.say.says, inert(c.values[0]), inert(c.values[1]))
		if c.kind == "negation" {
			lead = d.say.denies
		}
		lead += " " + fmt.Sprintf(d.say.dates, d.dated(c.sides[0][0]), d.dated(c.sides[1][0]))
		if c.superseded() {
			lead += " " + d.say.secondNewer
		}
		d.block(note(lead))
		d.block("- " + d.quotes(c.sides[0]) + "\n- " + d.quotes(c.sides[1]))
	}
}

func (d *drafter) dated(s *statement) string {
	if s.date == "" {
		return d.say.undated
	}
	return fmt.Sprintf(d.say.dated, d.say.date(s.date))
}

// open says what is left open: parts without an answer or with a single source, work that was not done, findings left out.
func (d *drafter) open(l layout) {
	var points []string
	for i, area := range d.m.Brief.Areas {
		switch {
		case len(l.known[i]) == 0:
			points = append(points, fmt.Sprintf(d.say.noPart, inert(area.Question)))
		case oneSource(l.known[i]):
			points = append(points, fmt.Sprintf(d.say.onePart, inert(area.Question)))
		}
	}
	if n := d.m.Standing.Failed + d.m.Standing.Skipped; n > 0 {
		points = append(points, fmt.Sprintf(d.say.failed, n))
	}
	if l.leftOut > 0 {
		points = append(points, fmt.Sprintf(d.say.leftOut, l.leftOut))
	}
	if len(points) == 0 {
		return
	}
	d.heading(2, d.say.open)
	for _, p := range points {
		d.block(note(p))
	}
}

func oneSource(of []*statement) bool {
	return !slices.ContainsFunc(of, func(s *statement) bool { return s.source != of[0].source || len(s.cites) > 1 })
}

func (d *drafter) quotes(of []*statement) string {
	parts := make([]string, len(of))
	for i, s := range of {
		parts[i] = d.quote(s)
	}
	return strings.Join(parts, " ")
}

// quote is a statement with its markers. One of several sentences has them behind each, for each is a claim.
func (d *drafter) quote(s *statement) string {
	marks := ""
	for _, n := range s.cites {
		marks += fmt.Sprintf("[%d]", n)
		if !slices.Contains(d.cited, n) {
			d.cited = append(d.cited, n)
		}
	}
	var parts []string
	for _, span := range text.Sentences(s.text, s.lang) {
		parts = append(parts, inert(span.Of(s.text))+" "+marks)
	}
	return strings.Join(parts, " ")
}

// used are the citations that the draft mentions.
func (d *drafter) used() []plumb.Citation {
	return slices.DeleteFunc(slices.Clone(d.m.Citations), func(c plumb.Citation) bool { return !slices.Contains(d.cited, c.Number) })
}
