package eval

// How well the library finds the passages that answer questions.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// Top is how many hits of a search are looked at.
const Top = 10

// Retrieval names documents and questions whose answers stand in some of them.
type Retrieval struct {
	Corpus  []string // files of rows doc_id, title, text; all are searched together
	Queries string   // rows id, question, gold: the doc_ids that are wanted
	// Search asks the library; nil: its own search. The folder is the one that holds the documents.
	Search func(ctx context.Context, l *library.Library, q library.Query) ([]plumb.Hit, error)
	// Progress is told how far reading the documents is; nil: nobody.
	Progress func(plumb.DocumentsNews)
}

// RetrievalScores are means over the questions. A document counts where its first passage stands among the ten hits.
type RetrievalScores struct {
	N          int     `json:"n"`
	NDCG       float64 `json:"ndcg_at_10"`
	Recall     float64 `json:"recall_at_10"`
	AllGold    float64 `json:"all_gold_at_10"` // share of the questions with all their documents found
	MRR        float64 `json:"mrr_at_10"`
	MSPerQuery float64 `json:"ms_per_query"`
}

type documentRow struct {
	ID    id     `json:"doc_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

type questionRow struct {
	ID       id     `json:"id"`
	Question string `json:"question"`
	Gold     list   `json:"gold"`
}

// Score puts the documents into a library of their own, in a store that is deleted after, and asks it every question.
func (r Retrieval) Score(ctx context.Context) (_ RetrievalScores, err error) {
	dir, err := os.MkdirTemp("", "plumb-eval-")
	if err != nil {
		return RetrievalScores{}, fmt.Errorf("temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder := filepath.Join(dir, "documents")
	urls, err := r.write(folder)
	if err != nil {
		return RetrievalScores{}, err
	}
	questions, err := r.questions(urls)
	if err != nil {
		return RetrievalScores{}, err
	}
	db, err := sqlite.Open(ctx, filepath.Join(dir, "plumb.db"), sqlite.Options{})
	if err != nil {
		return RetrievalScores{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	l := &library.Library{Index: db, Extract: extract.Extractor{}}
	if _, err := l.Add(ctx, folder, library.AddOptions{Progress: r.Progress}); err != nil {
		return RetrievalScores{}, err
	}
	return r.ask(ctx, l, folder, questions, urls)
}

// write makes a file of every document and returns their addresses by doc_id. The files are numbered: an id may hold
// anything.
func (r Retrieval) write(folder string) (map[string]string, error) {
	urls := map[string]string{}
	for _, corpus := range r.Corpus {
		err := eachRow(corpus, func(n int, b []byte) error {
			var d documentRow
			if err := json.Unmarshal(b, &d); err != nil {
				return wrong("%s: row %d: %v", corpus, n, err)
			}
			if d.ID == "" || d.Title+d.Text == "" {
				return wrong("%s: row %d has no doc_id or no text: rows are doc_id, title, text", corpus, n)
			}
			if urls[string(d.ID)] != "" {
				return wrong("%s: row %d: doc_id %s is there twice: give every document its own", corpus, n, d.ID)
			}
			name := fmt.Sprintf("%03d/%06d.md", len(urls)/1000, len(urls))
			urls[string(d.ID)] = "doc:" + name
			path := filepath.Join(folder, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return fmt.Errorf("temporary folder: %w", err)
			}
			return os.WriteFile(path, []byte(markdown(d)), 0o600)
		})
		if err != nil {
			return nil, err
		}
	}
	if len(urls) == 0 {
		return nil, wrong("%s: no documents: rows are doc_id, title, text", strings.Join(r.Corpus, ", "))
	}
	return urls, nil
}

func markdown(d documentRow) string {
	title := squeeze(d.Title)
	if title == "" {
		return d.Text + "\n"
	}
	return "# " + title + "\n\n" + d.Text + "\n"
}

// questions are those with something to find.
func (r Retrieval) questions(urls map[string]string) ([]questionRow, error) {
	var out []questionRow
	err := eachRow(r.Queries, func(n int, b []byte) error {
		var q questionRow
		if err := json.Unmarshal(b, &q); err != nil {
			return wrong("%s: row %d: %v", r.Queries, n, err)
		}
		if q.Question == "" || len(q.Gold) == 0 {
			return wrong("%s: row %d has no question or no gold: rows are id, question, gold", r.Queries, n)
		}
		for _, g := range q.Gold {
			if urls[g] == "" {
				return wrong("%s: row %d: gold %q is not in the corpus: add the file that holds it with --corpus", r.Queries, n, g)
			}
		}
		slices.Sort(q.Gold)
		q.Gold = slices.Compact(q.Gold)
		out = append(out, q)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = wrong("%s has no questions: rows are id, question, gold", r.Queries)
	}
	return out, err
}

func (r Retrieval) ask(ctx context.Context, l *library.Library, folder string, questions []questionRow, urls map[string]string) (RetrievalScores, error) {
	search := r.Search
	if search == nil {
		search = func(ctx context.Context, l *library.Library, q library.Query) ([]plumb.Hit, error) {
			return l.Search(ctx, q)
		}
	}
	var ndcg, recall, all, mrr mean
	var took time.Duration
	for _, q := range questions {
		begin := time.Now()
		hits, err := search(ctx, l, library.Query{Text: q.Question, Folders: []string{folder}, Limit: Top})
		took += time.Since(begin)
		if err != nil {
			return RetrievalScores{}, fmt.Errorf("question %q: %w", q.Question, err)
		}
		at := ranks(hits, q.Gold, urls)
		ndcg.add(gain(at) / ideal(len(q.Gold)))
		recall.add(float64(len(at)) / float64(len(q.Gold)))
		all.count(len(at) == len(q.Gold))
		if len(at) > 0 {
			mrr.add(1 / float64(at[0]))
		} else {
			mrr.add(0)
		}
	}
	return RetrievalScores{N: len(questions), NDCG: ndcg.value(), Recall: recall.value(), AllGold: all.value(), MRR: mrr.value(),
		MSPerQuery: took.Seconds() * 1000 / float64(len(questions))}, nil
}

// ranks are where the wanted documents stand first, from 1, ascending; those that are not there have none.
func ranks(hits []plumb.Hit, gold []string, urls map[string]string) []int {
	var at []int
	for _, g := range gold {
		i := slices.IndexFunc(hits, func(h plumb.Hit) bool { return h.Source.URL == urls[g] })
		if i >= 0 && i < Top {
			at = append(at, i+1)
		}
	}
	slices.Sort(at)
	return at
}

func gain(ranks []int) float64 {
	sum := 0.0
	for _, r := range ranks {
		sum += 1 / math.Log2(float64(r)+1)
	}
	return sum
}

// ideal is the gain of n documents in the first places.
func ideal(n int) float64 {
	var first []int
	for i := range min(n, Top) {
		first = append(first, i+1)
	}
	return gain(first)
}
