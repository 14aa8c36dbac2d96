package plumb

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var t0 = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// drive is a run under test, with a clock that goes on a second an outcome.
type drive struct {
	t *testing.T
	*Run
	at time.Time
}

func start(t *testing.T, preset string, change func(*Run)) *drive {
	t.Helper()
	l, err := Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRun("r1", Question{Text: "Why?", At: t0}, l)
	if change != nil {
		change(r)
	}
	return &drive{t: t, Run: r, at: t0}
}

// ids lists Next.
func (d *drive) ids() string {
	var out []string
	for _, s := range d.Next() {
		out = append(out, s.ID)
	}
	return strings.Join(out, " ")
}

func (d *drive) want(ids string) *drive {
	d.t.Helper()
	if got := d.ids(); got != ids {
		d.t.Fatalf("next is %q, want %q (state %s, stage %s)", got, ids, d.State(), d.Stage)
	}
	return d
}

func (d *drive) wantState(s State) *drive {
	d.t.Helper()
	if d.State() != s {
		d.t.Fatalf("state is %s, want %s (stage %s, fail %q)", d.State(), s, d.Stage, d.Fail)
	}
	return d
}

func (d *drive) apply(o Outcome) *drive {
	d.at = d.at.Add(time.Second)
	if o.At.IsZero() {
		o.At = d.at
	}
	d.Apply(o)
	return d
}

func (d *drive) done(step string) *drive { return d.apply(Outcome{Step: step, Kind: Done}) }

func (d *drive) fail(step string) *drive {
	return d.apply(Outcome{Step: step, Kind: Failed, Fail: "it broke"})
}

func (d *drive) signal(s Signal) *drive { return d.apply(Outcome{Kind: Signaled, Signal: s}) }

// plan answers a plan step with units given as "a", or "b:a" for a unit b that needs a.
func (d *drive) plan(step string, complexity float64, units ...string) *drive {
	return d.apply(Outcome{Step: step, Kind: Done, Score: complexity, Units: proposals(units), Refs: Refs{Plan: "plan-ref"}})
}

func proposals(units []string) []Proposed {
	var out []Proposed
	for _, u := range units {
		id, needs, _ := strings.Cut(u, ":")
		p := Proposed{ID: id, Ref: "plan-ref", Topic: "about " + id}
		if needs != "" {
			p.Needs = strings.Split(needs, ",")
		}
		out = append(out, p)
	}
	return out
}

// found answers a unit step with n cited findings, each from a key of its own.
func found(step string, n int) Outcome {
	o := Outcome{Step: step, Kind: Done, Counts: Counts{Findings: n, Cited: n}, Refs: Refs{Result: step + "-result"}}
	for i := range n {
		o.Keys = append(o.Keys, fmt.Sprintf("%s/%d", step, i))
	}
	return o
}

// gathering brings a run to its first wave.
func gathering(t *testing.T, preset string, complexity float64, change func(*Run), units ...string) *drive {
	t.Helper()
	return start(t, preset, change).done("scope.1").plan("plan.1", complexity, units...)
}

// toClaims brings a run whose gathering is over to its claims.
func (d *drive) toClaims() *drive {
	d.done("cite.1").done("write.1")
	if d.Stage == AtReview {
		d.apply(Outcome{Step: "review.1", Kind: Done, Score: 1})
	}
	return d
}

func TestTheWholePath(t *testing.T) {
	d := start(t, "standard", func(r *Run) { r.Stage = AtRead; r.Asked.Where.Folders = []string{"docs"} })
	d.wantState(Queued).want("read.1").done("read.1")
	d.wantState(Running).want("scope.1").done("scope.1")
	d.want("plan.1").plan("plan.1", 0.8, "a", "b")
	d.want("unit.a unit.b wait.time.0")
	d.apply(found("unit.a", 3)).want("unit.b wait.time.0").apply(found("unit.b", 3))
	d.want("supervise.1").done("supervise.1")
	if d.Gate.Status != GatePass || d.Stopped != "" {
		t.Fatalf("gate %+v, stopped %q", d.Gate, d.Stopped)
	}
	d.want("cite.1").done("cite.1").want("write.1").done("write.1")
	d.want("review.1").apply(Outcome{Step: "review.1", Kind: Done, Score: 0.9})
	d.want("claims.1").apply(Outcome{Step: "claims.1", Kind: Done, Counts: Counts{Claims: 41}})
	d.want("check.0001 check.0002 check.0003")
	last := d.Next()[2]
	if last.In.From != 40 || last.In.To != 41 {
		t.Fatalf("last batch is %d..%d", last.In.From, last.In.To)
	}
	d.done("check.0002").done("check.0001").want("check.0003").done("check.0003")
	d.want("publish.1").done("publish.1").wantState(Finished).want("")
}

func TestAuditEntersAtTheDraft(t *testing.T) {
	l, _ := Preset("quick")
	r := NewAudit("a1", Question{At: t0}, l, "draft-ref")
	d := &drive{t: t, Run: r, at: t0}
	for _, step := range []string{"read.1", "claims.1"} {
		if d.want(step); d.Next()[0].In.Refs.Draft != "draft-ref" {
			t.Fatalf("the draft is not given to step %s", step)
		}
		if step == "read.1" {
			d.done(step)
		}
	}
	d.apply(Outcome{Step: "claims.1", Kind: Done, Counts: Counts{Claims: 1}}).want("check.0001").done("check.0001").want("publish.1")
}

// via is an audit whose draft a service writes.
func via(t *testing.T) *drive {
	l, _ := Preset("quick")
	return &drive{t: t, Run: NewAudit("v1", Question{Text: "Why?", At: t0, Via: "openai"}, l, "draft-ref"), at: t0}
}

func TestADraftIsOrderedAndCollectedBeforeItIsRead(t *testing.T) {
	d := via(t).want("order.1")
	if refs := d.Next()[0].In.Refs; refs != (Refs{}) {
		t.Fatalf("an order is given %+v", refs)
	}
	d.apply(Outcome{Step: "order.1", Kind: Done, Refs: Refs{Order: "job-7"}}).want("collect.1")
	if d.Next()[0].In.Refs.Order != "job-7" {
		t.Fatal("the step that collects does not know the job")
	}
	d.apply(Outcome{Step: "collect.1", Kind: Done, Refs: Refs{Draft: "given"}, Spent: Spent{USD: 2.5}}).want("read.1")
	if d.Next()[0].In.Refs.Draft != "given" || d.Spent.USD != 2.5 {
		t.Fatalf("the draft is %q, spent %v", d.Next()[0].In.Refs.Draft, d.Spent)
	}
	d.done("read.1").apply(Outcome{Step: "claims.1", Kind: Done, Counts: Counts{Claims: 1}}).want("check.0001").done("check.0001").want("publish.1")
	d.done("publish.1").wantState(Finished)
}

func TestAnOrderIsNeverPlacedTwice(t *testing.T) {
	d := via(t).apply(Outcome{Step: "order.1", Kind: Done, Refs: Refs{Order: "job-7"}})
	d.apply(Outcome{Step: "order.1", Kind: Done, Refs: Refs{Order: "job-8"}}).want("collect.1")
	if d.Refs.Order != "job-7" {
		t.Fatalf("the job is %s", d.Refs.Order)
	}
	d.apply(Outcome{Step: "collect.1", Kind: Failed, Fail: "openai could not finish"}).wantState(FailedState)
	if d.Fail != "collect: openai could not finish" {
		t.Fatalf("failed with %q", d.Fail)
	}
	d.signal(Signal{Kind: SigRetry}).want("collect.1")
	d.signal(Signal{Kind: SigFinish}).want("collect.1") // there is nothing yet to finish with
	d.signal(Signal{Kind: SigPause}).want("").signal(Signal{Kind: SigResume}).want("collect.1")
	d.signal(Signal{Kind: SigCancel}).want("").wantState(CancelledState)
}

func TestAFailedOrderFailsTheRun(t *testing.T) {
	d := via(t).apply(Outcome{Step: "order.1", Kind: Failed, Fail: "openai refuses the key"}).wantState(FailedState)
	d.signal(Signal{Kind: SigRetry}).want("order.1")
}

func TestFollowUpKeepsEvidenceUnlessTheTopicShifts(t *testing.T) {
	before := start(t, "quick", nil).Run
	for _, shift := range []bool{false, true} {
		d := start(t, "quick", func(r *Run) { r.ID = "r2"; r.Follow(before) })
		if d.Next()[0].In.Kept != "r1" {
			t.Fatal("scope does not see the run before")
		}
		d.apply(Outcome{Step: "scope.1", Kind: Done, Shift: shift})
		if want := map[bool]string{false: "r1", true: ""}[shift]; d.Kept != want || d.Thread != "r1" || d.Parent != "r1" {
			t.Errorf("shift %v: kept %q, thread %q", shift, d.Kept, d.Thread)
		}
	}
}

func TestClarifyWaitsOnceForTheAnswer(t *testing.T) {
	ask := Outcome{Step: "scope.1", Kind: Done, Refs: Refs{Ask: "ask-ref", Brief: "b1"}}
	d := start(t, "quick", nil).apply(ask).wantState(Waiting).want("")
	d.signal(Signal{Kind: SigAnswer, Text: "the one in Oslo"}).want("scope.2")
	if got := d.Next()[0].In.Feedback; got != "the one in Oslo" {
		t.Fatalf("the answer given to scope is %q", got)
	}
	ask.Step = "scope.2"
	d.apply(ask).want("plan.1") // a second question is not asked

	early := start(t, "quick", nil).signal(Signal{Kind: SigAnswer, Text: "early"}).want("scope.1")
	ask.Step = "scope.1"
	early.apply(ask).wantState(Running).want("scope.2")
}

func TestApproval(t *testing.T) {
	waiting := func() *drive {
		return gathering(t, "quick", 0.8, func(r *Run) { r.Limits.Approve = true }, "a", "b").wantState(Waiting).want("")
	}
	t.Run("approve", func(t *testing.T) {
		waiting().signal(Signal{Kind: SigApprove}).want("unit.a unit.b wait.time.0")
	})
	t.Run("reject cancels and keeps the reason", func(t *testing.T) {
		d := waiting().signal(Signal{Kind: SigReject, Text: "too broad"}).wantState(CancelledState)
		if d.Reason != "too broad" {
			t.Fatalf("reason is %q", d.Reason)
		}
	})
	t.Run("feedback plans again, and an approval of the plan before does not count", func(t *testing.T) {
		d := waiting().signal(Signal{Kind: SigFeedback, Text: "also cost"}).want("plan.2")
		if d.Next()[0].In.Feedback != "also cost" {
			t.Fatal("feedback is not given to the plan step")
		}
		d.signal(Signal{Kind: SigApprove, Round: 1}).plan("plan.2", 0.8, "c").wantState(Waiting)
		d.signal(Signal{Kind: SigApprove}).wantState(Waiting)
		d.signal(Signal{Kind: SigApprove, Round: 2}).want("unit.c wait.time.0")
	})
	t.Run("an approval may come before the plan", func(t *testing.T) {
		d := start(t, "quick", func(r *Run) { r.Limits.Approve = true }).signal(Signal{Kind: SigApprove, Round: 1})
		d.done("scope.1").plan("plan.1", 0.8, "a").want("unit.a wait.time.0")
	})
	t.Run("edit replaces the plan", func(t *testing.T) {
		d := waiting().signal(Signal{Kind: SigEdit, Plan: "edited", Units: proposals([]string{"x", "y:x"})})
		d.want("unit.x wait.time.0")
		if d.Refs.Plan != "edited" {
			t.Fatal("the edited plan is not the plan")
		}
	})
	t.Run("an edit without units researches the brief", func(t *testing.T) {
		waiting().signal(Signal{Kind: SigEdit}).want("unit.u1 wait.time.0")
	})
	t.Run("after five rounds feedback changes nothing", func(t *testing.T) {
		d := waiting()
		for i := 1; i < MaxPlanRounds; i++ {
			d.signal(Signal{Kind: SigFeedback, Text: "more", Round: i}).plan(fmt.Sprintf("plan.%d", i+1), 0.8, "a")
		}
		d.signal(Signal{Kind: SigFeedback, Text: "more", Round: 5}).wantState(Waiting)
		d.signal(Signal{Kind: SigApprove, Round: 5}).want("unit.a wait.time.0")
	})
	t.Run("a time limit fails the run", func(t *testing.T) {
		d := gathering(t, "quick", 0.8, func(r *Run) { r.Limits.Approve = true; r.Limits.Caps.Approval = time.Hour }, "a")
		d.want("wait.approval.1").wantState(Waiting)
		if got := d.Next()[0].Until; !got.Equal(t0.Add(2*time.Second + time.Hour)) {
			t.Fatalf("waits until %s", got)
		}
		d.apply(Outcome{Step: "wait.approval.1", Kind: Timer}).wantState(FailedState)
	})
	t.Run("a failed plan shows the brief", func(t *testing.T) {
		d := start(t, "quick", func(r *Run) { r.Limits.Approve = true }).done("scope.1").fail("plan.1").wantState(Waiting)
		if d.Refs.Plan != "" {
			t.Fatal("there is a plan")
		}
		d.signal(Signal{Kind: SigApprove}).want("unit.u1 wait.time.0")
	})
}

func TestScheduling(t *testing.T) {
	for _, c := range []struct {
		name       string
		asked      Mode
		complexity float64
		units      []string
		mode       Mode
		first      string
		after      map[string]string // what is next once this unit is settled
	}{
		{"simple questions are one unit that loops", "", 0.3, []string{"a", "b", "c"}, React, "unit.a", nil},
		{"independent units go together", "", 0.6, []string{"a", "b", "c"}, Parallel, "unit.a unit.b unit.c", nil},
		{"a unit waits for those it needs", "", 0.6, []string{"a", "b", "c:a,b"}, Hybrid, "unit.a unit.b", map[string]string{"unit.a": "unit.b", "unit.b": "unit.c"}},
		{"a pure chain is a sequence", "", 0.6, []string{"a", "b:a", "c:b"}, Sequential, "unit.a", map[string]string{"unit.a": "unit.b"}},
		{"a sequence on request", Sequential, 0.2, []string{"b", "a"}, Sequential, "unit.b", map[string]string{"unit.b": "unit.a"}},
		{"parallel on request ignores needs", Parallel, 0.9, []string{"a", "b:a"}, Parallel, "unit.a unit.b", nil},
		{"unknown needs and circles are dropped", "", 0.9, []string{"a:c,zz", "b:a", "c:b", "d"}, Hybrid, "unit.a unit.d", nil},
		{"needs come first whatever the order", "", 0.9, []string{"c:a", "a", "b"}, Hybrid, "unit.a unit.b", nil},
		{"at most AtOnce together", "", 0.9, []string{"a", "b", "c", "d", "e"}, Parallel, "unit.a unit.b unit.c unit.d", map[string]string{"unit.b": "unit.a unit.c unit.d unit.e"}},
		{"double and unusable ids are dropped", "", 0.9, []string{"a", "a", "", "b"}, Parallel, "unit.a unit.b", nil},
		{"only such ids: the brief as it is", "", 0.9, []string{"", strings.Repeat("x", 50)}, Parallel, "unit.u1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := gathering(t, "standard", c.complexity, func(r *Run) { r.Asked.Mode = c.asked; r.Limits.Caps.Time = 0 }, c.units...)
			if d.Mode != c.mode {
				t.Errorf("mode is %s, want %s", d.Mode, c.mode)
			}
			d.want(c.first)
			for _, id := range slices.Sorted(keysOf(c.after)) {
				d.apply(found(id, 1)).want(c.after[id])
			}
		})
	}
}

func keysOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestReactMergesTheUnits(t *testing.T) {
	d := gathering(t, "standard", 0.2, nil, "a", "b:a")
	if got := d.Next()[0].In.Parts; !slices.Equal(got, []string{"a", "b"}) {
		t.Fatalf("parts are %v", got)
	}
}

func TestUnitsSeeOnlyWhatTheyMay(t *testing.T) {
	names := func(refs []UnitRef) string {
		var out []string
		for _, r := range refs {
			out = append(out, r.ID+"="+string(r.State))
		}
		return strings.Join(out, " ")
	}
	step := func(d *drive, id string) Step {
		for _, s := range d.Next() {
			if s.ID == id {
				return s
			}
		}
		t.Fatalf("%s is not next: %s", id, d.ids())
		return Step{}
	}
	d := gathering(t, "standard", 0.9, nil, "a", "b", "c:a", "d", "e")
	d.apply(found("unit.b", 1)).fail("unit.a")
	c := step(d, "unit.c").In
	if names(c.Units) != "a=failed" || names(c.Visited) != "a=failed" {
		t.Errorf("c sees findings of %q and sources of %q", names(c.Units), names(c.Visited))
	}
	if e := step(d, "unit.e").In; names(e.Units) != "" || names(e.Visited) != "" {
		t.Errorf("e, dispatched in the same wave, sees %q and %q", names(e.Units), names(e.Visited))
	}
	for _, id := range []string{"unit.c", "unit.d", "unit.e"} {
		d.apply(found(id, 1))
	}
	d.apply(Outcome{Step: "supervise.1", Kind: Done, Units: proposals([]string{"f"})})
	f := step(d, "unit.f").In
	if names(f.Units) != "" || names(f.Visited) != "a=failed b=done c=done d=done e=done" {
		t.Errorf("f sees findings of %q and sources of %q", names(f.Units), names(f.Visited))
	}
}

func TestCapsEndTheGathering(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Run)
		last   Outcome
		stop   Stop
	}{
		{"waves", func(r *Run) { r.Limits.Waves = 1 }, found("unit.b", 1), StopWaves},
		{"waves with enough evidence need no word", func(r *Run) { r.Limits.Waves = 1 }, found("unit.b", 9), ""},
		{"units", func(r *Run) { r.Limits.InAll = 2 }, found("unit.b", 1), StopUnits},
		{"money", nil, with(found("unit.b", 9), func(o *Outcome) { o.Spent.USD = 1.01 }), StopMoney},
		{"no room left for a call", nil, with(found("unit.b", 9), func(o *Outcome) { o.Capped = StopMoney }), StopMoney},
		{"the cap of one unit ends nothing", func(r *Run) { r.Limits.Waves = 1 }, with(found("unit.b", 9), func(o *Outcome) { o.Capped = StopUnit }), ""},
		{"tokens", func(r *Run) { r.Limits.Caps.Tokens = 1000 }, with(found("unit.b", 9), func(o *Outcome) { o.Spent.Tokens = 1000 }), StopTokens},
		{"time", nil, with(found("unit.b", 9), func(o *Outcome) { o.At = t0.Add(time.Hour) }), StopTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := gathering(t, "standard", 0.8, c.change, "a", "b").apply(found("unit.a", 1)).apply(c.last)
			d.want("cite.1")
			if d.Stopped != c.stop {
				t.Errorf("stopped by %q, want %q", d.Stopped, c.stop)
			}
			if got := d.Next()[0].In.Standing.Stopped; got != c.stop {
				t.Errorf("the cite step is told %q", got)
			}
		})
	}
	t.Run("a cap in the middle of a wave does not cut it", func(t *testing.T) {
		d := gathering(t, "standard", 0.8, nil, "a", "b")
		d.apply(with(found("unit.a", 1), func(o *Outcome) { o.Spent.USD = 5 })).want("unit.b wait.time.0")
	})
	t.Run("planned units beyond a wave wait for the next", func(t *testing.T) {
		d := gathering(t, "quick", 0.8, func(r *Run) { r.Limits.Waves = 2 }, "a", "b", "c", "d")
		d.want("unit.a unit.b unit.c wait.time.0")
		for _, u := range []string{"unit.a", "unit.b", "unit.c"} {
			d.apply(found(u, 0))
		}
		if s := d.want("supervise.1").Next()[0]; !slices.Equal(s.In.Pending, []string{"d"}) {
			t.Fatalf("the supervisor is told of %v", s.In.Pending)
		}
		d.done("supervise.1").want("unit.d wait.time.0")
	})
	t.Run("no more than InAll units", func(t *testing.T) {
		d := gathering(t, "standard", 0.8, func(r *Run) { r.Limits.InAll = 3 }, "a", "b").apply(found("unit.a", 0)).apply(found("unit.b", 0))
		if got := d.Next()[0].In.Spare; got != 1 {
			t.Fatalf("spare is %d", got)
		}
		d.apply(Outcome{Step: "supervise.1", Kind: Done, Units: proposals([]string{"c", "d", "e"})}).want("unit.c wait.time.0")
	})
}

func with(o Outcome, f func(*Outcome)) Outcome {
	f(&o)
	return o
}

func TestGateRejectsWithAReason(t *testing.T) {
	d := gathering(t, "standard", 0.8, nil, "a").apply(found("unit.a", 2)).want("supervise.1")
	d.done("supervise.1").want("supervise.2")
	reason := d.Next()[0].In.Feedback
	if want := "not enough: 2 of 5 findings, 2 of 5 findings with a source that was read, 2 of 3 distinct sources"; reason != want {
		t.Fatalf("reason is %q", reason)
	}
	d.apply(Outcome{Step: "supervise.2", Kind: Done, Units: proposals([]string{"b"})}).want("unit.b wait.time.0")
	d.apply(found("unit.b", 1)).want("supervise.3").done("supervise.3").want("supervise.4").done("supervise.4").want("cite.1")
	if d.Gate.Rejections != MaxRejections || d.Stopped != StopGate || d.Gate.Status != GateRetry {
		t.Fatalf("gate %+v, stopped %q", d.Gate, d.Stopped)
	}
}

func TestGateCountsDistinctKeysOnly(t *testing.T) {
	d := gathering(t, "standard", 0.8, nil, "a", "b")
	same := func(step string) Outcome {
		return Outcome{Step: step, Kind: Done, Counts: Counts{Findings: 5, Cited: 5}, Keys: []string{"k", "k", "l"}}
	}
	d.apply(same("unit.a")).apply(same("unit.b")).done("supervise.1")
	if d.Gate.Status != GateRetry || !strings.Contains(d.Gate.Reason, "2 of 3 distinct") {
		t.Fatalf("gate %+v", d.Gate)
	}
}

func TestFailuresAreOutcomes(t *testing.T) {
	t.Run("of a unit", func(t *testing.T) {
		d := gathering(t, "standard", 0.8, nil, "a", "b").fail("unit.a").want("unit.b wait.time.0").apply(found("unit.b", 9))
		d.want("supervise.1")
		if d.Units[0].State != Broke || d.Standing().Failed != 1 {
			t.Fatalf("unit is %+v", d.Units[0])
		}
	})
	t.Run("of the supervisor", func(t *testing.T) {
		gathering(t, "standard", 0.8, nil, "a").apply(found("unit.a", 1)).fail("supervise.1").want("cite.1")
	})
	t.Run("of the review", func(t *testing.T) {
		d := gathering(t, "standard", 0.8, nil, "a").apply(found("unit.a", 1)).fail("supervise.1")
		d.done("cite.1").done("write.1").fail("review.1").want("claims.1")
	})
	t.Run("of a check leaves its claims unchecked", func(t *testing.T) {
		d := gathering(t, "quick", 0.8, nil, "a").apply(found("unit.a", 1)).toClaims()
		d.apply(Outcome{Step: "claims.1", Kind: Done, Counts: Counts{Claims: 25}}).fail("check.0001").done("check.0002").want("publish.1")
		if d.Standing().CheckFails != 1 {
			t.Fatal("the failed batch is not counted")
		}
	})
	for _, step := range []string{"scope.1", "cite.1", "write.1", "claims.1", "publish.1"} {
		t.Run("of "+step+" fails the run until it is retried", func(t *testing.T) {
			d := start(t, "quick", nil)
			for d.ids() != step {
				next := d.Next()
				if next[0].Kind == StepPlan {
					d.plan("plan.1", 0.8, "a")
					continue
				}
				d.apply(found(next[0].ID, 3))
			}
			d.fail(step).wantState(FailedState).want("")
			if d.Fail != strings.TrimSuffix(step, ".1")+": it broke" {
				t.Fatalf("fail is %q", d.Fail)
			}
			d.signal(Signal{Kind: SigRetry}).wantState(Running).want(step)
		})
	}
}

func TestFinishNow(t *testing.T) {
	t.Run("hurries what is under way and skips the rest", func(t *testing.T) {
		d := gathering(t, "standard", 0.8, nil, "a", "b", "c", "d", "e").signal(Signal{Kind: SigFinish})
		d.want("unit.a unit.b unit.c unit.d")
		if !d.Next()[0].Hurry {
			t.Fatal("no hurry")
		}
		for _, u := range []string{"unit.a", "unit.b", "unit.c", "unit.d"} {
			d.apply(found(u, 1))
		}
		d.want("cite.1")
		if d.Stopped != StopFinish || d.Standing().Skipped != 1 {
			t.Fatalf("stopped %q, %d skipped", d.Stopped, d.Standing().Skipped)
		}
	})
	t.Run("while scoping", func(t *testing.T) {
		start(t, "quick", nil).signal(Signal{Kind: SigFinish}).want("scope.1").done("scope.1").want("cite.1")
	})
	t.Run("instead of an answer", func(t *testing.T) {
		d := start(t, "quick", nil).apply(Outcome{Step: "scope.1", Kind: Done, Refs: Refs{Ask: "x"}})
		d.signal(Signal{Kind: SigFinish}).want("scope.2").done("scope.2").want("cite.1")
	})
	t.Run("instead of an approval", func(t *testing.T) {
		gathering(t, "quick", 0.8, func(r *Run) { r.Limits.Approve = true }, "a").signal(Signal{Kind: SigFinish}).want("cite.1")
	})
	t.Run("while supervising", func(t *testing.T) {
		d := gathering(t, "standard", 0.8, nil, "a").apply(found("unit.a", 1)).signal(Signal{Kind: SigFinish}).want("cite.1")
		d.apply(Outcome{Step: "supervise.1", Kind: Done, Units: proposals([]string{"late"})}).want("cite.1")
	})
	t.Run("ends re-writing", func(t *testing.T) {
		d := gathering(t, "deep", 0.8, nil, "a").apply(found("unit.a", 1)).fail("supervise.1").done("cite.1").done("write.1")
		d.signal(Signal{Kind: SigFinish}).apply(Outcome{Step: "review.1", Kind: Done, Score: 0.1}).want("claims.1")
	})
}

func TestPauseStopsTheClockAndNotTheOutcomes(t *testing.T) {
	d := gathering(t, "quick", 0.8, nil, "a", "b")
	deadline := d.Deadline
	d.signal(Signal{Kind: SigPause, Text: "lunch"}).wantState(PausedState).want("")
	d.apply(found("unit.a", 1)).wantState(PausedState)
	d.at = d.at.Add(time.Hour)
	d.signal(Signal{Kind: SigResume}).wantState(Running).want("unit.b wait.time.1")
	if got := d.Deadline.Sub(deadline); got != time.Hour+2*time.Second {
		t.Fatalf("the deadline moved by %s", got)
	}
	d.apply(Outcome{Step: "wait.time.0", Kind: Timer})
	if d.TimeUp {
		t.Fatal("the timer of the deadline before counted")
	}
}

func TestDowntimeDoesNotCount(t *testing.T) {
	d := gathering(t, "quick", 0.8, nil, "a", "b").apply(found("unit.a", 1))
	deadline := d.Deadline
	d.at = d.at.Add(24 * time.Hour)
	d.signal(Signal{Kind: SigWoken})
	if got := d.Deadline.Sub(deadline); got != 24*time.Hour+time.Second {
		t.Fatalf("the deadline moved by %s", got)
	}
}

func TestCancelIsFinal(t *testing.T) {
	d := gathering(t, "quick", 0.8, nil, "a").signal(Signal{Kind: SigCancel, Text: "wrong question"}).wantState(CancelledState).want("")
	d.apply(found("unit.a", 3)).signal(Signal{Kind: SigResume}).signal(Signal{Kind: SigRetry}).wantState(CancelledState)
	if d.Reason != "wrong question" || d.Units[0].State != Dispatched {
		t.Fatalf("reason %q, unit %s", d.Reason, d.Units[0].State)
	}
}

func TestReviewRewritesBelowTheThreshold(t *testing.T) {
	d := gathering(t, "deep", 0.8, nil, "a").apply(found("unit.a", 1)).fail("supervise.1").done("cite.1")
	low := func(step string) Outcome { return Outcome{Step: step, Kind: Done, Score: 0.5, Reason: "thin"} }
	d.done("write.1").apply(low("review.1")).want("write.2")
	if d.Next()[0].In.Feedback != "thin" {
		t.Fatal("the writer is not told why")
	}
	d.done("write.2").apply(low("review.2")).done("write.3").apply(low("review.3")).want("claims.1")
}

func TestNothingToCheck(t *testing.T) {
	for _, c := range []struct {
		claims int
		check  bool
	}{{0, true}, {30, false}} {
		d := gathering(t, "quick", 0.8, func(r *Run) { r.Limits.Check = c.check }, "a").apply(found("unit.a", 1)).toClaims()
		d.apply(Outcome{Step: "claims.1", Kind: Done, Counts: Counts{Claims: c.claims}}).want("publish.1")
	}
}

func TestLateAndDoubleOutcomesChangeNothing(t *testing.T) {
	d := gathering(t, "quick", 0.8, nil, "a", "b").apply(found("unit.a", 2)).apply(found("unit.a", 20)).fail("unit.a").done("scope.1").done("nonsense")
	if d.Units[0].Findings != 2 || d.Units[0].State != Succeeded {
		t.Fatalf("unit is %+v", d.Units[0])
	}
	d.want("unit.b wait.time.0")
}

func TestRunsOfUnknownRulesAreLeftAlone(t *testing.T) {
	d := start(t, "quick", func(r *Run) { r.Rules = RulesVersion + 1 })
	d.want("").done("scope.1")
	if d.Folded != 0 {
		t.Fatal("an outcome was folded in")
	}
}

func TestPresets(t *testing.T) {
	for _, name := range Presets {
		l, err := Preset(name)
		if err != nil || l.Waves < 1 || l.InAll > MaxUnits || l.Review.Rewrites > MaxRewrites || !l.Check || l.Preset != name {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
	if _, err := Preset("huge"); err == nil || !strings.Contains(err.Error(), "quick, standard, deep, academic") {
		t.Errorf("an unknown preset answers %v", err)
	}
}

func TestStepsThatFellBackAreListedForTheReport(t *testing.T) {
	d := gathering(t, "quick", 0.8, nil, "a", "b")
	d.apply(with(found("unit.b", 3), func(o *Outcome) { o.FellBack = "the model did not answer in time" }))
	d.apply(with(found("unit.a", 3), func(o *Outcome) { o.FellBack = "the model gave no valid answer" }))
	got := d.Standing().FellBack
	want := []Fall{{"unit.a", "the model gave no valid answer"}, {"unit.b", "the model did not answer in time"}}
	if !slices.Equal(got, want) {
		t.Errorf("fell back: %v", got)
	}
}

func TestMoneyThatIsGoneBeforeTheFirstWaveDoesNotKeepItShut(t *testing.T) {
	for _, stop := range []Stop{StopMoney, StopTokens} {
		d := gathering(t, "standard", 0.8, func(r *Run) { r.Capped = stop }, "a", "b")
		d.want("unit.a unit.b wait.time.0")
		d.apply(found("unit.a", 9)).apply(found("unit.b", 9))
		if d.Stopped != stop {
			t.Errorf("%s: stopped by %q", stop, d.Stopped)
		}
	}
}
