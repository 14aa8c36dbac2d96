// Rendering of Markdown that may come from anywhere.

package markdown

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// HTMLOption changes how HTML renders.
type HTMLOption func(*safeRenderer)

// IDPrefix sets what the ids of headings and footnotes begin with, and the
// fragments of links to them; the default is "md-". Two texts on one page need
// different prefixes. A page that must not clash with names its scripts use
// keeps it non-empty.
func IDPrefix(prefix string) HTMLOption {
	return func(r *safeRenderer) { r.prefix = prefix }
}

// HTML renders Markdown with tables, strike-through and footnotes to HTML that
// can do nothing: HTML in the source is reduced to its text, images to their
// alternative text, and links lead to http, https, mailto, doc: and fragments
// of the page only. The result is a fragment for a page's body.
func HTML(src string, opts ...HTMLOption) (string, error) {
	return convert(src[frontMatter(src):], newSafeRenderer(opts))
}

// convert renders Markdown with r and whatever else is to take part.
func convert(src string, r *safeRenderer, more ...goldmark.Option) (string, error) {
	md := goldmark.New(append([]goldmark.Option{
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.Footnote),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), withBounds, inOrder,
			parser.WithASTTransformers(util.Prioritized(footnoteLabels{}, 1000))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(r, 100))),
	}, more...)...)
	pc := parser.NewContext(parser.WithIDs(&headingIDs{prefix: r.prefix, used: map[string]int{}}))
	doc := md.Parser().Parse(gtext.NewReader(bounded(src)), parser.WithContext(pc))
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, []byte(src), doc); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	return out.String(), nil
}

// headingIDs makes ids of headings: letters and digits of any script, the rest
// hyphens.
type headingIDs struct {
	prefix string
	used   map[string]int
}

func (h *headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := slug(string(value))
	if id == "" {
		id = "section"
	}
	h.used[id]++
	if n := h.used[id]; n > 1 {
		id = fmt.Sprintf("%s-%d", id, n-1)
	}
	return []byte(h.prefix + id)
}

func (h *headingIDs) Put(value []byte) { h.used[string(value)]++ }

func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			b.WriteRune(r)
		case (r == ' ' || r == '-') && b.Len() > 0:
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// footnoteLabels keeps the label of a footnote, which goldmark replaces by its
// place in the text: [^3] must not be shown as 1.
type footnoteLabels struct{}

const labelAttribute = "footnote-label"

func (footnoteLabels) Transform(doc *ast.Document, _ gtext.Reader, _ parser.Context) {
	labels := map[int][]byte{}
	list, ok := doc.LastChild().(*east.FootnoteList)
	if !ok {
		return
	}
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if f, ok := n.(*east.Footnote); ok {
			labels[f.Index] = f.Ref
		}
	}
	setLabels(doc, labels)
}

func setLabels(n ast.Node, labels map[int][]byte) {
	if f, ok := n.(*east.FootnoteLink); ok {
		f.SetAttributeString(labelAttribute, labels[f.Index])
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		setLabels(c, labels)
	}
}

// safeRenderer replaces goldmark's renderers for everything that can carry an
// address or HTML.
type safeRenderer struct{ prefix string }

func newSafeRenderer(opts []HTMLOption) *safeRenderer {
	r := &safeRenderer{prefix: "md-"}
	for _, o := range opts {
		o(r)
	}
	return r
}

func (r *safeRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindLink, r.link)
	reg.Register(ast.KindAutoLink, r.autolink)
	reg.Register(ast.KindImage, r.image)
	reg.Register(ast.KindRawHTML, r.rawHTML)
	reg.Register(ast.KindHTMLBlock, r.htmlBlock)
	reg.Register(ast.KindFencedCodeBlock, r.code)
	reg.Register(ast.KindCodeBlock, r.code)
	reg.Register(east.KindFootnoteLink, r.footnoteLink)
	reg.Register(east.KindFootnoteBacklink, r.footnoteBacklink)
	reg.Register(east.KindFootnote, r.footnote)
}

const rel = `rel="noopener noreferrer nofollow"`

// target returns the address a link may have, "" for none.
func (r *safeRenderer) target(dest string) string {
	dest = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1 // browsers ignore these inside a scheme
		}
		return c
	}, strings.TrimSpace(dest))
	if fragment, ok := strings.CutPrefix(dest, "#"); ok {
		return "#" + r.prefix + fragment
	}
	lower := strings.ToLower(dest)
	for _, scheme := range []string{"https://", "http://", "mailto:", "doc:"} {
		if strings.HasPrefix(lower, scheme) && len(dest) > len(scheme) {
			return scheme + dest[len(scheme):]
		}
	}
	return ""
}

func (r *safeRenderer) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Link)
	to := r.target(string(n.Destination))
	switch {
	case to == "":
		return ast.WalkContinue, nil
	case !entering:
		return ast.WalkContinue, write(w, "</a>")
	}
	tag := `<a href="` + href(to) + `" ` + rel
	if len(n.Title) > 0 {
		tag += ` title="` + html.EscapeString(html.UnescapeString(string(n.Title))) + `"`
	}
	return ast.WalkContinue, write(w, tag+">")
}

func (r *safeRenderer) autolink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.AutoLink)
	label := html.EscapeString(string(n.Label(source)))
	dest := string(n.URL(source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
		dest = "mailto:" + dest
	}
	if to := r.target(dest); to != "" {
		label = `<a href="` + href(to) + `" ` + rel + `>` + label + `</a>`
	}
	return ast.WalkContinue, write(w, label)
}

// href escapes an address for an attribute: percent-encoding first, since a
// document's path may hold spaces and any script.
func href(to string) string {
	return string(util.EscapeHTML(util.URLEscape([]byte(to), true)))
}

// image leaves the alternative text, which are the node's children.
func (r *safeRenderer) image(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}

func (r *safeRenderer) rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.RawHTML)
	if entering && n.Segments.Len() > 0 {
		s := n.Segments.At(0)
		if strings.HasPrefix(strings.ToLower(string(s.Value(source))), "<br") {
			return ast.WalkSkipChildren, write(w, "<br>")
		}
	}
	return ast.WalkSkipChildren, nil
}

func (r *safeRenderer) htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	p := plainer{src: string(source), code: source}
	p.htmlBlock(node.(*ast.HTMLBlock))
	if s := strings.TrimSpace(p.out.String()); s != "" {
		return ast.WalkContinue, write(w, "<p>"+html.EscapeString(s)+"</p>\n")
	}
	return ast.WalkContinue, nil
}

// code drops the language, which would become a class name.
func (r *safeRenderer) code(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var b strings.Builder
	for i := range node.Lines().Len() {
		s := node.Lines().At(i)
		b.Write(s.Value(source))
	}
	return ast.WalkContinue, write(w, "<pre><code>"+html.EscapeString(b.String())+"</code></pre>\n")
}

func (r *safeRenderer) footnoteLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*east.FootnoteLink)
	shown := fmt.Sprint(n.Index)
	if v, ok := n.AttributeString(labelAttribute); ok {
		if b, ok := v.([]byte); ok && len(b) > 0 {
			shown = string(b)
		}
	}
	return ast.WalkContinue, write(w, fmt.Sprintf(`<sup id="%[1]sfnref%[2]d-%[3]d"><a href="#%[1]sfn%[2]d">%[4]s</a></sup>`,
		html.EscapeString(r.prefix), n.Index, n.RefIndex, html.EscapeString(shown)))
}

func (r *safeRenderer) footnoteBacklink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*east.FootnoteBacklink)
	return ast.WalkContinue, write(w, fmt.Sprintf(` <a href="#%sfnref%d-%d">↩</a>`, html.EscapeString(r.prefix), n.Index, n.RefIndex))
}

func (r *safeRenderer) footnote(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, write(w, "</li>\n")
	}
	n := node.(*east.Footnote)
	value := ""
	if k, ok := markerNumber(string(n.Ref)); ok {
		value = fmt.Sprintf(` value="%d"`, k)
	}
	return ast.WalkContinue, write(w, fmt.Sprintf(`<li id="%sfn%d"%s>`, html.EscapeString(r.prefix), n.Index, value))
}

func write(w util.BufWriter, s string) error {
	_, err := w.WriteString(s)
	return err
}
