package rank

import (
	"context"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
)

// hashing is an Embedder that needs no model: every word adds to one of its
// dimensions.
type hashing int

func (h hashing) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = make([]float32, h)
		for _, w := range strings.Fields(strings.ToLower(t)) {
			f := fnv.New32a()
			f.Write([]byte(w))
			out[i][f.Sum32()%uint32(h)]++
		}
	}
	return out, nil
}

func TestNearestFindsTheLikestText(t *testing.T) {
	var e Embedder = hashing(512)
	vs, err := e.Embed(context.Background(), []string{
		"the budget of the city", "a crack in pier four", "cracks were found in pier four of the bridge", "a crack in pier four", "crack pier",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := indexes(Nearest(vs[:4], vs[4], 3))
	if !slices.Equal(got, []int{1, 3, 2}) {
		t.Errorf("got %v", got)
	}
	if got := Nearest(nil, vs[0], 3); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{2, 0}, 1},
		{[]float32{1, 0}, []float32{0, 3}, 0},
		{[]float32{1, 0}, []float32{-1, 0}, -1},
		{[]float32{1, 1}, []float32{1, 0}, math.Sqrt2 / 2},
		{[]float32{0, 0}, []float32{1, 0}, 0},
		{[]float32{1}, []float32{1, 0}, 0},
		{nil, nil, 0},
	} {
		if got := Cosine(c.a, c.b); math.Abs(got-c.want) > 1e-7 {
			t.Errorf("%v, %v: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func BenchmarkNearest100k(b *testing.B) {
	vs := make([][]float32, 100_000)
	for i := range vs {
		v := make([]float32, 256)
		for j := range v {
			v[j] = float32((i*31+j*17)%101) - 50
		}
		vs[i] = v
	}
	for b.Loop() {
		Nearest(vs, vs[7], 10)
	}
}
