package report

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

func TestCompileGolden(t *testing.T) {
	full := func(t *testing.T) Report {
		return testReport(t, testMaterial(testFindings()), map[int]plumb.Verdict{
			1: {Status: plumb.Supported, Disputed: true, Reason: "one source says it, another denies it", Evidence: "It is open to 900 swimmers.",
				Others: []plumb.Verdict{{Status: plumb.Contradicted, URL: urlOf(survey), Evidence: "No more than 650 [3] are let in."}}},
			4: {Status: plumb.Partial, Reason: "the number is not in the source.", Evidence: "the county gave a part"},
			5: {Status: plumb.NotFound, Reason: "nothing like it stands in the source"},
			6: {Status: plumb.Inaccessible, Reason: "source could not be read"},
			7: {Status: plumb.Paywall, Reason: "source is behind a paywall"},
			8: {Status: plumb.Contradicted, Reason: "one says 1, the other 2", Evidence: "Two"},
		})
	}
	cases := []struct {
		name  string
		build func(t *testing.T) Report
	}{
		{"full", full},
		{"none", func(t *testing.T) Report {
			m := testMaterial(nil)
			m.Standing = plumb.Standing{Waves: 2, Units: 4, Gate: plumb.Gate{Status: plumb.GateRetry, Reason: "not enough: 0 of 5 findings", Rejections: 3}, Stopped: plumb.StopGate}
			return testReport(t, m, nil)
		}},
		{"strict", func(t *testing.T) Report {
			r := full(t)
			r.Question.Strict = true
			return r
		}},
		{"unchecked", func(t *testing.T) Report {
			r := full(t)
			r.Limits.Check, r.Verdicts, r.Checked = false, nil, time.Time{}
			return r
		}},
		{"cap", func(t *testing.T) Report {
			m := testMaterial(testFindings()[:7])
			m.Standing.Stopped, m.Standing.Skipped, m.Standing.Failed = plumb.StopTime, 2, 1
			r := testReport(t, m, nil)
			r.Thinking, r.FellBack, r.Hosts = []string{"ollama:small", "extractive"}, []string{"write.1"}, []string{"localhost:11434", "api.example"}
			r.Spent, r.Standing.CheckFails, r.Notes = plumb.Spent{USD: 0.25, Tokens: 1200}, 1, []string{"One folder could not be read."}
			return r
		}},
		{"foreign", foreignReport},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { golden(t, "compile/"+c.name+".md", mustCompile(t, c.build(t))) })
	}
}

const foreignDraft = `---
author: somebody
---
Ferries of the Nare
===================

The Nare has two ferries[^1], says the guide [7].

## Boats

The *Hope* was built in 1962 [1, 2]. She carries 40 cars.

### Engines

| Boat | Engine |
| --- | --- |
| Hope | diesel [2] |

## Methodology

I read two pages.

## References

[1] Boat list: https://boats.example/list
[2] Engines: https://engines.example/
[^1]: Guide, https://guide.example/nare
`

func foreignReport(t *testing.T) Report {
	claim := func(id, from, to string) plumb.Claim {
		start := strings.Index(foreignDraft, from)
		end := strings.Index(foreignDraft, to) + len(to)
		if start < 0 || end <= start {
			t.Fatalf("no %q … %q", from, to)
		}
		return plumb.Claim{ID: id, Start: start, End: end, Text: from, Confidence: plumb.Medium, Citations: []string{"https://boats.example/list"}}
	}
	claims := []plumb.Claim{
		claim("claim_001", "The Nare has two ferries", "the guide [7]."),
		claim("claim_002", "The *Hope* was built", "1962 [1, 2]."),
		claim("claim_003", "She carries", "40 cars."),
		claim("claim_004", "Hope | diesel", "diesel [2]"),
	}
	return Report{Run: "01AUDIT", Kind: plumb.Audit, Limits: plumb.Limits{Check: true}, Draft: foreignDraft, Claims: claims,
		Question: plumb.Question{Text: "ferries.md"},
		Citations: []plumb.Citation{{Number: 1, URL: "https://boats.example/list", Title: "Boat list"}, {Number: 2, URL: "https://engines.example/", Title: "Engines, www.engines.example"},
			{Number: 3, URL: "https://guide.example/nare", Title: "Guide"}},
		Verdicts:  verdictsOf(claims, map[int]plumb.Verdict{2: {Status: plumb.NotFound, Reason: "No citation provided"}}),
		Generated: asked, Checked: asked}
}

func TestCompileKeepsEverySectionOfAForeignDraft(t *testing.T) {
	out := mustCompile(t, foreignReport(t))
	at := 0
	for _, want := range []string{"## Executive Summary", "two ferries", "## Key Findings", "## Detailed Analysis", "### Boats", "[VERIFIED] She carries 40 cars. [UNVERIFIED]",
		"#### Engines", "diesel [2] [VERIFIED] |", "### Methodology", "I read two pages.", "## Verification Notes", "## Sources", "## Methodology"} {
		i := strings.Index(out[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing after byte %d of\n%s", want, at, out)
		}
		at += i
	}
	if strings.Contains(out, "author: somebody") {
		t.Error("front matter is in the report")
	}
}

func TestCompileCountsAddUp(t *testing.T) {
	r := testReport(t, testMaterial(testFindings()), map[int]plumb.Verdict{0: {Status: plumb.Partial}, 1: {Status: plumb.NotFound}, 2: {Status: "made up"}, 3: {Status: plumb.Supported, Disputed: true}})
	c := tallyOf(r)
	if c.high+c.review+c.unverified != len(r.Claims) {
		t.Errorf("%d + %d + %d are not %d claims", c.high, c.review, c.unverified, len(r.Claims))
	}
	sum := 0
	for _, s := range plumb.Statuses {
		sum += c.of[s]
	}
	if sum != len(r.Claims) {
		t.Errorf("the six statuses count %d of %d claims", sum, len(r.Claims))
	}
}

func TestCompileRunAndTimesOnlyInHeadAndMethodology(t *testing.T) {
	r := testReport(t, testMaterial(testFindings()), nil)
	other := r
	other.Run, other.Generated, other.Checked = "01OTHER", r.Generated.Add(time.Hour), r.Checked.Add(time.Hour)
	a, b := strings.Split(mustCompile(t, r), "\n"), strings.Split(mustCompile(t, other), "\n")
	if len(a) != len(b) {
		t.Fatalf("%d and %d lines", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] && !strings.HasPrefix(a[i], "Generated: ") && !strings.HasPrefix(a[i], "- Run: ") && !strings.HasPrefix(a[i], "- Verification performed: ") {
			t.Errorf("line %d differs between runs: %q, %q", i+1, a[i], b[i])
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	cases := []struct {
		name string
		spil func(*Report)
		want string
	}{
		{"a number without a source", func(r *Report) { r.Citations = r.Citations[1:] }, "name no source"},
		{"a source that was never read", func(r *Report) { r.Citations[0].Source = "" }, "never read"},
		{"verdicts of other claims", func(r *Report) { r.Verdicts[0].ClaimID = "x" }, "is about x"},
		{"missing verdicts", func(r *Report) { r.Verdicts = r.Verdicts[1:] }, "verdicts for"},
		{"unchecked claims", func(r *Report) { r.Verdicts = nil }, "not checked"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := testReport(t, testMaterial(testFindings()), nil)
			c.spil(&r)
			if out, err := Compile(r); err == nil || !strings.Contains(err.Error(), c.want) || out != "" {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestStrictDropsWhatIsNotSupportedAndNothingElse(t *testing.T) {
	r := testReport(t, testMaterial(testFindings()), map[int]plumb.Verdict{4: {Status: plumb.NotFound}, 5: {Status: plumb.Contradicted}})
	r.Question.Strict = true
	out := mustCompile(t, r)
	for i, c := range r.Claims {
		kept := strings.Count(out, markdown.OneLine(c.Text)) > 0
		again := false // the same sentence stands elsewhere too, with a verdict of its own
		for j, o := range r.Claims {
			again = again || j != i && strings.Contains(o.Text, c.Text) && r.Verdicts[j].Status == plumb.Supported
		}
		if want := r.Verdicts[i].Status == plumb.Supported || again; kept != want {
			t.Errorf("claim %q (%s) is in the report: %v", c.Text, r.Verdicts[i].Status, kept)
		}
	}
	if strings.Contains(out, "- \n") || strings.Contains(out, "-\n\n-") {
		t.Error("an empty bullet is left")
	}
	if !strings.Contains(out, "2 claims that no source was found to support were dropped") {
		t.Error("the methodology does not count what was dropped")
	}
}
