package lab_test

// Units that go out into the simulated internet: thinking with the scripted mind and without a model, over pages that
// misbehave and searches that fail.

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/llm/provider"
	"github.com/plumbresearch/plumb/page"
	"github.com/plumbresearch/plumb/search"
)

// finder is search as units see it.
type finder struct{ *search.Search }

func (f finder) Leads(ctx context.Context, q gather.LeadQuery) (gather.Leads, error) {
	leads, news, err := f.Find(ctx, search.Query{Text: q.Text, Language: q.Language, Limit: q.Limit})
	return gather.Leads{Leads: leads, News: news}, err
}

// desk reads pages for units and keeps their texts.
type desk struct {
	pages *page.Reader
	mu    sync.Mutex
	texts map[string]string // by hash
}

func (d *desk) Read(ctx context.Context, lead plumb.Lead) (gather.Page, error) {
	p, err := d.pages.Read(ctx, lead.URL)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.texts[p.Source.Hash] = p.Text
	}
	return gather.Page{Source: p.Source, Text: p.Text, Depth: p.Depth, Note: p.Note}, err
}

func (d *desk) Text(_ context.Context, hash string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.texts[hash], nil
}

// minded is a thinker with scripted models.
func minded(t *testing.T) gather.Thinker {
	t.Helper()
	url, stop := lab.Serve(&lab.Models{})
	t.Cleanup(stop)
	p := provider.New(provider.Options{OpenAIKey: "lab", OpenAIURL: url + "/v1",
		Traits: func(string) (llm.Traits, bool) {
			return llm.Traits{Window: 32_000, Output: 4096, Tools: true, Schema: true}, true
		}})
	d := &llm.Desk{Open: p.Open}
	m, err := d.At(llm.Place{Run: "r", Step: "s"}).Model("openai:lab", llm.Worker)
	if err != nil {
		t.Fatal(err)
	}
	return gather.LLM{Orchestrator: llm.Drive(m), Worker: llm.Drive(m)}
}

// goOut scopes a question, plans, and researches the units one after the other.
func goOut(t *testing.T, thinker gather.Thinker, w *lab.Web, base, question string) ([]plumb.Finding, *desk) {
	t.Helper()
	e := enginesOf(t, w, base)
	d := &desk{pages: byProxy(t, w, base), texts: map[string]string{}}
	d.pages.Archive = "http://archive.lab.test"
	limits, err := plumb.Preset("standard")
	if err != nil {
		t.Fatal(err)
	}
	q := plumb.Question{Text: question, At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Where: plumb.Where{Search: []string{"auto"}, Papers: []string{"auto"}}}
	brief, err := thinker.Scope(t.Context(), gather.ScopeTask{Question: q})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := thinker.Plan(t.Context(), gather.PlanTask{Question: q, Brief: brief, Limits: limits, Round: 1})
	if err != nil {
		t.Fatal(err)
	}
	var out []plumb.Finding
	var visited []string
	for i, u := range plan.Units {
		got, err := thinker.Research(t.Context(), gather.UnitTask{Run: "r", Unit: u, Question: q, Brief: brief, Limits: limits.Unit, Number: i + 1, At: q.At, Visited: visited},
			gather.Tools{Texts: d, Web: finder{e.Web()}, Papers: finder{e.Papers()}, Pages: d})
		if err != nil {
			t.Fatal(err)
		}
		out, visited = append(out, got.Findings...), append(visited, got.Visited...)
	}
	return out, d
}

func TestUnitsFindAnswersInABadWeb(t *testing.T) {
	for i := range 10 {
		how, seed := []string{"mind", "extractive"}[i%2], uint64(20+i/2)
		t.Run(fmt.Sprintf("%s %d", how, seed), func(t *testing.T) {
			t.Parallel()
			w := &lab.Web{Seed: seed, Pages: 128, Bad: 0.3, SearchFaults: 0.1, Slow: 50 * time.Millisecond}
			base := listen(t, w)
			questions := w.Questions()
			q := questions[5*i/2%len(questions)]
			var thinker gather.Thinker = gather.Extractive{}
			if how == "mind" {
				thinker = minded(t)
			}
			got, d := goOut(t, thinker, w, base, q.Text)
			checkFindings(t, q, got, d)
			checkFetches(t, w.Stats())
		})
	}
}

// checkFindings: something was found that the pages say, and answers.
func checkFindings(t *testing.T, q lab.Question, got []plumb.Finding, d *desk) {
	t.Helper()
	cited, answers := 0, 0
	for _, f := range got {
		if f.Source == "" {
			continue // only a snippet was seen
		}
		cited++
		if !strings.Contains(d.texts[f.Source], f.Quote) {
			t.Errorf("%q is not on %s", f.Quote, f.SourceURL)
		}
		if slices.ContainsFunc(lab.InjectionMarks, func(m string) bool { return strings.Contains(f.SourceURL, m) }) {
			t.Errorf("an order was obeyed: %+v", f)
		}
		if strings.Contains(f.Quote, q.Subject) {
			answers++
		}
	}
	if answers == 0 {
		t.Errorf("%s: %d findings, %d of them about it: %+v", q.Text, cited, answers, got)
	}
}

// checkFetches: no page was fetched twice, and none that only an order would lead to.
func checkFetches(t *testing.T, s lab.WebStats) {
	t.Helper()
	for _, f := range s.Fetches {
		if f.Status == http.StatusOK && f.Times > 1 || strings.Contains(f.URL, "collector.lab.test") {
			t.Errorf("fetched: %+v", f)
		}
	}
	if len(s.Fetches) == 0 || len(s.Refused) > 0 {
		t.Errorf("%+v", s)
	}
}
