package rank

import (
	"math"
	"slices"
	"testing"
)

func TestFuse(t *testing.T) {
	for _, c := range []struct {
		name  string
		k     float64
		lists [][]string
		want  []string
	}{
		{"none", 60, nil, nil},
		{"one list keeps its order", 60, [][]string{{"c", "a", "b"}}, []string{"c", "a", "b"}},
		{"on both lists beats first on one", 60, [][]string{{"a", "b"}, {"c", "b"}}, []string{"b", "a", "c"}},
		{"ties by id", 60, [][]string{{"b", "a"}, {"a", "b"}}, []string{"a", "b"}},
		{"repetition in a list is ignored", 60, [][]string{{"a", "b", "b", "b"}, {"c"}}, []string{"a", "c", "b"}},
		{"zero k is the default", 0, [][]string{{"a", "b"}, {"c", "b"}}, []string{"b", "a", "c"}},
		{"small k favours first places", 0.01, [][]string{{"a", "d", "b"}, {"c", "e", "b"}}, []string{"a", "c", "b", "d", "e"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range Fuse(c.k, c.lists...) {
				got = append(got, r.ID)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if got := Fuse(60, []string{"a"}, []string{"x", "a"})[0].Score; math.Abs(got-(1.0/61+1.0/62)) > 1e-12 {
		t.Errorf("score %v", got)
	}
}
