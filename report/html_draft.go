package report

// The draft on the page: rendered, with claims and citation markers in elements of their own.

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"sort"
	"strings"

	"github.com/plumbresearch/plumb/markdown"
)

// change is an edit of the draft that may bring citation numbers with it.
type change struct {
	edit
	cites []cite
}

// cite is a number in the text of a change.
type cite struct{ at, length, number int }

// article renders the draft. Claims of which the text shows nothing are rendered by themselves.
func (c *compiler) article(shown []claimView) (article string, unplaced []string, err error) {
	t := rewrite(c.r.Draft, c.changes())
	spans := make([]markdown.Span, len(shown), len(shown)+len(t.cites))
	for i, v := range shown {
		spans[i] = markdown.Span{Start: t.start(v.Claim.Start), End: t.end(v.Claim.End)}
	}
	for _, x := range t.cites {
		spans = append(spans, markdown.Span{Start: x.at, End: x.at + x.length, Link: true})
	}
	article, placed, err := markdown.HTMLSpans(t.text, spans, func(span, part, parts int) (string, string) {
		if span < len(shown) {
			return claimTags(shown[span], span, part, parts)
		}
		n := t.cites[span-len(shown)].number
		return fmt.Sprintf(`<a class="cite" href="#source-%d" aria-label="source %d">`, n, n), "</a>"
	})
	if err != nil {
		return "", nil, err
	}
	for i, v := range shown {
		if placed[i] == 0 {
			open, end := claimTags(v, i, 0, 1)
			unplaced = append(unplaced, open+html.EscapeString(v.Claim.Text)+end)
		}
	}
	return article, unplaced, nil
}

// claimTags are the tags around a part of a claim. The first part bears the claim's id, the last its mark, which is a
// button: the claim itself cannot be one, since it may hold links.
func claimTags(v claimView, index, part, parts int) (open, end string) {
	id := ""
	if part == 0 {
		id = ` id="` + html.EscapeString(v.ID) + `"`
	}
	open = fmt.Sprintf(`<span class="claim"%s data-claim="%d" data-verdict="%s">`, id, index, v.Key)
	if part < parts-1 {
		return open, "</span>"
	}
	return open, mark(v, index) + "</span>"
}

// mark is the button of a claim. The word joiner keeps it on the line of the claim's last word, in any script.
func mark(v claimView, index int) string {
	return fmt.Sprintf(`<span class="glue">&#8288;<button type="button" class="mark" data-open="%d" aria-expanded="false" aria-controls="panel" aria-label="Claim %d: %s. Show the evidence"><span aria-hidden="true">%s<b> %s</b></span></button></span>`,
		index, v.Number, v.Label, v.Mark, v.Short)
}

// changes make the page's text of the draft: no title, which stands above; no source list, which stands below; strict
// cuts; and markers in one form.
func (c *compiler) changes() []change {
	var out []change
	cited := map[int]bool{}
	for _, x := range c.r.Citations {
		cited[x.Number] = true
	}
	add := func(e edit) { out = append(out, change{edit: e}) }
	for _, e := range strictEdits(c.o.doc, c.gone) {
		add(e)
	}
	for _, m := range c.o.doc.Markers(c.o.entries) {
		if ch, ok := c.markerChange(m, cited); ok {
			out = append(out, ch)
		}
	}
	for _, e := range c.o.entries {
		if c.numberOf(e) > 0 {
			from, to := wholeLines(c.r.Draft, e.Start, e.End)
			add(edit{from, to, ""})
		}
	}
	if c.o.title != "" {
		s := c.o.doc.Sections[1]
		add(edit{s.Start, s.BodyStart, ""})
	}
	if i := c.o.list; i > 0 && c.body(i) == "" && !c.hasBelow(i) {
		s := c.o.doc.Sections[i]
		add(edit{s.Start, s.BodyStart, ""})
	}
	return out
}

// hasBelow reports whether a section has sections under it.
func (c *compiler) hasBelow(i int) bool {
	secs := c.o.doc.Sections
	return i+1 < len(secs) && secs[i+1].Level > secs[i].Level
}

// markerChange writes a marker as one number after the other. Brackets are escaped, lest they become a link with what
// follows. A number that names no source is shown with a question mark.
func (c *compiler) markerChange(m markdown.Marker, cited map[int]bool) (change, bool) {
	numbers := m.Numbers
	if m.Label != "" {
		i := slices.IndexFunc(c.o.entries, func(e markdown.Entry) bool { return strings.EqualFold(e.Label, m.Label) })
		if i >= 0 && c.numberOf(c.o.entries[i]) > 0 {
			numbers = []int{c.numberOf(c.o.entries[i])}
		}
	}
	if len(numbers) == 0 {
		return change{}, false
	}
	ch := change{edit: edit{start: m.Start, end: m.End}}
	for _, n := range numbers {
		if !cited[n] {
			ch.with += fmt.Sprintf(`\[%d?\]`, n)
			continue
		}
		label := fmt.Sprintf(`\[%d\]`, n)
		ch.cites = append(ch.cites, cite{len(ch.with), len(label), n})
		ch.with += label
	}
	return ch, true
}

// rewritten is a text after its changes, with the way from offsets before to offsets after.
type rewritten struct {
	text  string
	cites []cite
	made  []moved
}

// moved is a change that was made: the bytes from to to became those out to end.
type moved struct{ from, to, out, end int }

// rewrite makes the changes. Of those that overlap the one that begins first counts, of those that begin together the
// longest, insertions before both.
func rewrite(src string, cs []change) rewritten {
	cs = slices.Clone(cs)
	slices.SortStableFunc(cs, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.kind(), b.kind()), cmp.Compare(b.end, a.end))
	})
	var b strings.Builder
	var t rewritten
	at := 0
	for _, c := range cs {
		if c.start < at || c.end > len(src) {
			continue
		}
		b.WriteString(src[at:c.start])
		out := b.Len()
		b.WriteString(c.with)
		for _, x := range c.cites {
			t.cites = append(t.cites, cite{out + x.at, x.length, x.number})
		}
		t.made = append(t.made, moved{c.start, c.end, out, b.Len()})
		at = c.end
	}
	b.WriteString(src[at:])
	t.text = b.String()
	return t
}

// start is where a span that began at an offset begins now: behind what was inserted there.
func (t rewritten) start(at int) int {
	i := sort.Search(len(t.made), func(i int) bool { return t.made[i].from > at }) - 1
	switch {
	case i < 0:
		return at
	case at < t.made[i].to:
		return t.made[i].out
	}
	return at - t.made[i].to + t.made[i].end
}

// end is where a span that ended at an offset ends now: before what was inserted there.
func (t rewritten) end(at int) int {
	i := sort.Search(len(t.made), func(i int) bool { return t.made[i].from >= at }) - 1
	switch {
	case i < 0:
		return at
	case at < t.made[i].to:
		return t.made[i].end
	}
	return at - t.made[i].to + t.made[i].end
}
