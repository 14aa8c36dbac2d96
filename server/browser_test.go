package server_test

// The page in a real browser, over the whole program. What a test looks at is what a person would: the screen.

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "writes screenshots of the views into this folder")

// patience is how long a test waits for something to appear: a bound for what would never come, not a measure of speed.
const patience = 90 * time.Second

// browser is one tab, and what it complained of.
type browser struct {
	t    *testing.T
	base string
	ctx  context.Context

	mu       sync.Mutex
	asked    []string // addresses that it requested
	trouble  []string // console errors, exceptions, dialogs
	forgiven []string // parts of complaints that a test provokes
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("the page is tested in Chromium, which is not installed: apt-get install chromium, or put google-chrome on the PATH")
	return ""
}

// one browser serves all tests, with a fresh context each.
var allocator struct {
	sync.Once
	ctx  context.Context
	stop func()
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if allocator.stop != nil {
		allocator.stop()
	}
	os.Exit(code)
}

// browse opens a tab of the given size on a server's page.
func browse(t *testing.T, base string, width, height int64) *browser {
	t.Helper()
	path := chromium(t)
	allocator.Do(func() {
		opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
			chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"))
		alloc, stopAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
		ctx, stop := chromedp.NewContext(alloc)
		allocator.ctx, allocator.stop = ctx, func() { stop(); stopAlloc() }
		if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil {
			t.Fatal("chromium does not start:", err)
		}
	})
	ctx, cancel := chromedp.NewContext(allocator.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &browser{t: t, base: base, ctx: ctx}
	if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil { // the tab lives as long as the context that opened it
		t.Fatal("no tab:", err)
	}
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		if err == nil {
			_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchShifts})
		}
		return err
	}))
	b.size(width, height)
	go b.hear(chromedp.Console(ctx))
	go b.watch(chromedp.Events(ctx, network.RequestWillBeSent))
	t.Cleanup(b.check)
	return b
}

// watchShifts sums up how much of the page jumped without a person's doing, as browsers measure it.
const watchShifts = `window.__shift = 0; window.__shifts = [];
new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) { window.__shift += e.value;
  window.__shifts.push(e.value.toFixed(4) + " " + e.sources.map((s) => s.node && (s.node.className || s.node.nodeName)).join(",")); } })
  .observe({ type: "layout-shift", buffered: true });
document.addEventListener("securitypolicyviolation", (e) => console.error("policy: " + e.violatedDirective + " " + e.blockedURI));`

// hear notes what the browser complains of.
func (b *browser) hear(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		b.mu.Lock()
		if m.IsException() || m.Type == "error" || m.Type == "warning" || m.Type == "assert" {
			b.trouble = append(b.trouble, m.String()+" "+m.URL)
		}
		b.mu.Unlock()
	}
}

// watch notes which addresses are requested.
func (b *browser) watch(requests iter.Seq2[network.EventRequestWillBeSent, error]) {
	for e, err := range requests {
		if err != nil {
			return
		}
		b.mu.Lock()
		b.asked = append(b.asked, e.Request.URL)
		b.mu.Unlock()
	}
}

// check ends a test: nothing was complained of, and nothing left the server's origin.
func (b *browser) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.trouble {
		if !slices.ContainsFunc(b.forgiven, func(part string) bool { return strings.Contains(s, part) }) {
			b.t.Error("the browser complains:", s)
		}
	}
	for _, u := range b.asked {
		if p, err := url.Parse(u); err != nil || (u != "about:blank" && p.Scheme != "data" && p.Scheme != "blob" && p.Scheme+"://"+p.Host != b.base) {
			b.t.Error("a request left the origin:", u)
		}
	}
}

// forgive lets complaints pass that a test has provoked, also those that are still on their way.
func (b *browser) forgive(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgiven = append(b.forgiven, part)
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.shoot("failed")
		b.t.Fatalf("%v\non the page: %.1500s", err, b.seen())
	}
}

// seen is the text on the screen, for messages.
func (b *browser) seen() string {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.hash + '\\n' + document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return s
}

// open goes to a view.
func (b *browser) open(view string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + "/" + view))
	b.wait("the view", `document.querySelector("main > *")`)
}

// eval runs a script and gives what it answers.
func eval[T any](b *browser, script string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.shoot("failed")
		b.t.Fatalf("%v\non the page: %.1500s", err, b.seen())
	}
	return out
}

// tasks is what the server says of its last task, to tell a page that shows nothing from a run that does nothing.
func (b *browser) tasks() string {
	res, err := http.Get(b.base + "/api/v1/tasks?limit=1")
	if err != nil {
		return err.Error()
	}
	defer func() {
		if err := res.Body.Close(); err != nil {
			b.t.Error(err)
		}
	}()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

// wait until a script says yes.
func (b *browser) wait(what, script string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	again := time.NewTicker(30 * time.Millisecond)
	defer again.Stop()
	for {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("(() => { try { return !!("+script+") } catch { return false } })()"))
		if yes {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			b.shoot("failed")
			b.t.Fatalf("%s never came: %v\nthe server has: %.600s\non the page: %.2500s\ncomplaints: %q", what, err, b.tasks(), b.seen(), b.trouble)
		}
	}
}

// see waits for text on the screen.
func (b *browser) see(text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("%q", text), "document.body.innerText.includes("+quote(text)+")")
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// press clicks the button or link with the given words or label.
func (b *browser) press(words string) {
	b.t.Helper()
	find := `[...document.querySelectorAll("button, a, summary, label")].find((e) => e.offsetParent && !e.disabled && (e.textContent.trim() === W || e.getAttribute("aria-label") === W || e.querySelector(".card-title")?.textContent === W))`
	find = strings.ReplaceAll(find, "W", quote(words))
	b.wait("button "+words, find)
	eval[bool](b, "("+find+".click(), true)")
}

// shoot takes a screenshot when they are wanted.
func (b *browser) shoot(name string) {
	if *shots == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, 15*time.Second)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Log("no screenshot:", err)
		return
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644); err != nil {
		b.t.Error(err)
	}
}

// dark switches what the system prefers.
func (b *browser) dark(on bool) {
	b.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
		return err
	}))
}

// size makes the window so large; narrow ones are phones.
func (b *browser) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
		return err
	}))
}

// settle waits until nothing moves any more.
func (b *browser) settle() {
	b.t.Helper()
	eval[bool](b, `Promise.all(document.getAnimations().filter((a) => a.effect.getComputedTiming().iterations !== Infinity).map((a) => a.finished)).then(() => true)`)
}

// ask puts a question from the first screen and waits for its run.
func (b *browser) ask(question, preset string) string {
	b.t.Helper()
	if eval[string](b, "location.hash") != "#/ask" {
		b.open("#/ask")
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#question"), question))
	b.press(preset)
	b.press("Start research")
	b.wait("the run", `location.hash.startsWith("#/run/")`)
	return strings.TrimPrefix(eval[string](b, "location.hash"), "#/run/")
}

// finished waits for the report's button and presses it.
func (b *browser) finished() {
	b.t.Helper()
	b.wait("the report's button", `!document.querySelector(".controls .primary").hidden`)
	b.press("Read the report")
	b.wait("the report", `document.querySelector("#report .claim")`)
}
