// One entry of a source list: its label, its lines, its text and address.

package markdown

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

type labelKind int

const (
	bracketLabel    labelKind = iota // [1], 【1】, \[1\], [[1]]
	definitionLabel                  // [1]: and [^1]:
	numberLabel                      // 1. 1) (1) 1、
	rowLabel                         // | 1 |
	bulletLabel                      // - * + •
	nameLabel                        // [S1], [Smith2023]
)

type label struct {
	kind   labelKind
	number int
	name   string // of a definition
	length int
}

var (
	bulletPrefix = regexp.MustCompile(`^(?:[-*+•·▪◦–]\s+|>\s*)+`)
	labelForms   = []struct {
		kind  labelKind
		first string // the characters it can begin with
		form  *regexp.Regexp
	}{
		{definitionLabel, "[", regexp.MustCompile(`^\[(\^?[^\]\s]+)\]:\s*`)},
		{bracketLabel, `*_\[【［`, regexp.MustCompile(`^(?:\*\*|__)?\\?(?:\[\[|\[|【|［)\^?([0-9]{1,3})\\?(?:\]\]|\]|】|］)(?:\*\*|__)?\\?[.:：、]?(?:\*\*)?\s*`)},
		{numberLabel, "*(（0123456789", regexp.MustCompile(`^(?:\*\*)?[（(]?([0-9]{1,3})(?:\\?\.|[)）]|、|．)(?:\*\*)?(?:\s+|[^0-9\s])`)},
		{nameLabel, `\[`, regexp.MustCompile(`^\\?\[([A-Za-z][A-Za-z+_.:-]{0,30}[0-9]{1,4}[a-z]?)\\?\](?:\\?[.:：])?\s+`)},
		{numberLabel, "⁰¹²³⁴⁵⁶⁷⁸⁹", regexp.MustCompile(`^([⁰¹²³⁴-⁹]{1,3})\s*[^⁰¹²³⁴-⁹\s]`)},
		{numberLabel, "*SsRr来文资參参", regexp.MustCompile(`^(?:\*\*)?(?i:source|reference|ref\.?|来源|文献|资料|参考文献|参考)\s*[#\[【]?\s*([0-9]{1,3})\s*[\]】]?(?:\*\*)?\s*[:：.、–—-](?:\*\*)?(?:\s*|[^0-9\s])`)},
		{rowLabel, "|", regexp.MustCompile(`^\|\s*\\?\[?([0-9]{1,3})\\?\]?\s*\|\s*`)},
	}
)

// entryLabel returns the label that a line of a source list begins with.
func entryLabel(text string) (label, bool) {
	prefix := len(bulletPrefix.FindString(text))
	rest := text[prefix:]
	first, _ := utf8.DecodeRuneInString(rest)
	for _, f := range labelForms {
		if !strings.ContainsRune(f.first, first) {
			continue
		}
		m := f.form.FindStringSubmatchIndex(rest)
		if m == nil {
			continue
		}
		l := label{kind: f.kind, length: prefix + m[1], name: rest[m[2]:m[3]]}
		if f.kind == numberLabel { // the character after the label is the text's
			l.length = prefix + m[1] - lastSize(rest[m[0]:m[1]])
		}
		l.number, _ = markerNumber(plainDigits.Replace(strings.TrimPrefix(l.name, "^")))
		switch f.kind {
		case definitionLabel:
			l.name = strings.TrimPrefix(l.name, "^")
		case nameLabel:
		default:
			l.name = ""
		}
		return l, true
	}
	if prefix > 0 && !strings.HasPrefix(text, ">") {
		return label{kind: bulletLabel, length: prefix}, true
	}
	return label{}, false
}

// plainDigits writes superscript digits as usual ones.
var plainDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// lastSize returns the length of the last character of a matched label if it is
// no white space.
func lastSize(s string) int {
	if t := strings.TrimRight(s, " \t"); t != s {
		return 0
	}
	i := len(s) - 1
	for i > 0 && s[i]&0xc0 == 0x80 {
		i--
	}
	return len(s) - i
}

// listReader collects the lines of entries.
type listReader struct {
	d       Doc
	entries []Entry
	kinds   []labelKind
	open    bool
	label   label
	first   listLine
	end     int
}

// line takes the next line of the list; false when the list is over.
func (r *listReader) line(l listLine, afterBlank bool) bool {
	if strings.Trim(l.text, "|-: ") == "" { // a rule, or a table's delimiter row
		return strings.HasPrefix(l.text, "|") || !r.started()
	}
	if lab, ok := entryLabel(l.text); ok && !r.nested(lab, l) {
		r.close()
		r.open, r.label, r.first, r.end = true, lab, l, l.end
		return true
	}
	if !r.open {
		// A sentence or a table's header may introduce the list.
		return !r.started()
	}
	if afterBlank && firstURL(l.text) == "" && !r.indented(l) {
		r.close()
		return !r.started() || strings.HasPrefix(l.text, "**")
	}
	r.end = l.end
	return true
}

func (r *listReader) started() bool { return len(r.entries) > 0 }

// indented reports whether a line belongs to the item above it.
func (r *listReader) indented(l listLine) bool {
	return l.start-lineStart(r.d.Source, l.start) >= 2
}

// nested reports whether a bullet under a numbered entry is a detail of it.
func (r *listReader) nested(lab label, l listLine) bool {
	if !r.open || lab.kind != bulletLabel {
		return false
	}
	return r.label.kind != bulletLabel || r.indented(l) && !r.indented(r.first)
}

func (r *listReader) close() {
	if !r.open {
		return
	}
	r.open = false
	src := r.d.Source
	from := r.first.start + min(r.label.length, r.first.end-r.first.start)
	parts := splitEntries(src[from:r.end], r.label)
	for i, p := range parts {
		e := makeEntry(p.body, p.label)
		e.Start, e.End, e.Line = from+p.start, from+p.end, r.first.number
		if i == 0 {
			e.Start = r.first.start
		}
		r.entries = append(r.entries, e)
		r.kinds = append(r.kinds, r.label.kind)
	}
}

// finish numbers a list of bullets or names by place. Bullets beside labelled
// entries are no sources and are dropped.
func (r *listReader) finish() (entries []Entry, placed bool) {
	labelled, numbered := false, false
	for _, k := range r.kinds {
		labelled = labelled || k != bulletLabel
		numbered = numbered || k != bulletLabel && k != nameLabel
	}
	out := r.entries[:0]
	for i, e := range r.entries {
		if r.kinds[i] == bulletLabel && labelled {
			continue
		}
		if !numbered {
			e.Number = len(out) + 1
		}
		out = append(out, e)
	}
	return out, !numbered
}

// makeEntry reads the text and address out of an entry's body.
func makeEntry(body string, l label) Entry {
	url, rest := entryURL(body)
	text, _ := Plain(strings.Trim(rest, "| "))
	text = hollowComma.ReplaceAllString(OneLine(text), "$1")
	return Entry{Number: l.number, Label: l.name, Text: strings.Trim(text, " -–—:：|.,;，。；、"), URL: url}
}

// hollowComma is where an address stood between commas.
var hollowComma = regexp.MustCompile(`([,;，；])\s*[,;，；]`)
