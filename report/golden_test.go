package report

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/text"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run go test -update", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, d)
	}
}

var asked = time.Date(2025, 6, 1, 8, 30, 0, 0, time.UTC)

// The documents of the tests: a tidal pool in an invented town.
var (
	plan2016    = plumb.Source{Hash: "h-plan", URL: "doc:plan-2016.md", Title: "Plan for the Sandling tidal pool", Date: "2016-04-02", Key: "doc:plan-2016.md"}
	release     = plumb.Source{Hash: "h-release", URL: "doc:press/opening.md", Title: "Sandling pool opens", Date: "2024-05-04", Key: "doc:press/opening.md"}
	reprint     = plumb.Source{Hash: "h-reprint", URL: "doc:press/herald.txt", Title: "Herald: Sandling pool opens", Date: "2024-05-05", Key: "doc:press/herald.txt"}
	accounts    = plumb.Source{Hash: "h-accounts", URL: "https://Sandling.example/accounts?utm_source=x", Title: "Accounts of the borough", Date: "2025-02-11", Authors: []string{"R. Ames", "L. Okoro"}, Key: "sandling.example"}
	survey      = plumb.Source{Hash: "h-survey", URL: "doc:survey.pdf", Title: "Visitor survey | summer [2024]", Date: "2024-09", Key: "doc:survey.pdf"}
	testSources = []plumb.Source{plan2016, release, reprint, accounts, survey}
)

var testBrief = plumb.Brief{
	Question: "What did the Sandling pool cost, who uses it, and will it get a roof?", Language: "en", By: "extractive",
	Areas: []plumb.Area{
		{Name: "Cost of the Sandling pool", Question: "What did the Sandling pool cost?"},
		{Name: "Who uses the Sandling pool", Question: "Who uses the Sandling pool?"},
		{Name: "A roof for the Sandling pool", Question: "Will the Sandling pool get a roof?"},
	},
	Entity: plumb.Entity{Name: "Sandling pool", Queries: []string{"Sandling pool", "Sandling tidal pool"}},
}

// found makes a finding.
func found(id string, s plumb.Source, area int, relevance float64, c plumb.Confidence, content string) plumb.Finding {
	return plumb.Finding{ID: id, Content: content, Quote: content, SourceURL: s.URL, SourceTitle: s.Title, Source: s.Hash, Verified: true,
		Depth: plumb.FullScrape, Confidence: c, Area: testBrief.Areas[area].Name, Key: s.Key, Date: s.Date, Relevance: relevance, Verification: "verified"}
}

func testFindings() []plumb.Finding {
	return []plumb.Finding{
		found("f01", accounts, 0, 1, plumb.High, "The Sandling pool cost EUR 6.4 million."),
		found("f02", plan2016, 0, 0.95, plumb.High, "The Sandling pool cost EUR 3.9 million."),
		found("f03", release, 0, 0.8, plumb.High, "The borough paid EUR 4.1 million for the Sandling pool. The county gave the rest."),
		found("f04", accounts, 0, 0.7, plumb.Medium, "The pumps of the Sandling pool cost EUR 310,000 a year to run"),
		found("f05", plan2016, 0, 0.65, plumb.Medium, "The concrete for the Sandling pool was ordered in March 2016."),
		found("f06", accounts, 0, 0.6, plumb.Medium, "A reserve of EUR 200,000 is kept for the walls of the Sandling pool."),
		found("f07", release, 1, 1, plumb.High, "The Sandling pool is open to 900 swimmers a day."),
		found("f08", reprint, 1, 1, plumb.High, "The Sandling pool is open to 900 swimmers a day."),
		found("f09", survey, 1, 0.98, plumb.High, "The Sandling pool is open to 650 swimmers a day."),
		found("f10", survey, 1, 0.9, plumb.High, "Most visitors of the Sandling pool come from the *northern* villages.[12]"),
		found("f11", survey, 1, 0.8, plumb.Medium, "One in four visitors of the Sandling pool is under 16."),
		found("f12", survey, 1, 0.7, plumb.Medium, "Dogs were seen in the Sandling pool on 3 days."),
		found("f13", release, 1, 0.7, plumb.Medium, "School classes use the Sandling pool on weekday mornings."),
		found("f14", release, 1, 0.3, plumb.Low, "Is the Sandling pool cold?"),
		{ID: "f15", Content: "A snippet about the Sandling pool.", SourceURL: "https://x.example", Depth: plumb.Snippet, Area: testBrief.Areas[2].Name},
	}
}

func testMaterial(fs []plumb.Finding) Material {
	limits, err := plumb.Preset("standard")
	if err != nil {
		panic(err)
	}
	cs, _ := Cite(fs, testSources, CiteOptions{At: asked, Max: limits.Citations, Entity: testBrief.Entity})
	return Material{Question: plumb.Question{Text: testBrief.Question, At: asked}, Brief: testBrief, Findings: fs, Citations: cs, Limits: limits, Round: 1,
		Standing: plumb.Standing{Gate: plumb.Gate{Status: plumb.GatePass, Reason: "15 findings from 5 distinct sources: enough"}, Records: 15, Cited: 14, Keys: 5, Waves: 1, Units: 3, Mode: "parallel"}}
}

// written is the draft of a material with its citations, numbered as published.
func written(t *testing.T, m Material) (string, []plumb.Citation) {
	t.Helper()
	draft, err := Extractive{}.Write(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	draft, cs, removed := Renumber(draft, m.Citations)
	if removed > 0 {
		t.Errorf("%d numbers of our own draft resolve to nothing", removed)
	}
	return draft, cs
}

var (
	claimRun = regexp.MustCompile(`[^\n]*?(?:\[\d+\])+`)
	markRun  = regexp.MustCompile(`\[(\d+)\]`)
)

// claimsOf splits a draft of ours at its markers; verify does it properly.
func claimsOf(draft string, cs []plumb.Citation) []plumb.Claim {
	end := len(draft)
	if i := strings.Index(draft, "\n## Sources"); i >= 0 {
		end = i
	}
	var out []plumb.Claim
	for _, span := range claimRun.FindAllStringIndex(draft[:end], -1) {
		from := span[0] + len(draft[span[0]:span[1]]) - len(strings.TrimLeft(draft[span[0]:span[1]], "- "))
		c := plumb.Claim{ID: "claim_" + string(rune('A'+len(out))), Start: from, End: span[1], Confidence: plumb.High, Type: plumb.Factual}
		c.Text = strings.TrimSpace(markRun.ReplaceAllString(draft[from:span[1]], ""))
		if len(text.Quantities(c.Text)) == 0 {
			c.Confidence = plumb.Low
		}
		for _, m := range markRun.FindAllStringSubmatch(draft[from:span[1]], -1) {
			for _, x := range cs {
				if m[1] == string(rune('0'+x.Number)) {
					c.Citations = append(c.Citations, x.URL)
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// verdictsOf supports every claim but those that change gives another verdict.
func verdictsOf(claims []plumb.Claim, change map[int]plumb.Verdict) []plumb.Verdict {
	out := make([]plumb.Verdict, len(claims))
	for i, c := range claims {
		v, ok := change[i]
		if !ok {
			v = plumb.Verdict{Status: plumb.Supported, Score: 1, Reason: "the source says it in these words", Evidence: c.Text}
		}
		v.ClaimID, v.ClaimText = c.ID, c.Text
		if v.URL == "" && len(c.Citations) > 0 {
			v.URL = c.Citations[0]
		}
		out[i] = v
	}
	return out
}

// testReport is a report of the test material, all of it supported but what change says.
func testReport(t *testing.T, m Material, change map[int]plumb.Verdict) Report {
	t.Helper()
	draft, cs := written(t, m)
	claims := claimsOf(draft, cs)
	return Report{Run: "01TESTRUN", Kind: plumb.Research, Question: m.Question, Brief: m.Brief, Limits: m.Limits, Draft: draft, Citations: cs, Claims: claims,
		Verdicts: verdictsOf(claims, change), Sources: testSources, Findings: len(m.Findings), Standing: m.Standing, Thinking: []string{"extractive"},
		Generated: asked.Add(time.Minute), Checked: asked.Add(50 * time.Second)}
}

func mustCompile(t *testing.T, r Report) string {
	t.Helper()
	out, err := Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Compile(r)
	if err != nil || again != out {
		t.Errorf("the same report gave other bytes (%v)", err)
	}
	return out
}

func urlOf(s plumb.Source) string { return link.Normalize(s.URL) }
