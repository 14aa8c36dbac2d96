package server_test

// What comes from documents, questions and reports is text: nothing of it runs, and nothing is loaded for it.

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostile is put wherever text from outside is shown.
const hostile = `<img src=x onerror="window.pwned=1"><script>window.pwned=2</script><svg onload="window.pwned=3"></svg><iframe src="javascript:parent.pwned=4"></iframe>`

// unhurt fails when anything ran, or when an element is on the page that only an attack could have put there.
func (b *browser) unhurt(where string) {
	b.t.Helper()
	if got := eval[string](b, `String(window.pwned)`); got != "undefined" {
		b.t.Errorf("%s: a script of the document ran: %s", where, got)
	}
	got := eval[[]string](b, `[...document.querySelectorAll("main img, main script, main iframe, main object, main style, main [onerror], main [onload], main [onclick], main [style]")].map((e) => e.outerHTML.slice(0, 120))
		.concat([...document.querySelectorAll("a[href]")].filter((a) => !/^(https?:|#|\/)/.test(a.getAttribute("href"))).map((a) => a.outerHTML.slice(0, 120)))
		.concat([...document.querySelectorAll("main a[href^=http]")].filter((a) => !/noopener/.test(a.rel) || !/noreferrer/.test(a.rel)).map((a) => a.outerHTML.slice(0, 120)))`)
	for _, e := range got {
		b.t.Errorf("%s: on the page: %s", where, e)
	}
}

func TestHostileDocumentsAndQuestionsAreShownAsText(t *testing.T) {
	h := newHouse(t, nil)
	docs := map[string]string{
		"lighthouse.md": "# The lighthouse of Ferring " + hostile + "\n\nThe lighthouse of Ferring was built in 1868 by the harbour board " + hostile + ". " +
			"The lighthouse of Ferring is 41 metres high. [The plan](javascript:window.pwned=5) ![beacon](http://192.0.2.1/beacon.png)\n\nThe lamp of the lighthouse of Ferring was electrified in 1931.\n",
		"keeper's \"log\" <b>.md": "# Log\n\nThe last keeper of the lighthouse of Ferring left in 1987.\n",
	}
	for name, text := range docs {
		if _, err := h.Tenant("").AddDocument(context.Background(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	b := browse(t, h.serve(nil).URL, 1200, 900)
	b.open("#/library")
	b.see("lighthouse.md")
	b.unhurt("library")
	b.ask("When was the lighthouse of Ferring built and how high is it? "+hostile, "Quick")
	b.see("<script>")
	b.wait("findings", `document.querySelector(".finding")`)
	b.unhurt("run")
	b.finished()
	b.unhurt("report")
	for i := range eval[int](b, `document.querySelectorAll("button.mark").length`) {
		eval[bool](b, `(document.querySelectorAll("button.mark")[`+string(rune('0'+i%10))+`].click(), true)`)
		b.wait("the evidence", `!document.querySelector("#panel").hidden`)
		b.unhurt("evidence")
		if i == 9 {
			break
		}
	}
	b.open("#/runs")
	b.see("<script>")
	b.unhurt("runs")
}

func TestHostileReportIsAuditedAsText(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 40)
	b := browse(t, h.serve(nil).URL, 1200, 900)
	b.open("#/audit")
	draft := "# Bridges " + hostile + "\n\nThe Marrowgate Bridge was closed on 14 February 2023 because a crack 84 millimetres long was found in hanger H7 at Pier 4 [1]. " +
		"Pier 4 is safe [2]. <a href=\"javascript:window.pwned=6\">More</a> [here](javascript:window.pwned=7) [there](data:text/html,<script>parent.pwned=8</script>) ![x](http://192.0.2.1/x.png)\n\n" +
		hostile + "\n\n<form action=\"http://192.0.2.1/\"><input autofocus onfocus=\"window.pwned=9\"></form>\n\n## Sources\n\n1. doc:key-facts-marrowgate-bridge.md\n2. [Pier](javascript:window.pwned=10)\n"
	eval[bool](b, `(document.querySelector("#report-text").value = `+quote(draft)+`, true)`)
	b.press("Check this report")
	b.wait("the run", `location.hash.startsWith("#/run/")`)
	b.finished()
	b.unhurt("report")
	eval[bool](b, `([...document.querySelectorAll("#report a, .sources a")].forEach((a) => { if (!/^https?:/.test(a.href) || a.href.startsWith(location.origin)) a.click() }), true)`)
	b.unhurt("report after its links were followed")
}

// The server's markup is cleaned once more in the browser: here by itself, with what a broken server might send.
func TestMarkupIsCleanedInTheBrowserToo(t *testing.T) {
	b := browse(t, newHouse(t, nil).serve(nil).URL, 800, 600)
	b.open("#/runs")
	for _, c := range []struct{ in, want string }{
		{`<p>plain <em>text</em></p>`, `<p>plain <em>text</em></p>`},
		{`<p onclick="x()" style="color:red" title="t">a</p>`, `<p title="t">a</p>`},
		{`<script>window.pwned=1</script><style>p{}</style>b`, `b`},
		{`<img src=x onerror=window.pwned=1>c<iframe src="/"></iframe>`, `c`},
		{`<a href="javascript:window.pwned=1">d</a>`, `<a>d</a>`},
		{`<a href=" JaVaScRiPt:window.pwned=1">d</a>`, `<a>d</a>`},
		{`<a href="https://example.org/" target="_top" rel="x">e</a>`, `<a href="https://example.org/" target="_blank" rel="noopener noreferrer nofollow">e</a>`},
		{`<a class="cite" href="#source-1">[1]</a>`, `<a class="cite" data-to="source-1" href="#/runs">[1]</a>`},
		{`<span class="claim panel" id="claim_001" data-claim="0" data-verdict="partial" data-x="1">f</span>`, `<span class="claim" id="claim_001" data-claim="0" data-verdict="partial">f</span>`},
		{`<div id="main">g</div>`, `<div>g</div>`},
		{`<svg><script>window.pwned=1</script></svg><math><mi xlink:href="javascript:1">h</mi></math>i`, `i`},
		{`<form action="/"><input name=a><button type=submit formaction="javascript:1">j</button></form>`, ``},
		{`<custom-tag><b>k</b></custom-tag><!-- <img src=x onerror=1> -->`, `<b>k</b>`},
		{`<noscript><p title="</noscript><img src=x onerror=window.pwned=1>"></noscript>l`, `<p title="&lt;/noscript&gt;&lt;img src=x onerror=window.pwned=1&gt;">l</p>`},
	} {
		got := eval[string](b, `import("/web/js/safe.js").then(({ safe }) => { const d = document.createElement("div"); d.append(safe(`+quote(c.in)+`)); document.body.append(d); const s = d.innerHTML; d.remove(); return s })`)
		if strings.ReplaceAll(got, ` type="button"`, "") != c.want {
			t.Errorf("%s\nbecomes %s\nwant    %s", c.in, got, c.want)
		}
	}
	b.unhurt("cleaning")
	b.forgive("Content Security Policy") // the browser says what the policy would have kept from running anyway
	b.forgive("policy: ")
}

func TestStreamIsReadInAnyPieces(t *testing.T) {
	b := browse(t, newHouse(t, nil).serve(nil).URL, 800, 600)
	b.open("#/runs")
	stream := ": connected\n\nid: 1\nevent: PROGRESS\ndata: {\"a\":\"é🙂\"}\n\n: ping\n\nevent: thread.message.delta\ndata: {\"delta\":\"x\"}\n\nid: 2\r\nevent: done\r\ndata: [DONE]\r\n\r\n"
	got := eval[[]string](b, `import("/web/js/stream.js").then(({ parser }) => [1, 2, 3, 7, 1000].map((n) => { const s = `+quote(stream)+`, parse = parser(), out = [];
		for (let i = 0; i < s.length; i += n) out.push(...parse(s.slice(i, i + n))); return JSON.stringify(out) }))`)
	want := `[{"id":"1","event":"PROGRESS","data":"{\"a\":\"é🙂\"}"},{"id":"","event":"thread.message.delta","data":"{\"delta\":\"x\"}"},{"id":"2","event":"done","data":"[DONE]"}]`
	for i, s := range got {
		if s != want {
			t.Errorf("pieces %d: %s\nwant %s", i, s, want)
		}
	}
}

func TestPassagesAreCutAtBytes(t *testing.T) {
	b := browse(t, newHouse(t, nil).serve(nil).URL, 800, 600)
	b.open("#/runs")
	text := "\ufeffZürich 🙂 costs 5 € more"
	start := strings.Index(text, "🙂")
	end := strings.Index(text, " more")
	got := eval[[]string](b, `import("/web/js/evidence.js").then(({ cut }) => cut(`+quote(text)+`, `+itoa(start)+`, `+itoa(end)+`))`)
	if len(got) != 3 || got[0] != text[:start] || got[1] != "🙂 costs 5 €" || got[2] != " more" {
		t.Errorf("cut into %q", got)
	}
}

// The page lets nobody drop a file beside the places for files: the browser would leave for it.
func TestFileDroppedIntoTheAreaIsTaken(t *testing.T) {
	b := browse(t, newHouse(t, nil).serve(nil).URL, 1000, 800)
	b.open("#/audit")
	eval[bool](b, `(() => { const d = new DataTransfer(); d.items.add(new File(["# Dropped\n\nText."], "dropped.md", { type: "text/markdown" }));
		document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); return true })()`)
	b.wait("its text", `document.querySelector("#report-text").value.startsWith("# Dropped")`)
	b.do(chromedp.Focus(chromedp.CSS("#report-text")))
}
