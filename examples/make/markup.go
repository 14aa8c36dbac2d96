// The markup of paper.txt and report.txt: a few Markdown marks and @ lines,
// just enough for a paper and a report.

package main

import (
	"fmt"
	"strings"
)

// kind is what a block of a document is.
type kind int

const (
	paragraph kind = iota
	heading        // level 1 or 2
	table
	reference // an entry of a list of references, "[1] …"
	footnote  // text of a footnote, "[^1]: …"
)

type block struct {
	kind  kind
	level int
	text  string // of a table: its caption
	rows  [][]string
}

type document struct {
	title, author, place, journal, running, subject, keywords, date string
	blocks                                                          []block
}

// parse reads lines: "@name value" sets a field, "@table n | caption" up to
// "@end" or consecutive "|" lines make a table, "#" and "##" are headings,
// and any other line is a block of its own.
func parse(s string) (document, error) {
	var doc document
	for n, line := range strings.Split(s, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "@"):
			if err := doc.directive(line); err != nil {
				return doc, fmt.Errorf("line %d: %w", n+1, err)
			}
		case strings.HasPrefix(line, "|"):
			doc.row(line)
		default:
			doc.blocks = append(doc.blocks, plain(line))
		}
	}
	if doc.title == "" || doc.date == "" {
		return doc, fmt.Errorf("no @title or no @date")
	}
	return doc, nil
}

func (d *document) directive(line string) error {
	name, value, _ := strings.Cut(line[1:], " ")
	fields := map[string]*string{
		"title": &d.title, "authors": &d.author, "author": &d.author, "place": &d.place, "company": &d.place,
		"journal": &d.journal, "running": &d.running, "subject": &d.subject, "keywords": &d.keywords, "date": &d.date,
	}
	if f, ok := fields[name]; ok {
		*f = value
		return nil
	}
	switch name {
	case "table":
		number, caption, _ := strings.Cut(value, " | ")
		d.blocks = append(d.blocks, block{kind: table, text: "Table " + number + ". " + caption + "."})
	case "end": // a table ends at the next block anyway; the mark keeps the text readable
	default:
		return fmt.Errorf("unknown directive @%s", name)
	}
	return nil
}

// row adds "| a | b" to the table that ends the document, or begins one.
func (d *document) row(line string) {
	last := len(d.blocks) - 1
	if last < 0 || d.blocks[last].kind != table {
		d.blocks = append(d.blocks, block{kind: table})
		last++
	}
	cells := strings.Split(strings.Trim(line, "| "), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	d.blocks[last].rows = append(d.blocks[last].rows, cells)
}

func plain(line string) block {
	switch {
	case strings.HasPrefix(line, "## "):
		return block{kind: heading, level: 2, text: line[3:]}
	case strings.HasPrefix(line, "# "):
		return block{kind: heading, level: 1, text: line[2:]}
	case strings.HasPrefix(line, "[^1]: "):
		return block{kind: footnote, text: line[len("[^1]: "):]}
	case strings.HasPrefix(line, "["):
		return block{kind: reference, text: line}
	}
	return block{kind: paragraph, text: line}
}
