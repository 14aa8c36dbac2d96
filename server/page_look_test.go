package server_test

// What a person would notice: whether text can be read, whether anything is cut off or jumps, and whether it goes without a
// mouse.

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

func itoa(n int) string { return strconv.Itoa(n) }

// faint lists text whose contrast with what is behind it is below 4.5:1. Disabled buttons may be faint.
const faint = `(() => {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1 }; };
  const over = (a, b) => ({ r: a.r * a.a + b.r * (1 - a.a), g: a.g * a.a + b.g * (1 - a.a), b: a.b * a.a + b.b * (1 - a.a), a: 1 });
  const lum = (c) => { const f = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }; return .2126 * f(c.r) + .7152 * f(c.g) + .0722 * f(c.b); };
  const behind = (e) => { const stack = []; for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a > 0) stack.push(c); if (c.a === 1) break; }
    return stack.reverse().reduce((b, c) => over(c, b), { r: 255, g: 255, b: 255, a: 1 }); };
  const out = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest(":disabled, .hidden, .skip, script, noscript")) continue;
    const bg = behind(e), fg = over(parse(getComputedStyle(e).color), bg), [a, b] = [lum(bg), lum(fg)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) out.add(ratio.toFixed(2) + " " + e.tagName + "." + e.className + ": " + walk.currentNode.data.trim().slice(0, 40));
  }
  for (const e of document.querySelectorAll("textarea, input:not([type=checkbox], [type=radio], [type=file])")) {
    const bg = behind(e), fg = parse(getComputedStyle(e, "::placeholder").color), [a, b] = [lum(bg), lum(fg)].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) out.add("placeholder of " + e.id);
  }
  return [...out];
})()`

// cutOff lists what reaches over the edges of the window, and whether the page can be moved sideways.
const cutOff = `(() => {
  const out = [], wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) out.push("the page is " + document.documentElement.scrollWidth + " wide in a window of " + wide);
  const scrolls = (e) => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) if (/auto|scroll/.test(getComputedStyle(p).overflowX) && p.scrollWidth > p.clientWidth) return true; return false; };
  for (const e of document.querySelectorAll("body *")) {
    if (!e.checkVisibility() || e.closest(".hidden, .skip, svg, .toasts")) continue;
    const r = e.getBoundingClientRect();
    if (r.width && (r.right > wide + 1 || r.left < -1) && !scrolls(e)) out.push(e.tagName + "." + e.className + " from " + r.left.toFixed(0) + " to " + r.right.toFixed(0));
    if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === "hidden" && getComputedStyle(e).textOverflow !== "ellipsis" && !/TEXTAREA|INPUT/.test(e.tagName)) out.push(e.tagName + "." + e.className + " hides " + (e.scrollWidth - e.clientWidth));
  }
  return out;
})()`

// small lists buttons and links that a finger misses: less than 24 pixels either way, links within text left out.
const small = `[...document.querySelectorAll("button, .button, nav a, summary")].filter((e) => e.checkVisibility() && !e.closest(".text, .bears, .outlook, .from, .against, .hidden, .skip") && !e.matches(".linkish"))
  .map((e) => [e, e.getBoundingClientRect()]).filter(([, r]) => r.width < 24 || r.height < 24).map(([e, r]) => (e.textContent || e.ariaLabel) + " " + r.width.toFixed(0) + "×" + r.height.toFixed(0))`

// unnamed lists what a screen reader could not tell: fields and buttons without a name, headings and landmarks that are
// missing, ids that are there twice or name nothing.
const unnamed = `(() => {
  const out = [], named = (e) => (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || e.title || "").trim() || e.getAttribute("aria-labelledby");
  for (const e of document.querySelectorAll("button, input:not([type=file]), textarea, select, a[href], summary")) if (e.checkVisibility() && !named(e)) out.push("without a name: " + e.outerHTML.slice(0, 100));
  if (document.querySelectorAll("h1").length !== 1) out.push(document.querySelectorAll("h1").length + " headings of the first level");
  for (const l of ["header", "main", "nav"]) if (!document.querySelector(l)) out.push("no " + l);
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id), twice = ids.filter((x, i) => ids.indexOf(x) !== i);
  if (twice.length) out.push("ids twice: " + twice);
  for (const e of document.querySelectorAll("[aria-controls], [aria-labelledby], [aria-describedby]")) for (const a of ["aria-controls", "aria-labelledby", "aria-describedby"])
    for (const id of (e.getAttribute(a) || "").split(" ").filter(Boolean)) if (!document.getElementById(id)) out.push(a + " names nothing: " + id);
  return out;
})()`

// tour takes the page through all views of a run whose units are held back, and calls look in each.
func tour(t *testing.T, width, height int64, look func(b *browser, view string)) {
	t.Helper()
	brake := newBrake(nil, []plumb.StepKind{plumb.StepUnit})
	h := newHouse(t, brake.do)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, width, height)
	b.open("#/ask")
	b.see("21 documents of yours")
	b.see("up to 60 min")
	look(b, "ask")
	eval[bool](b, `(document.querySelector(".advanced").open = true)`)
	look(b, "ask-more")
	b.press("Show me the plan first")
	b.ask(question, "Standard")
	b.wait("the plan", `document.querySelectorAll(".outline-row").length > 1`)
	look(b, "plan")
	b.press("Ask for changes")
	look(b, "plan-wish")
	b.press("Approve")
	b.wait("findings", `document.querySelectorAll(".finding").length > 3`)
	look(b, "run")
	for _, tab := range []string{"sources", "draft", "claims", "timeline"} {
		eval[bool](b, `(document.querySelector("#tab-`+tab+`").click(), true)`)
		look(b, "run-"+tab)
	}
	brake.release(plumb.StepUnit)
	b.finished()
	b.see("At a glance")
	look(b, "report")
	eval[bool](b, `(document.querySelector("button.mark").click(), true)`)
	b.wait("the passage", `document.querySelector("#panel .passage.there")`)
	look(b, "report-evidence")
	b.do(chromedp.KeyEvent("f"))
	look(b, "report-filter")
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
	eval[bool](b, `(document.querySelector(".menu").open = true, scrollTo(0, document.body.scrollHeight), true)`)
	look(b, "report-end")
	b.open("#/audit")
	look(b, "audit")
	b.open("#/runs")
	b.wait("the bar", `document.querySelector(".mini-place svg")`)
	look(b, "runs")
	b.open("#/library")
	b.see("21 documents")
	look(b, "library")
}

func TestEveryViewCanBeReadAndHeard(t *testing.T) {
	tour(t, 1360, 900, func(b *browser, view string) {
		b.settle()
		for _, s := range eval[[]string](b, unnamed) {
			t.Errorf("%s: %s", view, s)
		}
		if title := eval[string](b, `document.title`); !strings.Contains(title, "Plumb") {
			t.Errorf("%s: the title is %q", view, title)
		}
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			for _, s := range eval[[]string](b, faint) {
				t.Errorf("%s, dark %v: %s", view, dark, s)
			}
			b.shoot(fmt.Sprintf("tour-%s-%v", view, dark))
		}
	})
}

func TestNothingIsCutOffOnAPhone(t *testing.T) {
	tour(t, 390, 844, func(b *browser, view string) {
		b.settle()
		for _, s := range eval[[]string](b, cutOff) {
			t.Errorf("%s: %s", view, s)
		}
		for _, s := range eval[[]string](b, small) {
			t.Errorf("%s: hard to hit: %s", view, s)
		}
		b.shoot("phone-" + view)
		for _, width := range []int64{320, 768, 1000, 1100} {
			b.size(width, 844)
			for _, s := range eval[[]string](b, cutOff) {
				t.Errorf("%s, %d wide: %s", view, width, s)
			}
		}
		if view == "run" {
			b.size(1000, 844)
			b.shoot("tablet-run")
		}
		b.size(390, 844)
	})
}

func TestThemeIsSwitchedAndRemembered(t *testing.T) {
	b := browse(t, newHouse(t, nil).serve(nil).URL, 900, 700)
	b.open("#/runs")
	paper := func() string { return eval[string](b, `getComputedStyle(document.body).backgroundColor`) }
	light := paper()
	eval[bool](b, `(document.querySelector("#theme").click(), document.querySelector("#theme").click(), true)`)
	dark := paper()
	if light == dark {
		t.Fatalf("both themes are %s", light)
	}
	b.open("#/library")
	b.do(chromedp.Reload())
	b.see("Your documents")
	if got := paper(); got != dark {
		t.Errorf("after a reload the page is %s, it was switched to %s", got, dark)
	}
}

// maxShift is what may jump in all while a run is watched. Browsers call 0.1 good.
const maxShift = 0.05

func TestNothingJumpsWhileItStreams(t *testing.T) {
	brake := newBrake(nil, []plumb.StepKind{plumb.StepUnit})
	emits, written := make(chan plumb.Emit, 4), make(chan struct{})
	h := newHouse(t, func(ctx context.Context, task *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if task.Step.Kind == plumb.StepWrite && task.Step.Round <= 1 {
			emits <- task.Emit
			select {
			case <-written:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return brake.do(ctx, task, do)
	})
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1360, 900)
	b.ask(question, "Standard")
	before := eval[float64](b, `window.__shift`)
	b.wait("findings", `document.querySelectorAll(".finding").length > 20`)
	brake.release(plumb.StepUnit)
	emit := <-emits
	for i := range 30 {
		for _, piece := range []string{fmt.Sprintf("## Part %d\n\nThe bridge ", i), "was closed ", "because a crack was found", " in one of its hangers.\n\n"} {
			emit(plumb.Event{Kind: plumb.DraftDelta, Text: piece})
		}
		b.wait("the part", fmt.Sprintf(`document.querySelector(".draft").textContent.includes("Part %d")`, i))
	}
	if bottom := eval[float64](b, `(() => { const p = document.querySelector("#pane-draft"); return p.scrollHeight - p.scrollTop - p.clientHeight })()`); bottom > 60 {
		t.Errorf("the newest text is %v pixels below what is seen", bottom)
	}
	b.shoot("draft")
	close(written)
	b.wait("the end", `document.querySelector(".run-bar .state").textContent === "Done"`)
	if got := eval[float64](b, `window.__shift`) - before; got > maxShift {
		t.Errorf("%.4f of the page jumped, at most %v: %v", got, maxShift, eval[[]string](b, `window.__shifts`))
	} else {
		t.Logf("shift %.4f", got)
	}
}

// tabTo presses Tab until the element is reached.
func (b *browser) tabTo(selector string) {
	b.t.Helper()
	for range 60 {
		if eval[bool](b, `document.activeElement.matches(`+quote(selector)+`)`) {
			return
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	b.t.Fatalf("Tab never reaches %s\non the page: %.600s", selector, b.seen())
}

func TestWholeStoryGoesWithoutAMouse(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1200, 900)
	b.open("#/ask")
	b.tabTo("#question")
	b.do(chromedp.KeyEvent(question))
	b.tabTo(".ask-form .primary")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.wait("the run", `location.hash.startsWith("#/run/")`)
	b.wait("the report's button", `!document.querySelector(".controls .primary").hidden`)
	b.tabTo(".controls .primary")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.wait("the report", `document.querySelector("#report .claim")`)
	focused := func() string {
		return eval[string](b, `(document.activeElement.id || document.activeElement.className || document.activeElement.tagName)`)
	}
	if got := eval[string](b, `document.activeElement.tagName`); got != "H1" {
		t.Errorf("the report begins with the focus on %s", got)
	}
	b.do(chromedp.KeyEvent("j"))
	if got := focused(); got != "mark" {
		t.Errorf("after j the focus is on %s", got)
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.wait("the passage", `document.querySelector("#panel .passage.there mark")`)
	if got := focused(); got != "panel-title" {
		t.Errorf("the evidence opens with the focus on %s", got)
	}
	place := func() string { return eval[string](b, `document.querySelector(".where").textContent`) }
	first := place()
	b.do(chromedp.KeyEvent("j"))
	if place() == first {
		t.Error("j does not go on to the next claim")
	}
	b.do(chromedp.KeyEvent("k"))
	if place() != first {
		t.Error("k does not go back")
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	if got := focused(); got != "mark" || !eval[bool](b, `document.querySelector("#panel").hidden`) {
		t.Errorf("after Escape the focus is on %s", got)
	}
	b.do(chromedp.KeyEvent("f"))
	if !eval[bool](b, `!!document.querySelector(".filter[aria-pressed=true]")`) {
		t.Error("f does not filter")
	}
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("?"))
	b.wait("the keys", `document.querySelector("#help").open`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait("the keys to go", `!document.querySelector("#help").open`)
}
