package plumb

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// clone copies a run through JSON, as a store does.
func clone(t *testing.T, r *Run) *Run {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var c Run
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

func state(t *testing.T, r *Run) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// permutations calls f with every order of n things.
func permutations(n int, f func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var rec func(int)
	rec = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			rec(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	rec(0)
}

func TestOutcomesOfConcurrentStepsMayComeInAnyOrder(t *testing.T) {
	late := t0.Add(3 * time.Hour)
	spent := func(usd float64) func(*Outcome) { return func(o *Outcome) { o.Spent.USD = usd } }
	capped := func(s Stop, fell string) func(*Outcome) {
		return func(o *Outcome) { o.Capped, o.FellBack = s, fell }
	}
	at := func(when time.Time) func(*Outcome) { return func(o *Outcome) { o.At = when } }
	timer := Outcome{Step: "wait.time.0", Kind: Timer, At: t0.Add(20*time.Minute + 2*time.Second)}
	for _, c := range []struct {
		name     string
		units    []string
		mode     Mode
		outcomes []Outcome
	}{
		{"a wave", []string{"a", "b", "c", "d"}, "", []Outcome{found("unit.a", 1), found("unit.b", 0), {Step: "unit.c", Kind: Failed, Fail: "x"}, found("unit.d", 4)}},
		{"a wave and its deadline", []string{"a", "b"}, "", []Outcome{found("unit.a", 1), found("unit.b", 2), timer}},
		{"a wave that ends behind its deadline", []string{"a", "b"}, "", []Outcome{with(found("unit.a", 1), at(late)), found("unit.b", 2), timer}},
		{"a wave that reaches the money cap", []string{"a", "b", "c"}, "", []Outcome{with(found("unit.a", 1), spent(1.5)), with(found("unit.b", 2), spent(0.2)), found("unit.c", 1)}},
		{"a wave in which models failed and budgets ended", []string{"a", "b", "c"}, "", []Outcome{with(found("unit.a", 1), capped(StopTokens, "no valid answer")), with(found("unit.b", 2), capped(StopMoney, "")), with(found("unit.c", 1), capped("", "stalled"))}},
		{"a timer that knows of more money than the units", []string{"a", "b"}, "", []Outcome{found("unit.a", 1), found("unit.b", 1), with(timer, spent(9))}},
		{"a hybrid's first rank", []string{"a", "b", "c:a"}, "", []Outcome{found("unit.a", 1), found("unit.b", 2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := gathering(t, "standard", 0.8, func(r *Run) { r.Asked.Mode = c.mode }, c.units...).Run
			for i := range c.outcomes {
				if c.outcomes[i].At.IsZero() {
					c.outcomes[i].At = t0.Add(time.Duration(10+i) * time.Second)
				}
			}
			var first string
			permutations(len(c.outcomes), func(order []int) {
				r := clone(t, base)
				for _, i := range order {
					r.Apply(c.outcomes[i])
				}
				got := state(t, r)
				if first == "" {
					first = got
				}
				if got != first {
					t.Fatalf("order %v:\n%s\nfirst order:\n%s", order, got, first)
				}
			})
		})
	}
	t.Run("batches of claims", func(t *testing.T) {
		base := gathering(t, "quick", 0.8, nil, "a").apply(found("unit.a", 3)).toClaims()
		base.apply(Outcome{Step: "claims.1", Kind: Done, Counts: Counts{Claims: 55}})
		var first string
		permutations(3, func(order []int) {
			r := clone(t, base.Run)
			for _, i := range order {
				kind := Done
				if i == 1 {
					kind = Failed
				}
				r.Apply(Outcome{Step: checkID(i), Kind: kind, At: t0.Add(time.Duration(i) * time.Minute)})
			}
			if got := state(t, r); first == "" {
				first = got
			} else if got != first {
				t.Fatalf("order %v differs", order)
			}
		})
	})
}

// A world of random outcomes and signals: whatever comes, a run ends within a bounded number of outcomes, stays small,
// and folds to the same state when its journal is read again.
func TestEveryRunEnds(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		run := randomRun(rng)
		born := clone(t, run)
		var journal []Outcome
		at := t0
		for n := 0; !run.State().Ended(); n++ {
			if n > 2000 {
				t.Fatalf("seed %d: still %s at stage %s after %d outcomes", seed, run.State(), run.Stage, n)
			}
			at = at.Add(time.Duration(rng.IntN(120)) * time.Second)
			o := randomOutcome(rng, run, at, n)
			if err := o.Check(); err != nil {
				t.Fatal(err)
			}
			run.Apply(o)
			journal = append(journal, o)
		}
		if size := len(state(t, run)); size > MaxRun {
			t.Fatalf("seed %d: the run has %d bytes", seed, size)
		}
		if run.Gate.Rejections > MaxRejections || run.Rewrites > MaxRewrites || len(run.Units) > MaxUnits || run.Wave > run.Limits.Waves {
			t.Fatalf("seed %d: a bound is broken: %+v", seed, run)
		}
		for _, o := range journal {
			born.Apply(o)
		}
		if state(t, born) != state(t, run) {
			t.Fatalf("seed %d: the journal folds to another state", seed)
		}
	}
}

func randomRun(rng *rand.Rand) *Run {
	l, _ := Preset(Presets[rng.IntN(len(Presets))])
	l.Approve = rng.IntN(3) == 0
	q := Question{Text: "Why?", At: t0}
	if rng.IntN(2) == 0 {
		q.Mode = Modes[rng.IntN(len(Modes))]
	}
	if rng.IntN(2) == 0 {
		q.Where.Folders = []string{"docs"}
	}
	if rng.IntN(5) == 0 {
		if rng.IntN(2) == 0 {
			q.Via = "openai"
		}
		return NewAudit("a", q, l, "draft")
	}
	return NewRun("r", q, l)
}

// randomOutcome answers one of the steps that are outstanding, or sends a signal. Runs that only a person can move on
// are sent one in the end.
func randomOutcome(rng *rand.Rand, r *Run, at time.Time, n int) Outcome {
	next := r.Next()
	if len(next) == 0 || rng.IntN(12) == 0 {
		kinds := []SignalKind{SigAnswer, SigApprove, SigFeedback, SigEdit, SigPause, SigResume, SigFinish, SigRetry, SigWoken, SigReject, SigCancel}
		if n < 200 {
			kinds = kinds[:9]
		}
		s := Signal{Kind: kinds[rng.IntN(len(kinds))], Round: rng.IntN(7), Text: strings.Repeat("ü", rng.IntN(3000))}
		if s.Kind == SigEdit {
			s.Units = randomUnits(rng)
		}
		return Outcome{Kind: Signaled, At: at, Signal: s}
	}
	s := next[rng.IntN(len(next))]
	o := Outcome{Step: s.ID, Kind: Done, At: at, Score: rng.Float64(), Spent: Spent{USD: rng.Float64() / 10}}
	if rng.IntN(4) == 0 {
		o.FellBack = strings.Repeat("w", rng.IntN(500))
	}
	if rng.IntN(30) == 0 {
		o.Capped = StopTokens
	}
	switch {
	case s.Kind == StepWait:
		o.Kind = Timer
	case rng.IntN(5) == 0 && (forgiven(s.Kind) || s.Kind == StepUnit || s.Kind == StepCheck):
		o.Kind, o.Fail = Failed, "broke"
	}
	switch s.Kind {
	case StepScope:
		if rng.IntN(2) == 0 {
			o.Refs.Ask = "ask"
		}
	case StepPlan:
		o.Units = randomUnits(rng)
	case StepSupervise:
		if rng.IntN(2) == 0 {
			o.Units = randomUnits(rng)
		}
	case StepUnit:
		o.Counts = Counts{Findings: rng.IntN(40), Cited: rng.IntN(40)}
		for i := range 30 {
			o.Keys = append(o.Keys, fmt.Sprintf("%s-%d-%s", s.ID, i, strings.Repeat("k", rng.IntN(300))))
		}
	case StepClaims:
		o.Counts.Claims = rng.IntN(300)
	}
	return o
}

func randomUnits(rng *rand.Rand) []Proposed {
	var out []Proposed
	for range rng.IntN(70) {
		p := Proposed{ID: fmt.Sprintf("u%d", rng.IntN(200)), Topic: strings.Repeat("t", rng.IntN(300)), Ref: "ref"}
		for range rng.IntN(4) {
			p.Needs = append(p.Needs, fmt.Sprintf("u%d", rng.IntN(200)))
		}
		out = append(out, p)
	}
	return out
}

func TestARunStaysSmallAtWorst(t *testing.T) {
	l, _ := Preset("deep")
	r := NewRun("r", Question{Text: strings.Repeat("漢", MaxQuestion), At: t0}, l)
	d := &drive{t: t, Run: r, at: t0}
	var units []string
	for i := range MaxUnits {
		units = append(units, fmt.Sprintf("%0*d", maxID, i))
	}
	for range maxInbox + 5 {
		d.signal(Signal{Kind: SigFeedback, Round: 9, Text: strings.Repeat("x", 10_000)})
	}
	d.done("scope.1").plan("plan.1", 0.9, units...)
	for d.Stage == AtGather || d.Stage == AtSupervise {
		for _, s := range d.Next() {
			if s.Kind == StepWait {
				continue
			}
			o := Outcome{Step: s.ID, Kind: Failed, Fail: strings.Repeat("f", 500), FellBack: strings.Repeat("w", 500), Counts: Counts{Findings: 99, Cited: 99}, Units: proposals([]string{"more"})}
			for i := range 99 {
				o.Keys = append(o.Keys, fmt.Sprintf("%s%s%d", strings.Repeat("k", 40), s.Unit[:min(len(s.Unit), 2)], i))
			}
			d.apply(o)
		}
	}
	d.apply(Outcome{Step: "cite.1", Kind: Done}).done("write.1").done("review.1")
	for d.Stage == AtWrite || d.Stage == AtReview {
		d.done(d.Next()[0].ID)
	}
	d.apply(Outcome{Step: "claims.1", Kind: Done, Counts: Counts{Claims: 1 << 30}})
	if size := len(state(t, d.Run)); size > MaxRun {
		t.Fatalf("%d bytes", size)
	} else {
		t.Logf("%d bytes", size)
	}
	if n := len(d.Checked); n != MaxClaims/ClaimsPerCheck {
		t.Fatalf("%d batches", n)
	}
}

func TestOutcomesThatAreTooLargeAreRefused(t *testing.T) {
	o := Outcome{Step: "unit.a", Kind: Done, Reason: strings.Repeat("x", MaxOutcome)}
	if err := o.Check(); err == nil || !strings.Contains(err.Error(), "store the content") {
		t.Fatalf("answered %v", err)
	}
}

func BenchmarkApply(b *testing.B) {
	l, _ := Preset("deep")
	for b.Loop() {
		r := NewRun("r", Question{Text: "Why?", At: t0}, l)
		for n := 0; r.State() != Finished; n++ {
			s := r.Next()[0]
			o := found(s.ID, 3)
			o.At = t0.Add(time.Duration(n) * time.Second)
			if s.Kind == StepPlan {
				o.Units, o.Score = proposals([]string{"a", "b", "c", "d", "e", "f", "g", "h"}), 0.9
			}
			r.Apply(o)
		}
	}
}
