package report

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
)

func TestLongSourcesAreHereAroundTheirPassages(t *testing.T) {
	s := newSample(t, "Alpha is one [1]. Beta is two [1]. Gamma is three [1].")
	filler := strings.Repeat("日本語 and 😀 words. ", 9000) // about 250 KB
	s.source("doc:long.md", "Long", "", filler+"Alpha is 1."+strings.Repeat("x ", 300)+"Beta is 2."+filler+"Gamma is 3.")
	s.claim("Alpha is one [1].", s.verdict(1, plumb.Supported, "Alpha is 1.", ""))
	s.claim("Beta is two [1].", s.verdict(1, plumb.Supported, "Beta is 2.", ""))
	s.claim("Gamma is three [1].", s.verdict(1, plumb.Supported, "Gamma is 3.", ""))
	p := render(t, s.r)
	txt := p.data.Texts[0]
	if txt.Whole || len(txt.Pieces) != 2 || txt.Chars != utf8.RuneCountInString(s.r.Texts["hash1"]) {
		t.Fatalf("whole %v, %d pieces, %d characters", txt.Whole, len(txt.Pieces), txt.Chars)
	}
	for i, want := range []string{"Alpha is 1.", "Beta is 2.", "Gamma is 3."} {
		if got := p.passage(p.data.Claims[i].Checks[0]); got != want {
			t.Errorf("claim %d: %q", i+1, got)
		}
	}
	before, _, _ := strings.Cut(txt.Pieces[1].Text, "Gamma")
	if n := utf8.RuneCountInString(before); n != maxAround {
		t.Errorf("%d characters before the last passage", n)
	}
	if len(p.raw) > 100_000 {
		t.Errorf("the page has %d bytes", len(p.raw))
	}
}

func TestTextsOfThePageAreBounded(t *testing.T) {
	draft := strings.Repeat("Claim of this draft [1]. ", 1)
	s := newSample(t, draft)
	for range 40 {
		s.source("doc:"+strings.Repeat("a", len(s.r.Citations)+1), "A", "", strings.Repeat("abc ", 45<<10)) // 180 KB each
	}
	s.claim("Claim of this draft [1].", s.verdict(40, plumb.Supported, "abc", ""))
	p := render(t, s.r)
	whole, size := 0, 0
	for _, txt := range p.data.Texts {
		if txt.Whole {
			whole++
		}
		for _, piece := range txt.Pieces {
			size += len(piece.Text)
		}
	}
	if whole != 22 || size > maxTexts+5*maxAround {
		t.Errorf("%d texts as a whole, %d bytes", whole, size)
	}
	if got := p.passage(p.data.Claims[0].Checks[0]); got != "abc" {
		t.Errorf("passage %q of the source beyond the bound", got)
	}
}

func TestPassagesThatCannotBeShownInTheirText(t *testing.T) {
	for name, breakIt := range map[string]func(*Report){
		"no text":         func(r *Report) { r.Texts = nil },
		"no source":       func(r *Report) { r.Verdicts[0].Source = "" },
		"behind the text": func(r *Report) { r.Verdicts[0].End = 1 << 30 },
		"before the text": func(r *Report) { r.Verdicts[0].Start = -1 },
		"empty":           func(r *Report) { r.Verdicts[0].End = r.Verdicts[0].Start },
		"inside a letter": func(r *Report) { r.Verdicts[0].Start++ },
	} {
		s := newSample(t, "Über alles wurde gesprochen [1].")
		s.source("doc:a.md", "A", "", "Über alles.")
		s.claim("Über alles wurde gesprochen [1].", s.verdict(1, plumb.Supported, "Über alles.", ""))
		breakIt(&s.r)
		c := render(t, s.r).data.Claims[0].Checks[0]
		if c.End != 0 || c.Passage != "Über alles." {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestRulerCountsAsScriptsDo(t *testing.T) {
	for _, text := range []string{"", "abc", strings.Repeat("a😀ü日", 2000), strings.Repeat("x", 1023) + "😀" + strings.Repeat("ß", 3000), strings.Repeat("a\xff\x80b", 900)} {
		r := newRuler(text)
		n := 0
		for i, c := range text {
			if i%7 == 0 || i > len(text)-9 {
				if got := r.units(i); got != n {
					t.Fatalf("%.20q at %d: %d units, want %d", text, i, got, n)
				}
			}
			n += len(utf16.Encode([]rune{c}))
		}
		if got := r.units(len(text)); got != n {
			t.Errorf("%.20q: %d units in all, want %d", text, got, n)
		}
	}
}

func TestTheOtherCitationsOfAClaimAreKept(t *testing.T) {
	p := render(t, tunnel(t).r)
	c := p.data.Claims[2]
	if c.Look != "disputed" || len(c.Checks) != 2 || c.Checks[0].Look != "supported" || c.Checks[1].Look != "contradicted" {
		t.Errorf("%+v", c)
	}
	if got := p.passage(c.Checks[1]); got != "The opening cannot be earlier than autumn 2029 😀." {
		t.Errorf("%q", got)
	}
}

func TestNamesOfClaimElementsAreOurs(t *testing.T) {
	r := tunnel(t).r
	for i, id := range []string{"panel", "claim_001", "claim_001", "data", ""} {
		r.Claims[i].ID, r.Verdicts[i].ClaimID = id, id
	}
	var got []string
	for _, v := range shownClaims(r, false)[:5] {
		got = append(got, v.ID)
	}
	if s := strings.Join(got, " "); s != "claim-1 claim_001 claim-3 claim-4 claim-5" {
		t.Error(s)
	}
}

func TestReasonsAreSentences(t *testing.T) {
	for reason, want := range map[string]string{
		"the source says 9 %":        "The source says 9 %.",
		"the same words (in German)": "The same words (in German).",
		"Same sum.":                  "Same sum.",
		"逐字相同。":                      "逐字相同。",
		"“quoted”":                   "“quoted”",
		"écrit autrement ":           "Écrit autrement.",
		"":                           "",
	} {
		if got := spoken(reason); got != want {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
}
