package rank

import (
	"math"
	"slices"
	"testing"
)

func TestDiversify(t *testing.T) {
	same := []string{"crack", "pier", "four"}
	pool := []Candidate{
		{Relevance: 0.9, Terms: same},
		{Relevance: 0.89, Terms: same},
		{Relevance: 0.6, Terms: []string{"cost", "estimate"}},
		{Relevance: 0.5, Terms: []string{"cost", "overrun", "pier"}},
	}
	for _, c := range []struct {
		name   string
		lambda float64
		n      int
		want   []int
	}{
		{"relevance alone", 1, 0, []int{0, 1, 2, 3}},
		{"a duplicate waits", Lambda, 3, []int{0, 2, 1}},
		{"newness alone", 0, 2, []int{0, 2}},
		{"more than there are", 1, 9, []int{0, 1, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Diversify(pool, c.lambda, c.n); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if got := Diversify(nil, 0.5, 3); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestDiversifyByVectors(t *testing.T) {
	got := Diversify([]Candidate{
		{Relevance: 0.9, Vector: []float32{1, 0}},
		{Relevance: 0.8, Vector: []float32{0.99, 0.01}},
		{Relevance: 0.7, Vector: []float32{0, 1}},
	}, 0.5, 2)
	if !slices.Equal(got, []int{0, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestJaccard(t *testing.T) {
	for _, c := range []struct {
		a, b []string
		want float64
	}{
		{nil, nil, 0},
		{[]string{"a"}, nil, 0},
		{[]string{"a", "b"}, []string{"b", "a", "a"}, 1},
		{[]string{"a", "b"}, []string{"b", "c"}, 1.0 / 3},
		{[]string{"a"}, []string{"b"}, 0},
	} {
		if got := Jaccard(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
