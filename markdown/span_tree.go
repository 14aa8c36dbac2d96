// Where the nodes of a tree stand in the source, and wrapping runs of them.

package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// extent is where the text of n stands, without the mark-up around it.
func (w *wrapper) extent(n ast.Node) extent {
	if t, ok := n.(*ast.Text); ok {
		return extent{t.Segment.Start, t.Segment.Stop}
	}
	if e, ok := w.extents[n]; ok {
		return e
	}
	e := nowhere
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if ce := w.extent(c); ce.known() && !e.known() {
			e = ce
		} else if ce.known() {
			e = extent{min(e.start, ce.start), max(e.end, ce.end)}
		}
	}
	if !e.known() && n.Type() == ast.TypeInline && n.Pos() >= 0 {
		e = extent{n.Pos(), n.Pos() + 1}
	}
	w.extents[n] = e
	return e
}

// inline wraps the parts of s among the children of parent, looking from the
// child from on. It returns a child before which no later span has a part.
func (w *wrapper) inline(parent, from ast.Node, s indexed) ast.Node {
	if from == nil {
		from = parent.FirstChild()
	}
	var first ast.Node
	var run []ast.Node
	for c := from; c != nil; {
		e := w.extent(c)
		if e.known() && e.start >= s.end {
			break
		}
		if first == nil && e.touches(s.extent) {
			first = c
		}
		next := c.NextSibling()
		switch {
		case !e.known():
			if len(run) > 0 { // goes with what is around it
				run = append(run, c)
			}
		case !e.touches(s.extent):
		case e.within(s.extent):
			run = append(run, c)
		case isText(c):
			next = splitText(c.(*ast.Text), cutOf(e, s))
			if e.start >= s.start {
				run = append(run, c)
			}
		default:
			w.flush(s, run)
			run = nil
			if !atomic(c) && (!s.link || !isLink(c)) {
				w.inline(c, nil, s)
			}
		}
		c = next
	}
	w.flush(s, run)
	for first != nil && first.Parent() != parent {
		first = first.Parent()
	}
	return first
}

// cutOf is where text that is partly in s must be split first.
func cutOf(e extent, s indexed) int {
	if e.start < s.start {
		return s.start
	}
	return s.end
}

// splitText cuts t at an offset of the source and returns its second half.
func splitText(t *ast.Text, at int) ast.Node {
	tail := ast.NewTextSegment(t.Segment.WithStart(at))
	tail.Segment.Padding = 0
	tail.SetRaw(t.IsRaw())
	tail.SetSoftLineBreak(t.SoftLineBreak())
	tail.SetHardLineBreak(t.HardLineBreak())
	t.SetSoftLineBreak(false)
	t.SetHardLineBreak(false)
	t.Segment = t.Segment.WithStop(at)
	t.Parent().InsertAfter(t.Parent(), t, tail)
	return tail
}

// flush wraps nodes that stand side by side. Nothing is wrapped that shows no
// text.
func (w *wrapper) flush(s indexed, run []ast.Node) {
	for len(run) > 0 && !w.extent(run[len(run)-1]).known() {
		run = run[:len(run)-1]
	}
	if !slices.ContainsFunc(run, w.shows) {
		return
	}
	if s.link {
		if inLink(run[0]) || slices.ContainsFunc(run, hasFixedLink) {
			return
		}
		run = withoutLinks(run)
	}
	parent := run[0].Parent()
	n := &spanNode{span: s.index, part: w.parts[s.index], link: s.link}
	w.parts[s.index]++
	parent.InsertBefore(parent, run[0], n)
	for _, c := range run {
		n.AppendChild(n, c)
	}
}

// shows reports whether a node has text other than white space.
func (w *wrapper) shows(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Text:
		return strings.TrimSpace(string(n.Segment.Value(w.source))) != ""
	case *ast.RawHTML:
		return false
	case *ast.AutoLink, *ast.String, *east.FootnoteLink:
		return true
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if w.shows(c) {
			return true
		}
	}
	return false
}

func isText(n ast.Node) bool { return n.Kind() == ast.KindText }

// atomic nodes are rendered by themselves, not by their children.
func atomic(n ast.Node) bool { return n.Kind() == ast.KindCodeSpan || n.FirstChild() == nil }

// isLink reports whether a node may become an <a>.
func isLink(n ast.Node) bool {
	if s, ok := n.(*spanNode); ok {
		return s.link
	}
	return n.Kind() == ast.KindLink
}

func inLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if isLink(p) {
			return true
		}
	}
	return false
}

// hasFixedLink reports whether there is a link in a node that cannot become its
// text.
func hasFixedLink(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindAutoLink, east.KindFootnoteLink, east.KindFootnoteBacklink:
		return true
	case kindSpan:
		if isLink(n) {
			return true
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if hasFixedLink(c) {
			return true
		}
	}
	return false
}

// withoutLinks replaces the links in a run by their text.
func withoutLinks(run []ast.Node) []ast.Node {
	var out []ast.Node
	for _, n := range run {
		var children []ast.Node
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			children = append(children, c)
		}
		children = withoutLinks(children)
		if n.Kind() != ast.KindLink {
			out = append(out, n)
			continue
		}
		unwrap(n)
		out = append(out, children...)
	}
	return out
}
