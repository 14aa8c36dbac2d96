// PDF: a page's content stream to glyphs with positions.
package extract

import (
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// matrix is the PDF's [a b c d e f].
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// glyph is a shown character: where its baseline begins, its advance and the
// font size, in points of a page turned so that the text runs left to right.
type glyph struct {
	x, y, w, size float64
	text          string
	turn          int // quarter turns of the text's direction
	order         int // of drawing
}

type textState struct {
	ctm                        matrix
	charSpace, wordSpace       float64
	scale, leading, rise, size float64
	font                       *pdfFont
}

// Bounds of a page: operators over all its forms, glyphs, and forms in forms.
const (
	maxOperators = 4_000_000
	maxGlyphs    = 400_000
	maxForms     = 8
)

// painter follows the operators that place text.
type painter struct {
	fonts   fontCache
	streams pdfStreams
	glyphs  []glyph
	ops     int

	state    textState
	saved    []textState
	tm, line matrix
}

// fontCache keeps fonts by their dictionary, which names its parts by
// reference: the same font on every page is loaded once.
type fontCache map[string]*pdfFont

func (c fontCache) get(v pdf.Value, streams pdfStreams) *pdfFont {
	key := v.String()
	f, ok := c[key]
	if !ok {
		f = newPDFFont(v, streams)
		c[key] = f
	}
	return f
}

func (p *painter) page(contents, resources pdf.Value) {
	p.state = textState{ctm: identity, scale: 1}
	p.tm, p.line = identity, identity
	var data []byte
	if contents.Kind() == pdf.Array {
		for i := range min(contents.Len(), 10_000) {
			data = append(append(data, p.streams.bytes(contents.Index(i))...), '\n')
			if len(data) > maxStream {
				break
			}
		}
	} else {
		data = p.streams.bytes(contents)
	}
	p.run(data, resources, 0)
}

func (p *painter) run(data []byte, resources pdf.Value, depth int) {
	l := &pdfLexer{data: data}
	fonts := map[string]*pdfFont{} // looking a resource up parses it anew
	var args []pdfToken
	for p.ops < maxOperators && len(p.glyphs) < maxGlyphs {
		t, ok := l.next()
		if !ok {
			return
		}
		if t.kind != operatorToken {
			if len(args) < 64 {
				args = append(args, t)
			}
			continue
		}
		p.ops++
		switch t.str {
		case "ID":
			l.skipImage()
		case "Do":
			if len(args) > 0 && depth < maxForms {
				p.form(resources.Key("XObject").Key(args[0].str), resources, depth)
			}
		case "Tf":
			if len(args) >= 2 {
				name := args[0].str
				if fonts[name] == nil {
					fonts[name] = p.fonts.get(resources.Key("Font").Key(name), p.streams)
				}
				p.state.font = fonts[name]
				p.state.size = args[1].num
			}
		default:
			p.operator(t.str, args)
		}
		args = args[:0]
	}
}

func (p *painter) form(v, resources pdf.Value, depth int) {
	if v.Key("Subtype").Name() != "Form" {
		return
	}
	if own := v.Key("Resources"); own.Kind() == pdf.Dict {
		resources = own
	}
	state, saved, tm, line := p.state, p.saved, p.tm, p.line
	p.saved = nil
	if m := v.Key("Matrix"); m.Len() == 6 {
		var fm matrix
		for i := range fm {
			fm[i] = m.Index(i).Float64()
		}
		p.state.ctm = fm.mul(p.state.ctm)
	}
	p.run(p.streams.bytes(v), resources, depth+1)
	p.state, p.saved, p.tm, p.line = state, saved, tm, line
}

// operator handles what needs no resources. Missing operands count as zero, as
// viewers treat them.
func (p *painter) operator(op string, args []pdfToken) {
	num := func(i int) float64 {
		if i < len(args) {
			return args[i].num
		}
		return 0
	}
	switch op {
	case "q":
		if len(p.saved) < 1000 {
			p.saved = append(p.saved, p.state)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			p.state, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		p.state.ctm = matrix{num(0), num(1), num(2), num(3), num(4), num(5)}.mul(p.state.ctm)
	case "BT":
		p.tm, p.line = identity, identity
	case "Tc":
		p.state.charSpace = num(0)
	case "Tw":
		p.state.wordSpace = num(0)
	case "Tz":
		p.state.scale = num(0) / 100
	case "TL":
		p.state.leading = num(0)
	case "Ts":
		p.state.rise = num(0)
	case "Tm":
		p.line = matrix{num(0), num(1), num(2), num(3), num(4), num(5)}
		p.tm = p.line
	case "Td":
		p.move(num(0), num(1))
	case "TD":
		p.state.leading = -num(1)
		p.move(num(0), num(1))
	case "T*":
		p.move(0, -p.state.leading)
	case "Tj", "TJ", "'", "\"":
		p.showOperator(op, args)
	}
}

func (p *painter) showOperator(op string, args []pdfToken) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	switch op {
	case "\"":
		if len(args) >= 3 {
			p.state.wordSpace, p.state.charSpace = args[0].num, args[1].num
		}
		p.move(0, -p.state.leading)
	case "'":
		p.move(0, -p.state.leading)
	case "TJ":
		for _, t := range last.list {
			if t.kind == stringToken {
				p.show(t.str)
			} else {
				p.advance(-t.num / 1000 * p.state.size * p.state.scale)
			}
		}
		return
	}
	p.show(last.str)
}

func (p *painter) move(tx, ty float64) {
	p.line = matrix{1, 0, 0, 1, tx, ty}.mul(p.line)
	p.tm = p.line
}

func (p *painter) advance(tx float64) {
	p.tm[4] += tx * p.tm[0]
	p.tm[5] += tx * p.tm[1]
}

func (p *painter) show(s string) {
	st := &p.state
	if st.font == nil {
		return
	}
	st.font.decode(s, func(c pdfChar) {
		m := matrix{st.size * st.scale, 0, 0, st.size, 0, st.rise}.mul(p.tm).mul(st.ctm)
		if c.text != "" && len(p.glyphs) < maxGlyphs {
			p.place(m, c)
		}
		tx := c.width/1000*st.size + st.charSpace
		if c.space {
			tx += st.wordSpace
		}
		p.advance(tx * st.scale)
	})
}

// place records a glyph, turned by quarter turns to run left to right.
func (p *painter) place(m matrix, c pdfChar) {
	g := glyph{text: expand(c.text), order: len(p.glyphs)}
	if g.text == "" || strings.ContainsRune(g.text, 0) {
		return
	}
	unit := math.Hypot(m[0], m[1])
	g.w = c.width / 1000 * unit
	g.size = math.Hypot(m[2], m[3])
	x, y := m[4], m[5]
	switch {
	case math.Abs(m[0]) >= math.Abs(m[1]) && m[0] >= 0:
		g.x, g.y = x, y
	case math.Abs(m[0]) >= math.Abs(m[1]):
		g.turn, g.x, g.y = 2, -x, -y
	case m[1] > 0:
		g.turn, g.x, g.y = 1, y, -x
	default:
		g.turn, g.x, g.y = 3, -y, x
	}
	// A page is at most 200 inches wide; beyond that nothing is visible.
	if g.size > 0.5 && !math.IsNaN(g.x+g.y+g.w) && math.Abs(g.x) < 15_000 && math.Abs(g.y) < 15_000 {
		p.glyphs = append(p.glyphs, g)
	}
}

var ligatures = strings.NewReplacer(
	"\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st",
	"\u00ad", "-", "\u00a0", " ",
)

// expand writes ligatures as letters, a soft hyphen (which a PDF shows only
// where it is seen) as a hyphen, and drops control and private characters.
func expand(s string) string {
	if len(s) == 1 && s[0] >= ' ' && s[0] < 0x7f {
		return s
	}
	s = ligatures.Replace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0xe000 && r <= 0xf8ff, r == 0xfffd, r == 0xfeff:
			return -1
		}
		return r
	}, s)
}
