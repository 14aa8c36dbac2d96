package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
)

// methodOf is the methodology of a report as its lines.
func methodOf(t *testing.T, r Report) []string {
	t.Helper()
	return strings.Split(strings.TrimPrefix(newCompiler(r).methodology()[0], "- "), "\n- ")
}

func TestMethodologyIsTrueOfTheRun(t *testing.T) {
	base := Report{Run: "01R", Kind: plumb.Research, Limits: plumb.Limits{Check: true}, Standing: plumb.Standing{Units: 1, Waves: 1, Records: 1, Cited: 1, Keys: 1}}
	cases := []struct {
		name   string
		change func(*Report)
		want   []string
		not    []string
	}{
		{"no model, nothing sent", func(r *Report) { r.Thinking = []string{"extractive"} },
			[]string{"No language model took part: the draft consists of sentences quoted from the sources, ranked by the words of the question.", "Nothing left this machine.",
				"1 unit of research in 1 wave made 1 finding, 1 of them with a source that was read, from 1 distinct source; the report cites 0 sources.",
				"The draft makes no claims, so there was nothing to verify.", "Run: 01R."},
			[]string{"Models used", "cut short", "failed"}},
		{"a model that failed once", func(r *Report) {
			r.Thinking, r.FellBack, r.Hosts, r.Spent = []string{"extractive", "p:m"}, []string{"write.1"}, []string{"z.example", "a.example"}, plumb.Spent{USD: 0.5, Tokens: 10}
		},
			[]string{"Scoping, research and writing were done with p:m.", "Steps in which a model failed and sentences were quoted instead: write.1.",
				"Hosts that the run talked to: a.example, z.example.", "Language models used 10 tokens; cost: $0.50."},
			[]string{"No language model", "Nothing left"}},
		{"models by role, steps that fell back with a reason", func(r *Report) {
			r.Thinking, r.Question.Models = []string{"p:big", "q:small"}, plumb.Models{Orchestrator: "p:big", Worker: "q:small", Judge: "r:[1]judge", Embed: "s:vectors"}
			r.Standing.FellBack = []plumb.Fall{{Step: "unit.a", Why: "the model did not answer in time."}, {Step: "write.1"}}
			r.FellBack, r.Spent, r.Unpriced = []string{"write.1", "review.1"}, plumb.Spent{Tokens: 1234567}, []string{"p:big", "q:small"}
			r.Claims = []plumb.Claim{{ID: "a"}, {ID: "b"}}
			r.Verdicts = []plumb.Verdict{{ClaimID: "a", Status: plumb.Partial, Notes: plumb.RulesAlone + ": why"}, {ClaimID: "b", Status: plumb.Partial}}
		},
			[]string{"Who thought: scoping, planning and writing: p:big; research: q:small.", "Texts were compared by meaning with s:vectors.",
				"Steps in which a model failed and sentences were quoted instead: unit.a (the model did not answer in time); write.1, review.1.",
				"Language models used 1,234,567 tokens; cost: unknown, for no price is known of p:big, q:small.", "Rules and spans decided first; what they left open was judged by r:judge.",
				"Claims that the judge should have decided and could not, so that rules alone did: 1."}, []string{"No language model", "$"}},
		{"steps that fell back for the same reason are named together, as they came", func(r *Report) {
			r.Question.Models, r.Spent = plumb.Models{Orchestrator: "p:m", Worker: "p:m"}, plumb.Spent{Tokens: 5}
			r.Standing.FellBack = []plumb.Fall{{Step: "plan.1", Why: "why"}, {Step: "review.1", Why: "why"}, {Step: "scope.1", Why: "other"}, {Step: "unit.u1", Why: "why"}, {Step: "write.1"}}
		},
			[]string{"Steps in which a model failed and sentences were quoted instead: scope.1 (other); plan.1, unit.u1, review.1 (why); write.1."}, []string{"No call"}},
		{"a model that was never asked", func(r *Report) {
			r.Question.Models, r.Standing.FellBack = plumb.Models{Orchestrator: "p:m", Worker: "p:m"}, []plumb.Fall{{Step: "scope.1", Why: "why"}}
			r.Standing.Stopped, r.Limits.Caps.USD = plumb.StopMoney, 0.0001
		},
			[]string{"No call was made to p:m: the draft consists of sentences quoted from the sources.", "Gathering was cut short: the money cap ($0.0001) left no room for more. This report rests on what had been found by then."}, []string{"were done with"}},
		{"a model whose answers were all recorded", func(r *Report) {
			r.Question.Models, r.Question.Tape, r.Standing.FellBack = plumb.Models{Orchestrator: "p:m", Worker: "p:m"}, "01Q", []plumb.Fall{{Step: "scope.1", Why: "why"}}
		},
			[]string{"Scoping, planning, research and writing were done with the language model p:m."}, []string{"No call"}},
		{"one model for everything, for little", func(r *Report) {
			r.Thinking, r.Question.Models, r.Spent = []string{"p:m"}, plumb.Models{Orchestrator: "p:m", Worker: "p:m", Judge: "p:m"}, plumb.Spent{Tokens: 999, USD: 0.00321}
		},
			[]string{"Scoping, planning, research and writing were done with the language model p:m.", "Language models used 999 tokens; cost: $0.0032."}, []string{"judged by", "Who thought"}},
		{"units that failed, a gate that was not satisfied", func(r *Report) {
			r.Standing.Failed, r.Standing.Skipped, r.Standing.Gate = 2, 1, plumb.Gate{Status: plumb.GateRetry, Reason: "not enough: 1 of 5 findings", Rejections: 3}
		},
			[]string{"2 units failed and 1 skipped.", "The quality gate was not satisfied: not enough: 1 of 5 findings (rejected 3 times)."}, []string{"gate passed"}},
		{"a review", func(r *Report) { r.Standing.Review = "0.82" }, []string{"Review of the draft: 0.82."}, nil},
		{"checks that failed", func(r *Report) { r.Standing.CheckFails = 2 }, []string{"Batches of claims that could not be checked: 2; their claims count as inaccessible."}, nil},
		{"checking turned off", func(r *Report) { r.Limits.Check = false }, []string{"Checking was turned off: no claim was compared with its source."}, []string{"Verification performed", "verified"}},
		{"an audit", func(r *Report) { r.Kind = plumb.Audit; r.Standing.Stopped = plumb.StopTime },
			[]string{"This is an audit: the draft was written elsewhere, and its claims were checked against the sources it cites."}, []string{"units of research", "cut short"}},
		{"times", func(r *Report) {
			r.Question.At, r.Checked = asked, asked.In(time.FixedZone("x", 7200))
		}, []string{"Question asked: 2025-06-01T08:30:00Z.", "Verification performed: 2025-06-01T08:30:00Z"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := base
			c.change(&r)
			lines := methodOf(t, r)
			all := strings.Join(lines, "\n")
			for _, w := range c.want {
				if !strings.Contains("\n"+all+"\n", "\n"+w+"\n") {
					t.Errorf("%q is not in\n%s", w, all)
				}
			}
			for _, n := range c.not {
				if strings.Contains(all, n) {
					t.Errorf("%q is in\n%s", n, all)
				}
			}
		})
	}
}

func TestStoppedNamesTheCap(t *testing.T) {
	limits := plumb.Limits{Waves: 3, InAll: 30, Caps: plumb.Caps{USD: 1, Tokens: 5000, Time: 20 * time.Minute}}
	for stop, want := range map[plumb.Stop]string{
		"":               "",
		plumb.StopWaves:  "the most waves allowed (3) were used up",
		plumb.StopUnits:  "the most units allowed (30) were used up",
		plumb.StopMoney:  "the money cap ($1.00) left no room for more",
		plumb.StopTokens: "the token cap (5,000) left no room for more",
		plumb.StopTime:   "the time cap (20m) was reached",
		plumb.StopFinish: "it was told to finish",
		plumb.StopGate:   "the quality gate was not satisfied in the end",
		"other":          "a cap was reached (other)",
	} {
		if want != "" {
			want = "Gathering was cut short: " + want + ". This report rests on what had been found by then."
		}
		if got := stopped(Report{Limits: limits, Standing: plumb.Standing{Stopped: stop}}); got != want {
			t.Errorf("%s: %q, want %q", stop, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Hour: "1h", 20 * time.Minute: "20m", 90 * time.Second: "1m30s", 90 * time.Minute: "1h30m", 10 * time.Second: "10s", 0: "0s"} {
		if got := span(d); got != want {
			t.Errorf("%v: %q, want %q", int64(d), got, want)
		}
	}
}

func TestVerificationNotesListEveryClaimOnce(t *testing.T) {
	var claims []plumb.Claim
	change := map[int]plumb.Verdict{}
	for i, s := range plumb.Statuses {
		claims = append(claims, plumb.Claim{ID: "claim_" + string(s), Text: "About " + string(s) + " [5].", Confidence: plumb.High, Citations: []string{"https://a.example/"}})
		change[i] = plumb.Verdict{Status: s, Reason: "because"}
	}
	claims = append(claims, plumb.Claim{ID: "claim_both", Text: "Said and denied.", Citations: []string{"https://a.example/", "https://c.example/"}})
	change[6] = plumb.Verdict{Status: plumb.Supported, Disputed: true, Evidence: "Said.", URL: "https://a.example/",
		Others: []plumb.Verdict{{Status: plumb.Contradicted, Evidence: "Denied.", URL: "http://www.c.example/"}}}
	r := Report{Limits: plumb.Limits{Check: true}, Claims: claims, Verdicts: verdictsOf(claims, change), Citations: threeCitations()}
	got := strings.Join(newCompiler(r).notes(), "\n")
	want := `### Disputed Claims
- **claim_both** Said and denied. [1][3]
  - supported: “Said.” [1]
  - contradicted: “Denied.” [3]
### Contradicted Claims
- **claim_contradicted** About contradicted. [1] — because.
### Claims Requiring Review
- **claim_partial** About partial. [1] — because.
### Claims Not Found in Their Sources
- **claim_not_found** About not_found. [1] — because.
### Inaccessible Sources
- **claim_inaccessible** About inaccessible. [1] — because.
### Paywalled Sources
- **claim_paywall** About paywall. [1] — because.
### Supported Claims
- **claim_supported** About supported. [1] — because.
### What Each Source Bears
| Source | Claims | Supported | Partly | Contradicted | Not found | Could not be checked | Why not |
| --- | --: | --: | --: | --: | --: | --: | --- |
| [1] | 7 | 2 | 1 | 1 | 1 | 2 | because |
| [2] | 0 | 0 | 0 | 0 | 0 | 0 |  |
| [3] | 1 | 0 | 0 | 1 | 0 | 0 |  |`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	cites, supports := newCompiler(r).borne()
	if cites[1] != 7 || cites[3] != 1 || supports[1] != 2 || supports[3] != 0 {
		t.Errorf("cites %v, supports %v", cites, supports)
	}
}

func TestConfidenceAssessment(t *testing.T) {
	claims := []plumb.Claim{{ID: "a", Confidence: plumb.High}, {ID: "b", Confidence: plumb.Medium}, {ID: "c", Confidence: plumb.Low}, {ID: "d", Confidence: plumb.Uncertain},
		{ID: "e", Confidence: plumb.High}, {ID: "f"}, {ID: "g"}, {ID: "h"}, {ID: "i", Confidence: plumb.High}, {ID: "j", Confidence: plumb.Low}}
	verdicts := verdictsOf(claims, map[int]plumb.Verdict{4: {Status: plumb.Partial}, 5: {Status: plumb.NotFound}, 6: {Status: plumb.Paywall}, 7: {Status: plumb.Inaccessible}, 8: {Status: plumb.Supported, Disputed: true}})
	verdicts[2].Score, verdicts[9].Score = 0.8, 1 // in other words, and in the source's own
	got := tallyOf(Report{Claims: claims, Verdicts: verdicts}).assessment()
	want := `**Confidence Assessment:**

- High confidence claims: 3 (supported by a cited source and undisputed)
- Claims requiring review: 4 (1 partly supported, 1 disputed, 2 supported, but hedged, or in other words and without a figure, date or attribution to hold it to)
- Unverified claims: 3 (1 not found in the cited source, 1 with an inaccessible source, 1 behind a paywall)`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
