package rank

// Maximal marginal relevance: the best things that don't say the same.

import "slices"

// Candidate is something that may be chosen. Likeness is measured on vectors
// when both candidates have one, else on terms.
type Candidate struct {
	Relevance float64 // on one scale for all candidates, 0..1 for lambda to mean what it says
	Terms     []string
	Vector    []float32
}

// Lambda is the usual balance: relevance counts a little over twice as much as
// being new.
const Lambda = 0.7

// Diversify returns the indexes of n candidates in the order chosen: each time
// the one with the largest lambda×relevance − (1−lambda)×likeness to the most
// like one that was chosen already. Lambda of 1 sorts by relevance. Equal ones
// are taken in the order given; n of 0 or less means all.
func Diversify(candidates []Candidate, lambda float64, n int) []int {
	if n <= 0 || n > len(candidates) {
		n = len(candidates)
	}
	sets := make([][]string, len(candidates))
	for i, c := range candidates {
		sets[i] = slices.Compact(slices.Sorted(slices.Values(c.Terms)))
	}
	likeness := func(i, j int) float64 {
		a, b := candidates[i].Vector, candidates[j].Vector
		if len(a) > 0 && len(b) > 0 {
			return max(0, Cosine(a, b))
		}
		return jaccard(sets[i], sets[j])
	}
	chosen := make([]int, 0, n)
	taken := make([]bool, len(candidates))
	like := make([]float64, len(candidates)) // to the most like of the chosen
	for len(chosen) < n {
		at, most := -1, 0.0
		for i, c := range candidates {
			if taken[i] {
				continue
			}
			if v := lambda*c.Relevance - (1-lambda)*like[i]; at < 0 || v > most {
				at, most = i, v
			}
		}
		taken[at], chosen = true, append(chosen, at)
		for i := range candidates {
			if !taken[i] {
				like[i] = max(like[i], likeness(i, at))
			}
		}
	}
	return chosen
}

// Jaccard is the share of terms that two texts have in common, 0..1; counts of a
// term don't matter.
func Jaccard(a, b []string) float64 {
	return jaccard(slices.Compact(slices.Sorted(slices.Values(a))), slices.Compact(slices.Sorted(slices.Values(b))))
}

// jaccard works on sorted sets.
func jaccard(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
