package lab

// The scripted models through everything that a run puts between itself and a model: the prompts of the stages, Drive,
// Desk and the providers' wires.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/llm/provider"
	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/report"
)

// shelf is a library of a few documents that is searched by shared words.
type shelf map[string]plumb.Hit // by hash

func (s shelf) put(name, body string) {
	sum := sha256.Sum256([]byte(body))
	hash := hex.EncodeToString(sum[:])
	source := plumb.Source{Hash: hash, URL: "doc:" + name, FinalURL: "doc:" + name, Title: name, Key: "doc:" + name, Chars: len([]rune(body)), Date: "2022-05-01"}
	s[hash] = plumb.Hit{Source: source, Passage: plumb.Passage{Source: hash, End: len(body)}, Text: body}
}

func (s shelf) Search(_ context.Context, q gather.Query) ([]plumb.Hit, error) {
	var out []plumb.Hit
	words := weighty(q.Text)
	for _, h := range s {
		if h.Score = float64(overlap(words, h.Text)); h.Score > 0 && !slices.Contains(q.Exclude, h.Source.URL) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b plumb.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Source.URL, b.Source.URL))
	})
	return out[:min(len(out), max(q.Limit, 1))], nil
}

func (s shelf) Text(_ context.Context, hash string) (string, error) { return s[hash].Text, nil }

func brackwell() shelf {
	s := shelf{}
	s.put("minutes.md", "The board met in May. The pumps at Brackwell failed in 2021 because silt had blocked the intake. An inspector found that the alarms had been switched off at Brackwell before the pumps failed. The meeting noted the report without a vote.")
	s.put("order.md", "Work order of the drainage board. The repair of the pumps at Brackwell cost EUR 284,500. The contractor had first offered to repair the pumps at Brackwell for EUR 190,000. Access is by the towpath from the north.")
	s.put("notice.md", "Press notice. The station at Brackwell reopened on 12 March 2022 after 140 days. Volunteers were thanked when the Brackwell station reopened. No complaint was received in the period.")
	s.put("letter.md", "A letter of the insurer. The insurer put the repair cost at Brackwell at EUR 301,000 in all. The site was dry on the day of the visit.")
	return s
}

// thinkers are models over a wire, with the chain around them.
func thinkers(t *testing.T, m *Models, name string, traits llm.Traits) llm.Model {
	t.Helper()
	url := serve(t, m)
	p := provider.New(provider.Options{
		OpenAIKey: "sk-0123456789", OpenAIURL: url + "/v1", AnthropicKey: "sk-ant-0123456789", AnthropicURL: url, CompatibleURL: url + "/v1",
		Stall: 200 * time.Millisecond, Timeout: 20 * time.Second,
		Traits: func(string) (llm.Traits, bool) { return traits, true },
	})
	desk := &llm.Desk{Open: p.Open, Retry: llm.Retry{First: time.Millisecond, Longest: 5 * time.Millisecond, Tries: 12}}
	model, err := desk.At(llm.Place{Run: "r", Step: "s"}).Model(name, llm.Orchestrator)
	if err != nil {
		t.Fatal(err)
	}
	return llm.Drive(model)
}

// result is what a walk through the stages brings.
type result struct {
	brief    plumb.Brief
	plan     plumb.Plan
	findings []plumb.Finding
	proposal gather.Proposal
	draft    string
	review   report.Review
}

// walk goes from the question to the review of the draft.
func walk(t *testing.T, model llm.Model, question string) result {
	t.Helper()
	ctx, lib := t.Context(), brackwell()
	limits, err := plumb.Preset("standard")
	if err != nil {
		t.Fatal(err)
	}
	q := plumb.Question{Text: question, At: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Where: plumb.Where{Library: true}}
	thinker := gather.LLM{Orchestrator: model, Worker: model}
	var r result
	if r.brief, err = thinker.Scope(ctx, gather.ScopeTask{Question: q}); err != nil {
		t.Fatal(err)
	}
	if r.plan, err = thinker.Plan(ctx, gather.PlanTask{Question: q, Brief: r.brief, Limits: limits, Round: 1}); err != nil {
		t.Fatal(err)
	}
	var units []gather.UnitReport
	var sources []plumb.Source
	for i, u := range r.plan.Units {
		got, err := thinker.Research(ctx, gather.UnitTask{Run: "r", Unit: u, Brief: r.brief, Question: q, Limits: limits.Unit, Number: i + 1, At: q.At}, gather.Tools{Library: lib, Texts: lib})
		if err != nil {
			t.Fatal(err)
		}
		for j := range got.Findings {
			got.Findings[j].ID = fmt.Sprintf("f%d-%d", i, j)
		}
		r.findings = append(r.findings, got.Findings...)
		sources = append(sources, got.Sources...)
		units = append(units, gather.UnitReport{Unit: u, State: plumb.Succeeded, Findings: got.Findings})
	}
	if r.proposal, err = thinker.Supervise(ctx, gather.SuperviseTask{Question: q, Brief: r.brief, Units: units, Spare: 4, Wave: 1, Round: 1, Limits: limits}); err != nil {
		t.Fatal(err)
	}
	cites, _ := report.Cite(r.findings, sources, report.CiteOptions{At: q.At})
	material := report.Material{Question: q, Brief: r.brief, Findings: r.findings, Citations: cites, Limits: limits, Round: 1}
	writer := report.LLM{Model: model}
	if r.draft, err = writer.Write(ctx, material); err != nil {
		t.Fatal(err)
	}
	r.draft, _, _ = report.Renumber(r.draft, cites) // as the step after it does
	if r.review, err = writer.Review(ctx, material, r.draft); err != nil {
		t.Fatal(err)
	}
	return r
}

const brackwellQuestion = "Why did the pumps at Brackwell fail, what did the repair cost, and when did the station reopen?"

// sound says what a walk lacks that every one must have.
func sound(r result) (lacks []string) {
	need := func(ok bool, what string) {
		if !ok {
			lacks = append(lacks, what)
		}
	}
	need(len(r.brief.Areas) == 3, "three areas")
	need(len(r.plan.Units) == 3, "three units")
	said := ""
	for _, f := range r.findings {
		said += f.Quote + "\n"
	}
	for _, fact := range []string{"silt had blocked the intake", "EUR 284,500", "12 March 2022"} {
		need(strings.Contains(said, fact), "a finding of "+fact)
		need(strings.Contains(r.draft, fact), "a draft with "+fact)
	}
	for _, a := range r.brief.Areas {
		need(strings.Contains(r.draft, "### "+a.Name), "a section "+a.Name)
	}
	need(len(markdown.Markers(r.draft)) >= 4, "citations")
	return lacks
}

func TestAWholeWalkOverEachWire(t *testing.T) {
	able := llm.Traits{Window: 32_000, Output: 4096, Tools: true, Schema: true}
	for name, k := range map[string]struct {
		models *Models
		model  string
		traits llm.Traits
	}{
		"openai":                 {&Models{Key: "sk-0123456789"}, "openai:lab-large", able},
		"anthropic":              {&Models{Key: "sk-ant-0123456789"}, "anthropic:lab-large", able},
		"weak, known to be":      {&Models{Weak: true}, "compatible:small", llm.Traits{Window: 8192, Output: 2048}},
		"weak, found to be":      {&Models{Weak: true}, "compatible:small", able},
		"small window":           {&Models{Window: 8192}, "openai:lab-small", llm.Traits{Window: 8192, Output: 2048, Tools: true, Schema: true}},
		"weak with small window": {&Models{Window: 4096, Weak: true}, "compatible:tiny", llm.Traits{Window: 4096, Output: 1024}},
	} {
		t.Run(name, func(t *testing.T) {
			r := walk(t, thinkers(t, k.models, k.model, k.traits), brackwellQuestion)
			if lacks := sound(r); len(lacks) > 0 {
				t.Errorf("lacks %s\nbrief %+v\nplan %+v\nfindings %+v\n%s", strings.Join(lacks, ", "), r.brief, r.plan.Units, r.findings, r.draft)
			}
			if !r.proposal.Complete {
				t.Errorf("the supervisor wants %+v", r.proposal)
			}
			if r.review.Score != 0.8 {
				t.Errorf("the review is %+v", r.review)
			}
			s := k.models.Stats()
			for _, prompt := range []string{"scope", "plan", "unit", "extract", "supervise", "write", "review"} {
				if s.Prompts[prompt] == 0 {
					t.Errorf("%s was never asked: %v", prompt, s.Prompts)
				}
			}
			delete(s.Faults, "weak")
			if len(s.Faults) > 0 {
				t.Errorf("faults %v", s.Faults)
			}
		})
	}
}

func TestAWalkThroughFaults(t *testing.T) {
	for _, name := range []string{"openai:lab-large", "anthropic:lab-large"} {
		t.Run(name, func(t *testing.T) {
			m := &Models{Seed: 5, StallFor: 5 * time.Millisecond}
			m.Knobs.All(0.1)
			m.Knobs.RateLimit = 0 // its waits are real seconds
			r := walk(t, thinkers(t, m, name, llm.Traits{Window: 32_000, Output: 4096, Tools: true, Schema: true}), brackwellQuestion)
			if len(r.findings) < 3 || !strings.Contains(r.draft, "###") {
				t.Errorf("findings %+v\n%s", r.findings, r.draft)
			}
			for _, f := range r.findings {
				if strings.Contains(f.Quote, "1,234 percent") {
					t.Errorf("a false quote came through: %s", f.Quote)
				}
			}
			if strings.Contains(r.draft, "[97]") || strings.Contains(r.draft, "<think>") {
				t.Errorf("a fault came through:\n%s", r.draft)
			}
			if s := m.Stats(); len(s.Faults) < 3 {
				t.Errorf("faults %v of %d calls", s.Faults, s.Calls)
			}
		})
	}
}

func TestAnAmbiguousQuestionIsAskedBack(t *testing.T) {
	m := &Models{}
	thinker := gather.LLM{Orchestrator: thinkers(t, m, "openai:lab-large", llm.Traits{Window: 32_000, Output: 4096, Tools: true, Schema: true})}
	q := plumb.Question{Text: "How old is Mercury, the AMBIGUOUS one?", At: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	b, err := thinker.Scope(t.Context(), gather.ScopeTask{Question: q})
	if err != nil || b.Ask == "" {
		t.Fatalf("the brief is %+v, %v", b, err)
	}
	b, err = thinker.Scope(t.Context(), gather.ScopeTask{Question: q, Answer: "the planet"})
	if err != nil || b.Ask != "" || !strings.Contains(b.Question, "the planet") {
		t.Errorf("the brief is %+v, %v", b, err)
	}
}

func TestEmbeddingsThroughTheProvider(t *testing.T) {
	url := serve(t, &Models{})
	p := provider.New(provider.Options{OpenAIKey: "sk-0123456789", OpenAIURL: url + "/v1"})
	e, err := p.OpenEmbedder("openai:lab-embed")
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Embed(t.Context(), []string{"one text", "another text"})
	if err != nil || len(v.Vectors) != 2 || len(v.Vectors[0]) != 256 || v.Usage.Input == 0 {
		t.Errorf("embedded %v, %v", v, err)
	}
}
