// Plain text of Markdown, with the way back to the source.

package markdown

import (
	"html"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var plainParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	parser.WithParagraphTransformers(
		util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	withBounds, inOrder,
)

// Plain returns the text of Markdown as a reader sees it: emphasis, link targets,
// HTML tags, escapes and entities are gone, images are their alternative text,
// code spans and blocks their content. Numbers of list items stay, bullets go.
// A line break inside a paragraph is a space (nothing between CJK characters),
// blocks are separated by an empty line, items and rows by a line break, cells
// by " | ".
//
// at maps an offset in text, 0 to len(text), to where that byte comes from in
// src; it never decreases. The span text[i:j] is src[at(i):at(j)], which may end
// with closing mark-up.
func Plain(src string) (text string, at func(int) int) {
	p := plainer{src: src, code: []byte(src)}
	p.block(plainParser.Parse(gtext.NewReader(bounded(src))))
	text = p.out.String()
	runs := append(p.runs, run{len(text), max(p.last, 0), 0})
	return text, func(i int) int {
		k := sort.Search(len(runs), func(k int) bool { return runs[k].plain > i }) - 1
		if k < 0 {
			return 0
		}
		r := runs[k]
		return r.source + min(max(i-r.plain, 0), r.n)
	}
}

// run is a stretch of n bytes that text and source share. Text that the source
// writes otherwise (an entity, a line break) is a run of length 0.
type run struct{ plain, source, n int }

type plainer struct {
	src  string
	code []byte
	out  strings.Builder
	runs []run
	last int // where the source of the text so far ends
	gap  string
}

// copy appends src[start:end] to the text.
func (p *plainer) copy(start, end int) {
	if start >= end {
		return
	}
	p.flush(start)
	p.runs = append(p.runs, run{p.out.Len(), start, end - start})
	p.out.WriteString(p.src[start:end])
	p.last = max(p.last, end)
}

// write appends text that stands for src[start:end].
func (p *plainer) write(s string, start, end int) {
	if s == "" {
		return
	}
	p.flush(start)
	p.runs = append(p.runs, run{p.out.Len(), start, 0})
	p.out.WriteString(s)
	p.last = max(p.last, end)
}

// flush appends the separator owed before text that comes from src[start:].
func (p *plainer) flush(start int) {
	if p.gap != "" && p.out.Len() > 0 {
		p.runs = append(p.runs, run{p.out.Len(), min(p.last, start), 0})
		p.out.WriteString(p.gap)
	}
	p.gap = ""
}

// separate asks for a separator before the next text; the longest wins.
func (p *plainer) separate(s string) {
	if len(s) > len(p.gap) || s == " | " {
		p.gap = s
	}
}

func (p *plainer) block(n ast.Node) {
	switch n.Kind() {
	case ast.KindFencedCodeBlock, ast.KindCodeBlock, ast.KindLinkReferenceDefinition:
		p.raw(n.Lines())
		return
	case ast.KindHTMLBlock:
		p.htmlBlock(n.(*ast.HTMLBlock))
		return
	case ast.KindListItem:
		p.number(n)
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Type() == ast.TypeInline {
			p.inline(c)
			continue
		}
		p.separate(separator(c))
		p.block(c)
	}
}

// separator returns what stands between a block and the one before it.
func separator(n ast.Node) string {
	switch n.Kind() {
	case east.KindTableCell:
		if n.PreviousSibling() != nil {
			return " | "
		}
		return ""
	case east.KindTableRow, ast.KindListItem:
		return "\n"
	}
	if p := n.Parent(); p != nil && p.Kind() == ast.KindListItem {
		if n.PreviousSibling() == nil {
			return ""
		}
		return "\n"
	}
	return "\n\n"
}

// number keeps the number of an ordered item: "1986. A year" may be prose.
func (p *plainer) number(item ast.Node) {
	list, ok := item.Parent().(*ast.List)
	if !ok || !list.IsOrdered() {
		return
	}
	start := max(item.Pos(), 0)
	end := start
	for end < len(p.src) && p.src[end] >= '0' && p.src[end] <= '9' {
		end++
	}
	if end > start && end < len(p.src) && p.src[end] == list.Marker {
		p.copy(start, end+1)
		p.gap = " "
	}
}

func (p *plainer) raw(lines *gtext.Segments) {
	for i := range lines.Len() {
		s := lines.At(i)
		end := s.Stop
		if i == lines.Len()-1 {
			end = s.Start + len(strings.TrimRight(p.src[s.Start:s.Stop], "\r\n"))
		}
		p.copy(s.Start, end)
	}
}

func (p *plainer) htmlBlock(n *ast.HTMLBlock) {
	start, end := max(n.Pos(), 0), 0
	if n.Lines().Len() > 0 {
		start, end = n.Lines().At(0).Start, n.Lines().At(n.Lines().Len()-1).Stop
	}
	if n.HasClosure() {
		end = max(end, n.ClosureLine.Stop)
	}
	for _, s := range textOutsideTags(p.src, start, end) {
		from, to := trimSpace(p.src, s[0], s[1])
		p.entities(from, to, false)
		if from < to {
			p.separate(" ")
		}
	}
	p.gap = ""
}

func (p *plainer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.text(n)
	case *ast.AutoLink:
		p.autolink(n)
	case *ast.RawHTML:
		p.tag(n)
	case *ast.CodeSpan:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				p.codeText(t.Segment.Start, t.Segment.Stop)
			}
		}
	default:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			p.inline(c)
		}
	}
}

// codeText copies a line of a code span, its line break as a space.
func (p *plainer) codeText(start, end int) {
	if end > start && p.src[end-1] == '\n' {
		p.copy(start, end-1)
		p.write(" ", end-1, end)
		return
	}
	p.copy(start, end)
}

// autolink copies <https://…> without its brackets.
func (p *plainer) autolink(n *ast.AutoLink) {
	label := string(n.Label(p.code))
	from := min(max(n.Pos(), 0), len(p.src))
	if i := strings.Index(p.src[from:], label); i >= 0 {
		p.copy(from+i, from+i+len(label))
	}
}

// tag drops an HTML tag; <br> is a line break.
func (p *plainer) tag(n *ast.RawHTML) {
	if n.Segments.Len() == 0 {
		return
	}
	s := n.Segments.At(0)
	if t := strings.ToLower(p.src[s.Start:s.Stop]); strings.HasPrefix(t, "<br") {
		p.write("\n", s.Start, s.Stop)
	}
}

func (p *plainer) text(n *ast.Text) {
	s := n.Segment
	p.entities(s.Start, s.Stop, true)
	switch {
	case n.HardLineBreak():
		p.write("\n", s.Stop, s.Stop)
	case n.SoftLineBreak() && !p.joins(n):
		p.write(" ", s.Stop, s.Stop)
	}
}

// joins reports whether the line break after n stands between CJK characters,
// which are written without spaces.
func (p *plainer) joins(n *ast.Text) bool {
	next, ok := n.NextSibling().(*ast.Text)
	if !ok {
		return false
	}
	a, _ := utf8.DecodeLastRuneInString(p.src[n.Segment.Start:n.Segment.Stop])
	b, _ := utf8.DecodeRuneInString(p.src[next.Segment.Start:next.Segment.Stop])
	return isCJK(a) && isCJK(b)
}

func isCJK(r rune) bool {
	return r >= 0x2e80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60)
}

// entities copies src[start:end] with HTML entities and, if asked, backslash
// escapes undone.
func (p *plainer) entities(start, end int, escapes bool) {
	from := start
	for i := start; i < end; i++ {
		switch p.src[i] {
		case '\\':
			if escapes && i+1 < end && util.IsPunct(p.src[i+1]) {
				p.copy(from, i)
				from = i + 1
				i++
			}
		case '&':
			n := entityLen(p.src[i:end])
			if n == 0 {
				continue
			}
			p.copy(from, i)
			p.write(html.UnescapeString(p.src[i:i+n]), i, i+n)
			from = i + n
			i = from - 1
		}
	}
	p.copy(from, end)
}

// entityLen returns the length of the HTML entity that s begins with, else 0.
func entityLen(s string) int {
	i := strings.IndexByte(s[:min(len(s), 34)], ';')
	if i < 2 || html.UnescapeString(s[:i+1]) == s[:i+1] || strings.ContainsAny(s[1:i], " &") {
		return 0
	}
	return i + 1
}

// textOutsideTags returns the spans of src[start:end] that are neither a tag, a
// comment nor the content of script and style.
func textOutsideTags(src string, start, end int) [][2]int {
	var out [][2]int
	for at := start; at < end; {
		open := strings.IndexByte(src[at:end], '<')
		if open < 0 {
			return append(out, [2]int{at, end})
		}
		if open > 0 {
			out = append(out, [2]int{at, at + open})
		}
		at = tagEnd(src, at+open, end)
	}
	return out
}

// tagEnd returns where the tag at start ends, with the content of an element
// whose content is no text.
func tagEnd(src string, start, end int) int {
	s := src[start:end]
	closing := ">"
	switch l := strings.ToLower(s[:min(len(s), 10)]); {
	case strings.HasPrefix(l, "<!--"):
		closing = "-->"
	case strings.HasPrefix(l, "<script"):
		closing = "</script>"
	case strings.HasPrefix(l, "<style"):
		closing = "</style>"
	}
	i := indexFold(s, closing)
	if i < 0 {
		return end
	}
	return start + i + len(closing)
}

// indexFold is strings.Index for a lower-case ASCII substring, ignoring case.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}
