package page

// Pages that scripts put together, through the system's Chromium. The browser has a profile of its own that is thrown
// away, sees none of the program's environment, and reaches nothing but the filter, which holds every request against
// the rules. Chromium's own sandbox is on, except for root, for whom it does not start.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/plumbresearch/plumb"
)

const (
	settleEvery = 250 * time.Millisecond
	settleQuiet = 3               // looks in a row at which the text was the same
	settleMost  = 6 * time.Second // of waiting for it to be
)

// browserFlags close every way to the network but the proxy, and what a page is not read by.
var browserFlags = map[string]any{
	"proxy-bypass-list":                   "<-loopback>", // loopback goes through the filter too
	"host-resolver-rules":                 "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
	"disable-quic":                        true,
	"force-webrtc-ip-handling-policy":     "disable_non_proxied_udp",
	"webrtc-ip-handling-policy":           "disable_non_proxied_udp",
	"dns-prefetch-disable":                true,
	"no-pings":                            true,
	"disable-component-update":            true,
	"disable-domain-reliability":          true,
	"disable-gpu":                         true,
	"disable-file-system":                 true,
	"blink-settings":                      "imagesEnabled=false",
	"js-flags":                            "--max-old-space-size=256",
	"renderer-process-limit":              "2",
	"disable-features":                    "Translate,BlinkGenPropertyTrees,OptimizationHints,MediaRouter,AutofillServerCommunication,DnsOverHttps",
	"disable-notifications":               true,
	"deny-permission-prompts":             true,
	"disable-popup-blocking":              false,
	"disable-ipc-flooding-protection":     false,
	"autoplay-policy":                     "user-gesture-required",
	"disable-background-timer-throttling": true,
}

// rendered reads a page once more through the browser. Whatever goes wrong, what was there before stays, with a note.
func (t *task) rendered(ctx context.Context, doc *document, before Page) Page {
	if before.Paywall {
		return before // a browser pays no more than a reader without one
	}
	if t.r.Chromium == "" {
		before.Note = "page needs JavaScript, and there is no browser to run it"
		return before
	}
	shown, err := t.r.browse(ctx, doc)
	if err != nil {
		t.r.trouble(fmt.Errorf("browser: %w", err))
		before.Note = "page needs JavaScript, and the browser could not show it"
		return before
	}
	m := look(shown)
	d, err := t.extract(ctx, shown)
	if err != nil || m.wall(shown) != nil || len(d.Text) <= len(before.Text) {
		t.r.trouble(err)
		before.Note = "page needs JavaScript, and shows no more with it"
		return before
	}
	p := t.page(shown, d, m)
	p.Rendered = true
	if p.Note == "" && p.Depth != plumb.Snippet {
		p.Note = "read with a browser"
	}
	return p
}

// browse shows a page in a browser of its own and returns it as scripts left it. One browser runs at a time.
func (r *Reader) browse(ctx context.Context, doc *document) (_ *document, err error) {
	select {
	case r.render <- struct{}{}:
		defer func() { <-r.render }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, r.limits.Browser)
	defer cancel()
	n, err := r.reach(doc.url)
	if err != nil {
		return nil, err
	}
	f, err := startFilter(ctx, n, r.limits)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(r.Chromium), chromedp.NoInheritEnv,
		chromedp.Env("HOME=/nonexistent", "LANG=C.UTF-8"), chromedp.ProxyServer(f.address()), chromedp.UserAgent(UserAgent))
	for name, value := range browserFlags {
		options = append(options, chromedp.Flag(name, value))
	}
	// Cancelled in this order: the tab, then the process, whose end is waited for.
	process, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	tab, closeTab := chromedp.NewContext(process, chromedp.WithErrorf(func(string, ...any) {}), chromedp.WithLogf(func(string, ...any) {}))
	defer closeTab()
	return show(tab, doc, n, r.limits.Body)
}

// reach is the network for a page and its scripts. A page of the public internet gets none of the hosts that the user
// allowed: they were allowed to be read, not to be spoken to by strangers' scripts.
func (r *Reader) reach(u *url.URL) (*network, error) {
	host, port, err := hostPort(u)
	if err != nil {
		return nil, err
	}
	if r.web.allows(host, port) {
		return r.web, nil
	}
	return r.strict, nil
}

// show opens the page, waits until its text no longer changes, and takes its HTML.
func show(tab context.Context, doc *document, n *network, limit int64) (*document, error) {
	deny := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny}
	if _, err := chromedp.CallBrowser(tab, browser.SetDownloadBehavior, deny); err != nil {
		return nil, err
	}
	if err := chromedp.Do(tab, chromedp.Navigate(doc.url.String())); err != nil {
		return nil, err
	}
	if err := settle(tab); err != nil {
		return nil, err
	}
	script := fmt.Sprintf("document.documentElement.outerHTML.slice(0, %d)", limit)
	src, err := chromedp.Run(tab, chromedp.Evaluate[string](script))
	if err != nil {
		return nil, err
	}
	at, err := chromedp.Run(tab, chromedp.Location())
	if err != nil {
		return nil, err
	}
	u, err := n.admit(at) // scripts may have gone elsewhere
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	return &document{url: u, status: doc.status, header: header, body: []byte("<!doctype html>" + strings.ToValidUTF8(src, ""))}, nil
}

// settle waits until the length of the visible text stays the same.
func settle(tab context.Context) error {
	last, quiet := -1, 0
	for waited := time.Duration(0); waited < settleMost && quiet < settleQuiet; waited += settleEvery {
		if err := pause(tab, settleEvery); err != nil {
			return err
		}
		n, err := chromedp.Run(tab, chromedp.Evaluate[int]("document.body ? document.body.innerText.length : 0"))
		if err != nil {
			return err
		}
		if quiet++; n != last || n == 0 {
			last, quiet = n, 0
		}
	}
	return nil
}
