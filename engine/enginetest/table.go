package enginetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
)

// shown waits for the first event of a step: it has begun.
func shown(step string) func(View) bool { return func(v View) bool { return v.Shows(step, "") } }

func is(s plumb.State) func(View) bool { return func(v View) bool { return v.Run.State() == s } }

// Scenarios are in the order of a run's path.
var Scenarios = []Scenario{
	{
		Name: "a run goes its whole path",
		Steps: func() *lab.Steps {
			return &lab.Steps{Units: []string{"a", "b", "c:a"}, Complexity: 0.9, Findings: 4, Claims: 45}
		},
		Run: func(r *plumb.Run) { r.Limits.Review.Threshold = 0.7 },
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "done", v.done(), "check.0001 check.0002 check.0003 cite.1 claims.1 plan.1 publish.1 review.1 scope.1 unit.a unit.b unit.c write.1")
			var kinds []plumb.EventKind
			for _, e := range v.Events {
				kinds = append(kinds, e.Kind)
			}
			for _, k := range []plumb.EventKind{plumb.WaveStarted, plumb.UnitDone, plumb.WaveDone, plumb.GateDecided, plumb.StageStarted, plumb.RunDone} {
				if !slices.Contains(kinds, k) {
					t.Errorf("no event %s", k)
				}
			}
		},
	},
	{
		Name:  "fifty units at once",
		Steps: fifty,
		Run:   fiftyAtOnce,
		Want:  wantFifty,
	},
	{
		Name:  "fifty units through many histories",
		Steps: fifty,
		Run: func(r *plumb.Run) {
			fiftyAtOnce(r)
			r.Limits.AtOnce = 5
		},
		Small: true,
		Want:  wantFifty,
	},
	{
		Name:  "failed attempts are tried again and their events are void",
		Steps: func() *lab.Steps { return &lab.Steps{Talk: true, Fail: map[string]int{"scope.1": 2}} },
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "told of scope", fmt.Sprint(v.told("scope.1", plumb.Warning)), "[attempt 3]")
			equal(t, "retries", len(v.told("scope.1", plumb.StepRetried)), 1)
		},
	},
	{
		Name: "units that fail are outcomes without internals",
		Steps: func() *lab.Steps {
			return &lab.Steps{Units: []string{"a", "b", "c"}, Complexity: 0.9, Findings: 3, Fail: map[string]int{"unit.a": 9}, Panic: map[string]bool{"unit.c": true}}
		},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			for i, want := range []plumb.Phase{plumb.Broke, plumb.Succeeded, plumb.Broke} {
				equal(t, "unit "+v.Run.Units[i].ID, v.Run.Units[i].State, want)
			}
			equal(t, "fail", v.Run.Units[0].Fail, "research unit execution failed")
		},
	},
	{
		Name:  "a unit that is out of time is not tried again",
		Steps: func() *lab.Steps { return &lab.Steps{Talk: true, Hang: map[string]bool{"unit.u1": true}} },
		Rules: map[plumb.StepKind]engine.Rule{plumb.StepUnit: {Timeout: 300 * time.Millisecond, Tries: 5}},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "fail", v.Run.Units[0].Fail, "research unit timed out")
			equal(t, "told", fmt.Sprint(v.told("unit.u1", plumb.Warning)), "[attempt 1]")
		},
	},
	{
		Name:  "a scope that fails fails the run",
		Steps: func() *lab.Steps { return &lab.Steps{Fail: map[string]int{"scope.1": 9}} },
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.FailedState)
			equal(t, "fail", v.Run.Fail, "scope: scope step execution failed")
		},
	},
	{
		Name:  "a failed run goes on when it is retried",
		Steps: func() *lab.Steps { return &lab.Steps{Talk: true, Fail: map[string]int{"scope.1": 3}} },
		Acts:  []Act{{When: Over, Send: plumb.Signal{Kind: plumb.SigRetry}}, {When: is(plumb.Finished)}},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "told of scope", fmt.Sprint(v.told("scope.1", plumb.Warning)), "[attempt 4]")
		},
		Needs: []Deed{Kill}, // a driver that outlives its runs
	},
	{
		Name:  "an answer may come before the run waits for it",
		Steps: func() *lab.Steps { return &lab.Steps{Ask: true, Latency: 50 * time.Millisecond} },
		Acts:  []Act{{Send: plumb.Signal{Kind: plumb.SigAnswer, Text: "yes"}}},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "done", v.done(), "cite.1 claims.1 plan.1 publish.1 scope.1 scope.2 unit.u1 write.1")
		},
	},
	{
		Name:  "a run waits for its answer",
		Steps: func() *lab.Steps { return &lab.Steps{Ask: true} },
		Acts:  []Act{{When: is(plumb.Waiting), Send: plumb.Signal{Kind: plumb.SigAnswer, Text: "yes"}}},
		Want:  func(t *testing.T, v View) { state(t, v, plumb.Finished) },
	},
	{
		Name:  "an approval comes after hours",
		Steps: func() *lab.Steps { return &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Findings: 3} },
		Run:   approval,
		Acts:  []Act{{After: 5 * time.Hour, Send: plumb.Signal{Kind: plumb.SigApprove}}},
		Needs: []Deed{Hours},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			if waited := v.Journal[2].At.Sub(v.Journal[1].At); waited < 4*time.Hour || waited > 6*time.Hour {
				t.Errorf("approved after %s", waited)
			}
			if v.Run.Stopped == plumb.StopTime {
				t.Error("the time of waiting was counted")
			}
		},
	},
	{
		Name:  "nobody approves in time",
		Steps: func() *lab.Steps { return &lab.Steps{Units: []string{"a"}} },
		Run:   approval,
		Needs: []Deed{Hours},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.FailedState)
			equal(t, "fail", v.Run.Fail, "nobody answered in time")
		},
	},
	{
		Name:  "a plan is sent back, then approved",
		Steps: func() *lab.Steps { return &lab.Steps{Units: []string{"a"}} },
		Run:   func(r *plumb.Run) { r.Limits.Approve = true },
		Acts: []Act{
			{When: is(plumb.Waiting), Send: plumb.Signal{Kind: plumb.SigFeedback, Text: "shorter"}},
			{When: func(v View) bool { return v.Run.Wait.Round == 2 }, Send: plumb.Signal{Kind: plumb.SigApprove, Round: 2}},
		},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "done", v.done(), "cite.1 claims.1 plan.1 plan.2 publish.1 scope.1 unit.a write.1")
		},
	},
	{
		Name: "cancel stops work in flight",
		Steps: func() *lab.Steps {
			return &lab.Steps{Talk: true, Units: []string{"a", "b"}, Complexity: 0.9, Hang: map[string]bool{"unit.a": true, "unit.b": true}}
		},
		Acts: []Act{{When: shown("unit.b"), Send: plumb.Signal{Kind: plumb.SigCancel, Text: "enough"}}},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.CancelledState)
			equal(t, "reason", v.Run.Reason, "enough")
			equal(t, "done", v.done(), "plan.1 scope.1")
		},
	},
	{
		Name: "pause lets steps in flight finish",
		Steps: func() *lab.Steps {
			return &lab.Steps{Talk: true, Units: []string{"a", "b:a", "c:b", "d:c", "e:d"}, Complexity: 0.9, Latency: 300 * time.Millisecond}
		},
		Run: func(r *plumb.Run) { r.Limits.PerWave = 5 },
		Acts: []Act{
			{When: shown("unit.a"), Send: plumb.Signal{Kind: plumb.SigPause, Text: "lunch"}},
			{When: func(v View) bool { return v.Run.Paused && v.landed() }, Send: plumb.Signal{Kind: plumb.SigResume}},
		},
		Want: wantPause,
	},
	{
		Name: "finish hurries units and keeps what there is",
		Steps: func() *lab.Steps {
			return &lab.Steps{Talk: true, Units: []string{"a", "b"}, Complexity: 0.9, Findings: 2, Hang: map[string]bool{"unit.a": true}}
		},
		Acts: []Act{{When: func(v View) bool {
			return v.Shows("unit.a", "") && len(v.Run.Units) > 1 && v.Run.Units[1].State == plumb.Succeeded
		},
			Send: plumb.Signal{Kind: plumb.SigFinish}}},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "stopped", v.Run.Stopped, plumb.StopFinish)
			equal(t, "fail", v.Run.Units[0].Fail, "research unit was cut short")
			equal(t, "findings", v.Run.Units[1].Findings, 2)
		},
	},
	{
		Name: "the deadline hurries a wave",
		Steps: func() *lab.Steps {
			return &lab.Steps{Units: []string{"a", "b"}, Complexity: 0.9, Hang: map[string]bool{"unit.a": true, "unit.b": true}}
		},
		Run: func(r *plumb.Run) { r.Limits.Caps.Time = 500 * time.Millisecond },
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "stopped", v.Run.Stopped, plumb.StopTime)
		},
	},
	{
		Name:  "a worker is killed in the middle of a unit",
		Steps: slowUnits,
		Run:   func(r *plumb.Run) { r.Limits.PerWave, r.Limits.AtOnce, r.Limits.InAll = 4, 4, 4 },
		Acts:  []Act{{When: shown("unit.d"), Deed: Kill}},
		Needs: []Deed{Kill},
		Want:  wantSlow,
	},
	{
		Name:  "a worker is drained in the middle of a unit",
		Steps: slowUnits,
		Run:   func(r *plumb.Run) { r.Limits.PerWave, r.Limits.AtOnce, r.Limits.InAll = 4, 4, 4 },
		Acts:  []Act{{When: shown("unit.d"), Deed: Drain}},
		Needs: []Deed{Drain},
		Want:  wantSlow,
	},
	{
		Name:  "the store is away for a while",
		Steps: slowUnits,
		Run:   func(r *plumb.Run) { r.Limits.PerWave, r.Limits.AtOnce, r.Limits.InAll = 4, 4, 4 },
		Acts:  []Act{{When: shown("unit.d"), Deed: Cut}, {After: 4 * time.Second, Deed: Mend}},
		Needs: []Deed{Cut},
		Want: func(t *testing.T, v View) {
			state(t, v, plumb.Finished)
			equal(t, "done", v.done(), "cite.1 claims.1 plan.1 publish.1 scope.1 unit.a unit.b unit.c unit.d write.1")
		},
	},
}

// landed says that every unit that has begun is settled.
func (v View) landed() bool {
	return !slices.ContainsFunc(v.Run.Units, func(u plumb.UnitState) bool {
		return u.State == plumb.Dispatched && v.Shows("unit."+u.ID, plumb.Warning)
	})
}

// wantPause holds that between pause and resume nothing came but of steps that had begun before, and the rest later.
func wantPause(t *testing.T, v View) {
	state(t, v, plumb.Finished)
	paused := slices.IndexFunc(v.Events, func(e plumb.Event) bool { return e.Kind == plumb.RunPaused })
	if paused < 0 || !v.Shows("unit.e", "") {
		t.Fatalf("paused at event %d", paused)
	}
	before := View{Events: v.Events[:paused]}
	if before.Shows("unit.e", "") {
		t.Error("the last unit had begun before the pause")
	}
	in := false
	for _, o := range v.Journal {
		switch {
		case o.Kind == plumb.Signaled:
			in = o.Signal.Kind == plumb.SigPause
		case in && !before.Shows(o.Step, ""):
			t.Errorf("%s was begun while the run was paused", o.Step)
		}
	}
}

func fifty() *lab.Steps {
	s := &lab.Steps{Talk: true, Complexity: 0.9, Findings: 2}
	for i := range 50 {
		s.Units = append(s.Units, fmt.Sprintf("u%02d", i+1))
	}
	return s
}

func fiftyAtOnce(r *plumb.Run) {
	r.Limits.PerWave, r.Limits.AtOnce, r.Limits.InAll = 50, 50, 50
}

func wantFifty(t *testing.T, v View) {
	state(t, v, plumb.Finished)
	for _, u := range v.Run.Units {
		if u.State != plumb.Succeeded || u.Findings != 2 {
			t.Errorf("unit is %+v", u)
		}
	}
	equal(t, "units", len(v.Run.Units), 50)
	equal(t, "outcomes", len(v.Journal), 50+6)
}

func approval(r *plumb.Run) {
	r.Limits.Approve, r.Limits.Caps.Approval = true, 24*time.Hour
}

// slowUnits are four that are under way for a second.
func slowUnits() *lab.Steps {
	return &lab.Steps{Talk: true, Units: []string{"a", "b", "c", "d"}, Complexity: 0.9, Findings: 2, Latency: time.Second}
}

func wantSlow(t *testing.T, v View) {
	state(t, v, plumb.Finished)
	equal(t, "done", v.done(), "cite.1 claims.1 plan.1 publish.1 scope.1 unit.a unit.b unit.c unit.d write.1")
	for _, u := range []string{"unit.a", "unit.b", "unit.c", "unit.d"} {
		equal(t, "told of "+u, fmt.Sprint(v.told(u, plumb.Warning)), "[attempt 2]")
	}
}
