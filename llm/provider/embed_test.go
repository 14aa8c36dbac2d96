package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/llm"
)

// embeds answers as an embedding server does: the vector of a text is its length and its first byte. The last comes first.
func embeds(t *testing.T) *server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil || in.Model != "m" || !strings.HasSuffix(r.URL.Path, "/embeddings") {
			http.Error(w, fmt.Sprintf(`{"error":{"message":"%v at %s"}}`, err, r.URL.Path), http.StatusBadRequest)
			return
		}
		var data []string
		for i := len(in.Input) - 1; i >= 0; i-- {
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,%d]}`, i, len(in.Input[i]), in.Input[i][0]))
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"list","model":"m","data":[%s],"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, strings.Join(data, ","), len(in.Input), len(in.Input))
	})
}

func TestTextsBecomeVectorsInBatches(t *testing.T) {
	texts := make([]string, 300)
	for i := range texts {
		texts[i] = strings.Repeat("x", 1+i%7)
	}
	texts[5] = ""
	for _, c := range []struct {
		name, path string
		batches    []int
	}{
		{"openai:m", "/v1/embeddings", []int{256, 44}},
		{"gemini:m", "/v1beta/openai/embeddings", []int{100, 100, 100}},
		{"ollama:m", "/v1/embeddings", []int{256, 44}},
		{"compatible:m", "/api/v1/embeddings", []int{256, 44}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := embeds(t)
			m, err := at(s).OpenEmbedder(c.name)
			if err != nil {
				t.Fatal(err)
			}
			v, err := m.Embed(t.Context(), texts)
			if err != nil || len(v.Vectors) != len(texts) || v.Usage != (llm.Usage{Input: 300}) || m.Name() != c.name {
				t.Fatalf("%v, %d vectors, usage %+v", err, len(v.Vectors), v.Usage)
			}
			for i, got := range v.Vectors {
				if want := max(len(texts[i]), 1); got[0] != float32(want) {
					t.Errorf("vector %d is %v, want it to begin with %d", i, got, want)
				}
			}
			seen := s.seen()
			if len(seen) != len(c.batches) {
				t.Fatalf("%d calls", len(seen))
			}
			for i, a := range seen {
				if n := strings.Count(string(a.body), `"x`) + strings.Count(string(a.body), `" "`); n != c.batches[i] || a.path != c.path {
					t.Errorf("batch %d at %s holds %d", i, a.path, n)
				}
			}
		})
	}
}

func TestBatchesAreBoundedInBytes(t *testing.T) {
	m := &embedder{at: &endpoint{}}
	long := strings.Repeat("x", 300<<10)
	for _, c := range []struct {
		texts []string
		want  int
	}{{[]string{long, "y", long}, 2}, {[]string{long + long, "y"}, 1}, {[]string{"y"}, 1}} {
		if got := m.batch(c.texts); got != c.want {
			t.Errorf("%d of %d, want %d", got, len(c.texts), c.want)
		}
	}
}

func TestNoTextsCostNothing(t *testing.T) {
	s := embeds(t)
	m, err := at(s).OpenEmbedder("openai:m")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := m.Embed(t.Context(), nil); err != nil || len(v.Vectors) != 0 || len(s.seen()) != 0 {
		t.Errorf("%v, %v, %d calls", v, err, len(s.seen()))
	}
}

func TestVectorsThatDoNotFitAreGarbled(t *testing.T) {
	for name, data := range map[string]string{
		"one missing":  `{"index":0,"embedding":[1,2]}`,
		"twice one":    `{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}`,
		"beyond":       `{"index":0,"embedding":[1,2]},{"index":7,"embedding":[1,2]}`,
		"other length": `{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2,3]}`,
		"empty":        `{"index":0,"embedding":[1,2]},{"index":1,"embedding":[]}`,
		"none":         ``,
	} {
		t.Run(name, func(t *testing.T) {
			m, err := at(says(t, 200, `{"data":[`+data+`],"usage":{"total_tokens":4}}`)).OpenEmbedder("compatible:m")
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Embed(t.Context(), []string{"a", "b"})
			var e *llm.Error
			if !errors.As(err, &e) || e.Trouble != llm.Garbled || e.Usage != (llm.Usage{Total: 4}) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestEmbeddersFailLikeModels(t *testing.T) {
	p := at(says(t, 401, `{"error":{"message":"Incorrect API key provided: `+testKey+`"}}`))
	m, err := p.OpenEmbedder("openai:m")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Embed(t.Context(), []string{"a"})
	var e *llm.Error
	if !errors.As(err, &e) || e.Trouble != llm.BadKey {
		t.Fatalf("%v", err)
	}
	noKeys(t, e)
	if _, err := p.OpenEmbedder("anthropic:m"); err == nil || !strings.Contains(err.Error(), "no embeddings") {
		t.Errorf("%v", err)
	}
}

func TestEarlierBatchesAreBilledWhenALaterOneFails(t *testing.T) {
	calls := 0
	good := embeds(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls > 1 {
			http.Error(w, `{"error":{"message":"busy"}}`, http.StatusServiceUnavailable)
			return
		}
		good.Config.Handler.ServeHTTP(w, r)
	})
	m, err := at(s).OpenEmbedder("gemini:m")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Embed(t.Context(), strings.Split(strings.Repeat("x,", 149)+"x", ","))
	var e *llm.Error
	if !errors.As(err, &e) || e.Trouble != llm.Overloaded || e.Usage.Input != 100 {
		t.Errorf("%v with %+v", err, e)
	}
}
