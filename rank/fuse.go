package rank

// Reciprocal-rank fusion: several rankings of the same things become one.

import (
	"cmp"
	"slices"
)

// FuseK is the customary constant: how little the first places of one list
// outweigh being on many lists.
const FuseK = 60

// Ranked is an id with its fused score.
type Ranked struct {
	ID    string
	Score float64
}

// Fuse adds 1/(k+rank) over the lists, ranks from 1, and sorts best first; equal
// ids stand in alphabetical order. An id's repetitions within a list don't count.
// k of 0 or less: FuseK.
func Fuse(k float64, lists ...[]string) []Ranked {
	if k <= 0 {
		k = FuseK
	}
	at := map[string]int{}
	var out []Ranked
	for _, list := range lists {
		seen := map[string]bool{}
		for i, id := range list {
			if seen[id] {
				continue
			}
			seen[id] = true
			j, ok := at[id]
			if !ok {
				j = len(out)
				at[id], out = j, append(out, Ranked{ID: id})
			}
			out[j].Score += 1 / (k + float64(i+1))
		}
	}
	slices.SortFunc(out, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return out
}
