package report

// Edits of a text by byte offsets. A draft is never changed by searching for a text in it.

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// edit puts a text in place of the bytes start to end; with start == end it inserts.
type edit struct {
	start, end int
	with       string
}

// apply returns src[from:to] with the edits that lie in it. Of edits that overlap the one that begins first counts, of
// those that begin together the longest. Insertions at one place come in the order given, before a replacement there.
func apply(src string, from, to int, es []edit) string {
	return applySorted(src, from, to, sortEdits(src, es))
}

// sortEdits brings edits into the order in which they are made, at whole characters of src.
func sortEdits(src string, es []edit) []edit {
	es = slices.Clone(es)
	for i, e := range es {
		es[i].start = boundary(src, e.start)
		es[i].end = max(boundary(src, e.end), es[i].start)
	}
	slices.SortStableFunc(es, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.kind(), b.kind()), cmp.Compare(b.end, a.end))
	})
	return es
}

func applySorted(src string, from, to int, es []edit) string {
	first, _ := slices.BinarySearchFunc(es, from, func(e edit, at int) int { return cmp.Compare(e.start, at) })
	var b strings.Builder
	at := from
	for _, e := range es[first:] {
		if e.start > to {
			break
		}
		if e.start < at || e.end > to {
			continue
		}
		b.WriteString(src[at:e.start])
		b.WriteString(e.with)
		at = e.end
	}
	b.WriteString(src[at:to])
	return b.String()
}

// kind puts insertions before replacements that begin at the same place.
func (e edit) kind() int {
	if e.start == e.end {
		return 0
	}
	return 1
}

// boundary moves an offset back into src and to the beginning of a character.
func boundary(src string, at int) int {
	at = min(max(at, 0), len(src))
	for at > 0 && at < len(src) && !utf8.RuneStart(src[at]) {
		at--
	}
	return at
}
