package rank

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func texts(lines ...string) [][]string {
	var out [][]string
	for _, l := range lines {
		out = append(out, strings.Fields(l))
	}
	return out
}

func indexes(s []Scored) []int {
	var out []int
	for _, x := range s {
		out = append(out, x.Index)
	}
	return out
}

func TestSearchOrdersByRarityRepetitionAndLength(t *testing.T) {
	for _, c := range []struct {
		name  string
		docs  [][]string
		query string
		n     int
		want  []int
	}{
		{"rare word beats common word", texts("bridge city", "bridge pier", "bridge crack", "city hall"), "crack city", 0, []int{2, 0, 3}},
		{"repetition counts", texts("pier pile pile", "pier pier pile"), "pier", 0, []int{1, 0}},
		{"short text beats long text", texts("pier a b c d e f g h", "pier a"), "pier", 0, []int{1, 0}},
		{"ties keep their order", texts("x y", "x y", "x y"), "x", 0, []int{0, 1, 2}},
		{"limit", texts("x", "x", "x"), "x", 2, []int{0, 1}},
		{"no match", texts("x", "y"), "z", 0, nil},
		{"no query", texts("x", "y"), "", 0, nil},
		{"no texts", nil, "x", 0, nil},
		{"empty texts", texts("", "x", ""), "x", 0, []int{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := indexes(NewBM25(c.docs).Search(strings.Fields(c.query), c.n))
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestScoreIsWhatSearchGives(t *testing.T) {
	x := NewBM25(texts("a b c a", "b c d", "a d e f g", "h"))
	terms := []string{"a", "d", "a", "zz"}
	found := x.Search(terms, 0)
	if len(found) != 3 {
		t.Fatalf("found %v", found)
	}
	for _, s := range found {
		if got := x.Score(s.Index, terms); got != s.Score {
			t.Errorf("text %d: Score %v, Search %v", s.Index, got, s.Score)
		}
	}
	if x.Score(3, terms) != 0 || x.Score(-1, terms) != 0 || x.Score(4, terms) != 0 {
		t.Error("texts without the terms, and no texts, score 0")
	}
}

func TestScoreByHand(t *testing.T) {
	x := NewBM25(texts("a b", "b c", "c d"))
	// a: in 1 of 3 texts, once, in a text of average length.
	want := math.Log(1+2.5/1.5) * 1 * 2.2 / (1 + 1.2)
	if got := x.Score(0, []string{"a"}); math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestIDFFallsWithFrequencyAndIsNeverNegative(t *testing.T) {
	before := math.Inf(1)
	for _, df := range []int{1, 2, 10, 50, 99, 100} {
		got := IDF(df, 100)
		if got <= 0 || got >= before {
			t.Errorf("IDF(%d, 100) = %v after %v", df, got, before)
		}
		before = got
	}
	if IDF(0, 100) != 0 || IDF(1, 0) != 0 {
		t.Error("a term in no text has no weight")
	}
}

func TestSaturateApproachesItsBound(t *testing.T) {
	if got := Saturate(1e9, 10, 10); math.Abs(got-(K1+1)) > 1e-6 {
		t.Errorf("got %v", got)
	}
	if Saturate(0, 10, 10) != 0 {
		t.Error("no occurrence earns nothing")
	}
	if got := Saturate(1, 5, 0); got <= 0 || math.IsNaN(got) {
		t.Errorf("without an average: %v", got)
	}
}
