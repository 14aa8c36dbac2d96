package gather_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/gather"
)

const examples = "../examples"

// example is a line of questions.jsonl.
type example struct {
	Question      string   `json:"question"`
	AnswersIn     []string `json:"answers_in"`
	Expect        []string `json:"expect"`
	Contradiction []string `json:"contradiction"`
	Answerable    bool     `json:"answerable"`
}

func readExamples(t *testing.T) []example {
	t.Helper()
	f, err := os.Open(filepath.Join(examples, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []example
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e example
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// dossier puts the example documents on a shelf, as the library would.
func dossier(t *testing.T) *shelf {
	t.Helper()
	t.Setenv(pdfChild, "1")
	x := extract.Extractor{Child: []string{os.Args[0]}}
	s := &shelf{}
	root := filepath.Join(examples, "corpus")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, err := x.Extract(context.Background(), path, "", data)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		src := plumb.Source{URL: "doc:" + filepath.ToSlash(rel), Title: doc.Title, Date: doc.Date, Language: doc.Language, Format: doc.Format}
		if doc.References != nil {
			src.References = &plumb.Passage{Start: doc.References.Start, End: doc.References.End}
		}
		s.put(src, doc.Text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var askedAt = time.Date(2025, 10, 1, 9, 0, 0, 0, time.UTC)

// answer takes a question through scope, plan, one wave and, where the supervisor wants it, another.
func answer(t *testing.T, s *shelf, question, preset string) []plumb.Finding {
	t.Helper()
	ctx := context.Background()
	limits, err := plumb.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	q := plumb.Question{Text: question, At: askedAt, Where: plumb.Where{Folders: []string{"/corpus"}}}
	var x gather.Extractive
	brief, err := x.Scope(ctx, gather.ScopeTask{Question: q})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := x.Plan(ctx, gather.PlanTask{Question: q, Brief: brief, Limits: limits, Round: 1})
	if err != nil {
		t.Fatal(err)
	}
	var all []plumb.Finding
	var reports []gather.UnitReport
	var visited []string
	units := plan.Units
	for wave := 1; len(units) > 0 && wave <= limits.Waves; wave++ {
		var read []string
		for _, u := range units {
			res, err := x.Research(ctx, gather.UnitTask{Unit: u, Brief: brief, Question: q, Limits: limits.Unit, Number: len(reports) + 1, Visited: visited, At: askedAt}, gather.Tools{Library: s, Texts: s})
			if err != nil {
				t.Fatal(err)
			}
			reports = append(reports, gather.UnitReport{Unit: u, State: plumb.Succeeded, Findings: res.Findings})
			all = append(all, res.Findings...)
			read = append(read, res.Visited...)
		}
		visited = append(visited, read...)
		p, err := x.Supervise(ctx, gather.SuperviseTask{Question: q, Brief: brief, Units: reports, Spare: 10, Wave: wave, Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		units = p.Units
	}
	return all
}

func TestExampleQuestionsFindWhatTheyExpect(t *testing.T) {
	s := dossier(t)
	for _, e := range readExamples(t) {
		t.Run(e.Question, func(t *testing.T) {
			found := answer(t, s, e.Question, "standard")
			for _, f := range found {
				t.Logf("%.2f %s %-40s %s: %s", f.Relevance, f.ID, f.Area, strings.TrimPrefix(f.SourceURL, "doc:"), f.Content)
			}
			if !e.Answerable {
				if len(found) > 0 {
					t.Errorf("%d findings for a question that the documents do not answer", len(found))
				}
				return
			}
			for _, want := range e.Expect {
				if !slices.ContainsFunc(found, func(f plumb.Finding) bool { return strings.Contains(f.Content, want) }) {
					t.Errorf("no finding has %q", want)
				}
			}
			for _, doc := range e.Contradiction {
				if !slices.ContainsFunc(found, func(f plumb.Finding) bool { return f.SourceURL == "doc:"+doc }) {
					t.Errorf("no finding of %s, one side of a contradiction", doc)
				}
			}
		})
	}
}
