package library_test

// Measurements: how well and how quickly searches find, how quickly folders are
// read.

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/library"
)

const retrieval = "../../shared/data/retrieval/"

// lines decodes a file of JSON lines, which may be gzipped.
func lines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Skipf("%s is not there: nothing measured", name)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var out []T
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTwoHopQuestions counts the questions all of whose gold passages are among
// the first ten hits, each passage a file of its own.
func TestTwoHopQuestions(t *testing.T) {
	type doc struct {
		ID    string `json:"doc_id"`
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	type question struct {
		Question string   `json:"question"`
		Gold     []string `json:"gold"`
	}
	questions := lines[question](t, retrieval+"hotpotqa_queries.jsonl")
	l, dir := newLibrary(t), folder(t, nil)
	for _, c := range []struct {
		corpus string
		least  int
	}{{"hotpotqa-corpus.jsonl.gz", 95}, {"distractors-corpus.jsonl.gz", 92}} {
		for _, d := range lines[doc](t, retrieval+c.corpus) {
			write(t, dir, d.ID+".md", "# "+d.Title+"\n\n"+d.Text+"\n")
		}
		r := add(t, l, dir)
		all := 0
		for _, q := range questions {
			found := urls(find(t, l, library.Query{Text: q.Question, Folders: []string{dir}, Limit: 10}))
			if !slices.ContainsFunc(q.Gold, func(id string) bool { return !slices.Contains(found, "doc:"+id+".md") }) {
				all++
			}
		}
		t.Logf("with %s: %d documents, %d of %d questions", c.corpus, r.Files.Total, all, len(questions))
		if all < c.least {
			t.Errorf("with %s: %d of %d questions, at least %d before", c.corpus, all, len(questions), c.least)
		}
	}
}

// common are the most frequent words of English, which no index has: without
// them questions would be made of words that stand in every passage.
var common = strings.Fields(`the of and to in a is that for it as was with be by on not he i this are or his from at which but
	have an had they you were there one all we can her has their been if more when will would who so no she other its may these`)

// vocabulary draws words as texts do: the nth most frequent 1/n as often as the
// first.
type vocabulary struct {
	words []string
	draw  *rand.Zipf
}

func newVocabulary(r *rand.Rand, n int) *vocabulary {
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	v := &vocabulary{draw: rand.NewZipf(r, 1.07, 4, uint64(n-1))}
	v.words = append(v.words, common...)
	for i := range n - len(common) {
		var b strings.Builder
		for k := i + 37; k > 0; k /= len(consonants) * len(vowels) {
			b.WriteByte(consonants[k%len(consonants)])
			b.WriteByte(vowels[k/len(consonants)%len(vowels)])
		}
		v.words = append(v.words, b.String())
	}
	return v
}

func (v *vocabulary) word() string { return v.words[v.draw.Uint64()] }

func (v *vocabulary) sentence(b *strings.Builder, words int) {
	for i := range words {
		w := v.word()
		if i == 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	b.WriteString(". ")
}

// name is two words with capitals, as titles and their mentions in texts are.
func (v *vocabulary) name() string {
	a, b := v.word(), v.word()
	return strings.ToUpper(a[:1]) + a[1:] + " " + strings.ToUpper(b[:1]) + b[1:]
}

// generated writes documents of about size bytes in paragraphs of some 700. Every paragraph names three of the documents.
func generated(b testing.TB, v *vocabulary, r *rand.Rand, documents, size int) (dir string, bytes int64) {
	dir = folder(b, nil)
	var titles []string
	for range documents {
		titles = append(titles, v.name())
	}
	for i := range documents {
		var s strings.Builder
		fmt.Fprintf(&s, "# %s\n\n", titles[i])
		for s.Len() < size {
			for end := s.Len() + 600 + r.Intn(200); s.Len() < end; {
				v.sentence(&s, 8+r.Intn(20))
			}
			fmt.Fprintf(&s, "So did %s, %s and %s.", titles[r.Intn(documents)], titles[r.Intn(documents)], titles[r.Intn(documents)])
			s.WriteString("\n\n")
		}
		bytes += int64(s.Len())
		write(b, dir, fmt.Sprintf("%03d/%05d.md", i%100, i), s.String())
	}
	return dir, bytes
}

func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	dir, bytes := generated(b, newVocabulary(r, 100_000), r, 2000, 10_000)
	b.SetBytes(bytes)
	for b.Loop() {
		add(b, newLibrary(b), dir)
	}
}

func BenchmarkSearch100k(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	v := newVocabulary(r, 100_000)
	dir, _ := generated(b, v, r, 3800, 20_000)
	l := newLibrary(b)
	report := add(b, l, dir)
	var took []time.Duration
	found := 0
	for b.Loop() {
		var q []string
		for range 6 + r.Intn(10) {
			q = append(q, v.word())
		}
		begin := time.Now()
		hits, err := l.Search(context.Background(), library.Query{Text: strings.Join(q, " "), Language: "en", Folders: []string{dir}})
		if err != nil {
			b.Fatal(err)
		}
		found += len(hits)
		took = append(took, time.Since(begin))
	}
	if found < 9*len(took) {
		b.Errorf("%d hits for %d questions", found, len(took))
	}
	slices.Sort(took)
	b.ReportMetric(float64(report.Passages), "passages")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
