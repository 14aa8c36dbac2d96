package eval

// How well pages are read, against text that must and must not be taken, or
// against the whole text of their articles.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/extract"
)

// Pages names a set of web pages with labels.
type Pages struct {
	Data    string // JSON lines: id or html (the name of the file), url, and what is expected
	HTML    string // folder of the pages; they may be gzipped
	Extract extract.Extractor
}

// PageScores are what reading the pages came to. An accuracy is nil where no row has such a label.
type PageScores struct {
	N             int      `json:"n"`
	F1            float64  `json:"f1"`
	Precision     float64  `json:"precision"`
	Recall        float64  `json:"recall"`
	TitleAccuracy *float64 `json:"title_accuracy"`
	DateAccuracy  *float64 `json:"date_accuracy"`
	MBPerSecond   float64  `json:"mb_per_second"` // of HTML, reading alone
}

// pageRow is a page with what is expected of it.
type pageRow struct {
	ID      id       `json:"id"`
	HTML    string   `json:"html"`
	URL     string   `json:"url"`
	Title   string   `json:"title"`
	Date    string   `json:"date"`
	With    []string `json:"with"`
	Without []string `json:"without"`
	Body    *string  `json:"articleBody"`
}

// Score reads every page and compares. Rows have either `with` and `without`, phrases that count each, or
// `articleBody`: then precision and recall are the means over the pages of those of 4-word shingles, as in the public
// article-extraction benchmark. A page that gives no text counts as one that was read as empty.
func (p Pages) Score(ctx context.Context) (PageScores, error) {
	t := pageTally{}
	err := eachRow(p.Data, func(n int, b []byte) error {
		var row pageRow
		if err := json.Unmarshal(b, &row); err != nil {
			return wrong("%s: row %d: %v", p.Data, n, err)
		}
		if len(row.With)+len(row.Without) == 0 && row.Body == nil {
			return wrong("%s: row %d has nothing to compare with: it needs with and without, or articleBody", p.Data, n)
		}
		if t.n > 0 && t.whole != (row.Body != nil) {
			return wrong("%s: row %d has other labels than those before: articleBody, and with and without, go in files of their own", p.Data, n)
		}
		data, err := p.read(row)
		if err != nil {
			return err
		}
		begin := time.Now()
		doc, err := p.Extract.Extract(ctx, row.URL, "text/html", data)
		t.took += time.Since(begin)
		t.bytes += len(data)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			doc = extract.Document{}
		}
		t.add(row, doc)
		return nil
	})
	if err == nil && t.n == 0 {
		err = wrong("%s has no rows: it takes one JSON object a line", p.Data)
	}
	if err != nil {
		return PageScores{}, err
	}
	return t.scores(), nil
}

// read finds the file of a row: the one it names, or its id with the usual endings.
func (p Pages) read(row pageRow) ([]byte, error) {
	names := []string{row.HTML}
	if row.HTML == "" {
		names = []string{string(row.ID) + ".html.gz", string(row.ID) + ".html"}
	}
	var first error
	for _, name := range names {
		if name == "" || !filepath.IsLocal(name) {
			return nil, wrong("%s: a page is called %q: rows name a file in the folder by html or id", p.Data, name)
		}
		r, err := open(filepath.Join(p.HTML, name))
		if err == nil {
			data, rerr := io.ReadAll(io.LimitReader(r, maxFile))
			if err := errors.Join(rerr, r.Close()); err != nil {
				return nil, wrong("%s can't be read: %v", filepath.Join(p.HTML, name), cause(err))
			}
			return data, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// pageTally adds up pages.
type pageTally struct {
	n, bytes     int
	took         time.Duration
	whole        bool // rows have the whole article
	found        counts
	precision    mean
	recall       mean
	title, dated mean
}

// counts are true positives, false positives and false negatives.
type counts struct{ tp, fp, fn float64 }

// mean of values.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m *mean) count(hit bool) {
	if hit {
		m.sum++
	}
	m.n++
}

func (m mean) value() float64 { return m.sum / float64(max(m.n, 1)) }

// orNil is the mean, nil of nothing.
func (m mean) orNil() *float64 {
	if m.n == 0 {
		return nil
	}
	v := m.value()
	return &v
}

func (t *pageTally) add(row pageRow, doc extract.Document) {
	t.n++
	if row.Title != "" {
		t.title.count(strings.EqualFold(squeeze(row.Title), squeeze(doc.Title)))
	}
	if row.Date != "" {
		t.dated.count(doc.Date == row.Date)
	}
	if row.Body != nil {
		t.whole = true
		c := compareShingles(*row.Body, doc.Text)
		if c.tp+c.fp > 0 {
			t.precision.add(c.tp / (c.tp + c.fp))
		}
		if c.tp+c.fn > 0 {
			t.recall.add(c.tp / (c.tp + c.fn))
		}
		return
	}
	text := squeeze(doc.Text)
	for _, s := range row.With {
		if strings.Contains(text, squeeze(s)) {
			t.found.tp++
		} else {
			t.found.fn++
		}
	}
	for _, s := range row.Without {
		if strings.Contains(text, squeeze(s)) {
			t.found.fp++
		}
	}
}

func (t *pageTally) scores() PageScores {
	s := PageScores{N: t.n, TitleAccuracy: t.title.orNil(), DateAccuracy: t.dated.orNil()}
	if t.whole {
		s.Precision, s.Recall = t.precision.value(), t.recall.value()
	} else {
		s.Precision, s.Recall = share(t.found.tp, t.found.fp), share(t.found.tp, t.found.fn)
	}
	if s.Precision+s.Recall > 0 {
		s.F1 = 2 * s.Precision * s.Recall / (s.Precision + s.Recall)
	}
	if t.took > 0 {
		s.MBPerSecond = float64(t.bytes) / 1e6 / t.took.Seconds()
	}
	return s
}

// share is a of a+b, 0 of nothing.
func share(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return a / (a + b)
}

// squeeze makes texts comparable that differ in white space and soft hyphens.
func squeeze(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\u00ad", "")), " ")
}

// shingle is how many words in a row are compared.
const shingle = 4

var wordPattern = regexp.MustCompile(`[\pL\pM\pN_]+`)

// compareShingles counts those in both texts, only in the second, only in the first. A text shorter than a shingle is one.
func compareShingles(want, got string) counts {
	left := shingles(want)
	var c counts
	for s, n := range shingles(got) {
		both := min(n, left[s])
		c.tp += float64(both)
		c.fp += float64(n - both)
		left[s] -= both
	}
	for _, n := range left {
		c.fn += float64(n)
	}
	return c
}

func shingles(s string) map[string]int {
	words := wordPattern.FindAllString(s, -1)
	out := map[string]int{}
	if len(words) == 0 {
		return out
	}
	for i := range max(1, len(words)-shingle+1) {
		out[strings.Join(words[i:min(i+shingle, len(words))], " ")]++
	}
	return out
}
