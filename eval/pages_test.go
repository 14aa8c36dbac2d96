package eval

import (
	"compress/gzip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes files; those whose name ends in .gz are gzipped.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			_, err = z.Write([]byte(body))
			err = errors.Join(err, z.Close())
		} else {
			_, err = f.WriteString(body)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// Short pages give their whole body: what is taken is plain to see.
const (
	tides    = `<html><head><title>Tides</title><meta name="date" content="2024-03-12"></head><body><p>The tide rises twice a day.</p><p>Boats wait for it.</p></body></html>`
	moorings = `<html><head><title>Moorings | Quay</title></head><body><p>A mooring holds a boat in its place.</p></body></html>`
)

func TestPhrasesOfPages(t *testing.T) {
	dir := folder(t, map[string]string{
		"1.html.gz": tides, "2.html": moorings,
		"data.jsonl": `{"html":"1.html.gz","title":"tides","date":"2024-03-12","with":["The tide  rises","Boats wait"],"without":["twice a day","Menu"]}

{"id":2,"title":"Another","date":"2020-01-01","with":["holds a bo\u00adat","no such words"],"without":[]}
`,
	})
	s, err := Pages{Data: filepath.Join(dir, "data.jsonl"), HTML: dir}.Score(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Of four wanted phrases three are there, and one of two unwanted ones.
	if s.N != 2 || !near(s.Precision, 3.0/4) || !near(s.Recall, 3.0/4) || !near(s.F1, 3.0/4) {
		t.Errorf("%+v", s)
	}
	if s.TitleAccuracy == nil || !near(*s.TitleAccuracy, 0.5) || s.DateAccuracy == nil || !near(*s.DateAccuracy, 0.5) || s.MBPerSecond <= 0 {
		t.Errorf("title %v, date %v, %v MB/s", s.TitleAccuracy, s.DateAccuracy, s.MBPerSecond)
	}
}

func TestWholeArticles(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.html": moorings, "b.html": tides,
		"data.jsonl": `{"id":"a","articleBody":"A mooring holds a boat in its place."}
{"id":"b","articleBody":"The tide rises twice a week."}
`,
	})
	s, err := Pages{Data: filepath.Join(dir, "data.jsonl"), HTML: dir}.Score(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// a: 5 of 5 shingles. b: of 3 wanted ("the tide rises twice", "tide rises twice a", "rises twice a week") 2 are among
	// the 7 of its 10 words.
	if p, r := (1+2.0/7)/2, (1+2.0/3)/2; s.N != 2 || !near(s.Precision, p) || !near(s.Recall, r) || !near(s.F1, 2*p*r/(p+r)) {
		t.Errorf("%+v", s)
	}
	if s.TitleAccuracy != nil || s.DateAccuracy != nil {
		t.Errorf("accuracies without labels: %+v", s)
	}
}

func TestAPageWithoutTextIsReadAsEmpty(t *testing.T) {
	dir := folder(t, map[string]string{"a.html": "<html><body></body></html>", "data.jsonl": `{"id":"a","title":"x","articleBody":"four words stand here"}`})
	s, err := Pages{Data: filepath.Join(dir, "data.jsonl"), HTML: dir}.Score(t.Context())
	if err != nil || s.N != 1 || s.F1 != 0 || s.Recall != 0 || *s.TitleAccuracy != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestShingles(t *testing.T) {
	cases := []struct {
		want, got string
		counts    counts
	}{
		{"a b c d e", "a b c d e", counts{2, 0, 0}},
		{"a b c d", "a b c d e f", counts{1, 2, 0}},
		{"a b c d a b c d", "a b c d", counts{1, 0, 4}},
		{"a b", "a b", counts{1, 0, 0}},
		{"a b", "a b c", counts{0, 1, 1}},
		{"", "a", counts{0, 1, 0}},
		{"a", "", counts{0, 0, 1}},
		{"", "", counts{}},
		{"Ä_1, x; y: z", "Ä_1 x y z", counts{1, 0, 0}},
	}
	for _, c := range cases {
		if got := compareShingles(c.want, c.got); got != c.counts {
			t.Errorf("%q and %q: %v, want %v", c.want, c.got, got, c.counts)
		}
	}
}

func TestPageDataThatIsWrong(t *testing.T) {
	cases := []struct{ what, data, message string }{
		{"no rows", "\n", "has no rows"},
		{"not JSON", "{\n", "row 1"},
		{"no labels", `{"id":"a"}`, "nothing to compare with"},
		{"both kinds", `{"id":"a","with":["x"]}` + "\n" + `{"id":"a","articleBody":"x"}`, "row 2 has other labels"},
		{"no page", `{"id":"b","with":["x"]}`, "b.html.gz can't be read"},
		{"no name", `{"with":["x"],"html":""}`, "can't be read"},
		{"a page elsewhere", `{"with":["x"],"html":"../a.html"}`, "rows name a file in the folder"},
		{"an id that is a list", `{"id":[1],"with":["x"]}`, "neither a string nor a number"},
	}
	for _, c := range cases {
		dir := folder(t, map[string]string{"a.html": tides, "data.jsonl": c.data})
		_, err := Pages{Data: filepath.Join(dir, "data.jsonl"), HTML: dir}.Score(t.Context())
		if !errors.Is(err, ErrData) || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if _, err := (Pages{Data: filepath.Join(t.TempDir(), "none.jsonl")}).Score(t.Context()); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "name a file that is there") {
		t.Errorf("no file: %v", err)
	}
}

func TestPagesOfTheBenchmark(t *testing.T) {
	const data = "../../shared/data/pages/"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("%s is not there: nothing is measured", data)
	}
	s, err := Pages{Data: data + "trafilatura-dev.jsonl", HTML: data + "html"}.Score(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages: F1 %.4f, precision %.3f, recall %.3f, title %.3f, date %.3f, %.1f MB/s", s.N, s.F1, s.Precision, s.Recall, *s.TitleAccuracy, *s.DateAccuracy, s.MBPerSecond)
	if s.F1 < 0.91 || *s.DateAccuracy < 0.85 || *s.TitleAccuracy < 0.76 {
		t.Errorf("%+v: worse than it was", s)
	}
}
