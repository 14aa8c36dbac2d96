package extract

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// pageCase is a web page with text that must and must not be extracted.
type pageCase struct {
	HTML    string   `json:"html"`
	Title   string   `json:"title"`
	Date    string   `json:"date"`
	Authors []string `json:"authors"`
	URL     string   `json:"url"`
	With    []string `json:"with"`
	Without []string `json:"without"`
}

func pageCases(t testing.TB) []pageCase {
	t.Helper()
	f, err := os.Open(shared(t, "pages/trafilatura-dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []pageCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var c pageCase
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// ratio counts hits among tries.
type ratio struct{ hits, tries int }

func (r *ratio) count(hit bool) {
	r.tries++
	if hit {
		r.hits++
	}
}

func (r ratio) share() float64 { return float64(r.hits) / float64(max(r.tries, 1)) }

func TestPagesAgainstMarkedText(t *testing.T) {
	var with, without, title, date, author ratio
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, c := range pageCases(t) {
		doc, err := Extractor{}.Extract(context.Background(), c.URL, "text/html", gunzip(t, shared(t, "pages/html/"+c.HTML)))
		if err != nil {
			t.Logf("%s: %v", c.URL, err)
		}
		text := squeeze(doc.Text)
		for _, s := range c.With {
			hit := strings.Contains(text, squeeze(s))
			with.count(hit)
			if !hit {
				t.Logf("%s %s lacks %q", c.HTML, c.URL, s)
			}
		}
		for _, s := range c.Without {
			hit := strings.Contains(text, squeeze(s))
			without.count(hit)
			if hit {
				t.Logf("%s %s has %q", c.HTML, c.URL, s)
			}
		}
		if c.Title != "" {
			title.count(strings.EqualFold(squeeze(c.Title), doc.Title))
			if !strings.EqualFold(squeeze(c.Title), doc.Title) {
				t.Logf("%s title %q, want %q", c.HTML, doc.Title, c.Title)
			}
		}
		if c.Date != "" {
			date.count(doc.Date == c.Date)
			if doc.Date != c.Date {
				t.Logf("%s date %q, want %q", c.HTML, doc.Date, c.Date)
			}
		}
		if len(c.Authors) > 0 {
			author.count(len(doc.Authors) > 0 && strings.EqualFold(doc.Authors[0], c.Authors[0]))
		}
	}
	precision := float64(with.hits) / float64(max(with.hits+without.hits, 1))
	recall := with.share()
	t.Logf("precision %.3f recall %.3f F1 %.3f; title %.3f of %d, date %.3f of %d, first author %.3f of %d",
		precision, recall, 2*precision*recall/(precision+recall), title.share(), title.tries, date.share(), date.tries, author.share(), author.tries)
}
