// From goldmark's tree to blocks and sections. Only block parsers run here: link
// definitions and footnotes stay paragraphs, so that no text of a report is
// outside a block.

package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var blockParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	inOrder,
)

var inOrder = parser.WithASTTransformers(util.Prioritized(sourceOrder{}, 100))

// sourceOrder moves a heading before the table that it stands before in the
// source. Goldmark has it behind, and as a heading, when the paragraph that the
// table was cut out of is underlined.
type sourceOrder struct{}

func (o sourceOrder) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) { o.order(doc) }

func (o sourceOrder) order(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; {
		next := n.NextSibling()
		table := n.PreviousSibling()
		if n.Kind() == ast.KindHeading && table != nil && table.Kind() == east.KindTable && table.HasChildren() && n.Pos() < table.FirstChild().Pos() {
			parent.RemoveChild(parent, n)
			parent.InsertBefore(parent, table, n)
		} else if n.Type() == ast.TypeBlock {
			o.order(n)
		}
		n = next
	}
}

func parseBlocks(src string) ast.Node {
	return blockParser.Parse(text.NewReader(bounded(src)))
}

type builder struct {
	src          string
	offset       int // of the text goldmark was given
	sections     []Section
	above        []int // the sections that the next heading may be under
	blocks       []Block
	lineAt, seen int // lineAt is the number of the line that src[seen] is on
}

// context is where in the nesting of quotations and lists a node stands.
type context struct {
	quote, list int
	item        bool // the next text is the first of its item
}

func (b *builder) children(parent ast.Node, c context) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.node(n, c)
		c.item = false
	}
}

func (b *builder) node(n ast.Node, c context) {
	switch n.Kind() {
	case ast.KindHeading:
		b.heading(n.(*ast.Heading), c)
	case ast.KindParagraph, ast.KindTextBlock:
		b.text(n, c)
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		b.lines(Code, n, c.list)
	case ast.KindHTMLBlock:
		b.lines(RawHTML, n, c.list)
	case ast.KindThematicBreak:
		start := b.pos(n)
		b.add(Rule, start, nextLine(b.src, start), c.list)
	case ast.KindList:
		c.list++
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			b.children(item, context{quote: c.quote, list: c.list, item: true})
		}
	case ast.KindBlockquote:
		c.quote++
		b.children(n, c)
	case east.KindTable:
		b.table(n)
	}
}

func (b *builder) text(n ast.Node, c context) {
	switch {
	case c.item:
		b.lines(Item, n, c.list)
	case c.quote > 0:
		b.lines(Quote, n, c.quote)
	default:
		b.lines(Paragraph, n, c.list)
	}
}

// heading adds a heading, and the section it opens unless it stands in a list or
// a quotation.
func (b *builder) heading(n *ast.Heading, c context) {
	if c.quote > 0 || c.list > 0 {
		b.text(n, c)
		return
	}
	pos := b.pos(n)
	start, end := pos, pos
	if n.Lines().Len() > 0 {
		start, end = b.bounds(n.Lines())
	}
	body := nextLine(b.src, end)
	if start == pos && end > pos { // setext: the underline follows
		body = nextLine(b.src, body)
	}
	title := b.src[start:end]
	if strings.ContainsAny(title, "\\`*_[<&~") {
		title, _ = Plain(title)
	}
	b.open(Section{Level: n.Level, Title: OneLine(title), Start: lineStart(b.src, pos), BodyStart: body})
	b.add(Heading, start, end, n.Level)
}

func (b *builder) open(s Section) {
	for len(b.above) > 0 && b.sections[b.above[len(b.above)-1]].Level >= s.Level {
		b.above = b.above[:len(b.above)-1]
	}
	for _, i := range b.above {
		s.Path = append(s.Path, b.sections[i].Title)
	}
	s.Path = append(s.Path, s.Title)
	s.Line = b.line(s.Start)
	b.above = append(b.above, len(b.sections))
	b.sections = append(b.sections, s)
}

func (b *builder) table(n ast.Node) {
	number := 0
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		start := b.pos(row)
		end := nextLine(b.src, start)
		start, end = trimSpace(b.src, start, end)
		if start < end && b.src[start] == '|' {
			start++
		}
		if start < end && b.src[end-1] == '|' && !strings.HasSuffix(b.src[start:end], `\|`) {
			end--
		}
		b.add(Row, start, end, number)
		number++
	}
}

func (b *builder) lines(kind BlockKind, n ast.Node, level int) {
	start := b.pos(n)
	end := start
	if n.Lines().Len() > 0 {
		start, end = b.bounds(n.Lines())
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		end = max(end, b.offset+h.ClosureLine.Stop)
		if n.Lines().Len() == 0 {
			start = b.offset + h.ClosureLine.Start
		}
	}
	b.add(kind, start, end, level)
}

// pos is where a node begins. Goldmark counts a tab behind a > as more than one,
// and may so point behind the end.
func (b *builder) pos(n ast.Node) int { return min(b.offset+max(n.Pos(), 0), len(b.src)) }

func (b *builder) bounds(lines *text.Segments) (start, end int) {
	return b.offset + lines.At(0).Start, b.offset + lines.At(lines.Len()-1).Stop
}

func (b *builder) add(kind BlockKind, start, end, level int) {
	end = min(end, len(b.src))
	if kind == Code {
		end = len(strings.TrimRight(b.src[:end], "\r\n"))
	} else {
		start, end = trimSpace(b.src, start, end)
	}
	b.blocks = append(b.blocks, Block{Kind: kind, Start: start, End: max(start, end), Level: level,
		Section: len(b.sections) - 1, Line: b.line(start)})
}

// line returns the number of the line that offset is on. Blocks come in order,
// so each newline is counted once.
func (b *builder) line(offset int) int {
	if offset < b.seen {
		return b.lineAt - strings.Count(b.src[offset:b.seen], "\n")
	}
	b.lineAt += strings.Count(b.src[b.seen:offset], "\n")
	b.seen = offset
	return b.lineAt
}

// finish closes each section where the next begins.
func (b *builder) finish() {
	for i := range b.sections {
		b.sections[i].End = len(b.src)
		if i+1 < len(b.sections) {
			b.sections[i].End = b.sections[i+1].Start
		}
		b.sections[i].BodyStart = min(b.sections[i].BodyStart, b.sections[i].End)
	}
}

// trimSpace narrows a span to its text without the white space around it.
func trimSpace(s string, start, end int) (int, int) {
	const space = " \t\r\n\v\f"
	start = end - len(strings.TrimLeft(s[start:end], space))
	return start, start + len(strings.TrimRight(s[start:end], space))
}
