package engine_test

// Runs in which scripted models think, over real HTTP.

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/llm/provider"
)

const labModel = "openai:gpt-5.4-mini"

// withModels lets the models of a lab think for d.
func (d *desk) withModels(m *lab.Models) *desk {
	d.t.Helper()
	url, stop := lab.Serve(m)
	d.t.Cleanup(stop)
	prices := llm.DefaultPrices()
	p := provider.New(provider.Options{OpenAIKey: "lab", OpenAIURL: url + "/v1", CompatibleURL: url + "/v1", Timeout: 2 * time.Second, Stall: time.Second,
		Traits: prices.Traits})
	desk := &llm.Desk{Open: p.Open, OpenEmbedder: p.OpenEmbedder, Ledger: d.db, Prices: prices,
		Retry: llm.Retry{First: time.Millisecond, Longest: 5 * time.Millisecond}}
	d.Models = &engine.Models{Desk: desk, Host: p.Host}
	return d
}

// thinking makes a run's models those of the lab.
func thinking(change func(*plumb.Run)) func(*plumb.Run) {
	return func(r *plumb.Run) {
		r.Asked.Models = plumb.Models{Orchestrator: labModel, Worker: labModel, Judge: labModel}
		if change != nil {
			change(r)
		}
	}
}

const millQuestion = "Why did the Oxley mill burn, and what did the insurer pay for the Oxley mill?"

func TestModelsThinkOnTheWholePath(t *testing.T) {
	m := &lab.Models{}
	d := newDesk(t, millDocs).withModels(m)
	run := d.ask("r1", millQuestion, thinking(nil))
	if len(run.FellBack) > 0 {
		t.Errorf("fell back: %v", run.FellBack)
	}
	md := d.published("r1")
	for _, want := range []string{"a bearing ran hot", "3.1 million", labModel, "Hosts that the run talked to: 127.0.0.1", "[VERIFIED]"} {
		if !strings.Contains(md, want) {
			t.Errorf("the report lacks %q:\n%s", want, md)
		}
	}
	for _, name := range []string{"scope", "plan", "unit", "extract", "write"} {
		if m.Stats().Prompts[name] == 0 {
			t.Errorf("no model was asked to %s: %v", name, m.Stats().Prompts)
		}
	}
	d.billAddsUp(run, m)
	d.quotesStand("r1")
	kinds := d.kinds()
	if i, j := slices.Index(kinds, plumb.HostsNamed), slices.Index(kinds, plumb.BriefReady); i < 0 || i > j {
		t.Errorf("hosts are named at %d, the first answer comes at %d", i, j)
	}
	if !slices.Contains(kinds, plumb.EstimateReady) || !slices.Contains(kinds, plumb.DraftDelta) {
		t.Errorf("events: %v", kinds)
	}
	stored, err := d.db.Events(context.Background(), "r1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range stored {
		if e.Kind == plumb.DraftDelta || e.Seq != int64(i+1) {
			t.Errorf("stored event %d is %s with seq %d", i, e.Kind, e.Seq)
		}
	}
}

// billAddsUp holds a run's cost against its rows, and these against what the models count.
func (d *desk) billAddsUp(run *plumb.Run, m *lab.Models) {
	d.t.Helper()
	rows, err := d.db.LedgerRows(context.Background(), run.ID)
	if err != nil || len(rows) == 0 {
		d.t.Fatal(len(rows), err)
	}
	var usd float64
	var in, out int64
	for _, r := range rows {
		usd, in, out = usd+r.USD, in+r.Input, out+r.Output
	}
	if diff := usd - run.Spent.USD; diff > 1e-9 || diff < -1e-9 || run.Spent.Tokens != in+out {
		d.t.Errorf("spent %+v, rows add up to $%.6f and %d tokens", run.Spent, usd, in+out)
	}
	if b := m.Stats().Billed; b.Input != in || b.Output != out {
		d.t.Errorf("the models count %d and %d tokens, the rows %d and %d", b.Input, b.Output, in, out)
	}
}

func (d *desk) quotesStand(run string) {
	d.t.Helper()
	fs, err := d.db.Findings(context.Background(), run)
	if err != nil || len(fs) == 0 {
		d.t.Fatal(len(fs), err)
	}
	for _, f := range fs {
		text, err := d.db.Text(context.Background(), f.Source)
		if err != nil || text[f.QuoteStart:f.QuoteEnd] != f.Quote {
			d.t.Errorf("finding %s: %q is not at its place (%v)", f.ID, f.Quote, err)
		}
	}
}

func TestARunWithModelsIsReplayedOfflineByteForByte(t *testing.T) {
	for _, c := range []struct {
		name   string
		models *lab.Models
	}{
		{"able", &lab.Models{}},
		{"faulty", &lab.Models{Seed: 3, Knobs: lab.Knobs{Malformed: 0.2, FalseQuotes: 0.3, ServerError: 0.2, InventedCitations: 0.5, Think: 0.3}}},
		{"refuses tools and schemas", &lab.Models{Weak: true}},
		{"has a smaller window than it is said to have", &lab.Models{Weak: true, Window: 1400}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.models
			d := newDesk(t, millDocs).withModels(m)
			d.ask("r1", millQuestion, thinking(nil))
			calls, want := m.Stats().Calls, d.published("r1")
			run, other, err := d.again("r1")
			if err != nil {
				t.Fatal(err)
			}
			if got := other.published("r1"); got != want {
				t.Errorf("replayed:\n%s\nwas:\n%s", got, want)
			}
			if n := m.Stats().Calls - calls; n > 0 {
				t.Errorf("the replay made %d calls", n)
			}
			if run.State() != plumb.Finished {
				t.Error(run.State())
			}
		})
	}
}

func TestAHopelessModelFailsTheRunBeforeAnyOtherWork(t *testing.T) {
	for _, c := range []struct {
		name, want string
		models     *lab.Models
		change     func(*plumb.Run)
	}{
		{"wrong key", "refuses the key", &lab.Models{Key: "another"}, nil},
		{"unknown model", "does not know the model", &lab.Models{Known: []string{"other"}}, nil},
		{"no quota", "no quota left", &lab.Models{Knobs: lab.Knobs{Quota: true}}, nil},
		{"unknown judge", "does not know the model gpt-5-judge", &lab.Models{Known: []string{"gpt-5.4-mini"}},
			func(r *plumb.Run) { r.Asked.Models.Judge = "openai:gpt-5-judge" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, millDocs).withModels(c.models)
			run := d.start("r1", millQuestion, thinking(c.change))
			got := workUntil(t, d.bench, run.ID, plumb.FailedState)
			if !strings.Contains(got.Fail, c.want) || strings.Contains(got.Fail, "\n") {
				t.Errorf("failed with %q", got.Fail)
			}
			if docs, err := d.Library.List(context.Background(), ""); err != nil || len(docs) > 0 {
				t.Errorf("%d documents were read before (%v)", len(docs), err)
			}
		})
	}
}

func TestAModelThatFailsOnTheWayLeavesTheStepToExtractiveThinking(t *testing.T) {
	m := &lab.Models{Mind: func(r *llm.Request) *llm.Answer {
		if strings.HasPrefix(r.Messages[0].Text, "# plan") {
			return &llm.Answer{Text: "I would rather not.", Stop: llm.End}
		}
		return nil
	}}
	d := newDesk(t, millDocs).withModels(m)
	run := d.ask("r1", millQuestion, thinking(nil))
	if len(run.FellBack) != 1 || run.FellBack[0].Step != "plan.1" {
		t.Fatalf("fell back: %v", run.FellBack)
	}
	if md := d.published("r1"); !strings.Contains(md, "plan.1") {
		t.Errorf("the report does not say which step fell back:\n%s", md)
	}
	if !slices.Contains(d.kinds(), plumb.StepFellBack) {
		t.Error("no event says so")
	}
}

func TestABudgetEndsTheGatheringAndTheReportSaysSo(t *testing.T) {
	m := &lab.Models{}
	d := newDesk(t, millDocs).withModels(m)
	run := d.ask("r1", millQuestion, thinking(func(r *plumb.Run) { r.Limits.Caps.USD = 0.045 }))
	if run.Stopped != plumb.StopMoney {
		t.Errorf("stopped by %q", run.Stopped)
	}
	if run.Spent.USD > 0.045 {
		t.Errorf("$%.4f were spent", run.Spent.USD)
	}
	if md := d.published("r1"); !strings.Contains(md, "money cap") {
		t.Errorf("the report does not say that money ran out:\n%s", md)
	}
	d.billAddsUp(run, m)
}

func TestWhatWasAnsweredBeforeAKillIsNotPaidAgain(t *testing.T) {
	m := &lab.Models{Latency: 5 * time.Millisecond}
	d := newDesk(t, millDocs).withModels(m)
	d.start("r1", millQuestion, thinking(nil))
	for n := 3; ; n += 3 {
		ctx, cancel := context.WithCancel(context.Background())
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			for m.Stats().Calls < n && ctx.Err() == nil {
				time.Sleep(time.Millisecond) // a poll: the server counts
			}
			cancel()
		}()
		run, err := d.Work(ctx, "r1")
		cancel()
		<-stop
		if err == nil {
			if run.State() != plumb.Finished {
				t.Fatal(run.State(), run.Fail)
			}
			break
		}
	}
	rows, err := d.db.LedgerRows(context.Background(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if call := r.Step + r.Reference; seen[call] {
			t.Errorf("paid twice: %s", call)
		} else {
			seen[call] = true
		}
	}
}

func TestAQuestionThatIsUnclearIsAskedBackOnce(t *testing.T) {
	d := newDesk(t, millDocs).withModels(&lab.Models{})
	d.start("r1", "AMBIGUOUS: what did it cost?", thinking(nil))
	run := workUntil(t, d.bench, "r1", plumb.Waiting)
	var b plumb.Brief
	if err := d.db.Artefact(context.Background(), "r1", run.Refs.Ask, &b); err != nil || b.Ask == "" {
		t.Fatalf("asks %q, %v", b.Ask, err)
	}
	if err := d.Send(context.Background(), "r1", plumb.Signal{Kind: plumb.SigAnswer, Text: "the Oxley mill"}); err != nil {
		t.Fatal(err)
	}
	workUntil(t, d.bench, "r1", plumb.Finished)
}

func TestAFollowUpWithModelsKeepsTheEvidence(t *testing.T) {
	d := newDesk(t, millDocs).withModels(&lab.Models{})
	first := d.ask("r1", "Why did the Oxley mill burn?", thinking(nil))
	d.ask("r2", "Also, what did the insurer pay for the Oxley mill?", thinking(func(r *plumb.Run) { r.Follow(first) }))
	if md := d.published("r2"); !strings.Contains(md, "3.1 million") {
		t.Errorf("the follow-up does not answer:\n%s", md)
	}
	fs, err := d.db.Findings(context.Background(), "r2")
	if err != nil || !slices.ContainsFunc(fs, func(f plumb.Finding) bool { return f.Reused == "r1" }) {
		t.Errorf("nothing was kept of the turn before (%v)", err)
	}
}

func TestAnEmbedderHelpsToRankPassages(t *testing.T) {
	m := &lab.Models{}
	d := newDesk(t, millDocs).withModels(m)
	run := d.ask("r1", millQuestion, thinking(func(r *plumb.Run) { r.Asked.Models.Embed = "openai:text-embedding-3-small" }))
	rows, err := d.db.LedgerRows(context.Background(), run.ID)
	if err != nil || !slices.ContainsFunc(rows, func(r plumb.LedgerRow) bool { return r.Role == string(llm.Embed) && r.Input > 0 }) {
		t.Errorf("no vectors on the bill (%v)", err)
	}
	d.billAddsUp(run, m)
}

func TestWhatTheBudgetLeavesUnaskedIsGatheredWithoutAModel(t *testing.T) {
	for _, c := range []struct {
		name string
		caps plumb.Caps
		stop plumb.Stop
		fell string
	}{
		{"no room for any call", plumb.Caps{USD: 0.0001}, plumb.StopMoney, "unit.u1"},
		{"no tokens for any call", plumb.Caps{Tokens: 10}, plumb.StopTokens, "unit.u1"},
		{"no room for a unit's first call", plumb.Caps{USD: 1, UnitUSD: 0.0001}, "", "unit.u1"},
		{"no tokens for a unit's first call", plumb.Caps{UnitToks: 10}, "", "unit.u1"},
		{"room for some calls of a unit", plumb.Caps{UnitToks: 14000}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, millDocs).withModels(&lab.Models{})
			run := d.ask("r1", millQuestion, thinking(func(r *plumb.Run) { r.Limits.Caps = c.caps }))
			want := d.published("r1")
			if !strings.Contains(want, "3.1 million") || (c.stop != "" && run.Stopped != c.stop) {
				t.Errorf("stopped by %q:\n%s", run.Stopped, want)
			}
			if c.fell != "" && !slices.ContainsFunc(run.FellBack, func(f plumb.Fall) bool { return f.Step == c.fell }) {
				t.Errorf("fell back: %v", run.FellBack)
			}
			if _, other, err := d.again("r1"); err != nil {
				t.Error(err)
			} else if got := other.published("r1"); got != want {
				t.Errorf("replayed:\n%s\nwas:\n%s", got, want)
			}
		})
	}
}

func TestAUnitThatIsInterruptedIsDoneAgainInFull(t *testing.T) {
	whole := newDesk(t, millDocs).withModels(&lab.Models{})
	whole.ask("r1", millQuestion, thinking(nil))
	want := len(whole.findings("r1"))
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	var seen atomic.Int32
	m := &lab.Models{Mind: func(r *llm.Request) *llm.Answer {
		if strings.HasPrefix(r.Messages[0].Text, "# extract") && seen.Add(1) == 2 {
			interrupt() // while one source is read and others are not
		}
		return nil
	}}
	d := newDesk(t, millDocs).withModels(m)
	d.start("r1", millQuestion, thinking(nil))
	if _, err := d.Work(ctx, "r1"); err == nil {
		t.Fatal("the run was not interrupted")
	}
	workUntil(t, d.bench, "r1", plumb.Finished)
	if got := len(d.findings("r1")); got != want {
		t.Errorf("%d findings, without an interruption %d", got, want)
	}
	md := d.published("r1")
	if _, other, err := d.again("r1"); err != nil {
		t.Error(err)
	} else if got := other.published("r1"); got != md {
		t.Errorf("replayed:\n%s\nwas:\n%s", got, md)
	}
}

func TestAUnitThatRanOutOfTimeIsReplayed(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	m := &lab.Models{Mind: func(r *llm.Request) *llm.Answer {
		if text := r.Messages[len(r.Messages)-1].Text; strings.HasPrefix(r.Messages[0].Text, "# extract") && !strings.Contains(text, "a bearing ran hot") {
			<-never
		}
		return nil
	}}
	d := newDesk(t, millDocs).withModels(m)
	d.bench = newBench(t, d.db, d.Steps, func(o *engine.Options) {
		rule := o.Rules[plumb.StepUnit]
		rule.Timeout = time.Second
		o.Rules[plumb.StepUnit] = rule
	})
	run := d.ask("r1", "Why did the Oxley mill burn?", thinking(nil))
	if u := run.Units[0]; u.State != plumb.Succeeded || u.Findings == 0 || len(run.FellBack) > 0 {
		t.Fatalf("the unit kept %d findings, %s; fell back: %v", u.Findings, u.State, run.FellBack)
	}
	md := d.published("r1")
	if _, other, err := d.again("r1"); err != nil {
		t.Error(err)
	} else if got := other.published("r1"); got != md {
		t.Errorf("replayed:\n%s\nwas:\n%s", got, md)
	}
}
