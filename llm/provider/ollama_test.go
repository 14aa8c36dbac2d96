package provider

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/llm"
)

func TestOllamaHostIsReadAsOllamaReadsIt(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"", "http://127.0.0.1:11434"},
		{"127.0.0.1", "http://127.0.0.1:11434"},
		{"127.0.0.1:8080", "http://127.0.0.1:8080"},
		{":8080", "http://127.0.0.1:8080"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"0.0.0.0:1234", "http://127.0.0.1:1234"},
		{"[::]:1234", "http://127.0.0.1:1234"},
		{"[::1]", "http://[::1]:11434"},
		{"gpu.example", "http://gpu.example:11434"},
		{"http://gpu.example", "http://gpu.example:80"},
		{"https://gpu.example/ollama/", "https://gpu.example:443/ollama"},
		{" http://gpu.example:99 ", "http://gpu.example:99"},
	} {
		u, err := ollamaURL(c.raw)
		if err != nil || u.String() != c.want {
			t.Errorf("%q: %v, %v, want %s", c.raw, u, err, c.want)
		}
	}
	for _, raw := range []string{"ftp://host", "host:port", "host:70000", "http://ho st"} {
		if u, err := ollamaURL(raw); err == nil {
			t.Errorf("%q was taken for %v", raw, u)
		}
	}
}

func FuzzOllamaURL(f *testing.F) {
	for _, s := range []string{"", "host", ":1", "http://h:1/p", "[::]", "https://u:p@h", "0.0.0.0:99999", "a://b", "%", "[", "h/../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ollamaURL(raw)
		if err != nil {
			return
		}
		if u.Hostname() == "" || u.Port() == "" || (u.Scheme != "http" && u.Scheme != "https") {
			t.Errorf("%q became %v", raw, u)
		}
	})
}

func TestOllamaListsItsModels(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/api/tags" {
			http.NotFound(w, r)
			return
		}
		if _, err := w.Write([]byte(`{"models":[{"name":"qwen3:8b","model":"qwen3:8b","size":5},{"name":"nomic-embed-text:latest"}]}`)); err != nil {
			t.Error(err)
		}
	})
	got, err := Ollama(t.Context(), s.URL)
	if err != nil || !slices.Equal(got, []string{"qwen3:8b", "nomic-embed-text:latest"}) {
		t.Errorf("%v, %v", got, err)
	}
	for name, s := range map[string]*server{"status": says(t, 500, "{}"), "HTML": says(t, 200, "<html>")} {
		if got, err := Ollama(t.Context(), s.URL); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	s.Close()
	if got, err := Ollama(t.Context(), s.URL); err == nil {
		t.Errorf("nobody there: %v", got)
	}
}

func TestOllamaIsAskedOnceWhatAModelTakes(t *testing.T) {
	for _, c := range []struct {
		name, show string
		want       llm.Traits
	}{
		{"its default", `{"model_info":{"llama.context_length":131072},"capabilities":["completion","tools"]}`, llm.Traits{Window: 4096, Output: 2048, Tools: true, Schema: true}},
		{"a Modelfile's", `{"parameters":"stop   \"<|end|>\"\nnum_ctx                        32768\ntemperature 0.7","capabilities":["completion"]}`, llm.Traits{Window: 32768, Output: 16384, Schema: true}},
		{"no more than the model has", `{"parameters":"num_ctx 32768","model_info":{"bert.context_length":512,"bert.block_count":12}}`, llm.Traits{Window: 512, Output: 256, Tools: true, Schema: true}},
		{"nonsense", `{"parameters":"num_ctx lots","model_info":{"x.context_length":"many"}}`, llm.Traits{Window: 4096, Output: 2048, Tools: true, Schema: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := says(t, 200, c.show)
			p := at(s)
			for range 3 {
				if got := open(t, p, "ollama:m:8b").Traits(); got != c.want {
					t.Errorf("%+v, want %+v", got, c.want)
				}
			}
			got := s.only(t)
			if got.method != "POST" || got.path != "/api/show" {
				t.Errorf("%s %s", got.method, got.path)
			}
			sameJSON(t, got.body, `{"model":"m:8b"}`)
		})
	}
}

func TestOllamaThatDoesNotSayGetsItsDefaults(t *testing.T) {
	s := says(t, 404, `{"error":"model 'm' not found"}`)
	m := open(t, at(s), "ollama:m")
	for range 3 {
		if got := m.Traits(); got.Window != 4096 || got.Output != 2048 || !got.Tools {
			t.Errorf("%+v", got)
		}
	}
	if n := len(s.seen()); n != 1 {
		t.Errorf("asked %d times in a row", n)
	}
}

func TestOllamaUnderAPathIsFound(t *testing.T) {
	s := says(t, 200, chatHello)
	m := open(t, New(Options{OllamaHost: s.URL + "/ollama"}), "ollama:m")
	ask(t, m, say("hi"))
	m.Traits()
	var paths []string
	for _, a := range s.seen() {
		paths = append(paths, a.path)
	}
	if got := strings.Join(paths, " "); got != "/ollama/v1/chat/completions /ollama/api/show" {
		t.Error(got)
	}
}
