// Bounds on mark-up. Goldmark's time grows with the square of the containers that
// one line opens and of the marks in one paragraph that lead to nothing, so what
// goes beyond any report is taken for text.

package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxDepth is how many quotations and lists one line may open.
	maxDepth = 64
	// maxMarks is how many of the characters [ * _ ~ < a paragraph, or a single
	// line such as a table row, may have before the rest of them are text.
	maxMarks = 1000
	// maxDefinitions is how many lines of link definitions may follow each other.
	maxDefinitions = 1000
)

// inert replaces mark-up in what is parsed. What is shown comes from the source.
const inert = 'x'

// bounded returns a copy of src for goldmark, of the same length, with the marks
// beyond the bounds of a line made inert.
func bounded(src string) []byte {
	b := []byte(src)
	for at := 0; at < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		boundDepth(b[at:end])
		if end-at > maxMarks {
			m := marks{max: maxMarks}
			m.bound(b[at:end])
		}
		at = end
	}
	return b
}

// boundDepth makes the first container mark beyond maxDepth inert: the line is
// text from there on.
func boundDepth(line []byte) {
	depth, i := 0, 0
	for {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		n := containerMark(line[i:])
		if n == 0 {
			return
		}
		if depth++; depth > maxDepth {
			line[i] = inert
			return
		}
		i += n
	}
}

// containerMark returns the length of the >, bullet or list number that line
// begins with, 0 without one.
func containerMark(line []byte) int {
	n := 0
	for n < len(line) && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	switch {
	case n == len(line):
		return 0
	case n == 0 && line[0] == '>':
		return 1
	case n == 0 && bytes.IndexByte([]byte("-+*"), line[0]) >= 0, n > 0 && (line[n] == '.' || line[n] == ')'):
		if n+1 == len(line) || bytes.IndexByte([]byte(" \t\r\n"), line[n+1]) >= 0 {
			return n + 1
		}
	}
	return 0
}

// marks counts the characters that may open something inline.
type marks struct {
	seen, max int
	over      bool
}

// bound makes the marks inert that are too many. It begins with a word or a
// bracket, never within an address.
func (m *marks) bound(b []byte) {
	for i, c := range b {
		switch c {
		case '[', '*', '_', '~', '<':
			m.seen++
			if m.seen > m.max && (c == '[' || c == '<' || i == 0 || b[i-1] <= ' ') {
				m.over = true
			}
		case ']':
		default:
			continue
		}
		if m.over {
			b[i] = inert
		}
	}
}

var withBounds = parser.WithParagraphTransformers(
	util.Prioritized(definitionBound{}, 50), // before definitions are read, at 100
	util.Prioritized(paragraphBound{}, 900), // when tables, at 200, are taken out
)

// definitionBound makes lines inert that can be link definitions, from the
// paragraph's line maxDefinitions on.
type definitionBound struct{}

func (definitionBound) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	for i := maxDefinitions; i < p.Lines().Len(); i++ {
		s := p.Lines().At(i)
		line := reader.Source()[s.Start:s.Stop]
		if rest := bytes.TrimLeft(line, " \t"); bytes.HasPrefix(rest, []byte("[")) {
			rest[0] = inert
		}
	}
}

// paragraphBound holds the lines of a paragraph together to maxMarks.
type paragraphBound struct{}

func (paragraphBound) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	m := marks{max: maxMarks}
	for i := range p.Lines().Len() {
		s := p.Lines().At(i)
		m.bound(reader.Source()[s.Start:s.Stop])
	}
}
