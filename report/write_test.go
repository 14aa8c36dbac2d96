package report

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

func TestWriteGolden(t *testing.T) {
	concise := testMaterial(testFindings())
	concise.Question.Style = plumb.Concise
	german := testMaterial(testFindings())
	german.Brief.Language = "de-AT"
	none := testMaterial(nil)
	none.Brief.Language = "fr"
	for name, m := range map[string]Material{"full": testMaterial(testFindings()), "concise": concise, "german": german, "none": none} {
		t.Run(name, func(t *testing.T) {
			draft, _ := written(t, m)
			golden(t, "draft/"+name+".md", draft)
		})
	}
}

// body is a draft without its source list.
func bodyOf(draft string) string {
	before, _, _ := strings.Cut(draft, "\n## Sources")
	return before
}

func TestEveryFactualSentenceIsAFindingsOwn(t *testing.T) {
	m := testMaterial(testFindings())
	draft, cs := written(t, m)
	byNumber := map[int]plumb.Citation{}
	for _, c := range cs {
		byNumber[c.Number] = c
	}
	d := markdown.Parse(bodyOf(draft))
	claims := 0
	for i, b := range d.Blocks {
		if b.Kind != markdown.Paragraph && b.Kind != markdown.Item || isNote(d, i) {
			continue
		}
		for _, part := range strings.SplitAfter(d.Text(b), "] ") {
			if strings.HasPrefix(part, "[") {
				continue
			}
			claims++
			plain, _ := markdown.Plain(markRun.ReplaceAllString(part, ""))
			said := strings.TrimRight(strings.TrimSpace(plain), ".")
			numbers := markdown.Markers(part)
			if len(numbers) == 0 {
				t.Errorf("%q has no citation", part)
				continue
			}
			for _, mk := range numbers {
				for _, n := range mk.Numbers {
					if !says(m.Findings, byNumber[n].Source, said) {
						t.Errorf("[%d] %s does not say %q", n, byNumber[n].URL, said)
					}
				}
			}
		}
	}
	if claims < 12 {
		t.Errorf("only %d claims in\n%s", claims, draft)
	}
}

func says(fs []plumb.Finding, source, said string) bool {
	for _, f := range fs {
		if f.Source == source && strings.Contains(foreignMarker.ReplaceAllString(f.Content, ""), said) {
			return true
		}
	}
	return false
}

func TestFindingsStandInOneSectionOnly(t *testing.T) {
	draft, _ := written(t, testMaterial(testFindings()))
	for _, s := range []string{"310,000 a year", "School classes", "One in four", "northern", "The county gave the rest"} {
		if n := strings.Count(draft, s); n != 1 {
			t.Errorf("%q stands there %d times", s, n)
		}
	}
	for _, s := range []string{"Is the Sandling pool cold", "A snippet"} {
		if strings.Contains(draft, s) {
			t.Errorf("%q should not be there", s)
		}
	}
}

func TestWriteIsTheSameEveryTime(t *testing.T) {
	first, _ := written(t, testMaterial(testFindings()))
	for range 5 {
		if again, _ := written(t, testMaterial(testFindings())); again != first {
			t.Fatal("the same material gave another draft")
		}
	}
}

func TestRewriteTakesInMore(t *testing.T) {
	fs := testFindings()
	for i := range 12 {
		c := fmt.Sprintf("Detail %d of the Sandling pool concerns its %s.", i, []string{"ladders", "benches", "lamps", "ropes", "steps", "signs", "gates", "drains", "sluices", "mats", "hooks", "bins"}[i])
		fs = append(fs, found(fmt.Sprintf("g%02d", i), survey, 1, 0.45, plumb.Low, c))
	}
	m := testMaterial(fs)
	first, _ := written(t, m)
	m.Round, m.Feedback = 2, "more"
	second, _ := written(t, m)
	if a, b := strings.Count(first, "Detail "), strings.Count(second, "Detail "); b <= a {
		t.Errorf("%d weak findings in round 1, %d in round 2", a, b)
	}
	if !strings.Contains(first, "Findings left out because others are more relevant or more certain: ") {
		t.Error("round 1 does not say that it left findings out")
	}
}

func TestStatementsAgree(t *testing.T) {
	cases := []struct {
		name, a, b string
		want       string // markers behind a
	}{
		{"the same words", "The pool cost EUR 6.4 million.", "The pool cost EUR 6.4 million.", "[1][2]"},
		{"the same number in other dress", "The old pool lost 15 percent of its depth.", "The old pool lost 15% of its depth.", "[1][2]"},
		{"more besides", "The pool cost EUR 6.4 million.", "The pool cost EUR 6.4 million, of which the county paid half.", "[1][2]"},
		{"another number", "The pool cost EUR 6.4 million.", "The pool cost EUR 7.4 million.", "[1]"},
		{"a denial", "The wall of the pool failed in 2019.", "The wall of the pool did not fail in 2019.", "[1]"},
		{"the words in another order", "The county paid the town for the pool.", "The town paid the county for the pool.", "[1]"},
		{"something else", "The pool cost EUR 6.4 million.", "The pool is cold in winter.", "[1]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			x, y := found("a", release, 0, 1, plumb.High, c.a), found("b", survey, 0, 0.9, plumb.High, c.b)
			m := Material{Brief: testBrief, Findings: []plumb.Finding{x, y}, Citations: []plumb.Citation{{Number: 1, Source: release.Hash, URL: release.URL}, {Number: 2, Source: survey.Hash, URL: survey.URL}}}
			draft, err := Extractive{}.Write(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			want := markdown.Escape(c.a) + " " + c.want
			if !strings.Contains(draft, want+" ") && !strings.Contains(draft, want+"\n") {
				t.Errorf("%q is not in\n%s", want, draft)
			}
		})
	}
}

func TestDisagreements(t *testing.T) {
	st := func(key, date, said string, cites ...int) *statement {
		return newStatement(plumb.Finding{Content: said, Relevance: 1}, plumb.Citation{Number: cites[0], Key: key, Date: date}, "en")
	}
	old := st("a", "2019-03-11", "The harbour wall is 12 metres long.", 1)
	older := st("b", "2018", "The harbour wall is 12 metres long today.", 2)
	now := st("c", "2024-01-01", "The harbour wall is 17 metres long.", 3)
	own := st("c", "2024-01-01", "The harbour wall is 12 metres long.", 3)
	ds := disagreements([]*statement{now, old, older})
	if len(ds) != 1 || len(ds[0].sides[0])+len(ds[0].sides[1]) < 2 {
		t.Fatalf("%d disagreements, want one", len(ds))
	}
	if ds[0].values != [2]string{"12 metres", "17 metres"} || !ds[0].superseded() {
		t.Errorf("values %v, superseded %v: the older side comes first", ds[0].values, ds[0].superseded())
	}
	if ds := disagreements([]*statement{now, own}); len(ds) != 0 {
		t.Error("a document does not disagree with itself")
	}
}

func TestWriteSaysWhatIsMissing(t *testing.T) {
	m := testMaterial(testFindings())
	m.Standing.Failed = 2
	draft, _ := written(t, m)
	for _, want := range []string{"*The documents do not answer this part of the question: Will the Sandling pool get a roof?*", "*Units of research that failed or were skipped: 2.*"} {
		if !strings.Contains(draft, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestTablesDoNotLeadTheSummary(t *testing.T) {
	row := "Swimmers of the Sandling pool: 31880; lanes: 6; ladders: 12; lamps: 40; benches: 17."
	m := testMaterial([]plumb.Finding{
		found("a", survey, 1, 1, plumb.High, row), found("b", release, 1, 0.9, plumb.High, "The swimmers of the Sandling pool are mostly locals."),
	})
	draft, _ := written(t, m)
	if i, j := strings.Index(draft, "mostly locals"), strings.Index(draft, "31880"); i < 0 || j < i {
		t.Errorf("the sentence stands at %d, the row at %d", i, j)
	}
}

func TestKeyFindingsDoNotRepeatEachOther(t *testing.T) {
	var fs []plumb.Finding
	for i, c := range []string{"The Sandling pool is open to 900 swimmers each day.", "Each day the Sandling pool is open to swimmers, 900 of them.", "To 900 swimmers the Sandling pool is open each day.",
		"Ladders were added along the Sandling pool.", "A lifeguard sits at the Sandling pool at weekends.", "The Sandling pool closes in heavy storms.", "Lamps line the path to the Sandling pool.",
		"Seals were seen near the Sandling pool.", "The Sandling pool has two changing huts."} {
		fs = append(fs, found(fmt.Sprintf("k%d", i), []plumb.Source{release, survey, reprint}[i%3], 1, 1-0.03*float64(i), plumb.High, c))
	}
	draft, _ := written(t, testMaterial(fs))
	_, after, _ := strings.Cut(draft, "## Key Findings")
	key, _, _ := strings.Cut(after, "## Detailed")
	if n := strings.Count(key, "900"); n > 1 {
		t.Errorf("the key findings say %d times how many swimmers:\n%s", n, key)
	}
	if n := strings.Count(key, "\n- "); n < minKey {
		t.Errorf("%d key findings", n)
	}
}

func TestSummaryWarnsOfOldSources(t *testing.T) {
	m := testMaterial([]plumb.Finding{
		found("a", plan2016, 0, 1, plumb.High, "The Sandling pool shall cost EUR 3.9 million."),
		found("b", accounts, 1, 0.5, plumb.High, "The swimmers of the Sandling pool wear caps."),
	})
	draft, _ := written(t, m)
	if want := "*The oldest source quoted here is dated 2 April 2016, the newest of this report 11 February 2025.*"; !strings.Contains(draft, want) {
		t.Errorf("%q is not in\n%s", want, draft)
	}
}

func TestWriteStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Extractive{}).Write(ctx, testMaterial(nil)); err == nil {
		t.Error("a cancelled step wrote a draft")
	}
}

func TestStated(t *testing.T) {
	for in, want := range map[string]string{
		"It rose":            "It rose.",
		"It rose:":           "It rose.",
		"“It rose.”":         "“It rose.”",
		"It  rose!\n":        "It rose!",
		"Did it rise?":       "",
		"它上升了":               "它上升了。",
		" – ":                "",
		"A; 2; 3 [4]":        "A; 2; 3.",
		"He said (quietly.)": "He said (quietly.)",
	} {
		if got := stated(in); got != want {
			t.Errorf("stated(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDatesInLanguages(t *testing.T) {
	for _, c := range []struct{ lang, iso, want string }{
		{"en", "2024-03-05", "5 March 2024"}, {"de", "2024-03-05T10:00:00Z", "5. März 2024"}, {"fr", "2024-08", "août 2024"},
		{"es", "2024-03-05", "5 de marzo de 2024"}, {"xx", "2024", "2024"}, {"en", "2024-13-40", "2024-13-40"}, {"en", "spring", "spring"},
	} {
		if got := phrasesOf(c.lang).date(c.iso); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.lang, c.iso, got, c.want)
		}
	}
}

func TestPhrasesAreCompleteInEveryLanguage(t *testing.T) {
	verbs := func(s string) int { return strings.Count(s, "%") }
	en := languages["en"]
	list := func(p phrases) []string {
		return []string{p.summary, p.key, p.analysis, p.disagree, p.open, p.sources, p.noAnswer, p.searched, p.advice, p.noPart, p.noPartHere, p.onePart, p.says, p.denies, p.dates, p.dated,
			p.undated, p.secondNewer, p.seeDisagree, p.older, p.oldest, p.above, p.leftOut, p.failed, p.dayMonth, p.months[0], p.months[11]}
	}
	for lang, p := range languages {
		for i, s := range list(p) {
			if s == "" || verbs(s) != verbs(list(en)[i]) {
				t.Errorf("%s: phrase %d is %q, in English %q", lang, i, s, list(en)[i])
			}
		}
		for _, title := range []struct {
			s string
			r role
		}{{p.summary, roleSummary}, {p.key, roleKey}, {p.analysis, roleAnalysis}, {p.open, roleOther}} {
			if roleOf(title.s) != title.r {
				t.Errorf("%s: %q is not known by its title", lang, title.s)
			}
		}
		if _, _, ok := markdown.SourceList(markdown.Parse("## " + p.sources + "\n\n1. A. <doc:a.md>\n")); !ok {
			t.Errorf("%s: %q heads no source list", lang, p.sources)
		}
	}
}
