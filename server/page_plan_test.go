package server_test

// Plans on the page: changed in place, dragged, approved, refused.

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/plumbresearch/plumb"
)

func TestPlanIsEditedInPlaceAndApproved(t *testing.T) {
	brake := newBrake([]plumb.StepKind{plumb.StepUnit}, nil)
	h := newHouse(t, brake.do)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1360, 900)
	b.open("#/ask")
	b.press("Show me the plan first")
	id := b.ask(question, "Standard")
	b.see("The plan")
	b.wait("its questions", `document.querySelectorAll(".outline-row").length > 1`)
	n := eval[int](b, `document.querySelectorAll(".outline-row").length`)
	first := eval[string](b, `document.querySelector(".unit-question").value`)
	b.settle()
	b.drag(0, 1)
	b.wait("the other order", `document.querySelectorAll(".unit-question")[1].value === `+quote(first))
	b.drag(1, 0)
	b.press("Move question 1 down")
	b.press(fmt.Sprintf("Remove question %d", n))
	b.press("Add a question")
	b.do(chromedp.SendKeys(chromedp.CSS(".outline-row:last-child textarea"), "Which pins of the Marrowgate Bridge had seized?"))
	b.see(fmt.Sprintf("%d questions", n))
	b.settle()
	b.shoot("plan")
	b.press("Approve with your changes")
	b.see("Gathering, wave 1")
	plan, err := h.Tenant("").Plan(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Units) != n || plan.Units[len(plan.Units)-1].Question != "Which pins of the Marrowgate Bridge had seized?" || plan.Units[0].Question == first {
		t.Errorf("the plan followed is %+v", plan.Units)
	}
	brake.release(plumb.StepUnit)
	b.finished()
}

func TestPlanShowsWhatComesAfterWhat(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1360, 900)
	b.open("#/ask")
	b.press("Show me the plan first")
	id := b.ask(question, "Standard")
	b.wait("the plan", `document.querySelectorAll(".outline-row").length === 3`)
	// Plans without a model have no dependencies: the server's answer is given some.
	eval[bool](b, `(() => { const real = window.fetch; window.fetch = async (path, o) => { const res = await real(path, o); if (!String(path).endsWith("/review")) return res;
		const v = await res.json(); v.plan.units[1].needs = [v.plan.units[0].id]; v.plan.units[2].needs = [v.plan.units[0].id, v.plan.units[1].id, "gone"];
		return new Response(JSON.stringify(v), { status: 200, headers: { ETag: res.headers.get("ETag") } }); }; location.hash = "#/runs"; return true })()`)
	b.see("Runs")
	eval[bool](b, `(location.hash = "#/run/`+id+`", true)`)
	b.see("after 1 and 2")
	b.wait("three lines", `document.querySelectorAll(".connectors path").length === 3`)
	b.shoot("plan-linked")
	b.press("Remove question 1")
	b.wait("one line", `document.querySelectorAll(".connectors path").length === 1`)
}

// drag moves a question of the plan by its handle.
func (b *browser) drag(from, to int) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const rows = document.querySelectorAll(".outline-row"), d = new DataTransfer(), fire = (e, name) => e.dispatchEvent(new DragEvent(name, { dataTransfer: d, bubbles: true, cancelable: true }));
		fire(rows[%d].querySelector(".grip"), "dragstart"); fire(rows[%d], "dragover"); fire(rows[%d], "drop"); return true })()`, from, to, to))
}

func TestPlanDecidedElsewhereIsNotOverwritten(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1000, 800)
	b.open("#/ask")
	b.press("Show me the plan first")
	id := b.ask(question, "Quick")
	b.wait("the plan", `document.querySelector(".unit-question")`)
	// The version that the page knows is gone once somebody else has asked for changes.
	tenant := h.Tenant("")
	if err := tenant.Tell(context.Background(), id, plumb.Signal{Kind: plumb.SigFeedback, Round: 1, Text: "look at the pins too"}); err != nil {
		t.Fatal(err)
	}
	b.see("The plan, round 2")
	b.see("look at the pins too")
	b.press("Ask for changes")
	b.do(chromedp.SendKeys(chromedp.CSS("#wish"), "shorter, please"))
	b.press("Plan again")
	b.see("The plan, round 3")
	// Somebody decided and the stream has not told yet: the server refuses what was meant for another version.
	eval[bool](b, `(() => { const real = window.fetch; window.fetch = (path, o) => { if (o?.headers?.["If-Match"]) { window.fetch = real; o.headers["If-Match"] = '"1"'; } return real(path, o); }; return true })()`)
	b.press("Approve")
	b.see("The plan has changed meanwhile.")
	b.forgive("409")
	b.press("Cancel the run")
	b.see("Nothing has been searched yet. The question stays")
	eval[bool](b, `(document.querySelector("dialog .danger").click(), true)`)
	b.see("This run was cancelled.")
}
