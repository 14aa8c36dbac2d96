package report

// The evidence behind the page's claims, as data for its script: verdicts, and the texts of sources as they were read.

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// How much of the sources the page holds. Beyond these bounds it has only the surroundings of passages.
const (
	maxWhole  = 200 << 10 // bytes of one source
	maxTexts  = 4 << 20   // bytes of all sources that are there as a whole
	maxAround = 1000      // characters on each side of a passage
)

// evidence is the page's data. Offsets are in UTF-16 units of a piece, as scripts count.
type evidence struct {
	Looks   []look           `json:"looks"`
	Claims  []claimEvidence  `json:"claims"`
	Sources []sourceEvidence `json:"sources"`
	Texts   []sourceText     `json:"texts"`
}

type claimEvidence struct {
	ID      string  `json:"id"`
	Text    string  `json:"text"`
	Section string  `json:"section,omitempty"`
	Look    string  `json:"look"`
	Checks  []check `json:"checks"`
}

// check is what one citation says of a claim.
type check struct {
	Look    string   `json:"look"`
	Reason  string   `json:"reason,omitempty"`
	Notes   string   `json:"notes,omitempty"`
	Score   *float64 `json:"score,omitempty"`
	Source  int      `json:"source"` // index, -1 without one
	Text    int      `json:"text"`   // index, -1 when the source's text is not here
	Piece   int      `json:"piece"`
	Start   int      `json:"start"`
	End     int      `json:"end"`             // 0 without a passage
	Passage string   `json:"quote,omitempty"` // when the text is not here
}

type sourceEvidence struct {
	Number int    `json:"number,omitempty"`
	Title  string `json:"title"`
	Href   string `json:"href,omitempty"`
	Place  string `json:"place"`
	Date   string `json:"date,omitempty"`
	Read   string `json:"read,omitempty"`
}

// sourceText is a source's text, as a whole or as the surroundings of its passages.
type sourceText struct {
	Whole  bool    `json:"whole"`
	Chars  int     `json:"chars"` // of the whole text
	Pieces []piece `json:"pieces"`
}

type piece struct {
	Text string `json:"text"`
	stretch
}

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// collector gathers the evidence.
type collector struct {
	r       Report
	out     evidence
	texts   map[string]int   // by hash
	rulers  map[string]ruler // by hash
	sources map[string]int   // by identity of the address
	cited   map[string]int   // text of a citation, by identity of its address
	read    readings
}

func newEvidence(r Report, shown []claimView) evidence {
	c := collector{r: r, texts: map[string]int{}, rulers: map[string]ruler{}, sources: map[string]int{}, cited: map[string]int{}, read: retrieved(r)}
	c.out = evidence{Looks: looks, Claims: []claimEvidence{}, Sources: []sourceEvidence{}, Texts: []sourceText{}}
	for _, x := range r.Citations {
		c.source(x.URL, x.Source, &x)
	}
	c.addTexts(shown)
	for _, x := range slices.Backward(r.Citations) {
		if i, ok := c.texts[x.Source]; ok {
			c.cited[link.Identity(x.URL)] = i
		}
	}
	for _, v := range shown {
		c.out.Claims = append(c.out.Claims, c.claim(v))
	}
	return c.out
}

// source gives the index of a source, and adds it when it is new.
func (c *collector) source(url, hash string, x *plumb.Citation) int {
	id := link.Identity(url)
	if i, ok := c.sources[id]; ok {
		return i
	}
	s := sourceEvidence{Title: place(url), Href: href(url), Place: place(url), Read: c.read.of(hash, url)}
	if x != nil {
		s.Number, s.Title, s.Date = x.Number, titleOf(*x), day(x.Date)
	}
	c.sources[id] = len(c.out.Sources)
	c.out.Sources = append(c.out.Sources, s)
	return c.sources[id]
}

func (c *collector) claim(v claimView) claimEvidence {
	out := claimEvidence{ID: v.ID, Text: v.Claim.Text, Section: v.Claim.Section, Look: v.Key, Checks: []check{}}
	for _, one := range others(v) {
		out.Checks = append(out.Checks, c.check(one))
	}
	if len(out.Checks) == 0 { // not checked: what it cites can still be read
		for _, u := range v.Claim.Citations {
			i := c.source(u, "", nil)
			out.Checks = append(out.Checks, check{Look: "unchecked", Source: i, Text: c.textOf(u)})
		}
	}
	return out
}

// textOf is the index of the text that was read at a cited address, -1 when it is not here.
func (c *collector) textOf(url string) int {
	if i, ok := c.cited[link.Identity(url)]; ok {
		return i
	}
	return -1
}

func (c *collector) check(v plumb.Verdict) check {
	score := v.Score
	out := check{Look: string(known(v.Status)), Reason: spoken(v.Reason), Notes: v.Notes, Score: &score, Source: -1, Text: -1}
	if v.Notes == v.Reason {
		out.Notes = ""
	}
	if v.URL != "" {
		out.Source = c.source(v.URL, v.Source, nil)
		out.Text = c.textOf(v.URL)
	}
	if i, ok := c.texts[v.Source]; ok {
		out.Text = i
	}
	p, ok := c.passage(v)
	if !ok {
		out.Passage = v.Evidence
		return out
	}
	for i, piece := range c.out.Texts[out.Text].Pieces {
		if p.from >= piece.from && p.to <= piece.to {
			at := c.rulers[v.Source]
			out.Piece = i
			out.Start, out.End = at.units(p.from)-at.units(piece.from), at.units(p.to)-at.units(piece.from)
			return out
		}
	}
	return out
}

// passage is where a verdict's evidence stands, if its text is here and the offsets are characters of it.
func (c *collector) passage(v plumb.Verdict) (stretch, bool) {
	text, ok := c.r.Texts[v.Source]
	p := stretch{v.Start, v.End}
	if !ok || v.Source == "" || p.from < 0 || p.from >= p.to || p.to > len(text) || boundary(text, p.from) != p.from || boundary(text, p.to) != p.to {
		return stretch{}, false
	}
	return p, true
}

// addTexts decides how much of each text the page holds, in the order of the citations.
func (c *collector) addTexts(shown []claimView) {
	passages := map[string][]stretch{}
	var hashes []string
	for _, x := range c.r.Citations {
		hashes = append(hashes, x.Source)
	}
	for _, v := range shown {
		for _, one := range others(v) {
			if p, ok := c.passage(one); ok {
				passages[one.Source] = append(passages[one.Source], p)
				hashes = append(hashes, one.Source)
			}
		}
	}
	left := maxTexts
	for _, h := range hashes {
		text, ok := c.r.Texts[h]
		if _, done := c.texts[h]; done || !ok || h == "" || text == "" {
			continue
		}
		t := sourceText{Chars: utf8.RuneCountInString(text)}
		if len(text) <= min(maxWhole, left) {
			left -= len(text)
			t.Whole = true
			t.Pieces = []piece{{text, stretch{0, len(text)}}}
		} else {
			t.Pieces = windows(text, passages[h])
		}
		c.texts[h], c.rulers[h] = len(c.out.Texts), newRuler(text)
		c.out.Texts = append(c.out.Texts, t)
	}
}

// windows are the surroundings of passages. Those that meet are one.
func windows(text string, passages []stretch) []piece {
	passages = slices.Clone(passages)
	slices.SortFunc(passages, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	var spans []stretch
	for _, p := range passages {
		w := stretch{back(text, p.from, maxAround), forth(text, p.to, maxAround)}
		if n := len(spans); n > 0 && w.from <= spans[n-1].to {
			spans[n-1].to = max(spans[n-1].to, w.to)
			continue
		}
		spans = append(spans, w)
	}
	out := make([]piece, len(spans))
	for i, s := range spans {
		out[i] = piece{text[s.from:s.to], s}
	}
	return out
}

// back goes n characters back from an offset.
func back(s string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}

// forth goes n characters on from an offset.
func forth(s string, at, n int) int {
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// ruler counts the UTF-16 units before an offset of a text without reading all of it each time.
type ruler struct {
	text  string
	marks []tick // one for every rulerStep bytes
}

// tick says how many units stand before an offset.
type tick struct{ at, units int }

const rulerStep = 1024

func newRuler(text string) ruler {
	r := ruler{text: text}
	n := 0
	for i, c := range text {
		for i >= len(r.marks)*rulerStep {
			r.marks = append(r.marks, tick{i, n})
		}
		n += width(c)
	}
	return r
}

// units counts those before an offset, which is the beginning of a character.
func (r ruler) units(at int) int {
	k := min(at/rulerStep, len(r.marks)-1)
	if k > 0 && r.marks[k].at > at {
		k--
	}
	if k < 0 {
		return 0
	}
	n := r.marks[k].units
	for _, c := range r.text[r.marks[k].at:at] {
		n += width(c)
	}
	return n
}

// width is the number of UTF-16 units of a character. A byte that is none counts as one, as JSON writes it.
func width(c rune) int {
	if c > 0xffff {
		return 2
	}
	return 1
}
