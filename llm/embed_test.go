package llm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/plumbresearch/plumb"
)

func TestVectorsAreRecordedToTheBit(t *testing.T) {
	in := &Vectors{Vectors: [][]float32{{0, 1.5, -math.MaxFloat32, math.SmallestNonzeroFloat32}, {float32(1) / 3}, {}}, Usage: Usage{Input: 7}}
	b, err := json.Marshal(pack(in))
	if err != nil {
		t.Fatal(err)
	}
	out, err := unpack(b, 3)
	if err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%+v %v", out, err)
	}
	wide := &Vectors{Vectors: [][]float32{make([]float32, 1536)}}
	for i := range wide.Vectors[0] {
		wide.Vectors[0][i] = float32(math.Sin(float64(i)))
	}
	compact, err := json.Marshal(pack(wide))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := json.Marshal(wide)
	if err != nil || len(compact)*3 > len(plain)*2 {
		t.Errorf("%d bytes, %d as numbers, %v", len(compact), len(plain), err)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, s := range []string{`{"vectors":["AAAA"]}`, `{"vectors":["AACAPw=="]}`, `{"vectors":["!"]}`, `{}`, `[`, `{"vectors":[""]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := unpack(b, 1)
		if err == nil && len(v.Vectors) != 1 {
			t.Errorf("%q: %+v", b, v)
		}
	})
}

// odd gives one vector whatever is asked, until it is good.
type odd struct{ good *bool }

func (odd) Name() string { return "openai:e" }
func (o odd) Embed(_ context.Context, texts []string) (*Vectors, error) {
	if *o.good {
		return &Vectors{Vectors: make([][]float32, len(texts)), Usage: Usage{Input: 10}}, nil
	}
	*o.good = true
	return &Vectors{Vectors: make([][]float32, 1), Usage: Usage{Input: 30}}, nil
}

func TestEmbeddingsGoThroughTheSameChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &MemoryLedger{}
		good := false
		d := &Desk{Ledger: l, OpenEmbedder: func(string) (Embedder, error) { return odd{&good}, nil }}
		e, err := d.At(Place{Run: "r", Step: "s"}).Embedder("openai:text-embedding-3-small")
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Embed(t.Context(), []string{"a", "b"})
		if err != nil || len(v.Vectors) != 2 {
			t.Fatal(v, err)
		}
		rows := l.Rows()
		if len(rows) != 2 || rows[0].Error == "" || rows[0].Input != 30 || rows[1].Role != "embed" || rows[1].Input != 10 || math.Abs(rows[1].USD-0.2e-6) > 1e-15 {
			t.Errorf("%+v", rows)
		}
		if none, err := e.Embed(t.Context(), nil); err != nil || len(none.Vectors) != 0 || len(l.Rows()) != 2 {
			t.Errorf("nothing to embed: %v %v", none, err)
		}
		poor, err := d.At(Place{Run: "r", Step: "s", Caps: plumb.Caps{Tokens: 41}}).Embedder("openai:text-embedding-3-small")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := poor.Embed(t.Context(), []string{"another text, of more than one token"}); !errors.Is(err, ErrBudget) {
			t.Error(err)
		}
	})
}
