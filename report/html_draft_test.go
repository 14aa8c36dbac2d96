package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

func TestRewriteKeepsTrackOfOffsets(t *testing.T) {
	src := "One [1]. Two. Three."
	t1 := rewrite(src, []change{
		{edit: edit{4, 7, `\[12\]`}, cites: []cite{{0, 6, 12}}},
		{edit: edit{9, 14, ""}},
		{edit: edit{10, 12, "overlaps"}},
		{edit: edit{20, 20, " End"}},
		{edit: edit{0, 0, "> "}},
		{edit: edit{18, 99, "outside"}},
	})
	if t1.text != `> One \[12\]. Three. End` {
		t.Fatalf("%q", t1.text)
	}
	if !slices.Equal(t1.cites, []cite{{6, 6, 12}}) {
		t.Errorf("cites %v", t1.cites)
	}
	for _, c := range []struct {
		start, end int
		want       string
	}{
		{0, 8, `One \[12\].`}, {14, 20, "Three."}, {9, 13, ""}, {5, 6, `\[12\]`}, {8, 20, " Three."}, {0, 20, `One \[12\]. Three.`},
	} {
		if got := t1.text[t1.start(c.start):t1.end(c.end)]; got != c.want {
			t.Errorf("%d to %d: %q, want %q", c.start, c.end, got, c.want)
		}
	}
}

// article is the text of the page's report, and the links of its markers.
func article(t *testing.T, p rendered) (string, []string) {
	t.Helper()
	a := p.one(t, "article", "", "")
	var cites []string
	for n := range a.Descendants() {
		if attr(n, "class") == "cite" {
			cites = append(cites, textIn(n)+attr(n, "href"))
		}
	}
	return strings.TrimSpace(textIn(a)), cites
}

func TestMarkersLinkToTheirSources(t *testing.T) {
	for _, c := range []struct {
		draft, text string
		cites       []string
	}{
		{"A b c [1].", "A b c [1].", []string{"[1]#source-1"}},
		{"A b c [1, 2].", "A b c [1][2].", []string{"[1]#source-1", "[2]#source-2"}},
		{"A b c [1-2]【2】.", "A b c [1][2][2].", []string{"[1]#source-1", "[2]#source-2", "[2]#source-2"}},
		{"A b c [1](https://a.example/1).", "A b c [1].", []string{"[1]#source-1"}},
		{"A b c [^n].\n\n[^n]: <https://a.example/2>", "A b c [2].", []string{"[2]#source-2"}},
		{"A b c [7].", "A b c [7?].", nil},
		{"A b c [1](x).\n\n[1]: https://a.example/1", "A b c [1].", []string{"[1]#source-1"}},
		{"A `b [1]` c.", "A b [1] c.", nil},
	} {
		s := newSample(t, c.draft)
		s.r.Kind = plumb.Audit
		s.source("https://a.example/1", "One", "", "x")
		s.source("https://a.example/2", "Two", "", "y")
		text, cites := article(t, render(t, s.r))
		if text != c.text || !slices.Equal(cites, c.cites) {
			t.Errorf("%q: %q %v, want %q %v", c.draft, text, cites, c.text, c.cites)
		}
	}
}

func TestTitleAndSourceListStandOnce(t *testing.T) {
	text, _ := article(t, render(t, tunnel(t).r))
	for _, gone := range []string{"The harbour tunnel: schedule and cost", "Sources", "doc:", "tunnel.example/progress"} {
		if strings.Contains(text, gone) {
			t.Errorf("%q stands in the text too", gone)
		}
	}
	for _, kept := range []string{"Cost", "Schedule", "Ventilation & safety", "隧道将于2028年春季开放。"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is missing", kept)
		}
	}
}

func TestStrictPageDropsWhatIsNotSupported(t *testing.T) {
	s := tunnel(t)
	s.r.Question.Strict = true
	p := render(t, s.r)
	looked(t, "strict", p)
	text, _ := article(t, p)
	for _, gone := range []string{"15 %", "contractor", "Maintenance", "ground water", "市议会批准了预算"} {
		if strings.Contains(text, gone) {
			t.Errorf("%q is still in the text", gone)
		}
	}
	if !strings.Contains(text, "412 million euros") || !strings.Contains(text, "Drilling began in May 2025") {
		t.Errorf("supported claims are gone: %q", text)
	}
	if len(p.data.Claims) != 7 || len(p.all("button", "class", "mark")) != 7 {
		t.Errorf("%d claims in the data, %d marks", len(p.data.Claims), len(p.all("button", "class", "mark")))
	}
	for i, m := range p.all("button", "class", "mark") {
		if want := fmt.Sprintf("Claim %d: ", i+1); !strings.HasPrefix(attr(m, "aria-label"), want) {
			t.Errorf("mark %d is labelled %q", i, attr(m, "aria-label"))
		}
	}
	if head := textIn(p.one(t, "header", "", "")); !strings.Contains(head, "This report is strict: 6 claims") {
		t.Error(head)
	}
}

func TestUncheckedPageSaysSo(t *testing.T) {
	s := tunnel(t)
	s.r.Limits.Check, s.r.Verdicts = false, nil
	p := render(t, s.r)
	looked(t, "unchecked", p)
	if head := textIn(p.one(t, "header", "", "")); !strings.Contains(head, "were not checked: checking was turned off") || strings.Contains(head, "Supported") {
		t.Error(head)
	}
	c := p.data.Claims[2]
	if c.Look != "unchecked" || len(c.Checks) != 2 || c.Checks[0].Text < 0 || c.Checks[0].Score != nil {
		t.Errorf("%+v", c)
	}
	if attr(p.one(t, "", "id", "claim_003"), "data-verdict") != "unchecked" {
		t.Error("a verdict that nobody gave")
	}
}

func TestClaimsThatTheTextDoesNotShowAreListed(t *testing.T) {
	s := newSample(t, "Text.\n\n```\nIn code <b> 5 [1].\n```\n")
	s.source("doc:a.md", "A", "", "In code 5.")
	s.claim("In code <b> 5 [1].", s.verdict(1, plumb.Supported, "In code 5.", "Same."))
	p := render(t, s.r)
	list := p.one(t, "section", "class", "unplaced")
	if el := p.one(t, "span", "id", "claim_001"); attr(el, "data-verdict") != "supported" || !strings.Contains(textIn(list), "In code") {
		t.Errorf("%q", textIn(list))
	}
	p.one(t, "button", "data-open", "0")
}

func TestEmptyReports(t *testing.T) {
	for _, draft := range []string{"", "The documents do not answer this question.", "---\ntitle: x\n---\n"} {
		s := newSample(t, draft)
		p := render(t, s.r)
		if !strings.Contains(textIn(p.one(t, "header", "", "")), "This report cites nothing.") {
			t.Errorf("%q: nothing is said", draft)
		}
		if textIn(p.one(t, "h1", "", "")) == "" {
			t.Errorf("%q: no title", draft)
		}
	}
}

func TestHTMLRefusesWhatCompileRefuses(t *testing.T) {
	for name, breakIt := range map[string]func(*Report){
		"a verdict is missing":       func(r *Report) { r.Verdicts = r.Verdicts[1:] },
		"a verdict of another claim": func(r *Report) { r.Verdicts[0].ClaimID = "claim_009" },
		"a source was never read":    func(r *Report) { r.Citations[0].Source = "" },
	} {
		r := tunnel(t).r
		breakIt(&r)
		_, wantErr := Compile(r)
		if _, err := HTML(r); err == nil || wantErr == nil || err.Error() != wantErr.Error() {
			t.Errorf("%s: %v, Compile says %v", name, err, wantErr)
		}
	}
}
