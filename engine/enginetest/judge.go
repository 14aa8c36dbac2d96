package enginetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// Judge holds what every scenario must come to, and what this one must.
func (s Scenario) Judge(t *testing.T, v View) {
	t.Helper()
	done := map[string]int{}
	for _, o := range v.Journal {
		if o.Kind == plumb.Done {
			done[o.Step]++
		}
		if strings.Contains(o.Fail, "secret") {
			t.Errorf("internals in an outcome: %q", o.Fail)
		}
	}
	for step, n := range done {
		if n > 1 {
			t.Errorf("%s is in the journal %d times", step, n)
		}
	}
	v.judgeEvents(t)
	s.Want(t, v)
	if t.Failed() {
		t.Log(v)
	}
}

// judgeEvents holds that a run's events are told in order, once, from its start to its end, with one attempt of each step.
func (v View) judgeEvents(t *testing.T) {
	t.Helper()
	if len(v.Events) == 0 || v.Events[0].Kind != plumb.RunStarted || v.Events[0].Seq != 1 {
		t.Errorf("does not begin with run.started")
	}
	ends := 0
	attempts := map[string]int{}
	for i, e := range v.Events {
		if i > 0 && e.Seq <= v.Events[i-1].Seq {
			t.Errorf("event %d comes after %d", e.Seq, v.Events[i-1].Seq)
		}
		if e.Run != v.Run.ID || e.At.IsZero() || strings.Contains(e.Text, "secret") {
			t.Errorf("event is %+v", e)
		}
		if e.Kind == plumb.RunDone || e.Kind == plumb.RunCancelled {
			ends++
		}
		if e.Attempt == 0 {
			continue
		}
		if n := attempts[e.Step]; n > e.Attempt || (n != e.Attempt && n > 0) {
			t.Errorf("%s tells of attempts %d and %d: one should be void", e.Step, n, e.Attempt)
		}
		attempts[e.Step] = e.Attempt
	}
	if want := v.Run.State() != plumb.FailedState; want != (ends == 1) {
		t.Errorf("%d ends are told of a run that is %s", ends, v.Run.State())
	}
}

// done lists the steps that the journal has as done, sorted.
func (v View) done() string {
	var out []string
	for _, o := range v.Journal {
		if o.Kind == plumb.Done {
			out = append(out, o.Step)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// Shows reports whether an event of a step was shown; an empty kind is any.
func (v View) Shows(step string, kind plumb.EventKind) bool {
	return slices.ContainsFunc(v.Events, func(e plumb.Event) bool {
		return e.Step == step && (kind == "" || e.Kind == kind)
	})
}

// told lists the texts of a step's events of a kind.
func (v View) told(step string, kind plumb.EventKind) []string {
	var out []string
	for _, e := range v.Events {
		if e.Step == step && e.Kind == kind {
			out = append(out, e.Text)
		}
	}
	return out
}

func state(t *testing.T, v View, want plumb.State) {
	t.Helper()
	if v.Run.State() != want {
		t.Errorf("run is %s (%s), want %s", v.Run.State(), v.Run.Fail, want)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%v\nwant\n%v", what, got, want)
	}
}
