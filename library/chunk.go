package library

// Passages: parts of a text of a size that a search can find and a reader can
// take in, which begin and end where sentences do.

import (
	"strings"
	"unicode"

	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/text"
)

// Sizes of a passage in bytes.
const (
	enough   = 600  // a passage of this size ends with its paragraph
	most     = 900  // nothing more is added beyond this
	little   = 200  // the rest of a section that is smaller joins the passage before,
	mostTail = 1100 // if both together stay below this
	longest  = 4000 // what goes on longer without a full stop is no sentence, and is cut between words
)

// chunk is a passage before its terms are counted.
type chunk struct {
	start, end int
	heading    string // nearest
	heads      string // all headings above it, and the header row of its table
}

// chunks cuts a document into passages, in order, without overlap. Headings and
// the list of references belong to none of them.
func chunks(doc extract.Document, lang string) []chunk {
	c := chunker{s: doc.Text, lang: lang, csv: doc.Format == extract.CSV}
	bs := blocks(doc.Text, doc.Format, doc.References)
	for i, b := range bs {
		switch b.kind {
		case heading:
			c.enter(b)
		case row:
			c.row(b, bs, i)
		case paragraph:
			c.leaveTable()
			c.paragraph(b)
		}
	}
	c.endSection()
	if len(c.out) == 0 && len(bs) > 0 && doc.References == nil { // nothing but headings
		c.path = nil
		c.paragraph(block{start: bs[0].start, end: bs[len(bs)-1].end})
	}
	return c.out
}

type chunker struct {
	s, lang string
	csv     bool
	out     []chunk
	path    []string // headings above, by level; "" where a level was left out
	section int      // index in out of the first passage of the section
	header  string   // header row of the table under way
	table   bool
	open    bool // the last passage may grow
}

// enter begins a section.
func (c *chunker) enter(b block) {
	c.endSection()
	c.leaveTable()
	for len(c.path) < b.level {
		c.path = append(c.path, "")
	}
	c.path = append(c.path[:b.level-1:b.level-1], headingText(c.s[b.start:b.end]))
	c.section = len(c.out)
}

// endSection lets a small rest join the passage before it.
func (c *chunker) endSection() {
	c.open = false
	n := len(c.out)
	if n-c.section < 2 {
		return
	}
	last, before := c.out[n-1], c.out[n-2]
	if last.end-last.start < little && last.end-before.start <= mostTail && last.heads == before.heads {
		c.out[n-2].end = last.end
		c.out = c.out[:n-1]
	}
}

func (c *chunker) leaveTable() {
	if c.table {
		c.table, c.header, c.open = false, "", false
	}
}

// row adds a row of a table. The first row is the header of those that follow,
// unless the rows name their columns themselves as those of a CSV file do.
func (c *chunker) row(b block, bs []block, i int) {
	if !c.table {
		c.table, c.open = true, false
		if !c.csv && i+1 < len(bs) && (bs[i+1].kind == row || bs[i+1].kind == separator) {
			defer func() { c.header = headingText(strings.Trim(c.s[b.start:b.end], "| ")) }()
		}
	}
	c.unit(b.start, b.end, false)
}

// paragraph adds a paragraph, whole if it fits, else sentence by sentence.
func (c *chunker) paragraph(b block) {
	if b.end-b.start <= most {
		c.unit(b.start, b.end, true)
		return
	}
	first := true
	for _, s := range text.Sentences(c.s[b.start:b.end], c.lang) {
		c.unit(b.start+s.Start, b.start+s.End, first)
		first = false
	}
}

// unit adds what must not be cut; fresh says that a paragraph begins with it.
func (c *chunker) unit(start, end int, fresh bool) {
	for end-start > longest {
		at := start + wordEnd(c.s[start:end], longest)
		c.begin(start, at)
		c.open = false
		start = at + len(c.s[at:end]) - len(strings.TrimLeftFunc(c.s[at:end], unicode.IsSpace))
	}
	if start == end {
		return
	}
	if c.open {
		last := &c.out[len(c.out)-1]
		if end-last.start <= most && !(fresh && last.end-last.start >= enough) {
			last.end = end
			return
		}
	}
	c.begin(start, end)
}

func (c *chunker) begin(start, end int) {
	k := chunk{start: start, end: end}
	for _, h := range c.path {
		if h != "" {
			k.heading = h
			k.heads += h + "\n"
		}
	}
	if c.header != "" {
		k.heading = strings.TrimSpace(k.heading + " (" + c.header + ")")
		k.heads += c.header
	}
	c.out, c.open = append(c.out, k), true
}

// wordEnd is the end of the last word of s that ends at or before n, or of the
// last character if there is none in the second half.
func wordEnd(s string, n int) int {
	at := len(cut(s, n))
	if i := strings.LastIndexFunc(s[:at], unicode.IsSpace); i > n/2 {
		return i
	}
	return at
}
