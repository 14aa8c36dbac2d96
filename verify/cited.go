// The sources of a draft that somebody else wrote, numbered so that its own numbers
// keep their meaning.

package verify

import (
	"cmp"
	"slices"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// Cited gives every source of a draft once under each number that its list has
// for it, and what it cites without a number under numbers that it leaves free.
// None of them was read yet. A source without an address has URL "".
func Cited(draft string) []plumb.Citation {
	ms := Mentions(draft)
	used, known := map[int]bool{}, map[string]bool{}
	out := []plumb.Citation{}
	for _, e := range Listed(draft) {
		if used[e.Number] {
			continue
		}
		used[e.Number], known[link.Identity(e.URL)] = true, true
		out = append(out, plumb.Citation{Number: e.Number, URL: e.URL, Title: e.Title, Key: link.Key(e.URL)})
	}
	for _, m := range ms {
		used[m.Number] = true // a number that names nothing must not come to name another's source
	}
	next := 1
	for _, m := range ms {
		if id := link.Identity(m.URL); m.URL == "" || known[id] {
			continue
		} else {
			known[id] = true
		}
		for used[next] {
			next++
		}
		used[next] = true
		out = append(out, plumb.Citation{Number: next, URL: m.URL, Key: link.Key(m.URL)})
	}
	slices.SortStableFunc(out, func(a, b plumb.Citation) int { return cmp.Compare(a.Number, b.Number) })
	return out
}
