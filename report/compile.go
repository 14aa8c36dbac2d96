package report

// The published report, final.md: the first seed's template around the draft, every verdict in its place.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/markdown"
)

// Compile makes final.md. The same report gives the same bytes. It is an error when a citation number would resolve to
// no source, or claims and verdicts do not belong together; a report like that is not published.
func Compile(r Report) (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	c := newCompiler(r)
	c.head()
	c.summary()
	c.rule()
	c.section("Key Findings", c.key())
	c.rule()
	c.section("Detailed Analysis", c.analysis())
	c.rule()
	c.section("Verification Notes", c.notes())
	c.rule()
	c.section("Sources", c.sources())
	c.rule()
	c.section("Methodology", c.methodology())
	out := strings.Join(c.blocks, "\n\n") + "\n"
	if r.Kind == plumb.Audit {
		out = c.settle(out)
	}
	if err := Numbers(out, r.Citations); err != nil {
		return "", fmt.Errorf("report %s: %w", r.Run, err)
	}
	return out, nil
}

// check refuses what cannot be published truthfully.
func (r Report) check() error {
	if len(r.Verdicts) > 0 && len(r.Verdicts) != len(r.Claims) {
		return fmt.Errorf("report %s: %d verdicts for %d claims", r.Run, len(r.Verdicts), len(r.Claims))
	}
	if r.checked() && len(r.Verdicts) != len(r.Claims) {
		return fmt.Errorf("report %s: %d claims are not checked: check them or turn checking off", r.Run, len(r.Claims))
	}
	for i, v := range r.Verdicts {
		if v.ClaimID != r.Claims[i].ID {
			return fmt.Errorf("report %s: verdict %d is about %s, not %s", r.Run, i+1, v.ClaimID, r.Claims[i].ID)
		}
	}
	for _, c := range r.Citations {
		if c.Source == "" && r.Kind != plumb.Audit {
			return fmt.Errorf("report %s: citation [%d] %s was never read", r.Run, c.Number, c.URL)
		}
	}
	return nil
}

// checked says whether the report's claims were to be checked.
func (r Report) checked() bool { return r.Limits.Check }

// compiler puts a report together.
type compiler struct {
	r       Report
	o       outline
	edits   []edit         // of the draft, sorted
	byURL   map[string]int // number of a citation by the identity of its address
	numbers map[int]bool
	code    bool          // the draft has code blocks
	gone    []plumb.Claim // dropped by strict
	dangles []int         // numbers of an audited draft that name nothing
	tally   tally
	blocks  []string
}

func newCompiler(r Report) *compiler {
	c := &compiler{r: r, o: outlineOf(r.Draft), tally: tallyOf(r), byURL: map[string]int{}, numbers: map[int]bool{}}
	for _, x := range slices.Backward(r.Citations) {
		c.byURL[link.Identity(x.URL)], c.numbers[x.Number] = x.Number, true
	}
	c.code = slices.ContainsFunc(c.o.doc.Blocks, func(b markdown.Block) bool { return b.Kind == markdown.Code })
	c.gone = dropped(r)
	c.edits = append(c.edits, strictEdits(c.o.doc, c.gone)...)
	if r.checked() {
		var kept []plumb.Claim
		var verdicts []plumb.Verdict
		for i, claim := range r.Claims {
			if len(c.gone) == 0 || r.Verdicts[i].Status == plumb.Supported {
				kept, verdicts = append(kept, claim), append(verdicts, r.Verdicts[i])
			}
		}
		c.edits = append(c.edits, badgeEdits(r.Draft, kept, verdicts)...)
	}
	c.markerEdits()
	c.edits = sortEdits(r.Draft, c.edits)
	return c
}

// markerEdits turns footnote markers into plain ones, since the list of sources is ours, and marks the numbers of
// somebody else's draft that name nothing.
func (c *compiler) markerEdits() {
	for _, m := range c.o.doc.Markers(c.o.entries) {
		if with, ok := c.marker(m); ok {
			c.edits = append(c.edits, edit{m.Start, m.End, with})
		}
	}
	for _, e := range c.o.entries {
		if c.numberOf(e) > 0 { // ours replaces it; any other is still needed where it stands
			from, to := wholeLines(c.r.Draft, e.Start, e.End)
			c.edits = append(c.edits, edit{from, to, ""})
		}
	}
}

// marker is a marker as the report has it, when that is not as the draft has it.
func (c *compiler) marker(m markdown.Marker) (string, bool) {
	if m.Label != "" {
		i := slices.IndexFunc(c.o.entries, func(e markdown.Entry) bool { return strings.EqualFold(e.Label, m.Label) })
		if i >= 0 {
			n := c.numberOf(c.o.entries[i])
			return fmt.Sprintf("[%d]", n), n > 0
		}
	}
	bad := slices.ContainsFunc(m.Numbers, func(n int) bool { return !c.numbers[n] })
	if !bad || c.r.Kind != plumb.Audit {
		return "", false
	}
	out := ""
	for _, n := range m.Numbers {
		if c.numbers[n] {
			out += fmt.Sprintf("[%d]", n)
			continue
		}
		out += fmt.Sprintf("[%d?]", n)
		if !slices.Contains(c.dangles, n) {
			c.dangles = append(c.dangles, n)
		}
	}
	return out, true
}

// settle marks what only became a marker once the draft stood in the template, as a hostile draft can bring about.
func (c *compiler) settle(out string) string {
	for range maxPasses {
		var es []edit
		for _, m := range markdown.Markers(out) {
			if with, ok := c.marker(markdown.Marker{Numbers: m.Numbers}); ok {
				es = append(es, edit{m.Start, m.End, with})
			}
		}
		if len(es) == 0 {
			break
		}
		out = apply(out, 0, len(out), es)
	}
	return out
}

// numberOf is the number under which we list an entry of the draft's source list, 0 when we do not.
func (c *compiler) numberOf(e markdown.Entry) int {
	if n := c.byURL[link.Identity(e.URL)]; e.URL != "" && n > 0 {
		return n
	}
	if e.Label == "" && c.numbers[e.Number] {
		return e.Number
	}
	return 0
}

func (c *compiler) add(blocks ...string) {
	for _, b := range blocks {
		if b = strings.Trim(b, "\n"); strings.TrimSpace(b) != "" {
			c.blocks = append(c.blocks, b)
		}
	}
}

func (c *compiler) rule() { c.add("---") }

func (c *compiler) section(title string, blocks []string) {
	c.add("## " + title)
	c.add(blocks...)
}

func (c *compiler) title() string {
	if c.o.title != "" {
		return c.o.title
	}
	return title(c.r.Brief, c.r.Question)
}

func (c *compiler) head() {
	c.add("# Research Report: " + inert(c.title()))
	status := fmt.Sprintf("%d/%d claims verified", c.tally.of[plumb.Supported], len(c.r.Claims))
	if !c.r.checked() {
		c.add("**The claims of this report were not checked: checking was turned off.**")
		status = "not checked"
	}
	c.add("Generated: " + stamp(c.r.Generated) + "\nVerification Status: " + status)
	c.rule()
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// summary is the draft's, or the text before its first heading; how the gathering ended; the counts.
func (c *compiler) summary() {
	c.add("## Executive Summary")
	p, ok := c.o.find(roleSummary)
	switch lead := c.lead(); {
	case ok:
		c.add(c.part(p, 3)...)
	case lead != "":
		c.add(lead)
	default:
		c.add(note("The draft has no summary."))
	}
	if s := stopped(c.r); s != "" {
		c.add(note(s))
	}
	if c.r.checked() {
		c.add(c.tally.assessment())
		if list := c.against(); list != "" {
			c.add("**Where sources speak against the report:**", list)
		}
	}
}

// lead is the text before the draft's first section.
func (c *compiler) lead() string {
	var parts []string
	for _, i := range c.o.lead {
		if b := c.body(i); b != "" {
			parts = append(parts, b)
		}
	}
	return strings.Join(parts, "\n\n")
}

func (c *compiler) key() []string {
	if p, ok := c.o.find(roleKey); ok {
		if blocks := c.part(p, 3); len(blocks) > 0 {
			return blocks
		}
	}
	if len(c.r.Citations) == 0 && len(c.r.Claims) == 0 {
		return []string{note("There are none.")}
	}
	return []string{note("The draft does not list key findings; its sections follow.")}
}

// analysis is every section that has no other place, in the order of the draft.
func (c *compiler) analysis() []string {
	var out []string
	if _, ok := c.o.find(roleSummary); ok {
		if lead := c.lead(); lead != "" {
			out = append(out, lead)
		}
	}
	for _, p := range c.o.parts {
		switch p.role {
		case roleAnalysis:
			out = append(out, c.part(p, 3)...)
		case roleOther:
			out = append(out, c.whole(p)...)
		}
	}
	if len(out) == 0 {
		out = append(out, note("There is none beyond what stands above."))
	}
	return out
}

// part is the content of a part without its own heading; headings below it begin at level.
func (c *compiler) part(p part, level int) []string {
	var out []string
	if b := c.body(p.from); b != "" {
		out = append(out, b)
	}
	for i := p.from + 1; i < p.to; i++ {
		out = append(out, c.headed(i, level+c.o.doc.Sections[i].Level-c.o.base-1)...)
	}
	return out
}

// whole is a part with its heading. A source list of which nothing is left goes with its heading.
func (c *compiler) whole(p part) []string {
	var out []string
	for i := p.from; i < p.to; i++ {
		if i == c.o.list && c.body(i) == "" && (i+1 == p.to || i > p.from) {
			continue
		}
		out = append(out, c.headed(i, 3+c.o.doc.Sections[i].Level-c.o.base)...)
	}
	return out
}

func (c *compiler) headed(section, level int) []string {
	start, end := c.o.heading(section)
	text := markdown.OneLine(applySorted(c.r.Draft, start, end, c.edits))
	out := []string{strings.TrimRight(strings.Repeat("#", min(max(level, 3), 6))+" "+text, " ")}
	if b := c.body(section); b != "" {
		out = append(out, b)
	}
	return out
}

// body is the text of a section with its edits made.
func (c *compiler) body(section int) string {
	s := c.o.doc.Sections[section]
	from := s.BodyStart
	if section == 0 {
		from = frontMatterEnd(c.o.doc)
	}
	out := applySorted(c.r.Draft, min(from, s.End), s.End, c.edits)
	if len(c.gone) > 0 && !c.code {
		out = squeeze(out)
	}
	return strings.Trim(strings.TrimRight(out, " \t\r\n"), "\n")
}

// frontMatterEnd is where the first block of the text before the first heading begins: front matter is data about the
// draft and no part of it.
func frontMatterEnd(d markdown.Doc) int {
	for _, b := range d.Blocks {
		if b.Section == 0 {
			return lineStart(d.Source, b.Start)
		}
	}
	return d.Sections[0].End
}

// squeeze leaves at most one empty line between blocks and no spaces at the ends of lines.
func squeeze(s string) string {
	for strings.Contains(s, " \n") {
		s = strings.ReplaceAll(s, " \n", "\n")
	}
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return s
}
