// Rendering with spans of the source wrapped in elements of the caller.

package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Span is a stretch of a Markdown source that HTMLSpans wraps.
type Span struct {
	Start, End int
	// Link says that the wrapping element is a link, which may hold no other and
	// stand in no other: links inside become their text, and the part of a span
	// that is inside a link is not wrapped.
	Link bool
}

// Wrap gives the tags around one part of a span, as HTML that is written as it
// is. A span has several parts when it crosses elements: the cells of a row, or
// emphasis that begins in the span and ends behind it. part counts from 0.
type Wrap func(span, part, parts int) (open, end string)

// HTMLSpans renders like HTML, with each span wrapped. Spans may nest, cross and
// cover mark-up; the result is well nested whatever they are. placed counts the
// parts of each span: none when no text of it is rendered outside code blocks
// and HTML. doc: addresses, which no browser opens, are left as text.
func HTMLSpans(src string, spans []Span, wrap Wrap, opts ...HTMLOption) (out string, placed []int, err error) {
	skip := frontMatter(src)
	w := newWrapper(src, skip, spans)
	out, err = convert(src[skip:], newSafeRenderer(opts),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(w, 1100))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(spanRenderer{w, wrap}, 100))))
	if err != nil {
		return "", nil, err
	}
	return out, w.parts, nil
}

// spanNode is a part of a span in the tree.
type spanNode struct {
	ast.BaseInline
	span, part int
	link       bool
}

var kindSpan = ast.NewNodeKind("Span")

func (n *spanNode) Kind() ast.NodeKind            { return kindSpan }
func (n *spanNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type spanRenderer struct {
	w    *wrapper
	wrap Wrap
}

func (r spanRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(kindSpan, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		n := node.(*spanNode)
		open, end := r.wrap(n.span, n.part, r.w.parts[n.span])
		if entering {
			return ast.WalkContinue, write(w, open)
		}
		return ast.WalkContinue, write(w, end)
	})
}

// extent is where the text of a node stands; end < start for a node that has
// none of which the place is known.
type extent struct{ start, end int }

func (e extent) known() bool           { return e.start <= e.end }
func (e extent) within(o extent) bool  { return e.start >= o.start && e.end <= o.end }
func (e extent) touches(o extent) bool { return e.start < o.end && o.start < e.end }

var nowhere = extent{0, -1}

// indexed is a span with its place in the list that was given.
type indexed struct {
	extent
	index int
	link  bool
}

// wrapper puts spans into a tree.
type wrapper struct {
	source  []byte
	spans   []indexed // by start; of those that begin together the longest first
	reach   []int     // the furthest end of the spans up to each
	parts   []int     // of each span as given
	extents map[ast.Node]extent
}

func newWrapper(src string, skip int, spans []Span) *wrapper {
	w := &wrapper{source: []byte(src[skip:]), parts: make([]int, len(spans)), extents: map[ast.Node]extent{}}
	for i, s := range spans {
		e := extent{runeStart(src, s.Start) - skip, runeStart(src, s.End) - skip}
		if e.start = max(e.start, 0); e.start < e.end {
			w.spans = append(w.spans, indexed{e, i, s.Link})
		}
	}
	slices.SortStableFunc(w.spans, func(a, b indexed) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	reach := 0
	for _, s := range w.spans {
		reach = max(reach, s.end)
		w.reach = append(w.reach, reach)
	}
	return w
}

func runeStart(s string, at int) int {
	at = min(max(at, 0), len(s))
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// Transform wraps the spans, block by block.
func (w *wrapper) Transform(doc *ast.Document, _ gtext.Reader, _ parser.Context) { w.block(doc) }

func (w *wrapper) block(n ast.Node) {
	first := n.FirstChild()
	if first == nil {
		return
	}
	if first.Type() != ast.TypeInline {
		for c := first; c != nil; c = c.NextSibling() {
			w.block(c)
		}
		return
	}
	w.plainDocs(n)
	e := w.extent(n)
	if !e.known() {
		return
	}
	from, _ := slices.BinarySearchFunc(w.reach, e.start+1, cmp.Compare[int])
	var cursor ast.Node
	for _, s := range w.spans[from:] {
		if s.start >= e.end {
			break
		}
		if s.touches(e) {
			cursor = w.inline(n, cursor, s)
		}
	}
}

// plainDocs replaces links to the reader's own documents by their text.
func (w *wrapper) plainDocs(n ast.Node) {
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		w.plainDocs(c)
		switch c := c.(type) {
		case *ast.Link:
			if isDoc(c.Destination) {
				unwrap(c)
			}
		case *ast.AutoLink:
			if isDoc(c.URL(w.source)) {
				n.ReplaceChild(n, c, w.label(c))
			}
		}
		c = next
	}
}

// label is the text of an address between angle brackets. Raw text is escaped
// and read no further.
func (w *wrapper) label(n *ast.AutoLink) ast.Node {
	label := n.Label(w.source)
	if at := n.Pos() + 1; at > 0 && bytes.HasPrefix(w.source[min(at, len(w.source)):], label) {
		return ast.NewRawTextSegment(gtext.NewSegment(at, at+len(label)))
	}
	text := ast.NewString(label)
	text.SetRaw(true)
	return text
}

func isDoc(dest []byte) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(string(dest))), "doc:")
}

// unwrap replaces a node by its children.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		n.RemoveChild(n, c)
		parent.InsertBefore(parent, n, c)
		c = next
	}
	parent.RemoveChild(parent, n)
}
