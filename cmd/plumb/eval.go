package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/eval"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/llm"
)

func (r *root) evalCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Score the program's parts on data with labels",
		Long: `Measures the very code that runs use on data of yours or of public benchmarks. Files are JSON lines; those whose name ends in
.csv are CSV with a header row, those in .gz are gzipped.`,
		Example: `  plumb eval pages --data pages.jsonl --html pages/
  plumb eval retrieval --corpus passages.jsonl.gz --queries questions.jsonl
  plumb eval citations --data reports.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("plumb eval %s is not a command: use pages, retrieval, citations or claims", args[0])
			}
			return cmd.Help()
		},
	}
	c.AddCommand(r.evalPages(), r.evalRetrieval(), r.evalCitations(), r.evalClaims())
	return c
}

func (r *root) evalPages() *cobra.Command {
	var p eval.Pages
	var asJSON bool
	c := &cobra.Command{
		Use:   "pages",
		Short: "How well web pages are read",
		Long: `Reads saved web pages and compares their text, title and date with labels. Each row of the data names a page by html (its file in the
folder) or id, and may have url, title and date. Its text is compared with either

  with, without   lists of phrases that must and must not be in it; each phrase counts
  articleBody     the whole text of the article, by shingles of four words; each page counts`,
		Example: `  plumb eval pages --data pages.jsonl --html pages/
  plumb eval pages --data pages.jsonl.gz --html pages/ --json`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.Data == "" || p.HTML == "" {
				return usage("plumb eval pages takes --data FILE and --html FOLDER")
			}
			if info, err := os.Stat(p.HTML); err != nil || !info.IsDir() {
				return usage("--html %s is no folder: name the one that holds the pages", p.HTML)
			}
			s, err := p.Score(cmd.Context())
			if err != nil {
				return wrongData(err)
			}
			if asJSON {
				return r.printJSON(s)
			}
			return r.printScores(s.N, "page", []score{
				{"F1", &s.F1, "%.3f"}, {"precision", &s.Precision, "%.3f"}, {"recall", &s.Recall, "%.3f"},
				{"title accuracy", s.TitleAccuracy, "%.3f"}, {"date accuracy", s.DateAccuracy, "%.3f"}, {"MB a second", &s.MBPerSecond, "%.1f"},
			})
		},
	}
	c.Flags().StringVar(&p.Data, "data", "", "file of rows with labels")
	c.Flags().StringVar(&p.HTML, "html", "", "folder of the pages")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (r *root) evalRetrieval() *cobra.Command {
	var e eval.Retrieval
	var embed string
	var asJSON bool
	c := &cobra.Command{
		Use:   "retrieval",
		Short: "How well the library finds what answers a question",
		Long: `Puts the documents of a corpus (rows doc_id, title, text) into a library of its own, asks it every question (rows id, question, gold: the
doc_ids that are wanted), and looks at the first ten passages. Your own library is not touched.

--embed-model also ranks by meaning, as runs do that have one.`,
		Example: `  plumb eval retrieval --corpus passages.jsonl.gz --queries questions.jsonl
  plumb eval retrieval --corpus passages.csv --corpus noise.csv --queries questions.csv --json
  plumb eval retrieval --corpus passages.csv --queries questions.csv --embed-model ollama:nomic-embed-text`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(e.Corpus) == 0 || e.Queries == "" {
				return usage("plumb eval retrieval takes --corpus FILE and --queries FILE")
			}
			p := newProgress(r, false, asJSON)
			e.Progress = func(n plumb.DocumentsNews) { p.show(plumb.News(plumb.DocumentsRead, "", n)) }
			var meaning *watched
			if embed != "" {
				var err error
				if meaning, err = r.embedder(embed); err != nil {
					return err
				}
				e.Search = meaning.search
			}
			s, err := e.Score(cmd.Context())
			p.rest()
			if err != nil {
				return wrongData(err)
			}
			if asJSON {
				return r.printJSON(s)
			}
			return r.printScores(s.N, "question", []score{
				{"all gold in the first 10", &s.AllGold, "%.3f"}, {"recall at 10", &s.Recall, "%.3f"}, {"nDCG at 10", &s.NDCG, "%.3f"},
				{"MRR at 10", &s.MRR, "%.3f"}, {"ms a question", &s.MSPerQuery, "%.1f"},
			})
		},
	}
	c.Flags().StringArrayVar(&e.Corpus, "corpus", nil, "file of documents (repeatable)")
	c.Flags().StringVar(&e.Queries, "queries", "", "file of questions")
	c.Flags().StringVar(&embed, "embed-model", "", "provider:model that ranks by meaning")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// wrongData is wrong use where the data is at fault.
func wrongData(err error) error {
	if errors.Is(err, eval.ErrData) {
		return usage("%v", err)
	}
	return err
}

// score is a line of a table; nil is not known.
type score struct {
	name   string
	value  *float64
	format string
}

func (r *root) printScores(n int, what string, scores []score) error {
	w := tabwriter.NewWriter(r.io.out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, count(n, what)); err != nil {
		return err
	}
	for _, s := range scores {
		value := "no labels"
		if s.value != nil {
			value = fmt.Sprintf(s.format, *s.value)
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\n", s.name, value); err != nil {
			return err
		}
	}
	return w.Flush()
}

// embedder opens the embedder of a name.
func (r *root) embedder(name string) (*watched, error) {
	if _, _, err := llm.ParseName(name); err != nil {
		return nil, usage("--embed-model: %v", err)
	}
	_, p, err := r.thinkers(nil) // nothing is entered in a ledger
	if err != nil {
		return nil, err
	}
	e, err := p.OpenEmbedder(name)
	if err != nil {
		return nil, usage("%v", err)
	}
	return &watched{Embedder: e}, nil
}

// watched keeps the error of an embedder: a run goes on by words alone, a measurement of meaning must not.
type watched struct {
	llm.Embedder
	err error
}

// Embed keeps what went wrong.
func (w *watched) Embed(ctx context.Context, texts []string) (*llm.Vectors, error) {
	v, err := w.Embedder.Embed(ctx, texts)
	if err != nil {
		w.err = err
	}
	return v, err
}

// search ranks by words and by meaning, as runs do.
func (w *watched) search(ctx context.Context, l *library.Library, q library.Query) ([]plumb.Hit, error) {
	hits, err := engine.Near(shelf{l, q.Folders}, w).Search(ctx, gather.Query{Text: q.Text, Language: q.Language, Limit: q.Limit, Exclude: q.Exclude})
	return hits, errors.Join(err, w.err)
}

// shelf is a library as researchers see it.
type shelf struct {
	library *library.Library
	folders []string
}

// Search looks for passages.
func (s shelf) Search(ctx context.Context, q gather.Query) ([]plumb.Hit, error) {
	return s.library.Search(ctx, library.Query{Text: q.Text, Language: q.Language, Folders: s.folders, Limit: q.Limit, Exclude: q.Exclude})
}
