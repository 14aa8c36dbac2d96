package report

// How the report came about: sentences that are true of this run, built from what the run left behind.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
)

func (c *compiler) methodology() []string {
	r := c.r
	var s []string
	if r.Kind == plumb.Audit {
		s = append(s, "This is an audit: the draft was written elsewhere, and its claims were checked against the sources it cites.")
	} else {
		s = append(s, thinking(r)...)
		s = append(s, gathering(r)...)
	}
	s = append(s, hosts(r))
	if c := cost(r); c != "" {
		s = append(s, fmt.Sprintf("Language models used %s tokens; cost: %s.", thousands(r.Spent.Tokens), c))
	}
	s = append(s, c.checking()...)
	for _, n := range r.Notes {
		s = append(s, inert(n))
	}
	if !r.Question.At.IsZero() {
		asked := "Question asked: "
		if r.Kind == plumb.Audit {
			asked = "Audit begun: "
		}
		s = append(s, asked+stamp(r.Question.At)+".")
	}
	if r.Run != "" {
		s = append(s, "Run: "+inert(r.Run)+".")
	}
	if r.checked() && !r.Checked.IsZero() {
		s = append(s, "Verification performed: "+stamp(r.Checked))
	}
	return []string{"- " + strings.Join(s, "\n- ")}
}

// thinking says who thought, and where a model failed.
func thinking(r Report) []string {
	var out []string
	m := r.Question.Models
	models := slices.DeleteFunc(slices.Clone(r.Thinking), func(t string) bool { return t == "extractive" })
	switch {
	case m.Orchestrator != "" && unasked(r):
		out = append(out, "No call was made to "+inert(m.Orchestrator)+": the draft consists of sentences quoted from the sources.")
	case m.Orchestrator != "" && m.Orchestrator == m.Worker:
		out = append(out, "Scoping, planning, research and writing were done with the language model "+inert(m.Orchestrator)+".")
	case m.Orchestrator != "" || m.Worker != "":
		out = append(out, roles(m))
	case len(models) > 0:
		out = append(out, "Scoping, research and writing were done with "+inert(strings.Join(models, ", "))+".")
	case len(r.Thinking) > 0:
		out = append(out, "No language model took part: the draft consists of sentences quoted from the sources, ranked by the words of the question.")
	}
	if m.Embed != "" {
		out = append(out, "Texts were compared by meaning with "+inert(m.Embed)+".")
	}
	if falls := fellBack(r); len(falls) > 0 {
		out = append(out, "Steps in which a model failed and sentences were quoted instead: "+strings.Join(falls, "; ")+".")
	}
	return out
}

// unasked: models were named, and every step had to do without. A run with the recordings of another asks nobody either.
func unasked(r Report) bool {
	return r.Spent.Tokens == 0 && len(r.Standing.FellBack) > 0 && r.Question.Tape == ""
}

// roles names two models, or the one that had half of the work.
func roles(m plumb.Models) string {
	var out []string
	for _, role := range []struct{ work, model string }{{"scoping, planning and writing", m.Orchestrator}, {"research", m.Worker}} {
		who := "no language model"
		if role.model != "" {
			who = inert(role.model)
		}
		out = append(out, role.work+": "+who)
	}
	return "Who thought: " + strings.Join(out, "; ") + "."
}

// fellBack names the steps in which extractive thinking took over, in the order of the path, those with the same reason
// together.
func fellBack(r Report) []string {
	falls := slices.Clone(r.Standing.FellBack)
	for _, step := range r.FellBack {
		if !slices.ContainsFunc(falls, func(f plumb.Fall) bool { return f.Step == step }) {
			falls = append(falls, plumb.Fall{Step: step})
		}
	}
	slices.SortStableFunc(falls, func(a, b plumb.Fall) int { return cmp.Compare(pathOrder(a.Step), pathOrder(b.Step)) })
	var reasons []string
	steps := map[string][]string{}
	for _, f := range falls {
		why := strings.TrimRight(inert(f.Why), ".")
		if len(steps[why]) == 0 {
			reasons = append(reasons, why)
		}
		steps[why] = append(steps[why], inert(f.Step))
	}
	var out []string
	for _, why := range reasons {
		s := strings.Join(steps[why], ", ")
		if why != "" {
			s += " (" + why + ")"
		}
		out = append(out, s)
	}
	return out
}

// pathOrder is the place of a step's kind on the path; what is not known comes last.
func pathOrder(step string) int {
	path := []string{"read", "scope", "plan", "unit", "supervise", "cite", "write", "review", "check"}
	kind, _, _ := strings.Cut(step, ".")
	if i := slices.Index(path, kind); i >= 0 {
		return i
	}
	return len(path)
}

// cost is what the models cost in dollars. What has no known price is named, never taken for nothing; "" when no call
// was made.
func cost(r Report) string {
	without := strings.Join(r.Unpriced, ", ")
	switch usd := r.Spent.USD; {
	case usd == 0 && r.Spent.Tokens == 0:
		return ""
	case usd == 0 && without != "":
		return "unknown, for no price is known of " + inert(without)
	case without != "":
		return dollars(usd) + " and what " + inert(without) + " cost, of which no price is known"
	default:
		return dollars(usd)
	}
}

func dollars(usd float64) string {
	if usd < 0.1 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// capped is a cap as it was set: cents where they say it all.
func capped(usd float64) string {
	if s := fmt.Sprintf("%.2f", usd); math.Abs(usd*100-math.Round(usd*100)) < 1e-9 {
		return "$" + s
	}
	return fmt.Sprintf("$%g", usd)
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func gathering(r Report) []string {
	t := r.Standing
	mode := ""
	if t.Mode != "" {
		mode = " (" + inert(string(t.Mode)) + ")"
	}
	findings := r.Findings
	if findings == 0 {
		findings = t.Records
	}
	out := []string{fmt.Sprintf("%s of research in %s%s made %s, %d of them with a source that was read, from %s; the report cites %s.",
		count(t.Units, "unit"), count(t.Waves, "wave"), mode, count(findings, "finding"), t.Cited, count(t.Keys, "distinct source"), count(len(r.Citations), "source"))}
	if t.Failed+t.Skipped > 0 {
		out = append(out, fmt.Sprintf("%s failed and %d skipped.", count(t.Failed, "unit"), t.Skipped))
	}
	switch t.Gate.Status {
	case plumb.GatePass:
		out = append(out, "The quality gate passed: "+inert(t.Gate.Reason)+".")
	case plumb.GateRetry:
		out = append(out, fmt.Sprintf("The quality gate was not satisfied: %s (rejected %s).", inert(t.Gate.Reason), count(t.Gate.Rejections, "time")))
	}
	if s := stopped(r); s != "" {
		out = append(out, s)
	}
	if t.Review != "" {
		out = append(out, "Review of the draft: "+inert(t.Review)+".")
	}
	return out
}

func hosts(r Report) string {
	if len(r.Hosts) == 0 {
		return "Nothing left this machine."
	}
	return "Hosts that the run talked to: " + inert(strings.Join(slices.Sorted(slices.Values(r.Hosts)), ", ")) + "."
}

// stopped says in one sentence which cap, or who, ended the gathering early; "" when it ended by itself.
func stopped(r Report) string {
	l := r.Limits
	reason := map[plumb.Stop]string{
		plumb.StopWaves:  "the most waves allowed (" + fmt.Sprint(l.Waves) + ") were used up",
		plumb.StopUnits:  "the most units allowed (" + fmt.Sprint(l.InAll) + ") were used up",
		plumb.StopMoney:  "the money cap (" + capped(l.Caps.USD) + ") left no room for more",
		plumb.StopTokens: fmt.Sprintf("the token cap (%s) left no room for more", thousands(l.Caps.Tokens)),
		plumb.StopTime:   "the time cap (" + span(l.Caps.Time) + ") was reached",
		plumb.StopFinish: "it was told to finish",
		plumb.StopGate:   "the quality gate was not satisfied in the end",
	}[r.Standing.Stopped]
	if r.Standing.Stopped == "" || r.Kind == plumb.Audit {
		return ""
	}
	if reason == "" {
		reason = "a cap was reached (" + inert(string(r.Standing.Stopped)) + ")"
	}
	return "Gathering was cut short: " + reason + ". This report rests on what had been found by then."
}

// span writes a duration without zero parts.
func span(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (c *compiler) checking() []string {
	r, t := c.r, c.tally
	if !r.checked() {
		return []string{"Checking was turned off: no claim was compared with its source."}
	}
	rate := 0.0
	if t.claims > 0 {
		rate = 100 * float64(t.of[plumb.Supported]) / float64(t.claims)
	}
	out := []string{fmt.Sprintf("%.1f%% of the claims (%d of %d) were verified: the text of a source they cite supports them.", rate, t.of[plumb.Supported], t.claims)}
	if t.claims == 0 {
		out = []string{"The draft makes no claims, so there was nothing to verify."}
	}
	var counts []string
	for _, s := range plumb.Statuses {
		counts = append(counts, fmt.Sprintf("%s %d", strings.ReplaceAll(string(s), "_", " "), t.of[s]))
	}
	if t.claims > 0 {
		out = append(out, "Verdicts: "+strings.Join(counts, ", ")+fmt.Sprintf("; disputed: %d.", t.disputed))
	}
	if judge := r.Question.Models.Judge; judge != "" && t.claims > 0 {
		out = append(out, "Rules and spans decided first; what they left open was judged by "+inert(judge)+".")
	}
	if n := byRulesAlone(r.Verdicts); n > 0 {
		out = append(out, fmt.Sprintf("Claims that the judge should have decided and could not, so that rules alone did: %d.", n))
	}
	if n := r.Standing.CheckFails; n > 0 {
		out = append(out, fmt.Sprintf("Batches of claims that could not be checked: %d; their claims count as inaccessible.", n))
	}
	if r.Question.Strict {
		out = append(out, fmt.Sprintf("This report is strict: %s that no source was found to support were dropped from it.", count(len(c.gone), "claim")))
	}
	return out
}

// byRulesAlone counts the claims for which a judge was asked in vain.
func byRulesAlone(vs []plumb.Verdict) int {
	alone := func(v plumb.Verdict) bool { return strings.HasPrefix(v.Notes, plumb.RulesAlone) }
	n := 0
	for _, v := range vs {
		if alone(v) || slices.ContainsFunc(v.Others, alone) {
			n++
		}
	}
	return n
}
