package page

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// doc wraps a body's HTML in a page with a title.
func doc(title, body string) string {
	return "<!doctype html><html><head><title>" + title + "</title></head><body>" + body + "</body></html>"
}

func TestBotWallsAreNamedAndNoPaywalls(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header string
		body   string
	}{
		"challenge script":         {403, "", doc("Just a moment...", `<div>Enable JavaScript and cookies to continue</div><script>window._cf_chl_opt={}</script>`)},
		"challenge with 503":       {503, "", doc("Please wait", `Checking your browser before accessing the site.<script src="/cdn-cgi/challenge-platform/h/b/x.js"></script>`)},
		"challenge by header":      {403, "challenge", "<p>"},
		"captcha host":             {403, "", doc("shop", `<script src="https://ct.captcha-delivery.com/c.js"></script>`)},
		"captcha and 429":          {429, "", doc("Too many requests", `Our systems have detected unusual traffic from your network. <div class="g-recaptcha"></div>`)},
		"captcha with 200":         {200, "", doc("Security", `<h1>Are you a robot?</h1><div class="h-captcha"></div>`)},
		"proof of work with 200":   {200, "", doc("Making sure you're not a bot!", `<p>Loading...</p><script id="anubis_challenge" type="application/json">{}</script>`)},
		"german":                   {200, "", doc("Prüfung", `<p>Bitte bestätigen Sie, dass Sie ein Mensch sind.</p>`)},
		"french with 403":          {403, "", doc("Contrôle", `<p>Vérifiez que vous êtes humain</p>`)},
		"robot wall that sells":    {403, "", doc("Access", `<p>Please verify you are human. Already a subscriber? Log in.</p>`)},
		"pardon":                   {405, "", doc("Pardon Our Interruption", `<p>Something about your browser made us think you were a bot.</p>`)},
		"challenge in status 202":  {202, "", doc("", `<script src="https://x.awswaf.com/challenge.js"></script><script>AwsWafIntegration.saveReferrer()</script>`)},
		"chinese":                  {200, "", doc("验证", `<p>请完成安全验证</p>`)},
		"denied at the edge":       {403, "", doc("Access Denied", `You don't have permission to access this on this server. Reference #18.2d https://errors.edgesuite.net/18`)},
		"two second tries, no end": {503, "", doc("x", `<div id="px-captcha"></div>`)},
	} {
		l := newLab(t, map[string]http.Handler{"w.test": routes(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			if c.header != "" {
				w.Header().Set("Cf-Mitigated", c.header)
			}
			answer(c.status, "text/html; charset=utf-8", c.body).ServeHTTP(w, r)
		}})})
		_, err := l.reader().Read(context.Background(), "http://w.test/")
		if kindOf(err) != BotWall {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPaywallsAreNamed(t *testing.T) {
	teaser := "<p>" + strings.Repeat(sentence, 3) + "</p>"
	linked := `<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree": "False"}</script>`
	for name, c := range map[string]struct {
		status int
		body   string
		depth  plumb.ContentDepth // none: an error of kind Paywall
	}{
		"payment required":     {402, "pay", ""},
		"forbidden to all but": {403, doc("Report", "<p>This article is for subscribers. Already a subscriber? Log in.</p>"), ""},
		"unauthorized":         {401, doc("Journal", "<p>Access through your institution or purchase access.</p>"), ""},
		"forbidden, declared":  {403, doc("Report", linked+"<p>No.</p>"), ""},
		"declared":             {200, doc("Report", linked+teaser), plumb.PartialScrape},
		"declared, all of it":  {200, strings.Replace(article(5000), "</head>", linked+"</head>", 1), plumb.PartialScrape},
		"declared in markup":   {200, doc("Report", `<meta itemprop="isAccessibleForFree" content="false">`+teaser), plumb.PartialScrape},
		"locked tier":          {200, doc("Report", `<meta property="article:content_tier" content="locked">`+teaser), plumb.PartialScrape},
		"english":              {200, doc("Report", teaser+"<p>Subscribe to continue reading.</p>"), plumb.PartialScrape},
		"german":               {200, doc("Bericht", teaser+"<p>Nur für Abonnenten</p>"), plumb.PartialScrape},
		"french":               {200, doc("Article", teaser+"<p>Cet article est réservé aux abonnés.</p>"), plumb.PartialScrape},
		"spanish":              {200, doc("Noticia", teaser+"<p>Contenido exclusivo para suscriptores</p>"), plumb.PartialScrape},
		"japanese":             {200, doc("記事", teaser+"<p>有料会員限定</p>"), plumb.PartialScrape},
		"nothing but the wall": {200, doc("Report", "<p>Subscribe to read</p>"), plumb.Snippet},
		"russian, in cp1251":   {200, doc("Report", `<meta charset="windows-1251">`+teaser+"<p>\xf2\xee\xeb\xfc\xea\xee \xe4\xeb\xff \xef\xee\xe4\xef\xe8\xf1\xf7\xe8\xea\xee\xe2</p>"), plumb.PartialScrape},
		"said by title":        {200, doc("Subscribers only: Report", teaser), plumb.PartialScrape},
	} {
		l := newLab(t, map[string]http.Handler{"w.test": routes(map[string]http.HandlerFunc{"/": answer(c.status, "text/html", c.body).ServeHTTP})})
		p, err := l.reader().Read(context.Background(), "http://w.test/")
		if c.depth == "" {
			wantKind(t, err, Paywall)
			continue
		}
		if err != nil || !p.Paywall || p.Depth != c.depth || !strings.Contains(p.Note, "paywall") {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestOrdinaryPagesAreNoWalls(t *testing.T) {
	long := article(4000)
	for name, body := range map[string]string{
		"about captchas":         strings.Replace(long, "</article>", "<p>Sites ask: are you a robot? Verify you are human, they say.</p></article>", 1),
		"a form with a captcha":  strings.Replace(long, "</article>", `<form><div class="g-recaptcha"></div></form></article>`, 1),
		"a newsletter":           strings.Replace(long, "</article>", "<p>Subscribe to read our newsletter</p></article>", 1),
		"free, declared":         strings.Replace(long, "</head>", `<script type="application/ld+json">{"isAccessibleForFree":true}</script></head>`, 1),
		"declared about another": strings.Replace(long, "</article>", `<p>Set "isAccessibleForFree": false in your markup.</p></article>`, 1),
		"scripts and all":        strings.Replace(long, "</body>", `<noscript>Enable JavaScript for comments</noscript><script src="/x.js"></script></body>`, 1),
	} {
		l := newLab(t, map[string]http.Handler{"w.test": page("text/html", body)})
		p, err := l.reader().Read(context.Background(), "http://w.test/")
		if err != nil || p.Paywall || p.Depth != plumb.FullScrape || p.Note != "" {
			t.Errorf("%s: %s, %q, %v", name, p.Depth, p.Note, err)
		}
	}
}

func TestErrorsThatSayWhatTheyAre(t *testing.T) {
	for kind, paywalled := range map[Kind]bool{Paywall: true, BotWall: false, Gone: false, Timeout: false, Forbidden: false, Robots: false} {
		e := &Error{Kind: kind, Status: 403}
		if e.Paywalled() != paywalled || e.Error() != e.Safe() || e.Safe() == "" {
			t.Errorf("%s: %v %q", kind, e.Paywalled(), e)
		}
	}
}

func TestRefreshTargets(t *testing.T) {
	for content, want := range map[string]string{
		"0;url=/a": "/a", "5; URL='http://x/'": "http://x/", `0, url="b c"`: "b c", "0;/a": "", "6;url=/a": "", "-1;url=/a": "", "x;url=/a": "", "": "", "NaN;url=/a": "", "3": "",
	} {
		if got := refreshTarget(content); got != want {
			t.Errorf("%q: %q", content, got)
		}
	}
}

// Whatever a page holds, looking at it ends, and says nothing of what is no HTML.
func FuzzLook(f *testing.F) {
	for _, s := range []string{
		article(300), doc("a", "<script>x</script><svg><title>b</title></svg>"), "<script type=application/ld+json>{\"isAccessibleForFree\":false}", "<noscript>javascript", "<meta http-equiv=refresh content='0;url=//x'>",
		"<title>\xff\xfe</title>", "plain", "%PDF-1.4", "<svg/><p>a", "<meta name=citation_doi content=10.1/x>",
	} {
		f.Add(s, "text/html; charset=gbk", 200)
	}
	f.Fuzz(func(t *testing.T, body, contentType string, status int) {
		d := &document{status: status, header: http.Header{"Content-Type": {contentType}}, body: []byte(body)}
		m := look(d)
		if !m.html && (m.visible > 0 || m.title != "" || m.notFree || m.refresh != "") {
			t.Fatalf("%+v", m)
		}
		if err := m.wall(d); err == nil && !d.ok() {
			t.Fatalf("status %d is no wall", status)
		}
		m.paywalled(len(body))
		m.needsScript(0)
		if len(m.title) > 300 {
			t.Fatal(len(m.title))
		}
	})
}
