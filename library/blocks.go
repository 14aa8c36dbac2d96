package library

// The outer structure of a text: headings, paragraphs, tables.

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/extract"
)

type kind uint8

const (
	paragraph kind = iota
	heading
	row       // of a table
	separator // the |---|---| below a header row
)

// block is a run of lines without the line end of the last.
type block struct {
	start, end int
	kind       kind
	level      int // of a heading, from 1
}

// blocks cuts a text into headings, paragraphs and rows, in order. A paragraph
// ends at a blank line, a heading, a row, and where the references begin or end.
func blocks(s, format string, refs *extract.Range) []block {
	c := cutter{s: s, format: format}
	for pos := 0; pos < len(s); {
		end := len(s)
		if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
			end = pos + i
		}
		if refs != nil && (pos == refs.Start || pos == refs.End) {
			c.close()
		}
		if refs == nil || pos < refs.Start || pos >= refs.End {
			c.line(pos, end)
		}
		pos = end + 1
	}
	c.close()
	return c.out
}

type cutter struct {
	s, format string
	out       []block
	open      bool // the last block is a paragraph that may go on
	fenced    bool
}

func (c *cutter) close() { c.open = false }

func (c *cutter) add(start, end int, k kind, level int) {
	c.out = append(c.out, block{start: start, end: end, kind: k, level: level})
	c.open = k == paragraph
}

func (c *cutter) line(start, end int) {
	line := c.s[start:end]
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		c.close()
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		c.fenced = !c.fenced && c.format == extract.Markdown
		c.prose(start, end)
	case c.fenced:
		c.prose(start, end)
	case c.format == extract.CSV:
		c.add(start, end, row, 0)
	case isSeparator(trimmed):
		c.add(start, end, separator, 0)
	case isRow(trimmed):
		c.add(start, end, row, 0)
	case c.underline(trimmed):
		c.out[len(c.out)-1].kind = heading
		c.out[len(c.out)-1].level = 1
		if trimmed[0] == '-' {
			c.out[len(c.out)-1].level = 2
		}
		c.close()
	default:
		if level := headingLevel(trimmed); level > 0 {
			c.add(start, end, heading, level)
			return
		}
		if level := c.plainHeading(end, trimmed); level > 0 {
			c.add(start, end, heading, level)
			return
		}
		c.prose(start, end)
	}
}

func (c *cutter) prose(start, end int) {
	if !c.open {
		c.add(start, end, paragraph, 0)
		return
	}
	c.out[len(c.out)-1].end = end
}

// underline reports whether the line makes a heading of the one before it.
func (c *cutter) underline(line string) bool {
	if len(line) < 3 || strings.Trim(line, "=") != "" && strings.Trim(line, "-") != "" || !c.open {
		return false
	}
	last := c.s[c.out[len(c.out)-1].start:c.out[len(c.out)-1].end]
	return !strings.Contains(last, "\n") && len(last) <= maxHeading
}

// maxHeading is the length in bytes beyond which a line is no heading.
const maxHeading = 120

// headingLevel is the number of # that a Markdown heading begins with, 0 for
// other lines.
func headingLevel(line string) int {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n <= 6 && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")) {
		return n
	}
	return 0
}

var numbered = regexp.MustCompile(`^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+\p{Lu}`)

// plainHeading finds the headings of texts without marks, plain files and PDFs:
// a short line at the beginning of a paragraph, without a full stop, that is
// numbered or in capitals.
func (c *cutter) plainHeading(end int, line string) int {
	if c.open || c.format != extract.Text && c.format != extract.PDF || len(line) > 80 {
		return 0
	}
	if last, _ := utf8.DecodeLastRuneInString(line); strings.ContainsRune(".,;:!?…", last) {
		return 0
	}
	if m := numbered.FindStringSubmatch(line); m != nil && c.blankAfter(end) {
		return 2 + strings.Count(m[1], ".")
	}
	letters := 0
	for _, r := range line {
		if unicode.IsLower(r) {
			return 0
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	if letters >= 4 {
		return 2
	}
	return 0
}

// blankAfter tells a numbered heading from the first item of a list.
func (c *cutter) blankAfter(end int) bool {
	rest := c.s[min(end+1, len(c.s)):]
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line) == ""
}

// isRow knows "| a | b |" and "a | b | c".
func isRow(line string) bool {
	return line[0] == '|' && strings.Count(line, "|") >= 2 || strings.Contains(line, " | ")
}

func isSeparator(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "--") && strings.Trim(line, "|-: \t") == ""
}

// headingText is a heading without its marks.
func headingText(s string) string {
	s = strings.Trim(strings.Join(strings.Fields(s), " "), "#*_` ")
	s = strings.NewReplacer("**", "", "__", "", "`", "").Replace(s)
	return cut(s, maxHeading)
}

// cut shortens s to at most n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
