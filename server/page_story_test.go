package server_test

// Stories that people go through with the page, from the question to the passage behind a claim.

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

// brake holds steps back, by their kind, until they are let go: before they are done, or before anybody learns of it.
type brake struct {
	mu            sync.Mutex
	before, after map[plumb.StepKind]chan struct{}
}

func newBrake(before, after []plumb.StepKind) *brake {
	b := &brake{before: map[plumb.StepKind]chan struct{}{}, after: map[plumb.StepKind]chan struct{}{}}
	for _, k := range before {
		b.before[k] = make(chan struct{})
	}
	for _, k := range after {
		b.after[k] = make(chan struct{})
	}
	return b
}

func (b *brake) do(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
	if err := b.wait(ctx, b.before, t.Step.Kind); err != nil {
		return nil, err
	}
	o, err := do(ctx, t)
	if err != nil {
		return o, err
	}
	return o, b.wait(ctx, b.after, t.Step.Kind)
}

func (b *brake) wait(ctx context.Context, held map[plumb.StepKind]chan struct{}, k plumb.StepKind) error {
	b.mu.Lock()
	ch := held[k]
	b.mu.Unlock()
	if ch == nil {
		return nil
	}
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release lets go of a kind of steps for good.
func (b *brake) release(kinds ...plumb.StepKind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, held := range []map[plumb.StepKind]chan struct{}{b.before, b.after} {
		for _, k := range kinds {
			if ch := held[k]; ch != nil {
				close(ch)
				delete(held, k)
			}
		}
	}
}

func TestQuestionBecomesReportWhoseClaimsOpenTheirPassages(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1360, 900)
	b.open("#/ask")
	b.see("What do you want to know?")
	b.see("nothing leaves this machine")
	b.see("21 documents of yours")
	b.shoot("ask")
	b.ask(question, "Quick")
	b.finished()
	if n := eval[int](b, `document.querySelectorAll(".claim[data-verdict=supported]").length`); n == 0 {
		t.Error("no claim is supported")
	}
	eval[bool](b, `(document.querySelector(".claim[data-verdict=supported] .mark").click(), true)`)
	b.wait("the passage", `document.querySelector("#panel .passage.there mark")`)
	got := eval[struct{ Mark, Claim, Title, Around string }](b, `({ Mark: document.querySelector("#panel mark").textContent, Claim: document.querySelector("#panel .said").textContent,
		Title: document.querySelector("#panel-title").textContent, Around: document.querySelector("#panel .passage").textContent })`)
	if got.Title != "✓ Supported" || len(got.Mark) < 10 || len(got.Around) <= len(got.Mark) || !strings.Contains(got.Around, got.Mark) {
		t.Errorf("the panel shows %+v", got)
	}
	b.see("as read on")
	b.settle()
	b.shoot("report")
	b.dark(true)
	b.shoot("report-dark")
	for _, section := range []string{"Sources", "At a glance", "How this report came about", "Ask a follow-up question"} {
		b.see(section)
	}
}

func TestFollowUpStandsInTheSameConversation(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1100, 800)
	b.ask(question, "Quick")
	b.finished()
	b.do(chromedp.SendKeys(chromedp.CSS("#follow-up"), "Who paid for the repair of the Marrowgate Bridge?"))
	eval[bool](b, `(document.querySelector(".follow button").click(), true)`)
	b.wait("the second run", `location.hash.startsWith("#/run/")`)
	b.finished()
	b.open("#/runs")
	b.see("Conversation · 2 questions")
	b.wait("both verdict bars", `document.querySelectorAll(".thread .mini-place svg").length === 2`)
	b.shoot("runs")
	b.do(chromedp.SendKeys(chromedp.CSS("#search-runs"), "who paid"))
	b.wait("one row", `document.querySelectorAll(".run-row").length === 1`)
	b.press("Delete: Who paid for the repair of the Marrowgate Bridge?")
	b.see("Delete this run?")
	b.press("Delete")
	b.see("No question matches")
	if runs, _, err := h.Tenant("").Runs(context.Background(), engine.Filter{}); err != nil || len(runs) != 1 {
		t.Errorf("%d runs are left, %v", len(runs), err)
	}
}

func TestRunAsksBackAndGoesOnWithTheAnswer(t *testing.T) {
	var h *house
	h = newHouse(t, func(ctx context.Context, task *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		o, err := do(ctx, task)
		if err != nil || task.Step.Kind != plumb.StepScope || task.Step.Round > 1 {
			return o, err
		}
		var brief plumb.Brief
		if err := h.db.Artefact(ctx, task.Run, o.Refs.Brief, &brief); err != nil {
			return nil, err
		}
		brief.Ask = "Which of the two bridges do you mean?"
		o.Refs.Ask = o.Refs.Brief
		return o, h.db.PutArtefact(ctx, task.Run, o.Refs.Brief, brief)
	})
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1000, 800)
	b.ask(question, "Quick")
	b.see("Which of the two bridges do you mean?")
	b.shoot("answer")
	b.do(chromedp.SendKeys(chromedp.CSS("#answer"), "the Marrowgate Bridge"))
	b.press("Answer")
	b.finished()
}

func TestRunIsPausedFinishedAndCancelled(t *testing.T) {
	brake := newBrake(nil, []plumb.StepKind{plumb.StepUnit})
	h := newHouse(t, brake.do)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1360, 900)
	b.ask(question, "Standard")
	b.wait("findings", `document.querySelectorAll(".finding").length > 3`)
	b.settle()
	b.shoot("run")
	b.dark(true)
	b.shoot("run-dark")
	b.press("Pause")
	b.wait("the pause", `document.querySelector(".run-bar .state").textContent === "Paused"`)
	b.press("Resume")
	b.wait("going on", `document.querySelector(".run-bar .state").textContent === "Running"`)
	b.press("Cancel")
	b.see("It stops at once and writes no report.")
	b.press("Keep it")
	b.press("Cancel")
	b.press("Cancel the run")
	b.see("This run was cancelled.")
	if eval[bool](b, `!document.querySelector(".controls .primary").hidden`) {
		t.Error("a cancelled run offers a report")
	}
}

// serveAt serves on a given address, so that a page finds the next server where the one before was.
func (h *house) serveAt(addr string) *httptest.Server {
	h.t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		h.t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(server.New(server.Options{House: h.House, Keys: h.db, Replies: h.db, Open: true, Version: "test"}).Handler())
	if err := s.Listener.Close(); err != nil {
		h.t.Fatal(err)
	}
	s.Listener = l
	s.Start()
	return s
}

func TestPageGoesOnAfterTheServerWasRestarted(t *testing.T) {
	brake := newBrake(nil, []plumb.StepKind{plumb.StepUnit})
	h := newHouse(t, brake.do)
	h.shelve("", 40)
	s := h.serveAt("127.0.0.1:0")
	b := browse(t, s.URL, 1360, 900)
	id := b.ask(question, "Standard")
	b.wait("findings", `document.querySelectorAll(".finding").length > 3`)
	s.CloseClientConnections()
	s.Close()
	h.stop()
	b.see("reconnecting…")
	addr := strings.TrimPrefix(s.URL, "http://")
	h = openHouse(t, h.path, nil)
	s = h.serveAt(addr)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	b.wait("the end", `document.querySelector(".run-bar .state").textContent === "Done"`)
	b.wait("the connection's note to go", `document.querySelector(".conn").textContent === ""`)
	events, err := h.Tenant("").Events(context.Background(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[plumb.EventKind]int{}
	for _, e := range events {
		want[e.Kind]++
	}
	got := eval[struct{ Findings, Distinct, Gates int }](b, `({ Findings: document.querySelectorAll(".finding").length,
		Distinct: new Set([...document.querySelectorAll(".finding")].map((f) => f.dataset.key)).size, Gates: document.querySelectorAll(".entry.gate").length })`)
	if got.Findings != want[plumb.FindingMade] || got.Distinct != got.Findings || got.Gates != want[plumb.GateDecided] {
		t.Errorf("the page shows %+v, the run has %v", got, want)
	}
	b.forgive("ERR_CONNECTION_REFUSED")
	b.forgive("ERR_INCOMPLETE_CHUNKED_ENCODING")
	b.forgive("ERR_CONNECTION_RESET")
	b.forgive("ERR_EMPTY_RESPONSE")
}

// bridgeReport is right, wrong and careless about the example documents.
const bridgeReport = `# The Marrowgate Bridge after its repair

## What happened

The Marrowgate Bridge was closed on 14 February 2023 because a crack 84 millimetres long was found in hanger H7 at Pier 4 [1]. The crack in hanger H7 was caused by salt water that reached the hangers at Pier 4 over several winters and by pins that had seized [1]. The Marrowgate Bridge was closed to all vehicles for 412 days [1].

## What it cost

The repair of the Marrowgate Bridge cost EUR 48.2 million, of which the National Bridge Fund paid EUR 26.0 million [1]. The council approved Option B for the repair of the Marrowgate Bridge with a budget of EUR 43.6 million, by 33 votes to 4 [2]. The rest was paid out of parking fees and a loan from the port of Rotterdam [2].

## Is it safe?

The National Inspectorate for Bridges and Harbour Works declared the Marrowgate Bridge safe for vehicles up to 40 tonnes on 28 April 2025 [1]. No further closure is expected before 2060.

## Sources

1. doc:key-facts-marrowgate-bridge.md
2. doc:2023-06-20-council-minutes.md
`

func TestReportOfSomebodyElseIsAudited(t *testing.T) {
	brake := newBrake([]plumb.StepKind{plumb.StepClaims}, nil)
	h := newHouse(t, brake.do)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1200, 900)
	b.open("#/audit")
	b.see("Check a report")
	b.shoot("audit")
	b.press("Check this report")
	b.see("There is nothing to check yet")
	name := filepath.Join(t.TempDir(), "bridge.md")
	if err := os.WriteFile(name, []byte(bridgeReport), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{name}))
	b.wait("the text", `document.querySelector("#report-text").value.includes("hanger H7")`)
	b.press("Check this report")
	b.wait("the run", `location.hash.startsWith("#/run/")`)
	b.wait("what was read", `document.querySelector("#pane-sources").checkVisibility() && document.querySelector(".source-list [data-ok=true]")`)
	b.shoot("audit-run")
	brake.release(plumb.StepClaims)
	b.wait("the verdicts", `document.querySelectorAll(".claim-list li").length > 5`)
	b.shoot("audit-claims")
	b.finished()
	b.see("Audit of")
	got := eval[[]string](b, `[...document.querySelectorAll("#report .claim[id]")].map((c) => c.dataset.verdict)`)
	if len(got) < 6 || got[0] != "supported" || !slices.Contains(got, "contradicted") || !slices.Contains(got, "not_found") {
		t.Errorf("the verdicts are %v", got)
	}
	eval[bool](b, `(document.querySelector(".claim[data-verdict=contradicted] .mark").click(), true)`)
	b.wait("the passage", `document.querySelector("#panel .passage.there mark")`)
	b.see("Where sources speak against the report")
	b.settle()
	b.shoot("audit-report")
}

func TestFailedRunSaysWhyAndIsTriedAgain(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	h := newHouse(t, func(ctx context.Context, task *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if task.Step.Kind == plumb.StepWrite && broken.Load() {
			return nil, engine.Permanent(errors.New("no ink"))
		}
		return do(ctx, task)
	})
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1100, 800)
	b.ask(question, "Quick")
	b.see("The run could not go on.")
	b.see("What was found until then is kept.")
	b.shoot("run-failed")
	broken.Store(false)
	b.press("Try again")
	b.finished()
}

// paid is a configuration with models, engines and prices.
type paid struct{ prepare }

func (paid) Outlook(_ plumb.Question, l plumb.Limits) (front.Outlook, error) {
	return front.Outlook{Limits: l, Models: plumb.Models{Orchestrator: "openai:gpt-5-mini", Worker: "openai:gpt-5-nano"}, Search: []string{"brave"}, Papers: []string{"openalex"},
		Hosts: []plumb.Host{{Name: "api.openai.com", Gets: "the question and parts of pages"}, {Name: "api.search.brave.com", Gets: "search words"}}, Estimate: plumb.Estimate{LowUSD: 0.04, HighUSD: 0.2, Priced: true}}, nil
}

func TestAskSaysWhoThinksWhereAndForHowMuch(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 2)
	h.Prepare = paid{}
	b := browse(t, h.serve(nil).URL, 1200, 900)
	b.open("#/ask")
	for _, s := range []string{"openai:gpt-5-mini, openai:gpt-5-nano", "searches brave, openalex", "talks to 2 hosts", "probably $0.04 to $0.20", "$0.04–$0.20\nup to 20 min"} {
		b.see(s)
	}
	b.shoot("ask-paid")
}

func TestNothingToSearchIsSaidBeforeTheQuestionIsAsked(t *testing.T) {
	b := browse(t, newHouse(t, nil).serve(nil).URL, 1200, 900)
	b.open("#/ask")
	b.see("there is nothing to search")
	b.press("Start research")
	b.see("Write a question first.")
	b.do(chromedp.SendKeys(chromedp.CSS("#question"), "Who was the last keeper?"))
	b.press("Start research")
	b.wait("the refusal", `document.querySelector(".field-error").textContent.includes("nothing to search")`)
	b.forgive("400")
}

func TestDocumentsAreAddedListedAndRemoved(t *testing.T) {
	h := newHouse(t, nil)
	b := browse(t, h.serve(nil).URL, 1100, 800)
	b.open("#/library")
	b.see("The shelf is empty")
	name := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(name, []byte("# Notes\n\nThe lighthouse of Ferring was built in 1868.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{name}))
	b.see("notes.md")
	b.settle()
	b.shoot("library")
	b.press("Remove notes.md")
	b.press("Remove")
	b.see("The shelf is empty")
}

func TestRunsAreEmptyAtFirst(t *testing.T) {
	b := browse(t, newHouse(t, nil).serve(nil).URL, 1000, 700)
	b.open("#/runs")
	b.see("Nothing has been asked yet")
	b.shoot("runs-empty")
	b.open("#/run/01jnothing")
	b.see("There is no such run")
	b.open("#/report/01jnothing")
	b.see("There is no report here")
	b.forgive("404")
}
