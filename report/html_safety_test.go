package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/plumbresearch/plumb"
)

// pageTags are the elements that a page may have; everything else came from a document.
var pageTags = strings.Fields(`html head meta title style body a div button span main header p h1 h2 h3 h4 h5 h6 time noscript section svg rect
	table caption thead tbody tr th td ul ol li article aside dialog dl dt dd kbd form script b strong em del code pre br hr blockquote sup`)

// attacks are texts that try to become more than text.
var attacks = []string{
	"</script><script>alert(1)</script>",
	"</SCRIPT ><img src=x onerror=alert(1)>",
	"<!--<script>alert(1)//",
	"</style><style>@import url(https://evil.example)</style>",
	"</title><script>alert(1)</script>",
	"\"><img src=x onerror=alert(1)>",
	"' onmouseover='alert(1)",
	"javascript:alert(1)",
	"JaVaScRiPt:alert(1)//https://a.example",
	"java\tscript:alert(1)",
	"data:text/html,<script>alert(1)</script>",
	"https://a.example/\"onclick=\"alert(1)",
	"https://a.example/'><svg onload=alert(1)>",
	"//evil.example/x",
	"vbscript:msgbox(1)",
	"{{.Script}} ${alert(1)} `+alert(1)+`",
	"\u2028alert(1)\u2029",
	"]]><script>alert(1)</script>",
	"<svg><style><img src=x onerror=alert(1)></style></svg>",
	"[x](javascript:alert(1)) ![y](https://evil.example/p.gif) <iframe src=javascript:alert(1)>",
	"&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;",
	"claim_001\" autofocus onfocus=\"alert(1)",
	"\x00<script>alert(1)</script>\xff\xfe",
}

// hostile is a report that has an attack wherever text from outside can stand.
func hostile(t *testing.T, attack string) Report {
	t.Helper()
	s := newSample(t, "# "+strings.ReplaceAll(attack, "\n", " ")+"\n\nA claim with "+attack+" in it [1]. Another one [2].\n\n<div>"+attack+"</div>\n\n```"+attack+"\n"+attack+"\n```\n")
	s.r.Question.Text, s.r.Brief.Language = attack, attack
	s.source(attack, attack, attack, "Before. "+attack+" After.")
	s.source("https://a.example/"+attack, attack, attack, attack)
	for i := range s.r.Citations {
		s.r.Citations[i].Authors = []string{attack}
	}
	v := s.verdict(1, plumb.Contradicted, attack, attack)
	v.Notes = attack
	s.claim("A claim with "+attack+" in it [1].", v, s.verdict(2, plumb.Supported, "", attack))
	s.claim("Another one [2].", plumb.Verdict{Status: plumb.Status(attack), URL: attack, Evidence: attack, Reason: attack, Source: attack})
	for i := range s.r.Claims {
		s.r.Claims[i].ID, s.r.Verdicts[i].ClaimID = attack, attack
		s.r.Claims[i].Text, s.r.Claims[i].Section = attack, attack
	}
	s.r.Run, s.r.Notes, s.r.Hosts, s.r.Thinking, s.r.FellBack = attack, []string{attack}, []string{attack}, []string{attack}, []string{attack}
	s.r.Standing = plumb.Standing{Stopped: plumb.Stop(attack), Mode: plumb.Mode(attack), Review: attack, Gate: plumb.Gate{Status: plumb.GatePass, Reason: attack}}
	return s.r
}

func TestTextFromDocumentsStaysText(t *testing.T) {
	for _, attack := range attacks {
		for _, strict := range []bool{false, true} {
			r := hostile(t, attack)
			r.Question.Strict = strict
			p := render(t, r)
			checkHarmless(t, attack, p)
			if got := len(p.data.Claims); !strict && got != 2 {
				t.Errorf("%q: %d claims in the data", attack, got)
			}
		}
	}
}

func checkHarmless(t *testing.T, attack string, p rendered) {
	t.Helper()
	scripts := p.all("script", "", "")
	if len(scripts) != 2 || textIn(scripts[1]) != pageScript || len(p.all("style", "", "")) != 1 {
		t.Fatalf("%q: %d scripts", attack, len(scripts))
	}
	if data := textIn(scripts[0]); strings.ContainsAny(data, "<>&\u2028\u2029") {
		t.Errorf("%q: the data is not escaped", attack)
	}
	for n := range p.root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("%q: comment %q", attack, n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(pageTags, n.Data) {
			t.Errorf("%q: element <%s>", attack, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || slices.Contains([]string{"src", "style", "autofocus", "srcdoc", "action", "formaction"}, a.Key) {
				t.Errorf("%q: <%s %s>", attack, n.Data, a.Key)
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") {
				t.Errorf("%q: link to %q", attack, a.Val)
			}
		}
	}
	for _, s := range p.data.Sources {
		if s.Href != "" && !strings.HasPrefix(s.Href, "https://") && !strings.HasPrefix(s.Href, "http://") {
			t.Errorf("%q: the script would link to %q", attack, s.Href)
		}
	}
}

func TestAddressesThatMayBeFollowed(t *testing.T) {
	for u, want := range map[string]string{
		"https://a.example/x?y=1#z": "https://a.example/x?y=1#z",
		"http://a.example":          "http://a.example",
		"HTTPS://a.example/":        "https://a.example/",
		"doc:a/b.md":                "",
		"javascript:alert(1)":       "",
		" javascript:alert(1)":      "",
		"java\nscript:alert(1)":     "",
		"data:text/html,x":          "",
		"//a.example/x":             "",
		"/etc/passwd":               "",
		"file:///etc/passwd":        "",
		"https:///x":                "",
		"https://a.example/\"x\"":   "https://a.example/%22x%22",
		"":                          "",
	} {
		if got := href(u); got != want {
			t.Errorf("%q: %q, want %q", u, got, want)
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, a := range attacks {
		f.Add("A claim "+a+" [1].\n\n| a | "+a+" |\n|--|--|\n| b | c |", a, 2, 30)
	}
	f.Fuzz(func(t *testing.T, draft, attack string, start, end int) {
		s := newSample(t, draft)
		s.source("https://a.example/"+attack, attack, attack, attack)
		s.r.Claims = []plumb.Claim{{ID: "claim_001", Text: attack, Citations: []string{s.r.Citations[0].URL}, Start: start, End: end}}
		s.r.Verdicts = []plumb.Verdict{{ClaimID: "claim_001", Status: plumb.Supported, URL: s.r.Citations[0].URL, Source: "hash1", Start: start, End: end}}
		p := render(t, s.r)
		checkHarmless(t, attack, p)
		p.one(t, "", "id", "claim_001")
		p.one(t, "button", "data-open", "0")
		if c := p.data.Claims[0].Checks[0]; c.End > 0 && p.passage(c) != strings.ToValidUTF8(attack[start:end], "\ufffd") && !bytes.ContainsRune([]byte(attack), '\ufffd') && strings.ToValidUTF8(attack, "") == attack {
			t.Errorf("highlighted %q", p.passage(c))
		}
	})
}
