// Package markdown reads reports: their sections and blocks, citation markers,
// source lists and plain text, and renders them as HTML that is safe to show.
//
// Every offset is a byte offset into the source that was given, whatever the
// source contains; reading never fails. Blocks follow CommonMark with tables, up
// to the bounds of bound.go: beyond them mark-up is text, so that no source takes
// longer than its length warrants.
package markdown

import (
	"sort"
	"strings"
)

// BlockKind says what a block is.
type BlockKind int

// The kinds of block. A list item, a table row and a paragraph of a quotation
// are blocks of their own; a later paragraph of an item is a Paragraph.
const (
	Heading BlockKind = iota
	Paragraph
	Item
	Row
	Quote
	Code
	RawHTML
	Rule
)

var kindNames = [...]string{"heading", "paragraph", "item", "row", "quote", "code", "html", "rule"}

func (k BlockKind) String() string { return kindNames[k] }

// Block is one block of text. Source[Start:End] is its text without the mark-up
// in front and behind (#, -, 1., >, outer pipes, fences); lines after the first
// keep their indentation and quotation marks.
type Block struct {
	Kind       BlockKind
	Start, End int
	// Level is the level of a heading (1–6), the depth of an item or a quotation
	// (from 1), the number of a row in its table (the header is 0), otherwise the
	// depth of the item the block is in.
	Level   int
	Section int // index into Sections
	Line    int // of Start, from 1
}

// Section is a heading and the text up to the next heading of any level.
type Section struct {
	Level int // 0 for the text before the first heading
	Title string
	// Path is the titles of the headings above, outermost first, and Title.
	Path []string
	// Start is where the heading's line begins, BodyStart the line after it, End
	// the next section's Start. Sections cover the whole source.
	Start, BodyStart, End int
	Line                  int // of the heading, from 1
}

// Doc is a parsed source.
type Doc struct {
	Source   string
	Sections []Section // the first is the text before the first heading, maybe empty
	Blocks   []Block   // in document order
}

// Parse reads a Markdown source. Front matter (YAML or TOML) belongs to the
// first section and to no block.
func Parse(src string) Doc {
	b := builder{src: src, lineAt: 1}
	b.sections = []Section{{Path: []string{}, Line: 1}}
	skip := frontMatter(src)
	b.offset = skip
	b.children(parseBlocks(src[skip:]), context{})
	b.finish()
	return Doc{Source: src, Sections: b.sections, Blocks: b.blocks}
}

// SectionAt returns the section that offset is in: the nearest heading above it,
// of any level.
func (d Doc) SectionAt(offset int) Section { return d.Sections[d.sectionIndex(offset)] }

func (d Doc) sectionIndex(offset int) int {
	i := sort.Search(len(d.Sections), func(i int) bool { return d.Sections[i].Start > offset })
	return max(i-1, 0)
}

// Text returns the source of a block.
func (d Doc) Text(b Block) string { return d.Source[b.Start:b.End] }

// frontMatter returns the length of the front matter of src, 0 without one.
func frontMatter(src string) int {
	from := 0
	if strings.HasPrefix(src, "\ufeff") {
		from = len("\ufeff")
	}
	first := nextLine(src, from)
	fence := strings.TrimRight(src[from:first], " \t\r\n")
	if fence != "---" && fence != "+++" {
		return 0
	}
	for at := first; at < len(src); {
		end := nextLine(src, at)
		line := strings.TrimRight(src[at:end], " \t\r\n")
		if line == fence || fence == "---" && line == "..." {
			return end
		}
		// The first line must be a key: a rule followed by prose is no front matter.
		if at == first && !strings.ContainsAny(line, ":=") {
			return 0
		}
		if line != "" && !isFrontMatterLine(line) {
			return 0
		}
		at = end
	}
	return 0
}

func isFrontMatterLine(line string) bool {
	c := line[0]
	return c == ' ' || c == '\t' || c == '#' || c == '-' || c == '[' || c == ']' || c == '}' || strings.ContainsAny(line, ":=")
}

// nextLine returns where the line after the one at offset begins.
func nextLine(s string, offset int) int {
	if i := strings.IndexByte(s[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(s)
}

// lineStart returns where the line of offset begins.
func lineStart(s string, offset int) int { return strings.LastIndexByte(s[:offset], '\n') + 1 }
